//! The module level of LLVM bitcode against independent readers of the same source: the contents of variables
//! against the object files that clang makes, types and layouts with them, and the worked example of the
//! specification. Files are made by clang and rustc here; without them the tests say so and pass, unless `CI` is set.

use crate::common::{self, X86_64};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use ice_bitcode::llvm::ParamFlags;
use ice_bitcode::llvm::{LlvmModule, read_module};
use ice_ir::{
    FunctionKind, GlobalId, GlobalKind, Initializer, Linkage, Passing, Storage, Symbol, Type, Visibility,
};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SymbolSection};

/// Whether `tool` can be run; says so if not.
fn has(tool: &str) -> bool {
    common::tools::has("LLVM bitcode", &[tool])
}

/// A folder of this test, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).expect("can be made");
        Folder(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("can be written");
        path
    }

    /// What `tool` makes of `source`.
    fn make(&self, tool: &str, source: &Path, output: &str, args: &[&str]) -> Vec<u8> {
        let mut command = Command::new(tool);
        // The name of the source is in the bitcode, and should not depend on where the folder is.
        command.current_dir(&self.0).args(args).arg(source.file_name().expect("a file"));
        let run = command.arg("-o").arg(output).output().expect("runs");
        assert!(run.status.success(), "{tool} {args:?}: {}", String::from_utf8_lossy(&run.stderr));
        std::fs::read(self.0.join(output)).expect("was made")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn global(module: &LlvmModule, name: &str) -> GlobalId {
    let globals = module.module.globals.iter();
    let mut named =
        globals.filter(|&(id, _)| module.module.symbol_name(Symbol::Global(id)) == name.as_bytes());
    named.next().unwrap_or_else(|| panic!("no variable {name}")).0
}

const VARIABLES: &str = r#"
struct A { char a; short b; long long c; int d; char e; };
struct B { struct A a[3]; char z; };
struct __attribute__((packed)) C { char a; long long b; short c; };
struct D { _Bool f : 1; int g : 17; double h; };
union U { double ld; char c[3]; };
struct E { union U u; char t; float f; };
struct F { void *p; char c; struct B b; long long *q; };
struct G { int x __attribute__((aligned(32))); };
#define T(S) struct S obj_##S; unsigned long long size_##S[] = { sizeof(struct S), _Alignof(struct S) };
T(A) T(B) T(C) T(D) T(E) T(F) T(G)
struct A inner = { 1, -2, 0x123456789abcdefLL, 4, 5 };
struct B outer = { { { 1, 2, 3, 4, 5 }, { 6 } }, 'z' };
struct C tight = { 1, 0x1122334455667788LL, -3 };
struct D bits = { 1, -5, 2.5 };
struct E mixed = { { 1.25 }, 't', -0.5f };
struct F pointing = { &outer.a[1].c, 'c', { { { 9 } } }, &inner.c };
int table[100] = { 1, 2, 3, [50] = 7 };
static int hidden_inside = 7;
int *address = &hidden_inside, **address2 = &address;
extern int elsewhere[];
int *far = elsewhere + 3;
const char *texts[] = { "abc", "defg", "abc", 0 };
const char *middle = "0123456789" + 4;
int function(int x) { return x + table[x]; }
int (*code)(int) = function;
extern int outside(int);
int (*codes[])(int) = { 0, outside, function };
__attribute__((weak)) int weak = 3;
extern __attribute__((weak)) int weak_elsewhere;
int *maybe = &weak_elsewhere;
__attribute__((visibility("hidden"))) int hidden = 1;
__attribute__((section("own"))) int in_section = 2;
extern int other_name[100] __attribute__((alias("table")));
int function2(int) __attribute__((alias("function")));
_Thread_local int each = 5;
typedef int v4 __attribute__((vector_size(16)));
typedef char v16 __attribute__((vector_size(16)));
v4 lanes = { 1, 2, 3, -4 };
v16 bytes = { 1, 2, 3 };
float single[3] = { 1.5f, -0.0f, 3e30f };
double twice = -1.0 / 3.0;
int big[1 << 20];
unsigned long where = (unsigned long)&table[5];
unsigned char wide_gap[64] = { [0] = 1, [40] = 2 };
"#;

/// Targets and the compilers that are asked for them.
const TARGETS: [&str; 4] =
    ["x86_64-linux-gnu", "i686-linux-gnu", "armv7-linux-gnueabihf", "mipsel-linux-gnu"];

#[test]
fn variables_have_the_contents_that_clang_gives_them() {
    for clang in ["clang-19", "clang-22"] {
        if !has(clang) {
            continue;
        }
        let folder = Folder::new(&format!("variables-{clang}"));
        let source = folder.file("variables.c", VARIABLES);
        for target in TARGETS {
            for level in ["-O0", "-O2"] {
                let target = format!("--target={target}");
                let args = [&target, level, "-ffreestanding", "-w", "-c"];
                let object = folder.make(clang, &source, "a.o", &args);
                let bitcode = folder.make(clang, &source, "a.bc", &[&args[..], &["-emit-llvm"]].concat());
                let module =
                    read_module(&bitcode, &X86_64).unwrap_or_else(|e| panic!("{clang} {target}: {e}"));
                let compared = compare(&module, &object, &format!("{clang} {target} {level}"));
                assert!(compared >= 41, "{compared} variables");
            }
        }
    }
}

/// Compares sizes, bytes and relocations of the variables that both have; how many.
fn compare(llvm: &LlvmModule, object: &[u8], what: &str) -> usize {
    let file = object::File::parse(object).expect("an object file");
    let module = &llvm.module;
    let symbols: BTreeMap<&str, _> = file.symbols().map(|s| (s.name().expect("a name"), s)).collect();
    // A place as section and offset, or as a name for what is elsewhere.
    let place = |name: &str, addend: i64| match symbols.get(name).map(|s| (s.section(), s.address())) {
        Some((SymbolSection::Section(section), at)) => (section.0.to_string(), at as i64 + addend),
        _ => (name.to_string(), addend),
    };
    let mut compared = 0;
    for (id, decl) in &module.globals {
        let name = String::from_utf8_lossy(module.symbol_name(Symbol::Global(id))).into_owned();
        let what = format!("{what}: {name}");
        let Some(symbol) = symbols.get(name.as_str()).filter(|_| decl.kind == GlobalKind::Defined) else {
            continue;
        };
        assert_eq!(module.global_size(id), symbol.size(), "{what}");
        let section = file.section_by_index(symbol.section_index().expect("defined")).expect("exists");
        let align = 1 << decl.align_log2.expect("known");
        assert!(section.align() >= align && symbol.address().is_multiple_of(align), "{what}");
        let data = section.data().expect("readable");
        let start = symbol.address() as usize;
        let size = symbol.size() as usize;
        let mut expected = if data.is_empty() { vec![0; size] } else { data[start..start + size].to_vec() };
        let mut relocations = BTreeMap::new();
        for (at, relocation) in section.relocations() {
            if (symbol.address()..symbol.address() + symbol.size()).contains(&at) {
                let RelocationTarget::Symbol(index) = relocation.target() else { panic!("{what}") };
                let target = file.symbol_by_index(index).expect("exists");
                let at = at as usize - start;
                let width = relocation.size() as usize / 8;
                let field = &mut expected[at..at + width];
                let mut addend = relocation.addend();
                if relocation.has_implicit_addend() {
                    addend += i64::from(i32::from_le_bytes((&*field).try_into().expect("4 bytes")));
                }
                field.fill(0);
                let target = match target.kind() {
                    object::SymbolKind::Section => {
                        (target.section_index().expect("has").0.to_string(), addend)
                    }
                    _ => place(target.name().expect("a name"), addend),
                };
                relocations.insert(at, target);
            }
        }
        let (mut found, mut addresses) = (Vec::new(), BTreeMap::new());
        for init in module.initializers(id) {
            match *init {
                Initializer::Zero(n) => found.resize(found.len() + n as usize, 0),
                Initializer::Bytes { start, len } => {
                    found.extend_from_slice(&module.data[start as usize..][..len as usize]);
                }
                Initializer::Address { target, addend } => {
                    let target = String::from_utf8_lossy(module.symbol_name(target)).into_owned();
                    // Private symbols are gone from the object: any section will do.
                    let place = if target.starts_with(".") { None } else { Some(place(&target, addend)) };
                    addresses.insert(found.len(), place);
                    found.resize(found.len() + module.pointer_type.bytes() as usize, 0);
                }
                Initializer::Relative { .. } | Initializer::Distance { .. } => {
                    panic!("{what}: no distance was written")
                }
            }
        }
        assert_eq!(found, expected, "{what}");
        assert!(addresses.keys().eq(relocations.keys()), "{what}: {addresses:?} {relocations:?}");
        for (at, place) in addresses {
            assert!(place.is_none() || place.as_ref() == Some(&relocations[&at]), "{what}: {place:?}");
        }
        compared += 1;
    }
    compared
}

/// Variables that name no alignment, as passes of LLVM make them.
const UNALIGNED: &str = "
@byte = global i8 1
@short = global i16 1
@long = global i64 1
@odd = global i24 1
@wide = global i128 1
@double = global double 1.0
@extended = global fp128 0xL00000000000000003FFF000000000000
@address = global ptr @byte
@three = global [3 x i8] zeroinitializer
@sixteen = global [16 x i8] zeroinitializer
@seventeen = global [17 x i8] zeroinitializer
@large = internal global [76 x i8] undef
@used = global ptr @large
@pair = global { i8, i16 } zeroinitializer
@packed = global <{ i8, i32 }> zeroinitializer
@nested = global [2 x { i8, i8 }] zeroinitializer
@lanes = global <3 x i32> zeroinitializer
@more_lanes = global <4 x i32> zeroinitializer
@half = global <2 x float> zeroinitializer
@little = global [40 x i8] zeroinitializer, align 1
";

#[test]
fn variables_without_an_alignment_have_that_of_llvm() {
    for clang in ["clang-19", "clang-22"] {
        if !has(clang) {
            continue;
        }
        let folder = Folder::new(&format!("unaligned-{clang}"));
        let source = folder.file("unaligned.ll", UNALIGNED);
        for target in TARGETS {
            let target = format!("--target={target}");
            let args = [&target, "-fdata-sections", "-w", "-c", "-Xclang", "-disable-llvm-passes"];
            let object = folder.make(clang, &source, "a.o", &args);
            let bitcode = folder.make(clang, &source, "a.bc", &[&args[..], &["-emit-llvm"]].concat());
            let llvm = read_module(&bitcode, &X86_64).unwrap_or_else(|e| panic!("{clang} {target}: {e}"));
            let file = object::File::parse(&*object).expect("an object file");
            let align = |symbol: object::Symbol| {
                let section = file.section_by_index(symbol.section_index().expect("defined"));
                Some((symbol.name().ok()?.to_owned(), section.expect("exists").align()))
            };
            let variables = file.symbols().filter(|symbol| symbol.kind() == object::SymbolKind::Data);
            let expected: BTreeMap<_, _> = variables.filter_map(align).collect();
            let found = llvm.module.globals.iter().map(|(id, decl)| {
                let name = llvm.module.symbol_name(Symbol::Global(id));
                (String::from_utf8_lossy(name).into_owned(), 1 << decl.align_log2.expect("known"))
            });
            assert_eq!(found.collect::<BTreeMap<_, u64>>(), expected, "{clang} {target}");
        }
    }
}

#[test]
fn linkage_storage_and_aliases_are_kept() {
    if !has("clang-19") {
        return;
    }
    let folder = Folder::new("linkage");
    let source = folder.file("variables.c", VARIABLES);
    let args = ["--target=x86_64-linux-gnu", "-O0", "-fPIC", "-ffreestanding", "-w", "-c", "-emit-llvm"];
    let llvm = read_module(&folder.make("clang-19", &source, "a.bc", &args), &X86_64).expect("well-formed");
    let module = &llvm.module;
    let decl = |name| &module.globals[global(&llvm, name)];
    assert_eq!(decl("weak").linkage, Linkage::Weak);
    assert_eq!(
        (decl("weak_elsewhere").linkage, decl("weak_elsewhere").kind),
        (Linkage::Weak, GlobalKind::Declared)
    );
    assert_eq!(decl("hidden").symbol.visibility, Visibility::Hidden);
    assert_eq!(decl("hidden_inside").linkage, Linkage::Internal);
    assert_eq!(module.name(decl("in_section").symbol.section), b"own");
    assert_eq!(decl("each").storage, Storage::ThreadGeneralDynamic);
    let table = Symbol::Global(global(&llvm, "table"));
    assert_eq!(decl("other_name").kind, GlobalKind::Alias { target: table, addend: 0 });
    let function = module.function_by_name(b"function").expect("exists");
    let alias = module.function_by_name(b"function2").expect("exists");
    assert_eq!(module.functions[alias].kind, FunctionKind::Alias(Symbol::Function(function)));
    assert_eq!(llvm.bodies.len(), 1);
    assert_eq!(llvm.bodies[0].function, function);
    assert_eq!(llvm.triple, b"x86_64-unknown-linux-gnu");
}

#[test]
fn distances_constructors_and_dropped_bodies() {
    if !has("llvm-as-19") {
        return;
    }
    let folder = Folder::new("distances");
    let text = r#"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
@a = internal global i32 1
@b = constant [3 x i32] [i32 9,
  i32 trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @b to i64)) to i32),
  i32 trunc (i64 sub (i64 ptrtoint (ptr getelementptr inbounds (i8, ptr @a, i64 2) to i64),
      i64 ptrtoint (ptr getelementptr inbounds ([3 x i32], ptr @b, i64 0, i64 1) to i64)) to i32)]
@w = global i128 1267650600228229401496703205381
@odd = global [2 x i24] [i24 -2, i24 3]
@m = global <8 x i1> <i1 1, i1 0, i1 1, i1 1, i1 0, i1 0, i1 0, i1 1>
@x = global x86_fp80 0xK3FFFC000000000000000
@l = global [2 x ptr] [ptr blockaddress(@f, %there), ptr null]
@q = constant [2 x i64] [i64 3, i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @q to i64))]
@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @f, ptr null }, { i32, ptr, ptr } { i32 101, ptr @g, ptr null }]
@llvm.used = appending global [1 x ptr] [ptr @a], section "llvm.metadata"
define internal void @f() { br label %there
there: ret void }
define available_externally i32 @dropped(i32 %x) { ret i32 %x }
define { i64, double } @pair(i8 zeroext %c, ptr byval([3 x i64]) align 16 %p, i128 %w, <2 x float> %v, ...) {
  ret { i64, double } poison }
define void @g() { ret void }
define void @none({} inreg %e, i32 inreg %x, [2 x i32] inreg %y, i1 signext %z) { ret void }
define void @demand(ptr inreg sret([9 x i32]) %p, half %h, <8 x half> %v) { ret void }
define { half, bfloat } @halves(<4 x half> %a, <16 x bfloat> %b) { ret { half, bfloat } zeroinitializer }
define [4 x i64] @four() { ret [4 x i64] zeroinitializer }
declare x86_fp80 @far(x86_fp80)
declare i32 @llvm.ctpop.i32(i32)
"#;
    let source = folder.file("a.ll", text);
    let bitcode = folder.make("llvm-as-19", &source, "a.bc", &[]);
    let llvm = read_module(&bitcode, &X86_64).unwrap_or_else(|e| panic!("{e}"));
    let module = &llvm.module;
    let contents = |name: &str| module.initializers(global(&llvm, name));
    let data = |name: &str| match contents(name) {
        &[Initializer::Bytes { start, len }, ..] => &module.data[start as usize..][..len as usize],
        other => panic!("{name}: {other:?}"),
    };
    let a = Symbol::Global(global(&llvm, "a"));
    let [_, first, second] = contents("b") else { panic!("three pieces") };
    assert_eq!(*first, Initializer::Relative { target: a, addend: 4, bytes: 4 });
    assert_eq!(*second, Initializer::Relative { target: a, addend: 2 - 4 + 8, bytes: 4 });
    let [_, wide] = contents("q") else { panic!("two pieces") };
    assert_eq!(*wide, Initializer::Relative { target: a, addend: 8, bytes: 8 });
    assert_eq!(data("w"), [5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0]);
    assert_eq!(data("odd"), [0xfe, 0xff, 0xff, 0, 3, 0, 0]);
    assert_eq!(data("m"), [0b1000_1101]);
    assert_eq!(contents("x")[0], Initializer::Bytes { start: 4 + 4 + 16 + 7 + 1, len: 10 });
    assert_eq!(contents("l")[1], Initializer::Zero(8));
    // One body is dropped, the others keep their functions.
    let names: Vec<_> =
        llvm.bodies.iter().map(|b| module.symbol_name(Symbol::Function(b.function))).collect();
    assert_eq!(names, [&b"f"[..], b"pair", b"g", b"none", b"demand", b"halves", b"four"]);
    let dropped = module.function_by_name(b"dropped").expect("exists");
    assert_eq!(module.functions[dropped].kind, FunctionKind::Declared);
    assert_eq!(module.function_by_name(b"llvm.ctpop.i32"), None);
    assert_eq!(llvm.specials.len(), 3);
    let sections: Vec<_> = module
        .globals
        .values()
        .map(|g| String::from_utf8_lossy(module.name(g.symbol.section)).into_owned())
        .filter(|s| !s.is_empty())
        .collect();
    assert_eq!(sections, [".init_array", ".init_array.00101"]);
    let pair = module.signature(module.function_by_name(b"pair").expect("exists"));
    assert_eq!((pair.ret, pair.second), (Type::I64, Type::F64));
    assert_eq!(pair.params, [Type::I32, Type::I64, Type::I64, Type::I64, Type::V4F32]);
    assert_eq!(pair.passing(1), Passing::ByVal { size: 24, align_log2: 4 });
    assert_eq!(pair.passing(2), Passing::PairLow);
    let none = module.signature(module.function_by_name(b"none").expect("exists"));
    assert_eq!(none.params, [Type::I32; 4]);
    assert_eq!([0, 1, 2, 3].map(|i| none.passing(i) == Passing::InRegister), [true, true, true, false]);
    let demand = module.signature(module.function_by_name(b"demand").expect("exists"));
    assert_eq!(demand.passing(0), Passing::StructReturnInRegister);
    assert_eq!(demand.params[1..], [Type::F32, Type::V8I16]);
    let halves = module.signature(module.function_by_name(b"halves").expect("exists"));
    assert_eq!((halves.ret, halves.second), (Type::V8I16, Type::V8I16));
    assert_eq!(halves.params, [Type::V8I16; 3]);
    let four = module.signature(module.function_by_name(b"four").expect("exists"));
    assert_eq!((four.passing(0), four.ret), (Passing::StructReturn, Type::Void));
}

/// LLVM bitcode specification, section 16.3.
#[test]
fn worked_example() {
    if !has("clang-19") {
        return;
    }
    let folder = Folder::new("worked-example");
    let text = "static int k = 7; int *kp = &k; extern int ext(const char *, ...); int f(int a, int *p) { int s = 0; \
                for (int i = 0; i < a; i++) s += p[i]; return ext(\"hi\\n\", s) + k; }";
    let source = folder.file("a.c", text);
    let args = ["--target=x86_64-pc-linux-gnu", "-O1", "-c", "-emit-llvm"];
    let llvm = read_module(&folder.make("clang-19", &source, "a.bc", &args), &X86_64).expect("well-formed");
    assert_eq!(llvm.producer, Some(19));
    assert_eq!(llvm.types.num_wire_ids(), 11);
    assert_eq!((llvm.globals.len(), llvm.constants.len(), llvm.first_local()), (5, 7, 12));
    let module = &llvm.module;
    assert_eq!(module.initializers(global(&llvm, "kp")).len(), 1);
    assert_eq!(module.global_size(global(&llvm, ".str")), 4);
    assert_eq!((module.functions.len(), llvm.bodies.len()), (2, 1));
    assert_eq!(llvm.bodies[0].header.at, 570 * 32);
    let ext = module.function_by_name(b"ext").expect("exists");
    assert!(!module.signature(ext).is_plain());
    let list = llvm.attributes.list(llvm.functions[ext].attributes.into()).expect("exists");
    assert_eq!(llvm.attributes.param(&list, 0).flags, ParamFlags::default());
}

#[test]
fn what_rustc_writes_is_read() {
    if !has("rustc") {
        return;
    }
    let folder = Folder::new("rustc");
    let text = "use std::collections::BTreeMap; use std::fmt::Debug;
        #[derive(Debug, Clone, PartialEq)] pub enum Tree { Leaf(u128), Node(Box<Tree>, Box<Tree>), Text(String) }
        pub fn depth(t: &Tree) -> usize { match t { Tree::Node(a, b) => 1 + depth(a).max(depth(b)), _ => 0 } }
        pub fn show<T: Debug>(t: &T) -> String { format!(\"{t:?}\") }
        pub fn count(words: &[&str]) -> BTreeMap<String, u32> { let mut m = BTreeMap::new();
            for w in words { *m.entry(w.to_string()).or_insert(0) += 1; } m }
        pub fn all(t: &Tree) -> (String, Option<u64>) { (show(t), show(&depth(t)).parse().ok()) }";
    let source = folder.file("lib.rs", text);
    for level in ["0", "3"] {
        let opt = format!("opt-level={level}");
        let args = ["--crate-type=lib", "--emit=llvm-bc", "-Ccodegen-units=1", "-C", &opt, "--edition=2021"];
        let bitcode = folder.make("rustc", &source, "a.bc", &args);
        let llvm = read_module(&bitcode, &X86_64).unwrap_or_else(|e| panic!("{level}: {e}"));
        assert!(llvm.bodies.len() >= 5, "{} bodies", llvm.bodies.len());
        assert!(llvm.producer >= Some(20));
    }
}
