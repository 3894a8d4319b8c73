/* Symbols and sections in inline assembly: calls by name and by operand, addresses in all the ways that code has them, data in
   other sections, both syntaxes. */
#include <stdio.h>
#include <string.h>

#define noinline __attribute__((noinline))
#define used __attribute__((used))

noinline used int twice(void) { return 21 * 2; }
noinline static used int hidden(void) { return 7; }
int variable = 5;
static used int table[4] = {10, 20, 30, 40};
extern int puts(const char *);

#ifdef __x86_64__
#define ALL "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc"
/* The stack is aligned to 16 bytes for what is called, and the red zone left alone. */
#define CALL(what) "pushq %%rbx\n\tmovq %%rsp, %%rbx\n\tsubq $128, %%rsp\n\tandq $-16, %%rsp\n\t" what "\n\tmovq %%rbx, %%rsp\n\tpopq %%rbx\n\t"
#define WORD ".quad"
#define RESULT "=&a"
#else
#define ALL "ecx", "edx", "memory", "cc"
#define CALL(what) what "\n\t"
#define WORD ".long"
#define RESULT "=&a"
#endif

#ifdef __x86_64__
#define CLOBBERS "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc"
#else
#define CLOBBERS "ecx", "edx", "memory", "cc"
#endif

noinline int by_name(void) { int r; __asm__ volatile(CALL("call twice") : RESULT(r) : : CLOBBERS); return r; }
noinline int by_local_name(void) { int r; __asm__ volatile(CALL("call hidden") : RESULT(r) : : CLOBBERS); return r; }
noinline int by_table(void) { int r; __asm__ volatile(CALL("call twice@PLT") : RESULT(r) : : CLOBBERS); return r; }
#ifndef __pic__
noinline int by_operand(void) { int r; __asm__ volatile(CALL("call %P1") : RESULT(r) : "i"(hidden) : CLOBBERS); return r; }
noinline int by_any_operand(void) { int r; __asm__ volatile(CALL("call %P1") : RESULT(r) : "X"(hidden) : CLOBBERS); return r; }
noinline int number(void) { int r; __asm__("movl $variable, %0\n\tmovl (%k0), %0" : "=r"(r)); return r; }
noinline int offset(void) { int r; __asm__("movl %c1, %0\n\taddl table+4, %0" : "=r"(r) : "i"(&table[3])); return r; }
noinline int store(int x) { __asm__("movl %0, variable\n\tincl variable\n\taddl $3, variable" : : "r"(x) : "memory"); return variable; }
#endif
#ifdef __x86_64__
noinline int relative(void) { int r; __asm__("leaq table+8(%%rip), %%rcx\n\tmovl (%%rcx), %0" : "=r"(r) : : "rcx"); return r; }
noinline int loaded(void) { int r; __asm__("movq variable@GOTPCREL(%%rip), %q0\n\tmovl (%q0), %0" : "=r"(r)); return r; }
noinline int number_in_memory(void) { __asm__("movl $77, table(%%rip)\n\taddl $1, table(%%rip)" : : : "memory"); return table[0]; }
noinline int intel(void) { int r; __asm__(".intel_syntax noprefix\n\tlea rcx, [rip + table + 12]\n\tmov eax, dword ptr [rcx]\n\t.att_syntax" : "=a"(r) : : "rcx"); return r; }
noinline int tail(void) { int r; __asm__ volatile(CALL("leaq twice(%%rip), %%rax\n\tcall *%%rax") : RESULT(r) : : CLOBBERS); return r; }
noinline const char *text(void) {
  const char *r;
  __asm__(".pushsection .rodata.str1.1, \"aMS\", @progbits, 1\n771: .asciz \"a text; # not a comment\"\n.popsection\n\tleaq 771b(%%rip), %0" : "=r"(r));
  return r;
}
#endif

/* A table of places in the code and of variables, as exception tables of kernels are. */
noinline int entry(int x) {
  __asm__ volatile("1: nop\n2: nop\n3:\n\t.pushsection ice_places, \"a\"\n\t.balign 4\n\t.long 1b - ., 3b - 1b\n\t.long variable - .\n\t" WORD " 2b - 1b\n\t.popsection");
  return x + 1;
}
extern const int __start_ice_places[], __stop_ice_places[];

int main(void) {
  printf("%d %d %d\n", by_name(), by_local_name(), by_table());
#ifndef __pic__
  printf("%d %d %d %d\n", by_operand() + by_any_operand(), number(), offset(), store(8));
#endif
#ifdef __x86_64__
  printf("%d %d %d %d %d\n", relative(), loaded(), number_in_memory(), intel(), tail());
  puts(text());
#endif
  printf("%d\n", entry(1));
  for (const int *place = __start_ice_places; place < __stop_ice_places; place += 3 + sizeof(long) / sizeof(int)) {
    const unsigned char *code = (const unsigned char *)place + place[0];
    printf("%x %d %d %ld\n", code[0], place[1], (const char *)&place[2] + place[2] == (const char *)&variable, *(const long *)&place[3]);
  }
  return 0;
}
