//! The program around the library: what it calls is linked as an object.

unsafe extern "C" {
    fn rust_main(size: usize);
}

fn main() {
    let size = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1000);
    // SAFETY: the object defines this function with this signature.
    unsafe { rust_main(size) }
}
