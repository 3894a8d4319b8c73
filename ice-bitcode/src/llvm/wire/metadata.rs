//! Metadata, as far as it says something to a code generator: the flags of the module, type words, predicates of
//! comparisons, [weights](super::weights) of branches, and what [describes the source](super::debug).
//!
//! Nodes have numbers in the order of their records, behind the strings, which stand in one record. Most of them describe
//! the program to debuggers and optimisers, and in large blocks they are looked at only if there are units of the source:
//! these blocks begin with the place of an index, which says where each node is (LLVM's `MetadataLoader`).

use alloc::vec::Vec;
use core::ops::Range;

use ice_ir::FloatCond;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::codes::{attachment, metadata as code};
use super::container::push_text;
use super::debug::{self, ModuleDebug};
use super::weights::Weights;
use crate::bitstream::{BlockHeader, Cursor, Reader, Record};
use crate::error::{Error, Result};

/// A flag of a module. What several modules have of one name, linkers have merged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModuleFlag {
    /// Its name, such as `PIC Level`.
    pub key: Vec<u8>,
    /// What it says.
    pub value: FlagValue,
}

/// What a flag says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FlagValue {
    /// A number.
    Number(i64),
    /// A text.
    Text(Vec<u8>),
    /// A node, for linkers and optimisers.
    Node,
}

/// What the words in front of functions begin with that say their type to sanitizers (UBSan's `function`).
pub const SIGNATURE: u32 = 0xc105_cafe;

/// The name of the node with the flags.
const FLAGS: &[u8] = b"llvm.module.flags";

/// The most flags of a module that are read: each may be as large as the file.
const MAX_FLAGS: usize = 256;

/// One metadata value that flags are made of.
enum Metadata {
    Text(Vec<u8>),
    Number(i64),
    Node(Vec<u64>),
}

/// What is known of the numbers in the metadata of a module with type words.
#[derive(Clone, Default, Debug)]
pub struct Words {
    /// Numbers, and nodes that are one number, or one behind [`SIGNATURE`], by their own number.
    known: IndexMap<u64, u32, FxBuildHasher>,
    /// How many strings and nodes the module has; those of a function count on.
    count: u64,
}

impl Words {
    /// Whether the module has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// What is known, to be gone back to.
    pub(in crate::llvm) fn mark(&self) -> (usize, u64) {
        (self.known.len(), self.count)
    }

    /// Forgets what came behind a mark.
    pub(in crate::llvm) fn restore(&mut self, (known, count): (usize, u64)) {
        self.known.truncate(known);
        self.count = count;
    }

    /// The number that a field of a node is.
    fn number_at(&self, field: u64) -> Option<u32> {
        field.checked_sub(1).and_then(|id| self.known.get(&id).copied())
    }

    /// Notes what a record says that has the next number.
    fn add(&mut self, id: u64, record: &Record, number: impl Fn(u32) -> Option<i64>) {
        let word = match (record.code, &record.ops[..]) {
            (code::VALUE, &[_, value]) => {
                u32::try_from(value).ok().and_then(number).map(|number| number as u32)
            }
            (code::NODE, &[field]) => self.number_at(field),
            (code::NODE, &[mark, field]) if self.number_at(mark) == Some(SIGNATURE) => self.number_at(field),
            _ => None,
        };
        if let Some(word) = word {
            self.known.insert(id, word);
        }
    }
}

/// The strings that name predicates of comparisons of floating-point numbers, in a module or a function.
#[derive(Clone, Default, Debug)]
pub struct Predicates {
    /// By number.
    known: IndexMap<u64, FloatCond, FxBuildHasher>,
    /// The number of what comes next.
    count: u64,
}

impl Predicates {
    /// The predicate that the metadata with this number names.
    #[must_use]
    pub fn get(&self, id: u64) -> Option<FloatCond> {
        self.known.get(&id).copied()
    }

    /// Adds the strings that a record has, whose characters are in `bytes`.
    fn add(&mut self, strings: &Strings, bytes: &[u8]) {
        for (id, bounds) in (self.count..).zip(strings.bounds(bytes)) {
            let name = strings.text(bytes, bounds).and_then(|text| core::str::from_utf8(text).ok());
            if let Some(cond) = name.and_then(FloatCond::from_name) {
                self.known.insert(id, cond);
            }
        }
        self.count = self.count.saturating_add(strings.count);
    }

    /// Those in the METADATA block of a function of this module, which hold for it alone.
    ///
    /// # Errors
    ///
    /// `L07` for strings that are not there, the conditions of the bitstream.
    pub(in crate::llvm) fn read_own(
        &self,
        reader: &mut Reader<'_>,
        header: &BlockHeader,
        record: &mut Record,
    ) -> Result<Predicates> {
        let mut own = Predicates { count: self.count, ..Predicates::default() };
        reader.enter(header);
        while reader.next_in_leaf(record)? {
            if record.code == code::STRINGS {
                own.add(&Strings::of(reader, record)?, reader.bytes());
            }
        }
        Ok(own)
    }
}

/// What is read of the metadata of a module.
pub(in crate::llvm) struct ModuleMetadata {
    pub(in crate::llvm) flags: Vec<ModuleFlag>,
    pub(in crate::llvm) words: Words,
    pub(in crate::llvm) predicates: Predicates,
    pub(in crate::llvm) weights: Weights,
    /// If it has units of a source.
    pub(in crate::llvm) debug: Option<ModuleDebug>,
}

/// What the next named node has.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Named {
    #[default]
    Other,
    Flags,
    Units,
}

/// Reads the METADATA block of a module, and of one with the flag `words_flag`, or that `has_signatures`, its nodes of numbers. `number` says what
/// a constant of the module is, if it is a number.
///
/// # Errors
///
/// `L07` for metadata that is not there, `M05` for flags or an index that come twice, `L11` for more than 256 flags, the
/// conditions of the bitstream.
pub(in crate::llvm) fn read_module_metadata(
    reader: &mut Reader<'_>,
    header: &BlockHeader,
    record: &mut Record,
    number: impl Fn(u32) -> Option<i64>,
    (words_flag, has_signatures): (&str, bool),
    has_predicates: bool,
) -> Result<ModuleMetadata> {
    let mut block = Block { number, strings: None, bounds: Vec::new(), nodes: Vec::new() };
    let (mut flags, mut words, mut predicates) = (Vec::new(), Words::default(), Predicates::default());
    let (mut named, mut has_flags, mut has_index, mut debug) = (Named::Other, false, false, None);
    let mut weights = Weights::default();
    reader.enter(header);
    while reader.next_in_leaf(record)? {
        match record.code {
            code::STRINGS => {
                let strings = Strings::of(reader, record)?;
                if has_predicates {
                    predicates.add(&strings, reader.bytes());
                }
                weights.add_strings(&strings, reader.bytes());
                block.strings = Some(strings);
            }
            code::INDEX_OFFSET => {
                once(reader, &mut has_index, "of places of metadata")?;
                block.read_index(reader, record)?;
                block.weights(reader, record, &mut weights)?;
            }
            code::NAME => {
                let mut name = Vec::new();
                let is_text = push_text(&record.ops, &mut name).is_ok();
                named = match &name[..] {
                    FLAGS if is_text => Named::Flags,
                    debug::UNITS if is_text => Named::Units,
                    _ => Named::Other,
                };
            }
            code::NAMED_NODE => match core::mem::take(&mut named) {
                Named::Flags => {
                    once(reader, &mut has_flags, "of the module's flags")?;
                    if record.ops.len() > MAX_FLAGS {
                        let error = Error::TooLarge { what: "the number of flags", limit: MAX_FLAGS as u64 };
                        return Err(reader.record_error(error, record));
                    }
                    let behind = reader.position();
                    let nodes = record.ops.to_vec();
                    for node in nodes {
                        flags.extend(block.flag(reader, record, node)?);
                    }
                    let has_words = |flag: &ModuleFlag| flag.key == words_flag.as_bytes();
                    if has_signatures || flags.iter().any(has_words) {
                        words = block.words(reader, record)?;
                    }
                    reader.seek(behind)?;
                }
                // What comes again says nothing new.
                Named::Units if debug.is_none() => {
                    let behind = reader.position();
                    let units = record.ops.to_vec();
                    debug = Some(block.debug(reader, record, &units)?);
                    reader.seek(behind)?;
                }
                Named::Units | Named::Other => {}
            },
            code::KIND | code::GLOBAL_DECL_ATTACHMENT | code::INDEX => {}
            _ => {
                block.nodes.push(reader.entry_position());
                weights.add(&Weights::default(), record, &block.number);
            }
        }
    }
    predicates.count = predicates.count.saturating_add(block.nodes.len() as u64);
    Ok(ModuleMetadata { flags, words, predicates, weights, debug })
}

/// Notes that there is one of these; another is an error.
fn once(reader: &Reader<'_>, is_known: &mut bool, block: &'static str) -> Result<()> {
    match core::mem::replace(is_known, true) {
        true => Err(reader.error(Error::BlockRepeated { block })),
        false => Ok(()),
    }
}

/// Adds the numbers in the METADATA block of a function, which hold for it alone.
///
/// # Errors
///
/// The conditions of the bitstream.
pub(in crate::llvm) fn read_own_words(
    reader: &mut Reader<'_>,
    header: &BlockHeader,
    record: &mut Record,
    words: &mut Words,
    number: impl Fn(u32) -> Option<i64>,
) -> Result<()> {
    reader.enter(header);
    while reader.next_in_leaf(record)? {
        match record.code {
            code::STRINGS => {
                words.count = words.count.saturating_add(record.ops.first().copied().unwrap_or(0))
            }
            _ => {
                words.add(words.count, record, &number);
                words.count += 1;
            }
        }
    }
    Ok(())
}

/// The type word that the METADATA_ATTACHMENT block of a function gives it, and the word of its type for sanitizers.
///
/// # Errors
///
/// The conditions of the bitstream.
pub(in crate::llvm) fn read_type_words(
    reader: &mut Reader<'_>,
    header: &BlockHeader,
    record: &mut Record,
    words: &Words,
) -> Result<[Option<u32>; 2]> {
    let mut found = [None; 2];
    for_each_attached(reader, header, record, |kind, id| {
        let place = match kind {
            attachment::TYPE_WORD => 0,
            attachment::SIGNATURE => 1,
            _ => return,
        };
        found[place] = words.known.get(&id).copied().or(found[place]);
    })?;
    Ok(found)
}

/// Calls `each` with the kind and the number of all metadata that a METADATA_ATTACHMENT block gives its function.
pub(super) fn for_each_attached(
    reader: &mut Reader<'_>,
    header: &BlockHeader,
    record: &mut Record,
    mut each: impl FnMut(u64, u64),
) -> Result<()> {
    reader.enter(header);
    while reader.next_in_leaf(record)? {
        // An odd number of operands is about one instruction.
        if record.code == attachment::ATTACHMENT && record.ops.len().is_multiple_of(2) {
            record.ops.chunks_exact(2).for_each(|pair| each(pair[0], pair[1]));
        }
    }
    Ok(())
}

struct Block<N> {
    number: N,
    /// Where the strings are in the file: their lengths, and their characters.
    strings: Option<Strings>,
    /// Where each string is, once one was wanted.
    bounds: Vec<Range<usize>>,
    /// Where the nodes and values begin, in bits of the file.
    nodes: Vec<u64>,
}

#[derive(Clone)]
pub(super) struct Strings {
    count: u64,
    lengths: Range<usize>,
    characters: Range<usize>,
}

impl Strings {
    /// How many there are.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Those of a STRINGS record.
    pub(super) fn of(reader: &Reader<'_>, record: &Record) -> Result<Strings> {
        let found = || {
            let (&[count, offset], Some(blob)) = (&record.ops[..], record.blob.clone()) else { return None };
            let start = blob.start.checked_add(usize::try_from(offset).ok()?)?;
            // Each length takes six bits.
            let is_possible = count <= (blob.len() as u64 * 8) / 6 && start <= blob.end;
            (is_possible && blob.end <= reader.bytes().len()).then_some(Strings {
                count,
                lengths: blob.start..start,
                characters: start..blob.end,
            })
        };
        found().ok_or_else(|| {
            reader.record_error(Error::NoSuch { what: "string of metadata", index: 0 }, record)
        })
    }

    /// Where each is in the file with these bytes; fewer if lengths are impossible.
    pub(super) fn bounds(&self, bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
        let mut cursor = Cursor::new(bytes.get(self.lengths.clone()).unwrap_or(&[]));
        let mut start = self.characters.start;
        (0..self.count).map_while(move |_| {
            let end = start.checked_add(usize::try_from(cursor.read_vbr6()).ok()?)?;
            Some(core::mem::replace(&mut start, end)..end)
        })
    }

    pub(super) fn text<'a>(&self, bytes: &'a [u8], range: Range<usize>) -> Option<&'a [u8]> {
        (range.end <= self.characters.end).then(|| bytes.get(range))?
    }
}

impl<N: Fn(u32) -> Option<i64>> Block<N> {
    /// Goes to the index and reads where nodes begin; they are passed over.
    fn read_index(&mut self, reader: &mut Reader<'_>, record: &mut Record) -> Result<()> {
        let &[low, high] = &record.ops[..] else {
            let error =
                Error::OperandCount { record: "INDEX_OFFSET", found: record.ops.len(), expected: "2" };
            return Err(reader.record_error(error, record));
        };
        let first = reader.position();
        reader.seek(first.saturating_add(low | high << 32))?;
        if !reader.next_in_leaf(record)? || record.code != code::INDEX {
            return Err(reader.error(Error::NoSuch { what: "index of metadata", index: 0 }));
        }
        let mut at = first;
        for delta in &record.ops[..] {
            at = at.saturating_add(*delta);
            self.nodes.push(at);
        }
        Ok(())
    }

    /// The metadata with this number.
    fn get(&mut self, reader: &mut Reader<'_>, record: &mut Record, id: u64) -> Result<Metadata> {
        let missing = Error::NoSuch { what: "metadata", index: id };
        let count = self.strings.as_ref().map_or(0, |strings| strings.count);
        let Some(node) = id.checked_sub(count) else {
            return match self.string(reader, id as usize) {
                Some(text) => Ok(Metadata::Text(text)),
                None => Err(reader.error(missing)),
            };
        };
        let at = usize::try_from(node).ok().and_then(|node| self.nodes.get(node));
        let Some(&at) = at else { return Err(reader.error(missing)) };
        reader.seek(at)?;
        if !reader.next_in_leaf(record)? {
            return Err(reader.error(missing));
        }
        Ok(match (record.code, &record.ops[..]) {
            (code::VALUE, &[_, value]) => {
                let number = u32::try_from(value).ok().and_then(|value| (self.number)(value));
                number.map_or(Metadata::Node(Vec::new()), Metadata::Number)
            }
            (code::NODE, ops) => Metadata::Node(ops.to_vec()),
            _ => Metadata::Node(Vec::new()),
        })
    }

    /// The numbers among the metadata.
    fn words(&mut self, reader: &mut Reader<'_>, record: &mut Record) -> Result<Words> {
        let mut words =
            Words { count: self.strings.as_ref().map_or(0, |strings| strings.count), ..Words::default() };
        for &at in &self.nodes {
            reader.seek(at)?;
            if reader.next_in_leaf(record)? {
                words.add(words.count, record, &self.number);
            }
            words.count += 1;
        }
        Ok(words)
    }

    /// Adds what the nodes say of weights. They are looked at only if there are any.
    fn weights(&mut self, reader: &mut Reader<'_>, record: &mut Record, weights: &mut Weights) -> Result<()> {
        if !weights.has_any() {
            weights.skip(self.nodes.len());
            return Ok(());
        }
        let behind = reader.position();
        for &at in &self.nodes {
            reader.seek(at)?;
            match reader.next_in_leaf(record)? {
                true => weights.add(&Weights::default(), record, &self.number),
                false => weights.skip(1),
            }
        }
        reader.seek(behind)
    }

    /// What is said of the source, where `units` are.
    #[cold]
    fn debug(&mut self, reader: &mut Reader<'_>, record: &mut Record, units: &[u64]) -> Result<ModuleDebug> {
        let mut debug = ModuleDebug::default();
        if let Some(strings) = &self.strings {
            debug.nodes.add_strings(strings, reader.bytes());
        }
        for &at in &self.nodes {
            reader.seek(at)?;
            if reader.next_in_leaf(record)? {
                debug.nodes.add(record);
            }
        }
        debug.find_units(units);
        Ok(debug)
    }

    /// The string with this number.
    fn string(&mut self, reader: &Reader<'_>, index: usize) -> Option<Vec<u8>> {
        let strings = self.strings.as_ref()?;
        let bytes = reader.bytes();
        if self.bounds.is_empty() {
            self.bounds.extend(strings.bounds(bytes));
        }
        let range = self.bounds.get(index)?.clone();
        strings.text(bytes, range).map(<[u8]>::to_vec)
    }

    /// The flag of a node; `None` for one that says nothing.
    fn flag(
        &mut self,
        reader: &mut Reader<'_>,
        record: &mut Record,
        node: u64,
    ) -> Result<Option<ModuleFlag>> {
        let Metadata::Node(fields) = self.get(reader, record, node)? else { return Ok(None) };
        // A behaviour when linked, the name, the value; 0 is no metadata.
        let &[_, key, value] = &fields[..] else { return Ok(None) };
        let (Some(key), Some(value)) = (key.checked_sub(1), value.checked_sub(1)) else { return Ok(None) };
        let Metadata::Text(key) = self.get(reader, record, key)? else { return Ok(None) };
        let value = match self.get(reader, record, value)? {
            Metadata::Number(number) => FlagValue::Number(number),
            Metadata::Text(text) => FlagValue::Text(text),
            Metadata::Node(_) => FlagValue::Node,
        };
        Ok(Some(ModuleFlag { key, value }))
    }
}
