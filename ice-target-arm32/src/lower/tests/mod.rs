//! Which machine instructions a few IR instructions become. That they compute the right numbers, the tests
//! of the driver show.

extern crate std;

mod addresses;
mod operands;
mod pairs;
mod values;

use crate::target::{Arm32, Division, FloatAbi};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ice_codegen::{CodeModel, Confinement, testing};

/// The back end for programs of PNaCl.
const PROGRAM: Arm32 = Arm32 {
    division: Division::Helper,
    floats: FloatAbi::Hard,
    model: CodeModel::Pnacl,
    confinement: Confinement::None,
};

/// The machine instructions of a function with these parameters, constants and blocks, each by its name and, for
/// arithmetic, its operation; without `Params`, copies and what ends it.
fn lowered(params: &str, constants: &str, blocks: &str) -> Vec<String> {
    lowered_for(PROGRAM, params, constants, blocks)
}

/// The same for a back end.
fn lowered_for(target: Arm32, params: &str, constants: &str, blocks: &str) -> Vec<String> {
    let text = format!(
        "global internal @cell align 8 = zero 16\ndefine internal @f({params}) -> i32 {{\n  v10: i32 = @cell\n  v11: i32 = 0\n{constants}\n{blocks}\n}}\n"
    );
    let forms = testing::lowered(&target, &text);
    let names = forms.iter().map(|form| {
        let name = testing::name(form);
        match form.split_once("{ op: ") {
            Some((_, rest)) => format!("{name}.{}", rest.split([',', ' ']).next().unwrap_or_default()),
            None => name,
        }
    });
    names.filter(|name| !matches!(name.as_str(), "Params" | "Mov" | "MovFloat" | "Jump" | "Ret")).collect()
}

/// One block with the parameters `v0: i32`, `v1: i32`, `v2: f64`, `v3: f64`, which may end with the block given.
#[track_caller]
fn check(constants: &str, body: &str, expected: &str) {
    let names = lowered("v0: i32, v1: i32, v2: f64, v3: f64", constants, &format!("block0:\n{body}"));
    assert_eq!(names.join(" "), expected, "{body}");
}

const NUMBERS: &str = "  v20: i32 = 4\n  v21: i32 = 2\n  v22: i32 = -1\n  v23: i32 = 25\n  v24: i32 = 7";

#[test]
fn additions_and_shifts_become_addresses() {
    check(NUMBERS, "v30: i32 = add v0, v20\nv31: i32 = load v30, align 1\nret v31", "Load.Ldr");
    check(
        NUMBERS,
        "v30: i32 = shl v0, v21\nv31: i32 = add v1, v30\nv32: i32 = load v31, align 1\nret v32",
        "Load.Ldr",
    );
    // A load and a store of one place.
    check(
        NUMBERS,
        "v30: i32 = shl v0, v21\nv31: i32 = add v1, v30\nv32: i32 = load v31, align 1\nstore v0 to v31, align 1\nret v32",
        "Load.Ldr Store.Str",
    );
    // Halves have no scaled index, doubles none at all.
    check(
        NUMBERS,
        "v30: i32 = shl v0, v21\nv31: i32 = add v1, v30\nv32: f64 = load v31, align 8\nstore v32 to v1, align 8\nret v0",
        "Alu.Add LoadFloat StoreFloat",
    );
    // A sum that is needed as a number is computed once.
    check(
        NUMBERS,
        "v30: i32 = add v0, v20\nv31: i32 = load v30, align 1\nstore v31 to v30, align 1\nret v30",
        "Alu.Add Load.Ldr Store.Str",
    );
}

#[test]
fn shifts_rotations_and_multiples_become_operands() {
    check(NUMBERS, "v30: i32 = shl v0, v21\nv31: i32 = sub v1, v30\nret v31", "Alu.Sub");
    check(NUMBERS, "v30: i32 = lshr v0, v21\nv31: i32 = sub v30, v1\nret v31", "Alu.Rsb");
    check(
        NUMBERS,
        "v30: i32 = shl v0, v24\nv31: i32 = lshr v0, v23\nv32: i32 = or v30, v31\nret v32",
        "MovSrc.Mov",
    );
    check(
        NUMBERS,
        "v30: i32 = shl v0, v24\nv31: i32 = lshr v0, v23\nv32: i32 = or v30, v31\nv33: i32 = xor v32, v1\nret v33",
        "Alu.Eor",
    );
    check("  v20: i32 = 12", "v30: i32 = mul v0, v20\nv31: i32 = add v1, v30\nret v31", "Alu.Add Alu.Add");
    check("  v20: i32 = 7", "v30: i32 = mul v0, v20\nret v30", "Alu.Rsb");
}

#[test]
fn products_are_added_and_subtracted_at_once() {
    check("", "v30: i32 = mul v0, v1\nv31: i32 = add v30, v10\nret v31", "Mul MovSymbol Alu.Add");
    check("", "v30: i32 = mul v0, v1\nv31: i32 = add v30, v1\nret v31", "MultiplyAdd.Mla");
    check("", "v30: i32 = mul v0, v1\nv31: i32 = sub v1, v30\nret v31", "MultiplyAdd.Mls");
    check("", "v30: i32 = mul v0, v1\nv31: i32 = sub v30, v1\nret v31", "Mul Alu.Sub");
    let float =
        |op: &str| format!("v30: f64 = fmul v2, v3\nv31: f64 = {op}\nstore v31 to v1, align 8\nret v0");
    check("", &float("fadd v2, v30"), "Float3Acc.Vmla StoreFloat");
    check("", &float("fsub v2, v30"), "Float3Acc.Vmls StoreFloat");
    check("", &float("fsub v30, v2"), "Float3Acc.Vnmls StoreFloat");
    check(
        "  v20: f64 = 0x4000000000000000",
        "v30: f64 = fmul v2, v20\nstore v30 to v1, align 8\nret v0",
        "Float3.Vadd StoreFloat",
    );
}

#[test]
fn complements_become_part_of_operations() {
    check(NUMBERS, "v30: i32 = xor v0, v22\nv31: i32 = and v30, v1\nret v31", "Alu.Bic");
    check(NUMBERS, "v30: i32 = xor v0, v22\nret v30", "MovSrc.Mvn");
}

#[test]
fn loads_extend() {
    let load = |op: &str, ty: &str| format!("v30: {ty} = load v0, align 1\nv31: i32 = {op} v30\nret v31");
    check("", &load("sext", "i8"), "Load.Ldrsb");
    check("", &load("sext", "i16"), "Load.Ldrsh");
    check("", &load("zext", "i8"), "Load.Ldrb");
    // Not if memory may have changed.
    check(
        "",
        "v30: i8 = load v0, align 1\nstore v1 to v10, align 1\nv31: i32 = sext v30\nret v31",
        "Load.Ldrb MovSymbol Store.Str Extend.Sxtb",
    );
}

#[test]
fn divisions_by_constants_are_products() {
    let divide = |n: i64| format!("  v20: i32 = {n}");
    check(&divide(10), "v30: i32 = udiv v0, v20\nret v30", "MovImm MultiplyLong.Umull MovSrc.Mov");
    check(
        &divide(7),
        "v30: i32 = udiv v0, v20\nret v30",
        "MovImm MultiplyLong.Umull Alu.Sub Alu.Add MovSrc.Mov",
    );
    check(
        &divide(10),
        "v30: i32 = srem v0, v20\nret v30",
        "MovImm MultiplyLong.Smull MovSrc.Mov Alu.Add MovImm MultiplyAdd.Mls",
    );
    check(&divide(8), "v30: i32 = sdiv v0, v20\nret v30", "MovSrc.Mov Alu.Add MovSrc.Mov");
    check(&divide(8), "v30: i32 = urem v0, v20\nret v30", "BitField.Ubfx");
    check("", "v30: i32 = udiv v0, v1\nret v30", "TrapIfZero Call");
}

#[test]
fn conditions_are_flags() {
    let blocks = |test: &str| format!("{test}\nbr v40, block1, block2\nblock1:\nret v0\nblock2:\nret v1");
    check("", &blocks("v40: i1 = icmp slt v0, v11"), "TestZero Branch");
    check("", &blocks("v30: i32 = and v0, v1\nv40: i1 = icmp eq v30, v11"), "Compare.Tst Branch");
    check(NUMBERS, &blocks("v30: i32 = shl v0, v21\nv40: i1 = icmp ult v30, v1"), "Compare.Cmp Branch");
    check("", &blocks("v40: i1 = trunc v0"), "Compare.Tst Branch");
    // Where both ways lead to one block there is one edge, and no choice.
    check("", "v40: i1 = icmp slt v0, v11\nbr v40, block1, block1\nblock1:\nret v0", "TestZero");
    // What is loaded has zeros above it.
    let bytes = "v30: i8 = load v0, align 1\nv31: i8 = load v1, align 1\n";
    check(
        "",
        &blocks(&format!("{bytes}v40: i1 = icmp ult v30, v31")),
        "Load.Ldrb Load.Ldrb Compare.Cmp Branch",
    );
    check(
        "",
        &blocks(&format!("{bytes}v40: i1 = icmp slt v30, v31")),
        "Load.Ldrb Load.Ldrb MovSrc.Mov Compare.Cmp Branch",
    );
}

#[test]
fn loops_hold_their_constants() {
    let names = lowered(
        "v0: i32, v1: i32",
        "  v20: i32 = 305419896\n  v21: i32 = 1",
        "block0:\nbr block1\nblock1:\nv30: i32 = phi [v0, block0], [v32, block1]\nv31: i32 = xor v30, v20\n\
         store v31 to v10, align 4\nv32: i32 = sub v30, v21\nv33: i1 = icmp eq v32, v11\n\
         br v33, block2, block1\nblock2:\nret v30",
    );
    assert_eq!(names.join(" "), "MovImm MovSymbol Alu.Eor Store.Str Alu.Sub TestZero Branch");
}
