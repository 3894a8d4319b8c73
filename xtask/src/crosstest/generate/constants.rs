//! Multiplication, division and remainder by many constants: what strength reduction rewrites.

use super::Text;

const WIDTHS: [u32; 4] = [8, 16, 32, 64];

/// Constants around powers of two, small ones, and those whose magic numbers need an extra bit.
fn constants(width: u32) -> Vec<i128> {
    let mut all: Vec<i128> = (2..=26).collect();
    all.extend([
        28,
        31,
        33,
        45,
        60,
        63,
        65,
        81,
        100,
        125,
        127,
        641,
        1000,
        1009,
        3600,
        65_537,
        1_000_000,
        1_000_000_007,
    ]);
    for bit in 5..width {
        let power = 1i128 << bit;
        all.extend([power - 1, power, power + 1].iter().filter(|_| bit % 5 == 0 || bit + 2 >= width));
    }
    all.sort_unstable();
    all.dedup();
    all.retain(|&constant| constant < 1i128 << width);
    all
}

/// All functions.
pub fn functions(text: &mut Text) {
    for width in WIDTHS {
        let ty = format!("i{width}");
        let one = format!("{ty} %a");
        for constant in constants(width) {
            for op in ["udiv", "urem", "mul"] {
                let name = format!("{op}_{ty}_{constant}");
                text.expression(&ty, &name, &one, &format!("{op} {ty} %a, {constant}"));
            }
            if constant >= 1i128 << (width - 1) {
                continue;
            }
            for op in ["sdiv", "srem"] {
                text.expression(
                    &ty,
                    &format!("{op}_{ty}_{constant}"),
                    &one,
                    &format!("{op} {ty} %a, {constant}"),
                );
                let name = format!("{op}_{ty}_minus_{constant}");
                text.expression(&ty, &name, &one, &format!("{op} {ty} %a, -{constant}"));
            }
            text.expression(
                &ty,
                &format!("mul_{ty}_minus_{constant}"),
                &one,
                &format!("mul {ty} %a, -{constant}"),
            );
        }
        for op in ["sdiv", "srem", "udiv", "urem"] {
            let minimum = -(1i128 << (width - 1));
            text.expression(&ty, &format!("{op}_{ty}_minimum"), &one, &format!("{op} {ty} %a, {minimum}"));
            text.expression(&ty, &format!("{op}_{ty}_one"), &one, &format!("{op} {ty} %a, 1"));
        }
        for op in ["sdiv", "udiv"] {
            // What `exact` promises is made true first.
            for constant in [1i128, 3, 4, 6, 12, 24] {
                let body = format!(
                    "  %q = {} {ty} %a, 5\n  %p = mul {ty} %q, {constant}\n  %r = {op} exact {ty} %p, {constant}\n  ret {ty} %r\n",
                    if op == "sdiv" { "ashr" } else { "lshr" }
                );
                text.function(&ty, &format!("{op}_{ty}_exact_{constant}"), &one, &body);
            }
        }
    }
}
