//! Modules that are loaded, called, linked with each other, and unloaded.

use crate::common::{RECIPES, load, native};
use ice_driver::{InputFormat, Recipe};
use ice_jit::{Error, Jit, JitBuilder, LoadedModule, ProcessSymbols};

fn builders() -> impl Iterator<Item = JitBuilder> {
    RECIPES.into_iter().map(Jit::builder)
}

#[test]
fn functions_are_called_with_their_types() -> Result<(), Error> {
    const TEXT: &str = "\
define external @mix(v0: i32, v1: i64, v2: f64, v3: f32) -> f64 {
  v4: f64 = 0x3fe0000000000000
block0:
  v5: f64 = sitofp v0
  v6: f64 = sitofp v1
  v7: f64 = fpext v3
  v8: f64 = fadd v5, v6
  v9: f64 = fmul v8, v2
  v10: f64 = fadd v9, v7
  v11: f64 = fmul v10, v4
  ret v11
}
define internal @narrow(v0: i8, v1: i16, v2: i1) -> i8 {
  v3: i8 = 3
block0:
  v4: i8 = trunc v1
  v5: i8 = add v0, v4
  v6: i8 = select v2, v5, v3
  ret v6
}
";
    for builder in builders() {
        let jit = builder.build()?;
        let module = load(&jit, TEXT)?;
        // SAFETY: the code is that of the functions above; the module outlives the calls.
        let (mix, narrow) = unsafe {
            let mix = module.get::<extern "C" fn(i32, i64, f64, f32) -> f64>("mix")?;
            (mix, module.get::<extern "C" fn(i8, i16, bool) -> u8>("narrow")?)
        };
        assert_eq!(mix(3, -5, 0.25, 8.5), ((3.0 - 5.0) * 0.25 + 8.5) * 0.5);
        assert_eq!([narrow(-1, 0x7ff, true), narrow(1, 2, false)], [0xfe, 3]);
    }
    Ok(())
}

/// Constants of code, constant and variable globals, zeros, jump tables, addresses and distances in data, aliases.
const DATA: &str = "\
constant internal @words align 64 = bytes \"\\01\\00\\00\\00\\02\\00\\00\\00\"
global external @counter align 8 = bytes \"\\07\\00\\00\\00\\00\\00\\00\\00\"
global external @wide align 4096 = zero 100
global common @shared align 16 = zero 16
global external @addresses align 8 = addr @wide + 96, addr @second, addr @other_name
constant internal @distance align 4 = relative @counter
global external alias @other_name = addr @counter + 4
define external @count(v0: i64) -> i64 {
block0:
  v1: i64 = load @counter, align 8
  v2: i64 = add v1, v0
  store v2 to @counter, align 8
  ret v2
}
define internal @second() -> i32 {
  v1: ptr = 4
block0:
  v2: ptr = add @words, v1
  v3: i32 = load v2, align 4
  ret v3
}
define external @through_address() -> i32 {
  v1: ptr = WIDTH
block0:
  v2: ptr = add @addresses, v1
  v3: ptr = load v2, align 4
  v4: i32 = call_indirect v3()
  ret v4
}
define external @far_number(v0: f64) -> f64 {
  v1: f64 = 0x400921fb54442d18
block0:
  v2: f64 = fmul v0, v1
  ret v2
}
define external @choose(v0: i32) -> i32 {
  v1: i32 = 10
  v2: i32 = 20
  v3: i32 = 30
  v4: i32 = 40
  v5: i32 = 50
  v6: i32 = 60
block0:
  switch v0, block7 [0: block1, 1: block2, 2: block3, 3: block4, 4: block5, 5: block6]
block1:
  ret v1
block2:
  ret v2
block3:
  ret v3
block4:
  ret v4
block5:
  ret v5
block6:
  ret v6
block7:
  ret v0
}
";

#[test]
fn data_is_where_code_looks_for_it() -> Result<(), Error> {
    let text = DATA.replace("WIDTH", &size_of::<usize>().to_string());
    for builder in builders() {
        let jit = builder.build()?;
        let module = load(&jit, &text)?;
        // SAFETY: the code is that of the functions above; the module outlives the calls.
        unsafe {
            let count = module.get::<extern "C" fn(i64) -> i64>("count")?;
            assert_eq!([count(1), count(-10)], [8, -2]);
            assert_eq!(module.get::<extern "C" fn() -> i32>("through_address")?(), 2);
            assert_eq!(
                module.get::<extern "C" fn(f64) -> f64>("far_number")?(2.0),
                2.0 * std::f64::consts::PI
            );
            let choose = module.get::<extern "C" fn(i32) -> i32>("choose")?;
            assert_eq!([0, 1, 2, 3, 4, 5, 6, -1].map(|n| choose(n)), [10, 20, 30, 40, 50, 60, 6, -1]);
        }
        let [counter, wide, other, shared, words, distance] =
            ["counter", "wide", "other_name", "shared", "words", "distance"]
                .map(|name| module.variable(name));
        let (counter, wide, words, distance) = (counter?, wide?, words?, distance?);
        assert_eq!(other?.addr(), counter.addr() + 4);
        assert_eq!([wide.addr() % 4096, shared?.addr() % 16, words.addr() % 64], [0; 3]);
        // SAFETY: the module is loaded and nothing of it runs.
        unsafe {
            assert_eq!(*counter.cast::<i64>(), -2);
            assert_eq!(*wide.cast::<[u8; 100]>(), [0; 100]);
            assert_eq!(*module.variable("addresses")?.cast::<usize>(), wide.addr() + 96);
            let from = distance.addr().wrapping_add_signed(*distance.cast::<i32>() as isize);
            assert_eq!(from, counter.addr());
        }
    }
    Ok(())
}

extern "C" fn triple(number: i32) -> i32 {
    3 * number
}

extern "C" fn negate(number: i32) -> i32 {
    -number
}

static WORD: i32 = 77;

const USER: &str = "\
declare external @first(i32) -> i32
declare external @second(i32) -> i32
declare weak @nowhere() -> void
declare external @memcpy(ptr, ptr, ptr) -> ptr
global external declared @word
define external @both(v0: i32) -> i32 {
block0:
  v1: i32 = call @first(v0)
  v2: i32 = call @second(v1)
  v3: i32 = load @word, align 4
  v4: i32 = add v2, v3
  ret v4
}
define external @is_there() -> i1 {
  v1: ptr = 0
block0:
  v2: i1 = icmp ne @nowhere, v1
  ret v2
}
";

#[test]
fn names_come_from_modules_tables_closures_and_the_process() -> Result<(), Error> {
    for builder in builders() {
        let word = (&raw const WORD) as usize;
        let jit = builder
            .symbol("first", triple as *const ())
            .resolver(move |name| match name {
                "word" => Some(std::ptr::with_exposed_provenance(word)),
                // The table comes first.
                "first" => Some(negate as *const ()),
                _ => None,
            })
            .build()?;
        let second = "define external @second(v0: i32) -> i32 {\n  v1: i32 = 1\nblock0:\n  v2: i32 = add v0, v1\n  ret v2\n}\n";
        let provider = load(&jit, second)?;
        let user = load(&jit, USER)?;
        drop(provider);
        // SAFETY: the code is that of the functions above, and so are the types of what they call.
        let (both, is_there) = unsafe {
            (user.get::<extern "C" fn(i32) -> i32>("both")?, user.get::<extern "C" fn() -> bool>("is_there")?)
        };
        // The user keeps what it uses.
        assert_eq!(both(5), 15 + 1 + 77);
        assert!(!is_there());
        let again = load(&jit, second);
        assert!(matches!(again, Err(Error::Duplicate(name)) if name == "second"));
        drop(user);
        load(&jit, second)?;
    }
    Ok(())
}

#[test]
fn the_process_is_seen_if_asked_for() -> Result<(), Error> {
    let text = "declare external @labs(ptr) -> ptr\n\
        define external @f(v0: ptr) -> ptr {\nblock0:\n  v1: ptr = call @labs(v0)\n  ret v1\n}\n";
    assert!(matches!(load(&Jit::new(Recipe::O2)?, text), Err(Error::Unresolved(names)) if names == ["labs"]));
    let jit = Jit::builder(Recipe::O2).process_symbols(ProcessSymbols::Visible).build()?;
    let module = load(&jit, text)?;
    // SAFETY: the code is that of the function above.
    let f = unsafe { module.get::<extern "C" fn(isize) -> isize>("f")? };
    assert_eq!(f(-5), 5);
    Ok(())
}

#[test]
fn helpers_of_the_code_generator_are_there() -> Result<(), Error> {
    let text =
        "define external @rest(v0: f64, v1: f64) -> f64 {\nblock0:\n  v2: f64 = frem v0, v1\n  ret v2\n}\n";
    let module = load(&Jit::new(Recipe::O2)?, text)?;
    // SAFETY: the code is that of the function above.
    let rest = unsafe { module.get::<extern "C" fn(f64, f64) -> f64>("rest")? };
    assert_eq!(rest(7.5, -2.0), 1.5);
    Ok(())
}

#[test]
fn memory_is_used_again() -> Result<(), Error> {
    let jit = Jit::new(Recipe::Om1)?;
    let text = |n: u32| {
        format!(
            "global internal @g align 8 = zero {}\n\
             define external @f() -> i32 {{\n  v1: i32 = {n}\nblock0:\n  v2: i32 = load @g, align 4\n  v3: i32 = add v1, v2\n  store v3 to @g, align 4\n  ret v3\n}}\n",
            8 + 4096 * (n % 3)
        )
    };
    let mut addresses = std::collections::HashSet::new();
    for n in 1..2000 {
        let module = load(&jit, &text(n))?;
        // SAFETY: the code is that of the function above; the module is there.
        let f = unsafe { module.get::<extern "C" fn() -> i32>("f")? };
        addresses.insert(f as usize);
        // The variable is zero at first, whatever was there.
        assert_eq!([f(), f()].map(|sum| sum as u32), [n, 2 * n]);
    }
    assert_eq!(addresses.len(), 1);
    Ok(())
}

#[test]
fn large_modules_get_room_of_their_own() -> Result<(), Error> {
    let jit = Jit::new(Recipe::O2)?;
    let small = load(&jit, "global external @small align 8 = zero 8\n")?;
    let large = load(&jit, "global external @large align 8 = zero 300000000\n")?;
    let (small, large) = (small.variable("small")?.addr(), large.variable("large")?.addr());
    assert!(small + 8 <= large || large + 300_000_000 <= small);
    let error = load(&jit, "global external @huge align 8 = zero 4000000000\n").err();
    assert!(matches!(error, Some(Error::TooLarge { .. })), "{error:?}");
    Ok(())
}

/// Addresses of 32 bits lie below 2 GiB, where all else of a process of 64 bits is too far for a call.
#[test]
fn calls_of_what_is_far_go_through_veneers() -> Result<(), Error> {
    const TEXT: &str = "\
declare external @first(i32) -> i32
declare external @second(i32) -> i32
define external @f(v0: i32) -> i32 {
block0:
  v1: i32 = call @first(v0)
  v2: i32 = call @second(v1)
  v3: i32 = call @first(v2)
  ret v3
}
";
    for builder in builders() {
        let builder = builder.symbol("first", triple as *const ()).symbol("second", negate as *const ());
        let module = builder.build()?.load_file(TEXT.as_bytes(), InputFormat::Text)?;
        // SAFETY: the code is that of the function above, which has no stack objects.
        let f = unsafe { module.get::<extern "C" fn(i32) -> i32>("f")? };
        assert!(f as usize <= u32::MAX as usize);
        assert_eq!(f(5), -45);
    }
    Ok(())
}

#[test]
fn modules_of_the_builder_and_of_files_are_one_kind() -> Result<(), Error> {
    let text = native("define external @one() -> i32 {\n  v1: i32 = 1\nblock0:\n  ret v1\n}\n");
    let program = ice_ir::parse_program(&text).expect("it is written as it should be");
    let jit = Jit::new(Recipe::O2)?;
    let module = jit.load(&program.module, &program.bodies)?;
    let user = "declare external @one() -> i32\n\
        define external @two() -> i32 {\nblock0:\n  v1: i32 = call @one()\n  v2: i32 = call @one()\n  v3: i32 = add v1, v2\n  ret v3\n}\n";
    let user = load(&jit, user)?;
    drop(module);
    // SAFETY: the code is that of the function above.
    assert_eq!(unsafe { user.get::<extern "C" fn() -> i32>("two")? }(), 2);
    Ok(())
}

/// A scope sees what is outside of it, defines the same names for itself, and nobody outside sees those.
#[test]
fn scopes_have_names_of_their_own() -> Result<(), Error> {
    let number = |name: &str, number: u32| {
        format!("define external @{name}() -> i32 {{\n  v0: i32 = {number}\nblock0:\n  ret v0\n}}\n")
    };
    let caller = |name: &str, callee: &str| {
        format!(
            "declare external @{callee}() -> i32\n\
             define external @{name}() -> i32 {{\nblock0:\n  v0: i32 = call @{callee}()\n  ret v0\n}}\n"
        )
    };
    let call = |module: &LoadedModule, name: &str| -> Result<i32, Error> {
        // SAFETY: the code is that of the functions above; the module is there.
        Ok(unsafe { module.get::<extern "C" fn() -> i32>(name)? }())
    };
    for recipe in RECIPES {
        let jit = Jit::new(recipe)?;
        let (first, second) = (jit.scope(), jit.scope());
        let _outer = [load(&jit, &number("shared", 1))?, load(&jit, &number("hidden", 2))?];
        let hidden = load(&first, &number("hidden", 3))?;
        let _other = load(&second, &number("only_here", 4))?;
        let (a, b) = (load(&first, &caller("a", "shared"))?, load(&first, &caller("b", "hidden"))?);
        let (c, d) = (load(&jit, &caller("c", "hidden"))?, load(&second.scope(), &caller("d", "only_here"))?);
        assert_eq!([call(&a, "a")?, call(&b, "b")?, call(&c, "c")?, call(&d, "d")?], [1, 3, 2, 4]);
        for scope in [&jit, &first] {
            let missing = load(scope, &caller("e", "only_here"));
            assert!(matches!(missing, Err(Error::Unresolved(names)) if names == ["only_here"]));
        }
        // In one scope a name has one definition; when that is gone, the outer one is seen again.
        assert!(
            matches!(load(&first, &number("hidden", 5)), Err(Error::Duplicate(name)) if name == "hidden")
        );
        drop((hidden, b));
        assert_eq!(call(&load(&first, &caller("f", "hidden"))?, "f")?, 2);
        // Functions that are compiled later look where their module was loaded.
        let lazy =
            ice_ir::parse_program(&native(&caller("g", "only_here"))).expect("it is written as it should be");
        let lazy = second.load_lazily(&lazy)?;
        assert_eq!(call(&lazy, "g")?, 4);
    }
    Ok(())
}

/// Tables of the addresses of blocks and of their distances, in data and from code, and branches by them.
#[test]
fn labels_are_places_in_code() {
    let text = "\
constant private @zero = block @choose, 1
constant private @one = block @choose, 2
constant internal @table align 8 = addr @zero, addr @one
constant internal @far align 4 = distance 4, @one, @zero
define external @choose(v0: ptr) -> i32 {
  v1: i32 = 100
  v2: i32 = 7
block0:
  v3: ptr = call @entry(v0)
  indirect_br v3, block3 [1: block1, 2: block2]
block1:
  ret v1
block2:
  ret v2
block3:
  unreachable
}
define internal @entry(v0: ptr) -> ptr {
  v1: ptr = SIZE
block0:
  v2: ptr = mul v0, v1
  v3: ptr = add @table, v2
  v4: ptr = load v3, align 1
  ret v4
}
define external @agrees() -> i32 {
  v1: ptr = 1
block0:
  v2: ptr = call @entry(v1)
  v3: ptr = block_address @choose, 1
  v4: ptr = sub v2, v3
  v5: i32 = trunc v4
  v6: i32 = load @far, align 4
  v7: i1 = icmp eq v5, v6
  v8: i32 = zext v7
  ret v8
}
";
    let text = text.replace("SIZE", &size_of::<usize>().to_string());
    // Nothing is cut off where addresses have the width of the numbers.
    let text = match size_of::<usize>() {
        4 => text
            .replace("@agrees() -> i32 {", "@agrees() -> i32 {\n  v9: i32 = 0")
            .replace("v5: i32 = trunc v4", "v5: i32 = add v4, v9"),
        _ => text,
    };
    for recipe in RECIPES {
        let jit = Jit::new(recipe).expect("this machine");
        let module = load(&jit, &text).unwrap_or_else(|error| panic!("{error}"));
        // SAFETY: the functions have these types.
        let choose = unsafe { module.get::<extern "C" fn(usize) -> i32>("choose") }.expect("it is there");
        let agrees = unsafe { module.get::<extern "C" fn() -> i32>("agrees") }.expect("it is there");
        assert_eq!((choose(0), choose(1), agrees()), (100, 7, 1));
    }
}
