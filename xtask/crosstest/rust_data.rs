// Slices, iterators, enumerations with matches, options, results, strings, trait objects, closures, sorting.
#![no_std]
include!("rust/prelude.rs");

use core::fmt::Write;

#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Shape {
    Point,
    Circle { radius: u32 },
    Square(u32),
    Box(u16, u16, u32),
    Named(&'static str),
}

impl Shape {
    fn of(kind: u8, a: u32) -> Shape {
        match kind % 5 {
            0 => Shape::Point,
            1 => Shape::Circle { radius: a },
            2 => Shape::Square(a),
            3 => Shape::Box(a as u16, (a >> 16) as u16, a ^ 5),
            _ => Shape::Named(if a % 2 == 0 { "even" } else { "uneven" }),
        }
    }

    fn size(self) -> u32 {
        match self {
            Shape::Point => 0,
            Shape::Circle { radius: 0..=9 } => 1,
            Shape::Circle { radius: r @ (10 | 20 | 30) } => r * 2,
            Shape::Circle { radius } => radius.wrapping_mul(3),
            Shape::Square(side) if side > 1000 => 7,
            Shape::Square(side) => side * side,
            Shape::Box(a, b, c) => (a as u32).wrapping_mul(b as u32).wrapping_add(c),
            Shape::Named(name) => name.len() as u32,
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn shape_size(kind: u8, a: u32) -> u32 { Shape::of(kind, a).size() }
#[unsafe(no_mangle)]
extern "C" fn shapes_equal(k: u8, l: u8, a: u32, b: u32) -> u32 {
    let (x, y) = (Shape::of(k, a), Shape::of(l, b));
    (x == y) as u32 + 2 * x.partial_cmp(&y).map_or(3, |order| order as i32 as u32 & 3)
}
#[unsafe(no_mangle)]
extern "C" fn sum(p: &[u32; 64], n: u8) -> u32 { p[..n as usize % 65].iter().fold(0, |s, &x| s.wrapping_add(x)) }
#[unsafe(no_mangle)]
extern "C" fn out_of_bounds(p: &[u32; 64], n: u8) -> u32 { p[n as usize % 70] }
#[unsafe(no_mangle)]
extern "C" fn range(p: &[u8; 64], a: u8, b: u8) -> u32 { p.get(a as usize % 80..b as usize % 80).map_or(999, |s| s.len() as u32) }
#[unsafe(no_mangle)]
extern "C" fn chain(p: &[i32; 64], k: i32) -> i64 {
    p.iter().copied().filter(|x| x % 3 != 0).map(|x| x as i64 * k as i64).take_while(|x| *x != 0).step_by(2).fold(0, i64::wrapping_add)
}
#[unsafe(no_mangle)]
extern "C" fn zipped(p: &[u16; 64], q: &[u16; 64]) -> u32 {
    p.iter().zip(q.iter().rev()).enumerate().filter(|(i, (a, b))| i % 2 == 0 || a > b).map(|(_, (a, b))| (a ^ b) as u32).max().unwrap_or(0)
}
#[unsafe(no_mangle)]
extern "C" fn windows(p: &[u8; 64]) -> u32 { p.windows(3).filter(|w| w[0] < w[1] && w[1] > w[2]).count() as u32 + 100 * p.chunks(7).map(|c| c[0] as u32).sum::<u32>() }
#[unsafe(no_mangle)]
extern "C" fn sort(p: &mut [i32; 64], n: u8) { p[..n as usize % 65].sort_unstable() }
#[unsafe(no_mangle)]
extern "C" fn sort_by(p: &mut [u64; 32]) { p.sort_unstable_by_key(|x| core::cmp::Reverse(x.rotate_left(9))) }
#[unsafe(no_mangle)]
extern "C" fn search(p: &mut [u16; 64], x: u16) -> u32 {
    p.sort_unstable();
    match p.binary_search(&x) {
        Ok(at) => at as u32,
        Err(at) => 1000 + at as u32,
    }
}
#[unsafe(no_mangle)]
extern "C" fn reversed(p: &mut [u8; 64], n: u8) { p[..n as usize % 65].reverse(); p[1..].rotate_left(n as usize % 63); p.swap(3, n as usize % 64) }
#[unsafe(no_mangle)]
extern "C" fn text(p: &[u8; 64], n: u8) -> u32 {
    let mut bytes = *p;
    for byte in &mut bytes { *byte = if *byte < 200 { *byte % 96 + 32 } else { *byte } }
    match core::str::from_utf8(&bytes[..n as usize % 65]) {
        Ok(text) => text.split(' ').map(|word| word.chars().filter(|c| c.is_alphanumeric()).count() as u32).fold(5, |s, n| s * 7 + n),
        Err(error) => 100_000 + error.valid_up_to() as u32,
    }
}
#[unsafe(no_mangle)]
extern "C" fn numeral(a: i64, b: u8) -> i64 {
    let mut line = Line { bytes: [0; 40], length: 0 };
    let _ = write!(line, "{a}");
    let text = core::str::from_utf8(&line.bytes[..line.length - (b % 4 == 0) as usize]).unwrap_or("");
    text.parse::<i64>().map_or(-77, |x| x.wrapping_mul(3))
}
struct Line { bytes: [u8; 40], length: usize }
impl Write for Line {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let room = self.bytes.get_mut(self.length..self.length + text.len()).ok_or(core::fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.length += text.len();
        Ok(())
    }
}
#[unsafe(no_mangle)]
extern "C" fn formatted(p: &mut [u8; 40], a: u32, b: i16, c: u8) -> u32 {
    let mut line = Line { bytes: [0; 40], length: 0 };
    let written = match c % 4 {
        0 => write!(line, "{a:>8}|{b:+}"),
        1 => write!(line, "{a:#x} {b:08b}"),
        2 => write!(line, "{:?} {:?}", Some(a), Result::<i16, u8>::Err(c)),
        _ => write!(line, "{:e} {:?}", a as f64 / 8.0, char::from(c)),
    };
    *p = line.bytes;
    line.length as u32 + 100 * written.is_err() as u32
}
#[unsafe(no_mangle)]
extern "C" fn options(a: i32, b: i32) -> i32 {
    let divide = |a: i32, b: i32| if b == 0 { None } else { a.checked_div(b) };
    (|| { let q = divide(a, b)?; let r = divide(q, b & 3)?; Some(q ^ r) })().unwrap_or(-5)
}
#[unsafe(no_mangle)]
extern "C" fn results(a: u64) -> u32 {
    fn narrow(a: u64) -> Result<u8, (u32, bool)> {
        let b = u32::try_from(a).map_err(|_| ((a >> 40) as u32, true))?;
        u8::try_from(b).map_err(|_| (b, false))
    }
    match narrow(a) { Ok(x) => x as u32, Err((x, true)) => x ^ 0x5555, Err((x, false)) => x + 1 }
}
trait Step { fn step(&mut self, x: u32) -> u32; fn twice(&mut self, x: u32) -> u32 { let y = self.step(x); self.step(y) } }
struct Add(u32);
struct Shift { by: u32, count: u64 }
impl Step for Add { fn step(&mut self, x: u32) -> u32 { self.0 += 1; x.wrapping_add(self.0) } }
impl Step for Shift { fn step(&mut self, x: u32) -> u32 { self.count += 1; x.rotate_left(self.by) ^ self.count as u32 } fn twice(&mut self, x: u32) -> u32 { self.step(!x) } }
#[unsafe(no_mangle)]
extern "C" fn objects(a: u32, n: u8) -> u32 {
    let (mut add, mut shift) = (Add(a & 15), Shift { by: n as u32 & 31, count: 3 });
    let mut steps: [&mut dyn Step; 2] = [&mut add, &mut shift];
    (0..n & 15).fold(a, |x, i| steps[(i % 2) as usize].twice(x))
}
#[unsafe(no_mangle)]
extern "C" fn closures(a: u32, n: u8) -> u32 {
    let mut total = a;
    let mut add = |x: u32| { total = total.wrapping_mul(31).wrapping_add(x); total };
    let apply = |f: &mut dyn FnMut(u32) -> u32, x| f(x) ^ f(x + 1);
    apply(&mut add, n as u32) ^ total
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Pair { a: u64, b: u32, c: u32 }
#[repr(C)]
pub struct Large { words: [u64; 5] }
#[unsafe(no_mangle)]
extern "C" fn pair(p: Pair, n: u16) -> Pair { Pair { a: p.a ^ n as u64, b: p.b.wrapping_sub(n as u32), c: !p.c } }
#[unsafe(no_mangle)]
extern "C" fn large(p: Large, a: u64) -> Large { let mut r = p; r.words[1] ^= a; r.words.swap(0, 4); r }
#[unsafe(no_mangle)]
extern "C" fn char_classes(a: u32) -> u32 {
    let Some(c) = char::from_u32(a % 0x11_0000) else { return 9999 };
    c.len_utf8() as u32 + 8 * c.is_alphabetic() as u32 + 16 * c.is_whitespace() as u32 + 32 * c.to_digit(16).unwrap_or(99) + (c.to_ascii_uppercase() as u32) * 5
}
#[unsafe(no_mangle)]
extern "C" fn tables(p: &[u8; 64]) -> u32 {
    static TABLE: [u32; 256] = { let mut t = [0; 256]; let mut i = 0; while i < 256 { let mut c = i as u32; let mut k = 0; while k < 8 { c = c >> 1 ^ (0xedb8_8320 & (c & 1).wrapping_neg()); k += 1 } t[i] = c; i += 1 } t };
    p.iter().fold(!0, |c, &b| c >> 8 ^ TABLE[(c as u8 ^ b) as usize])
}
#[unsafe(no_mangle)]
extern "C" fn hash(p: &[u8; 64]) -> u64 {
    use core::hash::{BuildHasher, Hasher};
    struct Fnv(u64);
    impl Hasher for Fnv { fn finish(&self) -> u64 { self.0 } fn write(&mut self, bytes: &[u8]) { for b in bytes { self.0 = (self.0 ^ *b as u64).wrapping_mul(0x100_0000_01b3) } } }
    #[derive(Hash)]
    enum Key<'a> { Text(&'a [u8]), Two(u16, Option<u8>) }
    let build = core::hash::BuildHasherDefault::<Fnv>::new();
    impl Default for Fnv { fn default() -> Fnv { Fnv(0xcbf2_9ce4_8422_2325) } }
    build.hash_one(Key::Text(&p[..20])) ^ build.hash_one(Key::Two(p[0] as u16 * 3, (p[1] % 2 == 0).then_some(p[2])))
}
