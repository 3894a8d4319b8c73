//! Definitions: every use of a virtual register must follow one on every path.
//!
//! Problem: lowering may leave out an instruction that it means to compute at its user, and then read the register it
//! would have written; or write it only on one of two ways to the use. The allocator gives such a register some place,
//! and its checker, which compares with the same function, finds nothing wrong.
//!
//! Method: a use lacks a definition if and only if a path from the entry reaches it past none, which is that the register
//! is live at the start of the entry. Registers that a block reads before it writes them are followed backward over the
//! predecessors to the blocks that write them, 64 at a time as bits of words. Blocks that nothing reaches lack nothing.
//!
//! Data: for each such register its blocks with definitions and those with uses, as sorted pairs.
//!
//! Cost: operands, O(n log n) in the pairs, and for each word of registers the blocks where one of them is live. Debug
//! builds only.

use super::{MachBlock, MachInstId, VReg};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use cranelift_entity::EntityRef;
use ice_regalloc::Function;

/// A use that a path reaches without a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UndefinedUse {
    /// The register.
    pub vreg: VReg,
    /// The block that reads it.
    pub block: MachBlock,
    /// The instruction that reads it; an edge out of the block if there is none.
    pub inst: Option<MachInstId>,
}

impl fmt::Display for UndefinedUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UndefinedUse { vreg, block, inst } = self;
        match inst {
            Some(inst) => write!(f, "{inst} in {block} reads {vreg}, which a path to it does not write"),
            None => write!(f, "an edge out of {block} passes {vreg}, which a path to it does not write"),
        }
    }
}

/// A register in a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Mention {
    vreg: VReg,
    block: MachBlock,
}

/// What one walk over the operands finds.
struct Mentions {
    /// Registers that a block reads before it writes them.
    exposed: Vec<Mention>,
    defs: Vec<Mention>,
}

/// Calls `read` and `write` for what `block` does, in order.
fn walk(func: &Function, block: MachBlock, mut visit: impl FnMut(VReg, Option<MachInstId>, Access)) {
    func.block_params(block).iter().for_each(|&param| visit(param, None, Access::Write));
    let insts = func.block_insts(block);
    for inst in (insts.start.index()..insts.end.index()).map(MachInstId::new) {
        let operands = func.operands(inst);
        for operand in operands.iter().filter(|operand| operand.is_use()) {
            visit(operand.vreg(), Some(inst), Access::Read);
        }
        for operand in operands.iter().filter(|operand| operand.is_def()) {
            visit(operand.vreg(), Some(inst), Access::Write);
        }
    }
    for n in 0..func.block_succs(block).len() {
        func.edge_args(block, n).iter().for_each(|&arg| visit(arg, None, Access::Read));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

fn mentions(func: &Function) -> Mentions {
    let mut found = Mentions { exposed: Vec::new(), defs: Vec::new() };
    // The last block that wrote, and the last that reads too early; one more than its number.
    let (mut written, mut read) = (vec![0; func.num_vregs()], vec![0; func.num_vregs()]);
    for number in 0..func.num_blocks() {
        let block = MachBlock::new(number);
        walk(func, block, |vreg, _, access| {
            let (marks, list) = match access {
                Access::Write => (&mut written, &mut found.defs),
                Access::Read if written[vreg.index()] == number + 1 => return,
                Access::Read => (&mut read, &mut found.exposed),
            };
            if core::mem::replace(&mut marks[vreg.index()], number + 1) != number + 1 {
                list.push(Mention { vreg, block });
            }
        });
    }
    found.exposed.sort_unstable();
    found.defs.sort_unstable();
    found
}

/// The mentions of a register in a sorted list.
fn of(list: &[Mention], vreg: VReg) -> impl Iterator<Item = MachBlock> + '_ {
    let start = list.partition_point(|mention| mention.vreg < vreg);
    list[start..].iter().take_while(move |mention| mention.vreg == vreg).map(|mention| mention.block)
}

/// Checks that every use of a virtual register is defined on every path from the entry.
///
/// # Errors
/// With a use that is not.
pub fn check_definitions(func: &Function) -> Result<(), UndefinedUse> {
    if func.num_blocks() == 0 {
        return Ok(());
    }
    let Mentions { exposed, defs } = mentions(func);
    let mut vregs: Vec<VReg> = exposed.iter().map(|mention| mention.vreg).collect();
    vregs.dedup();
    let (mut live, mut stops) = (vec![0u64; func.num_blocks()], vec![0u64; func.num_blocks()]);
    let (mut work, mut touched) = (Vec::new(), Vec::new());
    for group in vregs.chunks(64) {
        for (bit, &vreg) in group.iter().enumerate() {
            for block in of(&defs, vreg) {
                stops[block.index()] |= 1 << bit;
                touched.push(block);
            }
            for block in of(&exposed, vreg) {
                live[block.index()] |= 1 << bit;
                work.push(block);
            }
        }
        touched.extend(&work);
        while let Some(block) = work.pop() {
            for &pred in func.block_preds(block) {
                let new = live[block.index()] & !stops[pred.index()] & !live[pred.index()];
                if new != 0 {
                    live[pred.index()] |= new;
                    work.push(pred);
                    touched.push(pred);
                }
            }
        }
        let lacking = live[func.entry().index()];
        if lacking != 0 {
            return Err(first_use(func, group[lacking.trailing_zeros() as usize]));
        }
        for block in touched.drain(..) {
            (live[block.index()], stops[block.index()]) = (0, 0);
        }
    }
    Ok(())
}

/// The first use of `vreg` that the entry reaches past no definition; there is one.
fn first_use(func: &Function, vreg: VReg) -> UndefinedUse {
    let (mut seen, mut work) = (vec![false; func.num_blocks()], vec![func.entry()]);
    while let Some(block) = work.pop() {
        if core::mem::replace(&mut seen[block.index()], true) {
            continue;
        }
        let mut first = None;
        walk(func, block, |mentioned, inst, access| {
            if mentioned == vreg && first.is_none() {
                first = Some((inst, access));
            }
        });
        match first {
            Some((inst, Access::Read)) => return UndefinedUse { vreg, block, inst },
            Some((_, Access::Write)) => {}
            None => work.extend(func.block_succs(block)),
        }
    }
    UndefinedUse { vreg, block: func.entry(), inst: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mach::{MachFunction, MachInst, Operand, RegClass, Role, Sink};
    use alloc::string::String;

    /// An instruction: the registers it reads, and those it writes.
    #[derive(Clone, Copy, Debug)]
    struct Inst(&'static [u32], &'static [u32]);

    impl MachInst for Inst {
        fn is_call(&self) -> bool {
            false
        }

        fn visit_operands(&self, mut visit: impl FnMut(Operand)) -> Role {
            self.0.iter().for_each(|&n| visit(Operand::use_reg(VReg::from_u32(n), RegClass(0))));
            self.1.iter().for_each(|&n| visit(Operand::def_reg(VReg::from_u32(n), RegClass(0))));
            Role::Usual
        }
    }

    /// A block: parameters, instructions, successors with arguments.
    type Block<'a> = (&'a [u32], &'a [Inst], &'a [(u32, &'a [u32])]);

    fn check(vregs: u32, blocks: &[Block<'_>]) -> Result<(), String> {
        let mut func = MachFunction::new();
        (0..vregs).for_each(|_| _ = func.new_vreg(RegClass(0), 4));
        let named = |list: &[u32]| list.iter().map(|&n| VReg::from_u32(n)).collect::<Vec<_>>();
        for &(params, insts, succs) in blocks {
            func.begin_block(&named(params));
            insts.iter().for_each(|&inst| func.push(inst));
            succs.iter().for_each(|&(to, args)| func.add_successor(MachBlock::from_u32(to), &named(args)));
            func.end_block();
        }
        func.finish().expect("all successors are there");
        check_definitions(func.body()).map_err(|undefined| alloc::format!("{undefined}"))
    }

    const NONE: &[u32] = &[];

    #[test]
    fn what_is_written_on_every_path_passes() {
        // Two arms write the same register; a loop reads what comes before it and what it carries.
        let blocks: &[Block<'_>] = &[
            (NONE, &[Inst(&[], &[0])], &[(1, NONE), (2, NONE)]),
            (NONE, &[Inst(&[0], &[1])], &[(3, &[1])]),
            (NONE, &[Inst(&[0], &[1])], &[(3, &[0])]),
            (&[2], &[Inst(&[1, 2], &[3])], &[(4, NONE), (5, NONE)]),
            (NONE, &[], &[(3, &[3])]),
            (NONE, &[Inst(&[0, 1, 3], &[])], &[]),
        ];
        assert_eq!(check(4, blocks), Ok(()));
    }

    #[test]
    fn what_one_path_does_not_write_is_found() {
        // The definition stands in one arm, the use behind the join.
        let one_arm: &[Block<'_>] = &[
            (NONE, &[Inst(&[], &[0])], &[(1, NONE), (2, NONE)]),
            (NONE, &[Inst(&[0], &[1])], &[(2, NONE)]),
            (NONE, &[Inst(&[0, 1], &[])], &[]),
        ];
        assert_eq!(
            check(2, one_arm),
            Err("inst2 in block2 reads v1, which a path to it does not write".into())
        );
        // In a loop, behind the use.
        let later: &[Block<'_>] =
            &[(NONE, &[], &[(1, NONE)]), (NONE, &[Inst(&[0], &[]), Inst(&[], &[0])], &[(1, NONE)])];
        assert_eq!(
            check(1, later),
            Err("inst0 in block1 reads v0, which a path to it does not write".into())
        );
        // In the same block, and as an argument.
        assert!(check(1, &[(NONE, &[Inst(&[0], &[0])], &[])]).is_err());
        let argument: &[Block<'_>] = &[(NONE, &[], &[(1, &[0])]), (&[1], &[], &[])];
        assert_eq!(
            check(2, argument),
            Err("an edge out of block0 passes v0, which a path to it does not write".into())
        );
    }

    #[test]
    fn more_registers_than_a_word_has_bits() {
        // All are written first and read in another block; only the last is not written.
        static NUMBERS: [u32; 200] = {
            let mut numbers = [0; 200];
            let mut n = 0;
            while n < 200 {
                numbers[n] = n as u32;
                n += 1;
            }
            numbers
        };
        let function = |written: &'static [u32]| {
            let first = [Inst(&[], written)];
            check(200, &[(NONE, &first, &[(1, NONE)]), (NONE, &[Inst(&NUMBERS, &[])], &[])])
        };
        assert_eq!(function(&NUMBERS), Ok(()));
        assert_eq!(
            function(&NUMBERS[..199]),
            Err("inst1 in block1 reads v199, which a path to it does not write".into())
        );
    }

    #[test]
    fn blocks_that_nothing_reaches_lack_nothing() {
        assert_eq!(check(1, &[(NONE, &[], &[]), (NONE, &[Inst(&[0], &[])], &[])]), Ok(()));
    }
}
