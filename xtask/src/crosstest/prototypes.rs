//! Random C functions, for conventions of calls: a file that defines them and a file that calls them.
//!
//! A type is known by its *leaves*: the scalars in it, each with the text that names it in a value and a constant of its
//! kind. The caller sets every leaf of every argument and the callee checks it, and the other way round for the result;
//! what arrives changed is named by the numbers of the function, the place and the leaf. Nothing but the places of
//! values is tested, so all numbers are exact in every type.

use crate::fuzz::Random;
use crate::toolchain::Target;
use std::fmt::Write as _;

/// Functions of a program.
const FUNCTIONS: usize = 8;
/// Most scalars of a type.
const MOST_LEAVES: usize = 40;

/// A program in three files.
pub struct Program {
    /// What clang is told of the processor.
    pub features: &'static [&'static str],
    /// Types and declarations, which the others include.
    pub header: String,
    pub callee: String,
    pub caller: String,
}

/// Values from bits and back, without arithmetic.
const HALF: &str = "static _Float16 make_half(unsigned short bits) { _Float16 x; __builtin_memcpy(&x, &bits, 2); return x; }\n\
                    static unsigned short bits_half(_Float16 x) { unsigned short bits; __builtin_memcpy(&bits, &x, 2); return bits; }\n";

/// What a scalar can hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A C type of integers, and its bits.
    Int(&'static str, u32),
    /// A bit-field of so many bits, signed or not.
    Bits(u32, bool),
    /// A C type of floats.
    Float(&'static str),
    /// `_Float16`, of which not every run-time library has the conversions.
    Half,
    Pointer,
    Bool,
}

/// A scalar in a value, whose place in the text is `@`.
#[derive(Clone)]
struct Leaf {
    text: String,
    kind: Kind,
}

#[derive(Clone)]
struct Type {
    /// What C calls it.
    name: String,
    leaves: Vec<Leaf>,
    /// Whether it is passed as it is where a prototype does not name it, whole.
    is_promoted: bool,
    /// Whether it is aligned to more than 16 bytes, which Ice refuses among variable arguments but on x86.
    is_overaligned: bool,
}

impl Type {
    fn scalar(name: &'static str, kind: Kind) -> Type {
        let is_promoted = match kind {
            // LLVM's callers and callees do not agree on pairs of which one half would have a register.
            Kind::Int(_, bits) => (32..128).contains(&bits),
            Kind::Float(_) => matches!(name, "double" | "long double" | "__float128"),
            Kind::Pointer => true,
            Kind::Bits(..) | Kind::Bool | Kind::Half => false,
        };
        Type {
            name: name.to_owned(),
            leaves: vec![Leaf { text: "@".to_owned(), kind }],
            is_promoted,
            is_overaligned: false,
        }
    }

    /// Its leaves in a value that has it as `place`.
    fn within<'a>(&'a self, place: &'a str) -> impl Iterator<Item = Leaf> + 'a {
        self.leaves.iter().map(move |leaf| Leaf { text: leaf.text.replace('@', place), kind: leaf.kind })
    }
}

impl Random {
    /// A constant of the kind.
    fn constant(&mut self, kind: Kind) -> String {
        let bits = self.next();
        match kind {
            Kind::Int(name, 128) => {
                format!("({name})((unsigned __int128){bits:#x}ULL << 64 | {:#x}ULL)", self.next())
            }
            Kind::Int(name, _) => format!("({name}){bits:#x}ULL"),
            Kind::Bits(width, false) => format!("{}ULL", bits & ((1 << width) - 1)),
            Kind::Bits(width, true) => format!("{}LL", (bits as i64) >> (64 - width)),
            Kind::Float(name) => format!("({name}){}", (bits % 800) as f64 / 4.0 - 100.0),
            Kind::Half => format!("make_half({})", bits & 0x3fff),
            Kind::Pointer => format!("(void *){:#x}", bits & 0xffff_fff0),
            Kind::Bool => (bits & 1).to_string(),
        }
    }
}

struct Generator {
    random: Random,
    target: Target,
    /// Whether the processor has vector registers of 256 bits.
    has_wide_registers: bool,
    header: String,
    /// Types that have a name.
    named: usize,
}

/// The program of a seed.
pub fn generate(seed: u64, target: Target) -> Program {
    // Half of the programs for x86, at every level.
    let has_wide_registers = is_x86(target) && seed / 3 % 2 == 1;
    let mut generator =
        Generator { random: Random::new(seed), target, has_wide_registers, header: String::new(), named: 0 };
    generator.header += "#include <stdarg.h>\nvoid fail(int function, int place, int leaf);\n";
    if generator.has_half() {
        generator.header += HALF;
    }
    let (mut callee, mut caller) = ("#include \"types.h\"\n".to_owned(), "#include \"types.h\"\n".to_owned());
    for number in 0..FUNCTIONS {
        generator.function(number, &mut callee, &mut caller);
    }
    caller += "int main(void) {\n";
    (0..FUNCTIONS).for_each(|number| _ = writeln!(caller, "  call{number}();"));
    caller += "  return 0;\n}\n";
    let features: &[&str] = match has_wide_registers {
        true if seed.is_multiple_of(5) => &["-mavx2", "-mfma"],
        true => &["-mavx"],
        false => &[],
    };
    Program { features, header: generator.header, callee, caller }
}

fn is_x86(target: Target) -> bool {
    matches!(target, Target::X86_64 | Target::I686)
}

impl Generator {
    /// Whether clang has `_Float16` for the target. LLVM 19 calls a conversion for each move of a `__bf16` on x86, and
    /// not always with the number in its place: nothing to compare with.
    fn has_half(&self) -> bool {
        matches!(self.target, Target::X86_64 | Target::Armv7 | Target::Aarch64)
    }

    /// Whether numbers of binary128 are where others look for them: on x86-32 LLVM 19 puts them elsewhere than GCC.
    fn has_quad(&self) -> bool {
        self.target == Target::X86_64
    }

    fn name(&mut self, letter: char) -> String {
        self.named += 1;
        format!("{letter}{}", self.named)
    }

    fn scalar(&mut self) -> Type {
        let long = if self.target.is_64() { 64 } else { 32 };
        let common = [
            Type::scalar("_Bool", Kind::Bool),
            Type::scalar("signed char", Kind::Int("signed char", 8)),
            Type::scalar("unsigned char", Kind::Int("unsigned char", 8)),
            Type::scalar("short", Kind::Int("short", 16)),
            Type::scalar("unsigned short", Kind::Int("unsigned short", 16)),
            Type::scalar("int", Kind::Int("int", 32)),
            Type::scalar("unsigned", Kind::Int("unsigned", 32)),
            Type::scalar("long", Kind::Int("long", long)),
            Type::scalar("long long", Kind::Int("long long", 64)),
            Type::scalar("unsigned long long", Kind::Int("unsigned long long", 64)),
            Type::scalar("void *", Kind::Pointer),
            Type::scalar("float", Kind::Float("float")),
            Type::scalar("float", Kind::Float("float")),
            Type::scalar("double", Kind::Float("double")),
            Type::scalar("double", Kind::Float("double")),
            Type::scalar("long double", Kind::Float("long double")),
        ];
        let half = Type::scalar("_Float16", Kind::Half);
        let wide = [
            Type::scalar("__int128", Kind::Int("__int128", 128)),
            Type::scalar("unsigned __int128", Kind::Int("unsigned __int128", 128)),
        ];
        match self.random.below(8) {
            0 if self.target.is_64() => self.random.one_of(&wide),
            2 if self.has_quad() => Type::scalar("__float128", Kind::Float("__float128")),
            1 if self.has_half() => half,
            _ => self.random.one_of(&common),
        }
    }

    fn complex(&mut self) -> Type {
        let mut elements = vec!["float", "double", "long double"];
        if self.has_half() {
            elements.push("_Float16");
        }
        if self.has_quad() {
            elements.push("__float128");
        }
        let element = self.random.one_of(&elements);
        let kind = if element == "_Float16" { Kind::Half } else { Kind::Float(element) };
        let part = |word: &str| Leaf { text: format!("__{word}__ @"), kind };
        Type {
            name: format!("_Complex {element}"),
            leaves: vec![part("real"), part("imag")],
            is_promoted: true,
            is_overaligned: false,
        }
    }

    fn vector(&mut self) -> Type {
        let mut elements = vec![
            (Kind::Int("signed char", 8), 1),
            (Kind::Int("short", 16), 2),
            (Kind::Int("int", 32), 4),
            (Kind::Int("long long", 64), 8),
            (Kind::Float("float"), 4),
            (Kind::Float("double"), 8),
        ];
        if self.has_half() {
            elements.push((Kind::Half, 2));
        }
        let (kind, bytes) = self.random.one_of(&elements);
        let sizes = if self.has_wide_registers { [8, 16, 32, 32, 32, 64] } else { [4, 8, 16, 16, 16, 32] };
        let size = self.random.one_of(&sizes).max(bytes);
        let element = match kind {
            Kind::Int(name, _) | Kind::Float(name) => name,
            Kind::Half => "_Float16",
            _ => "int",
        };
        let name = self.name('v');
        _ = writeln!(self.header, "typedef {element} {name} __attribute__((vector_size({size})));");
        let leaves = (0..size / bytes).map(|lane| Leaf { text: format!("@[{lane}]"), kind }).collect();
        // Of smaller ones clang's callers and callees do not always agree.
        let is_promoted = size == 16 || size == 32 && self.has_wide_registers;
        Type { name, leaves, is_promoted, is_overaligned: size > 16 }
    }

    /// A structure or a union, of which the first member is looked at.
    fn structure(&mut self, depth: usize) -> Type {
        let (is_union, mut is_overaligned) = (self.random.once_in(8), false);
        let (mut text, mut leaves) = (String::new(), Vec::<Leaf>::new());
        for number in 0..1 + self.random.below(5) {
            let member = format!("m{number}");
            let mut new = Vec::new();
            if self.random.once_in(6) {
                let (name, most) = self.random.one_of(&[
                    ("int", 32),
                    ("short", 16),
                    ("unsigned char", 8),
                    ("long long", 40),
                ]);
                let (sign, width) =
                    (self.random.one_of(&["", "unsigned "]), 1 + self.random.below(most) as u32);
                let is_signed = sign.is_empty() && !name.starts_with("unsigned");
                let sign = if name.starts_with("unsigned") { "" } else { sign };
                if self.random.once_in(6) {
                    _ = write!(text, " {name} : 0;");
                }
                // Plain bit-fields are signed for clang on these targets.
                _ = write!(text, " {sign}{name} {member} : {width};");
                new.push(Leaf { text: format!("@.{member}"), kind: Kind::Bits(width, is_signed) });
            } else {
                let ty = self.any(depth - 1);
                let len = if self.random.once_in(4) { 1 + self.random.below(4) } else { 0 };
                let align = self.random.one_of(&[8, 16, 32]);
                let is_aligned = self.random.once_in(16);
                is_overaligned |= ty.is_overaligned || is_aligned && align > 16;
                let align = match is_aligned {
                    true => format!(" __attribute__((aligned({align})))"),
                    false => String::new(),
                };
                let array = if len > 0 { format!("[{len}]") } else { String::new() };
                if leaves.len() + ty.leaves.len() * len.max(1) > MOST_LEAVES {
                    continue;
                }
                _ = write!(text, " {} {member}{array}{align};", ty.name);
                match len {
                    0 => new.extend(ty.within(&format!("@.{member}"))),
                    _ => (0..len).for_each(|i| new.extend(ty.within(&format!("@.{member}[{i}]")))),
                }
            }
            if !is_union || leaves.is_empty() {
                leaves.append(&mut new);
            }
        }
        let (kind, name) = (if is_union { "union" } else { "struct" }, self.name('s'));
        let packed = if self.random.once_in(8) { " __attribute__((packed))" } else { "" };
        _ = writeln!(self.header, "typedef {kind} {{{text} }}{packed} {name};");
        Type { name, leaves, is_promoted: true, is_overaligned }
    }

    fn any(&mut self, depth: usize) -> Type {
        match self.random.below(12) {
            0..4 if depth > 0 => self.structure(depth),
            4 => self.vector(),
            5 if self.has_wide_registers => self.vector(),
            6 => self.complex(),
            _ => self.scalar(),
        }
    }

    /// A pair that follows others may find one register left, which LLVM 19 then wastes, against the System V ABI.
    fn parameter(&mut self, place: usize) -> Type {
        loop {
            let ty = self.any(2);
            if place < 2 || !ty.name.ends_with("__int128") {
                return ty;
            }
        }
    }

    fn promoted(&mut self) -> Type {
        loop {
            let ty = self.any(2);
            if ty.is_promoted && (!ty.is_overaligned || is_x86(self.target)) {
                return ty;
            }
        }
    }

    /// What sets the leaves of the value `name`, and what checks them.
    fn value(&mut self, ty: &Type, name: &str, (function, place): (usize, usize)) -> (String, String) {
        let (mut set, mut check) = (String::new(), String::new());
        for (number, leaf) in ty.within(name).enumerate() {
            let constant = self.random.constant(leaf.kind);
            let text = &leaf.text;
            let (found, wanted) = match leaf.kind {
                Kind::Half => (format!("bits_half({text})"), format!("bits_half({constant})")),
                _ => (text.clone(), constant.clone()),
            };
            _ = writeln!(set, "  {text} = {constant};");
            _ = writeln!(check, "  if ({found} != {wanted}) fail({function}, {place}, {number});");
        }
        (set, check)
    }

    fn function(&mut self, number: usize, callee: &mut String, caller: &mut String) {
        let ret = if self.random.once_in(5) { None } else { Some(self.any(2)) };
        let most = self.random.one_of(&[3, 6, 9, 14]);
        let mut params: Vec<Type> = (0..self.random.below(most)).map(|place| self.parameter(place)).collect();
        let mut variable = Vec::new();
        if self.random.once_in(4) {
            params.push(self.promoted());
            variable = (0..self.random.below(7)).map(|_| self.promoted()).collect();
        }
        let attribute = match self.target {
            Target::I686 if self.random.once_in(2) => {
                let few = format!("regparm({})", self.random.below(4));
                // The last two are C's where arguments are variable, and clang says so.
                let conventions = [&few, "stdcall", "fastcall", "thiscall"];
                let most = if variable.is_empty() { conventions.len() } else { 2 };
                format!("__attribute__(({})) ", self.random.one_of(&conventions[..most]))
            }
            // With registers of 256 bits the others are refused.
            Target::X86_64 if self.random.once_in(2) => {
                let conventions = ["preserve_most", "ms_abi", "preserve_all"];
                let most = if self.has_wide_registers { 1 } else { conventions.len() };
                format!("__attribute__(({})) ", self.random.one_of(&conventions[..most]))
            }
            _ => String::new(),
        };
        let lists = if attribute.contains("ms_abi") { "__builtin_ms_" } else { "__builtin_" };
        let result = ret.as_ref().map_or("void", |ty| &ty.name).to_owned();
        let mut list: Vec<String> =
            params.iter().enumerate().map(|(i, ty)| format!("{} a{i}", ty.name)).collect();
        if !variable.is_empty() {
            list.push("...".to_owned());
        }
        let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
        _ = writeln!(self.header, "{attribute}{result} f{number}({list});");

        let (mut before, mut checks) = (String::new(), String::new());
        for (place, ty) in params.iter().chain(&variable).enumerate() {
            let name = format!("a{place}");
            let (set, check) = self.value(ty, &name, (number, place));
            _ = write!(before, "  {} {name};\n{set}", ty.name);
            if place == params.len() {
                _ = writeln!(checks, "  {lists}va_list l;\n  {lists}va_start(l, a{});", place - 1);
            }
            if place >= params.len() {
                _ = writeln!(checks, "  {0} {name} = va_arg(l, {0});", ty.name);
            }
            checks += &check;
        }
        let arguments: Vec<String> = (0..params.len() + variable.len()).map(|i| format!("a{i}")).collect();
        let arguments = arguments.join(", ");
        let (pointer, name) = match self.random.once_in(3) {
            true => (format!("  __typeof__(f{number}) *volatile p = f{number};\n"), "p".to_owned()),
            false => (String::new(), format!("f{number}")),
        };
        let (mut returned, mut after, mut kept) = (String::new(), String::new(), String::new());
        if let Some(ty) = &ret {
            let (set, check) = self.value(ty, "r", (number, 100));
            returned = format!("  {} r;\n{set}  return r;\n", ty.name);
            (kept, after) = (format!("{} r = ", ty.name), check);
        }
        _ = writeln!(callee, "{attribute}{result} f{number}({list}) {{\n{checks}{returned}}}");
        _ = writeln!(
            caller,
            "static void call{number}(void) {{\n{before}{pointer}  {kept}{name}({arguments});\n{after}}}"
        );
    }
}
