//! What metadata says of the source: files, units, functions, blocks in them, and places.
//!
//! The nodes of a module hold for all of its functions; each function has more of its own, whose numbers go on. Of a
//! place no more is kept than its numbers until somebody asks. What a node refers to may not be there, or be something
//! else: that is as if nothing was said, for debug information means nothing to the code.
//!
//! Cost: linear in the nodes; to ask for one is logarithmic.

use alloc::vec::Vec;

use ice_ir::source::{SourceFile, SourceUnit};

use super::codes::{attachment, metadata as code};
use super::metadata::{Strings, for_each_attached};
use crate::bitstream::{BlockHeader, Reader, Record};
use crate::error::Result;

/// The name of the node with the units.
pub(super) const UNITS: &[u8] = b"llvm.dbg.cu";

/// Flags of functions (LLVM's `DISPFlags`): other units do not see it.
const LOCAL_TO_UNIT: u64 = 4;
/// Of the first field of a function: that it has such flags. What LLVM before its version 8 wrote has none.
const HAS_FLAGS: u64 = 4;

/// Numbers of metadata, and plus 1 where none is 0.
type Id = u32;

/// A node that says something of the source.
#[derive(Clone, Copy, Debug)]
pub(in crate::llvm) enum Node {
    /// A file: the numbers of two strings, plus 1.
    File { name: Id, directory: Id },
    /// A unit. Its file and producer, plus 1.
    Unit { language: u16, file: Id, producer: Id },
    /// A function. Strings, file and unit, plus 1.
    Function { name: Id, linkage_name: Id, file: Id, unit: Id, line: u32, body_line: u32, is_local: bool },
    /// A block in a function. What is around it and its file, plus 1.
    Block { outer: Id, file: Id },
    /// The place of a call that was inlined.
    Place(Place),
}

/// A place in a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::llvm) struct Place {
    pub(in crate::llvm) line: u32,
    pub(in crate::llvm) column: u32,
    /// The function or block, plus 1.
    pub(in crate::llvm) scope: Id,
    /// The place of the call in place of which the code stands, plus 1; 0 if there is none.
    pub(in crate::llvm) call: Id,
}

/// A number of 32 bits; 0, which says nothing, for larger ones.
fn word(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(0)
}

impl Node {
    /// What a record says, if it is of the source.
    fn of(record: &Record) -> Option<Node> {
        let ops = &record.ops[..];
        Some(match (record.code, ops) {
            (code::LOCATION, &[_, line, column, scope, call, ..]) => Node::Place(Place {
                line: word(line),
                column: word(column),
                scope: word(scope.saturating_add(1)),
                call: word(call),
            }),
            (code::FILE, &[_, name, directory, ..]) => {
                Node::File { name: word(name), directory: word(directory) }
            }
            // Of a unit of the kind 0, places are for messages of optimisers alone.
            (code::COMPILE_UNIT, &[_, language, file, producer, _, _, _, _, kind, ..]) if kind != 0 => {
                Node::Unit { language: language as u16, file: word(file), producer: word(producer) }
            }
            (
                code::SUBPROGRAM,
                &[first, _, name, linkage_name, file, line, _, body_line, _, flags, _, _, unit, ..],
            ) if first & HAS_FLAGS != 0 => Node::Function {
                name: word(name),
                linkage_name: word(linkage_name),
                file: word(file),
                unit: word(unit),
                line: word(line),
                body_line: word(body_line),
                is_local: flags & LOCAL_TO_UNIT != 0,
            },
            (code::LEXICAL_BLOCK | code::LEXICAL_BLOCK_FILE, &[_, outer, file, ..]) => {
                Node::Block { outer: word(outer), file: word(file) }
            }
            _ => return None,
        })
    }
}

/// The nodes and strings of a module or a function.
#[derive(Clone, Default, Debug)]
pub(in crate::llvm) struct DebugNodes {
    /// The number of the first string.
    first: u64,
    /// The number of what comes next.
    next: u64,
    /// The characters of all strings, and where each ends.
    characters: Vec<u8>,
    ends: Vec<usize>,
    /// By number.
    nodes: Vec<(Id, Node)>,
}

impl DebugNodes {
    /// Forgets everything; what comes has the numbers behind those of `module`.
    pub(in crate::llvm) fn begin(&mut self, module: &DebugNodes) {
        (self.first, self.next) = (module.next, module.next);
        self.characters.clear();
        self.ends.clear();
        self.nodes.clear();
    }

    /// Adds strings, which have the next numbers.
    pub(super) fn add_strings(&mut self, strings: &Strings, bytes: &[u8]) {
        // A second list of strings would have no numbers behind the first.
        if self.next == self.first {
            for bounds in strings.bounds(bytes) {
                self.characters.extend_from_slice(strings.text(bytes, bounds).unwrap_or_default());
                self.ends.push(self.characters.len());
            }
        }
        self.next = self.next.saturating_add(strings.count());
    }

    /// Adds what has the next number.
    pub(super) fn add(&mut self, record: &Record) {
        if let (Ok(id), Some(node)) = (Id::try_from(self.next), Node::of(record)) {
            self.nodes.push((id, node));
        }
        self.next = self.next.saturating_add(1);
    }

    /// Reads the METADATA block of a function.
    ///
    /// # Errors
    ///
    /// `L07` for strings that are not there, the conditions of the bitstream.
    pub(in crate::llvm) fn read_own(
        &mut self,
        reader: &mut Reader<'_>,
        header: &BlockHeader,
        record: &mut Record,
    ) -> Result<()> {
        reader.enter(header);
        while reader.next_in_leaf(record)? {
            match record.code {
                code::STRINGS => self.add_strings(&Strings::of(reader, record)?, reader.bytes()),
                code::NAME | code::KIND | code::NAMED_NODE | code::GLOBAL_DECL_ATTACHMENT => {}
                code::INDEX_OFFSET | code::INDEX => {}
                _ => self.add(record),
            }
        }
        Ok(())
    }

    fn node(&self, id: Id) -> Option<Node> {
        let at = self.nodes.binary_search_by_key(&id, |&(id, _)| id).ok()?;
        Some(self.nodes[at].1)
    }

    fn string(&self, id: Id) -> Option<&[u8]> {
        let index = usize::try_from(u64::from(id).checked_sub(self.first)?).ok()?;
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.characters.get(start..end)
    }
}

/// What the METADATA_ATTACHMENT block of a function says that it is in the source: a number plus 1, or 0.
///
/// # Errors
///
/// The conditions of the bitstream.
pub(in crate::llvm) fn read_attached(
    reader: &mut Reader<'_>,
    header: &BlockHeader,
    record: &mut Record,
) -> Result<Id> {
    let mut found = 0;
    for_each_attached(reader, header, record, |kind, id| {
        if kind == attachment::DEBUG {
            found = word(id.saturating_add(1));
        }
    })?;
    Ok(found)
}

/// What a module says of its source.
#[derive(Clone, Default, Debug)]
pub(in crate::llvm) struct ModuleDebug {
    pub(in crate::llvm) nodes: DebugNodes,
    /// The units: their numbers in the metadata plus 1, and what is said of them.
    pub(in crate::llvm) units: Vec<Id>,
    pub(in crate::llvm) sources: Vec<SourceUnit>,
}

impl ModuleDebug {
    /// Notes the units that a node names, once all nodes are there.
    pub(super) fn find_units(&mut self, list: &[u64]) {
        for &id in list {
            let view = DebugView { module: &self.nodes, own: &self.nodes };
            let id = word(id.saturating_add(1));
            if let Some(Node::Unit { language, file, producer }) = view.node(id) {
                let unit =
                    SourceUnit { file: view.file(file), producer: view.text(producer).into(), language };
                self.units.push(id);
                self.sources.push(unit);
            }
        }
    }

    /// The number of a unit, of which its number in the metadata plus 1 is given.
    pub(in crate::llvm) fn unit(&self, id: Id) -> Option<u32> {
        self.units.iter().position(|&unit| unit == id).map(|index| index as u32)
    }
}

/// The nodes of a module with those of a function.
#[derive(Clone, Copy)]
pub(in crate::llvm) struct DebugView<'a> {
    pub(in crate::llvm) module: &'a DebugNodes,
    pub(in crate::llvm) own: &'a DebugNodes,
}

impl<'a> DebugView<'a> {
    /// The node of which the number plus 1 is given.
    pub(in crate::llvm) fn node(self, id: Id) -> Option<Node> {
        let id = id.checked_sub(1)?;
        self.module.node(id).or_else(|| self.own.node(id))
    }

    /// The string of which the number plus 1 is given; an empty one if there is none.
    pub(in crate::llvm) fn text(self, id: Id) -> &'a [u8] {
        let text = |id| self.module.string(id).or_else(|| self.own.string(id));
        id.checked_sub(1).and_then(text).unwrap_or_default()
    }

    /// The file of which the number plus 1 is given; one without a name if there is none.
    pub(in crate::llvm) fn file(self, id: Id) -> SourceFile {
        match self.node(id) {
            Some(Node::File { name, directory }) => {
                SourceFile { directory: self.text(directory).into(), name: self.text(name).into() }
            }
            _ => SourceFile::default(),
        }
    }

    /// The function that a function or block is in: its number plus 1.
    pub(in crate::llvm) fn function_of(self, scope: Id) -> Option<Id> {
        let mut at = scope;
        for _ in 0..DEEPEST {
            match self.node(at)? {
                Node::Function { .. } => return Some(at),
                Node::Block { outer, .. } => at = outer,
                Node::File { .. } | Node::Unit { .. } | Node::Place(_) => return None,
            }
        }
        None
    }

    /// The file of a function or block: its number plus 1, or 0.
    pub(in crate::llvm) fn file_of(self, scope: Id) -> Id {
        match self.node(scope) {
            Some(Node::Function { file, .. } | Node::Block { file, .. }) => file,
            _ => 0,
        }
    }
}

/// So many blocks may be around each other, and calls inlined in each other.
pub(in crate::llvm) const DEEPEST: usize = 1024;
