//! Calls with live values: a walk over the stack that moves objects, and exits that read what a function has computed.

use crate::common::{RECIPES, load, native};
use ice_ir::{
    BinaryOp, Function, FunctionBuilder, FunctionKind, InstData, IntCond, Signature, Type, parse_program,
};
use ice_jit::{Error, Jit, JitBuilder, LivePlace, LiveSite, LiveValue};
use std::arch::naked_asm;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Calls `inspect` with the address of the registers that are preserved, in the order of `PRESERVED`, behind which is
/// the return address, or what ends there.
#[unsafe(naked)]
extern "C" fn called() -> i32 {
    #[cfg(target_arch = "x86_64")]
    naked_asm!(
        "push rbx", "push rbp", "push r12", "push r13", "push r14", "push r15",
        "mov rdi, rsp", "sub rsp, 8", "call {inspect}", "add rsp, 8",
        "pop r15", "pop r14", "pop r13", "pop r12", "pop rbp", "pop rbx", "ret",
        inspect = sym inspect,
    );
    #[cfg(target_arch = "x86")]
    naked_asm!(
        "push ebx", "push ebp", "push esi", "push edi",
        "mov eax, esp", "sub esp, 8", "push eax", "call {inspect}", "add esp, 12",
        "pop edi", "pop esi", "pop ebp", "pop ebx", "ret",
        inspect = sym inspect,
    );
    #[cfg(target_arch = "arm")]
    naked_asm!(
        "push {{r4-r11, ip, lr}}", "mov r0, sp", "vpush {{d8-d15}}", "bl {inspect}",
        "vpop {{d8-d15}}", "pop {{r4-r11, ip, pc}}",
        inspect = sym inspect,
    );
    #[cfg(target_arch = "aarch64")]
    naked_asm!(
        "stp d8, d9, [sp, #-160]!", "stp d10, d11, [sp, #16]", "stp d12, d13, [sp, #32]", "stp d14, d15, [sp, #48]",
        "stp x19, x20, [sp, #64]", "stp x21, x22, [sp, #80]", "stp x23, x24, [sp, #96]",
        "stp x25, x26, [sp, #112]", "stp x27, x28, [sp, #128]", "stp x29, x30, [sp, #144]",
        "add x0, sp, #64", "bl {inspect}",
        "ldp x19, x20, [sp, #64]", "ldp x21, x22, [sp, #80]", "ldp x23, x24, [sp, #96]",
        "ldp x25, x26, [sp, #112]", "ldp x27, x28, [sp, #128]", "ldp x29, x30, [sp, #144]",
        "ldp d10, d11, [sp, #16]", "ldp d12, d13, [sp, #32]", "ldp d14, d15, [sp, #48]", "ldp d8, d9, [sp], #160", "ret",
        inspect = sym inspect,
    );
}

/// The DWARF numbers of the registers from low addresses on, and that of the stack pointer, and of what is saved of
/// the caller to return to it.
#[cfg(target_arch = "x86_64")]
const PRESERVED: (&[u16], u16, u16) = (&[15, 14, 13, 12, 6, 3, 16], 7, 16);
#[cfg(target_arch = "x86")]
const PRESERVED: (&[u16], u16, u16) = (&[7, 6, 5, 3, 8], 4, 8);
#[cfg(target_arch = "arm")]
const PRESERVED: (&[u16], u16, u16) = (&[4, 5, 6, 7, 8, 9, 10, 11, 12, 14], 13, 14);
#[cfg(target_arch = "aarch64")]
const PRESERVED: (&[u16], u16, u16) = (&[19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30], 31, 30);

/// A function that is being executed, as its callee finds it.
struct Walk {
    /// Where the registers of the function are.
    registers: HashMap<u16, usize>,
    stack: usize,
}

/// # Safety
/// There is a word.
unsafe fn word(address: usize) -> usize {
    // SAFETY: as promised.
    unsafe { std::ptr::with_exposed_provenance::<usize>(address).read() }
}

impl Walk {
    fn return_address(&self) -> usize {
        // SAFETY: the registers are on the stack.
        unsafe { word(self.registers[&PRESERVED.2]) }
    }

    fn register(&self, number: u16) -> usize {
        // SAFETY: as above.
        if number == PRESERVED.1 { self.stack } else { unsafe { word(self.registers[&number]) } }
    }

    fn address(&self, base: u16, offset: i32) -> usize {
        self.register(base).wrapping_add_signed(offset as isize)
    }

    /// The bits of a part of a value.
    fn bits(&self, place: LivePlace, bytes: u32) -> u64 {
        let at = match place {
            LivePlace::Constant(number) => return number as u64,
            LivePlace::Object { base, offset } => return self.address(base, offset) as u64,
            LivePlace::Register(number) => self.registers[&number],
            LivePlace::Memory { base, offset } => self.address(base, offset),
        };
        let mut whole = [0; 8];
        // SAFETY: the value is there.
        let part =
            unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(at), bytes as usize) };
        whole[..bytes as usize].copy_from_slice(part);
        u64::from_le_bytes(whole)
    }

    fn value(&self, value: &LiveValue) -> u64 {
        let bytes = value.ty.bytes();
        match value.high {
            Some(high) => self.bits(value.place, bytes / 2) | self.bits(high, bytes / 2) << (4 * bytes),
            None => self.bits(value.place, bytes),
        }
    }

    /// Goes to the caller of the function that has made a call.
    fn leave(&mut self, site: &LiveSite) {
        let frame = site.frame();
        let end = self.address(frame.base.0, -frame.base.1);
        for saved in &frame.saved {
            self.registers.insert(saved.register, end.wrapping_add_signed(saved.offset as isize));
        }
        self.stack = end;
    }
}

type Inspector = Box<dyn Fn(&Jit, Walk) -> i32>;

thread_local! {
    static JIT: RefCell<Option<Jit>> = const { RefCell::new(None) };
    static INSPECTOR: RefCell<Option<Inspector>> = const { RefCell::new(None) };
    static OBJECTS: Cell<[i32; 8]> = const { Cell::new([0; 8]) };
}

extern "C" fn inspect(preserved: usize) -> i32 {
    let size = size_of::<usize>();
    let registers = (preserved..).step_by(size);
    let mut registers: HashMap<u16, usize> = PRESERVED.0.iter().copied().zip(registers).collect();
    if cfg!(target_arch = "arm") {
        // d8 to d15, and their halves s16 to s31, below.
        registers.extend((0..8u16).map(|n| (264 + n, preserved - 64 + 8 * usize::from(n))));
        registers.extend((0..16u16).map(|n| (80 + n, preserved - 64 + 4 * usize::from(n))));
    }
    if cfg!(target_arch = "aarch64") {
        // d8 to d15, below.
        registers.extend((0..8u16).map(|n| (72 + n, preserved - 64 + 8 * usize::from(n))));
    }
    let stack = preserved + PRESERVED.0.len() * size;
    JIT.with_borrow(|jit| {
        let jit = jit.as_ref().expect("it was set");
        INSPECTOR
            .with_borrow(|inspector| inspector.as_ref().expect("it was set")(jit, Walk { registers, stack }))
    })
}

fn builder(recipe: ice_driver::Recipe) -> JitBuilder {
    Jit::builder(recipe).symbol("collect", called as *const ()).symbol("exit", called as *const ())
}

/// Each function keeps the address of an object in an object of its frame, and a number in a value.
const RECURSIVE: &str = "declare external @collect() -> i32\n\
define external @descend(v0: i32, v1: ptr) -> i32 {\n  v2: ptr = 4\n  v3: i32 = 1\n  v15: i32 = 8\n  v4: i32 = 0\n\
block0:\n  v5: ptr = alloca v15, align 8\n  store v1 to v5, align 1\n  v6: i1 = icmp eq v0, v4\n  br v6, block1, block2\n\
block1:\n  v7: i32 = call @collect() live(v5, v0)\n  br block3\n\
block2:\n  v8: i32 = sub v0, v3\n  v9: ptr = add v1, v2\n  v10: i32 = call @descend(v8, v9) live(v5, v0, v3)\n  br block3\n\
block3:\n  v11: i32 = phi [v7, block1], [v10, block2]\n  v12: ptr = load v5, align 1\n  v13: i32 = load v12, align 1\n  \
v14: i32 = add v11, v13\n  ret v14\n}\n";

#[test]
fn a_walk_over_the_stack_moves_objects() -> Result<(), Error> {
    for recipe in RECIPES {
        let jit = builder(recipe).build()?;
        let module = load(&jit, RECURSIVE)?;
        // SAFETY: the code is that of the text; the module is there.
        let descend = unsafe { module.get::<extern "C" fn(i32, *const i32) -> i32>("descend")? };
        let (old, new) = ([1, 2, 3, 4, 5, 6], [10, 20, 30, 40, 50, 60]);
        let (from, to) = (old.as_ptr().expose_provenance(), new.as_ptr().expose_provenance());
        JIT.set(Some(jit.clone()));
        INSPECTOR.set(Some(Box::new(move |jit, mut walk| {
            let mut depth = 0;
            while let Some(site) = jit.live_at(walk.return_address()) {
                let values = site.values();
                let LivePlace::Object { .. } = values[0].place else { panic!("{values:?}") };
                assert_eq!(walk.value(&values[1]), depth);
                assert!(values.get(2).is_none_or(|value| value.place == LivePlace::Constant(1)));
                let root = walk.value(&values[0]) as usize;
                // SAFETY: the object of the frame has an address in it.
                unsafe {
                    let moved = word(root) - from + to;
                    std::ptr::with_exposed_provenance_mut::<usize>(root).write(moved);
                }
                assert_eq!(site.count(), if depth == 0 { 0 } else { depth - 1 });
                depth += 1;
                walk.leave(&site);
            }
            depth as i32
        })));
        assert_eq!(descend(5, old.as_ptr()), 6 + 210, "{recipe:?}");
        drop(module);
        assert!(jit.live_at(descend as usize).is_none());
    }
    Ok(())
}

/// More values than there are registers, of all kinds, behind a guard.
const GUARDED: &str = "declare external @exit(i32) -> i32\n\
define external @guarded(v0: i32, v1: i64, v2: f64, v3: f32) -> i32 {\n  v4: i32 = 7\n  v5: i64 = 3\n  v6: i32 = 100\n\
block0:\n  v7: i32 = mul v0, v4\n  v8: i32 = add v7, v6\n  v9: i64 = mul v1, v5\n  v10: f64 = fadd v2, v2\n  v11: f32 = fadd v3, v3\n  \
v12: i32 = xor v7, v8\n  v13: i32 = sub v8, v12\n  v14: i32 = mul v13, v12\n  v15: i8 = trunc v14\n  v16: i1 = icmp slt v0, v6\n  \
br v16, block1, block2\n\
block1:\n  v17: i32 = add v14, v13\n  v18: i64 = zext v17\n  v19: i64 = add v18, v9\n  v20: i32 = trunc v19\n  ret v20\n\
block2:\n  v21: i32 = call @exit(v7) live(v7, v8, v9, v10, v11, v12, v13, v14, v15, v6, v0, v1, v2)\n  ret v21\n}\n";

#[test]
fn exits_know_what_was_computed() -> Result<(), Error> {
    for recipe in RECIPES {
        let program = parse_program(&native(GUARDED)).expect("it is written as it should be");
        for is_lazy in [false, true] {
            let jit = builder(recipe).build()?;
            let module = match is_lazy {
                false => jit.load(&program.module, &program.bodies)?,
                true => jit.load_lazily(&program)?,
            };
            // SAFETY: the code is that of the text; the module is there.
            let guarded = unsafe { module.get::<extern "C" fn(i32, i64, f64, f32) -> i32>("guarded")? };
            JIT.set(Some(jit.clone()));
            INSPECTOR.set(Some(Box::new(|jit, walk| {
                let site = jit.live_at(walk.return_address()).expect("the call is known");
                let (a, b) = (1234i32, -5_000_000_000i64);
                let (v7, v8) = (a * 7, a * 7 + 100);
                let v13 = v8 - (v7 ^ v8);
                let v14 = v13.wrapping_mul(v7 ^ v8);
                let words = |n: i32| u64::from(n as u32);
                let expected = [
                    words(v7),
                    words(v8),
                    (b * 3) as u64,
                    5.0f64.to_bits(),
                    u64::from(1.5f32.to_bits()),
                    words(v7 ^ v8),
                    words(v13),
                    words(v14),
                    u64::from(v14 as u8),
                    100,
                    words(a),
                    b as u64,
                    2.5f64.to_bits(),
                ];
                let values: Vec<u64> = site.values().iter().map(|value| walk.value(value)).collect();
                assert_eq!(values, expected, "{:?}", site.values());
                site.count() as i32 + 40
            })));
            assert_eq!(guarded(1, 2, 0.0, 0.0), -103);
            for round in 0..3 {
                assert_eq!(guarded(1234, -5_000_000_000, 2.5, 0.75), 40 + round, "{recipe:?}");
            }
        }
    }
    Ok(())
}

/// Two guards of the builder in a row: the sum of 10 * a and b if a is positive and b below 1000.
#[test]
fn guards_leave_with_their_values() -> Result<(), Error> {
    for recipe in RECIPES {
        let jit = builder(recipe).build()?;
        let mut module = jit.module();
        let signature = Signature::new(vec![Type::I32, Type::I32], Type::I32);
        let id = module.add_function("guarded", signature.clone(), FunctionKind::Defined);
        let exit =
            module.add_function("exit", Signature::new(vec![Type::I32], Type::I32), FunctionKind::Declared);
        let mut body = Function::new();
        let mut b = FunctionBuilder::new(&mut body);
        b.begin(id, &signature);
        let entry = b.create_block();
        b.switch_to_block(entry);
        let (a, c) = (b.func.params()[0], b.func.params()[1]);
        let [zero, ten, limit] = [0, 10, 1000].map(|number| b.int_const(Type::I32, number));
        let is_positive = b.icmp(IntCond::Sgt, a, zero);
        b.guard(is_positive, exit, &[zero], &[a, c], Type::I32);
        let product = b.binary(BinaryOp::Mul, a, ten);
        let is_small = b.icmp(IntCond::Slt, c, limit);
        b.guard(is_small, exit, &[ten], &[c, product], Type::I32);
        let sum = b.binary(BinaryOp::Add, product, c);
        b.ret(Some(sum));
        // The way without exits is in one piece, and they are behind it.
        let leaves =
            |block| body.block_insts(block).any(|inst| matches!(body.inst(inst), InstData::Call { .. }));
        assert_eq!(body.blocks().map(leaves).collect::<Vec<_>>(), [false, false, false, true, true]);
        let guarded = jit.load(&module, &[body])?;
        // SAFETY: the code is that of the builder; the module is there.
        let guarded = unsafe { guarded.get::<extern "C" fn(i32, i32) -> i32>("guarded")? };
        JIT.set(Some(jit.clone()));
        let left = Rc::new(RefCell::new(Vec::new()));
        let seen = Rc::clone(&left);
        INSPECTOR.set(Some(Box::new(move |jit, walk| {
            let site = jit.live_at(walk.return_address()).expect("the call is known");
            seen.borrow_mut()
                .push(site.values().iter().map(|value| walk.value(value) as i32).collect::<Vec<_>>());
            -1
        })));
        assert_eq!([guarded(3, 4), guarded(0, 5), guarded(7, 1000), guarded(-6, 2000)], [34, -1, -1, -1]);
        assert_eq!(*left.borrow(), [[0, 5], [1000, 70], [-6, 2000]], "{recipe:?}");
    }
    Ok(())
}
