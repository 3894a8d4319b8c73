//! Texts without instructions, for machines whose instructions nobody knows here.

use super::text::{Assembled, Instructions, TextPlace, assemble};
use super::{AssemblyError, AssemblyErrorKind, Names};
use crate::buffer::CodeBuffer;
use crate::x86::Branches;

/// How a machine writes such texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataSyntax {
    /// Comments begin with `@`.
    Arm,
    /// Comments begin with `#`.
    Mips,
}

/// No instructions; words have four bytes.
struct Nothing<const ARM: bool>;

impl<const ARM: bool> Instructions<Branches> for Nothing<ARM> {
    const COMMENT: &'static str = if ARM { "@" } else { "#" };
    const WORD: u32 = 4;
    const ALIGN_IS_POWER: bool = true;

    fn instruction(
        &mut self,
        _: &mut CodeBuffer,
        _: &mut Names<'_>,
        _: &str,
    ) -> Result<(), AssemblyErrorKind> {
        Err(AssemblyErrorKind::Instruction)
    }
}

/// Makes data of a text that has no instructions.
///
/// # Errors
/// The first statement in doubt; so is each instruction.
pub fn assemble_data(text: &str, syntax: DataSyntax) -> Result<Assembled, AssemblyError> {
    match syntax {
        DataSyntax::Arm => assemble(&mut Nothing::<true>, text, TextPlace::Module),
        DataSyntax::Mips => assemble(&mut Nothing::<false>, text, TextPlace::Module),
    }
}
