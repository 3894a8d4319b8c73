//! From offsets to addresses: the second pass of the linker, pure arithmetic on bytes.
//!
//! An [`Object`] says how much room each area needs ([`room`]), somebody finds addresses for them and for what is outside,
//! and [`link`] writes every field by the rule that its relocation has in `ice-elf`. So code can be linked for this process
//! and for any other.
//!
//! Where a field cannot hold the distance to a function outside of the module, a *veneer* behind the code takes its place:
//! instructions that jump to an address held beside them. Room for a veneer of each function that is referred to by
//! distance is set aside in the first pass; one is written when a field needs it, and all fields share it.
//!
//! Cost: linear in references.

use crate::error::Error;
use crate::machine::Veneer;
use crate::object::{AREAS, Area, FILLED, Fix, Object, Place, Target, shown};
use ice_elf::{Base, Misfit, Of};
use std::collections::HashMap;

/// How much of each area an object takes: size and alignment in bytes.
pub(crate) type Room = [(u64, u64); AREAS];

/// Alignment of veneers.
const VENEER_ALIGNMENT: u64 = 16;

/// Addresses of the areas.
pub(crate) type Addresses = [u64; AREAS];

/// What linking needs beside the object: the room behind its own bytes.
struct Tail {
    /// The table of addresses, as an offset in [`Area::Constants`].
    table: u64,
    /// The veneers, as an offset in [`Area::Code`].
    veneers: u64,
    /// Their number at most.
    most_veneers: u64,
}

/// Functions outside that a field holds a distance to.
fn most_veneers(object: &Object<'_>) -> u64 {
    let mut is_reached = vec![false; object.imports.len()];
    for fix in &object.fixes {
        if let (Target::Import(number), Of::Symbol, Base::Place) = (fix.target, fix.rule.of, fix.rule.base) {
            is_reached[number as usize] |= object.imports[number as usize].is_function;
        }
    }
    is_reached.iter().filter(|&&is_reached| is_reached).count() as u64
}

fn tail(object: &Object<'_>) -> Tail {
    let pointer = u64::from(object.module.pointer_type.bytes());
    let len = |area: Area| object.filled[area as usize].bytes.len() as u64;
    Tail {
        table: len(Area::Constants).next_multiple_of(pointer),
        veneers: len(Area::Code).next_multiple_of(VENEER_ALIGNMENT),
        most_veneers: most_veneers(object),
    }
}

/// How much room a finished object takes.
pub(crate) fn room(object: &Object<'_>, veneer: Option<&Veneer>) -> Room {
    let tail = tail(object);
    let pointer = u64::from(object.module.pointer_type.bytes());
    let veneer = veneer.map_or(0, Veneer::size);
    let alignment = |area: Area| object.filled[area as usize].alignment.max(pointer);
    [
        (tail.veneers + tail.most_veneers * veneer, alignment(Area::Code).max(VENEER_ALIGNMENT)),
        (tail.table + object.entries.len() as u64 * pointer, alignment(Area::Constants)),
        (object.filled[Area::Variables as usize].bytes.len() as u64, alignment(Area::Variables)),
        object.zeros,
    ]
}

/// The state of linking.
struct Linker<'a, 'm> {
    object: &'a Object<'m>,
    addresses: Addresses,
    imports: &'a [u64],
    veneer: Option<&'a Veneer>,
    /// Where the next veneer goes, as an offset in [`Area::Code`].
    next_veneer: u64,
    /// Addresses of the veneers, by import.
    veneers: HashMap<u32, u64>,
    table: u64,
}

/// Writes the fields of an object whose areas are at `addresses`, and what it imports at `imports`. Gives the bytes of the
/// areas that have any; they are as long as their room.
///
/// # Errors
/// A field cannot hold its value: something outside is too far away.
pub(crate) fn link(
    object: &mut Object<'_>,
    addresses: Addresses,
    imports: &[u64],
    veneer: Option<&Veneer>,
) -> Result<[Vec<u8>; FILLED], Error> {
    let room = room(object, veneer);
    let tail = tail(object);
    let mut filled = object.filled.each_mut().map(|area| std::mem::take(&mut area.bytes));
    for (bytes, (size, _)) in filled.iter_mut().zip(room) {
        bytes.resize(size as usize, 0);
    }
    let mut linker = Linker {
        object,
        addresses,
        imports,
        veneer,
        next_veneer: tail.veneers,
        veneers: HashMap::new(),
        table: addresses[Area::Constants as usize] + tail.table,
    };
    for fix in &object.fixes {
        linker.apply(fix, &mut filled)?;
    }
    for &(place, labels, addend, bytes) in &object.distances {
        let [plus, minus] = labels.map(|label| object.label_target(label));
        let distance = linker.address(plus?)?.wrapping_sub(linker.address(minus?)?);
        let (at, bytes) = (place.offset as usize, usize::from(bytes));
        let value = distance.wrapping_add_signed(addend.into()).to_le_bytes();
        filled[place.area as usize][at..at + bytes].copy_from_slice(&value[..bytes]);
    }
    let pointer = object.module.pointer_type.bytes() as usize;
    let entries = filled[Area::Constants as usize][tail.table as usize..].chunks_exact_mut(pointer);
    for (&target, entry) in object.entries.iter().zip(entries) {
        entry.copy_from_slice(&linker.address(target)?.to_le_bytes()[..pointer]);
    }
    Ok(filled)
}

impl Linker<'_, '_> {
    fn place(&self, place: Place) -> u64 {
        self.addresses[place.area as usize] + place.offset
    }

    fn address(&self, target: Target) -> Result<u64, Error> {
        let at = |area, offset| self.place(Place { area, offset });
        Ok(match target {
            Target::Place(place) => self.place(place),
            Target::Constant(id) => {
                let start = self.object.constant_starts[id.size as usize];
                at(Area::Constants, start + u64::from(id.offset()))
            }
            Target::Function(function) => {
                let place = self.object.functions[function.as_u32() as usize];
                self.place(place.ok_or(Error::Internal("a function has no code"))?)
            }
            Target::Label(function, label) => {
                let module = self.object.module;
                let Some(place) = self.object.functions[function.as_u32() as usize] else {
                    return Err(Error::Label(shown(module.name(module.functions[function].name))));
                };
                self.place(place).wrapping_add(self.object.labels.offset(function, label))
            }
            Target::Import(number) => self.imports[number as usize],
        })
    }

    fn apply(&mut self, fix: &Fix, filled: &mut [Vec<u8>; FILLED]) -> Result<(), Error> {
        let place = self.place(fix.at);
        let of = match fix.rule.of {
            Of::Symbol => self.address(fix.target)?,
            Of::Entry => {
                let offset = self.object.entry_offset(fix.target);
                self.table + offset.ok_or(Error::Internal("an address has no entry"))?
            }
            Of::Table => self.table,
        };
        let base = match fix.rule.base {
            Base::Zero => 0,
            Base::Place | Base::Page => place,
            Base::Table => self.table,
        };
        let (area, start) = (fix.at.area as usize, fix.at.offset as usize);
        let applied = fix.rule.apply(&mut filled[area][start..], of, base, fix.addend);
        match (applied, fix.target) {
            (Ok(()), _) => Ok(()),
            (Err(Misfit::OutOfRange { .. }), Target::Import(number))
                if self.object.imports[number as usize].is_function && fix.rule.base == Base::Place =>
            {
                let veneer = self.veneer_of(number, filled).ok_or_else(|| self.too_far(fix))?;
                let applied = fix.rule.apply(&mut filled[area][start..], veneer, base, fix.addend);
                applied.map_err(|_| self.too_far(fix))
            }
            (Err(_), _) => Err(self.too_far(fix)),
        }
    }

    /// The address of the veneer for an import; none where the machine needs none.
    fn veneer_of(&mut self, number: u32, filled: &mut [Vec<u8>; FILLED]) -> Option<u64> {
        if let Some(&address) = self.veneers.get(&number) {
            return Some(address);
        }
        let veneer = self.veneer?;
        let start = self.next_veneer;
        veneer.write(&mut filled[Area::Code as usize][start as usize..], self.imports[number as usize])?;
        self.next_veneer += veneer.size();
        let address = self.addresses[Area::Code as usize] + start;
        self.veneers.insert(number, address);
        Some(address)
    }

    fn too_far(&self, fix: &Fix) -> Error {
        let name = match fix.target {
            Target::Import(number) => self.object.imports[number as usize].name.as_slice(),
            Target::Function(function) | Target::Label(function, _) => {
                let module = self.object.module;
                module.name(module.functions[function].name)
            }
            Target::Place(_) | Target::Constant(_) => b"",
        };
        Error::TooFar(String::from_utf8_lossy(name).into_owned())
    }
}

#[cfg(test)]
mod tests;
