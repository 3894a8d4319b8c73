//! One program for each rule that breaks exactly that rule.

use ice_ir::{
    FuncId, Function, FunctionBuilder, GlobalId, GuardSource, InstData, Location, Program, Rule, Rules,
    Segment, SigId, Signature, StackGuard, SwitchTable, Symbol, Type, TypeDef, Value, VerifierError,
    parse_program, verify_program,
};
use std::collections::BTreeSet;

const DECLARATIONS: &str = "
    global @g align 4 = zero 16
    intrinsic external @llvm.memcpy.p0i8.p0i8.i32(i32, i32, i32, i32, i1) -> void
    intrinsic external @llvm.nacl.atomic.rmw.i32(i32, i32, i32, i32) -> i32
    intrinsic external @llvm.nacl.atomic.load.i32(i32, i32) -> i32
    intrinsic external @llvm.nacl.atomic.cmpxchg.i32(i32, i32, i32, i32, i32) -> i32
    intrinsic external @llvm.trap() -> void
    define external @_start(v0: i32) -> void { block0: ret }
    define internal @callee(v0: i32) -> i32 { block0: ret v0 }
";

/// The start of a function that computes with vectors of 256 bits.
const NATIVE: &str =
    "define external wide_registers @f(v4: v4i32, v5: v4f32) -> void { v10: i32 = 1 block0: ";

/// A function with a value of every kind around `body`, which must end its last block.
fn with_body(body: &str) -> String {
    format!(
        "{DECLARATIONS} define internal @f(v0: i32, v1: i64, v2: f32, v3: f64, v4: v4i32, v5: v4f32) -> i32 {{
            v10: i32 = 1 v11: i1 = true v12: i32 = 3 v13: i32 = 7 v14: i8 = 5 v15: v4i1 = undef
            v16: i32 = @g v17: i32 = 4 v18: i32 = 6 v19: i32 = 2 {body} }}"
    )
}

fn parse(text: &str) -> Program {
    parse_program(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn broken(program: &Program, rules: Rules) -> BTreeSet<Rule> {
    verify_program(program, rules).err().unwrap_or_default().iter().map(|e| e.rule).collect()
}

enum Scope {
    Both,
    PnaclOnly,
    /// Programs that no rule of PNaCl is asked for.
    IceOnly,
}
use Scope::*;

/// Text after which the rule is broken; a leading `!` stands for a whole program.
const BROKEN: &[(Rule, Scope, &str)] = &[
    (Rule::HasEntry, Both, ""),
    (Rule::Terminated, Both, "block0: v20: i32 = add v0, v0"),
    (Rule::Terminated, Both, "block0: br block1 block1:"),
    (Rule::Terminated, Both, "block0: unreachable ret v0"),
    (Rule::Result, Both, "block0: v20: i32 = call @llvm.trap() ret v0"),
    (Rule::Result, Both, "block0: call @callee(v0) ret v0"),
    (Rule::EntryTarget, Both, "block0: br v11, block1, block0 block1: ret v0"),
    (Rule::EntryTarget, Both, "block0: switch v0, block1 [3: block0] block1: ret v0"),
    (Rule::PhiPosition, Both, "block0: v20: i32 = phi ret v0"),
    (
        Rule::PhiPosition,
        Both,
        "block0: br block1 block1: v20: i32 = add v0, v0 v21: i32 = phi [v0, block0] ret v0",
    ),
    (Rule::AddressType, Both, "v20: i64 = @g block0: ret v0"),
    (Rule::IntrinsicAddress, Both, "v20: i32 = @llvm.trap block0: ret v0"),
    (Rule::BinaryType, Both, "block0: v20: i32 = add v0, v1 ret v0"),
    (Rule::BinaryType, Both, "block0: v20: i64 = add v0, v0 ret v0"),
    (Rule::BinaryType, Both, "block0: v20: f32 = add v2, v2 ret v0"),
    (Rule::BinaryType, Both, "block0: v20: v4i32 = fadd v4, v4 ret v0"),
    (Rule::BoolArithmetic, PnaclOnly, "block0: v20: i1 = add v11, v11 ret v0"),
    (Rule::BoolArithmetic, PnaclOnly, "block0: v20: v4i1 = shl v15, v15 ret v0"),
    (Rule::BoolArithmetic, PnaclOnly, "block0: v20: i1 = icmp eq v11, v11 ret v0"),
    (Rule::CastType, Both, "block0: v20: i64 = trunc v0 ret v0"),
    (Rule::CastType, Both, "block0: v20: i64 = bitcast v2 ret v0"),
    (Rule::CompareType, Both, "block0: v20: i1 = icmp eq v0, v1 ret v0"),
    (Rule::CompareType, Both, "block0: v20: i1 = icmp eq v2, v2 ret v0"),
    (Rule::CompareType, Both, "block0: v20: i1 = fcmp oeq v0, v0 ret v0"),
    (Rule::CompareType, Both, "block0: v20: i1 = icmp eq v4, v4 ret v0"),
    (Rule::SelectType, Both, "block0: v20: i32 = select v0, v0, v0 ret v0"),
    (Rule::SelectType, Both, "block0: v20: i32 = select v11, v0, v1 ret v0"),
    (Rule::SelectType, Both, "block0: v20: i32 = select v15, v0, v0 ret v0"),
    (Rule::LaneType, Both, "block0: v20: i64 = extractelement v4, v10 ret v0"),
    (Rule::LaneType, Both, "block0: v20: i32 = extractelement v0, v10 ret v0"),
    (Rule::LaneType, Both, "block0: v20: v4i32 = insertelement v4, v2, v10 ret v0"),
    (Rule::LaneIndex, Both, "block0: v20: i32 = extractelement v4, v17 ret v0"),
    (Rule::LaneIndex, IceOnly, "!NATIVE v20: v8i32 = join v4, v4 v21: v4i32 = half v20, 2 ret }"),
    (Rule::LaneType, IceOnly, "!NATIVE v20: v8i32 = join v4, v5 ret }"),
    (Rule::LaneType, IceOnly, "!NATIVE v20: v8i32 = join v4, v4 v21: v4f32 = half v20, 0 ret }"),
    (Rule::LaneType, IceOnly, "!NATIVE v20: v8i32 = join v4, v4 v21: i32 = extractelement v20, v10 ret }"),
    (Rule::WideVector, IceOnly, "!define external @f(v4: v4i32) -> void { block0: v20: v8i32 = join v4, v4 ret }"),
    (Rule::WideVector, IceOnly, "!declare external @g(v8i32) -> void NATIVE v20: v8i32 = join v4, v4 call @g(v20) ret }"),
    (Rule::WideVector, IceOnly, "!declare external @g() -> v8i32 NATIVE v20: v8i32 = call @g() ret }"),
    (Rule::WideVector, IceOnly, "!define external wide_registers @f(v4: v8i32) -> void { block0: ret }"),
    (Rule::LaneIndex, Both, "block0: v20: i32 = extractelement v4, v0 ret v0"),
    (Rule::LaneIndex, Both, "v20: i64 = 1 block0: v21: i32 = extractelement v4, v20 ret v0"),
    (Rule::BranchType, Both, "block0: br v0, block1, block1 block1: ret v0"),
    (Rule::SwitchType, Both, "block0: switch v11, block1 [0: block1] block1: ret v0"),
    (Rule::SwitchCases, Both, "block0: switch v0, block1 [7: block1, 8: block1, 7: block1] block1: ret v0"),
    (Rule::ReturnType, Both, "block0: ret v1"),
    (Rule::ReturnType, Both, "block0: ret"),
    (Rule::Assembly, PnaclOnly, "block0: asm \"nop\", \"r,~{cc}\"(v0) ret v0"),
    (Rule::Assembly, Both, "block0: asm \"nop\", \"r\"() ret v0"),
    (Rule::Assembly, Both, "block0: asm \"nop\", \"\"(v0) ret v0"),
    (Rule::Assembly, Both, "block0: asm \"nop\", \"r d\"(v0) ret v0"),
    (Rule::Assembly, Both, "block0: asm \"nop\", \"=r\"() ret v0"),
    (Rule::Assembly, Both, "block0: v20: i32 = asm \"nop\", \"=r,=r\"() ret v0"),
    (Rule::Assembly, Both, "block0: v20: i32 = asm \"nop\", \"=r\"() v21: i32 = output v20, 1 ret v0"),
    (Rule::Assembly, Both, "block0: v20: i32 = asm \"nop\", \"=r,=r\"() v21: i32 = output v20, 2 ret v0"),
    (Rule::Assembly, Both, "block0: v21: i32 = output v0, 1 ret v0"),
    (Rule::ReturnCall, PnaclOnly, "block0: return_call @callee(v0)"),
    (Rule::ReturnCall, PnaclOnly, "v20: i32 = @callee block0: return_call_indirect v20(v0)"),
    (Rule::ReturnCall, Both, "block0: return_call @_start(v0)"),
    (
        Rule::Invoke,
        PnaclOnly,
        "!DECL define internal @f(v0: i32) -> i32 { personality @callee (any) block0: invoke @callee(v0) -> i32 to block1 unwind block2
            block1: v1: i32 = invoke_result ret v1
            block2: v2: i32 = landing_pad cleanup catch 1 filter (1, 1) v3: i32 = second v2 ret v3 }",
    ),
    (Rule::IndirectBranch, PnaclOnly, "block0: v20: i32 = block_address @f, 1 ret v20"),
    (
        Rule::IndirectBranch,
        PnaclOnly,
        "block0: indirect_br v0, block2 [1: block1] block1: ret v0 block2: unreachable",
    ),
    (Rule::Terminated, Both, "block0: return_call @callee(v0) ret v0"),
    (Rule::Dominance, Both, "block0: v20: i32 = add v21, v0 v21: i32 = add v0, v0 ret v0"),
    (Rule::Dominance, Both, "block0: v20: i32 = add v20, v0 ret v0"),
    (
        Rule::Dominance,
        Both,
        "block0: br v11, block1, block2 block1: v20: i32 = add v0, v0 br block2 block2: ret v20",
    ),
    (
        Rule::Dominance,
        Both,
        "block0: br v11, block1, block2 block1: v20: i32 = add v0, v0 br block2
         block2: v21: i32 = phi [v20, block0], [v0, block1] ret v21",
    ),
    (Rule::Dominance, Both, "block0: ret v20 block1: v20: i32 = add v0, v0 ret v0"),
    (Rule::PhiType, Both, "block0: br block1 block1: v20: i64 = phi [v0, block0] ret v0"),
    (Rule::PhiEdges, Both, "block0: br block1 block1: v20: i32 = phi ret v0"),
    (Rule::PhiEdges, Both, "block0: br v11, block1, block1 block1: v20: i32 = phi [v0, block0] ret v0"),
    (
        Rule::PhiEdges,
        Both,
        "block0: br v11, block1, block1 block1: v20: i32 = phi [v0, block0], [v10, block0] ret v0",
    ),
    (
        Rule::PhiEdges,
        Both,
        "block0: br v11, block1, block2 block1: br block2
         block2: v20: i32 = phi [v0, block0], [v0, block0] ret v0",
    ),
    (Rule::PointerOperand, Both, "block0: v20: i32 = load v1, align 1 ret v0"),
    (Rule::PointerOperand, Both, "block0: store v0 to v1, align 1 ret v0"),
    (Rule::PointerOperand, Both, "block0: v20: i64 = alloca v0, align 1 ret v0"),
    (Rule::PointerOperand, Both, "block0: call_indirect v1() ret v0"),
    (Rule::AllocaSize, Both, "block0: v20: i32 = alloca v1, align 1 ret v0"),
    (Rule::MemoryType, PnaclOnly, "block0: v20: i1 = load v0, align 1 ret v0"),
    (Rule::StableType, PnaclOnly, "block0: v20: v2i64 = load v0, align 8 ret v0"),
    (Rule::MemoryType, Both, "block0: store v15 to v0, align 1 ret v0"),
    (Rule::Alignment, PnaclOnly, "block0: v20: i32 = load v0, align 4 ret v0"),
    (Rule::Alignment, PnaclOnly, "block0: store v3 to v0, align 4 ret v0"),
    (Rule::Alignment, Both, "block0: v20: i32 = load v0, align 1073741824 ret v0"),
    (Rule::Alignment, Both, "block0: v20: i32 = alloca v0, align 1073741824 ret v0"),
    (Rule::CallArguments, Both, "block0: v20: i32 = call @callee() ret v0"),
    (Rule::CallArguments, Both, "block0: v20: i32 = call @callee(v1) ret v0"),
    (Rule::CallArguments, Both, "block0: v20: i64 = call @callee(v0) ret v0"),
    (Rule::IndirectSmall, PnaclOnly, "block0: call_indirect v0(v14) ret v0"),
    (Rule::IndirectSmall, PnaclOnly, "block0: v20: i8 = call_indirect v0() ret v0"),
    (
        Rule::AtomicOperation,
        Both,
        "block0: v20: i32 = call @llvm.nacl.atomic.rmw.i32(v13, v0, v0, v18) ret v0",
    ),
    (
        Rule::AtomicOperation,
        Both,
        "block0: v20: i32 = call @llvm.nacl.atomic.rmw.i32(v0, v0, v0, v18) ret v0",
    ),
    (Rule::IntrinsicOperand, PnaclOnly, "block0: v20: i32 = call @llvm.nacl.atomic.load.i32(v0, v17) ret v0"),
    (Rule::IntrinsicOperand, PnaclOnly, "block0: v20: i32 = call @llvm.nacl.atomic.load.i32(v0, v0) ret v0"),
    (
        Rule::IntrinsicOperand,
        PnaclOnly,
        "block0: v20: i32 = call @llvm.nacl.atomic.cmpxchg.i32(v0, v0, v0, v12, v18) ret v0",
    ),
    (
        Rule::IntrinsicOperand,
        PnaclOnly,
        "block0: call @llvm.memcpy.p0i8.p0i8.i32(v0, v0, v0, v17, v11) ret v0",
    ),
    (Rule::PointerType, PnaclOnly, "!target pointer i64 define external @_start() -> void { block0: ret }"),
    (
        Rule::Passing,
        Both,
        "!sig0 = (f64 byval 8 align 8) -> void define external @_start() -> void { block0: ret }",
    ),
    (
        Rule::Passing,
        Both,
        "!sig0 = (i32 byval 64 align 32) -> void win64 define external @_start() -> void { block0: ret }",
    ),
    (
        Rule::Passing,
        Both,
        "!sig0 = (v4f32 pair, v4f32) -> void win64 define external @_start() -> void { block0: ret }",
    ),
    (
        Rule::Passing,
        Both,
        "!sig0 = (i32) -> void variadic preserve_none define external @_start() -> void { block0: ret }",
    ),
    (Rule::SignatureTypes, Both, "!sig0 = (void) -> void define external @_start() -> void { block0: ret }"),
    (Rule::SmallParameter, PnaclOnly, "!define external @_start(v0: i16) -> void { block0: ret }"),
    (Rule::DeclaredFunction, PnaclOnly, "!DECL declare external @puts(i32) -> i32"),
    (Rule::DeclaredFunction, PnaclOnly, "!DECL intrinsic internal @llvm.sqrt.f32(f32) -> f32"),
    (Rule::IntrinsicName, PnaclOnly, "!DECL intrinsic external @llvm.sqrt.f32(f64) -> f32"),
    (Rule::IntrinsicName, PnaclOnly, "!DECL intrinsic external @sqrt(f64) -> f64 as sqrt"),
    (Rule::IntrinsicName, Both, "!DECL intrinsic external @llvm.sqrt.f64(f64, f64) -> f64"),
    (Rule::IntrinsicName, PnaclOnly, "!DECL define internal @llvm.x() -> void { block0: ret }"),
    (Rule::EntryPoint, PnaclOnly, "!define internal @_start() -> void { block0: ret }"),
    (Rule::EntryPoint, PnaclOnly, "!DECL define external @main() -> void { block0: ret }"),
    (Rule::GlobalAlignment, Both, "!DECL global @h align 1073741824 = zero 1"),
    (Rule::GlobalContents, PnaclOnly, "!DECL global @h align 1"),
    (Rule::GlobalContents, PnaclOnly, "!DECL global @h align 1 = bytes \"\""),
    (Rule::GlobalContents, Both, "!DECL global @h align 1 = addr @llvm.trap"),
    (Rule::GlobalContents, Both, "!DECL global @h align 1 = zero 4294967295, zero 1"),
];

/// What no text can say: made by hand. `f` is the last function.
fn broken_by_hand() -> Vec<(Rule, Program)> {
    let base = || parse(&with_body("block0: v20: i32 = add v0, v0 br block1 block1: ret v20"));
    let mut all = Vec::new();
    let mut add = |rule, change: &dyn Fn(&mut Program)| {
        let mut program = base();
        change(&mut program);
        all.push((rule, program));
    };
    let first = |f: &Function| f.layout.first_inst(f.layout.entry().unwrap()).unwrap();
    let last = |f: &Function| f.layout.last_inst(f.layout.entry().unwrap()).unwrap();
    add(Rule::Header, &|p| p.bodies[2].ret = Type::I64);
    add(Rule::Reference, &|p| {
        let inst = first(&p.bodies[2]);
        let InstData::Binary { args, .. } = p.bodies[2].inst_mut(inst) else { unreachable!() };
        args[1] = Value::from_u32(999);
    });
    add(Rule::Reference, &|p| {
        let inst = last(&p.bodies[2]);
        *p.bodies[2].inst_mut(inst) = InstData::Br { target: ice_ir::Block::from_u32(2) };
    });
    add(Rule::Reference, &|p| {
        let body = &mut p.bodies[2];
        let (inst, value) = (last(body), body.params()[0]);
        let default = body.blocks().last().unwrap();
        *body.inst_mut(inst) = InstData::Switch { value, default, table: SwitchTable::from_u32(0) };
    });
    add(Rule::Reference, &|p| {
        let body = &mut p.bodies[2];
        let args = body.make_args(&[]);
        let call = InstData::Call { callee: FuncId::from_u32(99), args, tail: ice_ir::TailHint::None };
        let call = body.make_inst(call, Type::Void);
        let before = last(body);
        body.layout.insert_before(before, call);
    });
    add(Rule::Defined, &|p| {
        let body = &mut p.bodies[2];
        let forward = body.make_forward(Type::I32);
        let inst = first(body);
        let InstData::Binary { args, .. } = body.inst_mut(inst) else { unreachable!() };
        args[1] = forward;
    });
    add(Rule::Defined, &|p| {
        let inst = first(&p.bodies[2]);
        p.bodies[2].layout.remove_inst(inst);
    });
    add(Rule::Constant, &|p| _ = p.bodies[2].make_float(Type::F32, 1 << 32));
    add(Rule::Constant, &|p| _ = p.bodies[2].make_float(Type::I32, 0));
    add(Rule::Constant, &|p| _ = p.bodies[2].make_int(Type::F32, 0));
    add(Rule::Constant, &|p| _ = p.bodies[2].make_zero(Type::I32));
    add(Rule::AddressType, &|p| {
        let nowhere = Symbol::Global(GlobalId::from_u32(77));
        p.bodies[2].make_address(nowhere, Type::I32);
    });
    add(Rule::SwitchCases, &|p| {
        let body = &mut p.bodies[2];
        let table = body.make_switch();
        let default = body.blocks().last().unwrap();
        body.switch_mut(table).cases.push((1 << 31, default));
        let (inst, value) = (last(body), body.params()[0]);
        *body.inst_mut(inst) = InstData::Switch { value, default, table };
    });
    add(Rule::CallKind, &|p| {
        let callee = p.module.function_by_name(b"llvm.trap").unwrap();
        let body = &mut p.bodies[2];
        let args = body.make_args(&[]);
        let call = InstData::Call { callee, args, tail: ice_ir::TailHint::None };
        let call = body.make_inst(call, Type::Void);
        let before = last(body);
        body.layout.insert_before(before, call);
    });
    add(Rule::TypeTable, &|p| p.module.types.push(TypeDef::Function(SigId::from_u32(50))));
    add(Rule::SymbolNames, &|p| {
        let symbol = Symbol::Global(GlobalId::from_u32(0));
        p.module.symbol_order.push(symbol);
    });
    add(Rule::SymbolNames, &|p| {
        p.module.symbol_order.clear();
        p.module.set_symbol_name(Symbol::Global(GlobalId::from_u32(0)), *b"callee");
    });
    add(Rule::GlobalContents, &|p| p.module.globals[GlobalId::from_u32(0)].initializers = 5..6);
    let guard = |source, fail| Some(StackGuard { source, fail });
    let variable = GuardSource::Variable(GlobalId::from_u32(0));
    add(Rule::StackGuard, &|p| p.module.hardening.stack_guard = guard(variable, FuncId::from_u32(99)));
    add(Rule::StackGuard, &|p| {
        // It takes something, or it is an intrinsic.
        p.module.hardening.stack_guard = guard(variable, p.bodies[2].id);
    });
    add(Rule::StackGuard, &|p| {
        let read = p.bodies[2].id;
        let source = GuardSource::Segment { read, segment: Segment::Fs, offset: 40 };
        p.module.hardening.stack_guard = guard(source, read);
    });
    add(Rule::Bodies, &|p| drop(p.bodies.pop()));
    add(Rule::Bodies, &|p| p.bodies.swap(0, 1));
    all
}

#[test]
fn every_rule_can_be_broken_alone() {
    let fine = parse(&with_body("block0: ret v0"));
    assert!(broken(&fine, Rules::Pnacl).is_empty() && broken(&fine, Rules::Ice).is_empty());
    let mut seen = BTreeSet::new();
    for (rule, scope, text) in BROKEN {
        let text = match text.strip_prefix('!') {
            Some(whole) => whole.replace("DECL", DECLARATIONS).replace("NATIVE", NATIVE),
            None => with_body(text),
        };
        let program = parse(&text);
        let only = BTreeSet::from([*rule]);
        if !matches!(scope, IceOnly) {
            assert_eq!(broken(&program, Rules::Pnacl), only, "{text}");
        }
        let relaxed = if matches!(scope, Both | IceOnly) { only } else { BTreeSet::new() };
        assert_eq!(broken(&program, Rules::Ice), relaxed, "{text}");
        seen.insert(*rule);
    }
    for (rule, program) in broken_by_hand() {
        for rules in [Rules::Pnacl, Rules::Ice] {
            assert_eq!(broken(&program, rules), BTreeSet::from([rule]), "{:?}", program.bodies);
        }
        seen.insert(rule);
    }
    let missing: Vec<_> = Rule::ALL.iter().filter(|rule| !seen.contains(rule)).collect();
    assert!(missing.is_empty(), "no program breaks {missing:?}");
    let labels: BTreeSet<_> = Rule::ALL.iter().map(|rule| rule.label()).collect();
    assert_eq!(labels.len(), Rule::ALL.len());
}

/// Calls with live values, which the stable format has not.
#[test]
fn live_values_are_behind_the_arguments_of_a_signature() {
    let signatures = "sig0 = (i32) -> i32 sig1 = (i32) -> i32 variadic";
    let end = "ret v0";
    let check = |call: &str| {
        let program =
            parse(&format!("{signatures} {}", with_body(&format!("block0: v20: i32 = {call} {end}"))));
        [Rules::Ice, Rules::Pnacl].map(|rules| broken(&program, rules))
    };
    for call in
        ["call @callee(v0) live(v1, v5)", "call_as sig0(v16, v0) live()", "call_as sig0(v16, v0) live(v16)"]
    {
        let [ice, pnacl] = check(call);
        assert!(ice.is_empty() && pnacl.contains(&Rule::CallKind), "{call}: {ice:?} {pnacl:?}");
    }
    for (rule, call) in [
        (Rule::CallArguments, "call @callee() live(v1)"),
        (Rule::CallArguments, "call @callee(v1) live(v0)"),
        (Rule::CallArguments, "call_as sig1(v16, v0) live(v0)"),
        (Rule::CallKind, "call_indirect v16(v0) live(v0)"),
    ] {
        assert!(check(call)[0].contains(&rule), "{call}");
    }
}

/// Statements of assembly that jump, and what comes out of them.
#[test]
fn statements_that_jump_lead_to_blocks_of_their_own() {
    let function = |body: &str| {
        parse(&format!("{DECLARATIONS} define internal @f(v0: i32, v9: i64) -> i32 {{ {body} }}"))
    };
    let whole = "v4: i1 = true
        block0: asm \"jc ${2:l}\", \"=r,=r,!i,r\"(v0) to block1, block2
        block1: v1: i32 = invoke_result v2: i64 = output v1, 1 br v4, block3, block4
        block2: v3: i32 = invoke_result v5: i64 = output v3, 1 br block3
        block3: v6: i32 = phi [v1, block1], [v3, block2] ret v6
        block4: asm \"jmp ${0:l}\", \"!i,!i\"() to block5, block6, block7
        block5: ret v1 block6: ret v0 block7: unreachable";
    let parsed = function(whole);
    assert_eq!(broken(&parsed, Rules::Ice), BTreeSet::new());
    let cases = [
        ("(v0) to", "() to"),
        ("to block1, block2", "to block1"),
        ("to block5, block6, block7", "to block5, block6"),
        ("to block5, block6, block7", "to block5, block6, block6"),
        ("br v4, block3, block4", "br v4, block2, block4"),
        ("v2: i64 = output v1, 1 br", "br"),
        ("v2: i64 = output v1, 1", "v2: i64 = output v1, 2"),
        ("v5: i64 = output v3, 1", "v5: i32 = output v3, 1"),
        ("v1: i32 = invoke_result", "v1: i64 = invoke_result"),
        ("(v0) to block1, block2", "(v0) to block1, block2, block8"),
    ];
    for (from, to) in cases {
        let text =
            whole.replacen(from, to, 1).replace("block7: unreachable", "block7: unreachable block8: ret v0");
        let found = broken(&function(&text), Rules::Ice);
        assert!(found.contains(&Rule::Assembly), "{to}: {found:?}");
    }
    assert!(broken(&parsed, Rules::Pnacl).contains(&Rule::Assembly));
    let late = whole.replace("block6: ret v0", "block6: v7: i32 = invoke_result ret v7");
    assert!(!broken(&function(&late), Rules::Ice).is_empty());
    let dead = whole.replace("block2: v3: i32 = invoke_result", "block2: v3: i32 = add v1, v1");
    assert!(broken(&function(&dead), Rules::Ice).contains(&Rule::Dominance));
}

/// Invokes, what comes out of them, and pads.
#[test]
fn invokes_lead_to_blocks_of_their_own() {
    let function = |body: &str| {
        parse(&format!(
            "{DECLARATIONS} define internal @f(v0: i32, v9: i64) -> i32 {{ personality @callee (@g, any) {body} }}"
        ))
    };
    let whole = "v4: i1 = true v8: i32 = @callee
        block0: invoke @callee(v0) -> i32 to block1 unwind block2
        block1: v1: i32 = invoke_result br v4, block3, block4
        block2: v2: i32 = landing_pad catch 1 filter () v3: i32 = second v2 br block3
        block3: v5: i32 = phi [v1, block1], [v3, block2] ret v5
        block4: invoke_indirect v8(v1) -> void to block5 unwind block6
        block5: ret v1
        block6: v6: i32 = landing_pad cleanup ret v6";
    assert_eq!(broken(&function(whole), Rules::Ice), BTreeSet::new());
    let cases = [
        (Rule::CallArguments, "@callee(v0) -> i32", "@callee(v9) -> i32"),
        (Rule::PointerOperand, "invoke_indirect v8", "invoke_indirect v9"),
        // Another way into a pad or a normal block; the same block twice.
        (Rule::Invoke, "br v4, block3, block4", "br v4, block2, block4"),
        (Rule::Invoke, "br v4, block3, block4", "br v4, block5, block4"),
        (Rule::Invoke, "to block5 unwind block6", "to block6 unwind block6"),
        (Rule::EntryTarget, "unwind block6", "unwind block0"),
        // Results and pads elsewhere, or missing.
        (Rule::Invoke, "block5: ret v1", "block5: v7: i32 = invoke_result ret v1"),
        (Rule::Invoke, "v1: i32 = invoke_result br", "v1: i32 = add v0, v0 br"),
        (Rule::Invoke, "v6: i32 = landing_pad cleanup", "v6: i32 = add v0, v0"),
        (Rule::Invoke, "ret v5", "v7: i32 = landing_pad cleanup ret v5"),
        (Rule::Invoke, "catch 1", "catch 3"),
        (Rule::Invoke, "catch 1", "catch 0"),
        (Rule::Invoke, "filter ()", "filter (1, 9)"),
        // The result is not there when the call has failed.
        (Rule::Dominance, "[v3, block2]", "[v1, block2]"),
        (Rule::Dominance, "landing_pad cleanup ret v6", "landing_pad cleanup ret v3"),
        (Rule::CallKind, "v3: i32 = second v2 br", "v3: i32 = add v2, v2 v7: i32 = second v3 br"),
    ];
    for (rule, from, to) in cases {
        let text = whole.replacen(from, to, 1);
        assert_ne!(text, whole, "{from}");
        assert!(broken(&function(&text), Rules::Ice).contains(&rule), "{to}");
    }
    let without = function(whole);
    let mut program = without;
    program.bodies.last_mut().expect("a body").exceptions.personality = None;
    assert_eq!(broken(&program, Rules::Ice), BTreeSet::from([Rule::Invoke]));
}

/// Branches to addresses, and the addresses themselves.
#[test]
fn branches_to_addresses_lead_to_blocks_of_their_own() {
    let function = |body: &str| {
        parse(&format!(
            "{DECLARATIONS} constant private @label = block @f, 1 constant private @other = block @callee, 1
            constant internal @data = distance 4, @label, @label
            define internal @f(v0: i32, v9: i64) -> i32 {{ v4: i1 = true {body} }}"
        ))
    };
    let whole = "block0: v1: i32 = block_address @f, 1 br v4, block1, block2
        block1: indirect_br v1, block5 [1: block3, 2: block4]
        block2: br block4x
        block3: v5: i32 = phi [v0, block1] ret v5
        block4: ret v1
        block5: unreachable block6: ret v0"
        .replace("block4x", "block6");
    assert_eq!(broken(&function(&whole), Rules::Ice), BTreeSet::new());
    let cases = [
        (Rule::IndirectBranch, "indirect_br v1", "indirect_br v9"),
        // Another way to a case; the same block twice; a default that something happens in.
        (Rule::IndirectBranch, "block2: br block6", "block2: br block4"),
        (Rule::IndirectBranch, "2: block4", "2: block3"),
        (Rule::IndirectBranch, "block5: unreachable", "block5: ret v0"),
        // A second one.
        (Rule::IndirectBranch, "block2: br block6", "block2: indirect_br v1, block5 [3: block6]"),
        (Rule::IndirectBranch, "v1: i32 = block_address", "v1: i64 = block_address"),
        (Rule::SwitchCases, "2: block4", "1: block4"),
        (Rule::SwitchCases, "2: block4", "-1: block4"),
    ];
    for (rule, from, to) in cases {
        let text = whole.replacen(from, to, 1);
        assert_ne!(text, whole, "{from}");
        assert!(broken(&function(&text), Rules::Ice).contains(&rule), "{to}");
    }
    let data = |from, to| {
        let program = format!(
            "{DECLARATIONS} constant private @label = block @f, 1 constant private @other = block @callee, 1
            constant internal @data = distance 4, @label, @label
            define internal @f(v0: i32, v9: i64) -> i32 {{ block0: ret v0 }}
            indirect internal @found() -> void = @f"
        );
        broken(&parse(&program.replacen(from, to, 1)), Rules::Ice)
    };
    assert_eq!(data("", ""), BTreeSet::new());
    for (from, to) in [
        ("@label, @label", "@label, @other"),
        ("@label, @label", "@label, @data"),
        ("constant private @label", "constant external @label"),
        ("void = @f", "void = @llvm.trap"),
        ("void = @f", "void = @found"),
        ("void = @f", "void = @data"),
    ] {
        assert_eq!(data(from, to), BTreeSet::from([Rule::GlobalContents]), "{to}");
    }
}

/// Calls in place of returns, which the stable format has not at all.
#[test]
fn calls_in_place_of_returns_are_checked_as_calls_and_as_returns() {
    let later = "block0: br v11, block1, block2 block1: v20: i32 = add v0, v0 br block2 block2: return_call @callee(v20)";
    let cases = [
        (Rule::CallArguments, "block0: return_call @callee(v1)"),
        (Rule::CallArguments, "block0: return_call @callee()"),
        (Rule::CallArguments, "block0: return_call_as sig0(v16)"),
        (Rule::PointerOperand, "block0: return_call_indirect v1(v0)"),
        (Rule::ReturnCall, "block0: return_call_as sig1(v16, v0)"),
        (Rule::ReturnCall, "block0: return_call_as sig2(v16, v0)"),
        (Rule::ReturnCall, "block0: return_call_as sig3(v16, v0)"),
        (Rule::ReturnCall, "block0: return_call_as sig4(v16, v0)"),
        (Rule::Dominance, later),
    ];
    let signatures =
        "sig0 = (i32) -> i32 sig1 = (i32) -> i64 sig2 = (i32) -> i32, i32 sig3 = (i32 sret) -> void
        sig4 = (i32) -> i32 preserve_none";
    for (rule, body) in cases {
        let program = parse(&format!("{signatures} {}", with_body(body)));
        assert_eq!(broken(&program, Rules::Ice), BTreeSet::from([rule]), "{body}");
    }
    let fine = [
        "block0: return_call @callee(v0)",
        "block0: return_call_as sig0(v16, v0)",
        "block0: return_call_indirect v16()",
    ];
    for body in fine {
        assert_eq!(
            broken(&parse(&format!("{signatures} {}", with_body(body))), Rules::Ice),
            BTreeSet::new(),
            "{body}"
        );
    }
    // The memory for a result is that of the function.
    let of_memory = |arg| {
        parse(&format!(
            "sig0 = (i32 sret, i32) -> void
            define internal @to(v0: i32, v1: i32) -> void: sig0 {{ block0: return_call @to(v{arg}, v1) }}"
        ))
    };
    assert_eq!(broken(&of_memory(0), Rules::Ice), BTreeSet::new());
    assert_eq!(broken(&of_memory(1), Rules::Ice), BTreeSet::from([Rule::ReturnCall]));
}

/// In a variadic function the callee has the parameters of the function, and gets no arguments but these.
#[test]
fn variable_arguments_are_handed_on_to_the_same_parameters() {
    let with = |body: &str| {
        parse(&format!(
            "target pointer i32 native
            sig0 = (i32, i32) -> i32 variadic sig1 = (i32, i32) -> i32 sig2 = (i32) -> i32 variadic
            sig3 = (i32, i32 byval 4 align 4) -> i32 variadic
            define internal @f(v0: i32, v1: i32) -> i32: sig0 {{ {body} }}"
        ))
    };
    assert_eq!(broken(&with("block0: return_call_as sig0(v1, v1, v0)"), Rules::Ice), BTreeSet::new());
    for body in [
        "block0: return_call_as sig0(v1, v1, v0, v0)",
        "block0: return_call_as sig1(v1, v1, v0)",
        "block0: return_call_as sig2(v1, v1)",
        "block0: return_call_as sig3(v1, v1, v0)",
        "block0: return_call_indirect v1(v1, v0)",
    ] {
        assert_eq!(broken(&with(body), Rules::Ice), BTreeSet::from([Rule::ReturnCall]), "{body}");
    }
}

#[test]
fn errors_say_where() {
    let program = parse(&with_body("block0: br block1 block1: v20: i32 = add v0, v1 ret v0"));
    let errors = verify_program(&program, Rules::Pnacl).unwrap_err();
    let function = program.module.function_by_name(b"f").unwrap();
    let body = program.bodies.last().unwrap();
    let block = body.blocks().last().unwrap();
    let inst = body.layout.first_inst(block).unwrap();
    assert_eq!(
        errors,
        [VerifierError { rule: Rule::BinaryType, place: Location::Inst(function, block, inst) }]
    );
    assert!(errors[0].to_string().starts_with("func7, block1, inst1: binary-type: "));
}

#[test]
fn uses_in_unreachable_blocks_are_exempt() {
    let text = with_body(
        "block0: ret v0 block1: v20: i32 = add v21, v22 br block2 block2: v21: i32 = add v20, v20 v22: i32 = add v21, v21 ret v22",
    );
    assert!(broken(&parse(&text), Rules::Pnacl).is_empty());
}

/// A switch to many blocks, each with a phi: edges must not be counted by searching the cases.
#[test]
fn large_switches_take_no_quadratic_time() {
    const N: i64 = 50_000;
    let signature = Signature::new(vec![Type::I32], Type::I32);
    let mut func = Function::new();
    let mut b = FunctionBuilder::new(&mut func);
    b.begin(FuncId::from_u32(0), &signature);
    let entry = b.create_block();
    b.switch_to_block(entry);
    let x = b.func.params()[0];
    let blocks: Vec<_> = (0..N).map(|_| b.create_block()).collect();
    let table = b.switch(x, blocks[0]);
    b.func.switch_mut(table).cases = blocks.iter().enumerate().skip(1).map(|(i, &b)| (i as i64, b)).collect();
    for &block in &blocks {
        b.switch_to_block(block);
        let phi = b.phi(Type::I32, &[(x, entry)]);
        b.ret(Some(phi));
    }
    let mut program = parse("define internal @f(v0: i32) -> i32 { block0: ret v0 }");
    program.bodies[0] = func;
    assert!(verify_program(&program, Rules::Ice).is_ok());
}
