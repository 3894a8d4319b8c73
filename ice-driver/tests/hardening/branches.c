// Branches of all kinds, and calls of functions without a C library, which is compiled with landings only where one is built so.
typedef long jmp_buf[16];
int setjmp(jmp_buf) __attribute__((returns_twice));
void longjmp(jmp_buf, int) __attribute__((noreturn));
int twice(int);

int (*volatile pointer)(int);
static jmp_buf buffer;

int leaf(int x) { return x + 1; }
int returned(int x) { return pointer(x); }
int called(int x) { return pointer(x) + 1; }
void *caller(void) { return __builtin_return_address(0); }

int switches(int x) {
    switch (x) {
    case 0: return twice(3);
    case 1: return twice(5) + 1;
    case 2: return twice(8) + 2;
    case 3: return twice(9);
    case 4: return twice(1) * 3;
    case 5: return twice(0);
    }
    return 9;
}

int labels(int n) {
    static void *const places[] = {&&a, &&b, &&c};
    int sum = 0;
    goto *places[n % 3];
a:
    sum += 1;
    if (n-- > 0) goto *places[n % 3 < 0 ? 0 : n % 3];
    return sum;
b:
    sum += 20;
    if (n-- > 0) goto *places[n % 3 < 0 ? 0 : n % 3];
    return sum;
c:
    sum += 300;
    if (n-- > 0) goto *places[n % 3 < 0 ? 0 : n % 3];
    return sum;
}

int returns_again(int x) {
    int again = setjmp(buffer);
    if (again) return x + again;
    twice(1);
    longjmp(buffer, 7);
}
