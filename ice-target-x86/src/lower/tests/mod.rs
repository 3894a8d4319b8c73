//! Which machine instructions a few IR instructions become. What they compute, the tests that execute them on
//! virtual registers show, and those of the driver.

extern crate std;

pub(super) mod machine;
mod pairs;
mod phis;

use crate::inst::Inst;
use crate::target::X86;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ice_asm::x86::{Mode, Width};
use ice_codegen::mach::{MachInst as _, Remat, VReg};
use ice_codegen::{CodeModel, Confinement, ForeignModule, NativeModel, testing};
use ice_ir::{Type, parse_program};

/// The names of the machine instructions of a function with these parameters, constants and body, without
/// `Params`, copies and what ends it.
fn lowered(mode: Mode, params: &str, ret: &str, constants: &str, body: &str) -> Vec<String> {
    lowered_for(
        X86 { mode, model: CodeModel::Pnacl, confinement: Confinement::None, tracks_branches: false },
        params,
        ret,
        constants,
        body,
    )
}

/// The same for a back end.
fn lowered_for(target: X86, params: &str, ret: &str, constants: &str, body: &str) -> Vec<String> {
    let text = format!(
        "global internal @cell align 8 = zero 16\ndefine internal @f({params}) -> {ret} {{\n{constants}\nblock0:\n{body}\n}}\n"
    );
    let forms = testing::lowered(&target, &text);
    let names = forms.iter().map(|form| testing::name(form));
    names.filter(|name| !matches!(name.as_str(), "Params" | "Mov" | "MovXmm" | "Jmp" | "Ret")).collect()
}

/// Both modes give these instructions after the arguments have come in from registers or the stack: parameters
/// are `v0: i32`, `v1: i32`.
#[track_caller]
fn check(constants: &str, body: &str, expected: &str) {
    for (mode, incoming) in [(Mode::Bits32, 2), (Mode::Bits64, 0)] {
        let constants = format!("  v10: i32 = @cell\n  v11: i32 = 0\n{constants}");
        // Both arguments are used, so that both are loaded.
        let body = format!("store v0 to v10, align 1\nstore v1 to v10, align 1\n{body}");
        let names = lowered(mode, "v0: i32, v1: i32", "i32", &constants, &body);
        assert_eq!(names[incoming + 2..].join(" "), expected, "{mode:?}\n{body}");
    }
}

const FOUR: &str = "  v20: i32 = 4\n  v21: i32 = 2\n  v22: i32 = -4";

#[test]
fn additions_become_addresses() {
    check(
        FOUR,
        "v30: i32 = add v0, v20\nv31: i32 = load v30, align 1\nstore v31 to v30, align 1\nret v11",
        "Load Store MovImm",
    );
    check(
        FOUR,
        "v30: i32 = shl v0, v21\nv31: i32 = add v30, v1\nv32: i32 = load v31, align 1\nret v32",
        "Load",
    );
    check(
        FOUR,
        "v30: i32 = mul v0, v20\nv31: i32 = add v10, v30\nv32: i32 = load v31, align 1\nret v32",
        "Load",
    );
    check(
        FOUR,
        "v30: i32 = add v0, v22\nv31: i32 = shl v30, v21\nv32: i32 = add v31, v1\nv33: i32 = add v32, v20\nv34: i32 = load v33, align 1\nret v34",
        "Load",
    );
    // A sum that is needed as a number is computed once.
    check(
        FOUR,
        "v30: i32 = add v0, v20\nv31: i32 = load v30, align 1\nstore v31 to v30, align 1\nret v30",
        "Lea Load Store",
    );
    // So is one with a load or two scales in it: the users cannot compute these one by one.
    check(
        FOUR,
        "v30: i32 = load v1, align 1\nv31: i32 = add v0, v30\nstore v11 to v1, align 1\nv32: i32 = load v31, align 1\n\
         store v0 to v31, align 1\nret v32",
        "Alu StoreImm Load Store",
    );
    check(
        FOUR,
        "v30: i32 = shl v0, v21\nv31: i32 = shl v1, v21\nv32: i32 = add v30, v31\nv33: i32 = add v32, v20\n\
         v34: i32 = load v33, align 1\nret v34",
        "Lea Load",
    );
}

#[test]
fn load_operation_and_store_become_one() {
    let modify =
        |op: &str| format!("v30: i32 = load v1, align 1\nv31: i32 = {op}\nstore v31 to v1, align 1\nret v0");
    check(FOUR, &modify("add v30, v0"), "AluMem");
    check(FOUR, &modify("or v20, v30"), "AluMemImm");
    check(FOUR, &modify("sub v11, v30"), "UnaryMem");
    check(FOUR, &modify("ashr v30, v20"), "ShiftMem");
    check(FOUR, &modify("sub v0, v30"), "Alu Store");
    // Not if the old value is needed again, or memory may have changed.
    check(
        FOUR,
        "v30: i32 = load v1, align 1\nv31: i32 = add v30, v0\nstore v31 to v1, align 1\nret v30",
        "Load Lea Store",
    );
    check(
        FOUR,
        "v30: i32 = load v1, align 1\nstore v0 to v10, align 1\nv31: i32 = add v30, v0\nstore v31 to v1, align 1\nret v0",
        "Load Store Alu Store",
    );
}

#[test]
fn loads_become_operands_where_they_read_the_same() {
    check(FOUR, "v30: i32 = load v1, align 1\nv31: i32 = sub v0, v30\nret v31", "Alu");
    check(
        FOUR,
        "v30: i32 = load v1, align 1\nstore v0 to v10, align 1\nv31: i32 = sub v0, v30\nret v31",
        "Load Store Alu",
    );
    check(FOUR, "v30: i8 = load v1, align 1\nv31: i32 = sext v30\nret v31", "Extend");
    check(
        FOUR,
        "v30: i32 = load v1, align 1\nv31: i1 = icmp ult v30, v20\nv32: i32 = select v31, v0, v1\nret v32",
        "CompareMem Cmov",
    );
    check(
        "  v20: f64 = 0x4000000000000000",
        "v30: f64 = load v1, align 8\nv31: f64 = load v0, align 8\nv32: f64 = fmul v30, v31\nv33: f64 = fadd v32, v20\nstore v33 to v1, align 8\nret v0",
        "LoadXmm Sse Sse StoreXmm",
    );
}

#[test]
fn bits_are_tested_without_being_computed() {
    check(
        FOUR,
        "v30: i32 = and v0, v20\nv31: i1 = icmp eq v30, v11\nv32: i32 = select v31, v0, v1\nret v32",
        "Compare Cmov",
    );
    check(
        FOUR,
        "v30: i8 = load v0, align 1\nv31: i1 = trunc v30\nv32: i32 = select v31, v0, v1\nret v32",
        "CompareMem Cmov",
    );
    check("  v20: i32 = 31", "v30: i32 = and v0, v20\nv31: i32 = shl v1, v30\nret v31", "Shift");
}

#[test]
fn scaled_terms_of_sums_are_indices() {
    check(FOUR, "v30: i32 = shl v0, v21\nv31: i32 = add v30, v1\nret v31", "Lea");
    check(FOUR, "v30: i32 = mul v0, v20\nv31: i32 = add v1, v30\nret v31", "Lea");
    check(FOUR, "v30: i32 = shl v0, v21\nv31: i32 = sub v1, v30\nret v31", "Lea Alu");
    // Of two the second; and none beside what is in memory.
    check(
        FOUR,
        "v30: i32 = shl v0, v21\nv29: i32 = shl v1, v21\nv31: i32 = add v30, v29\nret v31",
        "Lea Lea",
    );
    check(
        FOUR,
        "v29: i32 = load v1, align 1\nv30: i32 = shl v0, v21\nv31: i32 = add v29, v30\nret v31",
        "Lea Load Alu",
    );
}

#[test]
fn one_bit_is_tested_where_it_stands() {
    let one = "  v20: i32 = 1\n  v21: i32 = 31";
    let choice = "v34: i32 = select v33, v0, v1\nret v34";
    check(
        one,
        &format!("v30: i32 = lshr v0, v1\nv31: i32 = and v30, v20\nv33: i1 = icmp ne v31, v11\n{choice}"),
        "BitTest Cmov",
    );
    check(
        one,
        &format!(
            "v29: i32 = and v1, v21\nv30: i32 = shl v20, v29\nv31: i32 = and v0, v30\nv33: i1 = icmp eq v31, v11\n{choice}"
        ),
        "BitTest Cmov",
    );
    check(one, &format!("v30: i32 = ashr v0, v1\nv33: i1 = trunc v30\n{choice}"), "BitTest Cmov");
    // The sign of what is left is not the bit.
    check(
        one,
        &format!("v30: i32 = shl v20, v1\nv31: i32 = and v0, v30\nv33: i1 = icmp slt v31, v11\n{choice}"),
        "MovImm Shift Compare Cmov",
    );
}

#[test]
fn constants_leave_no_division() {
    for divisor in [2, 7, 10, 100, -3] {
        for op in ["sdiv", "udiv", "srem", "urem"] {
            for mode in [Mode::Bits32, Mode::Bits64] {
                let body = format!("v2: i32 = {op} v0, v1\nret v2");
                let names = lowered(mode, "v0: i32", "i32", &format!("  v1: i32 = {divisor}"), &body);
                // A divisor of 2^31 or more is left to the instruction.
                let is_huge = divisor < 0 && op.starts_with('u');
                assert_eq!(names.iter().any(|n| n == "Divide"), is_huge, "{op} {divisor}: {names:?}");
            }
        }
    }
}

#[test]
fn known_halves_of_pairs_cost_nothing() {
    let pair = |body: &str| {
        let constants = "  v10: i64 = 32\n  v11: i32 = @cell";
        lowered(Mode::Bits32, "", "i32", constants, &format!("v1: i64 = load v11, align 1\n{body}")).join(" ")
    };
    assert_eq!(pair("v2: i64 = lshr v1, v10\nv3: i32 = trunc v2\nret v3"), "Load");
    assert_eq!(
        pair(
            "v2: i32 = load v11, align 1\nv3: i64 = zext v2\nv4: i64 = mul v3, v1\nstore v4 to v11, align 1\nret v2"
        ),
        "LoadPair Load Imul MulWide Alu StorePair"
    );
    // Nor does one that nobody reads.
    assert_eq!(
        pair(
            "v2: i32 = load v11, align 1\nv3: i64 = zext v2\nv4: i64 = mul v3, v1\nv5: i32 = trunc v4\nret v5"
        ),
        "Load Undefined Imul Undefined"
    );
}

const FLOATS: &str = "  v20: f64 = 0x4000000000000000\n  v21: f64 = 0x0000000000000000";

/// `min` and `max` where they give the same for NaN and zeros, else a comparison and a choice.
#[test]
fn choices_between_compared_numbers_are_extrema() {
    let choice = |cond: &str, choices: &str| {
        let loads = "v30: f64 = load v0, align 8\nv31: f64 = load v1, align 8";
        format!(
            "{loads}\nv32: i1 = fcmp {cond}\nv33: f64 = select v32, {choices}\nstore v33 to v1, align 8\nret v0"
        )
    };
    for (cond, exact) in
        [("olt", true), ("ogt", true), ("ule", true), ("uge", true), ("ole", false), ("ult", false)]
    {
        let expected = if exact {
            "LoadXmm LoadXmm Sse StoreXmm"
        } else {
            "LoadXmm LoadXmm CompareXmm SelectXmm StoreXmm"
        };
        check(FLOATS, &choice(&format!("{cond} v30, v31"), "v30, v31"), expected);
        check(FLOATS, &choice(&format!("{cond} v30, v31"), "v31, v30"), expected);
        // A number that is not zero: equal numbers are the same.
        let constant = choice(&format!("{cond} v30, v20"), "v30, v20");
        let names = lowered(Mode::Bits32, "v0: i32, v1: i32", "i32", FLOATS, &constant).join(" ");
        assert!(names.contains("Sse StoreXmm") && !names.contains("Compare"), "{cond}: {names}");
        let zero = choice(&format!("{cond} v30, v21"), "v30, v21");
        let names = lowered(Mode::Bits32, "v0: i32, v1: i32", "i32", FLOATS, &zero).join(" ");
        assert_eq!(names.contains("Compare"), !exact, "{cond}: {names}");
    }
    check(
        FLOATS,
        &choice("oeq v30, v31", "v30, v31").replace("oeq", "one"),
        "LoadXmm LoadXmm CompareXmm SelectXmm StoreXmm",
    );
}

/// Lanes that change places cost as many instructions as there are shuffles.
#[test]
fn lanes_that_change_places_are_shuffles() {
    let shuffled = |ty: &str, element: &str, lanes: &[(u32, u32)]| {
        let mut constants = format!("  v10: i32 = @cell\n  v11: i32 = 0\n  v12: {ty} = undef\n");
        for lane in 0..16 {
            constants += &format!("  v{}: i32 = {lane}\n", 50 + lane);
        }
        let mut body = format!("v20: {ty} = load v10, align 4\nv21: {ty} = load v0, align 4\n");
        let mut last = 12;
        for (n, (source, lane)) in lanes.iter().enumerate() {
            let n = n as u32;
            body += &format!("v{}: {element} = extractelement v{}, v{}\n", 100 + n, 20 + source, 50 + lane);
            body += &format!("v{}: {ty} = insertelement v{last}, v{}, v{}\n", 200 + n, 100 + n, 50 + n);
            last = 200 + n;
        }
        body += &format!("store v{last} to v10, align 4\nret v11");
        let names = lowered(Mode::Bits64, "v0: i32", "i32", &constants, &body);
        names
            .into_iter()
            .filter(|name| !matches!(name.as_str(), "LoadXmm" | "StoreXmm" | "MovImm" | "ZeroUpper"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(shuffled("v4f32", "f32", &[(0, 3), (0, 2), (0, 1), (0, 0)]), "SseUnaryImm");
    assert_eq!(shuffled("v4i32", "i32", &[(0, 0), (1, 0), (0, 1), (1, 1)]), "Sse");
    assert_eq!(shuffled("v4f32", "f32", &[(0, 1), (0, 3), (1, 0), (1, 2)]), "SseImm");
    assert_eq!(shuffled("v4f32", "f32", &[(0, 1), (1, 3), (0, 0), (1, 2)]), "SseImm SseUnaryImm");
    assert_eq!(shuffled("v4i32", "i32", &[(0, 1), (0, 3), (1, 0), (0, 2)]), "SseImm SseImm");
    let words: Vec<(u32, u32)> = (0..8).map(|n| (n % 2, 4 + n / 2)).collect();
    assert_eq!(shuffled("v8i16", "i16", &words), "Sse");
    assert_eq!(shuffled("v8i16", "i16", &[(0, 5); 8]), "SseUnaryImm SseUnaryImm");
    assert_eq!(shuffled("v16i8", "i8", &[(0, 9); 16]), "Sse SseUnaryImm SseUnaryImm");
}

/// Constant sizes in the entry block cost no code until their address is needed; others move the stack pointer.
#[test]
fn allocations_of_constant_size_are_objects_of_the_frame() {
    let constants = "  v10: i32 = 64\n  v11: i32 = 4\n  v12: i32 = 0";
    let fixed = "v20: i32 = alloca v10, align 16\nv21: i32 = alloca v11, align 4\nv22: i32 = add v20, v11\n\
                 store v0 to v22, align 1\nstore v0 to v21, align 1\nv23: i32 = load v20, align 1\nret v23";
    assert_eq!(lowered(Mode::Bits64, "v0: i32", "i32", constants, fixed).join(" "), "Store Store Load");
    let escapes = "v20: i32 = alloca v10, align 16\nret v20";
    assert_eq!(lowered(Mode::Bits64, "v0: i32", "i32", constants, escapes).join(" "), "Lea");
    let dynamic = "v20: i32 = alloca v0, align 16\nstore v0 to v20, align 1\nret v0";
    let names = lowered(Mode::Bits64, "v0: i32", "i32", constants, dynamic).join(" ");
    assert!(names.contains("StackSub"), "{names}");
    let aligned = "v20: i32 = alloca v10, align 64\nstore v0 to v20, align 1\nret v0";
    let names = lowered(Mode::Bits64, "v0: i32", "i32", constants, aligned).join(" ");
    assert!(names.contains("StackTake"), "{names}");
}

/// Native code promises the lowest bit of a boolean, also in each lane; a program's own functions all of it.
#[test]
fn booleans_from_native_code_are_cleaned() {
    let names = |model, ty: &str, wide: &str| {
        let body = format!("v1: {wide} = sext v0\nret v1");
        lowered_for(
            X86 { mode: Mode::Bits64, model, confinement: Confinement::None, tracks_branches: false },
            &format!("v0: {ty}"),
            wide,
            "",
            &body,
        )
        .join(" ")
    };
    for (ty, wide) in [("v4i1", "v4i32"), ("v8i1", "v8i16")] {
        assert_eq!(names(CodeModel::Pnacl, ty, wide), "");
        assert_eq!(names(CodeModel::Static, ty, wide), "SseShift SseShift");
    }
}

/// Of which no constructor makes a back end with narrower addresses.
#[test]
fn a_back_end_is_for_its_module() {
    let model = |text: &str, mode| {
        let module = parse_program(text).expect("legal").module;
        X86::new(mode, &module, NativeModel::Static).map(|target| (target.model, target.address_type()))
    };
    let wide = "target pointer i64 native\n\ndefine external @f(v0: i64) -> i64 {\nblock0:\n  ret v0\n}\n";
    let narrow = "define internal @f(v0: i32) -> i32 {\nblock0:\n  ret v0\n}\n";
    assert_eq!(model(wide, Mode::Bits64), Ok((CodeModel::Static, Type::I64)));
    assert_eq!(model(wide, Mode::Bits32), Err(ForeignModule { pointer: Type::I64 }));
    assert_eq!(model(narrow, Mode::Bits64), Ok((CodeModel::Pnacl, Type::I32)));
    let narrow = narrow.replace("define", "target pointer i32 native\n\ndefine");
    assert_eq!(model(&narrow, Mode::Bits64), Err(ForeignModule { pointer: Type::I32 }));
    assert_eq!(model(&narrow, Mode::Bits32), Ok((CodeModel::Static, Type::I32)));
}

/// A constant goes to a slot by an immediate of 32 bits, whose sign would fill a slot of 64.
#[test]
fn what_a_slot_of_64_bits_cannot_take_goes_through_a_register() {
    let made_again = |width, imm| Inst::MovImm { width, dst: VReg::from_u32(0), imm }.rematerialize();
    for width in [Width::B32, Width::B64] {
        for imm in [0, 1, 0x7fff_ffff] {
            assert_eq!(made_again(width, imm), Some(Remat::Anywhere), "{imm:#x}");
        }
        for imm in [0x8000_0000, 0xffff_ffff, 0x1_0000_0000, -1, i64::from(i32::MIN), i64::MIN] {
            assert_eq!(made_again(width, imm), Some(Remat::Register), "{imm:#x}");
        }
    }
}
