//! Inline assembly: only what emits nothing.

use alloc::vec::Vec;

use super::prototype::Prototype;
use super::{Body, Checked, fail};
use crate::error::Error;
use crate::llvm::legalize::shape::Kind;
use crate::llvm::wire::constants::{Constant, View};

impl Body<'_, '_> {
    /// Inline assembly: only what emits nothing.
    pub(super) fn assembly_call(&mut self, number: u32, prototype: &Prototype) -> Checked<()> {
        let env = self.m.environment();
        let view = View { env: &env, local: &self.s.constants };
        let Some((Constant::InlineAsm(index), _)) = view.get(number) else {
            return fail(Error::ConstantReference { value: number.into() });
        };
        let table = view.table(number);
        let assembly = *table.inline_asm(index);
        let (template, constraints) = (table.bytes(assembly.template), table.bytes(assembly.constraints));
        let text = alloc::string::String::from_utf8_lossy(template);
        // Comments and the alignment of code are nothing.
        let is_nothing =
            |line: &str| line.is_empty() || line.starts_with(['#', ';']) || line.starts_with(".p2align ");
        let is_empty = text.lines().all(|line| is_nothing(line.trim()));
        // Operands: outputs first, then inputs that are tied to them, then inputs of any kind.
        let mut outputs = 0;
        let mut inputs = Vec::new();
        let mut is_plain = is_empty;
        for constraint in constraints.split(|&c| c == b',').filter(|c| !c.is_empty()) {
            match constraint {
                [b'~', ..] => {}
                [b'=', b'*', ..] => inputs.push(None),
                [b'=', ..] => outputs += 1,
                [b'!', ..] => is_plain = false,
                tied => {
                    let digits = core::str::from_utf8(tied).ok();
                    inputs.push(digits.and_then(|digits| digits.parse::<usize>().ok()));
                }
            }
        }
        is_plain &= outputs <= 1 && (outputs == 0) == (self.kind(prototype.ret) == Kind::Void);
        if !is_plain {
            let what = alloc::format!("inline assembly {text:?}");
            return fail(Error::Unsupported { what });
        }
        let mut result = None;
        for (i, &ty) in self.m.types.list(prototype.params).iter().enumerate() {
            let operand = self.argument(ty)?;
            if inputs.get(i).copied().flatten() == Some(0) {
                result = operand;
            }
        }
        self.end()?;
        if outputs == 0 {
            return Ok(());
        }
        match result {
            Some(result) if result.ty == prototype.ret => self.define(result),
            // An output that nothing sets.
            _ => {
                let result = self.undefined(prototype.ret)?;
                self.define(result)
            }
        }
    }
}
