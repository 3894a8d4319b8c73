//! Integer arithmetic, comparisons, casts and bit manipulation, for any widths.

use super::Text;
use crate::toolchain::Target;
use std::collections::BTreeSet;

const PREDICATES: [&str; 10] = ["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"];

/// The smallest number of a width.
fn minimum(width: u32) -> String {
    (i128::MIN >> (128 - width)).to_string()
}

/// Instructions that make `%d` of `%b`, a divisor of `%a` with a defined result.
fn divisor(width: u32, is_signed: bool) -> String {
    let zero = format!("  %z = icmp eq i{width} %b, 0\n");
    if !is_signed {
        return format!("{zero}  %d = select i1 %z, i{width} 1, i{width} %b\n");
    }
    format!(
        "{zero}  %m = icmp eq i{width} %a, {}\n  %n = icmp eq i{width} %b, -1\n  %o = and i1 %m, %n\n  \
         %w = or i1 %z, %o\n  %d = select i1 %w, i{width} 1, i{width} %b\n",
        minimum(width)
    )
}

/// Every binary operation, also with a constant on each side and on a value that was just computed.
pub fn arithmetic(text: &mut Text, widths: &[u32]) {
    for &width in widths {
        let ty = format!("i{width}");
        let both = format!("{ty} %a, {ty} %b");
        for op in ["add", "sub", "mul", "and", "or", "xor"] {
            text.expression(&ty, &format!("{op}_{ty}"), &both, &format!("{op} {ty} %a, %b"));
            text.expression(
                &ty,
                &format!("{op}_{ty}_self"),
                &format!("{ty} %a"),
                &format!("{op} {ty} %a, %a"),
            );
            for (index, constant) in ["1", "-1", &minimum(width), &(1i128 << (width / 2)).to_string()]
                .iter()
                .enumerate()
                .filter(|&(index, _)| width > 1 || index == 1)
            {
                text.expression(
                    &ty,
                    &format!("{op}_{ty}_constant_{index}"),
                    &format!("{ty} %a"),
                    &format!("{op} {ty} %a, {constant}"),
                );
                text.expression(
                    &ty,
                    &format!("{op}_{ty}_of_constant_{index}"),
                    &format!("{ty} %a"),
                    &format!("{op} {ty} {constant}, %a"),
                );
            }
            text.function(
                &ty,
                &format!("{op}_{ty}_chain"),
                &format!("{ty} %a, {ty} %b, {ty} %c"),
                &format!("  %x = {op} {ty} %a, %b\n  %y = sub {ty} %c, %x\n  %r = {op} {ty} %y, %x\n  ret {ty} %r\n"),
            );
        }
        for op in ["shl", "lshr", "ashr"].iter().filter(|_| width > 1) {
            let body = format!(
                "  %c = icmp ult {ty} %b, {width}\n  %s = {op} {ty} %a, %b\n  %r = select i1 %c, {ty} %s, {ty} %a\n  \
                 ret {ty} %r\n"
            );
            text.function(&ty, &format!("{op}_{ty}"), &both, &body);
            let amounts = BTreeSet::from([0, 1, width / 2, width - 2, width - 1]);
            for amount in amounts {
                let name = format!("{op}_{ty}_by_{amount}");
                text.expression(&ty, &name, &format!("{ty} %a"), &format!("{op} {ty} %a, {amount}"));
            }
        }
        for (op, is_signed) in [("udiv", false), ("urem", false), ("sdiv", true), ("srem", true)] {
            if width == 1 && is_signed {
                continue;
            }
            let body = format!("{}  %r = {op} {ty} %a, %d\n  ret {ty} %r\n", divisor(width, is_signed));
            text.function(&ty, &format!("{op}_{ty}"), &both, &body);
        }
    }
}

/// Every comparison as a value, in a select, in a branch, and with zero.
pub fn compares(text: &mut Text, widths: &[u32]) {
    for &width in widths {
        let ty = format!("i{width}");
        let both = format!("{ty} %a, {ty} %b");
        for predicate in PREDICATES {
            let name = format!("{predicate}_{ty}");
            let compare = format!("  %c = icmp {predicate} {ty} %a, %b\n");
            text.expression("i1", &name, &both, &format!("icmp {predicate} {ty} %a, %b"));
            text.function(
                "i32",
                &format!("{name}_sext"),
                &both,
                &format!("{compare}  %r = sext i1 %c to i32\n  ret i32 %r\n"),
            );
            text.function(
                &ty,
                &format!("{name}_select"),
                &format!("{both}, {ty} %x, {ty} %y"),
                &format!("{compare}  %r = select i1 %c, {ty} %x, {ty} %y\n  ret {ty} %r\n"),
            );
            text.function(
                &ty,
                &format!("{name}_branch"),
                &both,
                &format!(
                    "{compare}  br i1 %c, label %yes, label %no\nyes:\n  %e = add {ty} %a, %b\n  br label %end\nno:\n  \
                     %f = xor {ty} %a, %b\n  br label %end\nend:\n  %r = phi {ty} [ %e, %yes ], [ %f, %no ]\n  ret {ty} %r\n"
                ),
            );
            text.expression(
                "i1",
                &format!("{name}_zero"),
                &format!("{ty} %a"),
                &format!("icmp {predicate} {ty} %a, 0"),
            );
            text.function(
                "i1",
                &format!("{name}_of_sum"),
                &both,
                &format!("  %s = add {ty} %a, %b\n  %r = icmp {predicate} {ty} %s, %a\n  ret i1 %r\n"),
            );
            text.function(
                "i1",
                &format!("{name}_of_and"),
                &both,
                &format!("  %s = and {ty} %a, %b\n  %r = icmp {predicate} {ty} %s, 0\n  ret i1 %r\n"),
            );
        }
        text.function(
            &ty,
            &format!("select_{ty}"),
            &format!("i1 %c, {both}"),
            &format!("  %r = select i1 %c, {ty} %a, {ty} %b\n  ret {ty} %r\n"),
        );
    }
}

/// All casts between the widths, of parameters and of sums.
pub fn casts(text: &mut Text, widths: &[u32]) {
    for &from in widths {
        for &to in widths.iter().filter(|&&to| to != from) {
            let (from_ty, to_ty) = (format!("i{from}"), format!("i{to}"));
            let ops: &[&str] = if from > to { &["trunc"] } else { &["zext", "sext"] };
            for op in ops {
                let name = format!("{op}_{from_ty}_{to_ty}");
                text.expression(
                    &to_ty,
                    &name,
                    &format!("{from_ty} %a"),
                    &format!("{op} {from_ty} %a to {to_ty}"),
                );
                text.function(
                    &to_ty,
                    &format!("{name}_of_sum"),
                    &format!("{from_ty} %a, {from_ty} %b, {to_ty} %c"),
                    &format!(
                        "  %s = add {from_ty} %a, %b\n  %t = {op} {from_ty} %s to {to_ty}\n  %r = xor {to_ty} %t, %c\n  \
                         ret {to_ty} %r\n"
                    ),
                );
            }
        }
    }
}

/// Bit counts, swaps, rotates, minimum and maximum, saturation, overflow.
pub fn bits(text: &mut Text, target: Target, widths: &[u32]) {
    for &width in widths {
        let ty = format!("i{width}");
        let (one, both) = (format!("{ty} %a"), format!("{ty} %a, {ty} %b"));
        for name in ["ctpop", "bitreverse", "bswap"] {
            if name == "bswap" && !width.is_multiple_of(16) {
                continue;
            }
            text.declare(&format!("{ty} @llvm.{name}.{ty}({ty})"));
            text.expression(
                &ty,
                &format!("{name}_{ty}"),
                &one,
                &format!("call {ty} @llvm.{name}.{ty}({ty} %a)"),
            );
        }
        for name in ["ctlz", "cttz", "abs"] {
            text.declare(&format!("{ty} @llvm.{name}.{ty}({ty}, i1)"));
            text.expression(
                &ty,
                &format!("{name}_{ty}"),
                &one,
                &format!("call {ty} @llvm.{name}.{ty}({ty} %a, i1 false)"),
            );
            // Bit 0 for ctlz, the highest bit for cttz and its absence for abs make the flag harmless.
            let guard = match name {
                "ctlz" => format!("  %g = or {ty} %a, 1\n"),
                "cttz" => format!("  %g = or {ty} %a, {}\n", minimum(width)),
                _ => format!("  %g = ashr {ty} %a, 1\n"),
            };
            text.function(
                &ty,
                &format!("{name}_{ty}_guarded"),
                &one,
                &format!("{guard}  %r = call {ty} @llvm.{name}.{ty}({ty} %g, i1 true)\n  ret {ty} %r\n"),
            );
        }
        for name in ["smax", "smin", "umax", "umin", "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat"] {
            text.declare(&format!("{ty} @llvm.{name}.{ty}({ty}, {ty})"));
            text.expression(
                &ty,
                &format!("{name}_{ty}"),
                &both,
                &format!("call {ty} @llvm.{name}.{ty}({ty} %a, {ty} %b)"),
            );
        }
        for name in ["sshl.sat", "ushl.sat"] {
            text.declare(&format!("{ty} @llvm.{name}.{ty}({ty}, {ty})"));
            text.function(
                &ty,
                &format!("{name}_{ty}"),
                &both,
                &format!(
                    "  %c = icmp ult {ty} %b, {width}\n  %d = select i1 %c, {ty} %b, {ty} 1\n  \
                     %r = call {ty} @llvm.{name}.{ty}({ty} %a, {ty} %d)\n  ret {ty} %r\n"
                ),
            );
        }
        for name in ["sadd", "uadd", "ssub", "usub", "smul", "umul"] {
            // LLVM calls a function for it that is in its own library only.
            if name == "smul" && width > 64 && target == Target::Aarch64 {
                continue;
            }
            let pair = format!("{{ {ty}, i1 }}");
            text.declare(&format!("{pair} @llvm.{name}.with.overflow.{ty}({ty}, {ty})"));
            let call = format!("  %p = call {pair} @llvm.{name}.with.overflow.{ty}({ty} %a, {ty} %b)\n");
            text.function(
                &ty,
                &format!("{name}_overflow_{ty}"),
                &format!("{both}, ptr %out"),
                &format!(
                    "{call}  %r = extractvalue {pair} %p, 0\n  %o = extractvalue {pair} %p, 1\n  %e = zext i1 %o to i8\n  \
                     store i8 %e, ptr %out\n  ret {ty} %r\n"
                ),
            );
            text.function(
                &ty,
                &format!("{name}_overflow_{ty}_branch"),
                &both,
                &format!(
                    "{call}  %o = extractvalue {pair} %p, 1\n  br i1 %o, label %yes, label %no\nyes:\n  ret {ty} %b\nno:\n  \
                     %r = extractvalue {pair} %p, 0\n  ret {ty} %r\n"
                ),
            );
        }
        for name in ["fshl", "fshr"] {
            text.declare(&format!("{ty} @llvm.{name}.{ty}({ty}, {ty}, {ty})"));
            text.expression(
                &ty,
                &format!("{name}_{ty}"),
                &format!("{both}, {ty} %c"),
                &format!("call {ty} @llvm.{name}.{ty}({ty} %a, {ty} %b, {ty} %c)"),
            );
            text.expression(
                &ty,
                &format!("{name}_{ty}_rotate"),
                &format!("{ty} %a, {ty} %c"),
                &format!("call {ty} @llvm.{name}.{ty}({ty} %a, {ty} %a, {ty} %c)"),
            );
            for amount in [0, 1, 3, width - 1] {
                if width <= 4 {
                    continue;
                }
                text.expression(
                    &ty,
                    &format!("{name}_{ty}_by_{amount}"),
                    &both,
                    &format!("call {ty} @llvm.{name}.{ty}({ty} %a, {ty} %b, {ty} {amount})"),
                );
            }
        }
        for name in ["scmp", "ucmp"] {
            text.declare(&format!("i8 @llvm.{name}.i8.{ty}({ty}, {ty})"));
            text.expression(
                "i8",
                &format!("{name}_{ty}"),
                &both,
                &format!("call i8 @llvm.{name}.i8.{ty}({ty} %a, {ty} %b)"),
            );
        }
    }
}
