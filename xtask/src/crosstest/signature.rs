//! Signatures of the functions of a module, read from LLVM's text form.
//!
//! The text form says all that a caller must know: types, and the attributes that change how arguments travel
//! (`signext`, `zeroext`, `inreg`, `byval`, `sret`, `align`), and the calling convention. All other attributes are
//! passed over. Only lines that begin with `define` and definitions of named types are looked at.

use std::collections::HashMap;

/// A type whose values can be put together from scalars.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    Void,
    /// An integer of so many bits, 128 at most.
    Int(u32),
    Float,
    Double,
    /// `x86_fp80`.
    Extended,
    /// `fp128`.
    Quad,
    Pointer,
    /// An array, a vector or a structure: as it is written, and its members.
    Aggregate(String, Shape, Vec<Type>),
}

/// What kind of aggregate it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    Vector,
    Other,
}

/// A parameter or a result, with the attributes that callers repeat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    pub ty: Type,
    /// Separated by blanks.
    pub attributes: String,
}

/// A function that can be called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    pub name: String,
    /// `fastcc` and the like; empty for C.
    pub convention: String,
    pub result: Parameter,
    pub parameters: Vec<Parameter>,
}

/// The functions of a module that can be called from outside, and what there is besides.
#[derive(Default)]
pub struct Signatures {
    pub functions: Vec<Signature>,
    /// Definitions of types, as they stand in the module.
    pub types: Vec<String>,
    /// Names of functions with a type that no stub can pass, or with variable arguments.
    pub left_out: Vec<String>,
}

/// Reads all signatures of a module.
pub fn read(module: &str) -> Signatures {
    let mut all = Signatures::default();
    let mut named = HashMap::new();
    for line in module.lines() {
        if let Some((name, definition)) = line.split_once(" = type ")
            && name.starts_with('%')
        {
            named.insert(name.to_owned(), definition.to_owned());
            all.types.push(line.to_owned());
        }
    }
    for line in module.lines().filter(|line| line.starts_with("define ")) {
        match Reader::new(&line["define ".len()..], &named).function() {
            Head::Callable(signature) => all.functions.push(signature),
            Head::Hidden => {}
            Head::Unknown(name) => all.left_out.push(name),
        }
    }
    all
}

enum Head {
    Callable(Signature),
    /// Not visible to other modules, or there for other functions only.
    Hidden,
    Unknown(String),
}

const CONVENTIONS: [&str; 6] =
    ["fastcc", "coldcc", "tailcc", "x86_stdcallcc", "x86_fastcallcc", "x86_thiscallcc"];
/// Attributes of places that decide how a value travels.
const KEPT_WORDS: [&str; 3] = ["signext", "zeroext", "inreg"];
/// Attributes with a type in parentheses that decide how a value travels.
const KEPT_GROUPS: [&str; 2] = ["byval", "sret"];
/// Functions whose names begin so are called by their module only: helpers, and what C++ names itself.
const HELPERS: [&str; 3] = ["help_", "_", "\""];
/// Longest vector or array that is put together from its members.
const MOST_MEMBERS: usize = 64;

struct Reader<'a> {
    tokens: Vec<&'a str>,
    at: usize,
    named: &'a HashMap<String, String>,
}

/// Splits a line into names with their sigils, numbers, quoted names and single punctuation marks.
fn tokens(mut text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    while let Some(first) = text.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || "_.%@$-!#".contains(c);
        let quote = text.find('"').filter(|&at| at <= 1);
        let length = match quote {
            Some(at) => text[at + 1..].find('"').map_or(text.len(), |end| at + end + 2),
            None if is_word(first) => text.find(|c| !is_word(c)).unwrap_or(text.len()),
            None => first.len_utf8(),
        };
        if !first.is_whitespace() {
            all.push(&text[..length]);
        }
        text = &text[length..];
    }
    all
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, named: &'a HashMap<String, String>) -> Self {
        Reader { tokens: tokens(text), at: 0, named }
    }

    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).copied().unwrap_or_default()
    }

    fn next(&mut self) -> &'a str {
        self.at += 1;
        self.tokens.get(self.at - 1).copied().unwrap_or_default()
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    /// What stands between parentheses, if some do.
    fn group(&mut self) -> Option<String> {
        if !self.take("(") {
            return None;
        }
        let (first, mut depth) = (self.at, 1);
        while depth > 0 && self.at < self.tokens.len() {
            match self.next() {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
        }
        Some(self.tokens[first..self.at - 1].join(" "))
    }

    fn starts_type(&self) -> bool {
        let token = self.peek();
        let is_integer = token.strip_prefix('i').is_some_and(|bits| bits.parse::<u32>().is_ok());
        let words = ["void", "half", "bfloat", "float", "double", "x86_fp80", "fp128", "ptr", "<", "{", "["];
        is_integer || words.contains(&token) || token.starts_with('%')
    }

    fn ty(&mut self) -> Option<Type> {
        let token = self.next();
        Some(match token {
            "void" => Type::Void,
            "float" => Type::Float,
            "double" => Type::Double,
            "x86_fp80" => Type::Extended,
            "fp128" => Type::Quad,
            "ptr" => Type::Pointer,
            "[" => self.repeated("]")?,
            "<" if self.take("{") => {
                let (members, text) = self.members()?;
                self.take(">").then(|| Type::Aggregate(format!("<{text}>"), Shape::Other, members))?
            }
            "<" => self.repeated(">")?,
            "{" => {
                let (members, text) = self.members()?;
                Type::Aggregate(text, Shape::Other, members)
            }
            name if name.starts_with('%') => {
                let definition = self.named.get(name)?;
                match Reader::new(definition, self.named).ty()? {
                    Type::Aggregate(_, shape, members) => Type::Aggregate(name.to_owned(), shape, members),
                    _ => return None,
                }
            }
            _ => Type::Int(token.strip_prefix('i')?.parse().ok().filter(|&bits| bits <= 128)?),
        })
    }

    /// `N x TYPE` and the closing mark.
    fn repeated(&mut self, close: &str) -> Option<Type> {
        let count: usize = self.next().parse().ok().filter(|&count| count <= MOST_MEMBERS)?;
        let member = self.take("x").then(|| self.ty())??;
        let (open, shape) = if close == ">" { ("<", Shape::Vector) } else { ("[", Shape::Other) };
        let text = format!("{open}{count} x {}{close}", member.text());
        self.take(close).then(|| Type::Aggregate(text, shape, vec![member; count]))
    }

    /// The members of a structure behind its brace, and the structure's text.
    fn members(&mut self) -> Option<(Vec<Type>, String)> {
        let mut members = Vec::new();
        while !self.take("}") {
            members.push(self.ty()?);
            self.take(",");
        }
        let texts: Vec<String> = members.iter().map(Type::text).collect();
        Some((members, format!("{{ {} }}", texts.join(", "))))
    }

    /// An attribute with its group, added to `kept` if callers repeat it.
    fn attribute(&mut self, kept: &mut Vec<String>) {
        let word = self.next();
        if word == "align" {
            // Callers repeat the alignment of what is copied only.
            let alignment = self.next();
            if kept.iter().any(|attribute| attribute.starts_with("byval")) {
                kept.push(format!("align {alignment}"));
            }
            return;
        }
        let group = self.group();
        match group {
            None if KEPT_WORDS.contains(&word) => kept.push(word.to_owned()),
            Some(group) if KEPT_GROUPS.contains(&word) => kept.push(format!("{word}({group})")),
            _ => {}
        }
    }

    fn function(&mut self) -> Head {
        let name = self.tokens.iter().find(|token| token.starts_with('@')).map_or("", |token| &token[1..]);
        if HELPERS.iter().any(|prefix| name.starts_with(prefix)) {
            return Head::Hidden;
        }
        let (mut convention, mut attributes) = (String::new(), Vec::new());
        while !self.starts_type() && self.at < self.tokens.len() {
            let word = self.peek();
            if ["internal", "private", "available_externally"].contains(&word) {
                return Head::Hidden;
            }
            if CONVENTIONS.contains(&word) {
                word.clone_into(&mut convention);
            }
            self.attribute(&mut attributes);
        }
        let unknown = || Head::Unknown(name.to_owned());
        let Some(ty) = self.ty() else { return unknown() };
        let result = Parameter { ty, attributes: attributes.join(" ") };
        let is_named = self.next().starts_with('@') && self.take("(");
        match is_named.then(|| self.parameters()).flatten() {
            None => unknown(),
            Some(parameters) => {
                Head::Callable(Signature { name: name.to_owned(), convention, result, parameters })
            }
        }
    }

    /// The parameters behind the opening parenthesis; none if one is of an unknown kind.
    fn parameters(&mut self) -> Option<Vec<Parameter>> {
        let mut all = Vec::new();
        while !self.take(")") {
            let (ty, mut attributes) = (self.ty()?, Vec::new());
            while !["", ",", ")"].contains(&self.peek()) {
                self.attribute(&mut attributes);
            }
            all.push(Parameter { ty, attributes: attributes.join(" ") });
            self.take(",");
        }
        Some(all)
    }
}

impl Type {
    /// As LLVM writes it.
    pub fn text(&self) -> String {
        match self {
            Type::Void => "void".to_owned(),
            Type::Int(bits) => format!("i{bits}"),
            Type::Float => "float".to_owned(),
            Type::Double => "double".to_owned(),
            Type::Extended => "x86_fp80".to_owned(),
            Type::Quad => "fp128".to_owned(),
            Type::Pointer => "ptr".to_owned(),
            Type::Aggregate(text, ..) => text.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(module: &str) -> Signature {
        let mut all = read(module);
        assert!(all.left_out.is_empty());
        all.functions.pop().expect("a function")
    }

    #[test]
    fn attributes_that_matter_are_kept() {
        let f = only(
            "define dso_local noundef zeroext range(i8 0, 2) i8 @f(i16 noundef signext %0, ptr nocapture noundef \
             byval(%struct.A) align 8 dereferenceable(8) %1, ptr align 4 %2) local_unnamed_addr #0 {",
        );
        assert_eq!((&*f.name, &*f.result.attributes, &f.result.ty), ("f", "zeroext", &Type::Int(8)));
        let attributes: Vec<&str> = f.parameters.iter().map(|place| &*place.attributes).collect();
        assert_eq!(attributes, ["signext", "byval(%struct.A) align 8", ""]);
    }

    #[test]
    fn types_are_taken_apart() {
        let f = only(
            "%struct.A = type { i32, [2 x i8] }\n\
             define fastcc { i64, <2 x float> } @f(%struct.A %a, <{ i8, i1 }> %b, x86_fp80 %c) {",
        );
        assert_eq!(f.convention, "fastcc");
        assert_eq!(f.result.ty.text(), "{ i64, <2 x float> }");
        let Type::Aggregate(text, Shape::Other, members) = &f.parameters[0].ty else {
            panic!("no structure")
        };
        assert_eq!((&**text, members.len()), ("%struct.A", 2));
        assert_eq!(f.parameters[1].ty.text(), "<{ i8, i1 }>");
    }

    #[test]
    fn what_cannot_be_called_is_told() {
        let all = read(
            "define internal i32 @a() {\ndefine i32 @b(i32 %0, ...) {\ndefine half @c() {\n\
             define i32 @help_d() {\ndefine void @e() {\ndeclare void @f()",
        );
        assert_eq!(all.left_out, ["b", "c"]);
        assert_eq!(all.functions.iter().map(|f| &*f.name).collect::<Vec<_>>(), ["e"]);
    }
}
