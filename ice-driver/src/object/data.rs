//! Global variables: their bytes, and the addresses in them.

use super::ObjectOutput;
use crate::error::Error;
use crate::placement::{Placement, data_bytes, has_distances};
use ice_asm::RelocKind;
use ice_elf::{AddendPlacement, Relocation, Sink, Target};
use ice_ir::{GlobalId, GlobalKind, Initializer, Symbol, Type};

impl<S: Sink> ObjectOutput<'_, S> {
    /// Writes the variables, but for those that have to wait for code.
    pub(super) fn write_globals(&mut self, globals: &[GlobalId]) -> Result<(), Error> {
        let (module, limit) = (self.module, self.limit);
        let mut total = self.data_bytes;
        for &id in globals {
            if !self.is_placed && has_distances(module, id) {
                self.distances.push(id);
                continue;
            }
            let decl = &module.globals[id];
            let size = module.global_size(id);
            let alignment = 1u64 << decl.align_log2.unwrap_or(0).min(63);
            let symbol = self.globals[id.as_u32() as usize];
            let Some(place) = Placement::of_global(module, id, self.relocation, self.separate) else {
                if decl.kind == GlobalKind::Defined {
                    self.writer.define_common(symbol, size, alignment)?;
                }
                continue;
            };
            let section = self.section(&place)?;
            let has_no_bytes = place.contents.is_zero() && !place.is_kept();
            let offset = if has_no_bytes {
                self.writer.append_zeros(section, alignment, size)?
            } else {
                let padding = self.writer.section_size(section)?.wrapping_neg() & (alignment - 1);
                total = total.saturating_add(size).saturating_add(padding);
                if total > limit {
                    return Err(Error::DataTooLarge { bytes: total, limit });
                }
                self.gather_contents(id)?;
                self.writer.append_data(section, alignment, &self.bytes, self.relocations.drain(..))?
            };
            self.writer.define(symbol, section, offset, size)?;
        }
        self.data_bytes = total;
        Ok(())
    }

    /// Writes the variables with distances of labels, when all code has its place.
    pub(super) fn write_distances(&mut self) -> Result<(), Error> {
        self.is_placed = true;
        let waiting = core::mem::take(&mut self.distances);
        self.write_globals(&waiting).map_err(|error| self.with_section_name(error))
    }

    /// Puts the contents of a global into `bytes` and `relocations`.
    fn gather_contents(&mut self, global: GlobalId) -> Result<(), Error> {
        self.bytes.clear();
        for init in self.module.initializers(global) {
            let offset = self.bytes.len() as u64;
            match *init {
                Initializer::Zero(count) => self.bytes.resize(self.bytes.len() + count as usize, 0),
                Initializer::Bytes { start, len } => {
                    self.bytes.extend_from_slice(data_bytes(self.module, start, len));
                }
                Initializer::Distance { plus, minus, addend, bytes } => {
                    let value = self.labels.distance(self.module, plus, minus, addend);
                    self.bytes.extend_from_slice(&value.to_le_bytes()[..usize::from(bytes)]);
                }
                Initializer::Relative { target, addend, bytes } => {
                    let (r_type, placement) = match bytes {
                        8 => (self.relocation_type(RelocKind::PcRel64)?, AddendPlacement::Width8),
                        _ => (self.relative_type(target)?, AddendPlacement::Width4),
                    };
                    let target = Target::Symbol(self.reached(target)?);
                    self.relocations.push(Relocation { offset, r_type, target, addend, placement });
                    self.bytes.resize(self.bytes.len() + usize::from(bytes), 0);
                }
                Initializer::Address { target, addend } => {
                    let target = Target::Symbol(self.symbol(target));
                    let (kind, addend, placement) = match self.module.pointer_type {
                        Type::I64 => (RelocKind::Abs64, addend, AddendPlacement::Width8),
                        // Addresses wrap at 32 bits, and the field holds 32.
                        _ => (RelocKind::Abs32, i64::from(addend as i32), AddendPlacement::Width4),
                    };
                    let r_type = self.relocation_type(kind)?;
                    self.relocations.push(Relocation { offset, r_type, target, addend, placement });
                    let width = self.module.pointer_type.bytes() as usize;
                    self.bytes.resize(self.bytes.len() + width, 0);
                }
            }
        }
        Ok(())
    }

    /// A distance of 32 bits to a function of another linked module is that to its entry in the linkage table, where objects of
    /// the machine can say so.
    fn relative_type(&self, target: Symbol) -> Result<u32, Error> {
        let through_table = match target {
            Symbol::Function(f)
                if self.is_native()
                    && !self.module.functions[f].linkage.is_local()
                    && !self.has_twin(target) =>
            {
                self.machine.relocation_type(RelocKind::Plt32)
            }
            _ => None,
        };
        through_table.map_or_else(|| self.relocation_type(RelocKind::PcRel32), Ok)
    }
}
