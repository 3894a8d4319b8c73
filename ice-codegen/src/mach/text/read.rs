//! Machine functions from text.

use super::super::{MachBlock, MachFunction, Operand, Role, Sink as _};
use super::field::{FieldText, Reader};
use super::{ReadInst, TextError};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ice_ir::native::UnwindTables;
use ice_ir::{CallingConvention, ObjectKind, SignedReturn};
use ice_regalloc::{Constraint, OperandKind, OperandPos, PReg, RegClass, RegisterFile, VReg};

impl<I: ReadInst> MachFunction<I> {
    /// Reads what [`write`](Self::write) writes.
    ///
    /// # Errors
    /// The first line that does not belong there.
    pub fn read(text: &str, registers: &RegisterFile<'_>) -> Result<Self, TextError> {
        let mut func = FunctionReader::new(registers);
        for (number, line) in text.lines().enumerate() {
            let line = line.split(';').next().unwrap_or_default().trim_end();
            if !line.is_empty() {
                func.line(line).map_err(|what| TextError { line: number + 1, what })?;
            }
        }
        func.end().map_err(|what| TextError { line: text.lines().count(), what })
    }
}

struct FunctionReader<'a, I> {
    registers: &'a RegisterFile<'a>,
    mach: MachFunction<I>,
    depths: Vec<u32>,
    chances: Vec<f32>,
    is_in_block: bool,
}

impl<'a, I: ReadInst> FunctionReader<'a, I> {
    fn new(registers: &'a RegisterFile<'a>) -> Self {
        FunctionReader {
            registers,
            mach: MachFunction::new(),
            depths: Vec::new(),
            chances: Vec::new(),
            is_in_block: false,
        }
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let mut reader = Reader::new(line);
        if reader.eat("    -> ") {
            return self.successors(&mut reader).and_then(|()| at_end(&reader));
        }
        if reader.eat("    ") {
            return self.inst(reader.rest());
        }
        if reader.eat("frame ") {
            self.frame(&mut reader)?;
        } else if line.starts_with("block") {
            self.block(&mut reader)?;
        } else {
            self.vregs(&mut reader).ok_or("expected registers with class and size, as in 'v0-v3: gpr 4'")?;
        }
        at_end(&reader)
    }

    fn end(mut self) -> Result<MachFunction<I>, String> {
        self.end_block();
        self.mach.set_loop_depths(&self.depths);
        self.mach.set_chances(&self.chances);
        self.mach.finish().map_err(|fault| format!("{fault}"))?;
        let vregs = self.mach.body().num_vregs();
        let all = self.mach.body().all_operands().iter();
        match all.map(|operand| operand.vreg()).find(|vreg| vreg.as_u32() as usize >= vregs) {
            Some(vreg) => Err(format!("{vreg} has no class")),
            None => Ok(self.mach),
        }
    }

    fn end_block(&mut self) {
        if core::mem::replace(&mut self.is_in_block, false) {
            self.mach.end_block();
        }
    }

    fn class(&self, name: &str) -> Option<RegClass> {
        let place = self.registers.classes.iter().position(|class| class.name == name)?;
        Some(RegClass(u8::try_from(place).ok()?))
    }

    /// `v0-v3: gpr 4`.
    fn vregs(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let first: usize = reader.numbered("v")?;
        let last = if reader.eat("-") { reader.numbered("v")? } else { first };
        if first != self.mach.body().num_vregs() || last < first || !reader.eat(": ") {
            return None;
        }
        let class = self.class(reader.word())?;
        let size = reader.numbered(" ")?;
        for _ in first..=last {
            self.mach.new_vreg(class, size);
        }
        Some(())
    }

    /// `block1(v2, v3) depth 1 chance 0.5:`.
    fn block(&mut self, reader: &mut Reader<'_>) -> Result<(), String> {
        self.end_block();
        let next = self.mach.num_blocks();
        if reader.numbered("block") != Some(next) {
            return Err(format!("expected block{next}"));
        }
        let params = self.list(reader)?;
        self.depths.push(reader.numbered(" depth ").unwrap_or(0));
        self.chances.push(reader.fraction(" chance ").unwrap_or(1.0));
        self.mach.begin_block(&params);
        self.is_in_block = true;
        if reader.eat(":") { Ok(()) } else { Err("expected ':'".into()) }
    }

    /// Virtual registers in parentheses, or nothing.
    fn list(&self, reader: &mut Reader<'_>) -> Result<Vec<VReg>, String> {
        let mut list = Vec::new();
        if reader.eat("(") {
            loop {
                list.push(self.vreg(reader)?);
                if reader.eat(")") {
                    break;
                }
                if !reader.eat(", ") {
                    return Err("expected ', ' or ')'".into());
                }
            }
        }
        Ok(list)
    }

    fn vreg(&self, reader: &mut Reader<'_>) -> Result<VReg, String> {
        let vreg: u32 = reader.numbered("v").ok_or("expected a virtual register")?;
        match (vreg as usize) < self.mach.body().num_vregs() {
            true => Ok(VReg::from_u32(vreg)),
            false => Err(format!("v{vreg} has no class")),
        }
    }

    fn inst(&mut self, text: &str) -> Result<(), String> {
        if !self.is_in_block {
            return Err("an instruction stands before the first block".into());
        }
        let (form, more) = text.split_once(" (").unwrap_or((text, ""));
        let Some(inst) = I::read(form) else { return Err(format!("'{form}' is no instruction")) };
        let mut operands = Vec::new();
        let mut reader = Reader::new(more);
        while !more.is_empty() && !reader.eat(")") {
            if !operands.is_empty() && !reader.eat(", ") {
                return Err("expected ', ' or ')'".into());
            }
            operands.push(self.operand(&mut reader)?);
        }
        at_end(&reader)?;
        self.mach.push_with(inst, &operands);
        Ok(())
    }

    /// `use late v3:gpr rax`.
    fn operand(&self, reader: &mut Reader<'_>) -> Result<Operand, String> {
        let kinds = [
            ((OperandKind::Use, OperandPos::Early), "use "),
            ((OperandKind::Use, OperandPos::Late), "use late "),
            ((OperandKind::Def, OperandPos::Late), "def "),
            ((OperandKind::Def, OperandPos::Early), "def early "),
            ((OperandKind::UseDef, OperandPos::Early), "use-def "),
        ];
        let (kind, pos) = reader.longest(kinds).ok_or("expected 'use', 'def' or 'use-def'")?;
        let vreg = self.vreg(reader)?;
        let class = if reader.eat(":") { self.class(reader.word()) } else { None };
        let class = class.ok_or("expected ':' and a register class")?;
        let place = if reader.eat(" ") { reader.word() } else { "" };
        let constraint = match place {
            "any" => Constraint::Any,
            "reg" => Constraint::Reg,
            "stack" => Constraint::Stack,
            name => {
                Constraint::Fixed(self.register(name).ok_or("expected 'any', 'reg', 'stack' or a register")?)
            }
        };
        Ok(Operand::new(vreg, kind, pos, constraint, class))
    }

    fn register(&self, name: &str) -> Option<PReg> {
        let place = self.registers.regs.iter().position(|reg| reg.name == name)?;
        u8::try_from(place).ok().map(PReg)
    }

    /// `block1(v2), block3`.
    fn successors(&mut self, reader: &mut Reader<'_>) -> Result<(), String> {
        let is_behind_terminator = self.is_in_block
            && self
                .mach
                .insts()
                .last()
                .is_some_and(|inst| matches!(inst.role(), Role::Terminator | Role::Invokes));
        if !is_behind_terminator {
            return Err("successors stand behind a terminator".into());
        }
        loop {
            let target = <MachBlock as FieldText<I>>::read(reader).ok_or("expected a block")?;
            let args = self.list(reader)?;
            self.mach.add_successor(target, &args);
            if !reader.eat(", ") {
                return Ok(());
            }
        }
    }

    /// What is special in the frame.
    fn frame(&mut self, reader: &mut Reader<'_>) -> Result<(), String> {
        loop {
            self.frame_item(reader).ok_or("expected a fact about the frame")?;
            if !reader.eat(", ") {
                return Ok(());
            }
        }
    }

    fn frame_item(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let frame = &mut self.mach.frame;
        match reader.word() {
            "object" => {
                let size = reader.numbered(" ")?;
                let align: u32 = reader.numbered(" align ").filter(|align: &u32| align.is_power_of_two())?;
                frame.add_object(size, align.trailing_zeros() as u8);
            }
            "kind" => {
                let kind = reader.eat(" ").then(|| ObjectKind::from_name(reader.word()))??;
                frame.objects.last_mut()?.kind = kind;
                frame.is_guarded |= kind == ObjectKind::Guard;
            }
            "landing" => frame.is_landing = true,
            "signed_return" => frame.signed_return = SignedReturn::WhereSaved,
            "always_signed_return" => frame.signed_return = SignedReturn::Always,
            "wide_registers" => frame.has_wide_registers = true,
            "outgoing" => frame.outgoing = reader.numbered(" ")?,
            "alignment" => {
                let align: u32 = reader.numbered(" ").filter(|align: &u32| align.is_power_of_two())?;
                frame.alignment_log2 = align.trailing_zeros() as u8;
            }
            "popped" => frame.popped = reader.numbered(" ")?,
            "register_arguments" => frame.register_arguments = reader.numbered(" ")?,
            "global_base" => frame.global_base = Some(VReg::from_u32(reader.numbered(" v")?)),
            "saved_arguments" => frame.saved_arguments = Some(reader.numbered(" ")?),
            "late" => frame.late = Some(MachBlock::from_u32(reader.numbered(" block")?)),
            "dynamic_alloca" => frame.has_dynamic_alloca = true,
            "calls" => frame.has_calls = true,
            "returns_twice" => frame.returns_twice = true,
            "frame_pointer" => frame.needs_frame_pointer = true,
            "uses_global_base" => frame.uses_global_base = true,
            "uwtable" => frame.unwind = UnwindTables::Async,
            "uwtable_sync" => frame.unwind = UnwindTables::Sync,
            word => frame.convention = CallingConvention::from_name(word)?,
        }
        Some(())
    }
}

/// Whether all of a line was read.
fn at_end(reader: &Reader<'_>) -> Result<(), String> {
    match reader.rest() {
        "" => Ok(()),
        rest => Err(format!("'{rest}' does not belong here")),
    }
}
