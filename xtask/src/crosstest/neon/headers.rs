//! The functions of `<arm_neon.h>` and `<arm_acle.h>`, and calls of them as functions in C that get bytes and
//! leave bytes.
//!
//! Both headers are read as clang's preprocessor leaves them. A function whose operands are values is an
//! inline function there, with its types and the features that it needs. What takes an immediate operand or
//! an address is a macro: its body copies each value to a variable of the right type, and what it does not
//! copy is an immediate operand, or the address if it is the first operand of a load or store. Which
//! immediate operands are in range is not read: those that clang refuses are left out afterwards.

use std::fmt::Write as _;

/// Features of the processor that the inline functions may need. Those that need others are left out.
const FEATURES: [&str; 11] =
    ["neon", "aes", "sha2", "sha3", "sm4", "crc", "dotprod", "i8mm", "v8.1a", "v8.3a", "v8.5a"];
/// Parts of the names of types that are left out: numbers of half precision and of a quarter.
const NARROW_FLOATS: [&str; 4] = ["float16", "bfloat", "mfloat", "__fp16"];
/// What a single immediate operand is: around the ends of every range there is for lanes and shifts.
const IMMEDIATES: [u32; 16] = [0, 1, 2, 3, 5, 7, 8, 11, 15, 16, 17, 31, 32, 33, 63, 64];
/// What two immediate operands are: lanes of two vectors.
const PAIRS: [[u32; 2]; 7] = [[0, 0], [1, 0], [0, 1], [1, 1], [3, 1], [2, 3], [7, 5]];
/// Bytes of the input for each operand: the largest are four vectors.
const OPERAND: usize = 64;

/// What every file of calls begins with. The input is aligned for every type.
const HEAD: &str = "\
#include <arm_neon.h>
#include <arm_acle.h>
#define GET(type, offset) ({ type value; __builtin_memcpy(&value, input + offset, sizeof value); value; })
#define PUT(result) __auto_type value = result; __builtin_memcpy(output, &value, sizeof value)
";
/// Lines of it.
const HEAD_LINES: usize = 4;

/// A function of the headers.
#[derive(PartialEq, Debug)]
struct Function {
    name: String,
    /// Its type; nothing if it stores what it computes.
    result: Option<String>,
    operands: Vec<Operand>,
}

#[derive(PartialEq, Debug)]
enum Operand {
    /// A value of this type.
    Value(String),
    Address,
    Immediate,
}

/// A call of a function with certain immediate operands.
#[derive(Clone)]
pub struct Call {
    pub function: String,
    /// The name of the function and the immediate operands.
    pub name: String,
    text: String,
    /// Bytes of each float that it leaves; none if it leaves something else.
    float_bytes: usize,
    /// Whether it gets floats.
    gets_floats: bool,
}

/// Calls of all functions of the preprocessed headers that Ice should support and that are not `left_out` by their names.
pub fn calls(headers: &str, left_out: fn(&str) -> bool) -> Vec<Call> {
    let functions = headers.split("static __inline__ ").skip(1).filter_map(inline_function);
    let macros = headers.lines().filter_map(macro_function);
    let functions = functions.chain(macros).filter(Function::is_tested);
    functions.filter(|function| !left_out(&function.name)).flat_map(|function| function.calls()).collect()
}

/// A file of calls, each in a line.
pub fn source(calls: &[Call]) -> String {
    let parameters = "const unsigned char *input, unsigned char *output";
    let lines =
        calls.iter().map(|call| format!("void test_{}({parameters}) {{ {}; }}\n", call.name, call.text));
    HEAD.to_owned() + &lines.collect::<String>()
}

/// The index of the call that a message of clang about its file is an error of.
pub fn refused(message: &str) -> Option<usize> {
    let (place, _) = message.split_once(": error: ")?;
    let line: usize = place.rsplit(':').nth(1)?.parse().ok()?;
    line.checked_sub(HEAD_LINES + 1)
}

/// What the program that makes the calls includes.
pub fn table(calls: &[Call]) -> String {
    let line = |call: &Call| format!("TEST({}, {}, {})\n", call.name, call.float_bytes, call.gets_floats);
    calls.iter().map(line).collect()
}

/// Reads `TYPE NAME(TYPE NAME, ...) {`, in which attributes may be before and behind the type of the result.
fn inline_function(text: &str) -> Option<Function> {
    let (head, _) = text.split_once('{')?;
    let (head, parameters) = head.rsplit_once('(')?;
    let (parameters, _) = parameters.split_once(')')?;
    let mut pieces = head.split("__attribute__");
    let mut rest = pieces.next()?.to_owned();
    for piece in pieces {
        let (attributes, behind) = piece.rsplit_once("))")?;
        rest += behind;
        if let Some((_, features)) = attributes.split_once("target(\"") {
            let (features, _) = features.split_once('"')?;
            features.split(',').all(|feature| FEATURES.contains(&feature)).then_some(())?;
        }
    }
    let (result, name) = rest.trim().rsplit_once(char::is_whitespace)?;
    // The name of a parameter begins with underscores, as all of these headers do.
    let operands = parameters.split(',').filter_map(|parameter| parameter.trim().rsplit_once("__"));
    Some(Function {
        name: name.to_owned(),
        result: Some(result.trim().to_owned()),
        operands: operands.map(|(ty, _)| Operand::Value(ty.trim().to_owned())).collect(),
    })
}

/// Reads `#define NAME(PARAMETER,...) __extension__ ({ TYPE __ret; TYPE __s0 = PARAMETER; ... })`.
fn macro_function(line: &str) -> Option<Function> {
    let (name, rest) = line.strip_prefix("#define ")?.split_once('(')?;
    let (parameters, body) = rest.split_once(") __extension__ ({ ")?;
    let operand = |(index, parameter)| {
        let variable = body.split_once(&format!(" = {parameter};")).map(|(before, _)| before);
        match variable.and_then(|before| before.rsplit(' ').nth(1)) {
            Some(ty) => Operand::Value(ty.to_owned()),
            None if index == 0 && (name.starts_with("vld") || name.starts_with("vst")) => Operand::Address,
            None => Operand::Immediate,
        }
    };
    name.starts_with('v').then(|| Function {
        name: name.to_owned(),
        result: body.split_once(" __ret").map(|(ty, _)| ty.to_owned()).filter(|ty| !ty.contains(' ')),
        operands: parameters.split(',').enumerate().map(operand).collect(),
    })
}

impl Function {
    /// The types of its result and operands.
    fn types(&self) -> impl Iterator<Item = &str> {
        let operands = self.operands.iter().filter_map(|operand| match operand {
            Operand::Value(ty) => Some(&**ty),
            Operand::Address | Operand::Immediate => None,
        });
        self.result.as_deref().into_iter().chain(operands)
    }

    /// Whether it is a function of numbers, of types that Ice has, which clang knows how to call.
    fn is_tested(&self) -> bool {
        let is_narrow = |ty: &str| NARROW_FLOATS.iter().any(|part| ty.contains(part));
        // Hints have no operands, and what swaps memory is no function of numbers.
        let is_of_numbers =
            !self.operands.is_empty() && self.types().all(|ty| ty != "void" && !ty.contains('*'));
        // Loads and stores of lanes in an order need a feature that their macros do not tell, and the last
        // one says what the processor has.
        let is_special = ["vldap1", "vstl1", "__chkfeat"].iter().any(|name| self.name.starts_with(name));
        // A vector of one double holds half a complex number: clang has no operation for it, and the macros
        // that take a lane of it read what is behind it.
        let is_half_complex = self.name.starts_with("vcmla")
            && self.name.ends_with("_f64")
            && (self.name.starts_with("vcmla_") || self.name.ends_with("_lane_f64"));
        is_of_numbers && !self.types().any(is_narrow) && !is_special && !is_half_complex
    }

    /// Calls with all immediate operands that may be in range.
    fn calls(&self) -> Vec<Call> {
        let count = self.operands.iter().filter(|operand| **operand == Operand::Immediate).count();
        match count {
            0 => vec![self.call(&[])],
            1 => IMMEDIATES.iter().map(|immediate| self.call(&[*immediate])).collect(),
            _ => PAIRS.iter().map(|pair| self.call(pair)).collect(),
        }
    }

    fn call(&self, immediates: &[u32]) -> Call {
        let mut name = self.name.clone();
        immediates.iter().for_each(|immediate| _ = write!(name, "_{immediate}"));
        let mut immediates = immediates.iter();
        let operand = |(index, operand): (usize, &Operand)| match operand {
            Operand::Value(ty) => format!("GET({ty}, {})", index * OPERAND),
            Operand::Address if self.result.is_none() => "(void *)output".to_owned(),
            Operand::Address => format!("(void *)(input + {})", index * OPERAND),
            Operand::Immediate => immediates.next().map_or_else(String::new, u32::to_string),
        };
        let operands: Vec<String> = self.operands.iter().enumerate().map(operand).collect();
        let call = format!("{}({})", self.name, operands.join(", "));
        // What is stored has the type of the value that the function gets.
        let float_bytes = match self.types().next().unwrap_or_default() {
            ty if ty == "float" || ty.starts_with("float32") => 4,
            ty if ty == "double" || ty.starts_with("float64") => 8,
            _ => 0,
        };
        let is_float = |operand: &Operand| matches!(operand, Operand::Value(ty) if ty.starts_with("float"));
        let gets_floats = self.operands.iter().any(is_float);
        let text = if self.result.is_some() { format!("PUT({call})") } else { call };
        Call { function: self.name.clone(), name, text, float_bytes, gets_floats }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADERS: &str = r#"
static __inline__ __attribute__((__always_inline__, __nodebug__)) __attribute__((target("sha3,neon")))
uint8x16_t veor3q_u8(uint8x16_t __p0, uint8x16_t __p1, uint8x16_t __p2) {
static __inline__ uint32_t __attribute__((__always_inline__, __nodebug__, target("crc")))
__crc32d(uint32_t __a, uint64_t __b) {
static __inline__ unsigned int __attribute__((__always_inline__, __nodebug__))
__clzl(unsigned long __t) {
static __inline__ int __attribute__((__always_inline__, __nodebug__, target("rand")))
__rndr(uint64_t *__p) {
static __inline__ void __attribute__((__always_inline__, __nodebug__)) __nop(void) {
static __inline__ uint32_t __attribute__((__always_inline__, __nodebug__))
__swp(uint32_t __x, volatile uint32_t *__p) {
static __inline__ __attribute__((__always_inline__, __nodebug__)) __attribute__((target("neon")))
float16x4_t vreinterpret_f16_u8(uint8x8_t __p0) {
#define vget_lane_f64(__p0,__p1) __extension__ ({ float64_t __ret; float64x1_t __s0 = __p0; f(__s0, __p1); })
#define vst1_lane_f32(__p0_1,__p1_1,__p2_1) __extension__ ({ float32x2_t __s1 = __p1_1; f(__p0_1, __s1); })
#define __arm_wsr(sysreg,v) __builtin_arm_wsr(sysreg, v)
"#;

    #[test]
    fn calls_are_read_from_the_headers() {
        let calls = calls(HEADERS, |_| false);
        let found = |name: &str| {
            let call = calls.iter().find(|call| call.name == name).expect(name);
            (&*call.text, call.float_bytes)
        };
        let text = "PUT(veor3q_u8(GET(uint8x16_t, 0), GET(uint8x16_t, 64), GET(uint8x16_t, 128)))";
        assert_eq!(found("veor3q_u8"), (text, 0));
        assert_eq!(found("__crc32d"), ("PUT(__crc32d(GET(uint32_t, 0), GET(uint64_t, 64)))", 0));
        assert_eq!(found("__clzl"), ("PUT(__clzl(GET(unsigned long, 0)))", 0));
        assert_eq!(found("vget_lane_f64_1"), ("PUT(vget_lane_f64(GET(float64x1_t, 0), 1))", 8));
        let text = "vst1_lane_f32((void *)output, GET(float32x2_t, 64), 31)";
        assert_eq!(found("vst1_lane_f32_31"), (text, 4));
        assert_eq!(calls.len(), 3 + 2 * IMMEDIATES.len());
    }

    #[test]
    fn an_error_names_a_line() {
        assert_eq!(HEAD.lines().count(), HEAD_LINES);
        assert_eq!(refused("a.c:5:20: error: argument value 64 is outside the valid range [1, 32]"), Some(0));
        assert_eq!(refused("a.c:17:1: error: "), Some(12));
        assert_eq!(refused("a.c:17:1: note: expanded from macro"), None);
    }
}
