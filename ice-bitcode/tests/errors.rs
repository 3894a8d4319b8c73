//! One damaged program for every condition of the error catalogue (header and container conditions are in
//! `header.rs` and `container.rs`), and the hand-made program of the bitcode specification, section 13.3.

use crate::common;

use std::collections::BTreeSet;

use common::{hex, start};
use ice_bitcode::Error;
use ice_bitcode::bitstream::Writer;
use ice_bitcode::canonical::canonical_crc32;
use ice_bitcode::header::HEADER;
use ice_bitcode::pexe::{FunctionReader, read_module, write_program};
use ice_ir::{Filtered, Function, FunctionBuilder, InstData, IntCond, Program, ValueDef};

/// An entry of a block.
#[derive(Clone)]
enum Item {
    /// A record.
    R(u32, Vec<u64>),
    /// A block.
    B(u32, Vec<Item>),
}
use Item::{B, R};

/// A record from its code and operands.
macro_rules! r {
    ($code:expr $(, $op:expr)*) => { R($code, vec![$($op),*]) };
}

fn write(items: &[Item], w: &mut Writer) {
    for item in items {
        match item {
            R(code, ops) => w.record(*code, ops),
            B(id, items) => {
                w.enter(*id, 3);
                write(items, w);
                w.end();
            }
        }
    }
}

/// The parts of a program without abbreviations.
#[derive(Clone)]
struct Parts {
    version: Vec<Item>,
    types: Vec<Item>,
    functions: Vec<Item>,
    globals: Vec<Item>,
    symbols: Vec<Item>,
    /// Of `_start` and of the internal function.
    bodies: Vec<Vec<Item>>,
    /// Behind the bodies.
    rest: Vec<Item>,
}

// Type numbers.
const I32: u64 = 0;
const VOID: u64 = 1;
const I8: u64 = 2;
const I64: u64 = 3;
const F64: u64 = 4;
const I1: u64 = 5;
const START: u64 = 6;
const F32: u64 = 9;
const V4I32: u64 = 10;

/// Functions 0 to 4, global 5; locals start at 6. The body to damage is that of function 2, `i32 (i32, i64, f64)`.
fn parts() -> Parts {
    let name = |id: u64, name: &str| R(1, [id].into_iter().chain(name.bytes().map(u64::from)).collect());
    Parts {
        version: vec![r!(1, 1), B(0, vec![])],
        types: vec![
            r!(1, 14),
            r!(7, 32),
            r!(2),
            r!(7, 8),
            r!(7, 64),
            r!(4),
            r!(7, 1),
            r!(21, 0, VOID, I32),
            r!(21, 0, I32, I32, I64, F64),
            r!(21, 0, VOID, I32, I8, I32, I32, I1),
            r!(3),
            r!(12, 4, I32),
            r!(21, 0, I32, I32, I32),
            r!(21, 0, I1, I32, I32),
            r!(12, 4, I1),
        ],
        functions: vec![
            r!(8, 8, 0, 1, 0),
            r!(8, START, 0, 0, 0),
            r!(8, 7, 0, 0, 3),
            r!(8, 11, 0, 1, 0),
            r!(8, 12, 0, 1, 0),
        ],
        globals: vec![r!(5, 1), r!(0, 3, 0), r!(3, 1, 2, 3, 4)],
        symbols: vec![
            name(0, "llvm.memset.p0i8.i32"),
            name(1, "_start"),
            name(3, "llvm.nacl.atomic.load.i32"),
            name(4, "llvm.nacl.atomic.is.lock.free"),
        ],
        bodies: vec![vec![r!(1, 1), r!(10)], vec![r!(1, 1), r!(10, 3)]],
        rest: vec![],
    }
}

impl Parts {
    fn items(&self) -> Vec<Item> {
        let mut items = self.version.clone();
        items.push(B(17, self.types.clone()));
        items.extend(self.functions.iter().cloned());
        items.push(B(19, self.globals.clone()));
        items.push(B(14, self.symbols.clone()));
        items.extend(self.bodies.iter().map(|body| B(12, body.clone())));
        items.extend(self.rest.iter().cloned());
        items
    }
}

fn file(top: &[Item]) -> Vec<u8> {
    let mut w = Writer::new(&HEADER);
    for item in top {
        if let B(id, items) = item {
            w.enter(*id, 2);
            write(items, &mut w);
            w.end();
        }
    }
    w.finish()
}

/// Reads everything; the code of the error, or "ok".
fn code_of(bytes: &[u8]) -> &'static str {
    let read = || -> ice_bitcode::Result<()> {
        let header = read_module(bytes)?;
        let mut reader = FunctionReader::new();
        for body in &header.bodies {
            let mut func = Function::new();
            reader.read(&header, bytes, body, &mut FunctionBuilder::new(&mut func))?;
        }
        Ok(())
    };
    match read() {
        Ok(()) => "ok",
        Err(error) => {
            assert!(error.location.bit / 8 < bytes.len() as u64, "{error}");
            assert!(error.to_string().contains(error.error.code()));
            let in_body = matches!(error.error.code().as_bytes()[0], b'F' | b'I');
            assert!(
                !in_body || error.location.function.is_some() && error.location.path.len() >= 2,
                "{error}"
            );
            error.error.code()
        }
    }
}

#[test]
fn the_undamaged_program_is_accepted() {
    assert_eq!(code_of(&file(&[B(8, parts().items())])), "ok");
}

/// Remembers which codes were seen.
struct Table(BTreeSet<&'static str>);

impl Table {
    #[track_caller]
    fn expect(&mut self, code: &'static str, bytes: &[u8]) {
        assert_eq!(code_of(bytes), code);
        self.0.insert(code);
    }

    /// The program with some parts changed.
    #[track_caller]
    fn module(&mut self, code: &'static str, change: impl FnOnce(&mut Parts)) {
        let mut parts = parts();
        change(&mut parts);
        self.expect(code, &file(&[B(8, parts.items())]));
    }

    /// The program with the second body replaced.
    #[track_caller]
    fn body(&mut self, code: &'static str, body: &[Item]) {
        self.module(code, |p| p.bodies[1] = body.to_vec());
    }

    /// The second body starts with constants of given types, then these records follow in one block.
    #[track_caller]
    fn insts(&mut self, code: &'static str, constants: &[Item], insts: &[Item]) {
        let mut body = vec![r!(1, 1)];
        if !constants.is_empty() {
            body.push(B(11, constants.to_vec()));
        }
        body.extend_from_slice(insts);
        self.body(code, &body);
    }
}

#[test]
fn every_condition_has_a_program_that_triggers_it() {
    let mut t = Table(BTreeSet::new());
    container(&mut t);
    module(&mut t);
    types(&mut t);
    globals(&mut t);
    symbols(&mut t);
    abi(&mut t);
    structure(&mut t);
    values(&mut t);
    arithmetic(&mut t);
    control(&mut t);
    memory_and_calls(&mut t);

    let all = Error::CODES.iter().copied().filter(|c| c.as_bytes()[0].is_ascii_uppercase());
    // Header, container and LLVM modules are tested where they are read; writing is no condition of an input.
    let elsewhere = |c: &str| {
        c.starts_with(['L', 'W']) || c.starts_with('H') && c != "H04" || c.starts_with('B') && c < "B13"
    };
    let missing: Vec<_> =
        all.filter(|c| !elsewhere(c) && !t.0.contains(c)).filter(|c| !["B14", "B18"].contains(c)).collect();
    assert!(missing.is_empty(), "no program for {missing:?}");
    let of_llvm = Error::CODES.iter().filter(|c| c.starts_with('L')).count();
    assert_eq!(Error::CODES.len() - of_llvm, 12 + 18 + 12 + 8 + 15 + 6 + 10 + 18 + 39 + 2);
}

fn container(t: &mut Table) {
    let good = B(8, parts().items());
    let mut odd = file(std::slice::from_ref(&good));
    odd.push(0);
    t.expect("H04", &odd);
    t.module("B13", |p| p.version.push(B(0, vec![])));
    t.expect("B15", &file(&[B(17, vec![])]));
    t.expect("B16", &file(&[good.clone(), good.clone()]));
    t.expect("B17", &file(&[good, B(13, vec![])]));
    let mut trailing = start();
    trailing.extend([0; 4]);
    t.expect("B17", &trailing);
    // No module at all: the place is the end of the file.
    let error = read_module(&HEADER).expect_err("empty");
    assert_eq!((error.error.code(), error.location.bit), ("B16", 128));
}

fn module(t: &mut Table) {
    t.module("M01", |p| p.rest.push(B(99, vec![])));
    t.module("M01", |p| p.types.push(B(11, vec![])));
    t.module("M01", |p| p.globals.push(B(11, vec![])));
    t.module("M01", |p| p.symbols.push(B(11, vec![])));
    t.body("M01", &[r!(1, 1), B(17, vec![]), r!(10, 3)]);
    t.body("M01", &[r!(1, 1), B(11, vec![B(11, vec![])]), r!(10, 3)]);
    t.module("M02", |p| p.version.push(r!(2, 1)));
    t.module("M02", |p| p.types[14] = r!(8, 0));
    t.module("M02", |p| p.globals.push(r!(6)));
    t.module("M02", |p| p.symbols.push(r!(3, 2, 97)));
    t.insts("M02", &[], &[r!(4, 1), r!(10, 3)]);
    t.insts("M02", &[r!(1, I32), r!(2)], &[r!(10, 3)]);
    for (code, wrong) in [(2, 2), (2, 5), (3, 2), (6, 1), (7, 2), (10, 2), (11, 0), (11, 2), (15, 1)] {
        t.insts("M03", &[], &[R(code, vec![3; wrong]), r!(10, 3)]);
    }
    for (code, wrong) in [(19, 1), (20, 2), (24, 4), (28, 2), (29, 2), (34, 1), (44, 2), (43, 1)] {
        t.insts("M03", &[], &[R(code, vec![3; wrong]), r!(10, 3)]);
    }
    t.body("M03", &[r!(1)]);
    t.module("M03", |p| p.version[0] = r!(1));
    t.module("M03", |p| p.functions[0] = r!(8, 8, 0, 1));
    t.module("M03", |p| p.types[1] = r!(7));
    t.module("M03", |p| p.globals[1] = r!(0, 3));
    for record in [r!(1), r!(3, 0), r!(4), r!(6)] {
        t.insts("M03", &[r!(1, I32), record], &[r!(10, 3)]);
    }
    t.module("M04", |p| p.version[0] = r!(1, 0));
    t.module("M04", |p| p.version.push(r!(1, 1)));
    t.expect("M04", &file(&[B(8, vec![])]));
    t.module("M05", |p| {
        let types = p.types.clone();
        p.version.push(B(17, types));
    });
    t.module("M05", |p| p.functions.push(B(19, vec![r!(5, 0)])));
    let twice = parts();
    let mut items = twice.items();
    let at = items.len() - 2;
    items.insert(at, B(14, vec![]));
    t.expect("M05", &file(&[B(8, items)]));
    t.module("M06", |p| p.rest.push(B(14, vec![])));
    t.module("M06", |p| p.rest.push(B(19, vec![])));
    t.module("M06", |p| p.rest.push(r!(8, START, 0, 0, 3)));
    t.module("M06", |p| {
        let info = p.version.remove(1);
        p.functions.push(info);
    });
    let types_late = |p: &mut Parts| {
        let types = B(17, std::mem::take(&mut p.types));
        p.version.push(p.functions.remove(0));
        p.version.push(types);
    };
    t.module("M06", types_late);
    t.module("M07", |p| p.functions[2] = r!(8, I32, 0, 0, 3));
    t.module("M07", |p| p.functions[2] = r!(8, 99, 0, 0, 3));
    t.module("M08", |p| p.functions[2] = r!(8, 7, 1, 0, 3));
    t.module("M09", |p| p.functions[2] = r!(8, 7, 0, 2, 3));
    t.module("M10", |p| p.functions[2] = r!(8, 7, 0, 0, 1));
    t.module("M11", |p| p.rest.push(B(12, vec![r!(1, 1), r!(10)])));
    t.module("M12", |p| p.bodies.truncate(1));
    t.module("M12", |p| p.bodies.clear());
}

fn types(t: &mut Table) {
    t.module("T01", |p| p.types.swap(0, 1));
    t.module("T01", |p| p.types.insert(1, r!(1, 14)));
    t.module("T01", |p| p.types.clear());
    t.module("T02", |p| p.types[0] = r!(1, 15));
    t.module("T02", |p| p.types[0] = r!(1, 13));
    t.module("T03", |p| p.types[1] = r!(7, 24));
    t.module("T04", |p| p.types[11] = r!(12, 3, I32));
    t.module("T04", |p| p.types[11] = r!(12, 4, I64));
    t.module("T05", |p| p.types[11] = r!(12, 4, 10));
    t.module("T05", |p| p.types[7] = r!(21, 0, VOID, 7));
    t.module("T06", |p| p.types[7] = r!(21, 1, VOID, I32));
    t.module("T07", |p| p.types[7] = r!(21, 0, VOID, VOID));
    t.module("T07", |p| p.types[8] = r!(21, 0, START, I32));
    t.module("T08", |p| p.types[10] = r!(7, 32));
    t.module("T08", |p| p.types[13] = r!(21, 0, I32, I32, I32));
}

fn globals(t: &mut Table) {
    t.module("G01", |p| p.globals.swap(0, 1));
    t.module("G01", |p| p.globals.push(r!(5, 1)));
    t.module("G01", |p| p.globals.clear());
    t.module("G02", |p| p.globals[0] = r!(5, 2));
    t.module("G02", |p| p.globals[0] = r!(5, 0));
    t.module("G03", |p| p.globals[1] = r!(0, 31, 0));
    t.module("G04", |p| p.globals[1] = r!(0, 0, 0));
    t.module("G05", |p| p.globals[1] = r!(0, 1, 2));
    t.module("G06", |p| p.globals.truncate(2));
    t.module("G06", |p| p.globals.insert(2, r!(1, 2)));
    t.module("G06", |p| p.globals.insert(2, r!(0, 1, 0)));
    t.module("G07", |p| p.globals.push(r!(2, 4)));
    t.module("G07", |p| p.globals.insert(1, r!(2, 4)));
    t.module("G08", |p| p.globals.push(r!(1, 2)));
    t.module("G08", |p| {
        p.globals.insert(2, r!(1, 2));
        p.globals.insert(3, r!(1, 2));
    });
    t.module("G09", |p| p.globals.insert(2, r!(1, 1)));
    t.module("G10", |p| p.globals[2] = r!(3));
    t.module("G11", |p| p.globals[2] = r!(3, 0, 256));
    t.module("G12", |p| p.globals[2] = r!(4, 6));
    t.module("G13", |p| p.globals[2] = r!(4, 0));
    t.module("G14", |p| p.globals[2] = r!(4, 1, 1 << 32));
    t.module("G15", |p| p.globals[2] = r!(2, 1 << 32));
    t.module("G15", |p| {
        p.globals.splice(2..3, [r!(1, 2), r!(2, u64::from(u32::MAX)), r!(2, 1)]).for_each(drop)
    });
}

fn symbols(t: &mut Table) {
    t.module("S01", |p| p.symbols.push(r!(1, 6, 97)));
    t.module("S02", |p| p.symbols.push(r!(1, 5)));
    t.module("S02", |p| p.symbols.push(r!(1, 5, 256)));
    t.module("S03", |p| p.symbols.extend([r!(1, 2, 97), r!(1, 5, 97)]));
    t.module("S04", |p| p.symbols.extend([r!(1, 2, 97), r!(1, 2, 98)]));
    t.module("S05", |p| p.symbols.push(r!(2, 0, 97)));
    t.body("S06", &[r!(1, 1), r!(10, 3), B(14, vec![])]);
}

fn abi(t: &mut Table) {
    t.module("A01", |p| p.functions[1] = r!(8, START, 0, 0, 3));
    t.module("A02", |p| p.functions[2] = r!(8, 7, 0, 0, 0));
    t.module("A03", |p| p.symbols.remove(0).clear());
    t.module("A04", |p| p.symbols[0] = r!(1, 0, 97));
    t.module("A05", |p| p.symbols[0].extend(b".x"));
    t.module("A06", |p| p.functions[0] = r!(8, START, 0, 1, 0));
    t.module("A07", |p| p.symbols.push(R(1, [2].into_iter().chain(b"llvm.trap".map(u64::from)).collect())));
    t.module("A08", |p| p.types[8] = r!(21, 0, I32, I32, I64, I8));
    t.module("A08", |p| p.types[8] = r!(21, 0, I1, I32, I64, F64));
    // N is 9, so 9 is function 0.
    t.insts("A09", &[], &[r!(2, 9, 3, 0), r!(10, 4)]);
    t.insts("A09", &[], &[r!(44, 0, 9, I32, 3), r!(10, 4)]);
    t.module("A10", |p| p.functions[0] = r!(8, 8, 0, 1, 3));
}

impl Item {
    fn extend(&mut self, more: &[u8]) {
        if let R(_, ops) = self {
            ops.extend(more.iter().map(|&b| u64::from(b)));
        }
    }

    fn clear(self) {}
}

fn structure(t: &mut Table) {
    t.body("F01", &[r!(10, 3)]);
    t.body("F01", &[]);
    t.body("F01", &[r!(1, 1), r!(1, 1), r!(10, 3)]);
    t.body("F01", &[B(11, vec![]), r!(1, 1), r!(10, 3)]);
    t.body("F02", &[r!(1, 0)]);
    t.body("F03", &[r!(1, 100_000), r!(10, 3)]);
    t.body("F03", &[r!(1, 1 << 40), r!(10, 3)]);
    let constants = || B(11, vec![r!(1, I32), r!(4, 2)]);
    t.body("F04", &[r!(1, 1), constants(), constants(), r!(10, 3)]);
    t.body("F04", &[r!(1, 1), B(11, vec![]), constants(), r!(10, 3)]);
    t.body("F04", &[r!(1, 1), r!(2, 3, 3, 0), constants(), r!(10, 3)]);
    t.insts("F05", &[r!(1, VOID)], &[r!(10, 3)]);
    t.insts("F05", &[r!(1, START)], &[r!(10, 3)]);
    t.insts("F06", &[r!(4, 2)], &[r!(10, 3)]);
    t.insts("F06", &[r!(3)], &[r!(10, 3)]);
    t.insts("F07", &[r!(1, F64), r!(4, 2)], &[r!(10, 3)]);
    t.insts("F07", &[r!(1, I32), r!(6, 2)], &[r!(10, 3)]);
    t.insts("F07", &[r!(1, V4I32), r!(4, 2)], &[r!(10, 3)]);
    t.insts("F08", &[r!(1, I8), r!(4, 256)], &[r!(10, 3)]);
    t.insts("F08", &[r!(1, I1), r!(4, 2)], &[r!(10, 3)]);
    t.insts("F08", &[r!(1, F32), r!(6, 1 << 32)], &[r!(10, 3)]);
    t.insts("F09", &[], &[r!(10, 3), r!(10, 3)]);
    t.body("F10", &[r!(1, 2), r!(10, 3)]);
    t.insts("F11", &[], &[r!(2, 3, 3, 0)]);
    t.insts("F11", &[], &[r!(10, 3), r!(43, 20, I32)]);
}

fn values(t: &mut Table) {
    // The next number is 9.
    t.insts("F12", &[], &[r!(43, 8, I32), r!(10, 3)]);
    t.insts("F12", &[], &[r!(43, 2, I32), r!(10, 3)]);
    t.insts("F12", &[], &[r!(43, 10, I32), r!(43, 10, I32), r!(10, 3)]);
    t.insts("F13", &[], &[r!(43, 100_000, I32), r!(10, 3)]);
    t.insts("F13", &[], &[r!(43, u64::MAX, I32), r!(10, 3)]);
    t.insts("F14", &[], &[r!(43, 9, I64), r!(2, 3, 3, 0), r!(10, 1)]);
    t.insts("F15", &[], &[r!(43, 11, I32), r!(2, 3, 3, 0), r!(10, 1)]);
    t.insts("F16", &[], &[r!(2, 0, 3, 0), r!(10, 1)]);
    t.insts("F16", &[], &[r!(2, 3, 0xffff_ffff, 0), r!(10, 1)]);
    t.insts("F16", &[], &[r!(2, 3, u64::MAX, 0), r!(10, 1)]);
    t.insts("F17", &[], &[r!(2, 10, 3, 0), r!(10, 1)]);
    t.insts("F17", &[], &[r!(2, 1 << 32, 3, 0), r!(10, 1)]);
    t.insts("F17", &[], &[r!(2, 0xffff_fffe_ffff_ffff, 3, 0), r!(10, 1)]);
    // A value of one arm used behind the join, in a later block, in its own definition, by a phi over a wrong edge.
    let diamond = |arm: Item, last: Vec<Item>| {
        let mut body = vec![r!(1, 4), r!(28, 3, 3, 32), r!(11, 1, 2, 1), arm, r!(11, 3), r!(11, 3)];
        body.extend(last);
        body
    };
    t.body("F18", &diamond(r!(2, 4, 4, 0), vec![r!(10, 1)]));
    t.body("F18", &diamond(r!(2, 4, 4, 0), vec![r!(16, I32, 10, 1, 2, 2), r!(10, 1)]));
    t.insts("F18", &[], &[r!(43, 9, I32), r!(2, 0, 3, 0), r!(10, 1)]);
    t.insts("F18", &[], &[r!(43, 10, I32), r!(2, 0xffff_ffff, 3, 0), r!(2, 4, 4, 0), r!(10, 1)]);
    t.body("ok", &diamond(r!(2, 4, 4, 0), vec![r!(16, I32, 2, 1, 10, 2), r!(10, 1)]));
    // Nothing is checked where control cannot come: block 2 of 3 uses a value of block 1, which is not before it.
    t.body("ok", &[r!(1, 3), r!(10, 3), r!(2, 3, 3, 0), r!(10, 1), r!(10, 1)]);
}

fn arithmetic(t: &mut Table) {
    t.insts("I01", &[], &[r!(2, 3, 2, 0), r!(10, 1)]);
    t.insts("I02", &[], &[r!(2, 3, 3, 13), r!(10, 1)]);
    t.insts("I02", &[], &[r!(2, 1, 1, 3), r!(10, 4)]);
    t.insts("I02", &[], &[r!(2, 1, 1, 10), r!(10, 4)]);
    let compare = r!(28, 3, 3, 32);
    for op in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] {
        t.insts("I03", &[], &[compare.clone(), r!(2, 1, 1, op), r!(10, 5)]);
    }
    t.insts("ok", &[], &[compare.clone(), r!(2, 1, 1, 12), r!(10, 5)]);
    t.insts("I03", &[], &[compare.clone(), r!(28, 1, 1, 32), r!(10, 5)]);
    for opcode in [9, 10, 12, 1 << 40] {
        t.insts("I04", &[], &[r!(3, 3, I64, opcode), r!(10, 4)]);
    }
    for (from, to, opcode) in [
        (3, I32, 0),
        (3, I64, 0),
        (3, I32, 1),
        (2, I32, 2),
        (3, F64, 3),
        (1, F64, 4),
        (1, F64, 5),
        (3, I64, 6),
        (1, F64, 7),
        (1, F32, 8),
        (3, I64, 11),
        (3, V4I32, 1),
    ] {
        t.insts("I05", &[], &[r!(3, from, to, opcode), r!(10, 4)]);
    }
    t.insts("I06", &[], &[r!(28, 3, 2, 32), r!(10, 4)]);
    t.insts("I07", &[], &[r!(28, 3, 3, 15), r!(10, 4)]);
    t.insts("I07", &[], &[r!(28, 3, 3, 42), r!(10, 4)]);
    t.insts("I07", &[], &[r!(28, 1, 1, 16), r!(10, 4)]);
    t.insts("I08", &[], &[compare.clone(), r!(29, 4, 3, 1), r!(10, 5)]);
    t.insts("I09", &[], &[r!(29, 3, 3, 3), r!(10, 4)]);
    let vectors = [r!(1, 13), r!(3), r!(1, V4I32), r!(3), r!(1, I32), r!(4, 8), r!(4, 6), r!(4, 3)];
    // Constants 9 to 13: v4i1, v4i32, 4, 3, -1; the next number is 14.
    t.insts("I09", &vectors, &[r!(29, 8, 8, 5), r!(10, 9)]);
    t.insts("ok", &vectors, &[r!(29, 4, 4, 5), r!(10, 9)]);
    t.insts("I10", &vectors, &[r!(6, 8, 2), r!(10, 9)]);
    t.insts("I10", &vectors, &[r!(7, 8, 8, 2), r!(10, 9)]);
    t.insts("I11", &vectors, &[r!(6, 4, 3), r!(10, 1)]);
    t.insts("I11", &vectors, &[r!(6, 4, 1), r!(10, 1)]);
    t.insts("I11", &vectors, &[r!(6, 4, 8), r!(10, 1)]);
    t.insts("ok", &vectors, &[r!(6, 4, 2), r!(10, 1)]);
    t.insts("I11", &vectors, &[r!(7, 4, 8, 3), r!(10, 9)]);
    t.insts("I12", &vectors, &[r!(7, 4, 7, 2), r!(10, 9)]);
    t.insts("ok", &vectors, &[r!(7, 4, 8, 2), r!(10, 9)]);
}

fn control(t: &mut Table) {
    t.insts("I13", &[], &[r!(10)]);
    t.insts("I13", &[], &[r!(10, 2)]);
    t.module("I13", |p| p.bodies[0] = vec![r!(1, 1), r!(10, 1)]);
    let two = |first: Item| vec![r!(1, 2), first, r!(10, 3)];
    t.body("ok", &two(r!(11, 1)));
    t.body("I14", &two(r!(11, 1, 1, 3)));
    t.body("I15", &two(r!(11, 2)));
    t.body("I15", &two(r!(11, 1 << 40)));
    t.body("I15", &two(r!(12, I32, 3, 1, 1, 1, 1, 2, 2)));
    t.body("I15", &[r!(1, 2), r!(11, 1), r!(16, I32, 6, 7), r!(10, 1)]);
    t.body("I16", &two(r!(11, 0)));
    t.body("I16", &two(r!(12, I32, 3, 0, 0)));
    t.body("I17", &two(r!(12, I64, 3, 1, 0)));
    t.body("I17", &two(r!(12, F64, 1, 1, 0)));
    t.body("I17", &[r!(1, 2), r!(28, 3, 3, 32), r!(12, I1, 1, 1, 0), r!(10, 4)]);
    t.body("I18", &two(r!(12, I32, 3, 1, 1, 1, 1, 2)));
    t.body("I18", &two(r!(12, I32, 3, 1, 0, 1, 1, 2, 1)));
    t.body("I18", &two(r!(12, I32, 3, 1, 1 << 62)));
    t.body("I19", &two(r!(12, I32, 3, 1, 1, 2, 1, 2, 1)));
    t.body("I19", &two(r!(12, I32, 3, 1, 1, 1, 0, 2, 1)));
    t.body("ok", &two(r!(12, I32, 3, 1, 2, 1, 1, 2, 1, 1, 1, 3, 1)));
    t.body("I20", &two(r!(12, I32, 3, 1, 2, 1, 1, 2, 1, 1, 1, 2, 1)));
    t.body("I20", &two(r!(12, I32, 3, 1, 1, 1, 1, 1 << 33, 1)));
    let phi = |first: Item, phi: Item| vec![r!(1, 2), first, phi, r!(10, 1)];
    t.body("ok", &phi(r!(11, 1), r!(16, I32, 6, 0)));
    t.body("I21", &phi(r!(11, 1), r!(16, I32)));
    t.body("I21", &phi(r!(11, 1), r!(16, I32, 6)));
    t.body("I21", &phi(r!(11, 1), r!(16, VOID, 6, 0)));
    t.body("I22", &phi(r!(11, 1), r!(16, I32, 4, 0)));
    t.insts("I23", &[], &[r!(16, I32, 6, 0), r!(10, 1)]);
    t.body("I23", &[r!(1, 2), r!(11, 1), r!(2, 3, 3, 0), r!(16, I32, 8, 0), r!(10, 1)]);
    t.body("I24", &phi(r!(11, 1), r!(16, I32, 6, 1)));
    t.body("I24", &phi(r!(11, 1), r!(16, I32, 6, 0, 6, 0)));
    let twice = |phi: Item| vec![r!(1, 2), r!(28, 3, 3, 32), r!(2, 4, 4, 0), r!(11, 1, 1, 2), phi, r!(10, 1)];
    t.body("ok", &twice(r!(16, I32, 2, 0, 2, 0)));
    t.body("I24", &twice(r!(16, I32, 2, 0, 10, 0)));
    t.body("I24", &twice(r!(16, I32, 2, 0)));
}

fn memory_and_calls(t: &mut Table) {
    t.insts("I25", &[], &[r!(19, 2, 1), r!(10, 4)]);
    t.insts("I26", &[], &[r!(19, 3, 31), r!(10, 4)]);
    t.insts("I26", &[], &[r!(20, 3, 31, I32), r!(10, 4)]);
    t.insts("I27", &[], &[r!(20, 2, 1, I32), r!(10, 4)]);
    t.insts("I27", &[], &[r!(24, 1, 3, 1), r!(10, 3)]);
    t.insts("I28", &[], &[r!(20, 3, 1, I1), r!(10, 4)]);
    t.insts("I28", &[], &[r!(28, 3, 3, 32), r!(24, 4, 1, 1), r!(10, 4)]);
    t.insts("I28", &[], &[r!(20, 3, 1, 13), r!(10, 4)]);
    for (align, ty) in [(0, I32), (3, I32), (2, F32), (3, F64), (1, V4I32), (4, V4I32)] {
        t.insts("I29", &[], &[r!(20, 3, align, ty), r!(10, 4)]);
    }
    // The next number is 9: 7 is function 2, 9 is function 0.
    t.insts("ok", &[], &[r!(34, 1, 7, 3, 2, 1), r!(10, 1)]);
    t.insts("I30", &[], &[r!(34, 2, 7, 3, 2, 1), r!(10, 1)]);
    t.insts("I30", &[], &[r!(44, 4, 3, I32), r!(10, 1)]);
    t.insts("I31", &[], &[r!(34, 0, 3), r!(10, 3)]);
    t.insts("I31", &[], &[r!(34, 0, 4), r!(10, 3)]);
    t.insts("I32", &[], &[r!(34, 0, 7, 3, 2), r!(10, 1)]);
    t.insts("I33", &[], &[r!(34, 0, 7, 3, 3, 1), r!(10, 1)]);
    t.insts("I34", &[], &[r!(44, 0, 2, I32), r!(10, 1)]);
    t.insts("I35", &[], &[r!(44, 0, 3, I8), r!(10, 4)]);
    t.insts("I35", &[], &[r!(28, 3, 3, 32), r!(44, 0, 4, I32, 1), r!(10, 1)]);
    // Constants 9 to 14: i8 0, i1 0, i32 4, 1, 6, 3; the next number is 15.
    let constants =
        [r!(1, I8), r!(4, 0), r!(1, I1), r!(4, 0), r!(1, I32), r!(4, 8), r!(4, 2), r!(4, 12), r!(4, 6)];
    let memset = |align: u64| [r!(34, 0, 15, 9, 6, 4, align, 5), r!(10, 9)];
    t.insts("ok", &constants, &memset(3));
    t.insts("I36", &constants, &memset(4));
    t.insts("I36", &constants, &memset(9));
    let load = |order: u64| [r!(34, 0, 12, 9, order), r!(10, 1)];
    t.insts("ok", &constants, &load(2));
    t.insts("I37", &constants, &load(3));
    t.insts("I37", &constants, &load(9));
    let lock_free = |size: u64| [r!(34, 0, 11, size, 9), r!(10, 10)];
    t.insts("ok", &constants, &lock_free(4));
    t.insts("I38", &constants, &lock_free(2));
    t.insts("I38", &constants, &lock_free(9));
    t.insts("I39", &[], &[r!(20, 3, 1, VOID), r!(10, 4)]);
    t.insts("I39", &[], &[r!(3, 3, VOID, 11), r!(10, 4)]);
    t.insts("I39", &[], &[r!(43, 20, VOID), r!(10, 3)]);
}

/// Bitcode specification, section 13.4.
#[test]
fn damaged_bytes_of_the_smallest_program() {
    for (offset, old, new, expected) in [
        (27, 0x80, 0x83, &["M06", "M11"][..]),
        (159, 0x00, 0x40, &["M09"]),
        // Found already when the record leaves its block, before its operands are counted.
        (169, 0x04, 0x14, &["M03", "B05", "B01"]),
        // The definition ends in the middle of what follows, which looks like END_BLOCK and bad padding.
        (196, 0x13, 0x12, &["F01", "F11", "F02", "B18"]),
        (198, 0xc1, 0x41, &["B05", "B01", "F17"]),
        (4, 0x01, 0x02, &["H05", "H06"]),
        (12, 0x02, 0x01, &["H11"]),
    ] {
        let mut bytes = start();
        assert_eq!(bytes[offset], old, "byte {offset}");
        bytes[offset] = new;
        let code = code_of(&bytes);
        assert!(expected.contains(&code), "byte {offset}: {code}");
    }
}

const ENCODING_1: &str = "
    50455845010008001100040002000000210800005f0000000741108000000000
    010000000000000045080000090000000741f21180c102f011201f01284c001f
    417035000170550000301057071000020014000023040204c00861000030421c
    0030342108000000178130200cc041303c108130101381302110fcffffff3f0c
    0844b01040000000390800000c0000000715c00eec600fede006ed500eed300f
    e5400f6e000f70900e78e006e9300772707004bf300ff4100ef2400f00000000
    31080000240000000741d182000000000c00000007013011001301184c04c244
    804c04c341204c04c341304c04ca41504c04c041406c0420088220088220e8ff
    030000004f02422c0607000545820c6343b004530343102f41f01a0812305400
    1630040b43a0007343c0a0c1cb100cc16b2058c0c2e0ffffffffc3c3cc304040
    0841301041e01053831400b381110400a1182f81b0020000310800000c000000
    0741d082000000000300000007c1301104074131110c00000fc330100b435004
    73434084c1c32000c0dd1024c24a100000000000";

const ENCODING_2: &str = "
    5045584501000800110004000200000021080000640000000741108000000000
    180000000781239141c80449061032399201840c250508191e048b6280104502
    428a0401140d081d048c24051922442405c89011223940468810430545053286
    0f8e2b64844862902143e420981c01c848500c20a42840c871c0042912907124
    20430600450c000009000000222b2498900541b223008309c08e00d91180c208
    60471090104004c0101901025000000023040204c00861000030421c00303441
    060000005304020d6ae088008101021492e0ffffffff818806010000390c0000
    0700000006a096a5627c86602462f21f1ae17de4b61d60fcd204441300000000
    311000001b0000001304452c0c000000060000000417a40245e800a5039c2ab0
    4c3a20202020202020ff0f0033090831627000505024c8b0c112c410cd12042a
    c14005600143508102c30d018306b30cc110a805e5ffffffffc3c3c330404008
    41301041e01024050c1b184100108a314b201c00311000000a0000001304412c
    0c000000020000009c06b03a00000000360c5550c470434084810900d30d4122
    6000000000000000";

fn read_program(bytes: &[u8]) -> Program {
    let header = read_module(bytes).unwrap_or_else(|e| panic!("{e}"));
    let mut reader = FunctionReader::new();
    let mut bodies = Vec::new();
    for body in &header.bodies {
        let mut func = Function::new();
        let mut builder = FunctionBuilder::new(&mut func);
        reader.read(&header, bytes, body, &mut builder).unwrap_or_else(|e| panic!("{e}"));
        bodies.push(func);
    }
    Program { module: header.module, bodies }
}

/// Bitcode specification, section 13.3: both encodings are one program, which is written as the second.
#[test]
fn the_hand_made_program() {
    let (plain, standard) = (hex(ENCODING_1), hex(ENCODING_2));
    assert_eq!((plain.len(), standard.len()), (404, 424));
    assert_eq!(canonical_crc32(&plain).expect("well-formed"), 0xebe1a24d);
    assert_eq!(canonical_crc32(&standard).expect("well-formed"), 0x2a8bb494);
    for bytes in [&plain, &standard] {
        let program = read_program(bytes);
        assert_eq!(write_program(&program).expect("expressible"), standard);
        let func = &program.bodies[0];
        assert_eq!((func.num_blocks(), func.constants().len()), (5, 9));
        let insts: Vec<_> = func.blocks().flat_map(|b| func.block_insts(b)).map(|i| func.inst(i)).collect();
        assert!(insts.iter().any(|i| matches!(i, InstData::Icmp { cond: IntCond::Slt, .. })));
        let switch = insts.iter().find_map(|i| match i {
            InstData::Switch { table, .. } => Some(func.switch(*table)),
            _ => None,
        });
        assert_eq!(switch.expect("one").cases.iter().map(|c| c.0).collect::<Vec<_>>(), [-1, 7]);
        let minimum = program.bodies[1].constants()[0];
        assert_eq!(program.bodies[1].value_def(minimum), ValueDef::Int(i64::MIN));
    }
}

/// A filtered builder may find fewer instructions, never other errors.
#[test]
fn filtered_reading_accepts_the_same() {
    let bytes = hex(ENCODING_1);
    let header = read_module(&bytes).expect("well-formed");
    let (mut reader, mut func, mut filter) = (FunctionReader::new(), Function::new(), Filtered::new());
    for body in &header.bodies {
        let mut builder = FunctionBuilder::filtered(&mut func, &mut filter);
        reader.read(&header, &bytes, body, &mut builder).unwrap_or_else(|e| panic!("{e}"));
    }
}
