//! [`Compiler`] gives the code that objects have, function by function, and goes on after an error.

use ice_codegen::{CodeSymbol, Libcall, UnwindFacts};
use ice_driver::{Arch, CodeOptions, Compiler, Error, InputFormat, OptLevel, Options, Recipe, compile_to};
use object::{Object as _, ObjectSection as _};

const PROGRAM: &str = "\
declare external @other(i32) -> i32
define internal @f(v0: i32, v1: f64) -> f64 {
  v2: f64 = 0x4000000000000000
block0:
  v3: i32 = call @other(v0)
  v4: f64 = sitofp v3
  v5: f64 = frem v4, v1
  v6: f64 = fmul v5, v2
  ret v6
}
define internal @g(v0: i32) -> i32 {
block0:
  switch v0, block4 [1: block1, 2: block2, 3: block3, 4: block1, 5: block2, 6: block4, 7: block3, 8: block5]
block1:
  v1: i32 = call @other(v0)
  ret v1
block2:
  v2: i32 = mul v0, v0
  ret v2
block3:
  v3: i32 = add v0, v0
  ret v3
block4:
  ret v0
block5:
  v4: i32 = xor v0, v0
  ret v4
}
";

/// The text section of an object of the program.
fn text_section(arch: Arch, level: OptLevel) -> Vec<u8> {
    let options = Options { level, format: InputFormat::Text, ..Options::new(arch) };
    let mut bytes = Vec::new();
    compile_to(PROGRAM.as_bytes(), &options, &mut bytes).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    file.section_by_name(".text").unwrap().data().unwrap().to_vec()
}

#[test]
fn the_code_is_that_of_objects() {
    let program = ice_ir::parse_program(PROGRAM).unwrap();
    for (recipe, level) in [(Recipe::Om1, OptLevel::Om1), (Recipe::O2, OptLevel::O2)] {
        for arch in Arch::built_in() {
            let text = text_section(arch, level);
            let mut compiler = Compiler::new(&program.module, CodeOptions::new(arch, recipe)).unwrap();
            let mut at = 0usize;
            for func in &program.bodies {
                let compiled = compiler.compile(&program.module, func).unwrap();
                // Where instructions have one length, functions are aligned as they are.
                at = at.next_multiple_of(if matches!(arch, Arch::Arm32 | Arch::Mips32 | Arch::Aarch64) {
                    4
                } else {
                    16
                });
                // Bytes of references differ: objects hold addends there.
                let mut fields = vec![false; compiled.code().len()];
                for reference in compiled.references() {
                    fields[reference.offset as usize..][..4].fill(true);
                }
                for (index, (byte, is_field)) in compiled.code().iter().zip(fields).enumerate() {
                    assert!(
                        is_field || *byte == text[at + index],
                        "{arch} {recipe:?} {} at {index}",
                        func.id
                    );
                }
                at += compiled.code().len();
            }
            assert_eq!(at, text.len(), "{arch} {recipe:?}");
        }
    }
}

#[test]
fn references_say_what_they_mean() {
    let program = ice_ir::parse_program(PROGRAM).unwrap();
    let [f, g] = [0, 1].map(|index| &program.bodies[index]);
    let options = CodeOptions::new(Arch::X86_32, Recipe::O2);
    let mut compiler = Compiler::new(&program.module, options).unwrap();
    let compiled = compiler.compile(&program.module, f).unwrap();
    let targets: Vec<_> = compiled.references().map(|reference| reference.target).collect();
    let other = program.module.function_by_name(b"other").unwrap();
    assert!(targets.contains(&CodeSymbol::Function(other)), "{targets:?}");
    assert!(targets.contains(&CodeSymbol::Libcall(Libcall::Fmod)), "{targets:?}");
    let compiled = compiler.compile(&program.module, g).unwrap();
    let tables: Vec<_> = compiled.jump_tables().iter().collect();
    assert!(compiled.references().any(|reference| reference.target == CodeSymbol::JumpTable(0)));
    assert!(tables.len() == 1 && tables[0].iter().all(|&target| (target as usize) < compiled.code().len()));
}

#[test]
fn a_refused_function_does_not_stop_the_next() {
    let program = ice_ir::parse_program(PROGRAM).unwrap();
    let options = CodeOptions::new(Arch::X86_64, Recipe::O2);
    let mut compiler = Compiler::new(&program.module, options).unwrap();
    let code = compiler.compile(&program.module, &program.bodies[1]).unwrap().code().to_vec();
    let mut broken = program.bodies[1].clone();
    broken.id = program.bodies[0].id;
    match compiler.compile(&program.module, &broken) {
        Err(Error::Verify(errors)) => assert!(errors[0].to_string().contains("func1"), "{}", errors[0]),
        other => panic!("{other:?}"),
    }
    assert_eq!(compiler.compile(&program.module, &program.bodies[1]).unwrap().code(), code);
}

#[test]
fn modules_of_other_environments_are_refused() {
    let program = ice_ir::parse_program(PROGRAM).unwrap();
    let native = ice_ir::parse_program("target pointer i64 native\n").unwrap();
    let options = CodeOptions::new(Arch::X86_32, Recipe::Om1);
    assert!(matches!(Compiler::new(&native.module, options), Err(Error::PointerWidth { .. })));
    let mut compiler = Compiler::new(&program.module, options).unwrap();
    let result = compiler.compile(&native.module, &program.bodies[0]);
    assert!(matches!(result, Err(Error::OtherEnvironment)));
}

/// A frame whose size and saved registers the first instructions show.
#[test]
fn frames_are_as_the_prologue_makes_them() {
    let text = "target pointer i32\ndeclare external @other(i32) -> i32
define internal @f(v0: i32) -> i32 {
block0:
  v1: i32 = call @other(v0)
  v2: i32 = call @other(v1)
  v3: i32 = add v2, v0
  ret v3
}\n";
    let program = ice_ir::parse_program(text).unwrap();
    let frame = |arch| {
        let options = CodeOptions::new(arch, Recipe::O2);
        let mut compiler = Compiler::new(&program.module, options).unwrap();
        let compiled = compiler.compile(&program.module, &program.bodies[0]).unwrap();
        (compiled.code().to_vec(), compiled.frame().clone())
    };
    let saved =
        |facts: &UnwindFacts| facts.saved.iter().map(|one| (one.register, one.offset)).collect::<Vec<_>>();
    // push rbx; the return address above it.
    let (code, facts) = frame(Arch::X86_64);
    assert_eq!((code[0], facts.frame_size, facts.base), (0x53, 16, (7, -16)));
    assert_eq!(saved(&facts), [(16, -8), (3, -16)]);
    // sub esp, imm8: the argument stays on the stack.
    let (code, facts) = frame(Arch::X86_32);
    assert_eq!(code[..2], [0x83, 0xec]);
    let size = 4 + u32::from(code[2]);
    assert_eq!((facts.frame_size, facts.base), (size, (4, -(size as i32))));
    assert_eq!(saved(&facts), [(8, -4)]);
    // push {r4, lr}.
    let (code, facts) = frame(Arch::Arm32);
    assert_eq!(code[..4], 0xe92d_4010_u32.to_le_bytes());
    assert_eq!((facts.frame_size, facts.base), (8, (13, -8)));
    assert_eq!(saved(&facts), [(4, -8), (14, -4)]);
    // addiu $sp, $sp, -24: the home of four arguments, $s0 and $ra.
    let (code, facts) = frame(Arch::Mips32);
    assert_eq!(code[..4], 0x27bd_ffe8_u32.to_le_bytes());
    assert_eq!((facts.frame_size, facts.base), (24, (29, -24)));
    assert_eq!(saved(&facts), [(16, -8), (31, -4)]);
}

/// Where the stack pointer moves, the frame hangs off a frame pointer.
#[test]
fn frames_of_dynamic_objects_have_a_frame_pointer() {
    let text = "target pointer i32\ndeclare external @other(i32) -> i32
define internal @f(v0: i32) -> i32 {
block0:
  v1: i32 = alloca v0, align 4
  v2: i32 = call @other(v1)
  ret v2
}\n";
    let program = ice_ir::parse_program(text).unwrap();
    for (arch, pointer, link) in [(Arch::X86_64, 6, -16), (Arch::X86_32, 5, -8), (Arch::Arm32, 11, -8)] {
        let mut compiler = Compiler::new(&program.module, CodeOptions::new(arch, Recipe::Om1)).unwrap();
        let compiled = compiler.compile(&program.module, &program.bodies[0]).unwrap();
        let facts = compiled.frame();
        assert_eq!(facts.base, (pointer, link), "{arch}");
        assert!(
            facts.saved.iter().any(|one| (one.register, one.offset) == (pointer, link)),
            "{arch}: {facts:?}"
        );
    }
}
