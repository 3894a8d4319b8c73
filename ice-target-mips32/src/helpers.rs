//! The functions that confined code calls and that its program does not bring: whoever makes an executable of it links
//! them. All but the two that save and restore registers are those of every machine ([`Helper`]).

use crate::emit::confine::{BUNDLE, jump, mask_base, write_stack};
use crate::target::Mips32;
use alloc::vec::Vec;
use ice_asm::CodeBuffer;
use ice_asm::mips32::{Alu, Branches, Encoder, FloatTransfer, Fpr, Gpr, Mem, Taken, Transfer};
use ice_codegen::helpers::Helper;
use ice_codegen::{Confinement, Libcall, NativeModel};

/// The code of a helper, or `None` where there is none. It begins a bundle.
pub fn confined_helper(helper: Libcall) -> Option<Vec<u8>> {
    let write = match helper {
        Libcall::Setjmp => set_jump,
        Libcall::Longjmp => long_jump,
        _ => {
            let helper = Helper::new(helper)?;
            let target = Mips32::new(&helper.module, NativeModel::Static).ok()?;
            return helper.code(&target.confined(Confinement::Sandbox));
        }
    };
    let mut buffer = CodeBuffer::<(), Branches>::new();
    buffer.set_bundle(BUNDLE);
    write(&mut Encoder::new(&mut buffer));
    buffer.finish().ok()?;
    Some(buffer.bytes().to_vec())
}

/// Where the buffer is, in both.
const BUFFER: Gpr = Gpr::A0;
/// The even registers of the doublewords that the program keeps over calls: from the start of the buffer on.
const KEPT_DOUBLES: [u8; 6] = [20, 22, 24, 26, 28, 30];
/// General registers that it keeps, behind those; the stack pointer and the place to go on follow them.
const KEPT: [u8; 9] = [16, 17, 18, 19, 20, 21, 22, 23, 30];
const KEPT_START: i32 = 8 * KEPT_DOUBLES.len() as i32;
const STACK: i32 = KEPT_START + 4 * KEPT.len() as i32;
const PLACE: i32 = STACK + 4;

fn transfer(e: &mut Encoder<'_>, op: Transfer, reg: Gpr, offset: i32) {
    mask_base(e, BUFFER);
    e.transfer(op, reg, Mem::new(BUFFER, offset));
}

fn each_kept(e: &mut Encoder<'_>, (of_double, of_word): (FloatTransfer, Transfer)) {
    for (&number, offset) in KEPT_DOUBLES.iter().zip((0..).step_by(8)) {
        mask_base(e, BUFFER);
        e.float_transfer(of_double, Fpr::new(number), Mem::new(BUFFER, offset));
    }
    for (&number, offset) in KEPT.iter().zip((KEPT_START..).step_by(4)) {
        transfer(e, of_word, Gpr::new(number), offset);
    }
}

/// `setjmp(buffer)`
fn set_jump(e: &mut Encoder<'_>) {
    each_kept(e, (FloatTransfer::Sdc1, Transfer::Sw));
    transfer(e, Transfer::Sw, Gpr::SP, STACK);
    transfer(e, Transfer::Sw, Gpr::RA, PLACE);
    e.load_number(Gpr::V0, 0);
    jump(e, Gpr::RA, Taken::default());
}

/// `longjmp(buffer, value)`: 0 becomes 1.
fn long_jump(e: &mut Encoder<'_>) {
    each_kept(e, (FloatTransfer::Ldc1, Transfer::Lw));
    transfer(e, Transfer::Lw, Gpr::AT, STACK);
    transfer(e, Transfer::Lw, Gpr::RA, PLACE);
    write_stack(e, |e| e.alu(Alu::Or, Gpr::SP, Gpr::AT, Gpr::ZERO));
    e.alu(Alu::Or, Gpr::V0, Gpr::A1, Gpr::ZERO);
    e.load_number(Gpr::AT, 1);
    e.alu(Alu::Movz, Gpr::V0, Gpr::AT, Gpr::A1);
    jump(e, Gpr::RA, Taken::default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use ice_validator::{Features, Target, Text, scratch_words, validate};

    /// Every helper keeps the rules of confined code.
    #[test]
    fn helpers_are_confined() {
        let mut count = 0;
        for &libcall in Libcall::ALL {
            let Some(mut code) = confined_helper(libcall) else { continue };
            while !code.len().is_multiple_of(BUNDLE as usize) {
                code.extend(0_u32.to_le_bytes());
            }
            let text = Text { bytes: &code, address: 0x20000 };
            let mut scratch = alloc::vec![0; scratch_words(code.len())];
            let verdict = validate(Target::Mips32, Features::ALL, text, &mut scratch);
            assert_eq!(verdict, Ok(()), "{}", libcall.name());
            count += 1;
        }
        assert_eq!(count, 30);
    }
}
