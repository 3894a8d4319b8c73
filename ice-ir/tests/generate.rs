//! Generated programs: the same for the same seed, accepted by the verifier, read back from text.

use ice_ir::generate::{Entry, Options, ReturnCalls, UndefinedResults, generate_program};
use ice_ir::{InstData, Program, Rules, Type, intrinsics, parse_program, verify_program, write_program};
use std::collections::BTreeSet;

fn print(program: &Program) -> String {
    let mut text = String::new();
    write_program(program, &mut text).unwrap();
    text
}

fn options(seed: u64) -> Options {
    Options {
        functions: (seed % 7) as u32,
        statements: 5 + (seed % 90) as u32,
        entry: if seed.is_multiple_of(3) { Entry::Functions } else { Entry::Start },
        undefined: if seed.is_multiple_of(5) { UndefinedResults::Allow } else { UndefinedResults::Avoid },
        return_calls: if seed.is_multiple_of(4) { ReturnCalls::Allow } else { ReturnCalls::Avoid },
    }
}

#[test]
fn generated_programs_are_valid_and_read_back() {
    for seed in 0..300 {
        let options = options(seed);
        let program = generate_program(seed, &options);
        let is_stable = options.entry == Entry::Start && options.return_calls == ReturnCalls::Avoid;
        let rules = if is_stable { Rules::Pnacl } else { Rules::Ice };
        let text = print(&program);
        if let Err(errors) = verify_program(&program, rules) {
            panic!("seed {seed}: {}\n{text}", errors[0]);
        }
        let again = parse_program(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        assert_eq!(print(&again), text, "seed {seed}");
        // Where names stand in their pool is all that may differ.
        let (a, b) = (&again.module, &program.module);
        assert!(a.types == b.types && a.signatures == b.signatures && a.symbol_order == b.symbol_order);
        assert!(a.initializers == b.initializers && a.data == b.data, "seed {seed}");
        for (a, b) in program.bodies.iter().zip(&again.bodies) {
            assert_eq!(a.num_values(), b.num_values());
            assert_eq!(a.constants(), b.constants());
        }
        assert!(verify_program(&again, rules).is_ok(), "seed {seed}");
        assert_eq!(print(&generate_program(seed, &options)), text, "seed {seed}");
    }
}

/// What the generator says it covers, it does cover.
#[test]
fn generated_programs_use_everything() {
    let (mut words, mut intrinsics_used) = (BTreeSet::new(), BTreeSet::new());
    for seed in 0..200 {
        let program =
            generate_program(seed, &Options { undefined: UndefinedResults::Avoid, ..options(seed) });
        for func in &program.bodies {
            for inst in func.blocks().flat_map(|block| func.block_insts(block)) {
                let ty = func.result(inst).map_or(Type::Void, |v| func.value_type(v));
                words.insert(match *func.inst(inst) {
                    InstData::Binary { op, .. } => format!("{op} {ty}"),
                    InstData::Cast { op, arg } => format!("{op} {} {ty}", func.value_type(arg)),
                    InstData::Icmp { cond, .. } => format!("icmp {cond} {ty}"),
                    InstData::Fcmp { cond, .. } => format!("fcmp {cond} {ty}"),
                    InstData::Phi { .. } => format!("phi {ty}"),
                    InstData::CallIndirect { .. } => "call_indirect".into(),
                    InstData::ReturnCall { .. } => "return_call".into(),
                    InstData::ReturnCallIndirect { .. } => "return_call_indirect".into(),
                    InstData::Switch { value, .. } => format!("switch {}", func.value_type(value)),
                    InstData::Load { align_log2, .. } => format!("load {ty} {align_log2}"),
                    InstData::CallIntrinsic { callee, .. } => {
                        intrinsics_used.insert(callee.as_u32() as usize);
                        continue;
                    }
                    _ => continue,
                });
            }
        }
        assert!(program.bodies.iter().all(|f| {
            f.constants()
                .iter()
                .all(|&v| f.value_def(v) != ice_ir::ValueDef::Undef || f.value_type(v).is_vector())
        }));
    }
    let unused = intrinsics::DECLARATIONS.iter().enumerate();
    let unused: Vec<_> = unused.filter(|(i, _)| !intrinsics_used.contains(i)).map(|(_, d)| d.name).collect();
    assert!(unused.is_empty(), "{unused:?} are never called");
    let expected = "add i8,sub i16,mul i64,udiv i32,sdiv v16i8,urem v8i16,srem i64,shl v4i32,lshr i64,ashr i8,\
        and v16i1,or i1,xor v8i1,fadd f32,fdiv v4f32,frem f64,fmul v4f32,fsub f32,trunc v4i32 v4i1,\
        zext v16i1 v16i8,sext i1 i64,fptosi f64 i64,fptoui v4f32 v4i32,uitofp i64 f32,sitofp i8 f64,fpext f32 f64,\
        fptrunc f64 f32,bitcast v16i1 i16,bitcast i8 v8i1,icmp ugt v16i1,fcmp une v4i1,fcmp true i1,phi v4f32,\
        phi i1,phi v8i1,call_indirect,return_call,return_call_indirect,switch i8,switch i64,load f64 3,load f64 0,load v8i16 1,load i64 0";
    for word in expected.split(',') {
        assert!(words.contains(word.trim()), "{word} is never generated");
    }
}
