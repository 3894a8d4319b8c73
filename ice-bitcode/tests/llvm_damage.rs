//! LLVM modules that are damaged: one for every condition that is found at the module level, constants that nest
//! deeply, and arbitrary damage of real modules, which is refused with a place and in little memory. The number of
//! mutations is set by `ICE_MUTATIONS` (default 2000 a module).

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use common::X86_64;
use ice_bitcode::bitstream::{Abbrev, Element, Op, Writer, rotate_sign};
use ice_bitcode::llvm::{LlvmModule, read_module};
use ice_ir::{GlobalKind, Initializer, Symbol};

/// Counts the bytes in use and their maximum.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
/// The counters are of the whole process, so one test runs at a time.
static ALONE: Mutex<()> = Mutex::new(());

// SAFETY: everything is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(IN_USE.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const LIMIT: usize = 64 << 20;

/// Reads a module and checks what the answer is and how much memory it takes.
fn check(what: &str, bytes: &[u8]) -> Result<LlvmModule, &'static str> {
    let before = IN_USE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = read_module(bytes, &X86_64);
    let peak = PEAK.load(Relaxed).saturating_sub(before);
    assert!(peak <= LIMIT, "{what}: {peak} bytes");
    result.map_err(|error| {
        assert!(error.location.bit <= bytes.len() as u64 * 8, "{what}: {error}");
        assert!(!error.error.code().starts_with('W'), "{what}: {error}");
        error.error.code()
    })
}

/// An entry of a block.
#[derive(Clone)]
enum Item {
    /// A record.
    R(u32, Vec<u64>),
    /// A block.
    B(u32, Vec<Item>),
}
use Item::{B, R};

fn write(items: &[Item], w: &mut Writer) {
    for item in items {
        match item {
            R(code, ops) => w.record(*code, ops),
            B(id, items) => {
                w.enter(*id, 4);
                write(items, w);
                w.end();
            }
        }
    }
}

/// A file of these entries of the module, with names to choose from.
fn file(items: &[Item]) -> Vec<u8> {
    let mut w = Writer::new(b"BC\xc0\xde");
    write(&[B(8, items.to_vec())], &mut w);
    w.enter(23, 3);
    w.define(&Abbrev::new(&[Op::Literal(1)], Element::Blob).expect("legal"));
    w.blob(4, 1, &[], b"abcdefgh\x01verbatim").expect("fits");
    w.end();
    w.finish()
}

/// Types: 0 i32, 1 ptr, 2 void, 3 void (), 4 i8, 5 [3 x i8], 6 {i32, ptr}, 7 i64, 8 <2 x i32>, 9 fp128, 10 i128.
fn types() -> Item {
    let records = [
        R(1, vec![11]),
        R(7, vec![32]),
        R(25, vec![0]),
        R(2, vec![]),
        R(21, vec![0, 2]),
        R(7, vec![8]),
        R(11, vec![3, 4]),
        R(18, vec![0, 0, 1]),
        R(7, vec![64]),
        R(12, vec![2, 0]),
        R(14, vec![]),
        R(7, vec![128]),
    ];
    B(17, records.to_vec())
}

/// A module with these entries behind its types and data layout.
fn module(items: &[Item]) -> Vec<u8> {
    let layout = b"e-p:32:32".iter().map(|&c| c.into()).collect();
    let mut all = vec![R(1, vec![2]), types(), R(3, layout)];
    all.extend_from_slice(items);
    file(&all)
}

/// A variable called by the letter at `name`, of type `ty`.
fn variable(name: u64, ty: u64, initializer: u64) -> Item {
    R(7, vec![name, 1, ty, 2, initializer, 0, 3, 0])
}

fn function(name: u64, is_declared: u64) -> Item {
    let mut ops = vec![0; 21];
    (ops[0], ops[1], ops[2], ops[4]) = (name, 1, 3, is_declared);
    R(8, ops)
}

fn changed(item: Item, field: usize, value: u64) -> Item {
    let R(code, mut ops) = item else { unreachable!("a record") };
    if ops.len() <= field {
        ops.resize(18.max(field + 1), 0);
    }
    ops[field] = value;
    R(code, ops)
}

#[track_caller]
fn expect(code: &str, items: &[Item]) {
    let found = check(code, &module(items)).err().unwrap_or("ok");
    assert_eq!(found, code);
}

#[test]
fn conditions_of_the_module_level() {
    let _alone = ALONE.lock();
    let body = B(12, vec![]);
    expect("ok", &[variable(0, 0, 0), function(1, 1)]);
    // Internal, private, common, weak: what is declared cannot be so.
    for linkage in [3, 9, 8, 16] {
        expect("L09", &[R(7, vec![0, 1, 0, 2, 0, linkage, 3, 0])]);
        let mut prototype = vec![0; 21];
        (prototype[0], prototype[1], prototype[2], prototype[4], prototype[5]) = (0, 1, 3, 1, linkage);
        expect("L09", &[R(8, prototype)]);
    }
    expect("ok", &[function(1, 0), body.clone()]);
    expect("ok", &[R(5, vec![97, 98])]);
    expect("L09", &[R(5, vec![97, 0])]);
    assert_eq!(check("", &file(&[])).err(), Some("M04"));
    assert_eq!(check("", &file(&[R(1, vec![1])])).err(), Some("M04"));
    assert_eq!(check("", &file(&[R(1, vec![])])).err(), Some("M03"));
    assert_eq!(check("", &file(&[R(1, vec![2]), variable(0, 0, 0)])).err(), Some("M06"));
    expect("M05", &[types()]);
    expect("M06", &[variable(0, 0, 0), types()]);
    expect("M06", &[variable(0, 0, 0), R(3, vec![101])]);
    expect("M06", &[B(11, vec![]), variable(0, 0, 0)]);
    expect("M06", &[variable(0, 0, 0), B(9, vec![])]);
    expect("M01", &[B(19, vec![])]);
    expect("M02", &[R(19, vec![])]);
    expect("M03", &[R(7, vec![0; 9])]);
    expect("M03", &[R(8, vec![0; 8])]);
    expect("M11", &[function(1, 1), body.clone()]);
    expect("M11", &[body]);
    expect("M12", &[function(1, 0)]);
    expect("S03", &[variable(0, 0, 0), variable(0, 0, 0)]);
    expect("L06", &[variable(17, 0, 0)]);
    expect("L06", &[changed(variable(0, 0, 0), 1, u64::MAX)]);
    expect("L07", &[variable(0, 11, 0)]);
    expect("L07", &[changed(variable(0, 0, 0), 7, 1)]);
    expect("L07", &[changed(variable(0, 0, 0), 13, 1)]);
    expect("L07", &[changed(function(0, 1), 6, 1)]);
    expect("L07", &[changed(function(0, 1), 10, 1)]);
    expect("L08", &[changed(function(0, 1), 2, 0)]);
    expect("L09", &[changed(variable(0, 0, 0), 3, 0)]);
    expect("L09", &[changed(variable(0, 0, 0), 5, 1)]);
    expect("L09", &[changed(variable(0, 0, 0), 6, 34)]);
    expect("L09", &[changed(variable(0, 0, 0), 8, 3)]);
    expect("L09", &[changed(variable(0, 0, 0), 9, 5)]);
    expect("L09", &[changed(function(0, 1), 4, 2)]);
    expect("L11", &[changed(variable(0, 0, 0), 6, 31)]);
    expect("L12", &[changed(variable(0, 0, 0), 3, 6)]);
    expect("L12", &[changed(variable(0, 0, 0), 5, 2)]);
    expect("ok", &[R(4, vec![65])]);
    expect("G11", &[R(4, vec![256])]);
    expect("M03", &[R(18, vec![0; 6])]);
    expect("L07", &[R(18, vec![0, 1, 99, 0, 0, 0, 0])]);
    expect("L12", &[R(18, vec![0, 1, 3, 0, 0, 0, 0])]);
    expect("L12", &[R(12, vec![0, 1, 2])]);
    expect("G11", &[R(5, vec![256])]);
}

#[test]
fn conditions_of_constants() {
    let _alone = ALONE.lock();
    let constants = |records: &[(u32, &[u64])]| {
        let block = records.iter().map(|&(code, ops)| R(code, ops.to_vec())).collect();
        vec![variable(0, 0, 0), B(11, block)]
    };
    let expect = |code: &str, records: &[(u32, &[u64])]| expect(code, &constants(records));
    let ty = |id: &'static [u64]| (1, id);
    expect("ok", &[(4, &[2]), ty(&[1]), (2, &[]), ty(&[5]), (8, &[1, 2, 3]), (9, &[1, 2]), (22, &[1, 2, 3])]);
    expect("ok", &[ty(&[6]), (7, &[2, 0]), ty(&[0]), (4, &[2])]);
    expect("L07", &[ty(&[11])]);
    assert_eq!(check("M01", &module(&[B(11, vec![B(11, vec![])])])).err(), Some("M01"));
    expect("L13", &[ty(&[1]), (4, &[2])]);
    expect("L13", &[ty(&[2]), (2, &[])]);
    expect("L13", &[(6, &[1])]);
    expect("L13", &[ty(&[7]), (5, &[1, 1])]);
    expect("L13", &[ty(&[0]), (22, &[1])]);
    expect("L16", &[ty(&[5]), (8, &[1, 2])]);
    expect("L16", &[ty(&[6]), (7, &[0])]);
    expect("L09", &[ty(&[5]), (22, &[1, 2, 256])]);
    expect("G11", &[ty(&[5]), (8, &[1, 2, 256])]);
    expect("L14", &[ty(&[6]), (7, &[5, 0])]);
    expect("L14", &[ty(&[6]), (7, &[u64::MAX, 0])]);
    expect("L17", &[ty(&[6]), (7, &[0, 0])]);
    expect("L15", &[ty(&[7]), (10, &[0, 1, 1])]);
    expect("L15", &[ty(&[7]), (10, &[0, 2, 2]), (11, &[0, 7, 1])]);
    expect("M03", &[(10, &[0, 1])]);
    expect("M03", &[(12, &[0])]);
    expect("M03", &[(10, &[13, 1, 1])]);
    expect("M02", &[(40, &[])]);
    expect("L12", &[(33, &[0, 0, 0, 0])]);
    expect("L07", &[(21, &[3, 0, 1])]);

    let data = |ty: u64, records: &[(u32, &[u64])]| {
        let mut items = constants(records);
        items[0] = variable(0, ty, 2);
        check("", &module(&items)).err().unwrap_or("ok")
    };
    assert_eq!(data(1, &[ty(&[1]), (12, &[0, 1, 0])]), "ok");
    assert_eq!(data(0, &[ty(&[1]), (2, &[])]), "L17");
    assert_eq!(data(4, &[ty(&[4]), (11, &[9, 1, 0])]), "L18");
    assert_eq!(data(9, &[ty(&[9]), (6, &[1, 2])]), "ok");
    assert_eq!(data(2, &[(2, &[])]), "L08");
}

#[test]
fn aliases_lead_to_a_symbol_or_are_refused() {
    let _alone = ALONE.lock();
    let alias = |name: u64, target: u64| R(14, vec![name, 1, 0, 0, target, 0, 0, 0, 0, 0, 0, 0, 0]);
    let gep = B(11, vec![R(1, vec![1]), R(12, vec![0, 1, 0, 0, 4]), R(1, vec![0]), R(4, vec![4])]);
    let bytes = module(&[variable(0, 0, 0), alias(1, 2), alias(2, 3), gep]);
    let read = check("aliases", &bytes).expect("well-formed");
    let globals: Vec<_> = read.module.globals.keys().collect();
    let target = Symbol::Global(globals[0]);
    for id in &globals[1..] {
        assert_eq!(read.module.globals[*id].kind, GlobalKind::Alias { target, addend: 8 });
    }
    expect("L19", &[alias(0, 1), alias(1, 0)]);
    expect("L19", &[alias(0, 0)]);
    expect("L12", &[alias(0, 1), B(11, vec![R(1, vec![1]), R(2, vec![])])]);
}

#[test]
fn constants_nest_deeply() {
    let _alone = ALONE.lock();
    // Each is the next one plus 1, the last one an address: the first ones are met before what they stand on.
    let depth = 100_000u64;
    let mut block = vec![R(1, vec![0])];
    block.extend((0..depth).map(|i| R(10, vec![0, 1 + i + 1, 1 + depth + 1])));
    block.extend([R(11, vec![9, 1, 0]), R(4, vec![rotate_sign(1)])]);
    let bytes = module(&[variable(0, 0, 2), B(11, block)]);
    let read = check("a chain", &bytes).expect("well-formed");
    let id = read.module.globals.keys().next().expect("one");
    let target = Symbol::Global(id);
    assert_eq!(read.module.initializers(id), [Initializer::Address { target, addend: depth as i64 }]);

    // Contents that double with every level: 2^40 bytes from 40 records.
    let mut types = vec![R(1, vec![41]), R(7, vec![8])];
    types.extend((0..40).map(|i| R(11, vec![2, i])));
    let mut block = vec![R(1, vec![0]), R(4, vec![2])];
    for i in 0..40 {
        block.extend([R(1, vec![i + 1]), R(7, vec![1 + i, 1 + i])]);
    }
    for (level, code) in [(20, "ok"), (30, "L11"), (40, "L11")] {
        let items =
            [R(1, vec![2]), B(17, types.clone()), variable(0, level, level + 2), B(11, block.clone())];
        assert_eq!(check("doubling", &file(&items)).err().unwrap_or("ok"), code, "{level}");
    }
    // Without contents, size is only a number.
    let items = [R(1, vec![2]), B(17, types), variable(0, 34, 2), B(11, vec![R(1, vec![34]), R(2, vec![])])];
    let read = check("zeros", &file(&items)).expect("well-formed");
    let id = read.module.globals.keys().next().expect("one");
    assert_eq!(read.module.global_size(id), 1 << 34);
}

#[test]
fn signatures_are_limited() {
    let _alone = ALONE.lock();
    // Every list says something about another parameter of a function that has many.
    let groups = (1..=500).map(|i| R(3, vec![i, i, 1, 1, 4, 0, 5])).collect();
    let lists: Vec<Item> = (1..=500).map(|i| R(2, vec![i])).collect();
    let mut ops = vec![0, 0];
    ops.extend([0; 4000]);
    let types = B(17, vec![R(1, vec![2]), R(7, vec![32]), R(21, ops)]);
    let start = [R(1, vec![2]), types, B(10, groups), B(9, lists)];
    let functions = (1..=500).map(|i| {
        let mut ops = vec![0; 21];
        (ops[2], ops[4], ops[6]) = (1, 1, i);
        R(8, ops)
    });
    let items: Vec<Item> = start.into_iter().chain(functions).collect();
    let read = check("signatures", &file(&items)).expect("declarations are refused where they are called");
    assert!(read.module.signatures.len() < 300);
}

/// Real modules, where they can be made, and one that is hand-made.
fn modules() -> Vec<(String, Vec<u8>)> {
    let block = vec![
        R(1, vec![6]),
        R(7, vec![3, 0]),
        R(1, vec![0]),
        R(4, vec![0]),
        R(1, vec![5]),
        R(9, vec![104, 105]),
        R(1, vec![8]),
        R(22, vec![1, 2]),
    ];
    let hand_made = module(&[variable(0, 6, 3), function(1, 0), B(11, block), B(12, vec![R(1, vec![1])])]);
    let mut modules = vec![("hand-made".to_string(), hand_made)];
    let source = "extern int printf(const char *, ...); static int k[3] = {1, 2}; int *p = &k[1];
        struct S { double d; char c[9]; } s = {1.5, \"text\"}; __attribute__((weak)) int w(struct S x) { return x.c[2]; }
        int main(int n, char **v) { for (int i = 0; i < n; i++) printf(\"%s %d\\n\", v[i], w(s) + p[i & 1]); return 0; }";
    let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("damage.c");
    std::fs::write(&path, source).expect("can be written");
    for clang in ["clang-19", "clang-22"] {
        let args = ["-O1", "-c", "-emit-llvm", "-w", "-o", "-"];
        if common::tools::has("damaged LLVM bitcode", &[clang]) {
            let out = Command::new(clang).args(args).arg(&path).output().expect("clang starts");
            assert!(out.status.success(), "{clang}: {}", String::from_utf8_lossy(&out.stderr));
            modules.push((clang.to_string(), out.stdout));
        }
    }
    modules
}

#[test]
fn damage_is_refused_with_a_place_and_in_little_memory() {
    let _alone = ALONE.lock();
    let count: usize = std::env::var("ICE_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    let mut random = 0x5eed_0002u64;
    let mut below = |bound: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % bound as u64) as usize
    };
    for (name, original) in modules() {
        check(&name, &original).unwrap_or_else(|code| panic!("{name}: {code}"));
        for end in 0..original.len() {
            assert!(check(&name, &original[..end]).is_err(), "{name} up to {end}");
        }
        let (mut accepted, mut bytes) = (0, original.clone());
        for round in 0..count {
            let at = below(original.len());
            let old = bytes[at];
            bytes[at] = if round % 2 == 0 { old ^ 1 << below(8) } else { below(256) as u8 };
            accepted += usize::from(check(&format!("{name} with byte {at} = {}", bytes[at]), &bytes).is_ok());
            bytes[at] = old;
        }
        println!("{name}: {accepted} of {count} mutations are accepted");
        assert!(accepted < count);
    }
}
