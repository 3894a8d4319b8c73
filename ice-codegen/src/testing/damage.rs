//! Inconsistent allocations, for tests of emission: every one must become an error, in every build.
//!
//! A function is allocated as always and then one place after the other is damaged. Emission must say so, or give the
//! bytes that it gives otherwise, as it does where it never asks for the place of an operand in a fixed register.

use super::{allocate, emit, machine};
use crate::internal::CodegenStep;
use crate::mach::text::inst_text;
use crate::mach::{MachBlock, MachFunction, MachInst, Sink};
use crate::{ErrorKind, Target};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use ice_regalloc::{Allocation, Inst, Mode, Operand, Output, PReg, RegClass, Slot};

/// The function that is damaged: integers and floats that live across a call, addresses, a constant, bits and comparisons.
const PROGRAM: &str = "\
intrinsic external @llvm.cttz.i32(i32, i1) -> i32
define internal @f(v0: i32, v1: i32, v2: f64) -> i32 {
  v3: i32 = 77
  v4: i1 = 0
block0:
  v5: i32 = mul v0, v1
  v6: i32 = load v5, align 1
  v7: f64 = sitofp v6
  v8: f64 = fadd v7, v2
  v9: i32 = call @f(v6, v5, v8)
  v10: i32 = add v9, v3
  v11: i32 = sdiv v10, v1
  v12: i32 = call @llvm.cttz.i32(v11, v4)
  v13: f64 = fmul v8, v7
  v14: i32 = fptosi v13
  v15: i32 = shl v14, v12
  store v15 to v5, align 1
  v16: i32 = add v15, v6
  ret v16
}
";

/// Damages the allocation of the first function of the program in each place: takes the place away, names a slot that
/// is not there, and a register of each other bank. `banks` are the numbers of registers of each kind. Gives how many
/// damages were found.
pub fn damage_places<T: Target>(target: &T, banks: &[Range<u8>]) -> usize {
    let mach = machine(target, PROGRAM);
    let good = allocate(target, &mach, Mode::default());
    let code = emit(target, &mach, &good).expect("the allocation is good").code;
    let registers = target.registers(&mach.frame);
    let wrong_places = |class: RegClass| {
        let PReg(own) = registers.classes[class.index()].order[0];
        let others = banks.iter().filter(move |bank| !bank.contains(&own));
        let others = others.map(|bank| Allocation::reg(PReg(bank.start)));
        others.chain([Allocation::NONE, Allocation::slot(Slot::from_u32(good.slots.len() as u32))])
    };
    let mut found = 0;
    let mut check = |damaged: &Output, place: &dyn Fn() -> String| match emit(target, &mach, damaged) {
        Ok(same) => assert_eq!(same.code, code, "{}: other code without an error", place()),
        Err(ErrorKind::Internal(internal)) => {
            assert_eq!(internal.step, CodegenStep::Emission);
            found += 1;
        }
        Err(other) => panic!("{}: {other}", place()),
    };
    let mut damaged = good.clone();
    for inst in (0..mach.insts().len() as u32).map(Inst::from_u32) {
        let range = mach.body().operand_range(inst.as_u32()..inst.as_u32() + 1);
        for (n, operand) in range.clone().zip(mach.body().operands(inst)) {
            // What is made again where it is used may have no place of its own.
            let is_remade = mach.insts()[inst.as_u32() as usize].rematerialize().is_some();
            for wrong in
                wrong_places(Operand::class(*operand)).filter(|place| !(is_remade && place.is_none()))
            {
                damaged.allocs[n] = wrong;
                let data = mach.insts()[inst.as_u32() as usize];
                check(&damaged, &|| alloc::format!("{data:?}, operand {} in {wrong}", n - range.start));
            }
            damaged.allocs[n] = good.allocs[n];
        }
    }
    assert!(!good.edits.is_empty(), "there are no edits to damage");
    for (n, &edit) in good.edits.iter().enumerate() {
        for wrong in wrong_places(edit.class) {
            damaged.edits[n].from = wrong;
            check(&damaged, &|| alloc::format!("{edit:?} from {wrong}"));
            damaged.edits[n] = edit;
            damaged.edits[n].to = wrong;
            check(&damaged, &|| alloc::format!("{edit:?} to {wrong}"));
            damaged.edits[n] = edit;
        }
    }
    found
}

/// Checks that an allocation with a place too few or too many, or with an edit behind the end, is an internal error that
/// says so.
///
/// # Panics
/// If one is not.
pub fn check_shape<T: Target>(target: &T) {
    let mach = machine(target, PROGRAM);
    let good = allocate(target, &mach, Mode::default());
    let error = |damage: &dyn Fn(&mut Output)| {
        let mut damaged = good.clone();
        damage(&mut damaged);
        emit(target, &mach, &damaged).expect_err("the allocation is damaged").to_string()
    };
    let shapes = [error(&|out| _ = out.allocs.pop()), error(&|out| out.allocs.push(Allocation::NONE))];
    for error in shapes {
        assert!(error.starts_with("internal error in register allocation, "), "{error}");
        assert!(error.ends_with("it has more or fewer places than operands"), "{error}");
    }
    let edit = error(&|out| {
        let mut edit = out.edits[0];
        edit.point = ice_regalloc::ProgPoint::after(Inst::from_u32(mach.insts().len() as u32));
        out.edits.push(edit);
    });
    assert_eq!(
        edit,
        "internal error in emission, the end of the function: an edit stands behind the last instruction"
    );
}

/// The error for a function whose only block ends with `last`, which names a block or a switch that is not there.
fn end_with<T: Target>(target: &T, last: T::Inst) -> String {
    let mut mach = MachFunction::new();
    let operand_classes: Vec<_> = {
        let mut list = Vec::new();
        last.visit_operands(|operand| list.push(operand.class()));
        list
    };
    operand_classes.iter().for_each(|&class| _ = mach.new_vreg(class, 4));
    mach.begin_block(&[]);
    mach.push(last);
    mach.end_block();
    mach.finish().expect("there are no successors");
    let places =
        operand_classes.iter().map(|class| target.registers(&mach.frame).classes[class.index()].order[0]);
    let allocation = Output { allocs: places.map(Allocation::reg).collect(), ..Output::default() };
    emit(target, &mach, &allocation).expect_err("a block is missing").to_string()
}

/// Checks that each of `ends`, which names a block that is not there, is an internal error that names the instruction.
///
/// # Panics
/// If one is not.
pub fn check_ends<T: Target>(target: &T, ends: &[T::Inst]) {
    for &end in ends {
        let expected = alloc::format!(
            "internal error in emission, inst0 '{}' in block0: control goes to a block that is not there",
            inst_text(&end)
        );
        assert_eq!(end_with(target, end), expected);
    }
}

/// Checks that `switch`, which has no plan, is an internal error that says so.
///
/// # Panics
/// If it is not.
pub fn check_missing_switch<T: Target>(target: &T, switch: T::Inst) {
    let error = end_with(target, switch);
    assert!(error.ends_with("its switch has no plan"), "{error}");
}

/// Checks that a successor that is not there, and a branch whose block is no successor, are internal errors of lowering.
///
/// # Panics
/// If one is not.
pub fn check_targets<T: Target>(target: &T) {
    let mut mach = MachFunction::<T::Inst>::new();
    mach.begin_block(&[]);
    mach.add_successor(MachBlock::from_u32(1), &[]);
    mach.end_block();
    assert_eq!(
        mach.finish().expect_err("there is one block").to_string(),
        "internal error in lowering, block0: it has a successor that is not there"
    );
    let text =
        |end| alloc::format!("define internal @f(v0: i1) -> void {{\nblock0:\n  {end}\nblock1:\n  ret\n}}\n");
    let error = super::lowered_as(target, &text("br block1"), &text("ret"));
    assert!(error.starts_with("internal error in lowering, inst0 "), "{error}");
    assert!(error.ends_with(": a branch goes to a block that is no successor"), "{error}");
}
