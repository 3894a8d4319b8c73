//! Lanes put into vectors: what the other lanes are depends on the vector below the insertions, which may be zero,
//! constants, or computed. The interpreter says what each program gives; every target and recipe must give the same.

use crate::common::program::Program;
use std::fmt::Write;

/// Vector types, the types of their lanes, and the numbers of lanes.
const VECTORS: [(&str, &str, i64); 5] =
    [("v16i8", "i8", 16), ("v8i16", "i16", 8), ("v4i32", "i32", 4), ("v4f32", "f32", 4), ("v4i1", "i1", 4)];

/// What is below the insertions.
#[derive(Clone, Copy, PartialEq)]
enum Base {
    Zero,
    Constant,
    Other,
}

/// Values of a function body, with fresh names.
struct Body {
    text: String,
    next: u32,
}

impl Body {
    fn value(&mut self, ty: &str, text: &str) -> u32 {
        self.next += 1;
        let _ = writeln!(self.text, "  v{}: {ty} = {text}", self.next);
        self.next
    }
}

/// A function that puts lanes of a vector, `links` of them as pairs of lanes, into what `base` says, and gives a
/// number that depends on all bits of the result. `v2` to `v17` are the lane numbers.
fn function([ty, lane]: [&str; 2], lanes: i64, base: Base, links: &[(i64, i64)]) -> String {
    let mut body = Body { text: String::from("block0:\n"), next: 1000 };
    let in_memory = if lane == "i1" { "v4i32" } else { ty };
    let at = |lane: i64| format!("v{}", 2 + lane);
    // Bytes that differ from lane to lane and are small numbers as floats.
    for n in 0..8 {
        let address = body.value("i32", &format!("add v19, v{}", 40 + n));
        let product = body.value("i32", &format!("mul v0, v{}", 50 + n));
        let _ = writeln!(body.text, "  store v{product} to v{address}, align 1");
    }
    let second = body.value("i32", "add v19, v44");
    let mut load = |address: &str| {
        let loaded =
            body.value(in_memory, &format!("load {address}, align {}", if lane == "f32" { 4 } else { 1 }));
        if lane == "i1" { body.value(ty, &format!("icmp slt v{loaded}, v1")) } else { loaded }
    };
    let (source, other) = (load("v19"), load(&format!("v{second}")));
    let mut result = match base {
        Base::Zero => 18,
        Base::Other => other,
        Base::Constant => (0..lanes).fold(18, |vector, n| {
            body.value(ty, &format!("insertelement v{vector}, v{}, {}", 20 + n % 3, at(n)))
        }),
    };
    for &(from, to) in links {
        let element = body.value(lane, &format!("extractelement v{source}, {}", at(from)));
        result = body.value(ty, &format!("insertelement v{result}, v{element}, {}", at(to)));
    }
    if lane == "i1" {
        result = body.value("v4i32", &format!("sext v{result}"));
    }
    let _ = writeln!(body.text, "  store v{result} to v19, align {}", if lane == "f32" { 4 } else { 1 });
    let mut sum = String::from("v0");
    for n in 0..4 {
        let address = body.value("i32", &format!("add v19, v{}", 40 + n));
        let word = body.value("i32", &format!("load v{address}, align 1"));
        let product = body.value("i32", &format!("mul {sum}, v51"));
        sum = format!("v{}", body.value("i32", &format!("add v{product}, v{word}")));
    }
    let _ = writeln!(body.text, "  ret {sum}");
    body.text
}

#[test]
fn lanes_that_are_not_put_come_from_below() {
    for (ty, lane, lanes) in VECTORS {
        let last = lanes - 1;
        let all: Vec<(i64, i64)> = (0..last).map(|n| (last - n, n)).collect();
        let links: [&[(i64, i64)]; 6] =
            [&[(1, 2)], &[(last, 0)], &[(0, last)], &[(2, 2)], &[(1, 0), (0, 1), (3, 3)], &all];
        for base in [Base::Zero, Base::Constant, Base::Other] {
            let mut program = Program::default();
            for links in links {
                let below = if lane == "i1" { "v4i32" } else { ty };
                let mut header = format!("  v1: {below} = undef\n");
                for n in 0..16 {
                    let _ = writeln!(header, "  v{}: i32 = {n}", 2 + n);
                }
                let _ = writeln!(header, "  v18: {ty} = undef\n  v19: i32 = @bytes");
                for (n, number) in [255, 0, 3].into_iter().enumerate() {
                    match lane {
                        "f32" => {
                            let _ =
                                writeln!(header, "  v{}: f32 = 0x{:x}", 20 + n, (number as f32).to_bits());
                        }
                        "i1" => {
                            let _ = writeln!(header, "  v{}: i1 = {}", 20 + n, n & 1);
                        }
                        "i8" => {
                            let _ = writeln!(header, "  v{}: i8 = {}", 20 + n, number as i8);
                        }
                        _ => {
                            let _ = writeln!(header, "  v{}: {lane} = {number}", 20 + n);
                        }
                    }
                }
                for n in 0..8 {
                    let _ = writeln!(
                        header,
                        "  v{}: i32 = {}\n  v{}: i32 = {}",
                        40 + n,
                        4 * n,
                        50 + n,
                        31 + 0x0101_0107 * n
                    );
                }
                let body = header + &function([ty, lane], lanes, base, links);
                program.function("i32", &[], &body, &[0x0102_0304, -77]);
            }
            program.check(&format!("lanes-{ty}"));
        }
    }
}
