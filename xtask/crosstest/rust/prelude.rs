// Included by every Rust source.

unsafe extern "C" {
    fn abort() -> !;
}

// A panic is a signal, which is a result as good as any other.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    unsafe { abort() }
}

/// `function!(NAME SUFFIX, (PARAMETERS) -> RESULT, BODY)`: a test called `NAME_SUFFIX`.
#[allow(unused_macros)]
macro_rules! function {
    ($name:literal $t:ident, ($($p:ident: $pt:ty),*) -> $r:ty, $body:expr) => {
        const _: () = {
            #[unsafe(export_name = concat!($name, "_", stringify!($t)))]
            extern "C" fn f($($p: $pt),*) -> $r { $body }
        };
    };
}
