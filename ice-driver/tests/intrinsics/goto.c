/* Inline assembly that jumps: static keys, tests of bits, loops, outputs that are good on every edge, labels at one place. */
#include <stdio.h>
#define noinline __attribute__((noinline))
struct key { int enabled; };
__attribute__((used)) static struct key k1, k2[3];
/* Static keys, as in Linux. */
#ifdef __x86_64__
#define WORD ".quad"
#else
#define WORD ".long"
#endif
#if defined(__x86_64__) || !defined(__pic__)
#define KEYS " %c0 + %c1 - ."
#define KEY_INPUTS(key, b) "i"(key), "i"(b)
#else
/* The address of a variable is no number there. */
#define KEYS " k1 + 1 - ."
#define KEY_INPUTS(key, b)
#endif
#define BRANCH(name, key, b) static int name(void) { \
  asm goto("1: .byte 0x0f,0x1f,0x44,0x00,0x00\n\t" \
    ".pushsection __jump_table, \"aw\"\n\t.balign 8\n\t.long 1b - .\n\t.long %l[yes] - .\n\t" \
    WORD KEYS "\n\t" ".popsection\n" :: KEY_INPUTS(key, b) :: yes); \
  return 0; yes: return 1; }
BRANCH(branch1, &k1, 0) BRANCH(branch2, &k2[1], 1)
noinline int static_key(int x) { int r = x; if (branch1()) r += 100; if (branch2()) r *= 3; return r; }
noinline int bit(unsigned *p, long n) {
  asm goto("btsl %1, %0\n\tjc %l[yes]" : "+m"(*p) : "r"((int)n) : "cc" : yes);
  return 10; yes: return 20;
}
noinline int out(int x, int y) {
  int a, b;
  asm goto("movl %2, %0\n\taddl %3, %0\n\tleal 1(%0), %1\n\tjs %l[neg]\n\tjz %l[zero]" : "=&r"(a), "=&r"(b) : "r"(x), "r"(y) : "cc" : neg, zero);
  return a * 2 + b;
neg: return -a + b;
zero: return 1000 + b;
}
noinline int loop(int n) {
  int s = 0;
again:
  s += n;
  asm goto("subl $1, %0\n\tjnz %l[again]" : "+m"(n) :: "cc" : again);
  return s;
}
noinline int many(int x) {
  asm goto("cmpl $1, %0\n\tje %l1\n\tcmpl $2, %0\n\tje %l2\n\tcmpl $3, %0; je %l3" :: "r"(x) : "cc" : a, b, c);
  return 0;
a: return 11; b: return 22; c: return 33;
}
noinline int clob(int x, int y, int z, int w) {
  int t = x * y + z;
  asm goto("testl %0, %0\n\tjz %l1" :: "r"(w) :
#ifdef __x86_64__
 "rax","rbx","rcx","rdx","rsi","rdi","r8","r9","r12","r13","r14","cc","memory"
#else
 "eax","ebx","ecx","edx","cc","memory"
#endif
 : z0);
  return t + x;
z0: return t - y;
}
noinline int same(int x) {
  asm goto("cmpl $5, %0; je %l1; cmpl $6, %0; je %l2" :: "r"(x) : "cc" : e1, e2);
  return x;
e1: e2: return -7;
}
noinline int nested(int n, int *p) {
  int acc = 0;
  for (int i = 0; i < n; i++) {
    int v;
    asm goto("movl %1, %0\n\ttestl %0, %0\n\tjs %l2" : "=r"(v) : "m"(p[i]) : "cc" : bad);
    acc += v;
    continue;
bad: acc -= v * 3;
  }
  return acc;
}
noinline double fl(double x, double y) {
  double r;
  asm goto("ucomisd %2, %1\n\tmovapd %1, %0\n\tja %l[big]" : "=&x"(r) : "x"(x), "x"(y) : "cc" : big);
  return r + y; big: return r * y;
}
noinline int diamond(int x) {
  int v;
  asm goto("movl %1, %0; cmpl $3, %0; ja %l2" : "=&r"(v) : "r"(x) : "cc" : big);
  printf("s%d ", x);
  goto join;
big: printf("b%d ", x);
join: return v * 7;
}
extern char __start___jump_table[], __stop___jump_table[];
int main(void) {
  unsigned w = 4; int arr[5] = {3, -4, 5, -6, 7};
  printf("%d\n", static_key(5));
  printf("%d %d %u\n", bit(&w, 2), bit(&w, 3), w);
  printf("%d %d %d\n", out(3, 4), out(-9, 2), out(5, -5));
  printf("%d\n", loop(10));
  for (int i = 0; i < 5; i++) printf("%d ", many(i));
  printf("%d %d\n", clob(3, 4, 5, 6), clob(3, 4, 5, 0));
  printf("%d %d %d\n", same(4), same(5), same(6));
  printf("%d\n", nested(5, arr));
  printf("%g %g\n", fl(1, 2), fl(3, 2));
  printf("%d %d\n", diamond(1), diamond(9));
  printf("%ld\n", (long)(__stop___jump_table - __start___jump_table));
  /* The entries lead where they say. */
  for (char *e = __start___jump_table; e < __stop___jump_table; e += 8 + sizeof(long)) {
    int *f = (int *)e; long *key = (long *)(e + 8);
    printf("%d %d\n", (char *)&f[0] + f[0] != 0, (long)key + *key - (long)&k1 == 0 || (long)key + *key - (long)&k1 == 1 || (long)key + *key - (long)k2 == sizeof(struct key) + 1);
    unsigned char *code = (unsigned char *)&f[0] + f[0]; printf("%x %x\n", code[0], code[1]);
  }
}
