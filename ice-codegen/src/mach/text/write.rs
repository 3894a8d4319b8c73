//! Machine functions to text.

use super::super::{FrameInfo, MachFunction, MachInst, MachInstId, Operand};
use core::fmt;
use cranelift_entity::EntityRef as _;
use ice_ir::native::UnwindTables;
use ice_ir::{CallingConvention, ObjectKind, SignedReturn};
use ice_regalloc::{
    Allocation, Constraint, Edit, OperandKind, OperandPos, Output, ProgPoint, RegisterFile, VReg,
};

impl<I: MachInst> MachFunction<I> {
    /// Writes the function; `registers` has the names of registers and classes.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn fmt::Write, registers: &RegisterFile<'_>) -> fmt::Result {
        write_frame(&self.frame, out)?;
        self.write_vregs(out, registers)?;
        for block in self.blocks() {
            write!(out, "{block}")?;
            write_list(out, self.body().block_params(block))?;
            if self.loop_depth(block) > 0 {
                write!(out, " depth {}", self.loop_depth(block))?;
            }
            if let Some(chance) = self.body().chances().get(block.index()).filter(|&&chance| chance < 1.0) {
                write!(out, " chance {chance}")?;
            }
            out.write_str(":\n")?;
            for index in self.inst_range(block) {
                self.write_inst(out, MachInstId::from_u32(index as u32), registers)?;
            }
            for (n, succ) in self.body().block_succs(block).iter().enumerate() {
                write!(out, "{}{succ}", if n == 0 { "    -> " } else { ", " })?;
                write_list(out, self.body().edge_args(block, n))?;
            }
            out.write_str(if self.body().block_succs(block).is_empty() { "" } else { "\n" })?;
        }
        Ok(())
    }

    /// Writes instructions with the places that an allocation has for their operands, in the order in which the allocator
    /// sees them, and its edits between them. It is not read back.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_allocated(
        &self,
        out: &mut dyn fmt::Write,
        registers: &RegisterFile<'_>,
        allocation: &Output,
    ) -> fmt::Result {
        let mut edits = &allocation.edits[..];
        for block in self.blocks() {
            writeln!(out, "{block}:")?;
            for index in self.inst_range(block) {
                let id = MachInstId::from_u32(index as u32);
                write_edits(out, &mut edits, ProgPoint::before(id), registers)?;
                out.write_str("    ")?;
                self.insts()[index].write(out)?;
                let places = self.body().operands(id).iter().zip(allocation.allocs_of(self.body(), id));
                for (n, (operand, &place)) in places.enumerate() {
                    write!(out, "{}{}=", if n == 0 { "    ; " } else { " " }, operand.vreg())?;
                    write_place(out, place, registers)?;
                }
                writeln!(out)?;
                write_edits(out, &mut edits, ProgPoint::after(id), registers)?;
            }
        }
        Ok(())
    }

    /// Registers one after another that have one class and size are one line.
    fn write_vregs(&self, out: &mut dyn fmt::Write, registers: &RegisterFile<'_>) -> fmt::Result {
        let kind = |n: usize| {
            let vreg = VReg::from_u32(n as u32);
            (self.body().vreg_class(vreg), self.body().vreg_size(vreg))
        };
        let mut first = 0;
        while first < self.body().num_vregs() {
            let (class, size) = kind(first);
            let same = (first..self.body().num_vregs()).take_while(|&n| kind(n) == (class, size)).count();
            write!(out, "v{first}")?;
            if same > 1 {
                write!(out, "-v{}", first + same - 1)?;
            }
            writeln!(out, ": {} {size}", registers.class(class).name)?;
            first += same;
        }
        Ok(())
    }

    fn write_inst(
        &self,
        out: &mut dyn fmt::Write,
        id: MachInstId,
        registers: &RegisterFile<'_>,
    ) -> fmt::Result {
        let inst = &self.insts()[id.as_u32() as usize];
        out.write_str("    ")?;
        inst.write(out)?;
        let mut own = 0;
        inst.visit_operands(|_| own += 1);
        let (own, more) = self.body().operands(id).split_at(own);
        for (n, operand) in more.iter().enumerate() {
            out.write_str(if n == 0 { " (" } else { ", " })?;
            write_operand(out, *operand, registers)?;
        }
        out.write_str(if more.is_empty() { "" } else { ")" })?;
        let mut mark = "    ; ";
        for operand in own {
            if let Constraint::Fixed(reg) = operand.constraint() {
                write!(out, "{mark}{} in {}", operand.vreg(), registers.name(reg))?;
                mark = ", ";
            }
        }
        writeln!(out)
    }
}

/// Writes the first of the edits, those up to a point.
fn write_edits(
    out: &mut dyn fmt::Write,
    edits: &mut &[Edit],
    point: ProgPoint,
    registers: &RegisterFile<'_>,
) -> fmt::Result {
    while let [edit, rest @ ..] = *edits
        && edit.point <= point
    {
        out.write_str("    ")?;
        write_place(out, edit.to, registers)?;
        out.write_str(" <- ")?;
        write_place(out, edit.from, registers)?;
        writeln!(out)?;
        *edits = rest;
    }
    Ok(())
}

/// A register by its name, a slot or instruction by its number.
fn write_place(out: &mut dyn fmt::Write, place: Allocation, registers: &RegisterFile<'_>) -> fmt::Result {
    match place.as_reg() {
        Some(reg) => out.write_str(registers.name(reg)),
        None => write!(out, "{place}"),
    }
}

/// Virtual registers in parentheses, if there are any.
fn write_list(out: &mut dyn fmt::Write, vregs: &[VReg]) -> fmt::Result {
    for (n, vreg) in vregs.iter().enumerate() {
        write!(out, "{}{vreg}", if n == 0 { "(" } else { ", " })?;
    }
    out.write_str(if vregs.is_empty() { "" } else { ")" })
}

fn write_operand(out: &mut dyn fmt::Write, operand: Operand, registers: &RegisterFile<'_>) -> fmt::Result {
    let kind = match (operand.kind(), operand.pos()) {
        (OperandKind::Use, OperandPos::Early) => "use",
        (OperandKind::Use, OperandPos::Late) => "use late",
        (OperandKind::Def, OperandPos::Late) => "def",
        (OperandKind::Def, OperandPos::Early) => "def early",
        (OperandKind::UseDef, _) => "use-def",
    };
    write!(out, "{kind} {}:{} ", operand.vreg(), registers.class(operand.class()).name)?;
    out.write_str(match operand.constraint() {
        Constraint::Any => "any",
        Constraint::Reg => "reg",
        Constraint::Stack => "stack",
        Constraint::Fixed(reg) => registers.name(reg),
    })
}

/// What is special in the frame, if anything is.
fn write_frame(frame: &FrameInfo, out: &mut dyn fmt::Write) -> fmt::Result {
    let FrameInfo {
        objects,
        outgoing,
        alignment_log2,
        has_dynamic_alloca,
        has_calls,
        returns_twice,
        needs_frame_pointer,
        convention,
        popped,
        global_base,
        uses_global_base,
        saved_arguments,
        unwind,
        register_arguments,
        // Said by the objects.
        is_guarded: _,
        is_landing,
        signed_return,
        has_wide_registers,
        // Chosen behind lowering.
        shuffle: _,
        late,
    } = frame;
    let mut mark = "frame ";
    let mut item = |text: fmt::Arguments<'_>| {
        out.write_str(core::mem::replace(&mut mark, ", "))?;
        out.write_fmt(text)
    };
    for object in objects {
        item(format_args!("object {} align {}", object.size, 1u64 << object.align_log2))?;
        match object.kind {
            ObjectKind::Temporary | ObjectKind::Local => {}
            kind => item(format_args!("kind {kind}"))?,
        }
    }
    for (name, number) in
        [("outgoing", outgoing), ("popped", popped), ("register_arguments", register_arguments)]
    {
        if *number != 0 {
            item(format_args!("{name} {number}"))?;
        }
    }
    if *alignment_log2 != 0 {
        item(format_args!("alignment {}", 1u64 << alignment_log2))?;
    }
    if let Some(base) = global_base {
        item(format_args!("global_base {base}"))?;
    }
    if let Some(object) = saved_arguments {
        item(format_args!("saved_arguments {object}"))?;
    }
    if let Some(block) = late {
        item(format_args!("late {block}"))?;
    }
    let flags = [
        ("dynamic_alloca", has_dynamic_alloca),
        ("calls", has_calls),
        ("returns_twice", returns_twice),
        ("frame_pointer", needs_frame_pointer),
        ("uses_global_base", uses_global_base),
        ("landing", is_landing),
        (signed_return.name(), &(*signed_return != SignedReturn::Never)),
        ("wide_registers", has_wide_registers),
        (convention.name(), &(*convention != CallingConvention::Standard)),
        ("uwtable", &(*unwind == UnwindTables::Async)),
        ("uwtable_sync", &(*unwind == UnwindTables::Sync)),
    ];
    for (name, flag) in flags {
        if *flag {
            item(format_args!("{name}"))?;
        }
    }
    out.write_str(if mark == ", " { "\n" } else { "" })
}
