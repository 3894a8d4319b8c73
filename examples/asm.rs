//! `ice-asm` alone: a loop for x86-64 and for ARM, as bytes and as text.

use ice_asm::x86::{Alu, Cond, Encoder, Gpr, Mode, Rm, Width};
use ice_asm::{CodeBuffer, TextListing, arm32};

/// Counts edi down to 0 and adds it up.
fn sum_on_x86() -> CodeBuffer<TextListing> {
    let mut buffer = CodeBuffer::new();
    let (top, out) = (buffer.new_label(), buffer.new_label());
    let mut e = Encoder::new(&mut buffer, Mode::Bits64);
    e.alu_rm_r(Alu::Xor, Width::B32, Rm::Reg(Gpr::RAX), Gpr::RAX);
    e.bind(top);
    e.alu_rm_r(Alu::Add, Width::B32, Rm::Reg(Gpr::RAX), Gpr::RDI);
    e.alu_rm_i(Alu::Sub, Width::B32, Rm::Reg(Gpr::RDI), 1.into());
    e.jump_if(Cond::E, out);
    e.jump(top);
    e.bind(out);
    e.ret();
    buffer.finish().expect("all labels are bound");
    buffer
}

/// The same with r0 and r1.
fn sum_on_arm() -> CodeBuffer<TextListing, arm32::Branches> {
    use arm32::{Alu, Cond, Flags, Gpr, ModImm, Operand2};
    let mut buffer = CodeBuffer::new();
    let top = buffer.new_label();
    let mut e = arm32::Encoder::new(&mut buffer);
    let (count, sum) = (Gpr::new(0), Gpr::new(1));
    let one = Operand2::Imm(ModImm::new(1).expect("1 is an immediate"));
    e.mov_u32(Cond::Al, sum, 0);
    e.bind(top);
    e.alu(Cond::Al, Alu::Add, Flags::Keep, sum, sum, Operand2::Reg(count));
    e.alu(Cond::Al, Alu::Sub, Flags::Set, count, count, one);
    e.jump_if(Cond::Ne, top);
    buffer.finish().expect("all labels are bound");
    buffer
}

fn main() {
    let (x86, arm) = (sum_on_x86(), sum_on_arm());
    let mut text = String::new();
    x86.write_listing(&mut text, |_, _| Ok(())).expect("a string takes everything");
    arm.write_listing(&mut text, |_, _| Ok(())).expect("a string takes everything");
    println!("{text}{:02x?}\n{:02x?}", x86.bytes(), arm.bytes());
    assert!(text.contains("jne .L0"), "two jumps have become one");
    assert_eq!((x86.bytes().len(), arm.bytes().len()), (10, 16));
}

#[test]
fn runs() {
    main();
}
