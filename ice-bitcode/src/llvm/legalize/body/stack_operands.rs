//! Operands of inline assembly on the register stack of the x87 (GCC manual, «Extended Asm», x86 floating-point operands).
//!
//! No value of a function lives there. Such an operand lies in memory instead: in front of the text inputs are pushed, the
//! one for the top last; behind it outputs are popped, and then the inputs that are still there. The text has taken
//! away those that it says to destroy; those that an output is tied to have become that output.

use alloc::collections::BinaryHeap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use ice_ir::assembly::{Assembly, Choice, Constraint, Dialect, Direction, Piece};

/// Number of registers of the stack.
const DEPTH: u8 = 8;

/// Which operands of a statement are on the stack.
pub(super) struct StackOperands {
    /// For each constraint the register that it is in, counted from the top.
    registers: Vec<Option<u8>>,
    /// The set of registers that the statement destroys.
    destroyed: u8,
}

/// The number of the register of this name: `st`, `st(1)`.
fn stack_register(name: &str) -> Option<u8> {
    match name.strip_prefix("st")? {
        "" => Some(0),
        index => index.strip_prefix('(')?.strip_suffix(')')?.parse().ok().filter(|&index| index < DEPTH),
    }
}

impl StackOperands {
    /// Those of a statement with these constraints.
    pub(super) fn of(operands: &[Constraint<'_>]) -> StackOperands {
        let mut registers: Vec<Option<u8>> = Vec::with_capacity(operands.len());
        let mut destroyed = 0;
        for operand in operands {
            let register = match operand.choices[..] {
                [Choice::Named(name)] if !operand.is_indirect => stack_register(name),
                [Choice::Same(output)] => registers.get(output as usize).copied().flatten(),
                _ => None,
            };
            let is_destroyed = operand.direction == Direction::Clobber;
            destroyed |= register.filter(|_| is_destroyed).map_or(0, |register| 1 << register);
            registers.push(register.filter(|_| !is_destroyed));
        }
        StackOperands { registers, destroyed }
    }

    /// Whether the operand of this constraint is on the stack.
    pub(super) fn has(&self, constraint: usize) -> bool {
        self.registers.get(constraint).is_some_and(Option::is_some)
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        !self.registers.iter().any(Option::is_some)
    }

    /// The constraints of the operands in one direction, in the order of the stack from its top. `None` if a register between them is
    /// left out, or is there twice.
    fn in_order(&self, operands: &[Constraint<'_>], direction: Direction) -> Option<Vec<usize>> {
        let all: BinaryHeap<_> = (0..operands.len())
            .filter(|&n| operands[n].direction == direction)
            .filter_map(|n| Some((self.registers[n]?, n)))
            .collect();
        let all = all.into_sorted_vec();
        let is_gapless = all.iter().zip(0..).all(|(&(register, _), place)| register == place);
        is_gapless.then(|| all.into_iter().map(|(_, n)| n).collect())
    }

    /// The same statement with these operands in memory. `suffixes` has for the constraints of such operands the letter of their
    /// size: `s`, `l` or `t`.
    ///
    /// `None` if they cannot be on the stack like this, or if the text is in Intel's syntax, in which nobody writes them.
    pub(super) fn in_memory(
        &self,
        assembly: &Assembly,
        operands: &[Constraint<'_>],
        suffixes: &[char],
    ) -> Option<Assembly> {
        if assembly.dialect == Dialect::Intel {
            return None;
        }
        let inputs = self.in_order(operands, Direction::Input)?;
        let outputs = self.in_order(operands, Direction::Output)?;
        let mut template = String::new();
        for &n in inputs.iter().rev() {
            let _ = writeln!(template, "fld{} ${n}", suffixes[n]);
        }
        self.write_named(assembly, &mut template)?;
        for &n in &outputs {
            let _ = write!(template, "\nfstp{} ${n}", suffixes[n]);
        }
        let is_left = |&&n: &&usize| operands[n].same_as().is_none() && !self.is_destroyed(n);
        for _ in inputs.iter().filter(is_left) {
            template.push_str("\nfstp %st(0)");
        }
        let constraints = assembly.constraints.split(',').zip(operands).enumerate();
        let constraints = constraints.map(|(n, (text, operand))| match operand.direction {
            Direction::Output if self.has(n) => "=*m".into(),
            _ if self.has(n) => "*m".into(),
            // The addresses of what is popped are read behind the text.
            Direction::Output if !operand.is_indirect && !operand.is_early => text.replacen('=', "=&", 1),
            _ => text.into(),
        });
        let constraints = constraints.collect::<Vec<String>>().join(",");
        Some(Assembly { template, constraints, dialect: Dialect::Att, ..assembly.clone() })
    }

    fn is_destroyed(&self, constraint: usize) -> bool {
        self.registers[constraint].is_some_and(|register| self.destroyed >> register & 1 != 0)
    }

    /// Writes the template, in which operands on the stack are named.
    fn write_named(&self, assembly: &Assembly, template: &mut String) -> Option<()> {
        for piece in assembly.pieces() {
            let written = match piece? {
                Piece::Text(plain) => {
                    template.push_str(&plain.replace('$', "$$"));
                    Ok(())
                }
                Piece::Unique => write!(template, "${{:uid}}"),
                Piece::Private => write!(template, "${{:private}}"),
                Piece::Comment => write!(template, "${{:comment}}"),
                Piece::Operand(n, modifier) => {
                    match (self.registers.get(n as usize).copied().flatten(), modifier) {
                        (Some(register), _) => write!(template, "%st({register})"),
                        (None, Some(modifier)) => write!(template, "${{{n}:{modifier}}}"),
                        (None, None) => write!(template, "${{{n}}}"),
                    }
                }
            };
            written.ok()?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(template: &str, constraints: &str, suffixes: &[char]) -> Option<(String, String)> {
        let assembly =
            Assembly { template: template.into(), constraints: constraints.into(), ..Assembly::default() };
        let operands = assembly.operands().unwrap();
        let stack = StackOperands::of(&operands);
        let moved = stack.in_memory(&assembly, &operands, suffixes)?;
        Some((moved.template, moved.constraints))
    }

    #[test]
    fn what_is_pushed_is_popped() {
        // An input that no output is tied to stays, and is dropped.
        let (template, constraints) =
            rewritten("fprem; fnstsw %ax", "={st},={ax},{st(1)},0,~{flags}", &['l', ' ', 't', 'l']).unwrap();
        assert_eq!(template, "fldt $2\nfldl $3\nfprem; fnstsw %ax\nfstpl $0\nfstp %st(0)");
        assert_eq!(constraints, "=*m,=&{ax},*m,*m,~{flags}");
        // The text takes one away.
        let (template, _) = rewritten("fyl2x", "={st},0,{st(1)},~{st(1)}", &['t'; 4]).unwrap();
        assert_eq!(template, "fldt $2\nfldt $1\nfyl2x\nfstpt $0");
        let (template, _) = rewritten("fistpll $0", "=*m,{st},~{st}", &[' ', 's', ' ']).unwrap();
        assert_eq!(template, "flds $1\nfistpll ${0}");
        let (template, _) = rewritten("fsincos; fxch $1; $$2", "={st},={st(1)},0", &['l', 's', 'l']).unwrap();
        assert_eq!(template, "fldl $2\nfsincos; fxch %st(1); $$2\nfstpl $0\nfstps $1");
    }

    #[test]
    fn gaps_and_pairs_are_refused() {
        assert_eq!(rewritten("", "{st(1)}", &['l']), None);
        assert_eq!(rewritten("", "{st},{st}", &['l'; 2]), None);
        assert_eq!(rewritten("", "={st(2)},={st}", &['l'; 2]), None);
        assert_eq!(stack_register("st(8)"), None);
    }
}
