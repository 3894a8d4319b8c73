/* Calls helpers of confined ARM code as their programs do: return addresses begin bundles. */
void *helper;

__asm__(".text\n.arm\n.p2align 4\n.globl call_helper\n.type call_helper, %function\n"
        "call_helper:\n"
        "push {r3-r11, lr}\n"
        "mov r4, #4\nmov r5, #5\nmov r6, #6\nmov r7, #7\nmov r8, #8\nmov r10, #10\nmov r11, #11\n"
        "movw ip, #:lower16:helper\nmovt ip, #:upper16:helper\nldr ip, [ip]\n"
        "blx ip\n.p2align 4\n"
        "cmp r4, #4\ncmpeq r5, #5\ncmpeq r6, #6\ncmpeq r7, #7\ncmpeq r8, #8\ncmpeq r10, #10\ncmpeq r11, #11\n"
        "udfne #0\n"
        "pop {r3-r11, pc}\n");
void call_helper(void);

/* Whether the call above ends its bundle: twelve instructions stand in it and before. */
_Static_assert(12 * 4 % 16 == 0, "");

#define CALL(name, type, result) (helper = (void *)name, ((result (*) type)call_helper))
