//! Functions that are compiled at their first call, and functions whose code changes.

use crate::common::{RECIPES, load, native};
use ice_ir::{Program, parse_program};
use ice_jit::{Error, Jit};
use std::sync::atomic::{AtomicBool, Ordering};

fn program(text: &str) -> Program {
    parse_program(&native(text)).expect("it is written as it should be")
}

/// Functions that call each other, with arguments in all kinds of registers; data that they share.
const MODULE: &str = "\
declare external @missing() -> void
global internal @count align 4 = zero 4
constant internal @factor align 8 = bytes \"\\03\\00\\00\\00\\00\\00\\00\\00\"
global external @table align 8 = addr @even
define external @even(v0: i32) -> i1 {
  v1: i32 = 0
  v2: i32 = 1
  v3: i1 = 1
block0:
  v4: i32 = load @count, align 4
  v5: i32 = add v4, v2
  store v5 to @count, align 4
  v6: i1 = icmp eq v0, v1
  br v6, block1, block2
block1:
  ret v3
block2:
  v7: i32 = sub v0, v2
  v8: i1 = call @odd(v7)
  ret v8
}
define internal @odd(v0: i32) -> i1 {
  v1: i32 = 0
  v2: i32 = 1
  v3: i1 = 0
block0:
  v4: i1 = icmp eq v0, v1
  br v4, block1, block2
block1:
  ret v3
block2:
  v5: i32 = sub v0, v2
  v6: i1 = call @even(v5)
  ret v6
}
define external @sum(v0: i32, v1: f64, v2: i64, v3: f32, v4: i32, v5: i32, v6: i32, v7: i64, v8: i32, v9: f64) -> f64 {
block0:
  v10: f64 = sitofp v0
  v11: f64 = sitofp v2
  v12: f64 = fpext v3
  v13: i32 = mul v4, v5
  v14: i32 = sub v13, v6
  v15: i32 = add v14, v8
  v16: f64 = sitofp v15
  v17: f64 = sitofp v7
  v18: f64 = fadd v10, v1
  v19: f64 = fadd v18, v11
  v20: f64 = fadd v19, v12
  v21: f64 = fadd v20, v16
  v22: f64 = fadd v21, v17
  v23: f64 = fadd v22, v9
  ret v23
}
define external @calls() -> i32 {
block0:
  v1: i32 = load @count, align 4
  v2: i32 = load @factor, align 8
  v3: i32 = mul v1, v2
  ret v3
}
define external @fails() -> void {
block0:
  call @missing()
  ret
}
";

type Sum = extern "C" fn(i32, f64, i64, f32, i32, i32, i32, i64, i32, f64) -> f64;

#[test]
fn functions_are_compiled_when_they_are_called() -> Result<(), Error> {
    for recipe in RECIPES {
        let jit = Jit::new(recipe)?;
        let module = jit.load_lazily(&program(MODULE))?;
        assert_eq!(module.compiled_functions(), Some(0));
        // SAFETY: the code is that of the functions above; the module outlives the calls.
        let (even, sum, calls) = unsafe {
            let (even, sum) = (module.get::<extern "C" fn(i32) -> bool>("even")?, module.get::<Sum>("sum")?);
            (even, sum, module.get::<extern "C" fn() -> i32>("calls")?)
        };
        assert_eq!(sum(1, 2.5, -3, 4.25, 5, 6, 7, 8, 9, 0.125), 1.0 + 2.5 - 3.0 + 4.25 + 32.0 + 8.0 + 0.125);
        assert_eq!(module.compiled_functions(), Some(1));
        assert!(even(0));
        assert_eq!(module.compiled_functions(), Some(2));
        assert_eq!([even(10), even(7)], [true, false]);
        assert_eq!(module.compiled_functions(), Some(3));
        assert_eq!(calls(), 3 * (1 + 6 + 4));
        // An address is that of the thunk, in data as for callers.
        // SAFETY: the variable holds an address; nothing runs.
        assert_eq!(unsafe { *module.variable("table")?.cast::<usize>() }, even as usize);
        assert!(matches!(module.compile_all(), Err(Error::Unresolved(names)) if names == ["missing"]));
        // Another module calls through the thunk, too.
        let user = "declare external @even(i32) -> i1\n\
            define external @user(v0: i32) -> i1 {\nblock0:\n  v1: i1 = call @even(v0)\n  ret v1\n}\n";
        let user = load(&jit, user)?;
        drop(module);
        // SAFETY: the code is that of the function above.
        assert!(!unsafe { user.get::<extern "C" fn(i32) -> bool>("user")? }(33));
    }
    Ok(())
}

/// Functions that preserve nothing have arguments in registers in which nobody else does.
#[test]
fn arguments_are_kept_wherever_they_are_while_a_function_is_compiled() -> Result<(), Error> {
    const PARAMS: usize = 30;
    let list = |item: &dyn Fn(usize) -> String| (0..PARAMS).map(item).collect::<Vec<_>>().join(", ");
    let mut text = format!(
        "sig0 = ({}) -> ptr preserve_none\ndefine internal @many({}) -> ptr: sig0 {{\n  v40: ptr = 31\nblock0:\n  \
         v50: ptr = mul v0, v40\n",
        list(&|_| String::from("ptr")),
        list(&|n| format!("v{n}: ptr"))
    );
    // Horner's scheme, in which no argument can stand in for another.
    for n in 1..PARAMS {
        text += &format!("  v{}: ptr = add v{}, v{n}\n  ", 100 + n, 49 + n);
        text += &format!("v{}: ptr = mul v{}, v40\n", 50 + n, 100 + n);
    }
    text += &format!("  ret v{}\n}}\n", 49 + PARAMS);
    text += "define external @calls(v0: ptr) -> ptr {\n";
    (1..PARAMS).for_each(|n| text += &format!("  v{}: ptr = {}\n", 50 + n, n * n));
    text += "block0:\n";
    (1..PARAMS).for_each(|n| text += &format!("  v{n}: ptr = add v0, v{}\n", 50 + n));
    text += &format!("  v99: ptr = call @many({})\n  ret v99\n}}\n", list(&|n| format!("v{n}")));
    for recipe in RECIPES {
        let module = Jit::new(recipe)?.load_lazily(&program(&text))?;
        // SAFETY: the code is that of the text; the module is there.
        let calls = unsafe { module.get::<extern "C" fn(usize) -> usize>("calls")? };
        let horner = |sum: usize, n| (sum.wrapping_add(5 + n * n)).wrapping_mul(31);
        assert_eq!(calls(5), (0..PARAMS).fold(0, horner), "{recipe:?}");
        assert_eq!(module.compiled_functions(), Some(2));
    }
    Ok(())
}

/// Vectors of 256 bits are arguments, too, in functions for processors that have them.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[test]
fn wide_arguments_are_kept_while_a_function_is_compiled() -> Result<(), Error> {
    const WIDE: &str = "\
sig0 = (v4i32 pair, v4i32, v4i32 pair, v4i32, v4i32 pair, v4i32, ptr) -> void
define internal wide_registers @sum(v0: v4i32, v1: v4i32, v2: v4i32, v3: v4i32, v4: v4i32, v5: v4i32, v6: ptr) -> void: sig0 {
block0:
  v10: v8i32 = join v0, v1
  v11: v8i32 = join v2, v3
  v12: v8i32 = join v4, v5
  v13: v8i32 = add v10, v11
  v14: v8i32 = sub v13, v12
  store v14 to v6, align 4
  ret
}
define external wide_registers @sums(v0: ptr, v1: ptr, v2: ptr, v3: ptr) -> void {
block0:
  v10: v8i32 = load v0, align 4
  v11: v8i32 = load v1, align 4
  v12: v8i32 = load v2, align 4
  v20: v4i32 = half v10, 0
  v21: v4i32 = half v10, 1
  v22: v4i32 = half v11, 0
  v23: v4i32 = half v11, 1
  v24: v4i32 = half v12, 0
  v25: v4i32 = half v12, 1
  call @sum(v20, v21, v22, v23, v24, v25, v3)
  ret
}
";
    if !std::arch::is_x86_feature_detected!("avx2") {
        return Ok(());
    }
    type Sums = extern "C" fn(*const i32, *const i32, *const i32, *mut i32);
    for recipe in RECIPES {
        let module = Jit::new(recipe)?.load_lazily(&program(WIDE))?;
        // SAFETY: the code is that of the text, and the processor has its instructions; the module is there.
        let sums = unsafe { module.get::<Sums>("sums")? };
        let [a, b, c] = [3, 100, 7000].map(|n| [1, 2, 3, 4, 5, 6, 7, 8].map(|lane| lane * n));
        let mut out = [0; 8];
        sums(a.as_ptr(), b.as_ptr(), c.as_ptr(), out.as_mut_ptr());
        assert_eq!(out, [1, 2, 3, 4, 5, 6, 7, 8].map(|lane| lane * (3 + 100 - 7000)), "{recipe:?}");
    }
    Ok(())
}

#[test]
fn threads_may_call_a_function_for_the_first_time_at_once() -> Result<(), Error> {
    for round in 0..20 {
        let jit = Jit::new(RECIPES[round % 2])?;
        let module = jit.load_lazily(&program(MODULE))?;
        // SAFETY: the code is that of the function above; the module outlives the calls.
        let sum = unsafe { module.get::<Sum>("sum")? };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(sum(1, 2.0, 3, 4.0, 5, 6, 7, 8, 9, 10.0), 60.0));
            }
        });
        assert_eq!(module.compiled_functions(), Some(1));
    }
    Ok(())
}

const CALLER: &str = "\
declare external @site(i32) -> i32
define external @caller(v0: i32) -> i32 {
block0:
  v1: i32 = call @site(v0)
  v2: i32 = call @site(v1)
  ret v2
}
";

/// A module with `@step_N`, which adds N.
fn step(number: u32) -> String {
    format!(
        "define external @step_{number}(v0: i32) -> i32 {{\n  v1: i32 = {number}\nblock0:\n  v2: i32 = add v0, v1\n  ret v2\n}}\n"
    )
}

#[test]
fn targets_change_while_others_call() -> Result<(), Error> {
    for recipe in RECIPES {
        let jit = Jit::new(recipe)?;
        let declared = program(CALLER).module;
        let function = declared.function_by_name(b"site").expect("it is declared");
        let site = jit.patchable(&declared, function)?;
        let caller = load(&jit, CALLER)?;
        // SAFETY: the code is that of the function above; the module outlives the calls.
        let call = unsafe { caller.get::<extern "C" fn(i32) -> i32>("caller")? };
        let mut old = vec![site.set(&load(&jit, &step(1))?, "step_1")?];
        assert_eq!(call(0), 2);
        let is_done = AtomicBool::new(false);
        std::thread::scope(|scope| -> Result<(), Error> {
            for _ in 0..3 {
                scope.spawn(|| {
                    let mut last = 2;
                    while !is_done.load(Ordering::Relaxed) {
                        // Both calls see some target, the second one no older than the first.
                        let now = call(0);
                        assert!((last..=400).contains(&now), "{now} after {last}");
                        last = now;
                    }
                });
            }
            for number in 2..=200 {
                old.push(site.set(&load(&jit, &step(number))?, &format!("step_{number}"))?);
            }
            is_done.store(true, Ordering::Relaxed);
            Ok(())
        })?;
        assert_eq!(call(0), 400);
        assert_eq!(old.iter().flatten().count(), 199);
        let error = site
            .set(&load(&jit, MODULE.split_once("define external @fails").expect("it is there").0)?, "sum");
        let error = error.err().expect("the types are others").to_string();
        assert!(
            error.starts_with("sum has the type (i32, f64,") && error.ends_with("called as (i32) -> i32"),
            "{error}"
        );
        // A site may be called from Rust, and go to a function that is compiled then.
        let lazy = jit.load_lazily(&program(&step(1000)))?;
        drop(site.set(&lazy, "step_1000")?);
        // SAFETY: the code is that of `step`; nobody is in the former target.
        assert_eq!(unsafe { site.module().get::<extern "C" fn(i32) -> i32>("site")? }(1), 1001);
        assert_eq!((call(5), lazy.compiled_functions()), (2005, Some(1)));
    }
    Ok(())
}

/// Functions of a module that call each other: `twice` calls `once`, which adds 1.
const REDIRECTED: &str = "\
define external @once(v0: i32) -> i32 {
  v1: i32 = 1
block0:
  v2: i32 = add v0, v1
  ret v2
}
define external @twice(v0: i32) -> i32 {
block0:
  v1: i32 = call @once(v0)
  v2: i32 = call @once(v1)
  ret v2
}
";

#[test]
fn entries_are_redirected_while_others_call() -> Result<(), Error> {
    for recipe in RECIPES {
        let jit = Jit::new(recipe)?;
        let module = jit.load_lazily(&program(REDIRECTED))?;
        // SAFETY: the code is that of the functions above; the module outlives the calls.
        let twice = unsafe { module.get::<extern "C" fn(i32) -> i32>("twice")? };
        // Before the function itself was ever compiled: its own code does not take the entry back.
        assert!(module.redirect("once", &load(&jit, &step(10))?, "step_10")?.is_none());
        module.compile_all()?;
        assert_eq!(twice(0), 20);
        let steps: Vec<_> = (0..4).map(|n| load(&jit, &step(n + 1))).collect::<Result<_, _>>()?;
        let is_done = AtomicBool::new(false);
        std::thread::scope(|scope| -> Result<(), Error> {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !is_done.load(Ordering::Relaxed) {
                        let sum = twice(0);
                        assert!((2..=20).contains(&sum), "{sum}");
                    }
                });
            }
            for round in 0..400 {
                let n = round % 5;
                let former = match steps.get(n) {
                    Some(step) => module.redirect("once", step, &format!("step_{}", n + 1))?,
                    None => module.restore("once")?,
                };
                // The module of the round before; the one before the first is `step_10`, and own code has none.
                assert_eq!(former.is_none(), n == 0 && round > 0);
            }
            is_done.store(true, Ordering::Relaxed);
            Ok(())
        })?;
        assert_eq!(twice(0), 2);
        let fixed = load(&jit, &step(7))?;
        let refused = |result: Result<Option<ice_jit::LoadedModule>, Error>| {
            result.err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert_eq!(
            refused(fixed.redirect("step_7", &steps[0], "step_1")),
            "the entry of step_7 is fixed: its module was not loaded lazily"
        );
        assert_eq!(
            refused(module.redirect("none", &steps[0], "step_1")),
            "the module defines no function none"
        );
        let other = jit.load_lazily(&program(&MODULE.replace("@count", "@number")))?;
        assert!(
            refused(module.redirect("once", &other, "even")).starts_with("even has the type (i32) -> i1")
        );
    }
    Ok(())
}
