/* Calls helpers of confined MIPS code as their programs do: return addresses begin bundles, the masks are in their
   registers, and the stack lies in the window. */
void *helper;
char *host_stack;
char low_stack[1 << 16] __attribute__((aligned(16)));

__asm__(".text\n.set push\n.set noreorder\n.set noat\n.p2align 4\n.globl call_helper\n.type call_helper, @function\n"
        "call_helper:\n"
        "addiu $sp, $sp, -64\n"
        "sw $16, 16($sp)\nsw $17, 20($sp)\nsw $18, 24($sp)\nsw $19, 28($sp)\nsw $20, 32($sp)\n"
        "sw $21, 36($sp)\nsw $22, 40($sp)\nsw $23, 44($sp)\nsw $30, 48($sp)\nsw $31, 52($sp)\nsdc1 $f20, 56($sp)\n"
        "lui $2, %hi(host_stack)\nsw $sp, %lo(host_stack)($2)\n"
        "lui $sp, %hi(low_stack + 65472)\naddiu $sp, $sp, %lo(low_stack + 65472)\n"
        "lui $14, 0x0fff\nori $14, $14, 0xfff0\nlui $15, 0x3fff\nori $15, $15, 0xffff\n"
        "li $16, 16\nli $17, 17\nli $18, 18\nli $19, 19\nli $20, 20\nli $21, 21\nli $22, 22\nli $23, 23\nli $30, 30\n"
        "mtc1 $16, $f20\nmtc1 $17, $f21\n"
        "lui $25, %hi(helper)\nlw $25, %lo(helper)($25)\n"
        ".p2align 4\nnop\nnop\njalr $25\nnop\n"
        "mfc1 $9, $f20\nmfc1 $10, $f21\n"
        "lui $1, %hi(low_stack + 65472)\naddiu $1, $1, %lo(low_stack + 65472)\ntne $1, $sp\n"
        "li $8, 16\ntne $16, $8\ntne $9, $8\nli $8, 17\ntne $17, $8\ntne $10, $8\nli $8, 18\ntne $18, $8\n"
        "li $8, 19\ntne $19, $8\nli $8, 20\ntne $20, $8\nli $8, 21\ntne $21, $8\nli $8, 22\ntne $22, $8\n"
        "li $8, 23\ntne $23, $8\nli $8, 30\ntne $30, $8\n"
        "lui $sp, %hi(host_stack)\nlw $sp, %lo(host_stack)($sp)\n"
        "lw $16, 16($sp)\nlw $17, 20($sp)\nlw $18, 24($sp)\nlw $19, 28($sp)\nlw $20, 32($sp)\n"
        "lw $21, 36($sp)\nlw $22, 40($sp)\nlw $23, 44($sp)\nlw $30, 48($sp)\nlw $31, 52($sp)\nldc1 $f20, 56($sp)\n"
        "jr $31\naddiu $sp, $sp, 64\n.set pop\n");
void call_helper(void);

#define CALL(name, type, result) (helper = (void *)name, ((result (*) type)call_helper))
