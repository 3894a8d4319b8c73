// C11 atomics and the older built-in functions, on one thread.
// (clang 14 has no value for `*p += v` on atomic types.)

#define ATOMIC(T) \
    typedef T at_##T __attribute__((aligned(sizeof(T)))); \
    T load_##T(_Atomic T *p) { return *p; } \
    void store_##T(_Atomic T *p, T v) { *p = v; } \
    T add_##T(_Atomic T *p, T v) { *p += v; return *p; } \
    T increment_##T(_Atomic T *p) { T old = *p; (*p)++; return old; } \
    T exchange_##T(at_##T *p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL); } \
    T fetch_and_##T(at_##T *p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); } \
    T nand_fetch_##T(at_##T *p, T v) { return __atomic_nand_fetch(p, v, __ATOMIC_SEQ_CST); } \
    T fetch_max_##T(at_##T *p, T v) { return __atomic_fetch_max(p, v, __ATOMIC_SEQ_CST); } \
    int compare_##T(at_##T *p, T *expected, T v, _Bool same) { if (same) *expected = *p; return __atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE); } \
    T sync_add_##T(at_##T *p, T v) { return __sync_add_and_fetch(p, v); } \
    T sync_compare_##T(at_##T *p, T v, _Bool same) { return __sync_val_compare_and_swap(p, same ? *p : (T)(v ^ 1), v); } \
    _Bool sync_bool_##T(at_##T *p, T v, _Bool same) { return __sync_bool_compare_and_swap(p, same ? *p : (T)(v ^ 1), v); } \
    T set_bit_##T(at_##T *p, u8 n) { return (T)(__atomic_fetch_or(p, (T)((T)1 << n % (sizeof(T) * 8)), __ATOMIC_SEQ_CST) >> n % (sizeof(T) * 8) & 1); } \
    T clear_bit_##T(at_##T *p) { return (T)(__atomic_fetch_and(p, (T)~(T)8, __ATOMIC_SEQ_CST) & 8); } \
    int zero_##T(at_##T *p, T v) { return __atomic_sub_fetch(p, v, __ATOMIC_SEQ_CST) == 0; } \
    int negative_##T(at_##T *p) { return __atomic_fetch_sub(p, 1, __ATOMIC_SEQ_CST) == 1; }
ATOMIC(u8) ATOMIC(u16) ATOMIC(u32) ATOMIC(u64) ATOMIC(i8) ATOMIC(i32) ATOMIC(i64)
u8 multiply_u8(_Atomic u8 *p, u8 v) { *p *= v; return *p; }
u32 multiply_u32(_Atomic u32 *p, u32 v) { *p *= v; return *p; }
u64 multiply_u64(_Atomic u64 *p, u64 v) { *p *= v; return *p; }

u32 fences(u32 *p, u32 v) {
    p[0] = v;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    p[1] = v + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return p[0] ^ p[1];
}
_Bool flag(u8 *p) { _Bool old = __atomic_test_and_set(p + 1, __ATOMIC_ACQUIRE); __atomic_clear(p + 2, __ATOMIC_RELEASE); return old; }
_Bool pointer(void **p) { return __atomic_exchange_n(p, 0, __ATOMIC_SEQ_CST) != 0; }
