// Included before every C and C++ source. Every external function whose name does not begin with help_ is a test.
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
typedef __SIZE_TYPE__ usize;
typedef __UINTPTR_TYPE__ uptr;

#ifdef __SIZEOF_INT128__
typedef __int128 i128;
typedef unsigned __int128 u128;
#endif

#ifdef __cplusplus
#define EXTERN_C extern "C" {
#define EXTERN_C_END }
#else
#define EXTERN_C
#define EXTERN_C_END
#endif

#define NOINLINE __attribute__((noinline))

// For each integer type with its unsigned type.
#define INTEGERS(X) X(i8, u8) X(u8, u8) X(i16, u16) X(u16, u16) X(i32, u32) X(u32, u32) X(i64, u64) X(u64, u64)
