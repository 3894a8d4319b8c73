// Globals and their relocations: initialised pointers, weak and hidden symbols, aliases, constructors,
// sections, tables of functions, tentative and constant data.

static u32 counter = 5;
u32 shared_variable = 17;
u64 zeroed[10];
const u32 constants[4] = {11, 22, 33, 44};
static const char text[] = "some text";
const char *const words[] = {"alpha", "beta", "gamma", text, text + 5};
static u32 array[8] = {1, 2, 3, 4, 5, 6, 7, 8};
u32 *pointer = &array[3];
u32 *const *pointer_to_pointer = (u32 *const *)&pointer;
u32 *past_end = array + 8;
static u8 bytes[16] = {1};
uptr address_number = (uptr)&bytes[7];
struct record { const char *name; u32 (*function)(u32); struct record *next; i64 value; f64 real; f32 small; u8 tag; };
static u32 help_double(u32 a) { return a * 2; }
static u32 help_square(u32 a) { return a * a; }
static struct record last = {"last", help_square, 0, -5, 0.25, -1.5f, 9};
struct record first = {"first", help_double, &last, 0x123456789abcdef, 1e10, 3.5f, 200};
__attribute__((visibility("hidden"))) u32 hidden_variable = 3;
__attribute__((visibility("protected"))) u32 protected_variable = 4;
__attribute__((weak)) u32 weak_variable = 6;
__attribute__((weak)) extern u32 help_missing_variable;
__attribute__((weak)) u32 help_missing_function(u32);
__attribute__((weak)) u32 weak_function(u32 a) { return a + 100; }
__attribute__((visibility("hidden"))) u32 help_hidden_function(u32 a) { return a ^ 0x55; }
__attribute__((section("special_data"))) u32 in_section = 8;
__attribute__((section("special_text"))) u32 in_text_section(u32 a) { return a * 9; }
__attribute__((aligned(64))) u8 aligned_bytes[3] = {1, 2, 3};
__attribute__((aligned(4096))) static u8 page[1] = {5};
u32 aliased(u32 a) { return a + 31; }
u32 alias_of(u32) __attribute__((alias("aliased")));
extern u32 alias_variable __attribute__((alias("shared_variable")));
__attribute__((used)) static u32 used_variable = 77;
_Bool flag = 1;
f32 float_variable = -0.0f;
f64 double_variable = 1.0 / 3;
u16 half_words[3] = {0xffff, 0x8000, 1};
i64 wide_value = -0x7fffffffffffffff - 1;
union { u32 a; f64 b; } union_value = {7};
struct { u8 a; u32 b; u8 c; } padded[2] = {{1, 2, 3}, {4, 5, 6}};

static u32 constructed, constructed_early;
__attribute__((constructor)) static void help_construct(void) { constructed = constructed_early + 1000; }
__attribute__((constructor(200))) static void help_construct_early(void) { constructed_early = 7; }

u32 count(void) { return counter++; }
u32 shared(u32 a) { u32 old = shared_variable; shared_variable = a; return old ^ alias_variable; }
u64 zeros(u8 n, u64 v) { u64 old = zeroed[n % 10]; zeroed[n % 10] += v; return old; }
u32 constant(u8 n) { return constants[n & 3]; }
u32 word(u8 n, u8 i) { const char *w = words[n % 5]; return (u8)w[i % 5 % 4]; }
u32 through_pointer(u32 a) { u32 old = *pointer; *pointer = a; return old + (*pointer_to_pointer)[1] + past_end[-1]; }
u32 difference(void) { return (u32)(pointer - array) + (u32)(past_end - array) * 100; }
u32 number(void) { return (u32)(address_number - (uptr)bytes); }
u32 records(u32 a, u8 n) { struct record *r = n & 1 ? first.next : &first; return r->function(a) + (u8)r->name[2] + r->tag + (u32)r->value; }
f64 record_real(u8 n) { struct record *r = n & 1 ? &last : &first; return r->real + r->small; }
u32 hidden(u32 a) { u32 old = hidden_variable; hidden_variable ^= a; return old + help_hidden_function(a); }
u32 protected_(u32 a) { return protected_variable += a; }
u32 weak(u32 a) { weak_variable += a; return weak_variable + weak_function(a); }
u32 missing(u32 a) { return (&help_missing_variable ? 1 : 2) + (help_missing_function ? help_missing_function(a) : a); }
u32 section(u32 a) { in_section += a; return in_section + in_text_section(a); }
u32 alignment(void) { return (u32)((uptr)aligned_bytes % 64) + (u32)((uptr)page % 4096) + aligned_bytes[2] + page[0]; }
u32 alias(u32 a) { return alias_of(a) * 2 + (alias_of == aliased); }
u32 extra(void) { return used_variable + flag + half_words[1] + union_value.a + padded[1].b; }
f64 floats(void) { return 1 / float_variable + double_variable; }
i64 wide_constant(void) { return wide_value; }
u32 constructors(void) { return constructed; }
u32 static_local(u32 a) { static u32 sum = 1; static u32 *p = &sum; *p += a; return sum; }
u32 choose(u8 n, u32 a) { static u32 (*const table[])(u32) = {help_double, help_square, aliased, weak_function}; return table[n & 3](a); }
u32 string_address(void) { const char *a = "same", *b = "same"; return a[0] + b[3]; }
u32 compare_functions(void) { return (help_double != help_square) + 2 * (&array[8] == past_end); }
