// Integers of every width with Rust's operators: wrapping, checked, saturating, overflowing, Euclidean.
#![no_std]
#![allow(improper_ctypes_definitions)]
include!("rust/prelude.rs");

macro_rules! integers {
    ($($t:ident $u:ident $s:ident)*) => { $(
        function!("wrapping" $t, (a: $t, b: $t, n: u32) -> $t, a.wrapping_add(b).wrapping_mul(a.wrapping_sub(b)) ^ b.wrapping_shl(n) ^ a.wrapping_shr(n));
        function!("checked_add" $t, (a: $t, b: $t) -> $t, a.checked_add(b).unwrap_or(7));
        function!("checked_sub" $t, (a: $t, b: $t) -> $t, a.checked_sub(b).unwrap_or(8));
        function!("checked_mul" $t, (a: $t, b: $t) -> $t, a.checked_mul(b).unwrap_or(9));
        function!("checked_div" $t, (a: $t, b: $t) -> $t, a.checked_div(b).unwrap_or(10));
        function!("checked_rem" $t, (a: $t, b: $t) -> $t, a.checked_rem(b).unwrap_or(11));
        function!("checked_neg" $t, (a: $t) -> $t, a.checked_neg().unwrap_or(12));
        function!("checked_shl" $t, (a: $t, n: u32) -> $t, a.checked_shl(n).unwrap_or(13));
        function!("checked_pow" $t, (a: $t, n: u8) -> $t, a.checked_pow(n as u32 % 20).unwrap_or(14));
        function!("saturating_add" $t, (a: $t, b: $t) -> $t, a.saturating_add(b));
        function!("saturating_sub" $t, (a: $t, b: $t) -> $t, a.saturating_sub(b));
        function!("saturating_mul" $t, (a: $t, b: $t) -> $t, a.saturating_mul(b));
        function!("overflowing" $t, (a: $t, b: $t) -> $t, { let (r, o) = a.overflowing_mul(b); let (q, p) = r.overflowing_add(a); q ^ (o as $t) ^ ((p as $t) << 1) });
        function!("divide" $t, (a: $t, b: $t) -> $t, a / b);
        function!("remainder" $t, (a: $t, b: $t) -> $t, a % b);
        function!("divide_by_seven" $t, (a: $t) -> $t, a / 7 ^ a % 10);
        function!("euclid" $t, (a: $t, b: $t) -> $t, if b == 0 { 3 } else { a.wrapping_div_euclid(b) ^ a.wrapping_rem_euclid(b) });
        function!("difference" $t, (a: $t, b: $t) -> $u, a.abs_diff(b));
        function!("midpoint" $t, (a: $t, b: $t) -> $t, if a < b { a & b } else { a.max(b).min(100) });
        function!("power" $t, (a: $t, n: u8) -> $t, a.wrapping_pow(n as u32));
        function!("counts" $t, (a: $t) -> u32, a.count_ones() + 256 * a.leading_zeros() + 65536 * a.trailing_zeros() + (a.leading_ones() << 24));
        function!("rotate" $t, (a: $t, n: u32) -> $t, a.rotate_left(n) ^ a.rotate_right(n + 3));
        function!("swapped" $t, (a: $t) -> $t, a.swap_bytes() ^ a.reverse_bits() ^ a.to_be());
        function!("order" $t, (a: $t, b: $t) -> i32, a.cmp(&b) as i32 + 4 * (a == b) as i32 + 8 * (a <= b) as i32);
        function!("clamp" $t, (a: $t, b: $t, c: $t) -> $t, a.clamp(b.min(c), b.max(c)));
        function!("log" $t, (a: $t) -> u32, a.checked_ilog2().unwrap_or(200) + a.checked_ilog10().unwrap_or(100));
        function!("root" $t, (a: $u) -> $u, { let mut r: $u = 0; while r < 255 && (r + 1).checked_mul(r + 1).is_some_and(|s| s <= a) { r += 1 } r });
        function!("sign" $t, (a: $s) -> $s, a.signum().wrapping_add(a.wrapping_abs()) ^ a.unsigned_abs() as $s);
        function!("bytes" $t, (a: $t, p: &mut [u8; 16]) -> (), { let b = a.to_be_bytes(); p[..b.len()].copy_from_slice(&b) });
        function!("from_bytes" $t, (p: &[u8; 16]) -> $t, { let mut b = [0; size_of::<$t>()]; let n = b.len(); b.copy_from_slice(&p[..n]); $t::from_le_bytes(b) });
    )* };
}
integers!(u8 u8 i8  i8 u8 i8  u16 u16 i16  i16 u16 i16  u32 u32 i32  i32 u32 i32  u64 u64 i64  i64 u64 i64
    u128 u128 i128  i128 u128 i128  usize usize isize  isize usize isize);

macro_rules! casts {
    ($($f:ident)*) => { $( casts!(@ $f i8 u8 i16 u16 i32 u32 i64 u64 i128 u128); )* };
    (@ $f:ident $($t:ident)*) => { const _: () = { $(
        const _: () = {
            #[unsafe(export_name = concat!("cast_", stringify!($f), "_", stringify!($t)))]
            extern "C" fn cast(a: $f) -> $t { a as $t }
            #[unsafe(export_name = concat!("try_", stringify!($f), "_", stringify!($t)))]
            extern "C" fn convert(a: $f) -> $t { $t::try_from(a).unwrap_or(42) }
        };
    )* }; };
}
casts!(i8 u8 i16 u16 i32 u32 i64 u64 i128 u128);

#[unsafe(no_mangle)]
extern "C" fn wide_product(a: u64, b: u64) -> u128 { a as u128 * b as u128 }
#[unsafe(no_mangle)]
extern "C" fn high_part(a: u64, b: u64) -> u64 { (a as u128 * b as u128 >> 64) as u64 }
#[unsafe(no_mangle)]
extern "C" fn carry_chain(a: &mut [u64; 4], b: &[u64; 4]) -> bool {
    let mut carry = false;
    for (a, b) in a.iter_mut().zip(b) {
        let (sum, first) = a.overflowing_add(*b);
        let (sum, second) = sum.overflowing_add(carry as u64);
        *a = sum;
        carry = first | second;
    }
    carry
}
#[unsafe(no_mangle)]
extern "C" fn modular_power(a: u64, mut n: u32, m: u64) -> u64 {
    if m == 0 { return 0; }
    let (mut base, mut result) = (a as u128 % m as u128, 1 % m as u128);
    while n > 0 {
        if n & 1 == 1 { result = result * base % m as u128; }
        base = base * base % m as u128;
        n >>= 1;
    }
    result as u64
}
