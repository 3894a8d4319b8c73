// Floats of both widths: arithmetic, conversions that saturate, orders, bits, rounding by hand; and atomics.
#![no_std]
#![allow(improper_ctypes_definitions)]
include!("rust/prelude.rs");

macro_rules! floats {
    ($($f:ident $b:ident)*) => { $(
        function!("polynomial" $f, (a: $f, b: $f) -> $f, (a * b + 0.5) * a - b / 3.0);
        function!("ratio" $f, (a: $f, b: $f) -> $f, a / b);
        function!("remainder" $f, (a: $f, b: $f) -> $f, a % b);
        function!("least" $f, (a: $f, b: $f) -> $f, if a == b { a } else { a.min(b) });
        function!("most" $f, (a: $f, b: $f) -> $f, if a == b { a } else { a.max(b) });
        function!("sign_of" $f, (a: $f, b: $f) -> $f, a.copysign(b).abs() * b.signum());
        function!("order" $f, (a: $f, b: $f) -> i32, a.partial_cmp(&b).map_or(5, |o| o as i32) + 10 * (a != b) as i32 + 20 * (a <= b) as i32);
        function!("total" $f, (a: $f, b: $f) -> i32, if a.is_nan() || b.is_nan() { 2 } else { a.total_cmp(&b) as i32 });
        function!("bits" $f, (a: $f) -> $b, if a.is_nan() { 1 } else { a.to_bits().rotate_left(3) });
        function!("from_bits" $f, (a: $b) -> $f, $f::from_bits(a));
        function!("class" $f, (a: $f) -> u32, a.classify() as u32 + 8 * a.is_sign_negative() as u32 * !a.is_nan() as u32 + 16 * a.is_finite() as u32);
        function!("clamped" $f, (a: $f) -> $f, a.clamp(-2.0, 1000.0));
        function!("to_i8" $f, (a: $f) -> i8, a as i8);
        function!("to_u8" $f, (a: $f) -> u8, a as u8);
        function!("to_i16" $f, (a: $f) -> i16, a as i16);
        function!("to_u16" $f, (a: $f) -> u16, a as u16);
        function!("to_i32" $f, (a: $f) -> i32, a as i32);
        function!("to_u32" $f, (a: $f) -> u32, a as u32);
        function!("to_i64" $f, (a: $f) -> i64, a as i64);
        function!("to_u64" $f, (a: $f) -> u64, a as u64);
        function!("to_i128" $f, (a: $f) -> i128, a as i128);
        function!("to_u128" $f, (a: $f) -> u128, a as u128);
        function!("from_i8" $f, (a: i8) -> $f, a as $f);
        function!("from_u16" $f, (a: u16) -> $f, a as $f);
        function!("from_i32" $f, (a: i32) -> $f, a as $f);
        function!("from_u32" $f, (a: u32) -> $f, a as $f);
        function!("from_i64" $f, (a: i64) -> $f, a as $f);
        function!("from_u64" $f, (a: u64) -> $f, a as $f);
        function!("from_i128" $f, (a: i128) -> $f, a as $f);
        function!("from_u128" $f, (a: u128) -> $f, a as $f);
        function!("sum_of" $f, (p: &[u8; 64]) -> $f, p.iter().map(|&x| x as $f * 0.25).sum());
        function!("dot" $f, (p: &[i16; 32], q: &[i16; 32]) -> $f, p.iter().zip(q).map(|(&x, &y)| x as $f * y as $f).sum());
    )* };
}
floats!(f32 u32 f64 u64);

#[unsafe(no_mangle)]
extern "C" fn narrowed(a: f64) -> f32 { a as f32 }
#[unsafe(no_mangle)]
extern "C" fn widened(a: f32) -> f64 { a as f64 }
#[unsafe(no_mangle)]
extern "C" fn parsed(a: u32, b: u8) -> f64 {
    let digits = [b'0' + (a % 10) as u8, b'.', b'0' + (a / 10 % 10) as u8, b'0' + (a / 100 % 10) as u8, b'e', b'0' + b % 10];
    core::str::from_utf8(&digits).ok().and_then(|text| text.parse().ok()).unwrap_or(-1.0)
}
#[unsafe(no_mangle)]
extern "C" fn mandelbrot(x: i16, y: i16) -> u32 {
    let (cr, ci) = (x as f64 / 16384.0, y as f64 / 16384.0);
    let (mut r, mut i, mut n) = (0.0, 0.0, 0);
    while r * r + i * i < 4.0 && n < 100 { (r, i, n) = (r * r - i * i + cr, 2.0 * r * i + ci, n + 1) }
    n
}

use core::sync::atomic::*;
macro_rules! atomics {
    ($($a:ident $t:ident)*) => { $(
        function!("atomic_add" $t, (p: &$a, x: $t) -> $t, p.fetch_add(x, Ordering::SeqCst));
        function!("atomic_sub" $t, (p: &$a, x: $t) -> $t, p.fetch_sub(x, Ordering::Relaxed));
        function!("atomic_bits" $t, (p: &$a, x: $t) -> $t, p.fetch_and(x, Ordering::AcqRel) ^ p.fetch_or(!x, Ordering::Release) ^ p.fetch_xor(5, Ordering::Acquire) ^ p.fetch_nand(x, Ordering::SeqCst));
        function!("atomic_max" $t, (p: &$a, x: $t) -> $t, p.fetch_max(x, Ordering::SeqCst) ^ p.fetch_min(x / 2, Ordering::Relaxed));
        function!("atomic_swap" $t, (p: &$a, x: $t) -> $t, { p.store(x ^ 3, Ordering::Release); p.swap(x, Ordering::AcqRel) ^ p.load(Ordering::Acquire) });
        function!("atomic_exchange" $t, (p: &$a, x: $t, y: bool) -> $t, { let old = if y { p.load(Ordering::SeqCst) } else { x }; match p.compare_exchange(old, x ^ 1, Ordering::AcqRel, Ordering::Acquire) { Ok(v) => v, Err(v) => v ^ 7 } });
        function!("atomic_update" $t, (p: &$a, x: $t) -> $t, p.fetch_update(Ordering::SeqCst, Ordering::Relaxed, |v| v.checked_add(x)).unwrap_or(9));
    )* };
}
atomics!(AtomicI8 i8 AtomicU8 u8 AtomicI16 i16 AtomicU16 u16 AtomicI32 i32 AtomicU32 u32 AtomicI64 i64 AtomicU64 u64);
#[unsafe(no_mangle)]
extern "C" fn fences(p: &AtomicU32, x: u32) -> bool {
    fence(Ordering::SeqCst);
    compiler_fence(Ordering::AcqRel);
    let flag = AtomicBool::new(p.load(Ordering::Relaxed) > x);
    fence(Ordering::Acquire);
    flag.fetch_xor(true, Ordering::SeqCst) | flag.load(Ordering::SeqCst)
}
