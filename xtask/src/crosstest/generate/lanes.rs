//! Lanes put into vectors over a base: zero, a constant, a splat or another vector.
//!
//! The lanes come out of one vector, of two, or of a constant. Every lane that is not put has to be the base's.

use super::Text;
use super::vectors::Lanes;

/// How many lanes are put, and how far apart.
const CHAINS: [(u32, u32); 4] = [(1, 1), (2, 1), (2, 3), (3, 5)];

/// Insertions and shuffles over each base, for each type of one register.
pub fn functions(text: &mut Text) {
    for vector in super::vectors::LEGAL.into_iter().map(Lanes::new) {
        let bases = [
            ("zero", "zeroinitializer".to_owned()),
            ("constant", vector.numbers(3, 5)),
            ("splat", vector.splat(if vector.lane.starts_with('i') { "-1" } else { "1.5" })),
            ("other", "%b".to_owned()),
        ];
        let wholes = vector.numbers(100, 9);
        let sources = [
            ("one", ["%a", "%a"]),
            ("two", ["%a", "%b"]),
            ("constants", [&*wholes, &*wholes]),
            ("mixed", ["%a", &*wholes]),
        ];
        for (base_name, base) in &bases {
            for (source_name, source) in sources {
                for (chain, (count, step)) in CHAINS.into_iter().enumerate() {
                    let name = format!("{source_name}_into_{base_name}_{chain}");
                    vector.operation(
                        text,
                        &name,
                        &vector.ty,
                        &insertions(&vector, base, source, count, step),
                    );
                }
            }
            // One lane by a mask, the others from the base, and the other way round.
            for (name, own) in [("mask_puts", 1), ("mask_keeps", vector.lanes - 1)] {
                let lanes: Vec<String> = (0..vector.lanes)
                    .map(|lane| {
                        let is_own = (lane + 1) % vector.lanes < own;
                        format!(
                            "i32 {}",
                            if is_own { (lane + 1) % vector.lanes } else { vector.lanes + lane }
                        )
                    })
                    .collect();
                let (ty, mask) = (&vector.ty, lanes.join(", "));
                let body =
                    format!("  %r = shufflevector {ty} %a, {ty} {base}, <{} x i32> <{mask}>\n", vector.lanes);
                vector.operation(text, &format!("{name}_{base_name}"), ty, &body);
            }
        }
    }
}

/// `%r`: lanes of the sources in turn in `base`.
fn insertions(vector: &Lanes, base: &str, sources: [&str; 2], count: u32, step: u32) -> String {
    let Lanes { ty, lane, lanes, .. } = vector;
    let (mut body, mut before) = (String::new(), base.to_owned());
    for n in 0..count {
        let (from, to) = ((1 + n * step) % lanes, (lanes - 1 + n * (step + 1)) % lanes);
        let (source, result) =
            (sources[n as usize % 2], if n + 1 == count { "%r".to_owned() } else { format!("%s{n}") });
        body += &format!(
            "  %l{n} = extractelement {ty} {source}, i32 {from}\n  \
             {result} = insertelement {ty} {before}, {lane} %l{n}, i32 {to}\n"
        );
        before = result;
    }
    body
}
