//! Reads what functions do with exceptions: the types that they know, invocations, and landing pads.

use alloc::vec::Vec;

use super::body::Body;
use super::{Failure, Parser};
use crate::exceptions::{Clause, InvokeCallee, InvokeData, PadData};
use crate::function::Function;
use crate::instruction::InstData;
use crate::text::ParseErrorKind::NumberOutOfRange;

impl Parser<'_> {
    /// `personality @name (@type, any)`, if it stands there.
    pub(super) fn personality(&mut self, func: &mut Function) -> Result<(), Failure> {
        if !self.accept_word("personality") {
            return Ok(());
        }
        func.exceptions.personality = Some(self.callee()?);
        self.expect(b'(', "'('")?;
        self.list(b')', |p| {
            let ty = if p.accept_word("any") { None } else { Some(p.symbol()?) };
            func.exceptions.types.push(ty);
            Ok(())
        })
    }

    /// `@f(v1) -> i32 to block1 unwind block2`, behind the word.
    pub(super) fn invoke(
        &mut self,
        word: &str,
        func: &mut Function,
        body: &mut Body,
    ) -> Result<InstData, Failure> {
        let (callee, address) = match word {
            "invoke" => (InvokeCallee::Function(self.callee()?), None),
            "invoke_as" => (InvokeCallee::As(self.signature_id()?), None),
            _ => (InvokeCallee::Address, Some(self.operand(func, body)?)),
        };
        let mut args = self.arguments(func, body)?;
        if let Some(address) = address {
            let all: Vec<_> = [address].into_iter().chain(func.args(args).iter().copied()).collect();
            args = func.make_args(&all);
        }
        let ret = self.return_type()?;
        self.expect_word("to")?;
        let normal = self.block(body)?;
        self.expect_word("unwind")?;
        let pad = self.block(body)?;
        let call = func.exceptions.make_invocation(InvokeData { callee, ret, normal, pad });
        Ok(InstData::Invoke { call, args })
    }

    /// `cleanup catch 1 filter (1, 2)`, behind the word.
    pub(super) fn landing_pad(&mut self, func: &mut Function) -> Result<InstData, Failure> {
        let mut pad = PadData { is_cleanup: self.accept_word("cleanup"), clauses: Vec::new() };
        loop {
            if self.accept_word("catch") {
                pad.clauses.push(Clause::Catch(self.type_number()?));
            } else if self.accept_word("filter") {
                let mut types = Vec::new();
                self.expect(b'(', "'('")?;
                self.list(b')', |p| {
                    types.push(p.type_number()?);
                    Ok(())
                })?;
                pad.clauses.push(Clause::Filter(types));
            } else {
                return Ok(InstData::LandingPad { pad: func.exceptions.make_pad(pad) });
            }
        }
    }

    fn type_number(&mut self) -> Result<u32, Failure> {
        let at = self.at;
        u32::try_from(self.number()?).map_err(|_| (at, NumberOutOfRange))
    }
}
