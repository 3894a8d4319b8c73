//! Tables for personality routines: the section `.gcc_except_table`, by which exceptions find who handles them.
//!
//! Problem: from an address in a function, find where its exceptions go on, and which of them are wanted there. Method: the
//! *language-specific data area* in the form of GCC, which the personality routines of C++, Rust and others read (Itanium
//! C++ ABI, exception handling, 2.4; its fields: Taylor, ".gcc_except_table", 2011). For each function a header; the
//! *call sites*, which say of ranges of code where their exceptions go on and with which *action*; the actions, chains of
//! numbers of types and filters; the types, from the last to the first; the filters, lists of numbers of types. Input is
//! plain numbers.
//!
//! All code that belongs to no call with a pad is given, too: a range without a pad, through which exceptions pass. What
//! is in no range may not be left by any.
//!
//! References are those of types: fields of 4 bytes, of a [form](TypeForm) that the platform decides. Who places the section
//! fills them in, or leaves them to a linker.
//!
//! Cost: linear in call sites and clauses; about 8 bytes a call.

use crate::leb::{sleb, uleb, uleb_size};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// A signed distance of 4 bytes to a word that holds the address (`DW_EH_PE_indirect | DW_EH_PE_pcrel | DW_EH_PE_sdata4`).
pub(crate) const INDIRECT_DISTANCE_4: u8 = 0x9b;
/// No such field (`DW_EH_PE_omit`).
const OMITTED: u8 = 0xff;
/// Numbers of variable length (`DW_EH_PE_uleb128`).
const ULEB128: u8 = 0x01;

/// An address, or what stands for one (`DW_EH_PE_absptr`).
const ADDRESS: u8 = 0x00;

/// What a table has for each type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeForm {
    /// The distance from the field to a word with the address of the type. Filters are lists of numbers of types.
    Distance,
    /// What the linker makes of a reference by `R_ARM_TARGET2`. Filters are lists of such words (the personality routines
    /// of C++ for the exception handling ABI of ARM, IHI 0038; `eh_personality.cc` of libstdc++).
    Word,
}

/// What a pad wants of an exception.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum PadClause<'a> {
    /// To catch it, if it is of the type of this number, from 1 on.
    Catch(u32),
    /// To see it, if it is of none of these types.
    Filter(&'a [u32]),
    /// To see it.
    Cleanup,
}

/// A call whose exceptions go to a pad.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PadRange<'a> {
    /// Where the call begins and ends, in bytes from the start of the function.
    pub code: (u32, u32),
    /// Where the pad begins.
    pub pad: u32,
    /// What it wants, in this order.
    pub clauses: &'a [PadClause<'a>],
}

/// The reference of a field to a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeReference {
    /// The offset of the field.
    pub field: u64,
    /// Index of the type.
    pub index: usize,
}

/// The alignment of the section, and of each function's data.
pub const EXCEPTION_TABLE_ALIGNMENT: u64 = 4;

/// Appends the data of a function of `size` bytes to `out`: its calls with a pad, by ascending offsets, and how many `types` its
/// clauses number. Gives the offset of the data, and appends the references to `references`.
pub fn write_exception_table(
    form: TypeForm,
    size: u32,
    ranges: &[PadRange<'_>],
    types: usize,
    out: &mut Vec<u8>,
    references: &mut Vec<TypeReference>,
) -> u64 {
    out.resize(out.len().next_multiple_of(EXCEPTION_TABLE_ALIGNMENT as usize), 0);
    let start = out.len();
    let mut actions = Actions::new(form);
    let sites = call_sites(size, ranges, &mut actions);
    out.push(OMITTED);
    match types == 0 && actions.filters.is_empty() {
        true => out.push(OMITTED),
        false => {
            out.push(match form {
                TypeForm::Distance => INDIRECT_DISTANCE_4,
                TypeForm::Word => ADDRESS,
            });
            let mut behind = 1 + Vec::len(&sites) + actions.records.len() + 4 * types;
            behind += uleb_size(sites.len() as u32);
            // What is before the types ends at a multiple of 4: the number itself is as long as it has to be, or longer.
            let mut length = uleb_size(behind as u32);
            let mut padding = padding(start, length, behind - 4 * types);
            if uleb_size((behind + padding) as u32) > length {
                length += 1;
                padding = self::padding(start, length, behind - 4 * types);
            }
            long_uleb((behind + padding) as u32, length, out);
            actions.records.resize(actions.records.len() + padding, 0);
        }
    }
    out.push(ULEB128);
    uleb(sites.len() as u32, out);
    out.extend_from_slice(&sites);
    out.extend_from_slice(&actions.records);
    let mut refer = |index: usize, out: &mut Vec<u8>| {
        references.push(TypeReference { field: out.len() as u64, index });
        out.extend_from_slice(&[0; 4]);
    };
    (0..types).rev().for_each(|index| refer(index, out));
    for ty in actions.filters {
        match (form, ty.checked_sub(1)) {
            (TypeForm::Distance, _) => uleb(ty, out),
            (TypeForm::Word, Some(index)) => refer(index as usize, out),
            (TypeForm::Word, None) => out.extend_from_slice(&[0; 4]),
        }
    }
    start as u64
}

/// The zeros between the actions and the types.
fn padding(start: usize, length: usize, before_types: usize) -> usize {
    let end = start + 2 + length + before_types;
    end.next_multiple_of(EXCEPTION_TABLE_ALIGNMENT as usize) - end
}

/// A number in `length` bytes, which are enough for it.
fn long_uleb(mut number: u32, length: usize, out: &mut Vec<u8>) {
    for left in (0..length).rev() {
        out.push(number as u8 & 0x7f | if left > 0 { 0x80 } else { 0 });
        number >>= 7;
    }
}

/// The call sites: those with a pad, and all code between them.
fn call_sites<'a>(size: u32, ranges: &[PadRange<'a>], actions: &mut Actions<'a>) -> Vec<u8> {
    let mut sites = Vec::new();
    let mut site = |from: u32, to: u32, pad: u32, action: u32| {
        if from < to {
            [from, to - from, pad, action].into_iter().for_each(|number| uleb(number, &mut sites));
        }
    };
    let mut at = 0;
    for range in ranges {
        let (from, to) = range.code;
        site(at, from, 0, 0);
        site(from, to, range.pad, actions.of(range.clauses));
        at = to;
    }
    site(at, size, 0, 0);
    sites
}

/// The actions and filters of a function, each kind of chain once.
struct Actions<'a> {
    form: TypeForm,
    records: Vec<u8>,
    /// Numbers of types, 0 behind each filter.
    filters: Vec<u32>,
    /// What the filters take, in bytes or words.
    filters_size: u32,
    known: BTreeMap<&'a [PadClause<'a>], u32>,
    known_filters: BTreeMap<&'a [u32], i32>,
}

impl<'a> Actions<'a> {
    fn new(form: TypeForm) -> Actions<'a> {
        let (known, known_filters) = (BTreeMap::new(), BTreeMap::new());
        Actions { form, records: Vec::new(), filters: Vec::new(), filters_size: 0, known, known_filters }
    }

    /// The number of the chain for these clauses: 0 where nothing decides, else one more than its offset.
    fn of(&mut self, clauses: &'a [PadClause<'a>]) -> u32 {
        if matches!(clauses, [] | [PadClause::Cleanup]) {
            return 0;
        }
        if let Some(&known) = self.known.get(clauses) {
            return known;
        }
        let number = self.records.len() as u32 + 1;
        for (n, clause) in clauses.iter().enumerate() {
            let filter = match *clause {
                PadClause::Catch(ty) => ty as i32,
                PadClause::Filter(types) => self.filter(types),
                PadClause::Cleanup => 0,
            };
            sleb(filter.into(), &mut self.records);
            // From this number to the next record, which follows it.
            self.records.push(if n + 1 < clauses.len() { 1 } else { 0 });
        }
        self.known.insert(clauses, number);
        number
    }

    /// The number of a filter: its offset behind the types, as a negative number, less one.
    fn filter(&mut self, types: &'a [u32]) -> i32 {
        if let Some(&known) = self.known_filters.get(types) {
            return known;
        }
        let number = -(self.filters_size as i32) - 1;
        for &ty in types.iter().chain(&[0]) {
            self.filters.push(ty);
            self.filters_size += match self.form {
                TypeForm::Distance => uleb_size(ty) as u32,
                TypeForm::Word => 1,
            };
        }
        self.known_filters.insert(types, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_without_clauses_have_no_types() {
        let (mut out, mut references) = (Vec::from([9]), Vec::new());
        let clean = PadRange { code: (4, 9), pad: 200, clauses: &[PadClause::Cleanup] };
        let at = write_exception_table(TypeForm::Distance, 300, &[clean], 0, &mut out, &mut references);
        assert_eq!(at, 4);
        let sites = [0, 4, 0, 0, 4, 5, 0xc8, 1, 0, 9, 0xa3, 2, 0, 0];
        assert_eq!(out[4..8], [0xff, 0xff, 1, sites.len() as u8]);
        assert_eq!(out[8..], sites);
        assert!(references.is_empty());
    }

    #[test]
    fn chains_and_filters_are_written_once_and_types_backwards() {
        use PadClause::{Catch, Cleanup, Filter};
        let (mut out, mut references) = (Vec::new(), Vec::new());
        let both = [Catch(2), Filter(&[1, 2]), Cleanup];
        let ranges = [
            PadRange { code: (0, 5), pad: 20, clauses: &both },
            PadRange { code: (5, 10), pad: 30, clauses: &[Filter(&[])] },
            PadRange { code: (10, 15), pad: 40, clauses: &both },
        ];
        let at = write_exception_table(TypeForm::Distance, 15, &ranges, 2, &mut out, &mut references);
        assert_eq!(at, 0);
        assert_eq!(out[..2], [0xff, 0x9b]);
        // Header, 12 bytes of call sites, 8 of actions, 3 of padding, the types.
        assert_eq!(out[2], 1 + 1 + 12 + 8 + 3 + 8);
        assert_eq!(out[3..5], [1, 12]);
        assert_eq!(out[5..17], [0, 5, 20, 1, 5, 5, 30, 7, 10, 5, 40, 1]);
        // 2, filter 0, cleanup; filter at 3, which is -4.
        assert_eq!(out[17..25], [2, 1, 0x7f, 1, 0, 0, 0x7c, 0]);
        assert_eq!(out[25..28], [0; 3]);
        let fields: Vec<_> = references.iter().map(|r| (r.field, r.index)).collect();
        assert_eq!(fields, [(28, 1), (32, 0)]);
        assert_eq!(out[36..], [1, 2, 0, 0]);
    }

    #[test]
    fn filters_of_words_are_references_and_counted_in_words() {
        use PadClause::Filter;
        let (mut out, mut references) = (Vec::new(), Vec::new());
        let ranges = [
            PadRange { code: (0, 4), pad: 8, clauses: &[Filter(&[2, 1])] },
            PadRange { code: (4, 8), pad: 8, clauses: &[Filter(&[1])] },
        ];
        write_exception_table(TypeForm::Word, 8, &ranges, 2, &mut out, &mut references);
        assert_eq!(out[1], 0);
        // Filters at words 0 and 3: -1 and -4. The header has 5 bytes, the call sites 8.
        assert_eq!(out[13..17], [0x7f, 0, 0x7c, 0]);
        let fields: Vec<_> = references.iter().map(|r| (r.field, r.index)).collect();
        assert_eq!(fields, [(20, 1), (24, 0), (28, 1), (32, 0), (40, 0)]);
        assert_eq!((&out[36..40], out.len()), (&[0; 4][..], 48));
    }
}
