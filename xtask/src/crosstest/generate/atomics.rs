//! Atomic operations of every width and order, and fences. One thread: only the values are tested.

use super::Text;
use crate::toolchain::Target;

const ORDERS: [&str; 5] = ["monotonic", "acquire", "release", "acq_rel", "seq_cst"];

/// All functions.
pub fn functions(target: Target, text: &mut Text) {
    let mut widths = vec![("i8", 1), ("i16", 2), ("i32", 4), ("i64", 8)];
    if target.is_64() {
        // Through libatomic.
        widths.push(("i128", 16));
    }
    for (ty, align) in widths {
        let value = format!("ptr %p, {ty} %a");
        for op in ["xchg", "add", "sub", "and", "or", "xor", "nand", "max", "min", "umax", "umin"] {
            // libatomic has no functions for the others.
            if ty == "i128" && ["nand", "max", "min", "umax", "umin"].contains(&op) {
                continue;
            }
            for order in ORDERS {
                text.expression(
                    ty,
                    &format!("{op}_{ty}_{order}"),
                    &value,
                    &format!("atomicrmw {op} ptr %p, {ty} %a {order}, align {align}"),
                );
            }
            text.function(
                "void",
                &format!("{op}_{ty}_unused"),
                &value,
                &format!("  %r = atomicrmw {op} ptr %p, {ty} %a seq_cst, align {align}\n  ret void\n"),
            );
            text.function(
                ty,
                &format!("{op}_{ty}_new"),
                &value,
                &format!("  %r = atomicrmw volatile {op} ptr %p, {ty} 3 seq_cst, align {align}\n  %s = sub {ty} %r, %a\n  ret {ty} %s\n"),
            );
        }
        for order in ["unordered", "monotonic", "acquire", "seq_cst"] {
            text.expression(
                ty,
                &format!("load_{ty}_{order}"),
                "ptr %p",
                &format!("load atomic {ty}, ptr %p {order}, align {align}"),
            );
        }
        for order in ["unordered", "monotonic", "release", "seq_cst"] {
            text.function(
                "void",
                &format!("store_{ty}_{order}"),
                &value,
                &format!("  store atomic {ty} %a, ptr %p {order}, align {align}\n  ret void\n"),
            );
        }
        for (strength, name) in [("", "strong"), ("weak", "weak")] {
            for (success, failure) in [
                ("monotonic", "monotonic"),
                ("acquire", "monotonic"),
                ("acq_rel", "acquire"),
                ("seq_cst", "seq_cst"),
            ] {
                // A weak exchange may fail for no reason, but not on x86; on the first, half of the calls succeed.
                let pair = format!("{{ {ty}, i1 }}");
                text.function(
                    ty,
                    &format!("cmpxchg_{name}_{ty}_{success}"),
                    &format!("ptr %p, ptr %out, {ty} %a, {ty} %b, i1 %equal"),
                    &format!(
                        "  %now = load {ty}, ptr %p\n  %e = select i1 %equal, {ty} %now, {ty} %a\n  \
                         %x = cmpxchg {strength} ptr %p, {ty} %e, {ty} %b {success} {failure}, align {align}\n  \
                         %o = extractvalue {pair} %x, 1\n  %z = zext i1 %o to i8\n  store i8 %z, ptr %out\n  \
                         %r = extractvalue {pair} %x, 0\n  ret {ty} %r\n"
                    ),
                );
            }
        }
        text.function(
            ty,
            &format!("cmpxchg_branch_{ty}"),
            &format!("ptr %p, {ty} %a"),
            &format!(
                "entry:\n  %first = load atomic {ty}, ptr %p monotonic, align {align}\n  br label %again\nagain:\n  \
                 %old = phi {ty} [ %first, %entry ], [ %seen, %again ]\n  %new = mul {ty} %old, %a\n  \
                 %x = cmpxchg ptr %p, {ty} %old, {ty} %new seq_cst seq_cst, align {align}\n  \
                 %seen = extractvalue {{ {ty}, i1 }} %x, 0\n  %o = extractvalue {{ {ty}, i1 }} %x, 1\n  \
                 br i1 %o, label %end, label %again\nend:\n  ret {ty} %new\n"
            ),
        );
    }
    for order in &ORDERS[1..] {
        text.function(
            "i32",
            &format!("fence_{order}"),
            "ptr %p, i32 %a",
            &format!("  store i32 %a, ptr %p\n  fence {order}\n  %r = load i32, ptr %p\n  ret i32 %r\n"),
        );
        text.function(
            "i32",
            &format!("fence_single_{order}"),
            "ptr %p, i32 %a",
            &format!("  store i32 %a, ptr %p\n  fence syncscope(\"singlethread\") {order}\n  %r = load i32, ptr %p\n  ret i32 %r\n"),
        );
    }
}
