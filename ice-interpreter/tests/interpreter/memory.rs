//! Loads, stores, allocas, globals, block operations, atomics.

use ice_interpreter::{Access, Interpreter, Limits, Scalar, TrapKind};
use ice_ir::{BinaryOp, FuncId, Initializer, IntCond, Mutability, Symbol, Type};

use super::fixture::{Fixture, LIMITS, global_address, i32c, intrinsic, run, single};

/// Function 0.
fn first() -> FuncId {
    FuncId::from_u32(0)
}

#[test]
fn every_type_comes_back_from_memory() {
    for ty in Type::ALL {
        if ty == Type::Void || ty.is_bool_or_bool_vector() || ty.is_wide() {
            continue;
        }
        let program = single(&[ty, Type::I32], ty, |b, p| {
            let size = i32c(b, 64);
            let slot = b.alloca(size, 4, Type::I32);
            let address = b.binary(BinaryOp::Add, slot, p[1]);
            b.store(address, p[0], 0);
            let r = b.load(ty, address, 0);
            b.ret(Some(r));
        });
        let value = Scalar::new(ty, 0x8123_4567_89ab_cdef_fedc_ba98_7654_3210);
        for offset in [0, 1, 7, 48] {
            let got = run(&program, &[value, Scalar::i32(offset)]).unwrap();
            assert_eq!((got.value, got.tainted), (Some(value), 0), "{ty} at {offset}");
        }
    }
}

#[test]
fn bytes_are_little_endian() {
    let program = single(&[Type::I32], Type::I8, |b, p| {
        let size = i32c(b, 4);
        let slot = b.alloca(size, 2, Type::I32);
        b.store(slot, p[0], 0);
        let one = i32c(b, 1);
        let address = b.binary(BinaryOp::Add, slot, one);
        let r = b.load(Type::I8, address, 0);
        b.ret(Some(r));
    });
    assert_eq!(run(&program, &[Scalar::i32(0x0102_0304)]).unwrap().value.unwrap().bits, 3);
}

#[test]
fn fresh_allocas_are_undefined_until_written() {
    let program = single(&[Type::I32], Type::I32, |b, p| {
        let size = i32c(b, 8);
        let slot = b.alloca(size, 2, Type::I32);
        let address = b.binary(BinaryOp::Add, slot, p[0]);
        let byte = b.int_const(Type::I8, 5);
        b.store(slot, p[0], 0);
        let four = i32c(b, 4);
        let upper = b.binary(BinaryOp::Add, slot, four);
        b.store(upper, byte, 0);
        let r = b.load(Type::I32, address, 0);
        b.ret(Some(r));
    });
    assert_eq!(run(&program, &[Scalar::i32(0)]).unwrap().tainted, 0);
    assert_eq!(run(&program, &[Scalar::i32(1)]).unwrap().tainted, 0, "bytes 1 to 4 are written");
    assert_eq!(run(&program, &[Scalar::i32(2)]).unwrap().tainted, 1, "byte 5 is not");
}

#[test]
fn copies_carry_taint() {
    let program = single(&[Type::I32], Type::I32, |b, p| {
        let size = i32c(b, 16);
        let from = b.alloca(size, 2, Type::I32);
        let to = b.alloca(size, 2, Type::I32);
        b.store(from, p[0], 0);
        let (one, no) = (i32c(b, 1), b.int_const(Type::I1, 0));
        intrinsic(b, "llvm.memcpy.p0i8.p0i8.i32", &[to, from, size, one, no]);
        let address = b.binary(BinaryOp::Add, to, p[0]);
        let r = b.load(Type::I32, address, 0);
        b.ret(Some(r));
    });
    let got = run(&program, &[Scalar::i32(0)]).unwrap();
    assert_eq!((got.value, got.tainted), (Some(Scalar::i32(0)), 0));
    assert_eq!(run(&program, &[Scalar::i32(4)]).unwrap().tainted, 1);
}

#[test]
fn allocas_are_aligned_distinct_and_freed() {
    let program = single(&[Type::I32], Type::I32, |b, p| {
        let a = b.alloca(p[0], 8, Type::I32);
        let c = b.alloca(p[0], 12, Type::I32);
        let both = b.binary(BinaryOp::Or, a, c);
        let d = b.binary(BinaryOp::Sub, a, c);
        let far = b.icmp(IntCond::Ult, d, p[0]);
        let far = b.cast(ice_ir::CastOp::Zext, far, Type::I32);
        let mask = i32c(b, 255);
        let low = b.binary(BinaryOp::And, both, mask);
        let r = b.binary(BinaryOp::Or, low, far);
        b.ret(Some(r));
    });
    let mut it = Interpreter::with_limits(&program, LIMITS).unwrap();
    for _ in 0..100 {
        // A leak of 5000 bytes a call would use up the 64 KiB of stack.
        let got = it.call(first(), &[Scalar::i32(5000)]).unwrap();
        assert_eq!((got.value, got.tainted), (Some(Scalar::i32(0)), 0));
    }
    let kind = |size| run(&program, &[Scalar::i32(size)]).unwrap_err().kind;
    assert_eq!(kind(1 << 20), TrapKind::StackOverflow);
    assert_eq!(kind(-1), TrapKind::StackOverflow);
}

#[test]
fn a_return_frees_allocas() {
    let mut fx = Fixture::default();
    let f = fx.declare("f", &[], Type::Void, ice_ir::FunctionKind::Defined);
    let leaf = fx.function("leaf", &[], Type::Void, |b, _| {
        let size = i32c(b, 5000);
        b.alloca(size, 4, Type::I32);
        b.ret(None);
    });
    fx.define(f, |b, _| {
        for _ in 0..20 {
            b.call(leaf, &[], Type::Void, ice_ir::TailHint::None);
        }
        b.ret(None);
    });
    assert!(run(&fx.finish(), &[]).is_ok());
}

#[test]
fn stackrestore_frees() {
    let program = single(&[Type::I32], Type::I32, |b, p| {
        let saved = intrinsic(b, "llvm.stacksave", &[]).unwrap();
        let a = b.alloca(p[0], 4, Type::I32);
        intrinsic(b, "llvm.stackrestore", &[saved]);
        let c = b.alloca(p[0], 4, Type::I32);
        let d = b.binary(BinaryOp::Sub, a, c);
        b.ret(Some(d));
    });
    assert_eq!(run(&program, &[Scalar::i32(48)]).unwrap().value, Some(Scalar::i32(0)));
    let wrong = single(&[Type::I32], Type::Void, |b, p| {
        intrinsic(b, "llvm.stackrestore", &[p[0]]);
        b.ret(None);
    });
    assert_eq!(run(&wrong, &[Scalar::i32(16)]).unwrap_err().kind, TrapKind::StackOverflow);
}

#[test]
fn globals_are_placed_filled_and_protected() {
    let mut fx = Fixture::default();
    let f = fx.function("f", &[Type::I32, Type::I32], Type::I32, |b, p| {
        b.store(p[0], p[1], 0);
        let r = b.load(Type::I32, p[0], 0);
        b.ret(Some(r));
    });
    let bytes = fx.bytes(b"abcdefg");
    let constant = fx.global(Mutability::Constant, 0, &[bytes, Initializer::Zero(3)]);
    let refer = [
        Initializer::Zero(2),
        Initializer::Address { target: Symbol::Global(constant), addend: 4 },
        Initializer::Address { target: Symbol::Function(f), addend: 0 },
    ];
    let variable = fx.global(Mutability::Variable, 6, &refer);
    let empty = fx.global(Mutability::Variable, 0, &[]);
    let program = fx.finish();
    let mut it = Interpreter::with_limits(&program, LIMITS).unwrap();
    let (c, v) = (it.address(Symbol::Global(constant)), it.address(Symbol::Global(variable)));
    assert_ne!(it.address(Symbol::Global(empty)), v + 10 - 1);
    assert_eq!(v % 64, 0);
    assert_eq!(it.read_memory(c, 10).unwrap(), b"abcdefg\0\0\0");
    let word = |it: &Interpreter<'_>, at| {
        u64::from(u32::from_le_bytes(it.read_memory(at, 4).unwrap().try_into().unwrap()))
    };
    assert_eq!(word(&it, v + 2), c + 4);
    assert_eq!(word(&it, v + 6), it.address(Symbol::Function(f)));
    let args = |at: u64| [Scalar::new(Type::I32, at.into()), Scalar::i32(7)];
    assert_eq!(it.call(f, &args(v)).unwrap().value, Some(Scalar::i32(7)));
    assert_eq!(word(&it, v), 7, "memory lives from call to call");
    let trap = it.call(f, &args(c)).unwrap_err();
    assert_eq!(trap.kind, TrapKind::MemoryFault { address: c, access: Access::Write });
    it.reset().unwrap();
    assert_eq!(word(&it, v) & 0xffff, 0);
    assert_eq!(word(&it, v + 2), c + 4);
}

#[test]
fn faults_name_the_address_and_the_place() {
    let program = single(&[Type::I32], Type::I64, |b, p| {
        let r = b.load(Type::I64, p[0], 0);
        b.ret(Some(r));
    });
    for address in [0, 4, 0xfffc, 0xf000_0000u32, 0xffff_fffc, 0x8000_0000] {
        let trap = run(&program, &[Scalar::i32(address as i32)]).unwrap_err();
        let TrapKind::MemoryFault { address: at, access: Access::Read } = trap.kind else { panic!("{trap}") };
        assert!(at >= u64::from(address) && at < u64::from(address) + 8);
        let location = trap.location.as_ref().unwrap();
        assert_eq!((location.function, location.name.as_str()), (first(), "f"));
        assert_eq!(location.inst, Some(ice_ir::Inst::from_u32(0)));
        assert!(trap.to_string().contains("in func0 (f), block0, inst0"), "{trap}");
    }
}

#[test]
fn block_operations() {
    let mut fx = Fixture::default();
    let data = fx.bytes(&[1, 2, 3, 4, 5, 6, 7, 8]);
    let g = fx.global(Mutability::Variable, 0, &[data]);
    let three = |fx: &mut Fixture, name: &'static str, second| {
        fx.function(name, &[Type::I32, second, Type::I32], Type::Void, |b, p| {
            let second = match second {
                Type::I64 => b.cast(ice_ir::CastOp::Trunc, p[1], Type::I8),
                _ => p[1],
            };
            let (one, no) = (i32c(b, 1), b.int_const(Type::I1, 0));
            intrinsic(b, name, &[p[0], second, p[2], one, no]);
            b.ret(None);
        })
    };
    let copy = three(&mut fx, "llvm.memmove.p0i8.p0i8.i32", Type::I32);
    let set = three(&mut fx, "llvm.memset.p0i8.i32", Type::I64);
    let program = fx.finish();
    let mut it = Interpreter::with_limits(&program, LIMITS).unwrap();
    let at = it.address(Symbol::Global(g));
    let arg = |n: u64| Scalar::new(Type::I32, n.into());
    it.call(copy, &[arg(at + 2), arg(at), arg(5)]).unwrap();
    assert_eq!(it.read_memory(at, 8).unwrap(), [1, 2, 1, 2, 3, 4, 5, 8], "overlap upwards");
    it.call(copy, &[arg(at), arg(at + 3), arg(5)]).unwrap();
    assert_eq!(it.read_memory(at, 8).unwrap(), [2, 3, 4, 5, 8, 4, 5, 8], "overlap downwards");
    it.call(set, &[arg(at + 1), Scalar::i64(0x1ff), arg(2)]).unwrap();
    assert_eq!(it.read_memory(at, 8).unwrap(), [2, 255, 255, 5, 8, 4, 5, 8]);
    it.call(set, &[arg(0), Scalar::i64(0), arg(0)]).unwrap();
    assert!(it.call(set, &[arg(at), Scalar::i64(0), Scalar::i32(-1)]).is_err());
}

#[test]
fn atomics() {
    let mut fx = Fixture::default();
    let g = fx.global(Mutability::Variable, 3, &[Initializer::Zero(16)]);
    let mut checks = Vec::new();
    for (ty, suffix) in [(Type::I8, "i8"), (Type::I16, "i16"), (Type::I32, "i32"), (Type::I64, "i64")] {
        let mask = u64::MAX >> (64 - ty.bits());
        let (old, by) = (0xfedc_ba98_7654_32f1u64 & mask, 0x8123_4567_89ab_cd9du64 & mask);
        let results = [old.wrapping_add(by), old.wrapping_sub(by), old | by, old & by, old ^ by, by];
        for (code, result) in results.into_iter().enumerate() {
            let f = fx.function("rmw", &[ty], ty, |b, p| {
                let address = global_address(b, g);
                let (op, order) = (i32c(b, code as i64 + 1), i32c(b, 6));
                let start = b.int_const(ty, old as i64);
                intrinsic(b, &format!("llvm.nacl.atomic.store.{suffix}"), &[start, address, order]);
                let args = [op, address, p[0], order];
                let before = intrinsic(b, &format!("llvm.nacl.atomic.rmw.{suffix}"), &args);
                b.ret(before);
            });
            checks.push((f, ty, vec![by], old, result & mask));
        }
        let f = fx.function("cmpxchg", &[ty, ty], ty, |b, p| {
            let address = global_address(b, g);
            let order = i32c(b, 6);
            let start = b.int_const(ty, old as i64);
            b.store(address, start, 0);
            let args = [address, p[0], p[1], order, order];
            intrinsic(b, &format!("llvm.nacl.atomic.cmpxchg.{suffix}"), &args);
            let now = intrinsic(b, &format!("llvm.nacl.atomic.load.{suffix}"), &[address, order]);
            intrinsic(b, "llvm.nacl.atomic.fence", &[order]);
            intrinsic(b, "llvm.nacl.atomic.fence.all", &[]);
            b.ret(now);
        });
        checks.push((f, ty, vec![old, by], by, by));
        checks.push((f, ty, vec![by, by], old, old));
    }
    let program = fx.finish();
    let mut it = Interpreter::with_limits(&program, LIMITS).unwrap();
    let at = it.address(Symbol::Global(g));
    for (f, ty, args, value, memory) in checks {
        let args: Vec<_> = args.into_iter().map(|n| Scalar::new(ty, n.into())).collect();
        let got = it.call(f, &args).unwrap();
        assert_eq!(got.value, Some(Scalar::new(ty, value.into())));
        let mut bytes = [0; 8];
        let size = ty.bytes() as usize;
        bytes[..size].copy_from_slice(it.read_memory(at, size as u64).unwrap());
        assert_eq!(u64::from_le_bytes(bytes), memory, "{ty}");
    }
}

#[test]
fn odd_atomics() {
    let load = single(&[Type::I32], Type::I32, |b, p| {
        let order = i32c(b, 6);
        let r = intrinsic(b, "llvm.nacl.atomic.load.i32", &[p[0], order]);
        b.ret(r);
    });
    assert_eq!(
        run(&load, &[Scalar::i32(0x10002)]).unwrap_err().kind,
        TrapKind::Misaligned { address: 0x10002 }
    );
    let rmw = single(&[Type::I32], Type::I32, |b, p| {
        let order = i32c(b, 6);
        let r = intrinsic(b, "llvm.nacl.atomic.rmw.i32", &[order, p[0], p[0], order]);
        b.ret(r);
    });
    assert!(matches!(run(&rmw, &[Scalar::i32(0)]).unwrap_err().kind, TrapKind::MemoryFault { .. }));
    let bad = single(&[Type::I32], Type::I32, |b, p| {
        let (op, order) = (i32c(b, 7), i32c(b, 6));
        let r = intrinsic(b, "llvm.nacl.atomic.rmw.i32", &[op, p[0], p[0], order]);
        b.ret(r);
    });
    assert_eq!(run(&bad, &[Scalar::i32(0)]).unwrap_err().kind, TrapKind::BadOperand);
    let free = single(&[Type::I32], Type::I1, |b, p| {
        let r = intrinsic(b, "llvm.nacl.atomic.is.lock.free", &[p[0], p[0]]);
        b.ret(r);
    });
    for (size, want) in [(1, 1), (2, 1), (4, 1), (8, 1), (3, 0), (16, 0), (0, 0)] {
        assert_eq!(run(&free, &[Scalar::i32(size)]).unwrap().value.unwrap().bits, want, "{size}");
    }
}

#[test]
fn addresses_from_undefined_values_are_reported() {
    let program = single(&[Type::I32], Type::I32, |b, p| {
        let undef = b.func.make_undef(Type::I32);
        let size = i32c(b, 4);
        let slot = b.alloca(size, 2, Type::I32);
        b.store(slot, p[0], 0);
        let address = b.binary(BinaryOp::Add, slot, undef);
        let r = b.load(Type::I32, address, 0);
        b.ret(Some(r));
    });
    let got = run(&program, &[Scalar::i32(3)]).unwrap();
    assert_eq!(got.tainted, 1);
    assert!(got.taint.address && !got.taint.control);
}

#[test]
fn programs_that_do_not_fit_are_refused() {
    let mut fx = Fixture::default();
    fx.global(Mutability::Variable, 0, &[Initializer::Zero(u32::MAX)]);
    let program = fx.finish();
    assert_eq!(Interpreter::new(&program).err().unwrap().kind, TrapKind::OutOfMemory);
    let small = Limits { memory: 0x1_0000, ..LIMITS };
    let empty = Fixture::default().finish();
    assert_eq!(Interpreter::with_limits(&empty, small).err().unwrap().kind, TrapKind::OutOfMemory);
}

#[test]
fn addresses_can_have_64_bits() {
    let mut fx = Fixture::default();
    fx.program.module.pointer_type = Type::I64;
    let bytes = fx.bytes(&[9, 0, 0, 0]);
    let g = fx.global(Mutability::Variable, 2, &[bytes]);
    let refer = Initializer::Address { target: Symbol::Global(g), addend: 0 };
    let r = fx.global(Mutability::Variable, 3, &[refer]);
    let f = fx.function("f", &[Type::I64], Type::I32, |b, p| {
        let at = b.address(Symbol::Global(r), Type::I64);
        let address = b.load(Type::I64, at, 0);
        let address = b.binary(BinaryOp::Add, address, p[0]);
        let r = b.load(Type::I32, address, 0);
        b.ret(Some(r));
    });
    let program = fx.finish();
    let mut it = Interpreter::with_limits(&program, LIMITS).unwrap();
    assert_eq!(it.call(f, &[Scalar::i64(0)]).unwrap().value, Some(Scalar::i32(9)));
    assert!(matches!(it.call(f, &[Scalar::i64(1 << 32)]).unwrap_err().kind, TrapKind::MemoryFault { .. }));
}
