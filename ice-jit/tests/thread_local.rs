//! Thread-local variables: every thread has its copy, modules see those of others, copies go with threads and modules.

use crate::common::{RECIPES, load, native};
use ice_ir::parse_program;
use ice_jit::{Error, Jit, LoadedModule};

/// A counter that begins at 40, an array of zeros, and the address of another variable.
const OWNER: &str = "\
global external thread_local @counter align 4 = bytes \"\\28\\00\\00\\00\"
global internal thread_local_exec @zeros align 64 = zero 4096
global external thread_local_initial_exec @address align 8 = addr @shared
global internal @shared align 4 = bytes \"\\07\\00\\00\\00\"
intrinsic external @llvm.threadlocal.address(ptr) -> ptr as threadlocal.address
define external @bump(v0: i32) -> i32 {
  v1: ptr = @counter
  v2: ptr = @zeros
  v3: ptr = @address
  v4: ptr = 1024
block0:
  v5: ptr = call @llvm.threadlocal.address(v1)
  v6: i32 = load v5, align 4
  v7: i32 = add v6, v0
  store v7 to v5, align 4
  v8: ptr = call @llvm.threadlocal.address(v2)
  v9: ptr = add v8, v4
  v10: i32 = load v9, align 4
  v11: i32 = add v10, v0
  store v11 to v9, align 4
  v12: ptr = call @llvm.threadlocal.address(v3)
  v13: ptr = load v12, align 1
  v14: i32 = load v13, align 4
  v15: i32 = add v14, v11
  v16: i32 = add v15, v7
  ret v16
}
define external @where() -> ptr {
  v1: ptr = @zeros
block0:
  v2: ptr = call @llvm.threadlocal.address(v1)
  ret v2
}
";

const USER: &str = "\
global external thread_local declared @counter
intrinsic external @llvm.threadlocal.address(ptr) -> ptr as threadlocal.address
define external @peek() -> i32 {
  v1: ptr = @counter
block0:
  v2: ptr = call @llvm.threadlocal.address(v1)
  v3: i32 = load v2, align 4
  ret v3
}
";

type Bump = extern "C" fn(i32) -> i32;

fn check(jit: &Jit, owner: LoadedModule) -> Result<(), Error> {
    let user = load(jit, USER)?;
    // SAFETY: the code is that of the functions above; the modules outlive the calls.
    let (bump, find, peek) = unsafe {
        let (bump, find) = (owner.get::<Bump>("bump")?, owner.get::<extern "C" fn() -> usize>("where")?);
        (bump, find, user.get::<extern "C" fn() -> i32>("peek")?)
    };
    assert_eq!((peek(), bump(1), bump(2), peek()), (40, 41 + 7 + 1, 43 + 7 + 3, 43));
    let own = find();
    assert!(own.is_multiple_of(64));
    std::thread::scope(|scope| {
        for n in 1..=4 {
            scope.spawn(move || {
                assert_eq!((peek(), bump(n), peek()), (40, 40 + 2 * n + 7, 40 + n));
                assert_ne!(find(), own);
            });
        }
    });
    assert_eq!(peek(), 43);
    let counter = owner.variable("counter")?.cast::<i32>();
    // SAFETY: this thread's copy is there, and nothing runs.
    assert_eq!(unsafe { counter.replace(100) }, 43);
    drop(owner);
    assert_eq!(peek(), 100, "the user keeps the owner");
    Ok(())
}

#[test]
fn threads_have_copies() -> Result<(), Error> {
    for recipe in RECIPES {
        let jit = Jit::new(recipe)?;
        let program = parse_program(&native(OWNER)).expect("it is written as it should be");
        // A module that is loaded again begins with new copies.
        for _ in 0..2 {
            check(&jit, load(&jit, OWNER)?)?;
            check(&jit, jit.load(&program.module, &program.bodies)?)?;
            check(&jit, jit.load_lazily(&program)?)?;
        }
    }
    Ok(())
}

/// A thread that outlives many modules does not keep its copies of their variables: 4 GiB of addresses, which a process of
/// 32 bits has not; one of 64 bits gets the same ones again.
#[test]
fn copies_go_with_their_modules() -> Result<(), Error> {
    let jit = Jit::new(RECIPES[0])?;
    let text = OWNER.replace("zero 4096", "zero 8388608");
    let addresses = || -> Result<usize, Error> {
        let mut addresses = std::collections::HashSet::new();
        for _ in 0..512 {
            let owner = load(&jit, &text)?;
            // SAFETY: the code is that of the functions above; the module outlives the calls.
            let find = unsafe { owner.get::<extern "C" fn() -> usize>("where")? };
            addresses.insert(find());
        }
        Ok(addresses.len())
    };
    // The other tests of this process take some of what is given back, but not for long; what is kept is never given again.
    let mut copies = addresses()?;
    for _ in 0..4 {
        if size_of::<usize>() == 8 && copies >= 200 {
            copies = addresses()?;
        }
    }
    assert!(size_of::<usize>() == 4 || copies < 200, "{copies} copies");
    Ok(())
}
