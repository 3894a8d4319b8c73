//! Objects made here are accepted by `readelf`, linked by the system linker, and do at run time what they say.
use crate::common;

use common::{Assembly, Scratch, have, readelf, relocation, run};
use ice_elf::{
    AddendPlacement, Binding, Code, CodeSection, Format, GroupKind, ObjectWriter, Options, SectionSpec,
    StandardSection, SymbolId, SymbolKind, Target, TextLayout, Visibility,
};
use object::elf;
use object::{Object, ObjectSection};

type Writer = ObjectWriter<Vec<u8>>;

const PLAIN: Visibility = Visibility::Default;

/// The C side of the test: it calls the object, which calls back.
const MAIN: &str = r#"
#include <stdio.h>
#include <string.h>
extern long object_test(long);
extern long shared_counter;
extern long *table_pair[2];
long extern_length(const char *s) { return (long)strlen(s); }
int main(void) {
    long result = object_test(100);
    printf("%ld %ld %ld\n", result, shared_counter, *table_pair[1]);
    return 0;
}
"#;
/// 100 + strlen("four words") + 1000 + 20000 = 21110 goes to the counter; the result is twice that and one.
const MAIN_PRINTS: &str = "42221 21110 7777\n";

/// What the object of either x86 machine has besides code.
struct Parts {
    object_test: SymbolId,
    helper: SymbolId,
    extern_length: SymbolId,
    data_word: SymbolId,
    counter: SymbolId,
    rodata: Target,
    message: i64,
    constants: Target,
    table: Target,
}

fn declare(w: &mut Writer) -> Parts {
    w.declare_file(b"parts.c").unwrap();
    let mut symbol = |name: &[u8], binding, kind| w.declare_symbol(name, binding, kind, PLAIN).unwrap();
    let object_test = symbol(b"object_test", Binding::Global, SymbolKind::Func);
    let helper = symbol(b"", Binding::Local, SymbolKind::Func);
    let extern_length = symbol(b"extern_length", Binding::Global, SymbolKind::Func);
    let data_word = symbol(b"data_word", Binding::Local, SymbolKind::Object);
    let counter = symbol(b"shared_counter", Binding::Global, SymbolKind::Object);
    let table_pair = symbol(b"table_pair", Binding::Global, SymbolKind::Object);
    // Never used: must not become an undefined symbol of the object.
    symbol(b"function_that_does_not_exist", Binding::Global, SymbolKind::Func);

    let word = if w.options().format.class == ice_elf::Class::Elf64 { 8 } else { 4 };
    let rodata = w.standard_section(StandardSection::Rodata).unwrap();
    w.append_data(rodata, 1, b"odd", []).unwrap();
    let message = w.append_data(rodata, 16, b"four words\0", []).unwrap() as i64;
    assert_eq!(message, 16);
    let constants = w.standard_section(StandardSection::RodataCst8).unwrap();
    w.append_data(constants, 8, &1.5_f64.to_le_bytes(), []).unwrap();
    w.append_data(constants, 8, &20000.25_f64.to_le_bytes(), []).unwrap();
    let data = w.standard_section(StandardSection::Data).unwrap();
    let at = w.append_data(data, word, &1000_u64.to_le_bytes()[..word as usize], []).unwrap();
    w.define(data_word, data, at, word).unwrap();
    w.append_data(data, word, &7777_u64.to_le_bytes()[..word as usize], []).unwrap();
    let bss = w.standard_section(StandardSection::Bss).unwrap();
    w.append_zeros(bss, 1, 100).unwrap();
    let at = w.append_zeros(bss, 32, word).unwrap();
    assert_eq!(at, 128);
    w.define(counter, bss, at, word).unwrap();
    let relro = w.standard_section(StandardSection::DataRelRo).unwrap();
    let (r_type, placement) = match word {
        8 => (elf::R_X86_64_64, AddendPlacement::Width8),
        _ => (elf::R_386_32, AddendPlacement::Width4),
    };
    let pointers = [
        relocation(0, r_type, Target::Symbol(helper), 0, placement),
        relocation(word, r_type, Target::Symbol(data_word), word as i64, placement),
    ];
    let at = w.append_data(relro, word, &[0; 16][..2 * word as usize], pointers).unwrap();
    w.define(table_pair, relro, at, 2 * word).unwrap();
    Parts {
        object_test,
        helper,
        extern_length,
        data_word,
        counter,
        rodata: Target::Section(rodata),
        message,
        constants: Target::Section(constants),
        table: Target::Section(relro),
    }
}

fn x86_64_object(text: TextLayout) -> Vec<u8> {
    let options = Options { text, ..Options::new(Format::X86_64) };
    let mut w = ObjectWriter::new(Vec::new(), options).unwrap();
    let p = declare(&mut w);
    let mut a = Assembly::default();
    a.emit(&[0x53, 0x48, 0x89, 0xfb]); // push rbx; mov rbx, rdi
    a.emit(&[0xbf]).field(elf::R_X86_64_32, p.rodata, p.message); // mov edi, message
    a.emit(&[0xe8]).field(elf::R_X86_64_PLT32, Target::Symbol(p.extern_length), -4); // call extern_length
    a.emit(&[0x48, 0x01, 0xc3]); // add rbx, rax
    a.emit(&[0x48, 0x03, 0x1c, 0x25]).field(elf::R_X86_64_32S, Target::Symbol(p.data_word), 0); // add rbx, [data_word]
    a.emit(&[0xf2, 0x48, 0x0f, 0x2c, 0x05]).field(elf::R_X86_64_PC32, p.constants, 8 - 4); // cvttsd2si rax, [rip + constants + 8]
    a.emit(&[0x48, 0x01, 0xc3]); // add rbx, rax
    a.emit(&[0x48, 0x89, 0x1c, 0x25]).field(elf::R_X86_64_32S, Target::Symbol(p.counter), 0); // mov [counter], rbx
    a.emit(&[0x48, 0x8b, 0x04, 0x25]).field(elf::R_X86_64_32S, p.table, 0); // mov rax, [table]
    a.emit(&[0x48, 0x89, 0xdf, 0xff, 0xd0]); // mov rdi, rbx; call rax
    a.emit(&[0x48, 0x03, 0x05]).field(elf::R_X86_64_PC32, Target::Symbol(p.counter), -4); // add rax, [rip + counter]
    a.emit(&[0x5b, 0xc3]); // pop rbx; ret
    w.append_code(Code::new(p.object_test, &mut a.bytes), a.relocations).unwrap();
    w.append_code(Code::new(p.helper, &mut [0x48, 0x8d, 0x47, 0x01, 0xc3]), []).unwrap(); // lea rax, [rdi + 1]; ret
    w.finish().unwrap()
}

fn x86_32_object(text: TextLayout) -> Vec<u8> {
    let options = Options { text, ..Options::new(Format::X86_32) };
    let mut w = ObjectWriter::new(Vec::new(), options).unwrap();
    let p = declare(&mut w);
    let mut a = Assembly::default();
    a.emit(&[0x53, 0x8b, 0x5c, 0x24, 0x08, 0x83, 0xec, 0x04]); // push ebx; mov ebx, [esp + 8]; sub esp, 4
    a.emit(&[0x68]).field(elf::R_386_32, p.rodata, p.message); // push message
    a.emit(&[0xe8]).field(elf::R_386_PC32, Target::Symbol(p.extern_length), -4); // call extern_length
    a.emit(&[0x83, 0xc4, 0x08, 0x01, 0xc3]); // add esp, 8; add ebx, eax
    a.emit(&[0x03, 0x1d]).field(elf::R_386_32, Target::Symbol(p.data_word), 0); // add ebx, [data_word]
    a.emit(&[0xf2, 0x0f, 0x2c, 0x05]).field(elf::R_386_32, p.constants, 8); // cvttsd2si eax, [constants + 8]
    a.emit(&[0x01, 0xc3, 0x89, 0x1d]).field(elf::R_386_32, Target::Symbol(p.counter), 0); // add ebx, eax; mov [counter], ebx
    a.emit(&[0x53, 0xff, 0x15]).field(elf::R_386_32, p.table, 0); // push ebx; call [table]
    a.emit(&[0x59, 0x03, 0x05]).field(elf::R_386_32, Target::Symbol(p.counter), 0); // pop ecx; add eax, [counter]
    a.emit(&[0x5b, 0xc3]); // pop ebx; ret
    w.append_code(Code::new(p.object_test, &mut a.bytes), a.relocations).unwrap();
    w.append_code(Code::new(p.helper, &mut [0x8b, 0x44, 0x24, 0x04, 0x40, 0xc3]), []).unwrap(); // mov eax, [esp + 4]; inc eax; ret
    w.finish().unwrap()
}

/// Link with the C program and run; also through `ld -r`, which reads everything and writes it anew.
fn link_and_run(
    test: &str,
    compiler: &str,
    args: &[&str],
    emulator: &[&str],
    object: &[u8],
    main: &str,
) -> String {
    let scratch = Scratch::new(test);
    let object = scratch.write("test.o", object);
    let main = scratch.write("main.c", main);
    readelf(&object);
    let again = scratch.path("again.o");
    run(compiler, &["-r", "-nostdlib", "-o", again.to_str().unwrap()], &[&object]);
    readelf(&again);
    let mut printed = Vec::new();
    for (name, object) in [("direct", &object), ("relinked", &again)] {
        let program = scratch.path(name);
        let mut all = vec!["-O1", "-no-pie", "-fno-pic", "-o", program.to_str().unwrap()];
        all.extend_from_slice(args);
        run(compiler, &all, &[&main, object]);
        let output = match emulator.split_first() {
            Some((emulator, args)) => run(emulator, args, &[&program]),
            None => run(&program, &[], &[]),
        };
        printed.push(String::from_utf8(output.stdout).unwrap());
    }
    assert_eq!(printed[0], printed[1]);
    printed.remove(0)
}

#[test]
fn x86_64_object_links_and_runs() {
    if !have(&["gcc", "readelf"]) || !cfg!(target_arch = "x86_64") {
        return;
    }
    let object = x86_64_object(TextLayout::Single);
    assert_eq!(link_and_run("x86-64", "gcc", &[], &[], &object, MAIN), MAIN_PRINTS);
    let object = x86_64_object(TextLayout::PerFunction);
    let gc = ["-Wl,--gc-sections"];
    assert_eq!(link_and_run("x86-64-sections", "gcc", &gc, &[], &object, MAIN), MAIN_PRINTS);
}

#[test]
fn x86_32_object_links_and_runs() {
    if !have(&["i686-linux-gnu-gcc", "readelf"]) || !cfg!(any(target_arch = "x86_64", target_arch = "x86")) {
        return;
    }
    let compiler = "i686-linux-gnu-gcc";
    let object = x86_32_object(TextLayout::Single);
    assert_eq!(link_and_run("x86-32", compiler, &["-static"], &[], &object, MAIN), MAIN_PRINTS);
    let object = x86_32_object(TextLayout::PerFunction);
    let gc = ["-static", "-Wl,--gc-sections"];
    assert_eq!(link_and_run("x86-32-sections", compiler, &gc, &[], &object, MAIN), MAIN_PRINTS);
}

const ADD_ONE_MAIN: &str = r#"
#include <stdio.h>
extern int object_test(void);
int add_one(int x) { return x + 1; }
int main(void) { printf("%d\n", object_test()); return 0; }
"#;

/// An object whose `object_test` returns `add_one(41)` plus the word at 4 bytes past `words`, which is 500.
/// The instructions have their addends in them already.
fn caller_done_object(format: Format, code: impl Fn(&mut Assembly, Target, Target)) -> Vec<u8> {
    let mut w = ObjectWriter::new(Vec::new(), Options::new(format)).unwrap();
    let mut symbol = |name: &[u8], binding, kind| w.declare_symbol(name, binding, kind, PLAIN).unwrap();
    let object_test = symbol(b"object_test", Binding::Global, SymbolKind::Func);
    let add_one = symbol(b"add_one", Binding::Global, SymbolKind::NoType);
    let words = symbol(b"words", Binding::Local, SymbolKind::Object);
    let data = w.standard_section(StandardSection::Data).unwrap();
    w.append_data(data, 4, &[1; 8], []).unwrap();
    let at = w.append_data(data, 4, &[0, 0, 0, 0, 0xf4, 1, 0, 0], []).unwrap();
    w.define(words, data, at, 8).unwrap();
    let mut a = Assembly::default();
    code(&mut a, Target::Symbol(add_one), Target::Symbol(words));
    w.append_code(Code::new(object_test, &mut a.bytes), a.relocations).unwrap();
    w.finish().unwrap()
}

#[test]
fn arm_object_links_and_runs() {
    if !have(&["arm-linux-gnueabihf-gcc", "readelf", "qemu-arm"]) {
        return;
    }
    let object = caller_done_object(Format::arm(elf::EF_ARM_EABI_VER5), |a, add_one, words| {
        let done = AddendPlacement::CallerDone;
        let mut inst = |word: u32| {
            a.emit(&word.to_le_bytes());
        };
        inst(0xe92d_4010); // push {r4, lr}
        inst(0xe3a0_0029); // mov r0, #41
        a.relocate(elf::R_ARM_CALL, add_one, -8, done).emit(&0xebff_fffe_u32.to_le_bytes()); // bl add_one
        a.relocate(elf::R_ARM_MOVW_ABS_NC, words, 4, done).emit(&0xe300_1004_u32.to_le_bytes()); // movw r1, words + 4
        a.relocate(elf::R_ARM_MOVT_ABS, words, 4, done).emit(&0xe340_1004_u32.to_le_bytes()); // movt r1, words + 4
        let mut inst = |word: u32| {
            a.emit(&word.to_le_bytes());
        };
        inst(0xe591_1000); // ldr r1, [r1]
        inst(0xe080_0001); // add r0, r0, r1
        inst(0xe8bd_8010); // pop {r4, pc}
    });
    let args = ["-static", "-marm", "-mcpu=cortex-a9"];
    assert_eq!(
        link_and_run("arm", "arm-linux-gnueabihf-gcc", &args, &["qemu-arm"], &object, ADD_ONE_MAIN),
        "542\n"
    );
}

#[test]
fn mips_object_links_and_runs() {
    if !have(&["mipsel-linux-gnu-gcc", "readelf", "qemu-mipsel"]) {
        return;
    }
    let flags = elf::EF_MIPS_ARCH_32R2 | elf::EF_MIPS_ABI_O32 | elf::EF_MIPS_NOREORDER | elf::EF_MIPS_CPIC;
    let object = caller_done_object(Format::mips(flags), |a, add_one, words| {
        let done = AddendPlacement::CallerDone;
        let mut inst = |word: u32| {
            a.emit(&word.to_le_bytes());
        };
        inst(0x27bd_ffe0); // addiu sp, sp, -32
        inst(0xafbf_001c); // sw ra, 28(sp)
        a.relocate(elf::R_MIPS_26, add_one, 0, done).emit(&0x0c00_0000_u32.to_le_bytes()); // jal add_one
        a.emit(&0x2404_0029_u32.to_le_bytes()); // addiu a0, zero, 41
        a.relocate(elf::R_MIPS_HI16, words, 4, done).emit(&0x3c03_0000_u32.to_le_bytes()); // lui v1, %hi(words + 4)
        a.relocate(elf::R_MIPS_LO16, words, 4, done).emit(&0x8c63_0004_u32.to_le_bytes()); // lw v1, %lo(words + 4)(v1)
        let mut inst = |word: u32| {
            a.emit(&word.to_le_bytes());
        };
        inst(0x0043_1021); // addu v0, v0, v1
        inst(0x8fbf_001c); // lw ra, 28(sp)
        inst(0x03e0_0008); // jr ra
        inst(0x27bd_0020); // addiu sp, sp, 32
    });
    assert_eq!(
        link_and_run("mips", "mipsel-linux-gnu-gcc", &["-static"], &["qemu-mipsel"], &object, ADD_ONE_MAIN),
        "542\n"
    );
}

/// An x86-64 object as LLVM input needs it: a COMDAT function, start functions, thread-local and common data.
fn rich_object(name: &[u8], marker: u8) -> Vec<u8> {
    let mut w = ObjectWriter::new(Vec::new(), Options::new(Format::X86_64)).unwrap();
    let mut symbol = |name: &[u8], binding, kind| w.declare_symbol(name, binding, kind, PLAIN).unwrap();
    let inline = symbol(b"inline_function", Binding::Weak, SymbolKind::Func);
    let start = symbol(b"", Binding::Local, SymbolKind::Func);
    let entry = symbol(name, Binding::Global, SymbolKind::Func);
    let common = symbol(b"common_counter", Binding::Global, SymbolKind::Object);
    let missing = symbol(b"missing_weak", Binding::Weak, SymbolKind::Func);
    let first_tls = symbol(b"first_tls", Binding::Local, SymbolKind::Tls);
    let second_tls = symbol(b"second_tls", Binding::Local, SymbolKind::Tls);
    let number = symbol(b"", Binding::Local, SymbolKind::NoType);
    w.define_common(common, 4, 4).unwrap();
    w.define_absolute(number, 3).unwrap();

    let flags = u64::from(elf::SHF_ALLOC | elf::SHF_EXECINSTR);
    let group = w.create_group(inline, GroupKind::Comdat).unwrap();
    let spec = SectionSpec::new(b".text.inline_function", elf::SHT_PROGBITS, flags);
    let section = w.create_section(&SectionSpec { group: Some(group), ..spec }).unwrap();
    let mut a = Assembly::default();
    // add dword [rip + common], imm8; ret: the immediate stands behind the field, so the addend is -5.
    a.emit(&[0x83, 0x05]).field(elf::R_X86_64_PC32, Target::Symbol(common), -5).emit(&[marker, 0xc3]);
    let code = Code { section: CodeSection::In(section), ..Code::new(inline, &mut a.bytes) };
    assert_eq!(w.append_code(code, a.relocations).unwrap().section, section);

    let mut a = Assembly::default();
    a.emit(&[0xe9]).field(elf::R_X86_64_PLT32, Target::Symbol(inline), -4); // jmp inline_function
    w.append_code(Code::new(start, &mut a.bytes), a.relocations).unwrap();
    let array = w.standard_section(StandardSection::InitArray).unwrap();
    let pointer = relocation(0, elf::R_X86_64_64, Target::Symbol(start), 0, AddendPlacement::Width8);
    w.append_data(array, 8, &[0; 8], [pointer]).unwrap();

    let tdata = w.standard_section(StandardSection::Tdata).unwrap();
    let at = w.append_data(tdata, 4, &40_u32.to_le_bytes(), []).unwrap();
    w.define(first_tls, tdata, at, 4).unwrap();
    let tbss = w.standard_section(StandardSection::Tbss).unwrap();
    let at = w.append_zeros(tbss, 4, 4).unwrap();
    w.define(second_tls, tbss, at, 4).unwrap();

    let mut a = Assembly::default();
    let tpoff = elf::R_X86_64_TPOFF32;
    a.emit(&[0x64, 0xff, 0x04, 0x25]).field(tpoff, Target::Symbol(second_tls), 0); // inc dword fs:[second_tls]
    a.emit(&[0x64, 0x8b, 0x04, 0x25]).field(tpoff, Target::Symbol(first_tls), 0); // mov eax, fs:[first_tls]
    a.emit(&[0x64, 0x03, 0x04, 0x25]).field(tpoff, Target::Symbol(second_tls), 0); // add eax, fs:[second_tls]
    a.emit(&[0x05]).field(elf::R_X86_64_32S, Target::Symbol(missing), 100); // add eax, missing_weak + 100
    a.emit(&[0x05]).field(elf::R_X86_64_32S, Target::Symbol(number), 1000); // add eax, number + 1000
    a.emit(&[0x05]).field(elf::R_X86_64_32S, Target::Absolute, 10000); // add eax, 0 + 10000
    a.emit(&[0xc3]);
    w.append_code(Code::new(entry, &mut a.bytes), a.relocations).unwrap();
    w.finish().unwrap()
}

#[test]
fn members_of_a_group_say_so() {
    let bytes = rich_object(b"first", 1);
    let file = object::File::parse(&*bytes).unwrap();
    let mut members = 0;
    for section in file.sections() {
        let object::SectionFlags::Elf { sh_flags } = section.flags() else { panic!() };
        let is_member = section.name().unwrap().ends_with(".text.inline_function");
        assert_eq!(sh_flags & u64::from(elf::SHF_GROUP) != 0, is_member, "{:?}", section.name());
        members += usize::from(is_member);
    }
    assert_eq!(members, 2);
}

#[test]
fn groups_start_functions_thread_local_and_common_data_work() {
    if !have(&["gcc", "readelf"]) || !cfg!(target_arch = "x86_64") {
        return;
    }
    let scratch = Scratch::new("rich");
    let first = scratch.write("first.o", rich_object(b"first", 5));
    let second = scratch.write("second.o", rich_object(b"second", 9));
    let listing = readelf(&first);
    assert!(
        listing.contains("COMDAT group section [    1] `.group' [inline_function] contains 2 sections"),
        "{listing}"
    );
    let main = scratch.write(
        "main.c",
        "#include <stdio.h>\nint first(void), second(void); int common_counter;\n\
         int main(void) { printf(\"%d %d %d %d\\n\", first(), first(), second(), common_counter); return 0; }\n",
    );
    let program = scratch.path("program");
    run("gcc", &["-O0", "-no-pie", "-fcommon", "-o", program.to_str().unwrap()], &[&main, &first, &second]);
    let output = run(&program, &[], &[]);
    // Both start functions ran, and both reached the same copy of the inline function, the first one.
    let text = String::from_utf8(output.stdout).unwrap();
    let mut numbers: Vec<&str> = text.split_whitespace().collect();
    // The order in which C evaluates the arguments is open.
    numbers[..2].sort_unstable();
    assert_eq!(numbers, ["11144", "11145", "11144", "10"]);
}

#[test]
fn unused_function_sections_are_dropped_by_the_linker() {
    if !have(&["gcc", "readelf"]) || !cfg!(target_arch = "x86_64") {
        return;
    }
    let options = Options { text: TextLayout::PerFunction, ..Options::new(Format::X86_64) };
    let mut w = ObjectWriter::new(Vec::new(), options).unwrap();
    for name in [&b"used"[..], b"unused"] {
        let symbol = w.declare_symbol(name, Binding::Global, SymbolKind::Func, PLAIN).unwrap();
        w.append_code(Code::new(symbol, &mut [0xb8, 42, 0, 0, 0, 0xc3]), []).unwrap(); // mov eax, 42; ret
    }
    let scratch = Scratch::new("gc");
    let object = scratch.write("test.o", w.finish().unwrap());
    let main = scratch.write("main.c", "int used(void); int main(void) { return used() != 42; }\n");
    let program = scratch.path("program");
    run("gcc", &["-Wl,--gc-sections", "-o", program.to_str().unwrap()], &[&main, &object]);
    run(&program, &[], &[]);
    let symbols = String::from_utf8(run("readelf", &["-sW"], &[&program]).stdout).unwrap();
    assert!(symbols.contains(" used\n") && !symbols.contains(" unused\n"), "{symbols}");
}
