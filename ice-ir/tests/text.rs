//! The text form: what it looks like, that it is read back exactly, that bad text is refused with a place.

use ice_ir::intrinsics::DECLARATIONS;
use ice_ir::{
    BinaryOp, CastOp, FloatCond, IntCond, Linkage, ParseError, ParseErrorKind, Program, Symbol, Type,
    ValueDef, parse_program, write_function, write_program,
};

fn print(program: &Program) -> String {
    let mut text = String::new();
    write_program(program, &mut text).unwrap();
    text
}

/// Every statement, initializer, constant and instruction, as the writer prints it.
const SAMPLE: &str = r#"target pointer i32

sig0 = (i32) -> i32
sig1 = () -> void
sig2 = (i32) -> i32
sig3 = (i64, f32, f64, v4i32) -> f64
types i32, void, sig0, sig1, f64, sig2

constant @hello align 1 = bytes "hi\0a\22\5c\ff", zero 2
global @g1 = addr @hello + 1, addr @f2 - 4294967297
global @"f7" align 536870912
global @"sp ace" align 8 = bytes ""

define internal @twice(v0: i32) -> i32 {
  v1: i32 = 2
  v2: i1 = true
  v3: i1 = false
  v4: f32 = 0x3fc00000 ; 1.5
  v5: f64 = 0x7ff8000000000001 ; NaN
  v6: v4i32 = undef
  v7: i64 = -9223372036854775808
  v8: i32 = @"f7"
  v9: i32 = @f2
  v10: i32 = @g1
block0:
  v11: i32 = mul v0, v1 at 17
  v12: i64 = sext v11
  v13: i1 = icmp slt v11, v0
  v14: i1 = fcmp une v5, v5
  v15: i32 = select v13, v11, v1
  v16: i32 = extractelement v6, v1
  v17: v4i32 = insertelement v6, v16, v1
  v18: i32 = alloca v1, align 8
  v19: f32 = load v18, align 4
  store v19 to v18, align 1 at 0
  v20: i32 = call @twice(v1)
  v21: i32 = tail call @twice(v20)
  tail call @f2()
  v22: f64 = call_indirect v9(v7, v4, v5, v6)
  tail call_indirect v9()
  call @llvm.trap()
  call @llvm.memcpy.p0.p0.i64()
  br v13, block1, block2 at 4294967295
block1:
  v23: i32 = phi [v25, block2], [v1, block0]
  switch v23, block2 [-1: block3, 7: block1, 2147483647: block3]
block2:
  v24: i32 = phi [v1, block0], [v24, block1]
  v25: i32 = add v24, v1
  switch v25, block1 []
block3:
  br v13, block4, block5
block4:
  ret v1
block5:
  switch v11, block6 [1: block7] at 3
block6:
  return_call @twice(v1) at 4
block7:
  return_call_indirect v9(v7, v4, v5, v6)
}
declare external @puts(i32) -> i32: sig2
define internal @f2() -> void {
block0:
  ret
}
intrinsic external @llvm.trap() -> void
intrinsic external @llvm.memcpy.p0.p0.i64() -> void as memcpy
define external @_start(v0: i64, v1: f32, v2: f64, v3: v4i32) -> f64 {
block0:
  unreachable
}

symbols @_start, @llvm.trap, @hello
"#;

#[test]
fn sample_is_read_and_printed_exactly() {
    let program = parse_program(SAMPLE).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(print(&program), SAMPLE);
    let module = &program.module;
    assert_eq!((module.functions.len(), module.globals.len(), program.bodies.len()), (6, 4, 3));
    assert_eq!(module.data, b"hi\n\"\\\xff");
    assert_eq!(module.symbol_name(Symbol::Global(2u32.to_global())), b"f7");
    assert_eq!(module.globals[0u32.to_global()].align_log2, Some(0));
    let id = module.function_by_name(b"puts").unwrap();
    assert_eq!(module.functions[id].signature.as_u32(), 2);
    assert_eq!(module.functions[id].linkage, Linkage::External);
    let func = &program.bodies[0];
    assert_eq!(func.num_values(), 26);
    let value = |n| func.value_def(ice_ir::Value::from_u32(n));
    assert_eq!(value(2), ValueDef::Int(-1));
    assert_eq!(value(5), ValueDef::Float(0x7ff8_0000_0000_0001));
    assert_eq!(func.value_type(ice_ir::Value::from_u32(24)), Type::I32);
    assert_eq!(func.constants().len(), 7);

    let mut text = String::new();
    write_function(module, func, &mut text).unwrap();
    assert!(text.starts_with("define internal @twice(v0: i32) -> i32 {\n  v1: i32 = 2\n"));
    assert!(SAMPLE.contains(&text));
}

#[test]
fn vectors_of_zeros_are_constants() {
    let text = "target pointer i64 native\nsig0 = () -> v16i8\n\ndefine internal @f() -> v16i8 {\n  v0: v16i8 = zero\nblock0:\n  ret v0\n}\n";
    let program = parse_program(text).unwrap_or_else(|e| panic!("{e}"));
    assert!(print(&program).contains("  v0: v16i8 = zero\nblock0:\n  ret v0\n"));
    let func = &program.bodies[0];
    assert_eq!(func.value_def(ice_ir::Value::from_u32(0)), ValueDef::Zero);
    assert_eq!(func.constants().len(), 1);
}

trait ToGlobal {
    fn to_global(self) -> ice_ir::GlobalId;
}

impl ToGlobal for u32 {
    fn to_global(self) -> ice_ir::GlobalId {
        ice_ir::GlobalId::from_u32(self)
    }
}

#[test]
fn short_forms_and_gaps_become_canonical() {
    let short = "
        define internal @f(v10: i32) -> i32 { ; no signature, no types, no symbols
          v30: i8 = 255   v20: i32 = 0xffffffff
        block7: v40: i32 = load @t, align 1   br block3
        block3: v35: i32 = add v40, v20   ret @t
        }
        constant @t = zero 4";
    let program = parse_program(short).unwrap_or_else(|e| panic!("{e}"));
    let expected = "target pointer i32

sig0 = (i32) -> i32

constant @t = zero 4

define internal @f(v0: i32) -> i32 {
  v1: i32 = -1
  v2: i8 = -1
  v5: i32 = @t
block0:
  v4: i32 = load v5, align 1
  br block1
block1:
  v3: i32 = add v4, v1
  ret v5
}
";
    assert_eq!(print(&program), expected);
    assert_eq!(print(&parse_program(expected).unwrap()), expected);
}

/// One function with every operation on every type; types that do not fit are the verifier's business.
#[test]
fn every_operation_type_and_intrinsic_is_read_back() {
    let mut text = String::from("target pointer i64\n");
    let mut calls = String::new();
    for d in DECLARATIONS {
        let params: Vec<_> = d.params.iter().map(|t| t.name()).collect();
        text += &format!("intrinsic external @{}({}) -> {}\n", d.name, params.join(", "), d.ret);
        calls += &format!("  call @{}()\n", d.name);
    }
    text += "define internal @all(v0: i64) -> void {\nblock0:\n";
    let mut n = 0;
    for ty in Type::ALL.into_iter().filter(|&t| t != Type::Void) {
        let mut result = |operation: String| {
            n += 1;
            text += &format!("  v{n}: {ty} = {operation}\n");
        };
        BinaryOp::ALL.iter().for_each(|op| result(format!("{op} v0, v0")));
        CastOp::ALL.iter().for_each(|op| result(format!("{op} v0")));
        IntCond::ALL.iter().for_each(|op| result(format!("icmp {op} v0, v0")));
        FloatCond::ALL.iter().for_each(|op| result(format!("fcmp {op} v0, v0")));
        result("load v0, align 16".into());
        result("join v0, v0".into());
        result("half v0, 1".into());
    }
    text += &calls;
    text += "  ret\n}\n";
    let program = parse_program(&text).unwrap_or_else(|e| panic!("{e}"));
    let printed = print(&program);
    assert_eq!(print(&parse_program(&printed).unwrap()), printed);
    let body = |text: &str| text[text.find("define").unwrap()..].to_owned();
    assert_eq!(body(&printed), body(&text));
}

#[test]
fn errors_have_a_place_and_a_reason() {
    use ParseErrorKind::*;
    let in_body = |line: &str| format!("define internal @f(v0: i32) -> void {{\nblock0:\n{line}\n}}");
    // The place is marked with `^`.
    let cases: &[(String, ParseErrorKind)] = &[
        ("\n  ^%".into(), UnexpectedByte(b'%')),
        ("constant @a = bytes \"abc^\n\"".into(), UnterminatedString),
        ("constant @a = bytes \"^\\0g\"".into(), InvalidEscape),
        ("constant @a = zero ^4294967296".into(), NumberOutOfRange),
        ("constant @a = zero ^99999999999999999999999".into(), NumberOutOfRange),
        ("constant @a = zero ^12x".into(), NumberOutOfRange),
        ("constant @a = addr ^@b".into(), Undefined("name")),
        ("constant @a = addr ^@g1".into(), Undefined("nameless symbol")),
        ("constant @a = addr ^@g0".into(), Undefined("nameless symbol")),
        ("constant @a = zero 1, zero 2 ^zero 3".into(), Expected("',' or a statement")),
        ("constant @a\nglobal ^@a".into(), Duplicate("name")),
        ("constant ^@g1".into(), OutOfOrder("nameless symbol")),
        ("constant ^@f0".into(), OutOfOrder("nameless symbol")),
        ("constant @a align ^3".into(), InvalidAlignment),
        ("^sig1 = () -> void".into(), OutOfOrder("signature")),
        ("sig0 = () -> void\ndeclare external @f() -> i32: ^sig0".into(), SignatureMismatch),
        ("types i32, ^sig0".into(), Undefined("signature")),
        ("types ^i33".into(), UnknownType),
        ("target pointer ^f32".into(), Expected("i32 or i64")),
        ("intrinsic external ^@foo() -> void".into(), Undefined("intrinsic")),
        ("intrinsic external @foo() -> void as ^bar".into(), UnknownOpcode),
        ("define internal @f() -> void {^".into(), Expected("'}'")),
        ("symbols ^@a".into(), Undefined("name")),
        ("constant @a symbols @a, ^@a".into(), Duplicate("symbol")),
        ("^hello".into(), Expected("statement")),
        (in_body("v1: i32 = ^frob v0"), UnknownOpcode),
        (in_body("v1: i32 = add v0, ^v9"), Undefined("value")),
        (in_body("v1: i32 = add v0, ^v01"), Expected("value")),
        (in_body("v1: i32 = add v0, v0 ^v1: i32 = add v0, v0"), Duplicate("value")),
        ("define internal @f^(v0: i32, v0: i32) -> void { }".into(), Duplicate("value")),
        (in_body("br ^block1"), Undefined("block")),
        (in_body("^block0: ret"), Duplicate("block")),
        (in_body("switch v0, block0 [^4294967296: block0]"), NumberOutOfRange),
        (in_body("store v0 to v0, align ^0"), InvalidAlignment),
        (in_body("v1: i32 = ^ret"), Expected("operation with a result")),
        (in_body("^add v0, v0"), Expected("value and type before the operation")),
        (in_body("v1: i32 = ^5"), Expected("instruction")),
        (in_body("v1: ^void = add v0, v0"), UnknownType),
    ];
    for (marked, kind) in cases {
        let (before, _) = marked.split_once('^').unwrap();
        let line = before.split('\n').count() as u32;
        let column = before.rsplit('\n').next().unwrap().len() as u32 + 1;
        let text = marked.replace('^', "");
        assert_eq!(parse_program(&text).err(), Some(ParseError { line, column, kind: *kind }), "{text}");
    }
    let head = "define internal @f() -> void {\n v0: i8 = 256 block0: ret }";
    assert_eq!(parse_program(head).unwrap_err().to_string(), "2:11: number out of range");
}

/// Bytes and tokens of the sample are deleted, doubled, exchanged and replaced.
#[test]
fn damaged_text_never_panics() {
    let mut state = 0x1234_5678_9abc_def1_u64;
    let mut next = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    const BITS: &[&str] =
        &["v1", "block1", "@g1", "}", "{", ":", "i32", "=", "4294967295", "[", "sig0", "\"", "-", "@", "\\"];
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..6000 {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        for _ in 0..1 + next(3) {
            let at = next(bytes.len());
            match next(5) {
                0 => bytes[at] = next(256) as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.truncate(at.max(1)),
                3 => {
                    let end = (at + 1 + next(40)).min(bytes.len());
                    let piece = bytes[at..end].to_vec();
                    let to = next(bytes.len());
                    bytes.splice(to..to, piece);
                }
                _ => {
                    let piece = BITS[next(BITS.len())].bytes();
                    bytes.splice(at..at, piece);
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        match parse_program(&text) {
            Ok(program) => {
                accepted += 1;
                let printed = print(&program);
                let again =
                    parse_program(&printed).unwrap_or_else(|e| panic!("round {round}: {e}\n{printed}"));
                assert_eq!(print(&again), printed, "round {round}");
            }
            Err(error) => {
                refused += 1;
                assert!(
                    error.line >= 1 && error.line as usize <= text.lines().count() + 1 && error.column >= 1
                );
            }
        }
    }
    assert!(accepted > 100 && refused > 1000, "{accepted} {refused}");
}

/// One of everything that only native modules have.
const NATIVE: &str = "\
target pointer i64 native
comdat0 = \"pick\"
comdat1 = all \"keep\"

sig0 = (i64) -> i64
sig1 = (i64, i64 byval 24 align 8, i64 pair, i64, i64 nest, i32 inreg) -> i64, f64
sig2 = (i64) -> i32 variadic
sig3 = (i64) -> void
sig4 = (i64 sret) -> void
sig5 = (i64) -> i32 variadic
sig6 = (i64 sret.inreg) -> void

global external declared hidden local @environ
global weak thread_local section \".tdata.x\" comdat0 @counter align 8 = zero 8
global external alias protected @middle = addr @table + 4
constant private @table align 4 = relative @both - 4, relative @counter

declare weak noreturn @gone(i64) -> i64
intrinsic external @llvm.va_start.p0(i64) -> void as va.start
define linkonce comdat1 returns_twice frame_pointer uwtable_sync align 32 @both(v0: i64, v1: i64, v2: i64, v3: i64, v4: i64, v5: i32) -> i64: sig1 {
  v6: i64 = @both
  v7: i64 = @gone
block0:
  v8: i64 = call_as sig1(v6, v0, v1, v2, v3, v4, v5)
  v9: f64 = second v8
  v10: i32 = tail call_as sig2(v7, v0, v9)
  v11: i32 = call_as sig5(v7, v0, v9, v1)
  v12: i64 = call_as sig0(v7, v0) live(v1, v5)
  v13: i64 = call @gone(v0) live()
  call @llvm.va_start.p0(v0)
  asm \"pause\\0anop # \\22\", \"~{memory}\"()
  v14: i32 = asm returns_twice instruction intel \"mul $2\", \"={eax},={edx},r,0\"(v5, v5)
  v15: i32 = output v14, 1
  asm \"jc ${2:l}\", \"=r,=r,!i,r\"(v0) to block1, block2
block1:
  v16: i32 = invoke_result
  v17: i32 = output v16, 1
  ret v8, v9
block2:
  v18: i32 = invoke_result
  v19: i32 = output v18, 1
  ret v8, v9
}
alias external hidden @other(i64) -> i64 = @gone
indirect external local @resolved(i64) -> i64 = @both
";

/// What modules ask for against attacks, as the writer prints it: by a variable, and by a word of a segment.
const HARDENED: [&str; 2] = [
    "\
target pointer i32 native
sig0 = () -> void
sig1 = (i32) -> i32 untracked
sig2 = (i32) -> i32
global external declared @number align 4
declare external noreturn nounwind @fail() -> void
define external signature_words 3238382334 4294967295 @g(v0: i32) -> i32 {
block0:
  ret v0
}
define external landing protect_buffers type_word 4294967295 @f(v0: i32) -> i32 {
block0:
  v1: i32 = alloca v0, align 16, buffer
  v2: i32 = alloca v0, align 16
  v3: i32 = alloca v0, align 16, temporary
  v4: i32 = call_as sig1(v1, v2)
  ret v3
}
harden branches
harden returns
harden calls
harden stack @fail by @number
",
    "\
target pointer i64 native executable
sig0 = (i32, i32) -> i64
sig1 = () -> void
intrinsic external @word(i32, i32) -> i64 as segment.word
declare external @fail() -> void
define external protect_strong @f() -> void {
block0:
  ret
}
define external protect @g() -> void {
block0:
  ret
}
harden stack @fail by @word(gs, -20)
",
];

#[test]
fn native_words_survive_a_round_trip_and_are_valid() {
    for text in HARDENED {
        check_round_trip(text);
    }
    check_round_trip(NATIVE);
}

fn check_round_trip(native: &str) {
    let program = parse_program(native).unwrap();
    let mut text = String::new();
    write_program(&program, &mut text).unwrap();
    let plain = |text: &str| text.split('\n').filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(plain(&text), plain(native));
    ice_ir::verify_program(&program, ice_ir::Rules::Ice).unwrap();
    assert!(ice_ir::verify_program(&program, ice_ir::Rules::Pnacl).is_err());
}

/// Exceptions, as the writer prints them.
const EXCEPTIONS: &str = "\
target pointer i64 native

sig0 = (i64) -> i64, i64

global external @type = zero 8

declare external @routine() -> void
define external @f(v0: i64) -> i64 {
  personality @routine (@type, any)
block0:
  invoke_as sig0(v0, v0) -> i64 to block1 unwind block3
block1:
  v1: i64 = invoke_result
  v2: i64 = second v1
  invoke @f(v2) -> i64 to block2 unwind block4 at 7
block2:
  v3: i64 = invoke_result
  ret v3
block3:
  v4: i64 = landing_pad cleanup catch 1 filter (2, 1) filter ()
  v5: i32 = second v4
  invoke_indirect v4() -> void to block5 unwind block6
block4:
  v6: i64 = landing_pad catch 2
  ret v6
block5:
  unreachable
block6:
  v7: i64 = landing_pad cleanup
  ret v7
}
";

#[test]
fn exceptions_survive_a_round_trip_and_are_valid() {
    let program = parse_program(EXCEPTIONS).unwrap();
    ice_ir::verify_program(&program, ice_ir::Rules::Ice).unwrap();
    let body = |text: &str| text[text.find("  personality").expect("the line")..].trim_end().to_owned();
    let printed = print(&program);
    assert_eq!(body(&printed), body(EXCEPTIONS));
    assert_eq!(print(&parse_program(&printed).unwrap()), printed);
    for (from, to) in [("to block1", "block1"), ("unwind block4", ""), ("catch 2", "catch"), ("(2, 1)", "2")]
    {
        assert!(parse_program(&EXCEPTIONS.replace(from, to)).is_err(), "{from}");
    }
}

#[test]
fn a_second_result_belongs_to_the_call_before_it() {
    for (from, to) in [
        ("v9: f64 = second v8", "v9: i64 = second v8"),
        ("v9: f64 = second v8", "v9: f64 = second v0"),
        ("ret v8, v9", "ret v8"),
        ("ret v8, v9", "ret v9, v8"),
        ("call_as sig2(v7, v0, v9)", "call_as sig0(v7, v0, v9)"),
        ("call_as sig2(v7, v0, v9)", "call_as sig2(v7)"),
    ] {
        assert!(NATIVE.contains(from));
        let program = parse_program(&NATIVE.replace(from, to)).unwrap();
        assert!(ice_ir::verify_program(&program, ice_ir::Rules::Ice).is_err(), "{to}");
    }
}
