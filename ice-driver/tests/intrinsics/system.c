// Intrinsics for what programs of systems do: flags, bases of segments, caches, saved state; and those that only a kernel or some
// processors have, which are compiled and not run.

#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <x86intrin.h>

#define NEEDS(features) __attribute__((target(features), noinline))

static char lines[256] __attribute__((aligned(64)));
static unsigned char state[4096] __attribute__((aligned(64)));

NEEDS("clwb,clflushopt") static void caches(int n) {
  for (int i = 0; i < 256; i++) lines[i] = (char)(i * n);
  _mm_clwb(lines + 64);
  _mm_clflushopt(lines + 128);
  _mm_sfence();
  int sum = 0;
  for (int i = 0; i < 256; i++) sum = sum * 7 + lines[i];
  printf("caches %d\n", sum);
}

static void flags(unsigned n) {
#ifdef __x86_64__
  unsigned long long flags = __readeflags();
  __writeeflags(flags | 0x400);
  unsigned long long with = __readeflags();
  __writeeflags(flags & ~0x400ull);
#else
  unsigned flags = __readeflags();
  __writeeflags(flags | 0x400);
  unsigned with = __readeflags();
  __writeeflags(flags & ~0x400u);
#endif
  printf("flags %d %d %d\n", (int)(flags >> 10 & 1), (int)(with >> 10 & 1), (int)(__readeflags() >> 10 & 1) + (n == 7));
}

NEEDS("xsave,xsaveopt,xsavec") static void states(void) {
  unsigned mode;
  memset(state, 0, sizeof state);
  _xsave(state, 3);
  memcpy(&mode, state + 24, 4);
  printf("state %x", mode);
  memset(state, 0, sizeof state);
  _xsaveopt(state, 2);
  memcpy(&mode, state + 24, 4);
  printf(" %x", mode);
  memset(state, 0, sizeof state);
  _xsavec(state, 3);
  printf(" %d\n", state[512 + 15] >> 7);
#ifdef __x86_64__
  memset(state, 0, sizeof state);
  _xsave64(state, 3);
  memcpy(&mode, state + 24, 4);
  printf("state %x", mode);
  _xsaveopt64(state, 3);
  _xsavec64(state, 3);
  printf(" %d\n", state[512 + 15] >> 7);
#endif
}

#ifdef __x86_64__
NEEDS("fsgsbase") static void bases(void) {
  // Whether the kernel lets programs do so.
  if (!(getauxval(26) & 2)) return;
  void *self;
  __asm__("movq %%fs:0, %0" : "=r"(self));
  printf("bases %d %d", _readfsbase_u64() == (uintptr_t)self, _readfsbase_u32() == (unsigned)(uintptr_t)self);
  _writegsbase_u64((uintptr_t)lines);
  printf(" %d %d", _readgsbase_u64() == (uintptr_t)lines, _readgsbase_u32() == (unsigned)(uintptr_t)lines);
  _writegsbase_u32(0);
  _writefsbase_u64(_readfsbase_u64());
  printf(" %d\n", (int)_readgsbase_u64());
}
#endif

NEEDS("sse3,clzero,xsave") static void not_run(void *place, unsigned n) {
  _mm_monitor(place, n, 2);
  _mm_mwait(n, 1);
  _mm_clzero(place);
  _xsetbv(n, 7);
}

int main(int count, char **words) {
  for (int i = 1; i < 9; i++) caches(i), flags(i);
  states();
#ifdef __x86_64__
  bases();
#endif
  if (count > 20) not_run(words, count);
  return 0;
}
