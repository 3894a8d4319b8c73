//! Constructors and destructors.

use crate::common::{RECIPES, load};
use ice_jit::{Error, Jit};

/// Functions that write a digit behind those that are there, called by the numbers of their sections.
const TEXT: &str = "global internal section \".init_array\" @last align 8 = addr @three\n\
global internal section \".fini_array\" @end align 8 = addr @four\n\
global internal section \".init_array.00101\" @first align 8 = addr @one, addr @two\n\
global external @digits align 4 = zero 4\n";

fn text() -> String {
    let function = |(name, digit): (&str, u32)| {
        format!(
            "define internal @{name}() -> void {{\n  v0: i32 = 10\n  v1: i32 = {digit}\nblock0:\n  v2: i32 = load @digits, align 4\n  \
             v3: i32 = mul v2, v0\n  v4: i32 = add v3, v1\n  store v4 to @digits, align 4\n  ret\n}}\n"
        )
    };
    let functions: String =
        [("one", 1), ("two", 2), ("three", 3), ("four", 4)].into_iter().map(function).collect();
    let read = "define external @read() -> i32 {\nblock0:\n  v0: i32 = load @digits, align 4\n  ret v0\n}\n";
    format!("{TEXT}{functions}{read}")
}

#[test]
fn constructors_are_called_once_and_before_functions() -> Result<(), Error> {
    for recipe in RECIPES {
        let jit = Jit::new(recipe)?;
        let module = load(&jit, &text())?;
        // SAFETY: nothing is called.
        let early = unsafe { module.get::<extern "C" fn() -> i32>("read") };
        let error = early.expect_err("its constructors were not called");
        assert_eq!(error.to_string(), "read is asked for before the constructors of its module were called");
        // SAFETY: the code is that of the text; the module is there.
        let read = unsafe {
            module.run_constructors();
            module.clone().run_constructors();
            module.get::<extern "C" fn() -> i32>("read")?
        };
        assert_eq!(read(), 123, "{recipe:?}");
        // SAFETY: as above.
        unsafe { module.run_destructors() };
        assert_eq!(read(), 1234, "{recipe:?}");
    }
    Ok(())
}
