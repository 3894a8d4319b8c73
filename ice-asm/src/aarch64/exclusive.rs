//! Atomic accesses: exclusive ones, and those with acquire and release order (DDI 0487, C4.1, "Load/store exclusive
//! register", "Load/store exclusive pair", "Load/store ordered").

use super::register::{Gpr, Width, plain};
use super::{Encoder, bits, ops};
use crate::listing::Listing;

ops!(
    /// Loads: exclusive, exclusive with acquire order, and with acquire order alone. The first two bits are the logarithm
    /// of the size.
    Exclusive:
    Ldxr  "ldxr"  "ss 001000 0 1 0 11111 0 11111 nnnnn ttttt",
    Ldaxr "ldaxr" "ss 001000 0 1 0 11111 1 11111 nnnnn ttttt",
    Ldar  "ldar"  "ss 001000 1 1 0 11111 1 11111 nnnnn ttttt",
);

ops!(
    /// Exclusive stores, the second one with release order.
    StoreExclusive:
    Stxr  "stxr"  "ss 001000 0 0 0 sssss 0 11111 nnnnn ttttt",
    Stlxr "stlxr" "ss 001000 0 0 0 sssss 1 11111 nnnnn ttttt",
);

/// What a size adds to a mnemonic, and the register that is loaded or stored.
const fn sized(size_log2: u8) -> Option<(&'static str, Width)> {
    match size_log2 {
        0 => Some(("b", Width::W)),
        1 => Some(("h", Width::W)),
        2 => Some(("", Width::W)),
        3 => Some(("", Width::X)),
        _ => None,
    }
}

/// Acquire or release order.
const ORDERED: u32 = 1 << 15;

impl<L: Listing> Encoder<'_, L> {
    /// `ldxr xt, [xn]` and its like, of `1 << size_log2` bytes, at most 8.
    pub fn load_exclusive(&mut self, op: Exclusive, size_log2: u8, t: Gpr, n: Gpr) {
        let Some((suffix, width)) = sized(size_log2) else { return self.invalid() };
        let word = op.bits() | u32::from(size_log2) << 30 | n.n() | t.d();
        let valid = t.is_plain() && n.is_base();
        self.checked(valid, word, format_args!("{}{suffix} {}, [{n}]", op.mnemonic(), t.of(width)));
    }

    /// `stxr ws, xt, [xn]` and its like: the status becomes 0 if the store was made, else 1. It is none of the others.
    pub fn store_exclusive(&mut self, op: StoreExclusive, size_log2: u8, status: Gpr, t: Gpr, n: Gpr) {
        let Some((suffix, width)) = sized(size_log2) else { return self.invalid() };
        let word = op.bits() | u32::from(size_log2) << 30 | status.m() | n.n() | t.d();
        let valid = plain([status, t]) && n.is_base() && status != t && status != n;
        let (status, t) = (status.of(Width::W), t.of(width));
        self.checked(valid, word, format_args!("{}{suffix} {status}, {t}, [{n}]", op.mnemonic()));
    }

    /// `stlr xt, [xn]` and its like: a store with release order.
    pub fn store_release(&mut self, size_log2: u8, t: Gpr, n: Gpr) {
        let Some((suffix, width)) = sized(size_log2) else { return self.invalid() };
        let word = bits!("ss 001000 1 0 0 11111 1 11111 nnnnn ttttt") | u32::from(size_log2) << 30;
        let valid = t.is_plain() && n.is_base();
        self.checked(valid, word | n.n() | t.d(), format_args!("stlr{suffix} {}, [{n}]", t.of(width)));
    }

    /// `ldxp xt1, xt2, [xn]`, or with acquire order `ldaxp`: two different registers.
    pub fn load_exclusive_pair(&mut self, acquire: bool, t1: Gpr, t2: Gpr, n: Gpr) {
        let (order, mnemonic) = if acquire { (ORDERED, "ldaxp") } else { (0, "ldxp") };
        let word = bits!("11 001000 0 1 1 11111 o ttttt nnnnn ttttt") | order | t2.a() | n.n() | t1.d();
        let valid = plain([t1, t2]) && t1 != t2 && n.is_base();
        self.checked(valid, word, format_args!("{mnemonic} {t1}, {t2}, [{n}]"));
    }

    /// `stxp ws, xt1, xt2, [xn]`, or with release order `stlxp`; the status is none of the others.
    pub fn store_exclusive_pair(&mut self, release: bool, status: Gpr, t1: Gpr, t2: Gpr, n: Gpr) {
        let (order, mnemonic) = if release { (ORDERED, "stlxp") } else { (0, "stxp") };
        let word = bits!("11 001000 0 0 1 sssss o ttttt nnnnn ttttt") | order | t2.a() | n.n() | t1.d();
        let valid = plain([status, t1, t2]) && ![t1, t2, n].contains(&status) && n.is_base();
        let text = format_args!("{mnemonic} {}, {t1}, {t2}, [{n}]", status.of(Width::W));
        self.checked(valid, word | status.m(), text);
    }
}
