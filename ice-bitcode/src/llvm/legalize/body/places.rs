//! Where the instructions of a body are in the source.
//!
//! A place stands behind the instruction that it is of, and only where the module says something of its source: then
//! the first instruction of the IR that each record makes is noted, and what a record behind it says holds for all
//! from there on. What is between has no place. Numbers become files, functions and inlined calls when the body is at
//! its end ([`Places::source`]).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use ice_ir::SourceLocation;
use ice_ir::source::{FunctionSource, InlinedCall, SourceFunction, SourcePlace};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::Body;
use crate::llvm::wire::codes::function as code;
use crate::llvm::wire::debug::{DEEPEST, DebugNodes, DebugView, ModuleDebug, Node, Place};

/// So many calls are told that code is in, by which the size of tables for debuggers is bounded.
const MOST_CALLS: usize = 128;

/// The places of a body.
#[derive(Default)]
pub(super) struct Places {
    /// Nodes that the function has beside those of its module.
    pub(super) nodes: DebugNodes,
    /// What the function is in the source: the number of a node plus 1, or 0.
    pub(super) function: u32,
    /// Each place that was stated, by the number of its location.
    list: IndexSet<Place, FxBuildHasher>,
    /// The one that was stated last.
    latest: Option<SourceLocation>,
    /// The number of instructions before the record that was read last.
    before: u32,
}

impl Places {
    /// Starts a body of a module of which this is known.
    pub(super) fn begin(&mut self, module: &ModuleDebug) {
        self.nodes.begin(&module.nodes);
        self.function = 0;
        self.list.clear();
        self.latest = None;
        self.before = 0;
    }

    /// What the places mean; nothing if the function itself is not in the source.
    pub(super) fn source(&self, module: &ModuleDebug) -> Option<FunctionSource> {
        let view = DebugView { module: &module.nodes, own: &self.nodes };
        let Node::Function { unit, body_line, .. } = view.node(self.function)? else { return None };
        let unit = module.unit(unit)?;
        let source = FunctionSource { unit, body_line, ..FunctionSource::default() };
        let (files, functions, calls) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut meanings = Meanings { view, source, files, functions, calls, depths: Vec::new() };
        meanings.function(self.function)?;
        // Most places are where the one before is.
        let mut latest: Option<(Place, SourcePlace)> = None;
        for &place in &self.list {
            let Place { line, column, scope, call } = place;
            let near = latest.filter(|(before, _)| (before.scope, before.call) == (scope, call));
            let meaning = match near {
                Some((_, near)) => SourcePlace { line, column, ..near },
                None => meanings.place(place),
            };
            meanings.source.places.push(meaning);
            latest = Some((place, meaning));
        }
        Some(meanings.source)
    }
}

/// What is known of the numbers of metadata so far.
struct Meanings<'a> {
    view: DebugView<'a>,
    source: FunctionSource,
    /// The numbers of files, functions and calls, by those of their nodes plus 1. A call that means nothing has none.
    files: BTreeMap<u32, u32>,
    functions: BTreeMap<u32, u32>,
    calls: BTreeMap<(u32, u32), Option<u32>>,
    /// How many calls each call is in, itself among them.
    depths: Vec<usize>,
}

impl Meanings<'_> {
    fn file(&mut self, id: u32) -> u32 {
        let Meanings { view, source, files, .. } = self;
        *files.entry(id).or_insert_with(|| {
            source.files.push(view.file(id));
            source.files.len() as u32 - 1
        })
    }

    fn function(&mut self, id: u32) -> Option<u32> {
        if let Some(&number) = self.functions.get(&id) {
            return Some(number);
        }
        let node = self.view.node(id)?;
        let Node::Function { name, linkage_name, file, line, is_local, .. } = node else { return None };
        let file = self.file(file);
        let [name, linkage_name] = [name, linkage_name].map(|text| self.view.text(text).into());
        let functions = &mut self.source.functions;
        functions.push(SourceFunction { name, linkage_name, file, line, is_local });
        let number = functions.len() as u32 - 1;
        self.functions.insert(id, number);
        Some(number)
    }

    fn place(&mut self, place: Place) -> SourcePlace {
        let call = self.call(place);
        self.place_in(place, call)
    }

    /// A place, where the code stands in place of this call.
    fn place_in(&mut self, place: Place, call: Option<u32>) -> SourcePlace {
        let Place { line, column, scope, .. } = place;
        let file = self.file(self.view.file_of(scope));
        SourcePlace { file, line, column, call }
    }

    /// The call in place of which the code of a place stands. Calls that it is inlined by come before it.
    fn call(&mut self, place: Place) -> Option<u32> {
        // From the inside out, as far as none is known.
        let mut chain = Vec::new();
        let (mut at, mut known) = (place, None);
        while at.call != 0 {
            let function = self.view.function_of(at.scope).unwrap_or(0);
            let key = (at.call, function);
            if let Some(&call) = self.calls.get(&key) {
                known = call;
                break;
            }
            let Some(Node::Place(outer)) = self.view.node(at.call) else { break };
            chain.push((key, outer));
            if chain.len() > DEEPEST {
                // None of these is asked for again.
                self.calls.extend(chain.into_iter().map(|(key, _)| (key, None)));
                return None;
            }
            at = outer;
        }
        for (key, outer) in chain.into_iter().rev() {
            let place = self.place_in(outer, known);
            let depth = known.map_or(0, |call| self.depths[call as usize]) + 1;
            // Of a function that is not there, or in too many, the code is of the one around.
            if depth <= MOST_CALLS
                && let Some(function) = self.function(key.1)
            {
                self.source.calls.push(InlinedCall { function, place });
                self.depths.push(depth);
                known = Some(self.source.calls.len() as u32 - 1);
            }
            self.calls.insert(key, known);
        }
        known
    }
}

impl Body<'_, '_> {
    /// Notes that a record is to be read, which may make instructions.
    pub(super) fn begin_place(&mut self, number: u32) {
        if !code::is_for_debuggers(number) {
            self.s.places.before = self.b.func.num_insts() as u32;
            self.b.func.set_source_location(None);
        }
    }

    /// DEBUG_LOC: says where the instruction of the record before is.
    pub(super) fn debug_loc(&mut self) {
        let ops = self.ops;
        if self.m.debug.is_some()
            && let &[line, column, scope, call, ..] = ops
        {
            let [line, column, scope, call] =
                [line, column, scope, call].map(|number| u32::try_from(number).unwrap_or(0));
            let places = &mut self.s.places;
            let number = places.list.insert_full(Place { line, column, scope, call }).0;
            places.latest = Some(SourceLocation(number as u32));
            self.latest_place();
        }
    }

    /// DEBUG_LOC_AGAIN: where the last one says.
    pub(super) fn latest_place(&mut self) {
        if let Some(location) = self.s.places.latest {
            self.b.func.set_source_location_from(self.s.places.before, location);
        }
    }
}
