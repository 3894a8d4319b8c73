// Starts the program, and prints what the functions give.
int leaf(int), returned(int), called(int), switches(int), labels(int), returns_again(int);
void *caller(void);
extern int (*volatile pointer)(int);

static char text[1024];
static int length;

int twice(int x) { return x * 2; }
static int thrice(int x) { return x * 3; }

static void print(long number) {
    char digits[24];
    int count = 0;
    do digits[count++] = '0' + number % 10;
    while (number /= 10);
    while (count) text[length++] = digits[--count];
    text[length++] = ' ';
}

static void call(long number, long a, long b, long c) {
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
}

void begin(void) {
    pointer = thrice;
    for (int i = 0; i < 8; i++) print(switches(i));
    print(labels(10));
    print(leaf(4));
    print(returned(21));
    print(called(21));
    print(returns_again(100));
    // An address without a signature.
    print((unsigned long)caller() >> 48);
    call(64, 1, (long)text, length);
    call(94, 0, 0, 0);
}

__asm__(".globl _start\n_start: bti c\n mov x29, #0\n mov x30, #0\n bl begin\n udf #0\n"
        ".globl setjmp\nsetjmp: bti c\n stp x19, x20, [x0]\n stp x21, x22, [x0, #16]\n stp x23, x24, [x0, #32]\n"
        " stp x25, x26, [x0, #48]\n stp x27, x28, [x0, #64]\n stp x29, x30, [x0, #80]\n mov x2, sp\n"
        " str x2, [x0, #96]\n mov w0, #0\n ret\n"
        ".globl longjmp\nlongjmp: bti c\n ldp x19, x20, [x0]\n ldp x21, x22, [x0, #16]\n ldp x23, x24, [x0, #32]\n"
        " ldp x25, x26, [x0, #48]\n ldp x27, x28, [x0, #64]\n ldp x29, x30, [x0, #80]\n ldr x2, [x0, #96]\n"
        " mov sp, x2\n mov w0, w1\n br x30\n");
