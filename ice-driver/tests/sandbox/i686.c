/* Calls helpers of confined code, whose code stands in front of this file, as their programs do: return addresses begin
   bundles. What they give is compared with what the compiler makes of the same. */
__asm__(".text\n.p2align 5\n"
        "call_helper:\n"
        "push %ebp\nmov %esp, %ebp\npush %ebx\npush %esi\npush %edi\n"
        "mov 12(%ebp), %esi\nmov 8(%ebp), %ecx\n"
        "push 12(%esi)\npush 8(%esi)\npush 4(%esi)\npush (%esi)\n"
        "mov $0x1234567, %ebx\nmov $0x89abcd, %esi\nmov %esp, %edi\n"
        "jmp 1f\n.p2align 5\n1: .fill 30, 1, 0x90\ncall *%ecx\n"
        "cmp %esp, %edi\njne 2f\ncmp $0x1234567, %ebx\njne 2f\ncmp $0x89abcd, %esi\njne 2f\n"
        "add $16, %esp\npop %edi\npop %esi\npop %ebx\npop %ebp\nret\n"
        "2: ud2\n");
uint64_t call_helper(void *helper, const void *arguments);
/* The same function, whose result is in the x87. */
__asm__("call_float = call_helper\n");
double call_float(void *helper, const void *arguments);

static uint64_t bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

static void check_division(uint64_t x, uint64_t y) {
    uint64_t arguments[2] = {x, y};
    if (y == 0)
        return;
    check("udivdi3", x, y, call_helper(h_udivdi3, arguments), x / y);
    check("umoddi3", x, y, call_helper(h_umoddi3, arguments), x % y);
    if (x == 1ull << 63 && y == -1ull)
        return;
    check("divdi3", x, y, call_helper(h_divdi3, arguments), (int64_t)x / (int64_t)y);
    check("moddi3", x, y, call_helper(h_moddi3, arguments), (int64_t)x % (int64_t)y);
}

static void check_conversion(uint64_t x) {
    uint64_t arguments[2] = {x, 0};
    check("floatdidf", x, 0, bits(call_float(h_floatdidf, arguments)), bits((double)(int64_t)x));
    check("floatundidf", x, 0, bits(call_float(h_floatundidf, arguments)), bits((double)x));
    check("floatdisf", x, 0, bits((float)call_float(h_floatdisf, arguments)), bits((float)(double)(int64_t)x));
    double d = (double)x, half = (double)(int64_t)x / 3;
    float f = (float)x;
    memcpy(arguments, &half, 8);
    check("fixdfdi", bits(half), 0, call_helper(h_fixdfdi, arguments), (int64_t)half);
    float third = (float)half;
    memcpy(arguments, &third, 4);
    check("fixsfdi", bits(third), 0, call_helper(h_fixsfdi, arguments), (int64_t)third);
    if (d < 18446744073709551616.0) {
        memcpy(arguments, &d, 8);
        check("fixunsdfdi", bits(d), 0, call_helper(h_fixunsdfdi, arguments), (uint64_t)d);
    }
    if (f < 18446744073709551616.0f) {
        memcpy(arguments, &f, 4);
        check("fixunssfdi", bits(f), 0, call_helper(h_fixunssfdi, arguments), (uint64_t)f);
    }
}

int main(void) {
    for (int n = 0; n < 300000; n++) {
        check_division(next(), next());
        check_conversion(next());
    }
    return failures != 0;
}
