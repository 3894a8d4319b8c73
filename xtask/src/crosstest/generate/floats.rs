//! Floating-point arithmetic, comparisons, conversions and library functions.

use super::Text;
use crate::toolchain::Target;

const TYPES: [(&str, &str, u32); 2] = [("float", "f32", 24), ("double", "f64", 53)];
pub const PREDICATES: [&str; 16] = [
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
    "uno", "true",
];

/// The intrinsics for products with sums whose results are known: LLVM's own code for AArch64 rounds those of the other once
/// or twice, as its level says.
pub fn products_with_sums(target: Target) -> &'static [&'static str] {
    if target == Target::Aarch64 { &["fma"] } else { &["fma", "fmuladd"] }
}

/// The four operations, remainder, negation, and constants on either side.
pub fn arithmetic(text: &mut Text) {
    for (ty, short, _) in TYPES {
        let both = format!("{ty} %a, {ty} %b");
        for op in ["fadd", "fsub", "fmul", "fdiv", "frem"] {
            text.expression(ty, &format!("{op}_{short}"), &both, &format!("{op} {ty} %a, %b"));
            for (index, constant) in
                ["0.0", "-0.0", "1.0", "-1.0", "0.5", "3.0", "0x7FF0000000000000"].iter().enumerate()
            {
                let one = format!("{ty} %a");
                let name = format!("{op}_{short}_constant_{index}");
                text.expression(ty, &name, &one, &format!("{op} {ty} %a, {constant}"));
                let name = format!("{op}_{short}_of_constant_{index}");
                text.expression(ty, &name, &one, &format!("{op} {ty} {constant}, %a"));
            }
            text.function(
                ty,
                &format!("{op}_{short}_chain"),
                &format!("{both}, {ty} %c"),
                &format!("  %x = {op} {ty} %a, %b\n  %y = fadd {ty} %x, %c\n  %r = {op} {ty} %c, %y\n  ret {ty} %r\n"),
            );
        }
        text.expression(ty, &format!("fneg_{short}"), &format!("{ty} %a"), &format!("fneg {ty} %a"));
        // The sign of a NaN, too, is a bit.
        let bits = if short == "f32" { "i32" } else { "i64" };
        text.function(
            bits,
            &format!("fneg_{short}_bits"),
            &format!("{bits} %a"),
            &format!("  %f = bitcast {bits} %a to {ty}\n  %n = fneg {ty} %f\n  %r = bitcast {ty} %n to {bits}\n  ret {bits} %r\n"),
        );
        text.expression(
            bits,
            &format!("bits_{short}"),
            &format!("{ty} %a"),
            &format!("bitcast {ty} %a to {bits}"),
        );
        text.expression(
            ty,
            &format!("from_bits_{short}"),
            &format!("{bits} %a"),
            &format!("bitcast {bits} %a to {ty}"),
        );
        for (index, constant) in
            ["0.0", "-0.0", "1.5", "0x7FF8000000000000", "0xFFF0000000000000"].iter().enumerate()
        {
            text.function(ty, &format!("constant_{short}_{index}"), "", &format!("  ret {ty} {constant}\n"));
        }
    }
}

/// Every predicate as a value, in a select and in a branch, and with the same value twice.
pub fn compares(text: &mut Text) {
    for (ty, short, _) in TYPES {
        let both = format!("{ty} %a, {ty} %b");
        for predicate in PREDICATES {
            let name = format!("{predicate}_{short}");
            let compare = format!("  %c = fcmp {predicate} {ty} %a, %b\n");
            text.expression("i1", &name, &both, &format!("fcmp {predicate} {ty} %a, %b"));
            text.expression(
                "i1",
                &format!("{name}_self"),
                &format!("{ty} %a"),
                &format!("fcmp {predicate} {ty} %a, %a"),
            );
            text.expression(
                "i1",
                &format!("{name}_zero"),
                &format!("{ty} %a"),
                &format!("fcmp {predicate} {ty} %a, 0.0"),
            );
            for value in [ty, "i32", "i64"] {
                text.function(
                    value,
                    &format!("{name}_select_{value}"),
                    &format!("{both}, {value} %x, {value} %y"),
                    &format!("{compare}  %r = select i1 %c, {value} %x, {value} %y\n  ret {value} %r\n"),
                );
            }
            text.function(
                ty,
                &format!("{name}_minimum"),
                &both,
                &format!("{compare}  %r = select i1 %c, {ty} %a, {ty} %b\n  ret {ty} %r\n"),
            );
            text.function(
                "i32",
                &format!("{name}_branch"),
                &both,
                &format!(
                    "{compare}  br i1 %c, label %yes, label %no\nyes:\n  ret i32 11\nno:\n  ret i32 22\n"
                ),
            );
            text.function(
                "i32",
                &format!("{name}_branch_other"),
                &both,
                &format!(
                    "{compare}  br i1 %c, label %no, label %yes\nyes:\n  ret i32 11\nno:\n  ret i32 22\n"
                ),
            );
        }
    }
}

/// Conversions to and from integers, guarded where they are undefined, and between the types.
pub fn casts(text: &mut Text) {
    text.expression("double", "fpext", "float %a", "fpext float %a to double");
    text.expression("float", "fptrunc", "double %a", "fptrunc double %a to float");
    for (ty, short, digits) in TYPES {
        for width in [1u32, 8, 16, 24, 32, 33, 48, 64] {
            let int = format!("i{width}");
            for op in ["sitofp", "uitofp"] {
                text.expression(
                    ty,
                    &format!("{op}_{int}_{short}"),
                    &format!("{int} %a"),
                    &format!("{op} {int} %a to {ty}"),
                );
                let body = format!("  %s = add {int} %a, %b\n  %r = {op} {int} %s to {ty}\n  ret {ty} %r\n");
                text.function(
                    ty,
                    &format!("{op}_{int}_{short}_of_sum"),
                    &format!("{int} %a, {int} %b"),
                    &body,
                );
            }
            if width == 1 {
                continue;
            }
            // In range is what lies above the minimum less 1, if the type has the digits for that, and below a power of two.
            let least = -(2f64.powi(width as i32 - 1));
            let (low, below) = if width <= digits { ("ogt", least - 1.0) } else { ("oge", least) };
            for (op, low, below, bits) in [("fptosi", low, below, width - 1), ("fptoui", "ogt", -1.0, width)]
            {
                let (below, above) = (format!("{below:.1}"), format!("{:.1}", 2f64.powi(bits as i32)));
                let body = format!(
                    "  %l = fcmp {low} {ty} %a, {below}\n  %h = fcmp olt {ty} %a, {above}\n  %c = and i1 %l, %h\n  \
                     %d = select i1 %c, {ty} %a, {ty} 1.0\n  %r = {op} {ty} %d to {int}\n  ret {int} %r\n"
                );
                text.function(&int, &format!("{op}_{short}_{int}"), &format!("{ty} %a"), &body);
            }
            for name in ["fptosi", "fptoui"] {
                if ![8, 16, 32, 64].contains(&width) {
                    continue;
                }
                text.declare(&format!("{int} @llvm.{name}.sat.{int}.{short}({ty})"));
                text.expression(
                    &int,
                    &format!("{name}_sat_{short}_{int}"),
                    &format!("{ty} %a"),
                    &format!("call {int} @llvm.{name}.sat.{int}.{short}({ty} %a)"),
                );
            }
        }
    }
}

/// Intrinsics on floats.
pub fn intrinsics(text: &mut Text, target: Target) {
    for (ty, short, _) in TYPES {
        let one = format!("{ty} %a");
        for name in ["fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven"] {
            text.declare(&format!("{ty} @llvm.{name}.{short}({ty})"));
            text.expression(
                ty,
                &format!("{name}_{short}"),
                &one,
                &format!("call {ty} @llvm.{name}.{short}({ty} %a)"),
            );
        }
        let both = format!("{ty} %a, {ty} %b");
        text.declare(&format!("{ty} @llvm.copysign.{short}({ty}, {ty})"));
        text.expression(
            ty,
            &format!("copysign_{short}"),
            &both,
            &format!("call {ty} @llvm.copysign.{short}({ty} %a, {ty} %b)"),
        );
        for name in ["minnum", "maxnum"] {
            // Of two zeros either may come: the sum with zero has one sign.
            text.declare(&format!("{ty} @llvm.{name}.{short}({ty}, {ty})"));
            text.function(
                ty,
                &format!("{name}_{short}"),
                &both,
                &format!("  %m = call {ty} @llvm.{name}.{short}({ty} %a, {ty} %b)\n  %r = fadd {ty} %m, 0.0\n  ret {ty} %r\n"),
            );
        }
        // llc-19 has no classes of doubles for ARM, with which it tells zeros from each other.
        let has_classes = short == "f32" || target != Target::Armv7;
        let of_zeros: &[&str] = if has_classes { &["minimum", "maximum"] } else { &[] };
        for name in of_zeros {
            text.declare(&format!("{ty} @llvm.{name}.{short}({ty}, {ty})"));
            text.expression(
                ty,
                &format!("{name}_{short}"),
                &both,
                &format!("call {ty} @llvm.{name}.{short}({ty} %a, {ty} %b)"),
            );
        }
        for name in products_with_sums(target) {
            text.declare(&format!("{ty} @llvm.{name}.{short}({ty}, {ty}, {ty})"));
            let arguments = format!("{both}, {ty} %c");
            let call =
                |a: &str, c: &str| format!("call {ty} @llvm.{name}.{short}({ty} {a}, {ty} %b, {ty} {c})");
            text.expression(ty, &format!("{name}_{short}"), &arguments, &call("%a", "%c"));
            for (signs, a, c) in [("np", "%x", "%c"), ("pn", "%a", "%y"), ("nn", "%x", "%y")] {
                let call = call(a, c);
                let body =
                    format!("  %x = fneg {ty} %a\n  %y = fneg {ty} %c\n  %r = {call}\n  ret {ty} %r\n");
                text.function(ty, &format!("{name}_{signs}_{short}"), &arguments, &body);
            }
        }
        let masks: &[u32] = match has_classes {
            true => &[1, 2, 3, 4, 8, 16, 32, 64, 96, 128, 256, 264, 512, 516, 504],
            false => &[],
        };
        for mask in masks {
            // A signalling NaN is not among the values.
            text.declare(&format!("i1 @llvm.is.fpclass.{short}({ty}, i32)"));
            text.expression(
                "i1",
                &format!("is_class_{mask}_{short}"),
                &one,
                &format!("call i1 @llvm.is.fpclass.{short}({ty} %a, i32 {mask})"),
            );
        }
        for name in ["lround", "llround", "lrint", "llrint"] {
            let body = format!(
                "  %l = fcmp ogt {ty} %a, -2000000.0\n  %h = fcmp olt {ty} %a, 2000000.0\n  %c = and i1 %l, %h\n  \
                 %d = select i1 %c, {ty} %a, {ty} 2.5\n  %r = call i64 @llvm.{name}.i64.{short}({ty} %d)\n  ret i64 %r\n"
            );
            if name.starts_with("ll") {
                text.declare(&format!("i64 @llvm.{name}.i64.{short}({ty})"));
                text.function("i64", &format!("{name}_{short}"), &one, &body);
            }
        }
    }
}

/// The 80-bit type of the x87.
pub fn extended(text: &mut Text, target: Target) {
    if matches!(target, Target::Armv7 | Target::Mipsel | Target::Aarch64) {
        return;
    }
    let both = "x86_fp80 %a, x86_fp80 %b";
    for op in ["fadd", "fsub", "fmul", "fdiv"] {
        text.expression("x86_fp80", &format!("{op}_x"), both, &format!("{op} x86_fp80 %a, %b"));
    }
    text.expression("x86_fp80", "fneg_x", "x86_fp80 %a", "fneg x86_fp80 %a");
    for predicate in PREDICATES {
        text.expression("i1", &format!("{predicate}_x"), both, &format!("fcmp {predicate} x86_fp80 %a, %b"));
    }
    for ty in ["float", "double"] {
        text.expression(
            "x86_fp80",
            &format!("extend_{ty}_x"),
            &format!("{ty} %a"),
            &format!("fpext {ty} %a to x86_fp80"),
        );
        text.expression(
            ty,
            &format!("truncate_x_{ty}"),
            "x86_fp80 %a",
            &format!("fptrunc x86_fp80 %a to {ty}"),
        );
    }
    for width in [16, 32, 64] {
        for op in ["sitofp", "uitofp"] {
            let name = format!("{op}_i{width}_x");
            text.expression(
                "x86_fp80",
                &name,
                &format!("i{width} %a"),
                &format!("{op} i{width} %a to x86_fp80"),
            );
        }
    }
    text.function(
        "x86_fp80",
        "select_x",
        &format!("i1 %c, {both}"),
        "  %r = select i1 %c, x86_fp80 %a, x86_fp80 %b\n  ret x86_fp80 %r\n",
    );
}
