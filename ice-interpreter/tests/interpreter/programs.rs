//! Whole programs: the argument block, the query function and the interfaces, threads.

use ice_interpreter::{CaptureHost, Interpreter, Limits, TrapKind};
use ice_ir::{
    BinaryOp, CastOp, FuncId, FunctionKind, GlobalId, Initializer, IntCond, Mutability, Program, TailHint,
    Type, Value,
};

use super::fixture::{Builder, Fixture, LIMITS, function_address, global_address, i32c, intrinsic};

/// A program under construction with scratch memory and the tables of some interfaces.
struct App {
    fx: Fixture,
    start: FuncId,
    /// 4096 zero bytes.
    scratch: GlobalId,
    /// Names and tables of the interfaces in use.
    tables: Vec<(GlobalId, GlobalId, i64)>,
}

impl App {
    fn new(interfaces: &[(&str, i64)]) -> App {
        let mut fx = Fixture::default();
        let start = fx.declare("_start", &[Type::I32], Type::Void, FunctionKind::Defined);
        let scratch = fx.global(Mutability::Variable, 4, &[Initializer::Zero(4096)]);
        let tables = interfaces
            .iter()
            .map(|(name, size)| {
                let bytes = fx.bytes(&[name.as_bytes(), b"\0"].concat());
                let name = fx.global(Mutability::Constant, 0, &[bytes]);
                (name, fx.global(Mutability::Variable, 2, &[Initializer::Zero(64)]), *size)
            })
            .collect();
        App { fx, start, scratch, tables }
    }

    /// Defines `_start`: query everything, then `build`.
    fn start(&mut self, build: impl FnOnce(&mut Builder<'_>, Value)) {
        let tables = self.tables.clone();
        self.fx.define(self.start, |b, p| {
            let query = query_address(b, p[0]);
            for (name, table, size) in tables {
                let args = [global_address(b, name), global_address(b, table), i32c(b, size)];
                let got = b.call_indirect(query, &args, Type::I32, TailHint::None).unwrap();
                // Whatever does not fit ends the program with status 99 through a trap.
                let wanted = i32c(b, size);
                let fits = b.icmp(IntCond::Eq, got, wanted);
                let (good, bad) = (b.create_block(), b.create_block());
                b.cond_br(fits, good, bad);
                b.switch_to_block(bad);
                b.unreachable();
                b.switch_to_block(good);
            }
            build(b, p[0]);
        });
    }

    fn run(self, args: &[&[u8]], env: &[&[u8]]) -> (Result<i32, TrapKind>, CaptureHost) {
        let mut host = CaptureHost::default();
        host.input.extend_from_slice(b"typed");
        let program = self.fx.finish();
        let result = run_on(&program, &mut host, args, env, LIMITS);
        (result, host)
    }
}

fn run_on(
    program: &Program,
    host: &mut CaptureHost,
    args: &[&[u8]],
    env: &[&[u8]],
    limits: Limits,
) -> Result<i32, TrapKind> {
    let mut it = Interpreter::with_limits(program, limits).map_err(|trap| trap.kind)?;
    it.run_program(host, args, env).map_err(|trap| trap.kind)
}

fn offset(b: &mut Builder<'_>, base: Value, by: i64) -> Value {
    let by = i32c(b, by);
    b.binary(BinaryOp::Add, base, by)
}

/// Word `index` of the words at `base`.
fn word(b: &mut Builder<'_>, base: Value, index: i64) -> Value {
    let at = offset(b, base, index * 4);
    b.load(Type::I32, at, 0)
}

/// Walks the argument block to the auxiliary vector: its value is the query function.
fn query_address(b: &mut Builder<'_>, info: Value) -> Value {
    let (envc, argc) = (word(b, info, 1), word(b, info, 2));
    let count = b.binary(BinaryOp::Add, envc, argc);
    let two = i32c(b, 2);
    let bytes = b.binary(BinaryOp::Shl, count, two);
    let base = b.binary(BinaryOp::Add, info, bytes);
    // AT_SYSINFO is checked by dividing by (type - 31): 1 only for 32.
    let kind = word(b, base, 5);
    let limit = i32c(b, 31);
    let one = b.binary(BinaryOp::Sub, kind, limit);
    let query = word(b, base, 6);
    b.binary(BinaryOp::Mul, query, one)
}

/// Calls entry `index` of a table with i32 arguments.
fn entry(b: &mut Builder<'_>, table: GlobalId, index: i64, args: &[Value]) -> Value {
    let base = global_address(b, table);
    let callee = word(b, base, index);
    b.call_indirect(callee, args, Type::I32, TailHint::None).unwrap()
}

fn exit(b: &mut Builder<'_>, table: GlobalId, status: Value) {
    let base = global_address(b, table);
    let callee = word(b, base, 0);
    b.call_indirect(callee, &[status], Type::Void, TailHint::None);
    b.unreachable();
}

const BASIC: (&str, i64) = ("nacl-irt-basic-0.1", 24);
const FDIO: (&str, i64) = ("nacl-irt-fdio-0.1", 32);
const MEMORY: (&str, i64) = ("nacl-irt-memory-0.3", 12);
const TLS: (&str, i64) = ("nacl-irt-tls-0.1", 8);
const THREAD: (&str, i64) = ("nacl-irt-thread-0.1", 12);
const FUTEX: (&str, i64) = ("nacl-irt-futex-0.1", 8);

#[test]
fn start_may_return() {
    let mut app = App::new(&[]);
    app.start(|b, _| b.ret(None));
    assert_eq!(app.run(&[b"x"], &[]).0, Ok(0));
}

#[test]
fn arguments_environment_and_output() {
    let mut app = App::new(&[BASIC, FDIO]);
    let (basic, fdio, scratch) = (app.tables[0].1, app.tables[1].1, app.scratch);
    app.start(|b, info| {
        // Writes the two bytes of argv[1] and the three of envp[0], then exits with argc * 10 + envc.
        let (argv1, envp0) = (word(b, info, 4), word(b, info, 6));
        let (one, two, three) = (i32c(b, 1), i32c(b, 2), i32c(b, 3));
        let count = global_address(b, scratch);
        let a = entry(b, fdio, 4, &[one, argv1, two, count]);
        let c = entry(b, fdio, 4, &[two, envp0, three, count]);
        let written = b.load(Type::I32, count, 0);
        let (argc, envc) = (word(b, info, 2), word(b, info, 1));
        let ten = i32c(b, 10);
        let status = b.binary(BinaryOp::Mul, argc, ten);
        let status = b.binary(BinaryOp::Add, status, envc);
        let hundred = i32c(b, 100);
        let written = b.binary(BinaryOp::Mul, written, hundred);
        let mut status = b.binary(BinaryOp::Add, status, written);
        for error in [a, c] {
            status = b.binary(BinaryOp::Add, status, error);
        }
        exit(b, basic, status);
    });
    let (status, host) = app.run(&[b"prog", b"hi"], &[b"A=b"]);
    assert_eq!(status, Ok(321));
    assert_eq!((&host.output[..], &host.errors[..]), (&b"hi"[..], &b"A=b"[..]));
}

#[test]
fn descriptors() {
    let mut app = App::new(&[BASIC, FDIO, ("nacl-irt-dev-fdio-0.3", 56)]);
    let (basic, fdio, dev, scratch) = (app.tables[0].1, app.tables[1].1, app.tables[2].1, app.scratch);
    app.start(|b, _| {
        let buf = global_address(b, scratch);
        let count = offset(b, buf, 256);
        let (zero, one, eight, bad) = (i32c(b, 0), i32c(b, 1), i32c(b, 8), i32c(b, 77));
        let mut errors = Vec::new();
        errors.push(entry(b, fdio, 3, &[zero, buf, eight, count]));
        let five = b.load(Type::I32, count, 0);
        errors.push(entry(b, fdio, 4, &[one, buf, five, count]));
        let stat = offset(b, buf, 512);
        errors.push(entry(b, fdio, 6, &[one, stat]));
        errors.push(entry(b, dev, 13, &[one, count]));
        let tty = b.load(Type::I32, count, 0);
        let mode_at = offset(b, stat, 16);
        let mode = b.load(Type::I32, mode_at, 0);
        // A bad descriptor is 9, a bad address 14, a pipe cannot seek: 29.
        let wrong = entry(b, fdio, 6, &[bad, stat]);
        let fault = entry(b, fdio, 4, &[one, zero, one, count]);
        let base = global_address(b, fdio);
        let seek = word(b, base, 5);
        let far = b.int_const(Type::I64, 1 << 40);
        let seek = b.call_indirect(seek, &[one, far, zero, count], Type::I32, TailHint::None).unwrap();
        let mut status = tty;
        for (n, factor) in [(wrong, 1), (fault, 100), (seek, 10_000), (mode, 1_000_000)] {
            let factor = i32c(b, factor);
            let n = b.binary(BinaryOp::Mul, n, factor);
            status = b.binary(BinaryOp::Add, status, n);
        }
        for error in errors {
            status = b.binary(BinaryOp::Add, status, error);
        }
        exit(b, basic, status);
    });
    let (status, host) = app.run(&[b"x"], &[]);
    let mode = 0o010_666;
    assert_eq!(status, Ok((mode as i64 * 1_000_000 + 291_409) as i32));
    assert_eq!(host.output, b"typed");
}

#[test]
fn unknown_interfaces_and_small_tables_are_absent() {
    for (name, size, want) in [
        ("nacl-irt-thread-0.2", 64, 0),
        ("nacl-irt-basic-0.", 64, 0),
        ("nacl-irt-basic-0.10", 64, 0),
        ("nacl-irt-basic-0.1", 23, 0),
        ("nacl-irt-basic-0.1", 64, 24),
        ("nacl-irt-clock_get-0.1", 64, 8),
        ("nacl-irt-random-0.1", 4, 4),
        ("nacl-irt-dev-getpid-0.1", 4, 4),
        ("nacl-irt-memory-0.1", 64, 12),
        ("nacl-irt-memory-0.2", 64, 16),
        ("nacl-irt-dev-fdio-0.2", 64, 52),
    ] {
        let mut app = App::new(&[BASIC]);
        let basic = app.tables[0].1;
        let bytes = app.fx.bytes(&[name.as_bytes(), b"\0"].concat());
        let name = app.fx.global(Mutability::Constant, 0, &[bytes]);
        let scratch = app.scratch;
        app.start(|b, info| {
            let query = query_address(b, info);
            let args = [global_address(b, name), global_address(b, scratch), i32c(b, size)];
            let got = b.call_indirect(query, &args, Type::I32, TailHint::None).unwrap();
            exit(b, basic, got);
        });
        assert_eq!(app.run(&[b"x"], &[]).0, Ok(want));
    }
}

#[test]
fn mappings() {
    let mut app = App::new(&[BASIC, MEMORY]);
    let (basic, memory, scratch) = (app.tables[0].1, app.tables[1].1, app.scratch);
    app.start(|b, _| {
        let place = global_address(b, scratch);
        let base = global_address(b, memory);
        let mmap = word(b, base, 0);
        let (len, prot, flags) = (i32c(b, 1155), i32c(b, 3), i32c(b, 0x22));
        let (fd, off) = (i32c(b, -1), b.int_const(Type::I64, 0));
        let args = [place, len, prot, flags, fd, off];
        let mut status = b.call_indirect(mmap, &args, Type::I32, TailHint::None).unwrap();
        let at = b.load(Type::I32, place, 0);
        let last = offset(b, at, 4092);
        let n = i32c(b, 7);
        b.store(last, n, 0);
        let seven = b.load(Type::I32, last, 0);
        let low = i32c(b, 4095);
        let misaligned = b.binary(BinaryOp::And, at, low);
        let read_only = entry(b, memory, 2, &[at, len, prot]);
        let gone = entry(b, memory, 1, &[at, len]);
        let wrong = entry(b, memory, 1, &[place, len]);
        for n in [seven, misaligned, read_only, gone, wrong] {
            status = b.binary(BinaryOp::Add, status, n);
        }
        let is_fine = i32c(b, 29);
        let fine = b.icmp(IntCond::Eq, status, is_fine);
        let (good, bad) = (b.create_block(), b.create_block());
        b.cond_br(fine, good, bad);
        b.switch_to_block(bad);
        exit(b, basic, status);
        b.switch_to_block(good);
        // The unmapped page faults.
        let n = b.load(Type::I32, at, 0);
        exit(b, basic, n);
    });
    assert!(matches!(app.run(&[b"x"], &[]).0, Err(TrapKind::MemoryFault { .. })));
}

#[test]
fn the_break_moves() {
    let mut app = App::new(&[BASIC, ("nacl-irt-memory-0.1", 12)]);
    let (basic, memory, scratch) = (app.tables[0].1, app.tables[1].1, app.scratch);
    app.start(|b, _| {
        let place = global_address(b, scratch);
        let mut status = entry(b, memory, 0, &[place]);
        let start = b.load(Type::I32, place, 0);
        let end = offset(b, start, 5000);
        b.store(place, end, 0);
        let moved = entry(b, memory, 0, &[place]);
        let at = offset(b, start, 4990);
        let n = i32c(b, 40);
        b.store(at, n, 0);
        let forty = b.load(Type::I32, at, 0);
        let far = offset(b, start, 1 << 30);
        b.store(place, far, 0);
        let refused = entry(b, memory, 0, &[place]);
        for n in [moved, forty, refused] {
            status = b.binary(BinaryOp::Add, status, n);
        }
        exit(b, basic, status);
    });
    assert_eq!(app.run(&[b"x"], &[]).0, Ok(52));
}

#[test]
fn thread_pointer_clocks_and_random() {
    let interfaces = [
        BASIC,
        TLS,
        ("nacl-irt-clock_get-0.1", 8),
        ("nacl-irt-random-0.1", 4),
        ("nacl-irt-dev-getpid-0.1", 4),
    ];
    let mut app = App::new(&interfaces);
    let t: Vec<GlobalId> = app.tables.iter().map(|t| t.1).collect();
    let scratch = app.scratch;
    app.start(|b, _| {
        let buf = global_address(b, scratch);
        let tp = i32c(b, 1000);
        let mut sum = entry(b, t[1], 0, &[tp]);
        let mut parts = vec![intrinsic(b, "llvm.nacl.read.tp", &[]).unwrap(), entry(b, t[1], 1, &[])];
        let (zero, nine, four) = (i32c(b, 0), i32c(b, 9), i32c(b, 4));
        parts.push(entry(b, t[2], 1, &[zero, buf]));
        parts.push(entry(b, t[2], 1, &[nine, buf])); // EINVAL: 22
        parts.push(entry(b, t[3], 0, &[buf, four, buf]));
        parts.push(b.load(Type::I32, buf, 0)); // 4 bytes
        parts.push(entry(b, t[0], 1, &[buf]));
        parts.push(entry(b, t[0], 2, &[buf]));
        let two = i32c(b, 2);
        parts.push(entry(b, t[0], 5, &[two, buf]));
        parts.push(b.load(Type::I32, buf, 0)); // page size 4096
        parts.push(entry(b, t[0], 5, &[nine, buf])); // EINVAL: 22
        parts.push(entry(b, t[0], 4, &[]));
        parts.push(entry(b, t[4], 0, &[buf]));
        for part in parts {
            sum = b.binary(BinaryOp::Add, sum, part);
        }
        exit(b, t[0], sum);
    });
    assert_eq!(app.run(&[b"x"], &[]).0, Ok(1000 + 1000 + 22 + 4 + 4096 + 22));
}

#[test]
fn interfaces_check_their_types() {
    let mut app = App::new(&[BASIC]);
    let basic = app.tables[0].1;
    app.start(|b, _| {
        let base = global_address(b, basic);
        let callee = word(b, base, 0);
        let status = b.int_const(Type::I64, 0);
        b.call_indirect(callee, &[status], Type::Void, TailHint::None);
        b.unreachable();
    });
    assert!(matches!(app.run(&[b"x"], &[]).0, Err(TrapKind::SignatureMismatch { .. })));
}

#[test]
fn undefined_output_is_reported() {
    for (defined, want) in [(true, false), (false, true)] {
        let mut app = App::new(&[FDIO]);
        let (fdio, scratch) = (app.tables[0].1, app.scratch);
        app.start(|b, _| {
            let (one, four) = (i32c(b, 1), i32c(b, 4));
            let buf = b.alloca(four, 2, Type::I32);
            if defined {
                b.store(buf, one, 0);
            }
            let count = global_address(b, scratch);
            entry(b, fdio, 4, &[one, buf, four, count]);
            b.ret(None);
        });
        let program = app.fx.finish();
        let mut it = Interpreter::with_limits(&program, LIMITS).unwrap();
        assert_eq!(it.run_program(&mut CaptureHost::default(), &[b"x"], &[]), Ok(0));
        assert_eq!(it.taint_use().output, want);
    }
}

/// `_start` creates two threads. Each adds its thread pointer to a word 1000 times, atomically, then counts
/// itself as done and wakes the first thread, which waits on that counter.
fn adders(wake: bool, wait_in_futex: bool) -> App {
    let mut app = App::new(&[BASIC, THREAD, FUTEX]);
    let (basic, thread, futex, scratch) = (app.tables[0].1, app.tables[1].1, app.tables[2].1, app.scratch);
    let worker = app.fx.function("worker", &[], Type::Void, |b, _| {
        let entry_block = b.current_block().unwrap();
        let (head, exit_block) = (b.create_block(), b.create_block());
        let sum = global_address(b, scratch);
        let (zero, one, order, end) = (i32c(b, 0), i32c(b, 1), i32c(b, 6), i32c(b, 1000));
        b.br(head);
        b.switch_to_block(head);
        let next = b.func.make_forward(Type::I32);
        let i = b.phi(Type::I32, &[(zero, entry_block), (next, head)]);
        let tp = intrinsic(b, "llvm.nacl.read.tp", &[]).unwrap();
        intrinsic(b, "llvm.nacl.atomic.rmw.i32", &[one, sum, tp, order]);
        b.define_next_as(next);
        b.binary(BinaryOp::Add, i, one);
        let more = b.icmp(IntCond::Ult, next, end);
        b.cond_br(more, head, exit_block);
        b.switch_to_block(exit_block);
        let done = offset(b, sum, 4);
        intrinsic(b, "llvm.nacl.atomic.rmw.i32", &[one, done, one, order]);
        if wake {
            let count = offset(b, sum, 8);
            entry(b, futex, 1, &[done, one, count]);
        }
        let base = global_address(b, thread);
        let callee = word(b, base, 1);
        let flag = offset(b, sum, 12);
        b.call_indirect(callee, &[flag], Type::Void, TailHint::None);
        b.unreachable();
    });
    app.start(|b, _| {
        let (wait, again, finish) = (b.create_block(), b.create_block(), b.create_block());
        let base = global_address(b, scratch);
        let start = function_address(b, worker);
        for (top, tp) in [(2048, 3), (4096, 5)] {
            let stack = offset(b, base, top);
            let tp = i32c(b, tp);
            entry(b, thread, 0, &[start, stack, tp]);
        }
        let (two, zero) = (i32c(b, 2), i32c(b, 0));
        let done = offset(b, base, 4);
        b.br(wait);
        b.switch_to_block(wait);
        let now = b.load(Type::I32, done, 0);
        let all = b.icmp(IntCond::Eq, now, two);
        b.cond_br(all, finish, again);
        b.switch_to_block(again);
        if wait_in_futex {
            entry(b, futex, 0, &[done, now, zero]);
        }
        b.br(wait);
        b.switch_to_block(finish);
        let sum = b.load(Type::I32, base, 0);
        exit(b, basic, sum);
    });
    app
}

#[test]
fn threads_run_and_meet() {
    assert_eq!(adders(true, true).run(&[b"x"], &[]).0, Ok(8000));
}

#[test]
fn a_turn_ends_by_itself() {
    assert_eq!(adders(false, false).run(&[b"x"], &[]).0, Ok(8000));
}

#[test]
fn a_deadlock_is_an_error() {
    assert_eq!(adders(false, true).run(&[b"x"], &[]).0, Err(TrapKind::Deadlock));
}

#[test]
fn threads_are_deterministic() {
    // The step budget ends the program at the same place every time.
    let program = adders(true, true).fx.finish();
    let limits = Limits { steps: 5000, ..LIMITS };
    let run = || {
        let mut it = Interpreter::with_limits(&program, limits).unwrap();
        it.run_program(&mut CaptureHost::default(), &[b"x"], &[]).unwrap_err()
    };
    assert_eq!(run().kind, TrapKind::OutOfSteps);
    assert_eq!(run(), run());
}

#[test]
fn waits_and_sleeps_end_in_time() {
    let mut app = App::new(&[BASIC, FUTEX]);
    let (basic, futex, scratch) = (app.tables[0].1, app.tables[1].1, app.scratch);
    app.start(|b, _| {
        let base = global_address(b, scratch);
        let (zero, one) = (i32c(b, 0), i32c(b, 1));
        // Another value: 11. Until a moment that comes: 110. Until one that is over: 110. Sleep: 0.
        let mut sum = entry(b, futex, 0, &[base, one, zero]);
        let (future, past) = (offset(b, base, 16), offset(b, base, 32));
        let seconds = b.int_const(Type::I64, 60);
        b.store(future, seconds, 0);
        let a = entry(b, futex, 0, &[base, zero, future]);
        let c = entry(b, futex, 0, &[base, zero, past]);
        let d = entry(b, basic, 3, &[future, zero]);
        for n in [a, c, d] {
            sum = b.binary(BinaryOp::Add, sum, n);
        }
        let now = offset(b, base, 48);
        let e = entry(b, basic, 1, &[now]);
        let seconds = b.load(Type::I64, now, 0);
        let seconds = b.cast(CastOp::Trunc, seconds, Type::I32);
        let thousand = i32c(b, 1000);
        let seconds = b.binary(BinaryOp::Mul, seconds, thousand);
        let sum = b.binary(BinaryOp::Add, sum, seconds);
        let sum = b.binary(BinaryOp::Add, sum, e);
        exit(b, basic, sum);
    });
    assert_eq!(app.run(&[b"x"], &[]).0, Ok(120_231), "two minutes passed");
}

#[test]
fn a_thread_must_not_return() {
    let mut app = App::new(&[BASIC, THREAD]);
    let (basic, thread, scratch) = (app.tables[0].1, app.tables[1].1, app.scratch);
    let worker = app.fx.function("worker", &[], Type::Void, |b, _| b.ret(None));
    app.start(|b, _| {
        let stack = global_address(b, scratch);
        let start = function_address(b, worker);
        entry(b, thread, 0, &[start, stack, stack]);
        entry(b, basic, 4, &[]);
        b.ret(None);
    });
    assert_eq!(app.run(&[b"x"], &[]).0, Err(TrapKind::ThreadReturned));
}

#[test]
fn no_start_no_program() {
    let program = Fixture::default().finish();
    let result = run_on(&program, &mut CaptureHost::default(), &[], &[], LIMITS);
    assert!(matches!(result, Err(TrapKind::Malformed(_))));
}
