//! Stubs that call a function with values from memory, and the table of them.
//!
//! A stub has one signature for all functions: it takes scalars from slots of 16 bytes, puts vectors and
//! structures together, calls, and takes the result apart into slots. Stubs are IR of LLVM and so pass
//! anything that IR can pass as the platform demands. An integer without `signext` or `zeroext` is truncated
//! from the whole slot, so that its register holds garbage above its width.

use super::signature::{Parameter, Shape, Signature, Signatures, Type};
use std::fmt::Write as _;

/// What precedes the names of the side that is right.
pub const REFERENCE: &str = "ref_";

/// The stubs of all functions of some modules, in LLVM's text form, and the table for the driver, in C.
pub struct Stubs {
    pub ir: String,
    pub table: String,
}

/// Writes stubs and table for `signatures`.
pub fn write(head: &str, modules: &[Signatures]) -> Stubs {
    let mut ir = head.to_owned();
    let mut types: Vec<&String> = modules.iter().flat_map(|module| &module.types).collect();
    types.sort();
    types.dedup();
    for ty in types {
        ir += ty;
        ir.push('\n');
    }
    let (mut declarations, mut rows, mut count) = (String::new(), String::new(), 0);
    for function in modules.iter().flat_map(|module| &module.functions) {
        for (side, prefix) in [("test", ""), ("reference", REFERENCE)] {
            let name = format!("{side}_{count}");
            stub(&mut ir, &name, prefix, function);
            let _ = writeln!(declarations, "void {name}(const union slot *, union slot *);");
        }
        let kinds = |places: &[Parameter]| {
            let mut text = String::new();
            places.iter().for_each(|place| leaves(&place.ty, &mut text));
            text
        };
        let _ = writeln!(
            rows,
            "    {{\"{}\", \"{}\", \"{}\", test_{count}, reference_{count}}},",
            function.name,
            kinds(&function.parameters),
            kinds(std::slice::from_ref(&function.result)),
        );
        count += 1;
    }
    let table = format!(
        "#include \"driver.h\"\n{declarations}const struct function functions[] = {{\n{rows}    {{0}}}};\n"
    );
    Stubs { ir, table }
}

/// The scalars of a type, as the driver's table names them: a letter, and the width of an integer.
fn leaves(ty: &Type, text: &mut String) {
    match ty {
        Type::Void => {}
        Type::Int(bits) => {
            let _ = write!(text, "i{bits}");
        }
        Type::Float => text.push('f'),
        Type::Double => text.push('d'),
        Type::Extended => text.push('x'),
        Type::Quad => text.push('q'),
        Type::Pointer => text.push('p'),
        Type::Aggregate(.., members) => members.iter().for_each(|member| leaves(member, text)),
    }
}

fn stub(ir: &mut String, name: &str, prefix: &str, function: &Signature) {
    let Signature { convention, result, parameters, .. } = function;
    let result_text = format!("{} {}", result.attributes, result.ty.text());
    let described: Vec<String> =
        parameters.iter().map(|place| format!("{} {}", place.ty.text(), place.attributes)).collect();
    let target = format!("@{prefix}{}", function.name);
    let _ = writeln!(ir, "declare {convention} {result_text} {target}({})", described.join(", "));
    let _ = writeln!(ir, "define void @{name}(ptr %in, ptr %out) {{");
    let mut writer = Writer { ir, values: 0, slots: 0 };
    let arguments: Vec<String> = parameters
        .iter()
        .zip(&described)
        .map(|(place, text)| format!("{text} {}", writer.build(&place.ty)))
        .collect();
    let call = format!("call {convention} {result_text} {target}({})", arguments.join(", "));
    writer.slots = 0;
    if result.ty == Type::Void {
        let _ = writeln!(writer.ir, "  {call}");
    } else {
        let value = writer.value(&call);
        writer.spread(&result.ty, &value, result.attributes.contains("signext"));
    }
    ir.push_str("  ret void\n}\n");
}

struct Writer<'a> {
    ir: &'a mut String,
    values: u32,
    /// Slots that are done with.
    slots: u32,
}

impl Writer<'_> {
    fn value(&mut self, text: &str) -> String {
        self.values += 1;
        let _ = writeln!(self.ir, "  %v{} = {text}", self.values);
        format!("%v{}", self.values)
    }

    fn slot(&mut self, base: &str) -> String {
        self.slots += 1;
        self.value(&format!("getelementptr i8, ptr {base}, i32 {}", 16 * (self.slots - 1)))
    }

    /// Puts a value together from the next slots of the input.
    fn build(&mut self, ty: &Type) -> String {
        let Type::Aggregate(text, shape, members) = ty else { return self.load(ty) };
        let mut whole = "poison".to_owned();
        for (index, member) in members.iter().enumerate() {
            let part = format!("{} {}", member.text(), self.build(member));
            whole = match shape {
                Shape::Vector => self.value(&format!("insertelement {text} {whole}, {part}, i32 {index}")),
                Shape::Other => self.value(&format!("insertvalue {text} {whole}, {part}, {index}")),
            };
        }
        whole
    }

    fn load(&mut self, ty: &Type) -> String {
        let slot = self.slot("%in");
        match ty {
            Type::Int(bits) if *bits != 64 && *bits != 128 => {
                let wide = if *bits < 64 { "i64" } else { "i128" };
                let whole = self.value(&format!("load {wide}, ptr {slot}"));
                self.value(&format!("trunc {wide} {whole} to i{bits}"))
            }
            _ => self.value(&format!("load {}, ptr {slot}", ty.text())),
        }
    }

    /// Stores the parts of a value to the next slots of the output.
    fn spread(&mut self, ty: &Type, value: &str, is_signed: bool) {
        let text = ty.text();
        match ty {
            Type::Void => {}
            Type::Aggregate(_, shape, members) => {
                for (index, member) in members.iter().enumerate() {
                    let part = match shape {
                        Shape::Vector => format!("extractelement {text} {value}, i32 {index}"),
                        Shape::Other => format!("extractvalue {text} {value}, {index}"),
                    };
                    let part = self.value(&part);
                    self.spread(member, &part, false);
                }
            }
            _ => {
                let slot = self.slot("%out");
                let (wide, value) = match ty {
                    Type::Int(bits) if *bits != 64 && *bits != 128 => {
                        let wide = if *bits < 64 { "i64" } else { "i128" };
                        let extend = if is_signed { "sext" } else { "zext" };
                        (wide.to_owned(), self.value(&format!("{extend} {text} {value} to {wide}")))
                    }
                    _ => (text, value.to_owned()),
                };
                let _ = writeln!(self.ir, "  store {wide} {value}, ptr {slot}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::signature;
    use super::*;

    #[test]
    fn a_stub_passes_parts_through_slots() {
        let module = signature::read("define signext i8 @f({ i64, <2 x float> } %a, ptr sret(i32) %b) {");
        let stubs = write("", &[module]);
        assert!(stubs.table.contains("{\"f\", \"i64ffp\", \"i8\", test_0, reference_0}"));
        assert!(stubs.ir.contains("insertvalue { i64, <2 x float> } poison, i64 %v2, 0"));
        assert!(stubs.ir.contains("call  signext i8 @ref_f({ i64, <2 x float> }  %v"));
        assert!(stubs.ir.contains("ptr sret(i32) %v"));
    }
}
