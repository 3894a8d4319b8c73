//! A language in one file: a calculator with functions, variables, loops and choices, compiled line by line on `ice-jit`.
//!
//! ```text
//! > fn factorial(n) { p = 1; while 1 < n { p = p * n; n = n - 1 } p }
//! > factorial(5) + 0.5
//! 120.5
//! > fn factorial(n) { if n < 2 { 1 } else { n * factorial(n - 1) } }
//! ```
//!
//! All values are doubles. From a line to its value: a recursive descent that emits instructions as it reads, so that no
//! tree is built; [`Variables`] makes values of assignments; each function is a module of its own and others call it by its
//! name. A function may be defined again, and its callers call the new one: what they call is a [`Patchable`].
//!
//! `cargo run -p ice-jit --example calculator` reads lines; with arguments, these are the lines.

use ice_driver::Recipe;
use ice_ir::{
    BinaryOp, CastOp, FloatCond, Function, FunctionBuilder, FunctionKind, Module, Signature, TailHint,
};
use ice_ir::{FuncId, Type, Value, Variable, Variables};
use ice_jit::{Jit, LoadedModule, Patchable};
use std::collections::HashMap;
use std::error::Error;
use std::io::BufRead as _;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What has been defined so far.
struct Calculator {
    jit: Jit,
    functions: HashMap<String, Defined>,
    /// Former code of functions, which may be running.
    former: Vec<LoadedModule>,
}

struct Defined {
    site: Patchable,
    parameters: usize,
    versions: usize,
}

fn signature(parameters: usize) -> Signature {
    Signature::new(vec![Type::F64; parameters], Type::F64)
}

extern "C" fn root(number: f64) -> f64 {
    number.sqrt()
}

/// Names, numbers and signs.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '.' || c == '_';
        let end = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        words.push(rest[..end].to_owned());
        rest = rest[end..].trim_start();
    }
    words
}

/// A function on its way.
struct Parser<'a> {
    words: std::iter::Peekable<std::slice::Iter<'a, String>>,
    module: &'a mut Module,
    b: FunctionBuilder<'a>,
    variables: Variables,
    names: HashMap<&'a str, Variable>,
    /// Functions that may be called, with the number of their parameters, and those that the module declares.
    known: &'a HashMap<String, usize>,
    declared: HashMap<String, FuncId>,
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Result<&'a str> {
        self.words.next().map(String::as_str).ok_or_else(|| "the line ends too soon".into())
    }

    fn accept(&mut self, word: &str) -> bool {
        self.words.next_if(|next| *next == word).is_some()
    }

    fn expect(&mut self, word: &str) -> Result<()> {
        let next = self.next()?;
        if next == word { Ok(()) } else { Err(format!("'{word}' is missing before '{next}'").into()) }
    }

    /// Statements up to the end or a brace; their value is that of the last one.
    fn block(&mut self) -> Result<Value> {
        let mut value = self.b.f64_const(0.0);
        while self.words.peek().is_some_and(|next| *next != "}") {
            value = self.statement()?;
            while self.accept(";") {}
        }
        Ok(value)
    }

    fn braces(&mut self) -> Result<Value> {
        self.expect("{")?;
        let value = self.block()?;
        self.expect("}")?;
        Ok(value)
    }

    fn statement(&mut self) -> Result<Value> {
        if self.accept("while") {
            return self.repeat();
        }
        let mut ahead = self.words.clone();
        if let (Some(name), Some("=")) = (ahead.next(), ahead.next().map(String::as_str)) {
            self.words = ahead;
            let value = self.expression()?;
            let variable = *self.names.entry(name).or_insert_with(|| self.variables.declare(Type::F64));
            self.variables.set(&self.b, variable, value);
            return Ok(value);
        }
        self.expression()
    }

    fn repeat(&mut self) -> Result<Value> {
        let [head, body, end] = [(); 3].map(|()| self.b.create_block());
        self.b.br(head);
        self.b.switch_to_block(head);
        let condition = self.condition()?;
        self.b.cond_br(condition, body, end);
        self.b.switch_to_block(body);
        self.braces()?;
        self.b.br(head);
        self.b.switch_to_block(end);
        Ok(self.b.f64_const(0.0))
    }

    fn choose(&mut self) -> Result<Value> {
        let result = self.variables.declare(Type::F64);
        let [then, otherwise, end] = [(); 3].map(|()| self.b.create_block());
        let condition = self.condition()?;
        self.b.cond_br(condition, then, otherwise);
        self.b.switch_to_block(then);
        let value = self.braces()?;
        self.variables.set(&self.b, result, value);
        self.b.br(end);
        self.b.switch_to_block(otherwise);
        let value = if self.accept("else") { self.braces()? } else { self.b.f64_const(0.0) };
        self.variables.set(&self.b, result, value);
        self.b.br(end);
        self.b.switch_to_block(end);
        Ok(self.variables.get(&mut self.b, result))
    }

    /// Whether an expression is not 0.
    fn condition(&mut self) -> Result<Value> {
        let (value, zero) = (self.expression()?, self.b.f64_const(0.0));
        Ok(self.b.fcmp(FloatCond::Une, value, zero))
    }

    fn expression(&mut self) -> Result<Value> {
        let left = self.sum()?;
        let cond = match self.words.peek().map(|word| word.as_str()) {
            Some("<") => FloatCond::Olt,
            Some(">") => FloatCond::Ogt,
            _ => return Ok(left),
        };
        self.words.next();
        let right = self.sum()?;
        let is_so = self.b.fcmp(cond, left, right);
        Ok(self.b.cast(CastOp::Uitofp, is_so, Type::F64))
    }

    fn sum(&mut self) -> Result<Value> {
        self.chain(&[("+", BinaryOp::Fadd), ("-", BinaryOp::Fsub)], Self::product)
    }

    fn product(&mut self) -> Result<Value> {
        self.chain(&[("*", BinaryOp::Fmul), ("/", BinaryOp::Fdiv)], Self::factor)
    }

    fn chain(
        &mut self,
        operators: &[(&str, BinaryOp)],
        operand: fn(&mut Self) -> Result<Value>,
    ) -> Result<Value> {
        let mut left = operand(self)?;
        while let Some(&(_, op)) =
            self.words.peek().and_then(|word| operators.iter().find(|(sign, _)| sign == *word))
        {
            self.words.next();
            let right = operand(self)?;
            left = self.b.binary(op, left, right);
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Value> {
        let word = self.next()?;
        match word {
            "(" => {
                let value = self.expression()?;
                self.expect(")")?;
                return Ok(value);
            }
            "-" => {
                let (zero, value) = (self.b.f64_const(-0.0), self.factor()?);
                return Ok(self.b.binary(BinaryOp::Fsub, zero, value));
            }
            "if" => return self.choose(),
            _ => {}
        }
        if let Ok(number) = word.parse() {
            return Ok(self.b.f64_const(number));
        }
        if self.accept("(") {
            return self.call(word);
        }
        let variable = *self.names.get(word).ok_or_else(|| format!("nothing is called '{word}'"))?;
        Ok(self.variables.get(&mut self.b, variable))
    }

    fn call(&mut self, name: &str) -> Result<Value> {
        let mut arguments = Vec::new();
        while !self.accept(")") {
            arguments.push(self.expression()?);
            self.accept(",");
        }
        let parameters = *self.known.get(name).ok_or_else(|| format!("no function is called '{name}'"))?;
        if parameters != arguments.len() {
            return Err(format!("'{name}' takes {parameters} numbers").into());
        }
        let module = &mut *self.module;
        let declare = || module.add_function(name, signature(parameters), FunctionKind::Declared);
        let callee = *self.declared.entry(name.to_owned()).or_insert_with(declare);
        let result = self.b.call(callee, &arguments, Type::F64, TailHint::None);
        result.ok_or_else(|| "a function gives a number".into())
    }
}

impl Calculator {
    fn new() -> Result<Calculator> {
        let jit = Jit::builder(Recipe::O2).symbol("sqrt", root as *const ()).build()?;
        Ok(Calculator { jit, functions: HashMap::new(), former: Vec::new() })
    }

    /// Compiles a function of this body.
    fn compile(&self, name: &str, parameters: &[String], body: &[String]) -> Result<LoadedModule> {
        let mut module = self.jit.module();
        let signature = signature(parameters.len());
        let id = module.add_function(name, signature.clone(), FunctionKind::Defined);
        let mut function = Function::new();
        let mut b = FunctionBuilder::new(&mut function);
        b.begin(id, &signature);
        let entry = b.create_block();
        b.switch_to_block(entry);
        let mut known: HashMap<String, usize> =
            self.functions.iter().map(|(name, defined)| (name.clone(), defined.parameters)).collect();
        known.insert("sqrt".to_owned(), 1);
        let (variables, names, declared) = (Variables::new(), HashMap::new(), HashMap::new());
        let words = body.iter().peekable();
        let mut parser = Parser { words, module: &mut module, b, variables, names, known: &known, declared };
        for (number, parameter) in parameters.iter().enumerate() {
            let variable = parser.variables.declare(Type::F64);
            let value = parser.b.func.params()[number];
            parser.variables.set(&parser.b, variable, value);
            parser.names.insert(parameter, variable);
        }
        let value = parser.block()?;
        if let Some(word) = parser.words.next() {
            return Err(format!("'{word}' is too much").into());
        }
        parser.b.ret(Some(value));
        let mut variables = parser.variables;
        variables.finish(&mut function);
        Ok(self.jit.load(&module, &[function])?)
    }

    /// Defines `fn name(a, b) { … }`, or defines it again.
    fn define(&mut self, words: &[String]) -> Result<()> {
        let [_, name, open, rest @ ..] = words else { return Err("a function has a name".into()) };
        let close = rest.iter().position(|word| word == ")").filter(|_| open == "(");
        let (parameters, body) = rest.split_at(close.ok_or("a function has parameters")?);
        let [_, brace, body @ .., end] = body else { return Err("a function has a body".into()) };
        if (brace.as_str(), end.as_str()) != ("{", "}") {
            return Err("a body stands in braces".into());
        }
        let parameters: Vec<String> = parameters.iter().filter(|word| *word != ",").cloned().collect();
        if !self.functions.contains_key(name) {
            let mut module = self.jit.module();
            let id = module.add_function(name, signature(parameters.len()), FunctionKind::Declared);
            let defined =
                Defined { site: self.jit.patchable(&module, id)?, parameters: parameters.len(), versions: 0 };
            self.functions.insert(name.clone(), defined);
        }
        // Each version has a name of its own, by which nobody calls it.
        let version = format!("{name}.{}", self.functions[name].versions);
        let code = self.compile(&version, &parameters, body)?;
        let defined = self.functions.get_mut(name).ok_or("it was inserted")?;
        defined.versions += 1;
        self.former.extend(defined.site.set(&code, &version)?);
        Ok(())
    }

    /// Takes a line, and gives its value if it is no definition.
    fn line(&mut self, line: &str) -> Result<Option<f64>> {
        let words = words(line);
        if words.first().is_some_and(|word| word == "fn") {
            return self.define(&words).map(|()| None);
        }
        let module = self.compile("line", &[], &words)?;
        // SAFETY: the code is that of the line, and the module outlives the call.
        let line = unsafe { module.get::<extern "C" fn() -> f64>("line")? };
        Ok(Some(line()))
    }
}

fn main() -> Result<()> {
    let mut calculator = Calculator::new()?;
    let mut run = |line: &str| match calculator.line(line) {
        Ok(Some(value)) => println!("{value}"),
        Ok(None) => {}
        Err(error) => println!("error: {error}"),
    };
    if std::env::args().len() > 1 {
        std::env::args().skip(1).for_each(|line| run(&line));
        return Ok(());
    }
    for line in std::io::stdin().lock().lines() {
        run(&line?);
    }
    Ok(())
}

#[test]
fn calculates() -> Result<()> {
    let mut calculator = Calculator::new()?;
    let loops = "fn factorial(n) { p = 1; while 1 < n { p = p * n; n = n - 1 } p }";
    assert_eq!(calculator.line(loops)?, None);
    calculator.line("fn twice(n) { factorial(n) + factorial(n) }")?;
    assert_eq!(calculator.line("twice(5) + 0.5")?, Some(240.5));
    // Defined again: as a recursion, and as something else, which callers find.
    calculator.line("fn factorial(n) { if n < 2 { 1 } else { n * factorial(n - 1) } }")?;
    assert_eq!(calculator.line("twice(6)")?, Some(1440.0));
    calculator.line("fn factorial(n) { -n / 4 }")?;
    assert_eq!(calculator.line("twice(6); x = sqrt(2 * 8) twice(x * (1 + 2))")?, Some(-6.0));
    assert_eq!(
        calculator.line("s = 0; i = 0; while i < 1000 { if i > 499 { s = s + i }; i = i + 1 } s")?,
        Some(374750.0)
    );
    for (line, error) in [
        ("1 +", "the line ends too soon"),
        ("y", "nothing is called 'y'"),
        ("f(1)", "no function is called 'f'"),
        ("twice(1, 2)", "'twice' takes 1 numbers"),
        ("(1 2", "')' is missing before '2'"),
    ] {
        assert_eq!(calculator.line(line).unwrap_err().to_string(), error);
    }
    Ok(())
}
