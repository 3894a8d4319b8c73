//! Branches, phis, calls, limits, setjmp, and programs that are wrong.

use ice_interpreter::{Interpreter, Limits, Scalar, TrapKind};
use ice_ir::{
    BinaryOp, Block, CastOp, FuncId, FunctionKind, Initializer, IntCond, Mutability, TailHint, Type, Value,
};

use super::fixture::{
    Builder, Fixture, LIMITS, function_address, global_address, i32c, intrinsic, run, single,
};

/// Function 0.
fn first() -> FuncId {
    FuncId::from_u32(0)
}

fn value(result: Option<Scalar>) -> i32 {
    result.unwrap().bits as i32
}

/// A loop that runs `count` times over two values and exchanges them each time.
fn swap_loop(b: &mut Builder<'_>, count: Value) -> (Value, Value) {
    let entry = b.current_block().unwrap();
    let (head, exit) = (b.create_block(), b.create_block());
    let (zero, one, two, ten) = (i32c(b, 0), i32c(b, 1), i32c(b, 2), i32c(b, 10));
    b.br(head);
    b.switch_to_block(head);
    let next = b.func.make_forward(Type::I32);
    let y = b.func.make_forward(Type::I32);
    let i = b.phi(Type::I32, &[(zero, entry), (next, head)]);
    let x = b.phi(Type::I32, &[(two, entry), (y, head)]);
    b.define_next_as(y);
    b.phi(Type::I32, &[(ten, entry), (x, head)]);
    b.define_next_as(next);
    b.binary(BinaryOp::Add, i, one);
    let more = b.icmp(IntCond::Ult, next, count);
    b.cond_br(more, head, exit);
    b.switch_to_block(exit);
    (x, y)
}

#[test]
fn phis_read_before_they_write() {
    let program = single(&[Type::I32], Type::I32, |b, p| {
        let (x, y) = swap_loop(b, p[0]);
        let hundred = i32c(b, 100);
        let x = b.binary(BinaryOp::Mul, x, hundred);
        let r = b.binary(BinaryOp::Add, x, y);
        b.ret(Some(r));
    });
    for (count, want) in [(1, 210), (2, 1002), (3, 210), (1000, 1002)] {
        assert_eq!(value(run(&program, &[Scalar::i32(count)]).unwrap().value), want, "{count}");
    }
}

#[test]
fn switches() {
    for ty in [Type::I8, Type::I16, Type::I32, Type::I64] {
        let program = single(&[ty], Type::I32, |b, p| {
            let blocks: Vec<Block> = (0..3).map(|_| b.create_block()).collect();
            let join = b.create_block();
            let entry = b.current_block().unwrap();
            let table = b.switch(p[0], blocks[0]);
            let cases = [(-1, blocks[1]), (0, blocks[2]), (5, join), (7, join), (100, blocks[1])];
            b.func.switch_mut(table).cases.extend(cases);
            let mut incoming = Vec::new();
            for (i, &block) in blocks.iter().enumerate() {
                b.switch_to_block(block);
                incoming.push((i32c(b, 10 + i as i64), block));
                b.br(join);
            }
            b.switch_to_block(join);
            let direct = i32c(b, 99);
            incoming.extend([(direct, entry), (direct, entry)]);
            let r = b.phi(Type::I32, &incoming);
            b.ret(Some(r));
        });
        for (n, want) in [(-1i64, 11), (0, 12), (5, 99), (7, 99), (100, 11), (1, 10), (-2, 10)] {
            let got = run(&program, &[Scalar::new(ty, n as u128)]).unwrap();
            assert_eq!(value(got.value), want, "{ty} {n}");
        }
    }
}

fn factorial() -> Fixture {
    let mut fx = Fixture::default();
    let f = fx.declare("factorial", &[Type::I64], Type::I64, FunctionKind::Defined);
    fx.define(f, |b, p| {
        let (stop, go) = (b.create_block(), b.create_block());
        let one = b.int_const(Type::I64, 1);
        let small = b.icmp(IntCond::Ule, p[0], one);
        b.cond_br(small, stop, go);
        b.switch_to_block(stop);
        b.ret(Some(one));
        b.switch_to_block(go);
        let less = b.binary(BinaryOp::Sub, p[0], one);
        let rest = b.call(f, &[less], Type::I64, TailHint::None).unwrap();
        let r = b.binary(BinaryOp::Mul, p[0], rest);
        b.ret(Some(r));
    });
    fx
}

#[test]
fn recursion_and_its_limit() {
    let program = factorial().finish();
    let mut it = Interpreter::with_limits(&program, LIMITS).unwrap();
    let got = it.call(first(), &[Scalar::i64(20)]).unwrap();
    assert_eq!(got.value, Some(Scalar::i64((1..=20).product())));
    assert!(it.call(first(), &[Scalar::i64(1000)]).is_ok());
    assert_eq!(it.call(first(), &[Scalar::i64(1001)]).unwrap_err().kind, TrapKind::CallDepth);
    let deep = Limits { call_depth: u32::MAX, steps: u64::MAX, ..LIMITS };
    let mut it = Interpreter::with_limits(&program, deep).unwrap();
    assert!(it.call(first(), &[Scalar::i64(500_000)]).is_ok(), "no recursion of the host");
    assert_eq!(it.call(first(), &[Scalar::i64(1 << 40)]).unwrap_err().kind, TrapKind::CallDepth);
    assert!(it.call(first(), &[Scalar::i64(3)]).is_ok(), "usable after a trap");
}

#[test]
fn steps_run_out() {
    let program = single(&[], Type::Void, |b, _| {
        let body = b.create_block();
        b.br(body);
        b.switch_to_block(body);
        b.br(body);
    });
    assert_eq!(run(&program, &[]).unwrap_err().kind, TrapKind::OutOfSteps);
    let program = factorial().finish();
    let mut it = Interpreter::with_limits(&program, LIMITS).unwrap();
    let steps = it.call(first(), &[Scalar::i64(10)]).unwrap().steps;
    let exact = Limits { steps, ..LIMITS };
    assert!(Interpreter::with_limits(&program, exact).unwrap().call(first(), &[Scalar::i64(10)]).is_ok());
    let less = Limits { steps: steps - 1, ..LIMITS };
    let trap =
        Interpreter::with_limits(&program, less).unwrap().call(first(), &[Scalar::i64(10)]).unwrap_err();
    assert_eq!(trap.kind, TrapKind::OutOfSteps);
}

#[test]
fn indirect_calls_check_address_and_types() {
    let mut fx = Fixture::default();
    let f = fx.declare("f", &[Type::I32, Type::I32], Type::I32, FunctionKind::Defined);
    let twice = fx.function("twice", &[Type::I32], Type::I32, |b, p| {
        let r = b.binary(BinaryOp::Add, p[0], p[0]);
        b.ret(Some(r));
    });
    let other = fx.function("other", &[Type::F32], Type::I32, |b, _| {
        let r = i32c(b, 1);
        b.ret(Some(r));
    });
    let missing = fx.declare("missing", &[Type::I32], Type::I32, FunctionKind::Declared);
    fx.define(f, |b, p| {
        let r = b.call_indirect(p[0], &[p[1]], Type::I32, TailHint::None);
        b.ret(r);
    });
    let direct = fx.function("direct", &[], Type::I32, |b, _| {
        let (callee, n) = (function_address(b, twice), i32c(b, 21));
        let r = b.call_indirect(callee, &[n], Type::I32, TailHint::None);
        b.ret(r);
    });
    let program = fx.finish();
    let mut it = Interpreter::with_limits(&program, LIMITS).unwrap();
    let mut call = |address: u64| {
        it.call(f, &[Scalar::new(Type::I32, address.into()), Scalar::i32(4)]).map_err(|trap| trap.kind)
    };
    let at = |id: FuncId| 0xf000_0000 + 16 * u64::from(id.as_u32());
    assert_eq!(value(call(at(twice)).unwrap().value), 8);
    assert_eq!(call(at(other)), Err(TrapKind::SignatureMismatch { address: at(other) }));
    assert_eq!(call(at(missing)), Err(TrapKind::MissingBody(missing)));
    for address in [0, at(twice) + 1, at(FuncId::from_u32(50)), 0x10000, 0xffff_fff0] {
        assert_eq!(call(address), Err(TrapKind::NotAFunction { address }));
    }
    assert_eq!(value(it.call(direct, &[]).unwrap().value), 42);
}

#[test]
fn traps() {
    let unreachable = single(&[], Type::Void, |b, _| b.unreachable());
    assert_eq!(run(&unreachable, &[]).unwrap_err().kind, TrapKind::Unreachable);
    let trap = single(&[], Type::Void, |b, _| {
        intrinsic(b, "llvm.trap", &[]);
        b.ret(None);
    });
    assert_eq!(run(&trap, &[]).unwrap_err().kind, TrapKind::Trap);
    let vector = single(&[Type::V4I32, Type::V4I32], Type::V4I32, |b, p| {
        let r = b.binary(BinaryOp::Udiv, p[0], p[1]);
        b.ret(Some(r));
    });
    let args = [Scalar::new(Type::V4I32, 0), Scalar::new(Type::V4I32, 1)];
    assert_eq!(run(&vector, &args).unwrap_err().kind, TrapKind::DivideByZero);
    assert_eq!(run(&vector, &args[..1]).unwrap_err().kind, TrapKind::WrongArguments);
}

#[test]
fn undefined_conditions_are_reported() {
    let branch = |defined: bool| {
        single(&[Type::I32], Type::I32, |b, p| {
            let n = if defined { i32c(b, 5) } else { b.func.make_undef(Type::I32) };
            let c = b.icmp(IntCond::Eq, n, p[0]);
            let (t, f) = (b.create_block(), b.create_block());
            b.cond_br(c, t, f);
            for block in [t, f] {
                b.switch_to_block(block);
                let r = i32c(b, 1);
                b.ret(Some(r));
            }
        })
    };
    let got = run(&branch(false), &[Scalar::i32(5)]).unwrap();
    assert!(got.taint.control && got.tainted == 0);
    assert!(!run(&branch(true), &[Scalar::i32(5)]).unwrap().taint.any());

    let select = single(&[Type::I32], Type::I32, |b, p| {
        let c = b.func.make_undef(Type::I1);
        let r = b.select(c, p[0], p[0]);
        b.ret(Some(r));
    });
    let got = run(&select, &[Scalar::i32(5)]).unwrap();
    assert!(got.tainted == 1 && !got.taint.control, "data flow, not control flow");

    let divide = single(&[Type::I32], Type::I32, |b, p| {
        let (big, one) = (i32c(b, 40), i32c(b, 1));
        let n = b.binary(BinaryOp::Shl, one, big);
        let r = b.binary(BinaryOp::Udiv, p[0], n);
        b.ret(Some(r));
    });
    assert!(run(&divide, &[Scalar::i32(5)]).unwrap().taint.control, "it might have trapped");
}

/// `f(n)`: setjmp, then a call chain that jumps back with `n`; counts the returns of setjmp in memory.
fn jumping(jump_from_dead_frame: bool) -> Fixture {
    let mut fx = Fixture::default();
    let f = fx.declare("f", &[Type::I32], Type::I32, FunctionKind::Defined);
    let buffer = fx.global(Mutability::Variable, 3, &[Initializer::Zero(1024)]);
    let counter = fx.global(Mutability::Variable, 2, &[Initializer::Zero(4)]);
    let jump = fx.function("jump", &[Type::I32], Type::Void, |b, p| {
        let size = i32c(b, 100);
        b.alloca(size, 4, Type::I32);
        let at = global_address(b, buffer);
        intrinsic(b, "llvm.nacl.longjmp", &[at, p[0]]);
        b.unreachable();
    });
    let middle = fx.function("middle", &[Type::I32], Type::Void, |b, p| {
        b.call(jump, &[p[0]], Type::Void, TailHint::None);
        b.unreachable();
    });
    let set = fx.function("set", &[], Type::I32, |b, _| {
        let at = global_address(b, buffer);
        let r = intrinsic(b, "llvm.nacl.setjmp", &[at]);
        b.ret(r);
    });
    fx.define(f, |b, p| {
        let (first, again) = (b.create_block(), b.create_block());
        let at = global_address(b, buffer);
        let r = if jump_from_dead_frame {
            b.call(set, &[], Type::I32, TailHint::None).unwrap()
        } else {
            intrinsic(b, "llvm.nacl.setjmp", &[at]).unwrap()
        };
        let count_at = global_address(b, counter);
        let (zero, one, thousand) = (i32c(b, 0), i32c(b, 1), i32c(b, 1000));
        let count = b.load(Type::I32, count_at, 0);
        let count = b.binary(BinaryOp::Add, count, one);
        b.store(count_at, count, 0);
        let is_first = b.icmp(IntCond::Eq, r, zero);
        b.cond_br(is_first, first, again);
        b.switch_to_block(first);
        b.call(middle, &[p[0]], Type::Void, TailHint::None);
        b.unreachable();
        b.switch_to_block(again);
        let r = b.binary(BinaryOp::Mul, r, thousand);
        let r = b.binary(BinaryOp::Add, r, count);
        b.ret(Some(r));
    });
    fx
}

#[test]
fn setjmp_returns_twice() {
    let program = jumping(false).finish();
    assert_eq!(value(run(&program, &[Scalar::i32(7)]).unwrap().value), 7002);
    assert_eq!(value(run(&program, &[Scalar::i32(0)]).unwrap().value), 1002, "0 becomes 1");
}

#[test]
fn longjmp_needs_a_live_setjmp() {
    let program = jumping(true).finish();
    let trap = run(&program, &[Scalar::i32(7)]).unwrap_err();
    assert!(matches!(trap.kind, TrapKind::BadLongjmp { .. }), "{trap}");
    // The same function at the same depth, but another activation.
    let mut fx = Fixture::default();
    let f = fx.declare("f", &[], Type::Void, FunctionKind::Defined);
    let buffer = fx.global(Mutability::Variable, 3, &[Initializer::Zero(1024)]);
    let both = fx.function("both", &[Type::I32], Type::Void, |b, p| {
        let (set, jump) = (b.create_block(), b.create_block());
        let (at, zero) = (global_address(b, buffer), i32c(b, 0));
        let c = b.icmp(IntCond::Eq, p[0], zero);
        b.cond_br(c, set, jump);
        b.switch_to_block(set);
        intrinsic(b, "llvm.nacl.setjmp", &[at]);
        b.ret(None);
        b.switch_to_block(jump);
        intrinsic(b, "llvm.nacl.longjmp", &[at, p[0]]);
        b.unreachable();
    });
    fx.define(f, |b, _| {
        for n in 0..2 {
            let n = i32c(b, n);
            b.call(both, &[n], Type::Void, TailHint::None);
        }
        b.ret(None);
    });
    assert!(matches!(run(&fx.finish(), &[]).unwrap_err().kind, TrapKind::BadLongjmp { .. }));
    let garbage = single(&[], Type::Void, |b, _| {
        let (size, one) = (i32c(b, 1024), i32c(b, 1));
        let at = b.alloca(size, 3, Type::I32);
        intrinsic(b, "llvm.nacl.longjmp", &[at, one]);
        b.unreachable();
    });
    assert!(matches!(run(&garbage, &[]).unwrap_err().kind, TrapKind::BadLongjmp { .. }));
}

#[test]
fn malformed_programs_are_refused() {
    let refused = |params: &[Type], ret: Type, build: &dyn Fn(&mut Builder<'_>, &[Value])| {
        let program = single(params, ret, build);
        matches!(Interpreter::new(&program).map(|_| ()).unwrap_err().kind, TrapKind::Malformed(_))
    };
    assert!(refused(&[], Type::Void, &|_, _| {}), "no terminator");
    assert!(refused(&[], Type::I32, &|b, _| b.ret(None)), "no result");
    assert!(refused(&[Type::I32], Type::I64, &|b, p| b.ret(Some(p[0]))), "another type");
    assert!(refused(&[], Type::Void, &|b, _| b.br(Block::from_u32(9))), "no such block");
    assert!(
        refused(&[], Type::I32, &|b, _| {
            let v = b.func.make_forward(Type::I32);
            b.ret(Some(v));
        }),
        "never defined"
    );
    assert!(refused(&[], Type::I32, &|b, _| b.ret(Some(Value::from_u32(77)))), "no such value");
    assert!(
        refused(&[Type::I32, Type::I64], Type::I32, &|b, p| {
            let r = b.binary(BinaryOp::Add, p[0], p[1]);
            b.ret(Some(r));
        }),
        "mixed operands"
    );
    assert!(
        refused(&[Type::I32], Type::I64, &|b, p| {
            let r = b.cast(CastOp::Trunc, p[0], Type::I64);
            b.ret(Some(r));
        }),
        "a wider trunc"
    );
    assert!(
        refused(&[Type::V4I32], Type::I32, &|b, p| {
            let index = i32c(b, 4);
            let r = b.extract_element(p[0], index);
            b.ret(Some(r));
        }),
        "no lane 4"
    );
    assert!(
        refused(&[], Type::Void, &|b, _| {
            b.call(FuncId::from_u32(5), &[], Type::Void, TailHint::None);
            b.ret(None);
        }),
        "no such function"
    );
    assert!(
        refused(&[Type::I32], Type::Void, &|b, p| {
            b.call(first(), &[], Type::Void, TailHint::None);
            let _ = p;
            b.ret(None);
        }),
        "too few arguments"
    );
    assert!(
        refused(&[Type::I32], Type::I32, &|b, p| {
            let entry = b.current_block().unwrap();
            let next = b.create_block();
            b.br(next);
            b.switch_to_block(next);
            let _ = entry;
            let r = b.phi(Type::I32, &[(p[0], next)]);
            b.ret(Some(r));
        }),
        "a phi without its edge"
    );
}
