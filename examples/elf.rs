//! `ice-elf` alone: an object with a function that calls another and a string, for any linker.

use ice_elf::{
    AddendPlacement, Binding, Code, Error, Format, ObjectWriter, Options, Relocation, StandardSection,
    SymbolKind, Target, Visibility, elf,
};

/// `int hello(void) { return puts("hello"); }` for x86-64.
fn object() -> Result<Vec<u8>, Error> {
    let mut writer = ObjectWriter::new(Vec::new(), Options::new(Format::X86_64))?;
    let hello = writer.declare_symbol(b"hello", Binding::Global, SymbolKind::Func, Visibility::Default)?;
    let puts = writer.declare_symbol(b"puts", Binding::Global, SymbolKind::NoType, Visibility::Default)?;
    let constants = writer.standard_section(StandardSection::Rodata)?;
    let text = writer.append_data(constants, 1, b"hello\0", [])?;
    // lea rdi, [rip + text]; jmp puts
    let mut code = [0x48, 0x8d, 0x3d, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0];
    let placement = AddendPlacement::Width4;
    let (r_type, target) = (elf::R_X86_64_PC32, Target::Section(constants));
    let address = Relocation { offset: 3, r_type, target, addend: text as i64 - 4, placement };
    let (r_type, target) = (elf::R_X86_64_PLT32, Target::Symbol(puts));
    let call = Relocation { offset: 8, r_type, target, addend: -4, placement };
    writer.append_code(Code::new(hello, &mut code), [address, call])?;
    writer.finish()
}

fn main() {
    let object = object().expect("the vector takes everything");
    println!("an object of {} bytes", object.len());
    assert_eq!(&object[..4], b"\x7fELF");
}

#[test]
fn runs() {
    main();
}
