// C++ without its library: classes, virtual functions, templates, references, static locals, operators.

extern "C" void *malloc(usize);
extern "C" void free(void *);
extern "C" void __cxa_pure_virtual() { __builtin_trap(); }
void *operator new(usize n) { return malloc(n); }
void operator delete(void *p) noexcept { free(p); }
void operator delete(void *p, usize) noexcept { free(p); }

namespace {
struct Shape {
    virtual ~Shape() {}
    virtual u32 area() const = 0;
    virtual u32 grow(u32 by) { return area() + by; }
};
struct Square : Shape {
    u32 side;
    explicit Square(u32 s) : side(s) {}
    u32 area() const override { return side * side; }
};
struct Named { virtual u32 name() const { return 77; } u32 extra = 5; };
struct Box : Named, Square {
    u32 height;
    Box(u32 s, u32 h) : Square(s), height(h) {}
    u32 area() const override { return 2 * side * side + 4 * side * height; }
    u32 grow(u32 by) override { side += by; return Shape::grow(by) ^ extra; }
    u32 name() const override { return height; }
};
struct Base { u32 value = 3; };
struct Left : virtual Base { u32 left = 4; };
struct Right : virtual Base { u32 right = 5; };
struct Diamond : Left, Right { u32 sum() { return value + left + right; } };
struct Counter { static u32 live; Counter() { live++; } ~Counter() { live--; } };
u32 Counter::live;
template <class T> T largest(const T *p, u32 n) { T m = p[0]; for (u32 i = 1; i < n; i++) if (m < p[i]) m = p[i]; return m; }
template <u32 N> u32 factorial() { return N * factorial<N - 1>(); }
template <> u32 factorial<0>() { return 1; }
struct Complex {
    f64 re, im;
    Complex operator*(Complex o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
    Complex operator+(Complex o) const { return {re + o.re, im + o.im}; }
};
struct Big { u32 words[8]; Big(u32 a) { for (u32 &w : words) w = a *= 3; } Big(const Big &o) { for (u32 i = 0; i < 8; i++) words[i] = o.words[7 - i]; } };
NOINLINE Big make_big(u32 a) { Big b(a); if (a & 1) b.words[0] = 5; return b; }
NOINLINE u32 use_big(Big b) { return b.words[0] + b.words[7] * 3; }
struct Global { u32 value; Global() : value(1234) {} } global;
u32 initialised = largest<u32>((const u32[]){3, 9, 4}, 3);
}

// Each in a group of its own, of which the linker keeps one.
inline u32 shared_counter = 40;
inline u32 next_number(u32 by) { static u32 last = 100; return last += by + shared_counter++; }
template <class T> struct Stack {
    T items[8];
    u32 depth = 0;
    static inline u32 pushes = 0;
    virtual void push(T x) { items[depth++ % 8] = x; pushes++; }
    T top() const { return items[(depth - 1) % 8]; }
};
template <class T> T turned(T x) { Stack<T> s; Stack<T> *volatile p = &s; p->push(x); p->push(x / 3); return p->top() + static_cast<T>(Stack<T>::pushes); }

extern "C" {
u32 inline_functions(u32 a) { return next_number(a) ^ shared_counter; }
u32 class_templates(u32 a, i16 b) { return turned(a) + static_cast<u32>(turned(b)) + turned<u64>(a) % 1000; }
u32 virtual_call(u32 a, u8 n) { Square s(a); Box b(a, n); Shape &r = n & 1 ? static_cast<Shape &>(s) : b; return r.grow(n) + r.area(); }
u32 second_base(u32 a, u32 b) { Box x(a, b); Named *n = &x; return n->name() + n->extra; }
u32 heap(u32 a, u8 n) { Shape *s = n & 1 ? new Square(a) : new Box(a, n); u32 r = s->area(); delete s; return r; }
u32 diamond(u32 a) { Diamond d; d.value = a; Left &l = d; l.value += 2; return d.sum(); }
u32 lifetimes(u8 n) { Counter c; u32 r = Counter::live; for (u8 i = 0; i < (n & 7); i++) { Counter d; r += Counter::live; if (i == 5) break; } return r * 10 + Counter::live; }
i32 template_i32(const i32 *p, u8 n) { return largest(p, n % 32 + 1); }
u16 template_u16(const u16 *p, u8 n) { return largest(p, n % 32 + 1); }
u32 compile_time() { return factorial<10>(); }
f64 complex_product(f64 a, f64 b, f64 c, f64 d) { Complex x{a, b}, y{c, d}; Complex z = x * y + x; return z.re - z.im; }
u32 big_by_value(u32 a) { return use_big(make_big(a)); }
u32 references(u32 *p, u32 a) { u32 &r = *p; r += a; auto add = [&](u32 b) { return r += b; }; return add(3) + add(a); }
u32 member_pointer(u32 a, u8 n) { Box b(a, 9); u32 (Square::*f)() const = &Square::area; u32 Box::*m = n & 1 ? &Box::height : &Box::extra; return (b.*f)() + b.*m; }
u32 static_initialisers() { return global.value + initialised; }
u32 default_arguments(u32 a) { auto f = [](u32 x, u32 y = 7) { return x * y; }; return f(a) + f(a, 2); }
u32 switch_enum(u8 n) { enum class E : u8 { A, B, C = 200 }; switch (E(n)) { case E::A: return 1; case E::B: return 2; case E::C: return 3; } return 4; }
}
