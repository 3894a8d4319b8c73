/* Assembly beside functions: small functions, data, labels, symbols that are weak, hidden, absolute or other names of what C
   defines, sections, versions. */
#include <stdio.h>

#ifdef __x86_64__
#define WORD ".quad"
#else
#define WORD ".long"
#endif

__asm__(".pushsection .text\n"
        ".globl next\n.type next, @function\n.p2align 4\n"
        "next:\n\t"
#ifdef __x86_64__
        "leal 1(%rdi), %eax\n\tret\n"
#else
        "movl 4(%esp), %eax\n\tincl %eax\n\tret\n"
#endif
        ".size next, . - next\n.popsection");
__asm__(".globl calls\n.type calls, @function\ncalls:\n\t"
#ifdef __x86_64__
        "subq $8, %rsp\n\tcall next\n1:\tcmpl $100, %eax\n\tjae 2f\n\taddl %eax, %eax\n\tjmp 1b\n2:\tcall in_c\n\taddq $8, %rsp\n\tret"
#else
        "pushl 4(%esp)\n\tcall next\n1:\tcmpl $100, %eax\n\tjae 2f\n\taddl %eax, %eax\n\tjmp 1b\n2:\taddl $4, %esp\n\tpushl %eax\n\tcall in_c\n\taddl $4, %esp\n\tret"
#endif
        "\n\t.size calls, .-calls");
__asm__(".data\n.globl words\n.p2align 3\nwords: .long 1, 2, 3\n.globl pointer\n.p2align 3\npointer: " WORD " words + 8\n"
        ".globl text\n.type text, @object\ntext: .asciz \"semi;colon # \\\"quoted\\\"\\n\"\n.size text, .-text\n"
        ".section .rodata\n.globl length\n.p2align 2\nlength: .long text_end - words\n.data\ntext_end:\n.text");
__asm__(".globl answer\nanswer = 42\n.set half, answer / 2\n.globl half\n.weak perhaps\n.hidden next_alias\n.globl next_alias\n.set next_alias, next");
__asm__(".globl other_name\n.set other_name, in_c");
__asm__(".weak __kcfi_typeid_next\n.set __kcfi_typeid_next, 0x1234567");
__asm__(".section ice_list,\"aw\",@progbits\n.p2align 3\n" WORD " next, in_c\n.previous\n");

int next(int), calls(int), next_alias(int), other_name(int);
extern int words[], *pointer;
extern const char text[];
extern const int length;
extern char answer[], half[], __kcfi_typeid_next[];
__attribute__((weak)) int perhaps(void);
extern int (*const __start_ice_list[])(int), (*const __stop_ice_list[])(int);
__attribute__((used)) int in_c(int x) { return x * 3; }

int main(void) {
  printf("%d %d %d %d\n", next(4), calls(4), next_alias(10), other_name(5));
  printf("%d %d %d %s %d\n", words[0], words[2], *pointer, text, length);
  printf("%ld %ld %lx %d\n", (long)answer, (long)half, (long)__kcfi_typeid_next, perhaps != 0);
  for (int (*const *f)(int) = __start_ice_list; f < __stop_ice_list; f++) printf("%d\n", (*f)(7));
  return 0;
}
