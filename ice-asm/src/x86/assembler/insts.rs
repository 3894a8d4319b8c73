//! From a mnemonic with operands to the code of an instruction.

use super::operand::{Operand, Register};
use super::table::{CONDITIONS, PORT_STRINGS, PREDICATES, ROWS, Row, STRINGS, Shape};
use super::{Assembler, AssemblyErrorKind, Result, Syntax};
use crate::assembler::BranchTarget;
use crate::reloc::{Reloc, RelocKind, SymbolId};
use crate::x86::code::{Attrs, Code, Immediate, code};
use crate::x86::int::{Alu, truncate, wide};
use crate::x86::operand::{Cond, Gpr, Imm, Mem, Mode, Rm, Width, Xmm};
use crate::x86::sse::SseOp;
use crate::x86::text::NamedRegister;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use Operand::{Address, Indirect, Label, Number};

/// A register or memory.
#[derive(Clone, Copy)]
enum Place {
    Reg(NamedRegister),
    Mem(Mem, Option<u8>),
}

impl Operand {
    pub(super) fn reg(&self) -> Option<NamedRegister> {
        match *self {
            Operand::Register(Register::Gpr(reg)) => Some(reg),
            _ => None,
        }
    }

    fn place(&self) -> Option<Place> {
        match *self {
            Operand::Mem(mem, size) => Some(Place::Mem(mem, size)),
            _ => self.reg().map(Place::Reg),
        }
    }

    fn mem(&self) -> Option<Mem> {
        match *self {
            Operand::Mem(mem, _) => Some(mem),
            _ => None,
        }
    }

    pub(super) fn xmm(&self) -> Option<Xmm> {
        match *self {
            Operand::Register(Register::Xmm(xmm)) => Some(xmm),
            _ => None,
        }
    }

    pub(super) fn vector(&self) -> Option<Rm<Xmm>> {
        self.xmm().map(Rm::Reg).or_else(|| self.mem().map(Rm::Mem))
    }

    /// The width that it has by itself.
    pub(super) fn width(&self) -> Option<Width> {
        self.place()?.width()
    }

    pub(super) fn general(&self) -> Option<Rm<Gpr>> {
        self.reg().map(|reg| Rm::Reg(reg.reg)).or_else(|| self.mem().map(Rm::Mem))
    }
}

/// The width that all say who say one. `None` if two differ.
pub(super) fn agreed(widths: impl IntoIterator<Item = Option<Width>>) -> Option<Option<Width>> {
    let mut agreed = None;
    for width in widths.into_iter().flatten() {
        if agreed.is_some_and(|known| known != width) {
            return None;
        }
        agreed = Some(width);
    }
    Some(agreed)
}

fn of_bytes(bytes: u8) -> Option<Width> {
    [Width::B8, Width::B16, Width::B32, Width::B64].into_iter().find(|width| width.bytes() == bytes.into())
}

impl Place {
    fn width(self) -> Option<Width> {
        match self {
            Place::Reg(reg) => Some(reg.width),
            Place::Mem(_, size) => size.and_then(of_bytes),
        }
    }
}

/// The condition of this suffix.
fn condition(suffix: &str) -> Option<Cond> {
    let second = || CONDITIONS.iter().find(|(name, _)| *name == suffix).map(|&(_, number)| number);
    let first = Cond::ALL.iter().position(|cond| cond.suffix() == suffix).map(|number| number as u8);
    first.or_else(second).map(|number| Cond::ALL[usize::from(number)])
}

impl Assembler<'_, '_, '_> {
    /// Appends the instruction. In the syntax of AT&T its width may stand behind its name.
    pub(super) fn inst(&mut self, name: &str, operands: &[Operand]) -> Result<()> {
        if let Some((name, byte)) = predicate(name) {
            let mut operands = operands.to_vec();
            operands.push(Number(byte));
            return self.inst(&name, &operands);
        }
        let suffixed = match self.syntax {
            Syntax::Att => name.split_at_checked(name.len().saturating_sub(1)),
            Syntax::Intel => None,
        };
        let suffixed = suffixed.and_then(|(base, suffix)| {
            let place = "bwlq".find(suffix)?;
            Some((base, [Width::B8, Width::B16, Width::B32, Width::B64].get(place).copied()))
        });
        let named = operands.iter().any(|operand| matches!(operand, Label(_)));
        if named && !(operands.len() == 1 && is_branch(name)) {
            // Memory at a name.
            let mut operands = operands.to_vec();
            for operand in &mut operands {
                if let Label(name) = operand {
                    let mem = self.named(name).ok_or(AssemblyErrorKind::Operand)?;
                    *operand = Operand::Mem(mem, None);
                }
            }
            return self.inst(name, &operands);
        }
        if let [Label(label)] = operands
            && self.target(label).is_none()
        {
            return Err(AssemblyErrorKind::Label);
        }
        let mut is_known = false;
        for (name, width) in [Some((name, None)), suffixed].into_iter().flatten() {
            let rows = ROWS.iter().filter(|row| row.name == name);
            for row in rows {
                is_known = true;
                if self.row(row, width, operands).is_some() {
                    return Ok(());
                }
            }
            let others = [
                Self::symbolic,
                Self::control,
                Self::moves,
                Self::conditional,
                Self::vector,
                Self::vex,
                Self::mmx,
            ];
            if others.iter().any(|other| other(self, name, width, operands).is_some()) {
                return Ok(());
            }
        }
        match is_known {
            true => Err(AssemblyErrorKind::Operands),
            false => Err(AssemblyErrorKind::Instruction),
        }
    }

    /// A number that an operation of this width takes, as if it had a sign or none.
    fn fits(value: i64, width: Width) -> bool {
        match width {
            Width::B8 => (-0x80..0x100).contains(&value),
            Width::B16 => (-0x8000..0x1_0000).contains(&value),
            Width::B32 => (-0x8000_0000..0x1_0000_0000).contains(&value),
            Width::B64 => i32::try_from(value).is_ok(),
        }
    }

    /// An instruction with a register, or the digit of a code, and a register or memory.
    fn rm(
        &mut self,
        code: Code,
        width: Width,
        reg: Option<NamedRegister>,
        place: Place,
        imm: Immediate,
    ) -> Option<()> {
        let all = [reg, if let Place::Reg(reg) = place { Some(reg) } else { None }];
        let is_high = all.into_iter().flatten().any(|reg| reg.is_high);
        // Of the low bytes only the first four have a code without prefix, and of the high ones all have none.
        let needs_prefix =
            |reg: &NamedRegister| reg.width == Width::B8 && !reg.is_high && reg.reg.number() >= 4;
        let mixed = is_high && all.iter().flatten().any(|reg| needs_prefix(reg) || reg.width == Width::B64);
        let missing = self.encoder.mode == Mode::Bits32 && all.iter().flatten().any(needs_prefix);
        if mixed || missing || width == Width::B64 && self.encoder.mode == Mode::Bits32 {
            return None;
        }
        let attrs = match (is_high, reg) {
            (true, _) if width == Width::B8 => Attrs::NONE,
            (true, _) => return None,
            (false, Some(_)) => Attrs::width(width),
            (false, None) => Attrs::width(width).no_reg(),
        };
        let number = reg.map_or(code.ext, |reg| reg.reg.number());
        match place {
            Place::Reg(rm) => self.encoder.inst_rr(code, attrs, number, rm.reg.number(), imm),
            Place::Mem(mem, _) => self.encoder.inst_rm(code, attrs, number, &mem, imm),
        }
        Some(())
    }

    /// The instruction of a row, if its operands are such.
    fn row(&mut self, row: &Row, said: Option<Width>, operands: &[Operand]) -> Option<()> {
        let code = row.code;
        let none = Immediate::NONE;
        match (row.shape, operands) {
            (Shape::Plain, []) if said.is_none() => self.encoder.inst_o(code, Attrs::NONE, 0, none),
            (Shape::Ax, [ax]) if ax.reg()?.width == Width::B16 && ax.reg()?.reg == Gpr::RAX => {
                self.encoder.inst_o(code, Attrs::NONE, 0, none);
            }
            (Shape::Memory, [mem]) if said.is_none() => {
                self.encoder.inst_rm(code, Attrs::NONE, code.ext, &mem.mem()?, none);
            }
            (Shape::Interrupt, [Number(number)]) => {
                let number = u8::try_from(*number).ok()?;
                self.encoder.inst_o(code, Attrs::NONE, 0, Immediate::new(number.into(), 1));
            }
            (Shape::In, [reg, port]) | (Shape::Out, [port, reg]) => {
                let reg = reg.reg().filter(|reg| reg.reg == Gpr::RAX && reg.width != Width::B64)?;
                let width = agreed([said, Some(reg.width)])??;
                let code = code.plus(wide(width));
                let (code, imm) = match (port, port.reg()) {
                    (Number(port), _) => (code, Immediate::new(u8::try_from(*port).ok()?.into(), 1)),
                    (_, Some(dx)) if dx.reg == Gpr::RDX && dx.width == Width::B16 => (code.plus(8), none),
                    _ => return None,
                };
                self.encoder.inst_o(code, Attrs::width(width).no_reg(), 0, imm);
            }
            (Shape::One, [place]) => {
                let place = place.place()?;
                let width = agreed([said, place.width()])??;
                return self.rm(code.plus(wide(width)), width, None, place, none);
            }
            (Shape::Store | Shape::WideStore, [place, reg]) => {
                return self.two(row, said, reg.reg()?, place.place()?);
            }
            (Shape::Load | Shape::Wide, [reg, place]) => {
                return self.two(row, said, reg.reg()?, place.place()?);
            }
            (Shape::Arithmetic | Shape::Number | Shape::WideByte, [place, Number(value)]) => {
                return self.number(row, said, place.place()?, *value);
            }
            (Shape::Shift, _) => return self.shift(code, said, operands),
            (Shape::DoubleShift, [place, reg, amount]) => {
                let (place, reg) = (place.place()?, reg.reg()?);
                let width = agreed([said, place.width(), Some(reg.width)])??;
                let (code, imm) = match *amount {
                    Number(amount) => (code, Immediate::new(u8::try_from(amount).ok()?.into(), 1)),
                    ref cl if is_cl(cl) => (code.plus(1), none),
                    _ => return None,
                };
                return self.rm(code, width, Some(reg), place, imm).filter(|()| width != Width::B8);
            }
            (Shape::Address, [reg, mem]) => {
                let (reg, mem) = (reg.reg()?, mem.mem()?);
                agreed([said, Some(reg.width)])?;
                self.encoder.lea(reg.width, reg.reg, mem);
            }
            (Shape::WideRegister, [reg]) => {
                let reg = reg.reg()?;
                let width = agreed([said, Some(reg.width)])?.filter(|&width| width != Width::B8)?;
                return self.rm(code, width, None, Place::Reg(reg), none);
            }
            (Shape::Checksum, [reg, place]) => {
                let (reg, place) = (reg.reg()?, place.place()?);
                let width = agreed([said, place.width()])??;
                let code = code.plus(wide(width));
                return self.rm(code, width, Some(reg), place, none).filter(|()| reg.width >= Width::B32);
            }
            (Shape::Stack | Shape::StackOne | Shape::StackTop | Shape::StackOther | Shape::StackPop, _)
                if said.is_none() =>
            {
                let code = self.stack_code(row, operands)?;
                self.encoder.inst_o(code, Attrs::NONE, 0, none);
            }
            (Shape::SegmentStore, [place, Operand::Register(Register::Segment(number))]) => {
                let place = place.place()?;
                // Memory of 16 bits is all that is written, without a prefix.
                let width = match place {
                    Place::Reg(reg) => agreed([said, Some(reg.width)])??,
                    Place::Mem(..) if said.is_none_or(|said| said == Width::B16) => Width::B32,
                    Place::Mem(..) => return None,
                };
                return self.segment(code, width, *number, place);
            }
            (Shape::SegmentLoad, [Operand::Register(Register::Segment(number)), place]) if *number != 1 => {
                let place = place.place()?;
                let said = agreed([said, place.width()])?.unwrap_or(Width::B16);
                let width = if said == Width::B16 { Width::B32 } else { said };
                return self.segment(code, width, *number, place);
            }
            (Shape::Vector, [dst, src]) => self.vector_code(code, dst.xmm()?, src.vector()?, none),
            (Shape::Vector, [Operand::Register(Register::Xmm(Xmm::XMM0)), src, dst])
            | (Shape::Vector, [dst, src, Operand::Register(Register::Xmm(Xmm::XMM0))]) => {
                self.vector_code(code, dst.xmm()?, src.vector()?, none);
            }
            (Shape::VectorLoad, [dst, src]) => {
                self.vector_code(code, dst.xmm()?, Rm::Mem(src.mem()?), none);
            }
            (Shape::VectorByte, [dst, src, Number(byte)]) => {
                let imm = Immediate::new(u8::try_from(*byte).ok()?.into(), 1);
                self.vector_code(code, dst.xmm()?, src.vector()?, imm);
            }
            _ => return None,
        }
        Some(())
    }

    /// The code of an instruction with these operands on the stack of the x87.
    fn stack_code(&self, row: &Row, operands: &[Operand]) -> Option<Code> {
        let register = |operand: &Operand| match operand {
            Operand::Register(Register::Stack(register)) => Some(*register),
            _ => None,
        };
        let registers = operands.iter().map(register).collect::<Option<Vec<_>>>()?;
        let register = match (row.shape, &registers[..]) {
            (Shape::Stack | Shape::StackPop, []) => &1,
            (Shape::Stack | Shape::StackOne | Shape::StackTop | Shape::StackPop, [register])
            | (Shape::Stack | Shape::StackTop, [0, register])
            | (Shape::StackOther | Shape::StackPop, [register, 0]) => register,
            _ => return None,
        };
        // The syntax of AT&T has the names of differences and quotients the other way round where st is not the result.
        let is_reversed = self.syntax == Syntax::Intel
            && matches!(row.shape, Shape::StackOther | Shape::StackPop)
            && row.code.opcode() & 0x20 != 0;
        let other = if row.code.opcode() & 8 == 0 { 8 } else { -8 };
        Some(row.code.plus(if is_reversed { other } else { 0 }).plus(*register as i8))
    }

    /// A move between a segment register and another place.
    fn segment(&mut self, code: Code, width: Width, number: u8, place: Place) -> Option<()> {
        let mut code = code;
        code.ext = number;
        self.rm(code, width, None, place, Immediate::NONE).filter(|()| width != Width::B8)
    }

    fn vector_code(&mut self, code: Code, dst: Xmm, src: Rm<Xmm>, imm: Immediate) {
        match src {
            Rm::Reg(src) => self.encoder.inst_rr(code, Attrs::NONE, dst.number(), src.number(), imm),
            Rm::Mem(mem) => self.encoder.inst_rm(code, Attrs::NONE, dst.number(), &mem, imm),
        }
    }

    /// A register, and a register or memory of its width.
    fn two(&mut self, row: &Row, said: Option<Width>, reg: NamedRegister, place: Place) -> Option<()> {
        let width = agreed([said, Some(reg.width), place.width()])??;
        let code = match row.shape {
            Shape::Store | Shape::Load => row.code.plus(wide(width)),
            _ if width == Width::B8 => return None,
            _ => row.code,
        };
        self.rm(code, width, Some(reg), place, Immediate::NONE)
    }

    /// A register or memory, and a number.
    fn number(&mut self, row: &Row, said: Option<Width>, place: Place, value: i64) -> Option<()> {
        let width = agreed([said, place.width()])??;
        if let (Shape::Number, 0xc6, Place::Reg(reg)) = (row.shape, row.code.opcode(), place)
            && !reg.is_high
        {
            let fits = width == Width::B64 || Self::fits(value, width);
            return fits.then(|| self.encoder.mov_r_i(width, reg.reg, value));
        }
        if row.shape == Shape::WideByte {
            let imm = Immediate::new(u8::try_from(value).ok()?.into(), 1);
            return self.rm(row.code, width, None, place, imm).filter(|()| width != Width::B8);
        }
        if !Self::fits(value, width) {
            return None;
        }
        let is_short = row.shape == Shape::Arithmetic && width != Width::B8 && is_sign_extended(value, width);
        let code = if is_short { row.code.plus(3) } else { row.code.plus(wide(width)) };
        let size = if is_short { 1 } else { width.bytes().min(4) };
        self.rm(code, width, None, place, Immediate::new(value, size))
    }

    fn shift(&mut self, code: Code, said: Option<Width>, operands: &[Operand]) -> Option<()> {
        let (place, amount) = match operands {
            [place] => (place.place()?, None),
            [place, amount] => (place.place()?, Some(amount)),
            _ => return None,
        };
        let width = agreed([said, place.width()])??;
        let code = code.plus(wide(width));
        match amount {
            None | Some(Number(1)) => self.rm(code, width, None, place, Immediate::NONE),
            Some(Number(amount)) => {
                let imm = Immediate::new(u8::try_from(*amount).ok()?.into(), 1);
                self.rm(code.plus(-0x10), width, None, place, imm)
            }
            Some(cl) if is_cl(cl) => self.rm(code.plus(2), width, None, place, Immediate::NONE),
            Some(_) => None,
        }
    }

    /// How a branch to a symbol is linked.
    fn branch_kind(&self, symbol: SymbolId) -> Option<RelocKind> {
        match (self.names.modifier(symbol), self.encoder.mode) {
            ("PLT", _) | ("", Mode::Bits64) => Some(RelocKind::Plt32),
            ("", Mode::Bits32) => Some(RelocKind::PcRel32),
            _ => None,
        }
    }

    /// What has the address of a symbol as its number.
    fn symbolic(&mut self, name: &str, said: Option<Width>, operands: &[Operand]) -> Option<()> {
        let is_wide = self.encoder.mode == Mode::Bits64;
        let kind = |width| match width {
            Width::B64 => Some(RelocKind::Abs32S),
            Width::B32 => Some(RelocKind::Abs32),
            _ => None,
        };
        match *operands {
            [Address(symbol, addend)]
                if name == "push" && said.is_none_or(|said| (said == Width::B64) == is_wide) =>
            {
                let kind = if is_wide { RelocKind::Abs32S } else { RelocKind::Abs32 };
                self.encoder.push_i(Imm::Symbol(symbol, kind, addend));
            }
            [ref place, Address(symbol, addend)] => {
                let place = place.place()?;
                let width = agreed([said, place.width()])??;
                if width == Width::B64 && !is_wide {
                    return None;
                }
                let imm = Imm::Symbol(symbol, kind(width)?, addend);
                let rm = match place {
                    Place::Reg(reg) => Rm::Reg(reg.reg),
                    Place::Mem(mem, _) => Rm::Mem(mem),
                };
                let op = Alu::ALL.iter().find(|op| op.mnemonic() == name);
                match (name, place, op) {
                    ("movabs", Place::Reg(reg), _) if width == Width::B64 => {
                        self.encoder.mov_r_symbol64(reg.reg, symbol, addend);
                    }
                    ("mov", ..) => self.encoder.mov_rm_i(width, rm, imm),
                    (_, _, Some(&op)) => self.encoder.alu_rm_i(op, width, rm, imm),
                    _ => return None,
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Jumps, calls, and what works on the stack.
    fn control(&mut self, name: &str, width: Option<Width>, operands: &[Operand]) -> Option<()> {
        let native = match self.encoder.mode {
            Mode::Bits32 => Width::B32,
            Mode::Bits64 => Width::B64,
        };
        if width.is_some_and(|width| width != native) {
            return None;
        }
        match (name, operands) {
            ("jmp", [Label(label)]) => match self.target(label)? {
                BranchTarget::Label(label) => self.encoder.jump(label),
                BranchTarget::Symbol(symbol) => {
                    let kind = self.branch_kind(symbol)?;
                    self.encoder.jmp_symbol(symbol, kind);
                }
            },
            ("call", [Label(label)]) => match self.target(label)? {
                BranchTarget::Label(label) => self.encoder.call_label(label),
                BranchTarget::Symbol(symbol) => {
                    let kind = self.branch_kind(symbol)?;
                    self.encoder.call_symbol(symbol, kind);
                }
            },
            ("jmp" | "call", [target]) => {
                let target = match (target, self.syntax) {
                    (Indirect(target), _) => target.general()?,
                    (target, Syntax::Intel) => target.general()?,
                    _ => return None,
                };
                let digit = if name == "jmp" { 4 } else { 2 };
                let code = code("FF");
                match target {
                    Rm::Reg(reg) => {
                        self.encoder.inst_rr(code, Attrs::NONE, digit, reg.number(), Immediate::NONE);
                    }
                    Rm::Mem(mem) => self.encoder.inst_rm(code, Attrs::NONE, digit, &mem, Immediate::NONE),
                }
            }
            ("push", [Number(value)]) => self.encoder.push_i(Imm::Value(i32::try_from(*value).ok()?)),
            ("push", [Operand::Mem(mem, _)]) => self.encoder.push_m(*mem),
            ("pop", [Operand::Mem(mem, _)]) => self.encoder.pop_m(*mem),
            ("push" | "pop", [reg]) if reg.reg()?.width == native => match name {
                "push" => self.encoder.push_r(reg.reg()?.reg),
                _ => self.encoder.pop_r(reg.reg()?.reg),
            },
            _ => return None,
        }
        Some(())
    }

    /// Copies that extend, wide numbers, bytes in reverse, products with three operands, and operations on strings.
    fn moves(&mut self, name: &str, said: Option<Width>, operands: &[Operand]) -> Option<()> {
        let suffix = |text: &str| {
            [("b", Width::B8), ("w", Width::B16), ("l", Width::B32), ("d", Width::B32), ("q", Width::B64)]
                .into_iter()
                .find(|(name, _)| *name == text)
                .map(|(_, width)| width)
        };
        if let ([], Some(&(start, code))) =
            (operands, STRINGS.iter().find(|(start, _)| name.starts_with(start)))
        {
            let width = match (&name[start.len()..], said) {
                ("", Some(width)) => width,
                (text, None) => suffix(text)?,
                _ => return None,
            };
            if width == Width::B64 && code < PORT_STRINGS + 4 {
                return None;
            }
            let code = Code::of_byte(code).plus(wide(width));
            self.encoder.inst_o(code, Attrs::width(width).no_reg(), 0, Immediate::NONE);
            return Some(());
        }
        match (name, operands) {
            ("bswap", [reg]) if reg.reg()?.width >= Width::B32 => {
                let reg = reg.reg()?;
                agreed([said, Some(reg.width)])?;
                self.encoder.bswap(reg.width, reg.reg);
            }
            ("movabs", [reg, Number(value)]) if reg.reg()?.width == Width::B64 => {
                let reg = reg.reg()?.reg;
                self.encoder.mov_r_i(Width::B64, reg, *value);
            }
            ("imul", [dst, Number(value)]) => return self.product(said, dst, dst, *value),
            ("imul", [dst, src, Number(value)]) => return self.product(said, dst, src, *value),
            ("movsxd", [dst, src]) => self.extend(false, dst, src, Some(Width::B32))?,
            ("movzx" | "movsx", [dst, src]) => self.extend(name == "movzx", dst, src, None)?,
            (_, [dst, src]) => {
                // `movzbl`: the width of the source, and that of the destination, which its register says again.
                let is_zero = name.starts_with("movz");
                let widths = name.strip_prefix("movz").or_else(|| name.strip_prefix("movs"))?;
                let from = suffix(widths.get(..1)?)?;
                let to = match (widths.get(1..)?, said) {
                    ("", said) => said,
                    (text, None) => Some(suffix(text)?),
                    _ => return None,
                };
                agreed([to, dst.reg().map(|reg| reg.width)])?;
                self.extend(is_zero, dst, src, Some(from))?;
            }
            _ => return None,
        }
        Some(())
    }

    /// `imul r, r/m, number`.
    fn product(&mut self, said: Option<Width>, dst: &Operand, src: &Operand, value: i64) -> Option<()> {
        let (dst, src) = (dst.reg()?, src.place()?);
        let width = agreed([said, Some(dst.width), src.width()])??;
        if width == Width::B8 || !Self::fits(value, width) {
            return None;
        }
        let is_short = is_sign_extended(value, width);
        let (code, size) = if is_short { (code("6B"), 1) } else { (code("69"), width.bytes().min(4)) };
        self.rm(code, width, Some(dst), src, Immediate::new(value, size))
    }

    fn extend(&mut self, is_zero: bool, dst: &Operand, src: &Operand, from: Option<Width>) -> Option<()> {
        let (dst, src) = (dst.reg()?, src.place()?);
        let from = agreed([from, src.width()])??;
        let fits = from < dst.width && (from < Width::B32 || !is_zero);
        if !fits {
            return None;
        }
        match src {
            Place::Reg(reg) if reg.is_high => {
                // The byte above the low one of the first four registers.
                let low = Gpr::new(reg.reg.number() - 4);
                let plain = is_zero && dst.width == Width::B32 && dst.reg.number() < 8;
                return plain.then(|| self.encoder.movzx_high_byte(dst.reg, low));
            }
            Place::Reg(reg) => {
                let is_missing = from == Width::B8 && reg.reg.number() >= 4;
                if is_missing && self.encoder.mode == Mode::Bits32 {
                    return None;
                }
                match is_zero {
                    true => self.encoder.movzx(dst.reg, dst.width, Rm::Reg(reg.reg), from),
                    false => self.encoder.movsx(dst.reg, dst.width, Rm::Reg(reg.reg), from),
                }
            }
            Place::Mem(mem, _) => match is_zero {
                true => self.encoder.movzx(dst.reg, dst.width, Rm::Mem(mem), from),
                false => self.encoder.movsx(dst.reg, dst.width, Rm::Mem(mem), from),
            },
        }
        Some(())
    }

    /// What is done under a condition.
    fn conditional(&mut self, name: &str, said: Option<Width>, operands: &[Operand]) -> Option<()> {
        let of = |start: &str| name.strip_prefix(start).and_then(condition);
        if let (Some(cond), [Label(label)], None) = (of("j"), operands, said) {
            match self.target(label)? {
                BranchTarget::Label(label) => self.encoder.jump_if(cond, label),
                BranchTarget::Symbol(symbol) => {
                    let kind = self.branch_kind(symbol)?;
                    let offset = self.encoder.inst_rel(code("0F 80").plus(cond as i8));
                    self.encoder.buf.add_reloc(Reloc { offset, kind, symbol, addend: -4 });
                }
            }
            return Some(());
        }
        if let (Some(cond), [place]) = (of("set"), operands) {
            let place = place.place()?;
            agreed([Some(Width::B8), said, place.width()])?;
            return self.rm(code("0F 90 /0").plus(cond as i8), Width::B8, None, place, Immediate::NONE);
        }
        if let (Some(cond), [dst, src]) = (of("cmov"), operands) {
            let (dst, src) = (dst.reg()?, src.place()?);
            let width = agreed([said, Some(dst.width), src.width()])??;
            let code = code("0F 40").plus(cond as i8);
            return self.rm(code, width, Some(dst), src, Immediate::NONE).filter(|()| width != Width::B8);
        }
        None
    }

    /// Instructions on vectors that the encoder has.
    fn vector(&mut self, name: &str, said: Option<Width>, operands: &[Operand]) -> Option<()> {
        let gpr_width = match name {
            "movd" => Some(Width::B32),
            "movq" => Some(Width::B64),
            _ => None,
        };
        if let (Some(width), [dst, src], None) = (gpr_width, operands, said) {
            match (dst.xmm(), src.xmm()) {
                (Some(dst), None) => self.encoder.sse_x_rm(SseOp::MovGpr, width, dst, src.general()?),
                (None, Some(src)) => self.encoder.sse_rm_x(SseOp::MovGpr, width, dst.general()?, src),
                (Some(dst), Some(src)) if name == "movq" => {
                    self.encoder.sse_x_xm(SseOp::Movq, dst, Rm::Reg(src));
                }
                _ => return None,
            }
            return Some(());
        }
        let op = SseOp::find(name)?;
        match operands {
            [dst, src] if dst.xmm().is_some() && src.vector().is_some() && !op.takes_general() => {
                self.encoder.sse_x_xm(op, dst.xmm()?, src.vector()?);
            }
            [dst, src] if dst.mem().is_some() && src.xmm().is_some() => {
                self.encoder.sse_m_x(op, dst.mem()?, src.xmm()?);
            }
            [dst, src] if dst.xmm().is_some() && src.general().is_some() => {
                let width = agreed([said, src.place()?.width()])?.unwrap_or(Width::B32);
                self.encoder.sse_x_rm(op, width, dst.xmm()?, src.general()?);
            }
            [dst, src] if dst.reg().is_some() && src.vector().is_some() => {
                let dst = dst.reg()?;
                self.encoder.sse_r_xm(op, dst.width, dst.reg, src.vector()?);
            }
            [dst, Number(byte)] => self.encoder.sse_x_i(op, dst.xmm()?, u8::try_from(*byte).ok()?),
            [dst, src, Number(byte)] => {
                let byte = u8::try_from(*byte).ok()?;
                match (dst.xmm(), src.vector()) {
                    (Some(dst), Some(src)) if !op.takes_general() => {
                        self.encoder.sse_x_xm_i(op, dst, src, byte);
                    }
                    (Some(dst), _) => self.encoder.sse_x_rm_i(op, dst, src.general()?, byte),
                    (None, _) => self.encoder.sse_rm_x_i(op, dst.general()?, src.xmm()?, byte),
                }
            }
            _ => return None,
        }
        Some(())
    }
}

/// A mnemonic that says the byte of another one: `cmpltps` is `cmpps` with 1, and `vpclmulhqlqdq` is `vpclmulqdq` with 1.
fn predicate(name: &str) -> Option<(String, i64)> {
    let (vex, legacy) = name.strip_prefix('v').map_or(("", name), |legacy| ("v", legacy));
    if let Some(halves) = legacy.strip_prefix("pclmul").and_then(|rest| rest.strip_suffix("dq")) {
        let byte = match halves {
            "lqlq" => 0,
            "hqlq" => 1,
            "lqhq" => 0x10,
            "hqhq" => 0x11,
            _ => return None,
        };
        return Some((format!("{vex}pclmulqdq"), byte));
    }
    let (word, lanes) = legacy.strip_prefix("cmp")?.split_at_checked(legacy.len().checked_sub(5)?)?;
    let known = if vex.is_empty() { &PREDICATES[..8] } else { &PREDICATES[..] };
    let byte = known.iter().position(|&known| known == word)?;
    matches!(lanes, "ps" | "pd" | "ss" | "sd").then(|| (format!("{vex}cmp{lanes}"), byte as i64))
}

/// Whether a mnemonic is that of a jump or a call, whose operand is where it leads.
fn is_branch(name: &str) -> bool {
    let name = name.strip_suffix(['q', 'l']).filter(|name| ["call", "jmp"].contains(name)).unwrap_or(name);
    ["call", "jmp", "jecxz", "jrcxz", "loop", "xbegin"].contains(&name)
        || name.strip_prefix('j').and_then(condition).is_some()
}

/// Whether a number of this width is one of eight bits with its sign.
fn is_sign_extended(value: i64, width: Width) -> bool {
    i8::try_from(truncate(value, width)).is_ok()
}

/// Whether an operand is cl.
fn is_cl(operand: &Operand) -> bool {
    operand.reg().is_some_and(|reg| reg.reg == Gpr::RCX && reg.width == Width::B8)
}
