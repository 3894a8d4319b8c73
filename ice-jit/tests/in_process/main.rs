//! Code of modules in the processes of programs that are linked without it: what stands in for an object (a stub for each
//! function of a module, `cargo xtask crosstest --in-process`) has the module loaded before the program begins.
//!
//! A library, which programs of C are linked with.

use ice_driver::{InputFormat, Recipe};
use ice_jit::{Error, Jit, LoadedModule};
use std::ffi::{CStr, c_char, c_void};

/// What the program has under a name.
#[repr(C)]
pub struct Named {
    name: *const c_char,
    /// Of something that the module needs; of a cell for the address of a function that it has.
    address: *mut c_void,
}

impl Named {
    /// # Safety
    /// The name is a string of C.
    unsafe fn name(&self) -> &str {
        // SAFETY: as promised.
        unsafe { CStr::from_ptr(self.name) }.to_str().expect("names are text")
    }
}

/// Loads the bitcode of a module that needs `imports`, and fills the cells of `exports`.
///
/// # Errors
/// Those of [`Jit::load_file`]; a function is not there.
///
/// # Safety
/// Names and cells are there, and the code of the module is fit to be run with what it imports.
unsafe fn load(bytes: &[u8], recipe: Recipe, imports: &[Named], exports: &[Named]) -> Result<(), Error> {
    let mut builder = Jit::builder(recipe);
    for import in imports {
        // SAFETY: as promised.
        builder = builder.symbol(unsafe { import.name() }, import.address.cast());
    }
    let module: LoadedModule = builder.build()?.load_file(bytes, InputFormat::Llvm)?;
    for export in exports {
        // SAFETY: as promised.
        unsafe { export.address.cast::<*const c_void>().write(module.function_address(export.name())?) };
    }
    // SAFETY: as promised; all that the constructors may call is there.
    unsafe { module.run_constructors() };
    // The program runs the code until it ends.
    std::mem::forget(module);
    Ok(())
}

/// Loads a module; ends the program with a message if it cannot be.
///
/// # Safety
/// The pointers are to so many bytes and rows as are said; otherwise as for `load`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ice_in_process(
    bitcode: *const u8,
    length: usize,
    is_o2: bool,
    imports: *const Named,
    import_count: usize,
    exports: *const Named,
    export_count: usize,
) {
    let recipe = if is_o2 { Recipe::O2 } else { Recipe::Om1 };
    // SAFETY: as promised.
    let result = unsafe {
        let bytes = std::slice::from_raw_parts(bitcode, length);
        let imports = std::slice::from_raw_parts(imports, import_count);
        load(bytes, recipe, imports, std::slice::from_raw_parts(exports, export_count))
    };
    if let Err(error) = result {
        eprintln!("a module cannot be loaded: {error}");
        std::process::abort()
    }
}
