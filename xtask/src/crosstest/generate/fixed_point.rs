//! Products and quotients of fixed-point numbers, whole, halved and of the greatest scale.

use super::Text;

/// Widths whose quotients LLVM computes on every target.
const NARROW: [u32; 6] = [8, 12, 16, 24, 30, 31];
/// Widths of products alone, without saturated unsigned ones: LLVM's are wrong on targets of 32 bits.
const WIDE: [u32; 3] = [32, 48, 64];

/// Every function.
pub fn functions(text: &mut Text) {
    for width in NARROW.into_iter().chain(WIDE) {
        let ty = format!("i{width}");
        for (sign, right) in [("s", "ashr"), ("u", "lshr")] {
            for scale in [0, 1, width / 2, width - 1] {
                // A quotient fits if the dividend does, moved to the left by the scale.
                let (half, room) = (width / 2, (scale + 1).min(width - 1));
                let is_nothing = format!("  %z = icmp eq {ty} %b, 0\n  %d = select i1 %z, {ty} 1, {ty} %b\n");
                let fits = format!("{is_nothing}  %x = {right} {ty} %a, {room}\n");
                let halves = format!("  %x = {right} {ty} %a, {half}\n  %y = {right} {ty} %b, {half}\n");
                let calls = [
                    ("mul.fix", halves, "%x", "%y"),
                    ("mul.fix.sat", String::new(), "%a", "%b"),
                    ("div.fix", fits, "%x", "%d"),
                    ("div.fix.sat", is_nothing, "%a", "%d"),
                ];
                let is_tested = |op: &str| {
                    NARROW.contains(&width) || op == "mul.fix" || (sign, op) == ("s", "mul.fix.sat")
                };
                for (op, guard, x, y) in calls.iter().filter(|call| is_tested(call.0)) {
                    let call = format!("@llvm.{sign}{op}.{ty}");
                    text.declare(&format!("{ty} {call}({ty}, {ty}, i32)"));
                    text.function(
                        &ty,
                        &format!("{sign}{op}_{ty}_{scale}"),
                        &format!("{ty} %a, {ty} %b"),
                        &format!(
                            "{guard}  %r = call {ty} {call}({ty} {x}, {ty} {y}, i32 {scale})\n  ret {ty} %r\n"
                        ),
                    );
                }
            }
        }
    }
}
