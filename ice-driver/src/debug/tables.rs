//! From the places of the code of functions to tables for debuggers.

use crate::machine::Machine;
use ice_elf::{DebugCall, DebugFunction, DebugRow, DebugSection, DebugUnit, Dwarf, FileNumber, UnitNumber};
use ice_ir::source::{FunctionSource, SourceFunction, SourcePlace, SourceUnit};
use ice_ir::{FuncId, Function, Inst, SourceLocation};

/// Where the code of a function is in the source.
#[derive(Debug)]
pub struct CodeSource {
    source: FunctionSource,
    /// Each location holds for the code from an offset on, up to the next one.
    rows: Vec<(u32, Option<SourceLocation>)>,
}

impl CodeSource {
    /// That of code that is [for these instructions](ice_codegen::FunctionCode::origins) of `func`.
    pub fn new(
        source: FunctionSource,
        origins: &[(u32, Option<Inst>)],
        func: &Function,
    ) -> Option<CodeSource> {
        let location = |origin: Option<Inst>| origin.and_then(|inst| func.source_location(inst));
        let mut rows: Vec<_> = origins.iter().map(|&(offset, origin)| (offset, location(origin))).collect();
        rows.dedup_by_key(|&mut (_, location)| location);
        Some(CodeSource { source, rows })
    }

    /// Bytes of memory, for the most part.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.rows) + size_of_val(&*self.source.places) + size_of_val(&*self.source.calls)
    }
}

/// The debug information of a module, function by function.
pub struct DebugTables {
    dwarf: Dwarf,
    units: Vec<UnitNumber>,
    functions: Vec<FuncId>,
}

/// Code of a function from one offset to another.
struct Span {
    start: u32,
    end: u32,
    place: Option<SourcePlace>,
}

impl DebugTables {
    /// None yet; nothing if the module has no units of a source.
    pub fn new(machine: &dyn Machine, units: &[SourceUnit]) -> Option<DebugTables> {
        if units.is_empty() {
            return None;
        }
        let mut dwarf = Dwarf::new(machine.address_type().bytes() as u8);
        let add = |unit: &SourceUnit| {
            let SourceUnit { file, producer, language } = unit;
            dwarf.add_unit(&DebugUnit {
                name: &file.name,
                directory: &file.directory,
                producer,
                language: *language,
            })
        };
        let units = units.iter().map(add).collect();
        Some(DebugTables { dwarf, units, functions: Vec::new() })
    }

    /// Adds a function of `size` bytes.
    pub fn add(&mut self, function: FuncId, size: u32, code: &CodeSource) {
        let source = &code.source;
        let (Some(&unit), Some(own)) = (self.units.get(source.unit as usize), source.functions.first())
        else {
            return;
        };
        let files = source.files.iter().map(|file| self.dwarf.file(unit, &file.directory, &file.name));
        let files: Vec<FileNumber> = files.collect();
        let spans = spans(code, size);
        let calls = self.calls(unit, source, &files, &spans);
        let own = declaration(own, &files);
        let rows = rows(&own, source.body_line, &files, &spans);
        self.dwarf.add_function(unit, &own, size, &rows, &calls);
        self.functions.push(function);
    }

    /// The calls that were inlined and have code, each in front of those in it.
    fn calls(
        &mut self,
        unit: UnitNumber,
        source: &FunctionSource,
        files: &[FileNumber],
        spans: &[Span],
    ) -> Vec<DebugCall> {
        let mut ranges: Vec<Vec<(u32, u32)>> = vec![Vec::new(); source.calls.len()];
        for Span { start, end, place } in spans {
            let mut around = place.and_then(|place| place.call);
            while let Some(call) = around {
                let ranges = &mut ranges[call as usize];
                match ranges.last_mut().filter(|(_, last)| last == start) {
                    Some((_, last)) => *last = *end,
                    None => ranges.push((*start, *end)),
                }
                around = source.calls[call as usize].place.call;
            }
        }
        // What is in a call has a larger number, so those that wait come out in order: the ones around first.
        let mut inner: Vec<Vec<usize>> = vec![Vec::new(); source.calls.len()];
        let mut waiting = Vec::new();
        for (number, call) in
            source.calls.iter().enumerate().rev().filter(|&(number, _)| !ranges[number].is_empty())
        {
            match call.place.call {
                Some(around) => inner[around as usize].push(number),
                None => waiting.push((number, 0)),
            }
        }
        let mut calls = Vec::new();
        while let Some((number, depth)) = waiting.pop() {
            let call = &source.calls[number];
            let callee = &source.functions[call.function as usize];
            let origin = self.dwarf.origin(unit, &declaration(callee, files));
            let SourcePlace { file, line, column, .. } = call.place;
            let (file, ranges) = (files[file as usize], core::mem::take(&mut ranges[number]));
            calls.push(DebugCall { origin, file, line, column, ranges, depth });
            waiting.extend(inner[number].iter().map(|&inner| (inner, depth + 1)));
        }
        calls
    }

    /// The sections, and the functions that they refer to by number.
    pub fn finish(self) -> (Vec<DebugSection>, Vec<FuncId>) {
        (self.dwarf.finish(), self.functions)
    }
}

fn declaration<'a>(function: &'a SourceFunction, files: &[FileNumber]) -> DebugFunction<'a> {
    let SourceFunction { name, linkage_name, file, line, is_local } = function;
    DebugFunction { name, linkage_name, file: files[*file as usize], line: *line, is_external: !is_local }
}

/// The code from the first place on.
fn spans(code: &CodeSource, size: u32) -> Vec<Span> {
    let place = |location: SourceLocation| code.source.places.get(location.0 as usize).copied();
    let ends = code.rows.iter().skip(1).map(|&(offset, _)| offset).chain([size]);
    let spans = code.rows.iter().zip(ends).map(|(&(start, location), end)| Span {
        start,
        end,
        place: location.and_then(place),
    });
    let with_code = spans.filter(|span| span.start < span.end);
    with_code.skip_while(|span| span.place.is_none_or(|place| place.line == 0)).collect()
}

/// The rows of a function: its own line for what is in front of the first place.
fn rows(own: &DebugFunction<'_>, body_line: u32, files: &[FileNumber], spans: &[Span]) -> Vec<DebugRow> {
    let line = if body_line == 0 { own.line } else { body_line };
    let mut rows = vec![DebugRow { offset: 0, file: own.file, line, column: 0, is_body: false }];
    for &Span { start, place, .. } in spans {
        let (is_body, before) = (rows.len() == 1, rows[rows.len() - 1]);
        let row = match place {
            Some(SourcePlace { file, line, column, .. }) => {
                DebugRow { offset: start, file: files[file as usize], line, column, is_body }
            }
            None => DebugRow { offset: start, line: 0, column: 0, is_body: false, ..before },
        };
        let is_same = |row: &DebugRow| (row.file, row.line, row.column);
        if is_body || is_same(&row) != is_same(&before) {
            rows.push(row);
        }
    }
    rows
}
