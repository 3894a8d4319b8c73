//! The bytes of a few instructions, and of edits that stand where the allocator seldom needs them.

use crate::inst::Inst;
use crate::regs::GPR;
use crate::target::X86;
use alloc::format;
use alloc::vec::Vec;
use ice_asm::CodeBuffer;
use ice_asm::x86::Mode;
use ice_codegen::mach::{MachFunction, MachInstId};
use ice_codegen::{CodeModel, CompiledCode, Confinement, Target, testing};
use ice_regalloc::{Allocation, Context, Edit, Options, Output, PReg, ProgPoint, Slot, SlotInfo};

/// The code of the first function, after `change` to what the allocator made.
fn compiled(mode: Mode, text: &str, change: impl FnOnce(&MachFunction<Inst>, &mut Output)) -> Vec<u8> {
    let target =
        X86 { mode, model: CodeModel::Pnacl, confinement: Confinement::None, tracks_branches: false };
    let mach = testing::machine(&target, text);
    let mut allocator = Context::default();
    allocator
        .allocate(mach.body(), target.registers(&mach.frame), &Options::default())
        .expect("it can be allocated");
    let mut output = allocator.output().clone();
    change(&mach, &mut output);
    let (mut buffer, mut out) = (CodeBuffer::<()>::new(), CompiledCode::default());
    let mut emission = Default::default();
    target.emit(&mach, &output, &mut emission, &mut buffer, &mut out).expect("it can be emitted");
    out.code
}

#[test]
fn code_is_for_the_instruction_that_wanted_it() {
    for mode in [Mode::Bits32, Mode::Bits64] {
        testing::check_origins(&X86 {
            mode,
            model: CodeModel::Pnacl,
            confinement: Confinement::None,
            tracks_branches: false,
        });
    }
}

fn contains(code: &[u8], bytes: &[u8]) -> bool {
    code.windows(bytes.len()).any(|window| window == bytes)
}

/// A comparison with a move on its flags, and a zero that is made behind it.
const FLAGS: &str = "define internal @f(v0: i32, v1: i32) -> i32 {
  v2: i32 = 0
block0:
  v10: i1 = icmp eq v0, v1
  v11: i32 = select v10, v0, v1
  store v11 to v0, align 1
  ret v2
}
";

/// The first instruction of a kind.
fn find(mach: &MachFunction<Inst>, is_it: impl Fn(&Inst) -> bool) -> MachInstId {
    MachInstId::from_u32(mach.insts().iter().position(is_it).expect("an instruction") as u32)
}

/// The code of [`FLAGS`] that makes its zero once more, in `to`, before the first instruction of a kind.
fn zero_before(is_it: impl Fn(&Inst) -> bool, to: Allocation, size: u32) -> Vec<u8> {
    compiled(Mode::Bits64, FLAGS, |mach, output| {
        let zero = find(mach, |inst| matches!(inst, Inst::MovImm { imm: 0, .. }));
        output.slots.push(SlotInfo { size: 8, align: 8 });
        let point = ProgPoint::before(find(mach, is_it));
        let at = output.edits.partition_point(|edit| edit.point < point);
        output.edits.insert(at, Edit { point, from: Allocation::remat(zero), to, class: GPR, size });
    })
}

#[test]
fn a_zero_leaves_flags_that_are_needed() {
    let r11 = Allocation::reg(PReg(11));
    let needed = zero_before(|inst| matches!(inst, Inst::Cmov { .. }), r11, 4);
    assert!(contains(&needed, &[0x41, 0xbb, 0, 0, 0, 0]), "mov r11d, 0 in {needed:x?}");
    let free = zero_before(|inst| matches!(inst, Inst::Compare { .. }), r11, 4);
    assert!(contains(&free, &[0x45, 0x31, 0xdb]), "xor r11d, r11d in {free:x?}");
}

#[test]
fn constants_fill_their_slots() {
    let slot = Allocation::slot(Slot::from_u32(0));
    let is_ret = |inst: &Inst| matches!(inst, Inst::Ret);
    for (size, is_wide) in [(4, false), (8, true)] {
        let code = zero_before(is_ret, slot, size);
        assert!(contains(&code, &[0xc7, 0x44, 0x24]) || contains(&code, &[0xc7, 0x04, 0x24]), "{code:x?}");
        let is_found =
            contains(&code, &[0x48, 0xc7, 0x44, 0x24]) || contains(&code, &[0x48, 0xc7, 0x04, 0x24]);
        assert_eq!(is_found, is_wide, "mov qword in {code:x?}");
    }
}

#[test]
fn dividends_are_extended_as_their_sign_demands() {
    for mode in [Mode::Bits32, Mode::Bits64] {
        for (op, upper) in [("udiv", &[0x31, 0xd2, 0xf7][..]), ("sdiv", &[0x99, 0xf7])] {
            let text = format!(
                "define internal @f(v0: i32, v1: i32) -> i32 {{\nblock0:\n  v2: i32 = {op} v0, v1\n  ret v2\n}}\n"
            );
            let code = compiled(mode, &text, |_, _| {});
            assert!(contains(&code, upper), "{op} {mode:?}: {code:x?}");
        }
    }
}
