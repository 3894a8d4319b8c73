//! The rules of the sandbox, checked with an independent disassembler: what confined code of x86 may look like.

use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess,
    OpKind, Register,
};
use std::collections::HashSet;

const BUNDLE: u64 = 32;

/// What is known where an instruction begins: of the instructions before it in its bundle.
#[derive(Clone, Copy, Default)]
struct Before {
    /// The register whose upper half the last one has cleared.
    cleared: Option<Register>,
    /// The last one was `and $-32` of this register; of 64 bits if r15 was then added.
    masked: Option<Register>,
}

/// Checks a text that begins at a multiple of a bundle. Where branches with fields at `open` go is not known yet.
pub fn check(text: &[u8], bits: u32, open: &HashSet<u64>) -> Result<(), String> {
    let mut checker =
        Checker { bits, info: InstructionInfoFactory::new(), starts: HashSet::new(), branches: Vec::new() };
    for (number, bundle) in text.chunks(BUNDLE as usize).enumerate() {
        checker.bundle(bundle, number as u64 * BUNDLE)?;
    }
    for &(from, to) in &checker.branches {
        let is_open = open.contains(&(from + 1));
        if !is_open && to % BUNDLE != 0 && !checker.starts.contains(&to) {
            return Err(format!("{from:#x}: a branch to {to:#x}, where no instruction may be reached"));
        }
    }
    Ok(())
}

struct Checker {
    bits: u32,
    info: InstructionInfoFactory,
    /// Where direct branches may go.
    starts: HashSet<u64>,
    branches: Vec<(u64, u64)>,
}

impl Checker {
    fn bundle(&mut self, bytes: &[u8], start: u64) -> Result<(), String> {
        let mut decoder = Decoder::with_ip(self.bits, bytes, start, DecoderOptions::NONE);
        let mut before = Before::default();
        while decoder.can_decode() {
            let inst = decoder.decode();
            let wrong = |what: &str| format!("{:#x}: {what}: {inst}", inst.ip());
            if inst.is_invalid() {
                return Err(wrong("no instruction, or one across the end of a bundle"));
            }
            let is_entered = self.inst(&inst, before).map_err(|what| wrong(&what))?;
            // What another instruction has prepared is reached through that alone.
            if is_entered {
                self.starts.insert(inst.ip());
            }
            before = self.after(&inst, before);
        }
        if matches!(before.cleared, Some(Register::ESP | Register::EBP)) {
            return Err(format!("{start:#x}: a bundle that ends with half a stack pointer"));
        }
        Ok(())
    }

    /// Checks one instruction; says whether branches may lead to it.
    fn inst(&mut self, inst: &Instruction, before: Before) -> Result<bool, String> {
        let is_pointer_alone = matches!(before.cleared, Some(Register::ESP | Register::EBP));
        if is_pointer_alone
            && !(is_rebase(inst) && Some(inst.op0_register().full_register32()) == before.cleared)
        {
            return Err("half a stack pointer before it".into());
        }
        if inst.is_privileged() && inst.mnemonic() != Mnemonic::Hlt {
            return Err("privileged".into());
        }
        match inst.flow_control() {
            FlowControl::Next | FlowControl::Exception => {}
            FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch | FlowControl::Call => {
                self.branches.push((inst.ip(), inst.near_branch_target()));
            }
            FlowControl::IndirectBranch | FlowControl::IndirectCall => {
                let to = inst.op0_register();
                if inst.op0_kind() != OpKind::Register || before.masked != Some(to) {
                    return Err("its target is not masked".into());
                }
            }
            _ => return Err("control may go anywhere".into()),
        }
        if matches!(inst.flow_control(), FlowControl::Call | FlowControl::IndirectCall)
            && !inst.next_ip().is_multiple_of(BUNDLE)
        {
            return Err("a call within a bundle".into());
        }
        if self.bits == 32 {
            let has_segment = inst.segment_prefix() != Register::None && !is_nop(inst);
            let is_thread = inst.memory_base() == Register::None && inst.memory_displacement32() == 0;
            if has_segment && !(inst.segment_prefix() == Register::GS && is_thread) {
                return Err("a segment".into());
            }
            return Ok(!matches!(
                inst.flow_control(),
                FlowControl::IndirectBranch | FlowControl::IndirectCall
            ));
        }
        self.check_writes(inst, before)?;
        let is_free = self.check_memory(inst, before)?;
        Ok(is_free && !is_rebase(inst) && !is_masked_jump(inst))
    }

    /// Checks the operands in memory; says whether they need nothing of the instruction before.
    fn check_memory(&self, inst: &Instruction, before: Before) -> Result<bool, String> {
        let is_access = inst.mnemonic() != Mnemonic::Lea && !is_nop(inst);
        let has_memory = (0..inst.op_count()).any(|n| inst.op_kind(n) == OpKind::Memory);
        if inst.is_string_instruction() {
            return match before.cleared {
                Some(Register::EDI) => Ok(false),
                _ => Err("a string operation".into()),
            };
        }
        if !is_access || !has_memory {
            return Ok(true);
        }
        if inst.segment_prefix() != Register::None {
            return Err("a segment".into());
        }
        if !matches!(inst.memory_base(), Register::R15 | Register::RSP | Register::RBP | Register::RIP) {
            return Err("a base that may be anything".into());
        }
        match inst.memory_index() {
            Register::None => Ok(true),
            index if Some(index.full_register32()) == before.cleared && index.is_gpr64() => Ok(false),
            _ => Err("an index that may be anything".into()),
        }
    }

    fn check_writes(&mut self, inst: &Instruction, before: Before) -> Result<(), String> {
        let is_stack_operation = inst.is_stack_instruction();
        for used in self.info.info(inst).used_registers() {
            let is_write = matches!(
                used.access(),
                OpAccess::Write | OpAccess::ReadWrite | OpAccess::CondWrite | OpAccess::ReadCondWrite
            );
            let reg = used.register();
            if !is_write || !reg.is_gpr() {
                continue;
            }
            match reg.full_register() {
                Register::R15 => return Err("the start of the window is changed".into()),
                Register::RSP if is_stack_operation => {}
                full @ (Register::RSP | Register::RBP) => {
                    let is_copy = matches!(inst.code(), Code::Mov_r64_rm64 | Code::Mov_rm64_r64)
                        && matches!(inst.op1_register(), Register::RSP | Register::RBP);
                    let is_half = clears(inst) == Some(full.full_register32());
                    let is_whole = is_rebase(inst) && before.cleared == Some(full.full_register32());
                    if !is_copy && !is_half && !is_whole {
                        return Err("a stack pointer is changed".into());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What is known behind an instruction.
    fn after(&self, inst: &Instruction, before: Before) -> Before {
        let is_mask = matches!(inst.code(), Code::And_rm32_imm8)
            && inst.op0_kind() == OpKind::Register
            && inst.immediate(1) as i32 == -(BUNDLE as i32);
        let masked = match before.masked {
            _ if is_mask => Some(inst.op0_register()),
            Some(reg)
                if self.bits == 64 && is_rebase(inst) && inst.op0_register().full_register32() == reg =>
            {
                Some(inst.op0_register())
            }
            _ => None,
        };
        // The string operations want both of their addresses made one behind the other.
        let is_string_address = inst.mnemonic() == Mnemonic::Lea
            && inst.memory_base() == Register::R15
            && Some(inst.memory_index().full_register32()) == before.cleared;
        let cleared = match is_string_address {
            true => before.cleared,
            false if self.bits == 64 => clears(inst),
            false => None,
        };
        Before { cleared, masked }
    }
}

fn is_nop(inst: &Instruction) -> bool {
    inst.mnemonic() == Mnemonic::Nop
}

fn is_masked_jump(inst: &Instruction) -> bool {
    matches!(inst.flow_control(), FlowControl::IndirectBranch | FlowControl::IndirectCall)
}

/// `add %r15, reg`.
fn is_rebase(inst: &Instruction) -> bool {
    matches!(inst.code(), Code::Add_rm64_r64 | Code::Add_r64_rm64)
        && inst.op0_kind() == OpKind::Register
        && inst.op1_kind() == OpKind::Register
        && inst.op1_register() == Register::R15
}

/// The register of 32 bits whose upper half an instruction is known to clear.
fn clears(inst: &Instruction) -> Option<Register> {
    use Mnemonic::*;
    let is_known = matches!(
        inst.mnemonic(),
        Mov | Movd | Add | Sub | And | Or | Xor | Movzx | Movsx | Inc | Dec | Neg | Not | Imul | Lea
    );
    let reg = inst.op0_register();
    (is_known && inst.op0_kind() == OpKind::Register && reg.is_gpr32()).then_some(reg)
}

#[test]
fn the_checker_sees_what_is_wrong() {
    let verdict = |bits: u32, code: &[u8]| {
        let mut text = code.to_vec();
        text.resize(text.len().next_multiple_of(BUNDLE as usize), 0x90);
        check(&text, bits, &HashSet::new())
    };
    for good in [
        &[0x89, 0xc0, 0x41, 0x8b, 0x0c, 0x07][..],
        &[0x8d, 0x47, 0x08, 0x41, 0x8b, 0x0c, 0x07],
        &[0x83, 0xec, 0x10, 0x4c, 0x01, 0xfc],
        &[0x41, 0x83, 0xe3, 0xe0, 0x4d, 0x01, 0xfb, 0x41, 0xff, 0xe3],
        &[0xeb, 0x00, 0x89, 0xc0, 0x41, 0x8b, 0x0c, 0x07],
        &[0x8b, 0x04, 0x24],
        &[0xf4],
    ] {
        assert_eq!(verdict(64, good), Ok(()), "{good:x?}");
    }
    for bad in [
        &[0x41, 0x8b, 0x0c, 0x07][..],
        &[0x89, 0xc0, 0x90, 0x41, 0x8b, 0x0c, 0x07],
        &[0xeb, 0x02, 0x89, 0xc0, 0x41, 0x8b, 0x0c, 0x07],
        &[0xeb, 0x04, 0x41, 0x83, 0xe3, 0xe0, 0x4d, 0x01, 0xfb, 0x41, 0xff, 0xe3],
        &[0x8b, 0x00],
        &[0x83, 0xec, 0x10],
        &[0x4c, 0x01, 0xfc],
        &[0x48, 0x83, 0xec, 0x10],
        &[0x41, 0x5f],
        &[0x5d],
        &[0xc3],
        &[0x0f, 0x05],
        &[0xeb, 0x01, 0x0f, 0x1f, 0x00],
        &[0xe8, 0xfb, 0, 0, 0],
    ] {
        assert!(verdict(64, bad).is_err(), "{bad:x?}");
    }
    assert_eq!(verdict(32, &[0x83, 0xe0, 0xe0, 0xff, 0xe0]), Ok(()));
    assert_eq!(verdict(32, &[0x65, 0xa1, 0, 0, 0, 0]), Ok(()));
    for bad in [&[0x83, 0xe0, 0xe0, 0xff, 0xe1][..], &[0xff, 0xe0], &[0xc3], &[0x65, 0xa1, 8, 0, 0, 0]] {
        assert!(verdict(32, bad).is_err(), "{bad:x?}");
    }
}
