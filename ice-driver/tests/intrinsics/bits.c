// Intrinsics on general registers, and those of ciphers: BMI, BMI2, LZCNT, POPCNT, carries; AES, PCLMULQDQ, SHA.
#include "inputs.h"
#pragma clang attribute push(__attribute__((target("bmi,bmi2,lzcnt,popcnt,aes,pclmul,sha,sse4.2,rdrnd"))), apply_to = function)

static void words(void) {
  WORD(_pdep_u32(a.w[0], b.w[1])) WORD(_pext_u32(a.w[0], b.w[1])) WORD(_bzhi_u32(a.w[0], b.w[1])) WORD(_bzhi_u32(a.w[0], b.b[1] % 40))
  WORD(__bextr_u32(a.w[0], b.w[1])) WORD(_bextr_u32(a.w[0], b.b[0] % 32, b.b[1] % 40)) WORD(_andn_u32(a.w[0], b.w[1])) WORD(_blsi_u32(a.w[0])) WORD(_blsmsk_u32(a.w[0]))
  WORD(_blsr_u32(a.w[0])) WORD(_tzcnt_u32(a.w[0])) WORD(_lzcnt_u32(a.w[0])) WORD(__lzcnt16(a.s[0])) WORD(_mm_popcnt_u32(a.w[0]))
  EACH("mulx", q[0], 0, (r.w[0] = _mulx_u32(a.w[0], b.w[0], (unsigned *)&r.w[1]), add(&r, 8)))
  EACH("addcarry", q[0], 0, (r.b[4] = _addcarry_u32(c.b[0] % 3, a.w[0], b.w[0], (unsigned *)&r.w[0]), add(&r, 8)))
  EACH("subborrow", q[0], 0, (r.b[4] = _subborrow_u32(c.b[0] % 3, a.w[0], b.w[0], (unsigned *)&r.w[0]), add(&r, 8)))
#ifdef __x86_64__
  WORD(_pdep_u64(a.q[0], b.q[1])) WORD(_pext_u64(a.q[0], b.q[1])) WORD(_bzhi_u64(a.q[0], b.q[1])) WORD(_bzhi_u64(a.q[0], b.b[1] % 80))
  WORD(__bextr_u64(a.q[0], b.q[1])) WORD(__bextr_u64(a.q[0], (b.b[0] % 64) | (b.b[1] % 70) << 8)) WORD(_andn_u64(a.q[0], b.q[1])) WORD(_blsr_u64(a.q[0]))
  WORD(_tzcnt_u64(a.q[0])) WORD(_lzcnt_u64(a.q[0])) WORD(_mm_popcnt_u64(a.q[0]))
  EACH("mulx", q[0], 0, (r.q[0] = _mulx_u64(a.q[0], b.q[0], (unsigned long long *)&r.q[1]), add(&r, 16)))
  EACH("addcarry", q[0], 0, (r.b[8] = _addcarry_u64(c.b[0] % 3, a.q[0], b.q[0], (unsigned long long *)&r.q[0]), add(&r, 16)))
  EACH("subborrow", q[0], 0, (r.b[8] = _subborrow_u64(c.b[0] % 3, a.q[0], b.q[0], (unsigned long long *)&r.q[0]), add(&r, 16)))
#endif
}
static void ciphers(void) {
  I128(_mm_aesenc_si128(a.hi, b.hi)) I128(_mm_aesenclast_si128(a.hi, b.hi)) I128(_mm_aesdec_si128(a.hi, b.hi)) I128(_mm_aesdeclast_si128(a.hi, b.hi))
  I128(_mm_aesimc_si128(a.hi)) I128(_mm_aeskeygenassist_si128(a.hi, 0x1b)) I128(_mm_clmulepi64_si128(a.hi, b.hi, 0)) I128(_mm_clmulepi64_si128(a.hi, b.hi, 0x11))
  I128(_mm_sha1nexte_epu32(a.hi, b.hi)) I128(_mm_sha1msg1_epu32(a.hi, b.hi)) I128(_mm_sha1msg2_epu32(a.hi, b.hi)) I128(_mm_sha1rnds4_epu32(a.hi, b.hi, 2))
  I128(_mm_sha256rnds2_epu32(a.hi, b.hi, c.hi)) I128(_mm_sha256msg1_epu32(a.hi, b.hi)) I128(_mm_sha256msg2_epu32(a.hi, b.hi))
}
// What differs in each run is only tried.
static void state_of_machine(void) {
  unsigned random[2] = {0, 0}, aux;
  int has = _rdrand32_step(&random[0]) & _rdrand32_step(&random[1]);
  unsigned long long before = __rdtsc(), then = __builtin_readcyclecounter(), behind = __builtin_ia32_rdtscp(&aux);
  printf("%d %d %d %d\n", has, random[0] != random[1], then > before, behind > then);
}
int main(void) {
  fill(), words(), ciphers(), state_of_machine();
  return 0;
}
#pragma clang attribute pop
