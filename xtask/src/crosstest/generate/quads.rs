//! Numbers of binary128, where LLVM and the library agree on how they are passed.

use super::Text;
use super::floats::PREDICATES;
use crate::toolchain::Target;

pub fn functions(text: &mut Text, target: Target) {
    if !target.is_64() {
        return;
    }
    let (one, both) = ("fp128 %a", "fp128 %a, fp128 %b");
    for op in ["fadd", "fsub", "fmul", "fdiv", "frem"] {
        text.expression("fp128", &format!("{op}_q"), both, &format!("{op} fp128 %a, %b"));
    }
    let lanes = "<2 x fp128> %a, <2 x fp128> %b";
    text.expression("fp128", "fneg_q", one, "fneg fp128 %a");
    text.expression("<2 x fp128>", "fneg_v2q", "<2 x fp128> %a", "fneg <2 x fp128> %a");
    text.expression("<2 x fp128>", "fadd_v2q", lanes, "fadd <2 x fp128> %a, %b");
    for predicate in PREDICATES {
        let compared = format!("fcmp {predicate}");
        text.expression("i1", &format!("{predicate}_q"), both, &format!("{compared} fp128 %a, %b"));
        let taken = format!(
            "  %c = {compared} <2 x fp128> %a, %b\n  \
             %r = select <2 x i1> %c, <2 x fp128> %a, <2 x fp128> %b\n  ret <2 x fp128> %r\n"
        );
        text.function("<2 x fp128>", &format!("{predicate}_v2q"), lanes, &taken);
    }
    for ty in ["half", "bfloat", "float", "double", "x86_fp80"] {
        // LLVM has no code for a bfloat that becomes a quad on AArch64.
        let is_missing =
            ty == "x86_fp80" && target != Target::X86_64 || ty == "bfloat" && target == Target::Aarch64;
        if is_missing {
            continue;
        }
        let (of, name) = (format!("{ty} %a"), format!("extend_{ty}_q"));
        // Halves are no scalars of the driver.
        if !matches!(ty, "half" | "bfloat") {
            text.expression("fp128", &name, &of, &format!("fpext {ty} %a to fp128"));
            text.expression(ty, &format!("truncate_q_{ty}"), one, &format!("fptrunc fp128 %a to {ty}"));
            continue;
        }
        let bits = format!("  %h = bitcast i16 %a to {ty}\n  %r = fpext {ty} %h to fp128\n  ret fp128 %r\n");
        text.function("fp128", &name, "i16 %a", &bits);
    }
    let bits = "  %h = fptrunc fp128 %a to half\n  %r = bitcast half %h to i16\n  ret i16 %r\n";
    text.function("i16", "truncate_q_half", one, bits);
    for width in [1, 7, 8, 16, 24, 31, 32, 33, 48, 63, 64, 65, 100, 127, 128] {
        for (to, of, saturated) in [("si", "sitofp", "fptosi"), ("ui", "uitofp", "fptoui")] {
            let name = format!("{of}_i{width}_q");
            text.expression("fp128", &name, &format!("i{width} %a"), &format!("{of} i{width} %a to fp128"));
            // What is beyond the width is nothing without saturation.
            let intrinsic = format!("i{width} @llvm.{saturated}.sat.i{width}.f128(fp128");
            text.declare(&format!("{intrinsic})"));
            let name = format!("saturated_q_{to}{width}");
            text.expression(&format!("i{width}"), &name, one, &format!("call {intrinsic} %a)"));
        }
    }
    for name in ["fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven"] {
        text.declare(&format!("fp128 @llvm.{name}.f128(fp128)"));
        text.expression(
            "fp128",
            &format!("{name}_q"),
            one,
            &format!("call fp128 @llvm.{name}.f128(fp128 %a)"),
        );
    }
    text.declare("<2 x fp128> @llvm.floor.v2f128(<2 x fp128>)");
    let floor = "call <2 x fp128> @llvm.floor.v2f128(<2 x fp128> %a)";
    text.expression("<2 x fp128>", "floor_v2q", "<2 x fp128> %a", floor);
    for name in ["copysign", "minnum", "maxnum"] {
        text.declare(&format!("fp128 @llvm.{name}.f128(fp128, fp128)"));
        let call = format!("call fp128 @llvm.{name}.f128(fp128 %a, fp128 %b)");
        text.expression("fp128", &format!("{name}_q"), both, &call);
    }
    for name in ["fma", "fmuladd"] {
        text.declare(&format!("fp128 @llvm.{name}.f128(fp128, fp128, fp128)"));
        let call = format!("call fp128 @llvm.{name}.f128(fp128 %a, fp128 %b, fp128 %c)");
        text.expression("fp128", &format!("{name}_q"), &format!("{both}, fp128 %c"), &call);
    }
    text.declare("i1 @llvm.is.fpclass.f128(fp128, i32)");
    for mask in [1, 2, 3, 4, 8, 16, 32, 64, 96, 128, 256, 264, 512, 516, 504, 1020] {
        let call = format!("call i1 @llvm.is.fpclass.f128(fp128 %a, i32 {mask})");
        text.expression("i1", &format!("is_class_{mask}_q"), one, &call);
    }
    for ty in ["i128", "<2 x i64>", "<4 x i32>", "<16 x i8>"] {
        let name = ty.replace(['<', '>', ' '], "");
        text.expression(ty, &format!("bits_q_{name}"), one, &format!("bitcast fp128 %a to {ty}"));
        let back = format!("bitcast {ty} %a to fp128");
        text.expression("fp128", &format!("bits_{name}_q"), &format!("{ty} %a"), &back);
    }
    text.expression("<4 x i64>", "bits_v2q", "<2 x fp128> %a", "bitcast <2 x fp128> %a to <4 x i64>");
    text.expression("fp128", "lane_q", "<2 x fp128> %a, i1 %i", "extractelement <2 x fp128> %a, i1 %i");
    text.expression(
        "<2 x fp128>",
        "with_lane_q",
        "<2 x fp128> %a, fp128 %b, i1 %i",
        "insertelement <2 x fp128> %a, fp128 %b, i1 %i",
    );
    let constants = "<fp128 0xL00000000000000007FFF800000000000, fp128 0xL123456789ABCDEF03FFF000000000001>";
    text.expression(
        "<2 x fp128>",
        "constants_v2q",
        "i1 %c",
        &format!("select i1 %c, <2 x fp128> {constants}, <2 x fp128> zeroinitializer"),
    );
    let picked = format!("i1 %c, {both}");
    text.expression("fp128", "select_q", &picked, "select i1 %c, fp128 %a, fp128 %b");
    let loaded = "  store volatile fp128 %a, ptr %p, align 1\n  %r = load volatile fp128, ptr %p, align 1\n  ret fp128 %r\n";
    text.function("fp128", "memory_q", "ptr %p, fp128 %a", loaded);
}
