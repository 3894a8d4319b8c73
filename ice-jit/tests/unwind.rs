//! Panics that pass through generated code.

use crate::common::{RECIPES, load, native};
use ice_driver::Recipe;
use ice_ir::native::UnwindTables;
use ice_jit::{Error, Jit};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

/// What is thrown.
struct Thrown(i64);

/// Functions that have been left by a panic.
static LEFT: AtomicU32 = AtomicU32::new(0);

struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        LEFT.fetch_add(1, Ordering::Relaxed);
    }
}

extern "C-unwind" fn throws(number: i64) -> i64 {
    let _guard = Guard;
    if number % 3 == 0 {
        std::panic::resume_unwind(Box::new(Thrown(number)));
    }
    number
}

/// Goes from generated code to Rust and back to generated code.
extern "C-unwind" fn between(function: extern "C-unwind" fn(i64, i64) -> i64, number: i64) -> i64 {
    let _guard = Guard;
    function(number, number)
}

type Function = extern "C-unwind" fn(i64, i64) -> i64;

/// Values live over the call are in registers that are the caller's, on the stack, and in a frame of unknown size.
const TEXT: &str = "declare external @throws(i64) -> i64\n\
declare external @between(ptr, i64) -> i64\n\
define external @inner(v0: i64, v1: i64) -> i64 {\n  v2: i64 = 3\nblock0:\n  v3: i64 = mul v0, v2\n  v4: i64 = call @throws(v0)\n  \
v5: i64 = add v3, v4\n  v6: i64 = add v5, v1\n  ret v6\n}\n\
define external @grows(v0: i64, v1: i64) -> i64 {\n  v2: i64 = 15\n  v3: i32 = 64\nblock0:\n  v4: i64 = and v0, v2\n  v5: i32 = trunc v4\n  \
v6: i32 = add v5, v3\n  v7: ptr = alloca v6, align 8\n  store v1 to v7, align 8\n  v8: i64 = call @inner(v0, v1)\n  v9: i64 = load v7, align 8\n  \
v10: i64 = add v8, v9\n  ret v10\n}\n\
define external @outer(v0: i64, v1: i64) -> i64 {\n  v2: ptr = @grows\nblock0:\n  v3: i64 = add v0, v1\n  v4: i64 = call @between(v2, v0)\n  \
v5: i64 = add v3, v4\n  ret v5\n}\n";

fn builder(recipe: Recipe) -> ice_jit::JitBuilder {
    Jit::builder(recipe)
        .symbol("throws", throws as *const ())
        .symbol("between", between as *const ())
        .unwind_tables(UnwindTables::Sync)
}

/// What comes of a call: a result, or what was thrown.
fn outcome(function: Function, number: i64) -> Result<i64, i64> {
    let call = || function(number, 100);
    catch_unwind(AssertUnwindSafe(call)).map_err(|thrown| thrown.downcast::<Thrown>().expect("ours").0)
}

#[test]
fn a_panic_passes_through() -> Result<(), Error> {
    for recipe in RECIPES {
        let jit = builder(recipe).build()?;
        // Memory is used again, and so are addresses of tables.
        for round in 0..3 {
            let module = load(&jit, TEXT)?;
            // SAFETY: the code is that of the text; the module is there.
            let outer = unsafe { module.get::<Function>("outer")? };
            for number in [1, 3, 4, 6, 7] {
                let before = LEFT.load(Ordering::Relaxed);
                let expected = if number % 3 == 0 { Err(number) } else { Ok(number * 7 + 100) };
                assert_eq!(outcome(outer, number), expected, "{recipe:?} {round}");
                assert!(LEFT.load(Ordering::Relaxed) >= before + 2, "guards are dropped on the way");
            }
        }
    }
    Ok(())
}

unsafe extern "C" {
    fn dlsym(handle: *const u8, name: *const std::ffi::c_char) -> *const ();
}

/// What cleanups have been told.
static CLEANED: AtomicU32 = AtomicU32::new(0);

extern "C" fn cleaned(number: i64) {
    CLEANED.fetch_add(number as u32, Ordering::Relaxed);
}

const CLEANS: &str = "declare external @throws(i64) -> i64\n\
declare external @cleaned(i64) -> void\n\
declare external @_Unwind_Resume(ptr) -> void\n\
declare external @__gcc_personality_v0() -> i32\n\
define external @cleans(v0: i64, v1: i64) -> i64 {\n  personality @__gcc_personality_v0 ()\n  v2: i64 = 3\n\
block0:\n  v3: i64 = mul v0, v2\n  invoke @throws(v0) -> i64 to block1 unwind block2\n\
block1:\n  v4: i64 = invoke_result\n  v5: i64 = add v3, v4\n  v6: i64 = add v5, v1\n  ret v6\n\
block2:\n  v7: ptr = landing_pad cleanup\n  call @cleaned(v3)\n  call @_Unwind_Resume(v7)\n  unreachable\n}\n";

/// Generated code cleans up behind a panic, with a value that lives across the call, and lets it go on.
#[test]
fn a_panic_is_cleaned_up_behind() -> Result<(), Error> {
    // To link with them would bring a second unwinder into the program.
    // SAFETY: names are looked up among those that are there.
    let [routine, resume] = [c"__gcc_personality_v0", c"_Unwind_Resume"]
        .map(|name| unsafe { dlsym(std::ptr::null(), name.as_ptr()) });
    assert!(!routine.is_null() && !resume.is_null());
    for recipe in RECIPES {
        let jit = builder(recipe)
            .symbol("cleaned", cleaned as *const ())
            .symbol("_Unwind_Resume", resume)
            .symbol("__gcc_personality_v0", routine)
            .build()?;
        let module = load(&jit, CLEANS)?;
        // SAFETY: the code is that of the text; the module is there.
        let cleans = unsafe { module.get::<Function>("cleans")? };
        for (number, told) in [(1, 0), (6, 18), (7, 0), (9, 27)] {
            let before = CLEANED.load(Ordering::Relaxed);
            let expected = if number % 3 == 0 { Err(number) } else { Ok(number * 4 + 100) };
            assert_eq!(outcome(cleans, number), expected, "{recipe:?}");
            assert_eq!(CLEANED.load(Ordering::Relaxed), before + told, "{recipe:?} {number}");
        }
    }
    Ok(())
}

/// Each function comes with tables of its own when it is first called.
#[test]
fn a_panic_passes_through_functions_that_are_compiled_at_their_first_call() -> Result<(), Error> {
    let jit = builder(Recipe::O2).build()?;
    let program = ice_ir::parse_program(&native(TEXT)).expect("a program");
    let module = jit.load_lazily(&program)?;
    // SAFETY: the code is that of the text; the module is there.
    let outer = unsafe { module.get::<Function>("outer")? };
    assert_eq!(outcome(outer, 9), Err(9));
    assert_eq!(outcome(outer, 2), Ok(114));
    Ok(())
}

/// Unwinders do not know functions at multiples of 4 GiB, so no code is put there though the system would: it gives addresses
/// from the top down, and all that are between the last it gave and the next such multiple are taken away.
#[cfg(target_pointer_width = "64")]
#[test]
fn a_panic_passes_through_code_wherever_there_is_room() -> Result<(), Error> {
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
    /// What the system is asked for if code, constants and variables are small.
    const CHUNK: usize = 64 << 20;
    let take = |size| {
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: a mapping at a place of the system's choice touches nothing that exists.
        unsafe { mmap_anonymous(std::ptr::null_mut(), size, ProtFlags::empty(), flags) }
            .expect("there is room")
    };
    let last = take(CHUNK);
    let above = last.addr() % (1 << 32);
    let size = if above > CHUNK { above - CHUNK } else { above + (1 << 32) - CHUNK };
    let taken = take(size);
    let jit = builder(Recipe::O2).build()?;
    let module = load(&jit, TEXT)?;
    for (at, size) in [(last, CHUNK), (taken, size)] {
        // SAFETY: the mappings were made above.
        unsafe { munmap(at, size) }.expect("it is mapped");
    }
    // SAFETY: the code is that of the text; the module is there.
    let inner = unsafe { module.get::<Function>("inner")? };
    assert_eq!(outcome(inner, 9), Err(9), "{inner:?}");
    Ok(())
}
