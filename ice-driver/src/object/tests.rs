//! The object writer by itself.

use super::*;
use crate::Arch;
use ice_asm::Reloc;
use ice_codegen::{CodeEnd, CodeSymbol, CompiledCode};
use ice_ir::{
    FunctionDecl, FunctionKind, GlobalDecl, GlobalId, Initializer, Linkage, Mutability, Name, Signature, Type,
};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget};

fn function(module: &mut Module, name: &str, linkage: Linkage) -> FuncId {
    let signature = module.signatures.push(Signature::new(vec![], Type::Void));
    let kind = FunctionKind::Defined;
    let id = module.functions.push(FunctionDecl::new(Name::default(), signature, linkage, kind));
    if !name.is_empty() {
        module.set_symbol_name(Symbol::Function(id), name.bytes());
    }
    id
}

fn global(module: &mut Module, align_log2: u8, mutability: Mutability, inits: &[Initializer]) -> GlobalId {
    let start = module.initializers.len() as u32;
    module.initializers.extend_from_slice(inits);
    let initializers = start..module.initializers.len() as u32;
    let align_log2 = Some(align_log2);
    module.globals.push(GlobalDecl::new(Name::default(), align_log2, mutability, initializers))
}

fn reloc(offset: u32, kind: RelocKind, symbol: CodeSymbol, addend: i64) -> Reloc {
    Reloc { offset, kind, symbol: symbol.pack(), addend }
}

fn write(arch: Arch, module: &Module, bodies: Vec<(FuncId, CompiledCode)>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let names = SymbolNames::new(module);
    let options = options::Options { relocation: RelocationModel::Static, ..options::Options::new(arch) };
    let mut output =
        Box::new(ObjectOutput::new(&options, (module, &[]), &names, |_| true, data_limit(100), &mut bytes)?);
    for (id, mut compiled) in bodies {
        let end = compiled.end();
        output.write_function(id, compiled.function(CodeEnd::default(), end))?;
    }
    ModuleOutput::finish(output)?;
    Ok(bytes)
}

#[test]
fn every_kind_of_reference_arrives_in_the_object() {
    for arch in [Arch::X86_32, Arch::X86_64] {
        let mut module = Module::new();
        let start = function(&mut module, "_start", Linkage::External);
        let helper = function(&mut module, "", Linkage::Internal);
        module.data = vec![1, 2, 3, 0];
        let target = Symbol::Function(helper);
        let text = global(&mut module, 0, Mutability::Constant, &[Initializer::Bytes { start: 0, len: 3 }]);
        let table = [Initializer::Zero(4), Initializer::Address { target, addend: 5 }];
        let table = global(&mut module, 4, Mutability::Variable, &table);
        let zero = [Initializer::Zero(40), Initializer::Bytes { start: 3, len: 1 }];
        let zero = global(&mut module, 5, Mutability::Variable, &zero);

        let mut first = CompiledCode { code: vec![0x90; 40], ..CompiledCode::default() };
        let constant = first.constants.intern(ConstantSize::C8, 77);
        let other = first.constants.intern(ConstantSize::C8, 78);
        first.tables.push([8, 12]);
        first.tables.push([16]);
        first.relocs = vec![
            reloc(0, RelocKind::PcRel32, CodeSymbol::Function(helper), -4),
            reloc(4, RelocKind::Abs32, CodeSymbol::Global(table), 3),
            reloc(8, RelocKind::PcRel32, CodeSymbol::Libcall(Libcall::Memset), -4),
            reloc(12, RelocKind::Abs32, CodeSymbol::Constant(other), 0),
            reloc(16, RelocKind::Abs32, CodeSymbol::Constant(constant), 0),
            reloc(20, RelocKind::Abs32, CodeSymbol::JumpTable(1), 0),
            reloc(24, RelocKind::PcRel32, CodeSymbol::Constant(constant), -4),
        ];
        let mut second = CompiledCode { code: vec![0x90; 8], ..CompiledCode::default() };
        let again = second.constants.intern(ConstantSize::C8, 77);
        second.relocs = vec![
            reloc(0, RelocKind::PcRel32, CodeSymbol::Function(start), -4),
            reloc(4, RelocKind::Abs32S, CodeSymbol::Constant(again), 0),
        ];
        let bytes = write(arch, &module, vec![(start, first), (helper, second)]).unwrap();

        let file = object::File::parse(&*bytes).unwrap();
        let section = |name: &str| file.section_by_name(name).unwrap();
        let symbol = |name: &str| file.symbols().find(|s| s.name() == Ok(name)).unwrap();
        let text_data = section(".text").data().unwrap();
        assert_eq!(text_data.len(), 48 + 8);
        // The call back to the first function is resolved: 0 - (48 + 4).
        assert_eq!(text_data[48..52], (-52i32).to_le_bytes());
        assert_eq!((symbol("pexe_start").address(), symbol("pexe_start").size()), (0, 40));
        assert!(symbol("pexe_start").is_global() && symbol("f1").is_local());
        assert_eq!((symbol("f1").address(), symbol("f1").size()), (48, 8));
        let undefined: Vec<_> =
            file.symbols().filter(|s| s.is_undefined()).filter_map(|s| s.name().ok()).collect();
        assert_eq!(undefined, ["memset"]);

        // Interned in the order of first use: 78, then 77.
        assert_eq!(
            section(".rodata.cst8").data().unwrap(),
            [[78, 0, 0, 0, 0, 0, 0, 0], [77, 0, 0, 0, 0, 0, 0, 0]].concat()
        );
        assert_eq!(section(".rodata").data().unwrap()[..3], [1, 2, 3]);
        assert_eq!((section(".rodata").size(), section(".bss").size()), (16, 41));
        assert_eq!(symbol("g0").section_index(), Some(section(".rodata").index()));
        assert_eq!(symbol("g2").section_index(), Some(section(".bss").index()));
        assert_eq!((text.as_u32(), zero.as_u32()), (0, 2));

        // What each relocation stands for, as symbol or section, and addend.
        let resolve = |name: &str| -> Vec<(u64, String, i64)> {
            let data = section(name).data().unwrap();
            let mut list: Vec<_> = section(name)
                .relocations()
                .map(|(at, r)| {
                    let RelocationTarget::Symbol(index) = r.target() else { panic!("target") };
                    let symbol = file.symbol_by_index(index).unwrap();
                    let target = match symbol.section_index() {
                        Some(index) if symbol.kind() == object::SymbolKind::Section => {
                            file.section_by_index(index).unwrap().name().unwrap().to_owned()
                        }
                        _ => symbol.name().unwrap().to_owned(),
                    };
                    let implicit = i32::from_le_bytes(data[at as usize..at as usize + 4].try_into().unwrap());
                    let addend = if arch == Arch::X86_32 { i64::from(implicit) } else { r.addend() };
                    (at, target, addend)
                })
                .collect();
            list.sort();
            list
        };
        let expected = |list: &[(u64, &str, i64)]| -> Vec<_> {
            list.iter().map(|&(at, name, addend)| (at, name.to_owned(), addend)).collect()
        };
        assert_eq!(
            resolve(".text"),
            expected(&[
                (0, "f1", -4),
                (4, "g1", 3),
                (8, "memset", -4),
                (12, ".rodata.cst8", 0),
                (16, ".rodata.cst8", 8),
                (20, ".rodata", 12),
                (24, ".LC8_1", -4),
                (52, ".rodata.cst8", 8),
            ])
        );
        assert_eq!(resolve(".rodata"), expected(&[(4, ".text", 8), (8, ".text", 12), (12, ".text", 16)]));
        assert_eq!(resolve(".data"), expected(&[(4, "f1", 5)]));
    }
}

#[test]
fn a_few_bytes_make_no_gigabytes() {
    let mut module = Module::new();
    module.data = vec![1];
    let huge = [Initializer::Zero(u32::MAX), Initializer::Bytes { start: 0, len: 1 }];
    global(&mut module, 0, Mutability::Variable, &huge);
    let error = write(Arch::X86_64, &module, vec![]).unwrap_err();
    assert!(matches!(error, Error::DataTooLarge { .. }), "{error}");

    let mut module = Module::new();
    module.data = vec![1];
    for align in [0, 29] {
        global(&mut module, align, Mutability::Constant, &[Initializer::Bytes { start: 0, len: 1 }]);
    }
    let error = write(Arch::X86_64, &module, vec![]).unwrap_err();
    assert!(matches!(error, Error::DataTooLarge { .. }), "{error}");

    // Zeros alone take no room.
    let mut module = Module::new();
    global(&mut module, 12, Mutability::Variable, &[Initializer::Zero(1 << 30)]);
    assert!(write(Arch::X86_64, &module, vec![]).unwrap().len() < 1000);
}

#[test]
fn a_constant_that_nobody_has_noted_is_an_error() {
    let mut module = Module::default();
    let start = function(&mut module, "_start", Linkage::External);
    let missing = ConstantId { size: ConstantSize::C8, index: 4 };
    for arch in [Arch::X86_32, Arch::X86_64] {
        let mut code = CompiledCode { code: vec![0x90; 8], ..CompiledCode::default() };
        code.relocs = vec![reloc(0, RelocKind::Abs32, CodeSymbol::Constant(missing), 0)];
        assert_eq!(
            write(arch, &module, vec![(start, code)]).unwrap_err().to_string(),
            "function _start (func0): internal error in layout, constant 4 of 8 bytes: code loads it, and it is not there"
        );
    }
}

/// Functions of C++ ask for an alignment of 2, because addresses of member functions have a bit to spare; most functions ask
/// for nothing.
#[test]
fn code_is_aligned_as_instructions_are() {
    let cases = [
        (Arch::X86_64, 0, 16),
        (Arch::X86_64, 1, 2),
        (Arch::Arm32, 0, 4),
        (Arch::Arm32, 1, 4),
        (Arch::Arm32, 5, 32),
        (Arch::Mips32, 0, 4),
        (Arch::Mips32, 1, 4),
    ];
    for (arch, asked, expected) in cases {
        let mut module = Module::new();
        module.environment = Environment::Native;
        module.pointer_type = arch.machine().address_type();
        let member = function(&mut module, "member", Linkage::External);
        module.functions[member].traits.align_log2 = asked;
        let section = module.make_name(b".text.member".iter().copied());
        module.functions[member].symbol.section = section;
        let compiled = CompiledCode { code: vec![0; 4], ..CompiledCode::default() };
        let object = write(arch, &module, vec![(member, compiled)]).unwrap();
        let object = object::File::parse(&*object).unwrap();
        assert_eq!(object.section_by_name(".text.member").unwrap().align(), expected, "{arch} {asked}");
    }
}
