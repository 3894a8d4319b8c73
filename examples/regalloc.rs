//! `ice-regalloc` alone: registers for a function of some other compiler, on a machine with three registers.

use ice_regalloc::{
    ClassInfo, Context, Function, Inst, Operand, Options, PReg, RegClass, RegUnits, RegisterFile,
    RegisterInfo, check,
};

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

fn main() {
    let class = RegClass(0);
    let names = ["a = load", "b = load", "c = load", "d = a + b", "d = d + c", "return d"];
    let mut func = Function::new();
    let [a, b, c, d] = [0; 4].map(|_| func.vreg(class, 4));
    func.begin_block(&[]);
    for operands in [
        &[Operand::def_reg(a, class)][..],
        &[Operand::def_reg(b, class)],
        &[Operand::def_reg(c, class)],
        // The sum may take the register of `a`, which ends here.
        &[Operand::def_reg(d, class), Operand::use_reg(a, class), Operand::use_reg(b, class)],
        &[Operand::use_def_reg(d, class), Operand::use_any(c, class)],
        &[Operand::use_fixed(d, class, PReg(0))],
    ] {
        func.add_operands(operands);
        func.inst();
    }
    func.terminator();
    func.end_block();
    func.finish().expect("there are no edges");
    let mut context = Context::new();
    let output = context.allocate(&func, &MACHINE, &Options::default()).expect("three registers are enough");
    for (inst, name) in names.iter().enumerate() {
        println!("{name:<12} {:?}", output.allocs_of(&func, Inst::from_u32(inst as u32)));
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
