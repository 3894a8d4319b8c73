//! `ice-regalloc` alone: registers for a function of some other compiler, on a machine with three registers.

use ice_regalloc::{
    Block, ClassInfo, Context, Function, Inst, Operand, Options, PReg, RegClass, RegUnits, RegisterFile,
    RegisterInfo, VReg, check,
};
use std::ops::Range;

/// Three registers that do not overlap; a call leaves only `r2` as it was.
static MACHINE: RegisterFile = RegisterFile {
    regs: &[
        RegisterInfo { name: "r0", units: RegUnits::of(0) },
        RegisterInfo { name: "r1", units: RegUnits::of(1) },
        RegisterInfo { name: "r2", units: RegUnits::of(2) },
    ],
    classes: &[ClassInfo { name: "any", order: &[PReg(0), PReg(1), PReg(2)], spill_size: 4, spill_align: 4 }],
    callee_saved: RegUnits::of(2),
};

/// One block without jumps: an instruction is its operands.
struct Straight(Vec<Vec<Operand>>);

impl Function for Straight {
    fn num_blocks(&self) -> usize {
        1
    }
    fn num_insts(&self) -> usize {
        self.0.len()
    }
    fn num_vregs(&self) -> usize {
        4
    }
    fn entry(&self) -> Block {
        Block::from_u32(0)
    }
    fn block_insts(&self, _: Block) -> Range<Inst> {
        Inst::from_u32(0)..Inst::from_u32(self.0.len() as u32)
    }
    fn block_succs(&self, _: Block) -> &[Block] {
        &[]
    }
    fn block_preds(&self, _: Block) -> &[Block] {
        &[]
    }
    fn block_params(&self, _: Block) -> &[VReg] {
        &[]
    }
    fn edge_args(&self, _: Block, _: usize) -> &[VReg] {
        &[]
    }
    fn operands(&self, inst: Inst) -> &[Operand] {
        &self.0[inst.as_u32() as usize]
    }
    fn is_terminator(&self, inst: Inst) -> bool {
        inst.as_u32() as usize + 1 == self.0.len()
    }
    fn vreg_class(&self, _: VReg) -> RegClass {
        RegClass(0)
    }
}

fn main() {
    let class = RegClass(0);
    let [a, b, c, d] = [0, 1, 2, 3].map(VReg::from_u32);
    let names = ["a = load", "b = load", "c = load", "d = a + b", "d = d + c", "return d"];
    let func = Straight(vec![
        vec![Operand::def_reg(a, class)],
        vec![Operand::def_reg(b, class)],
        vec![Operand::def_reg(c, class)],
        // The sum may take the register of `a`, which ends here.
        vec![Operand::def_reg(d, class), Operand::use_reg(a, class), Operand::use_reg(b, class)],
        vec![Operand::use_def_reg(d, class), Operand::use_any(c, class)],
        vec![Operand::use_fixed(d, class, PReg(0))],
    ]);
    let mut context = Context::new();
    let output = context.allocate(&func, &MACHINE, &Options::default()).expect("three registers are enough");
    for (inst, name) in names.iter().enumerate() {
        println!("{name:<12} {:?}", output.allocs_of(Inst::from_u32(inst as u32)));
    }
    for edit in &output.edits {
        println!("{}: {} = {}", edit.point, edit.to, edit.from);
    }
    check(&func, &MACHINE, output).expect("the checker proves the result");
}

#[test]
fn runs() {
    main();
}
