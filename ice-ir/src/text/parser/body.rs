//! Reads function bodies: first the numbers and types of all values and the labels of all blocks, then the
//! instructions.

use alloc::collections::{BTreeMap, BTreeSet, BinaryHeap};
use alloc::vec::Vec;

use super::{Failure, Parser, entity_number, lookup};
use crate::assembly::Assembly;
use crate::entities::{Block, FuncId, SigId, Symbol, Value};
use crate::function::{Function, SwitchKey};
use crate::instruction::{BinaryOp, CastOp, FloatCond, InstData, IntCond, TailHint, ValueRange};
use crate::locations::SourceLocation;
use crate::module::FunctionKind;
use crate::text::ParseErrorKind::{
    Duplicate, Expected, NumberOutOfRange, Undefined, UnknownOpcode, UnknownType,
};
use crate::text::lexer::TokenKind;
use crate::types::Type;

/// Names of one body.
#[derive(Default)]
pub(super) struct Body {
    /// Number in the text, token and type of every value but parameters.
    definitions: Vec<(u32, usize, Type)>,
    /// Number in the text and value, sorted.
    values: Vec<(u32, Value)>,
    /// Label in the text and block, sorted.
    blocks: Vec<(u32, Block)>,
    /// Values of names that are operands.
    addresses: BTreeMap<Symbol, Value>,
    args: Vec<Value>,
    incoming: Vec<(Value, Block)>,
}

impl Parser<'_> {
    pub(super) fn value_number(&mut self) -> Result<u32, Failure> {
        match entity_number(self.peek_word(), "v") {
            Some(number) => {
                self.advance();
                Ok(number)
            }
            None => self.fail(Expected("value")),
        }
    }

    /// The body of `id`, from its parameter list on.
    pub(super) fn function_body(&mut self, id: FuncId) -> Result<(), Failure> {
        let mut func = Function::new();
        func.begin(id, self.program.module.signature(id));
        let mut body = core::mem::take(&mut self.body);
        body.definitions.clear();
        body.values.clear();
        body.blocks.clear();
        body.addresses.clear();

        let params_at = self.at;
        self.expect(b'(', "'('")?;
        let mut params = func.params().iter().copied();
        self.list(b')', |p| {
            let number = p.value_number()?;
            body.values.extend(params.next().map(|value| (number, value)));
            p.expect(b':', "':' and a type")?;
            p.ty().map(drop)
        })?;
        while !self.accept(b'{') {
            self.advance();
        }
        self.personality(&mut func)?;
        self.scan_definitions(&mut body, &mut func)?;
        self.define_values(&mut body, &mut func, params_at)?;
        body.blocks = sorted(core::mem::take(&mut body.blocks));

        // The statements before the first block were read with the definitions.
        while entity_number(self.peek_word(), "v").is_some() {
            let at = self.at + 4;
            if !self.is_constant(at) {
                return Err((at.min(self.tokens.len() - 1), Expected("constant, as no block has begun")));
            }
            self.at = at;
            self.advance();
        }
        while !self.accept(b'}') {
            let Some(label) = entity_number(self.peek_word(), "block") else {
                return self.fail(Expected("block or '}'"));
            };
            let block = lookup(&body.blocks, label).ok_or((self.at, Undefined("block")))?;
            self.advance();
            self.expect(b':', "':'")?;
            if self.accept_word("rare") {
                let at = self.at;
                let branches = self.number()?;
                func.rarity_mut(block).branches =
                    u32::try_from(branches).map_err(|_| (at, NumberOutOfRange))?;
            }
            if self.accept_word("cold") {
                func.rarity_mut(block).calls = true;
            }
            while self.kind(self.at) != TokenKind::Punct(b'}')
                && entity_number(self.peek_word(), "block").is_none()
            {
                self.instruction(&mut func, &mut body, block)?;
            }
        }
        self.program.bodies.push(func);
        self.body = body;
        Ok(())
    }

    /// True if a constant or an address stands at `at`.
    fn is_constant(&self, at: usize) -> bool {
        match self.kind(at) {
            TokenKind::Number | TokenKind::Symbol | TokenKind::QuotedSymbol => true,
            TokenKind::Word => matches!(self.text_of(at), "undef" | "zero" | "true" | "false"),
            _ => false,
        }
    }

    /// Collects `v1: type =` and `block1:` up to the end of the body.
    fn scan_definitions(&mut self, body: &mut Body, func: &mut Function) -> Result<(), Failure> {
        let mut labels = BTreeSet::new();
        let mut at = self.at;
        while self.kind(at) != TokenKind::Punct(b'}') {
            if self.kind(at) == TokenKind::Word && self.kind(at + 1) == TokenKind::Punct(b':') {
                let word = self.text_of(at);
                if let Some(number) = entity_number(word, "v") {
                    let is_word = self.kind(at + 2) == TokenKind::Word;
                    let ty = Type::from_name(self.text_of(at + 2)).filter(|&ty| is_word && ty != Type::Void);
                    let ty = ty.ok_or((at + 2, UnknownType))?;
                    if self.kind(at + 3) != TokenKind::Punct(b'=') {
                        return Err((at + 3, Expected("'='")));
                    }
                    body.definitions.push((number, at, ty));
                } else if let Some(label) = entity_number(word, "block") {
                    if !labels.insert(label) {
                        return Err((at, Duplicate("block")));
                    }
                    body.blocks.push((label, func.append_new_block()));
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// Creates all values in the order of their numbers.
    fn define_values(&mut self, body: &mut Body, func: &mut Function, at: usize) -> Result<(), Failure> {
        let resume = self.at;
        body.definitions = sorted(core::mem::take(&mut body.definitions));
        for i in 0..body.definitions.len() {
            let (number, at, ty) = body.definitions[i];
            if i > 0 && body.definitions[i - 1].0 == number {
                return Err((at, Duplicate("value")));
            }
            self.at = at + 4;
            let value = match self.kind(self.at) {
                TokenKind::Number => {
                    let bits = self.number()?;
                    match ty {
                        Type::F32 if u32::try_from(bits).is_ok() => func.make_float(ty, bits as u64),
                        Type::F64 if u64::try_from(bits).is_ok() => func.make_float(ty, bits as u64),
                        _ => func.make_int(ty, self.int_of_type(bits, ty, at + 4)?),
                    }
                }
                TokenKind::Symbol | TokenKind::QuotedSymbol => {
                    let symbol = self.symbol()?;
                    func.make_address(symbol, ty)
                }
                _ if self.peek_word() == "undef" => func.make_undef(ty),
                _ if self.peek_word() == "zero" => func.make_zero(ty),
                _ if matches!(self.peek_word(), "true" | "false") => {
                    if ty != Type::I1 {
                        return self.fail(Expected("constant of the type"));
                    }
                    func.make_int(ty, -i64::from(self.peek_word() == "true"))
                }
                _ => func.make_forward(ty),
            };
            body.values.push((number, value));
        }
        body.values = sorted(core::mem::take(&mut body.values));
        if body.values.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err((at, Duplicate("value")));
        }
        self.at = resume;
        Ok(())
    }

    /// `number` as a constant of `ty`: signed or unsigned, of its width.
    fn int_of_type(&self, number: i128, ty: Type, at: usize) -> Result<i64, Failure> {
        if !ty.is_scalar_int() {
            return Err((at, Expected("constant of the type")));
        }
        let bits = ty.bits();
        if number < -(1i128 << (bits - 1)) || number >= 1i128 << bits {
            return Err((at, NumberOutOfRange));
        }
        Ok(ty.sign_extend(number as i64))
    }

    pub(super) fn operand(&mut self, func: &mut Function, body: &mut Body) -> Result<Value, Failure> {
        let at = self.at;
        if matches!(self.kind(at), TokenKind::Symbol | TokenKind::QuotedSymbol) {
            let symbol = self.symbol()?;
            let pointer = self.program.module.pointer_type;
            return Ok(*body.addresses.entry(symbol).or_insert_with(|| func.make_address(symbol, pointer)));
        }
        let number = self.value_number()?;
        lookup(&body.values, number).ok_or((at, Undefined("value")))
    }

    fn comma_operand(&mut self, func: &mut Function, body: &mut Body) -> Result<Value, Failure> {
        self.expect(b',', "','")?;
        self.operand(func, body)
    }

    fn pair(&mut self, func: &mut Function, body: &mut Body) -> Result<[Value; 2], Failure> {
        Ok([self.operand(func, body)?, self.comma_operand(func, body)?])
    }

    pub(super) fn block(&mut self, body: &Body) -> Result<Block, Failure> {
        let Some(label) = entity_number(self.peek_word(), "block") else {
            return self.fail(Expected("block"));
        };
        let block = lookup(&body.blocks, label).ok_or((self.at, Undefined("block")))?;
        self.advance();
        Ok(block)
    }

    fn comma_block(&mut self, body: &Body) -> Result<Block, Failure> {
        self.expect(b',', "','")?;
        self.block(body)
    }

    fn comma_alignment(&mut self) -> Result<u8, Failure> {
        self.expect(b',', "',' and an alignment")?;
        self.alignment()
    }

    /// One instruction, appended to `block`.
    fn instruction(&mut self, func: &mut Function, body: &mut Body, block: Block) -> Result<(), Failure> {
        let mut result = None;
        if entity_number(self.peek_word(), "v").is_some() {
            let number = self.value_number()?;
            result = lookup(&body.values, number);
            self.expect(b':', "':' and a type")?;
            self.ty()?;
            self.expect(b'=', "'='")?;
        }
        let at = self.at;
        let data = self.inst_data(func, body)?;
        let has_result = match data {
            InstData::Store { .. } => false,
            InstData::Call { .. }
            | InstData::CallIndirect { .. }
            | InstData::CallAs { .. }
            | InstData::Assembly { .. }
            | InstData::CallIntrinsic { .. } => result.is_some(),
            _ => !data.is_terminator(),
        };
        let location = self.source_location()?;
        func.set_source_location(location);
        let inst = match (has_result, result) {
            (true, Some(value)) => func.make_inst_defining(data, value),
            (false, None) => func.make_inst(data, Type::Void),
            (true, None) => return Err((at, Expected("value and type before the operation"))),
            (false, Some(_)) => return Err((at, Expected("operation with a result"))),
        };
        func.layout.append_inst(block, inst);
        Ok(())
    }

    /// `at` and a number behind an instruction.
    fn source_location(&mut self) -> Result<Option<SourceLocation>, Failure> {
        if !self.accept_word("at") {
            return Ok(None);
        }
        let at = self.at;
        let number = u32::try_from(self.number()?).map_err(|_| (at, NumberOutOfRange))?;
        Ok(Some(SourceLocation(number)))
    }

    fn inst_data(&mut self, func: &mut Function, body: &mut Body) -> Result<InstData, Failure> {
        let at = self.at;
        let word = self.peek_word();
        self.advance();
        if let Some(op) = BinaryOp::from_name(word) {
            return Ok(InstData::Binary { op, args: self.pair(func, body)? });
        }
        if let Some(op) = CastOp::from_name(word) {
            return Ok(InstData::Cast { op, arg: self.operand(func, body)? });
        }
        Ok(match word {
            "icmp" => {
                let cond = IntCond::from_name(self.peek_word()).ok_or((self.at, UnknownOpcode))?;
                self.advance();
                InstData::Icmp { cond, args: self.pair(func, body)? }
            }
            "fcmp" => {
                let cond = FloatCond::from_name(self.peek_word()).ok_or((self.at, UnknownOpcode))?;
                self.advance();
                InstData::Fcmp { cond, args: self.pair(func, body)? }
            }
            "select" => {
                let [cond, if_true] = self.pair(func, body)?;
                InstData::Select { cond, if_true, if_false: self.comma_operand(func, body)? }
            }
            "extractelement" => {
                let [vector, index] = self.pair(func, body)?;
                InstData::ExtractElement { vector, index }
            }
            "insertelement" => {
                let [vector, element] = self.pair(func, body)?;
                InstData::InsertElement { vector, element, index: self.comma_operand(func, body)? }
            }
            "join" => InstData::Join { halves: self.pair(func, body)? },
            "half" => {
                let vector = self.operand(func, body)?;
                self.expect(b',', "','")?;
                let at = self.at;
                let half = u8::try_from(self.number()?).map_err(|_| (at, NumberOutOfRange))?;
                InstData::Half { vector, half }
            }
            "alloca" => {
                let size = self.operand(func, body)?;
                let align_log2 = self.comma_alignment()?;
                InstData::Alloca { size, align_log2, kind: self.object_kind()? }
            }
            "load" => {
                let address = self.operand(func, body)?;
                InstData::Load { address, align_log2: self.comma_alignment()? }
            }
            "store" => {
                let value = self.operand(func, body)?;
                self.expect_word("to")?;
                let address = self.operand(func, body)?;
                InstData::Store { address, value, align_log2: self.comma_alignment()? }
            }
            "tail" => self.call(func, body, TailHint::Tail)?,
            "second" => InstData::SecondResult { first: self.operand(func, body)? },
            "machine" => {
                let assembly = Assembly { is_instruction: true, ..self.assembly()? };
                let args = self.arguments(func, body)?;
                InstData::MachineOp { assembly: func.make_assembly(assembly), args }
            }
            "asm" => {
                let mut assembly = self.assembly()?;
                let args = self.arguments(func, body)?;
                if !self.accept_word("to") {
                    return Ok(InstData::Assembly { assembly: func.make_assembly(assembly), args });
                }
                assembly.targets.push(self.block(body)?);
                while self.accept(b',') {
                    assembly.targets.push(self.block(body)?);
                }
                InstData::AssemblyJump { assembly: func.make_assembly(assembly), args }
            }
            "output" => {
                let first = self.operand(func, body)?;
                self.expect(b',', "','")?;
                let at = self.at;
                let number = u32::try_from(self.number()?).map_err(|_| (at, NumberOutOfRange))?;
                InstData::Output { first, number }
            }
            "call" | "call_indirect" | "call_as" => {
                self.at = at;
                self.call(func, body, TailHint::None)?
            }
            "return_call" => {
                let (callee, at) = (self.callee()?, self.at);
                match self.program.module.functions[callee].kind {
                    FunctionKind::Intrinsic(_) => {
                        return Err((at - 1, Expected("function that is no intrinsic")));
                    }
                    _ => InstData::ReturnCall { callee, args: self.arguments(func, body)? },
                }
            }
            "return_call_indirect" => {
                let callee = self.operand(func, body)?;
                InstData::ReturnCallIndirect { callee, args: self.arguments(func, body)? }
            }
            "return_call_as" => {
                let signature = self.signature_id()?;
                InstData::ReturnCallAs { signature, args: self.arguments(func, body)? }
            }
            "phi" => self.phi(func, body)?,
            "br" if entity_number(self.peek_word(), "block").is_some() => {
                InstData::Br { target: self.block(body)? }
            }
            "br" => {
                let cond = self.operand(func, body)?;
                let if_true = self.comma_block(body)?;
                InstData::CondBr { cond, if_true, if_false: self.comma_block(body)? }
            }
            "switch" => self.switch(func, body, SwitchKey::Number)?,
            "indirect_br" => self.switch(func, body, SwitchKey::Label)?,
            "block_address" => {
                let function = self.callee()?;
                self.expect(b',', "','")?;
                InstData::BlockAddress { function, label: self.label()? }
            }
            "ret"
                if entity_number(self.peek_word(), "v").is_some()
                    || matches!(self.kind(self.at), TokenKind::Symbol | TokenKind::QuotedSymbol) =>
            {
                let first = self.operand(func, body)?;
                match self.accept(b',') {
                    true => InstData::RetPair { values: [first, self.operand(func, body)?] },
                    false => InstData::Ret { value: Some(first) },
                }
            }
            "ret" => InstData::Ret { value: None },
            "unreachable" => InstData::Unreachable,
            "invoke" | "invoke_indirect" | "invoke_as" => self.invoke(word, func, body)?,
            "invoke_result" => InstData::InvokeResult,
            "landing_pad" => self.landing_pad(func)?,
            "" => return Err((at, Expected("instruction"))),
            _ => return Err((at, UnknownOpcode)),
        })
    }

    /// The arguments of a call, and behind them its live values, if it says that it has some.
    fn call_arguments(
        &mut self,
        func: &mut Function,
        body: &mut Body,
        tail: TailHint,
    ) -> Result<(ValueRange, TailHint), Failure> {
        let args = self.arguments(func, body)?;
        if tail != TailHint::None || !self.accept_word("live") {
            return Ok((args, tail));
        }
        let live = self.arguments(func, body)?;
        let all: Vec<Value> = [args, live].iter().flat_map(|&list| func.args(list)).copied().collect();
        Ok((func.make_args(&all), TailHint::Live))
    }

    fn call(&mut self, func: &mut Function, body: &mut Body, tail: TailHint) -> Result<InstData, Failure> {
        let at = self.at;
        enum Callee {
            Direct(FuncId),
            Indirect(Value),
            As(SigId),
        }
        let callee = if self.accept_word("call") {
            Callee::Direct(self.callee()?)
        } else if self.accept_word("call_indirect") {
            Callee::Indirect(self.operand(func, body)?)
        } else if self.accept_word("call_as") {
            Callee::As(self.signature_id()?)
        } else {
            return Err((at, Expected("call, call_indirect or call_as")));
        };
        let (args, tail) = self.call_arguments(func, body, tail)?;
        Ok(match callee {
            Callee::As(signature) => InstData::CallAs { signature, args, tail },
            Callee::Indirect(callee) => InstData::CallIndirect { callee, args, tail },
            Callee::Direct(callee) => match self.program.module.functions[callee].kind {
                FunctionKind::Intrinsic(op) => InstData::CallIntrinsic { op, callee, args, tail },
                _ => InstData::Call { callee, args, tail },
            },
        })
    }

    /// The name of a function.
    pub(super) fn callee(&mut self) -> Result<FuncId, Failure> {
        let at = self.at;
        match self.symbol()? {
            Symbol::Function(id) => Ok(id),
            Symbol::Global(_) => Err((at, Expected("function"))),
        }
    }

    /// The arguments of a call in their parentheses.
    pub(super) fn arguments(&mut self, func: &mut Function, body: &mut Body) -> Result<ValueRange, Failure> {
        self.expect(b'(', "'('")?;
        let mut args = core::mem::take(&mut body.args);
        args.clear();
        self.list(b')', |p| {
            args.push(p.operand(func, body)?);
            Ok(())
        })?;
        let range = func.make_args(&args);
        body.args = args;
        Ok(range)
    }

    fn phi(&mut self, func: &mut Function, body: &mut Body) -> Result<InstData, Failure> {
        let mut incoming = core::mem::take(&mut body.incoming);
        incoming.clear();
        while self.accept(b'[') {
            let value = self.operand(func, body)?;
            incoming.push((value, self.comma_block(body)?));
            self.expect(b']', "']'")?;
            if !self.accept(b',') {
                break;
            }
            if self.kind(self.at) != TokenKind::Punct(b'[') {
                return self.fail(Expected("'['"));
            }
        }
        let range = func.make_incoming(&incoming);
        body.incoming = incoming;
        Ok(InstData::Phi { incoming: range })
    }

    fn switch(&mut self, func: &mut Function, body: &mut Body, key: SwitchKey) -> Result<InstData, Failure> {
        let at = self.at;
        let value = self.operand(func, body)?;
        let default = self.comma_block(body)?;
        let ty = func.value_type(value);
        let table = func.make_switch();
        func.switch_mut(table).key = key;
        self.expect(b'[', "'['")?;
        self.list(b']', |p| {
            let number_at = p.at;
            let number = p.number()?;
            if !ty.is_scalar_int() {
                return Err((at, Expected("integer to switch on")));
            }
            let number = p.int_of_type(number, ty, number_at)?;
            p.expect(b':', "':'")?;
            let target = p.block(body)?;
            func.switch_mut(table).cases.push((number, target));
            Ok(())
        })?;
        Ok(InstData::Switch { value, default, table })
    }
}

/// The items in their order, by a heap: a sort of each list's own would be ten times the code.
fn sorted<T: Ord>(items: Vec<T>) -> Vec<T> {
    BinaryHeap::from(items).into_sorted_vec()
}
