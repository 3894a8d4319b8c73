//! Random programs of nested `try`, cleanups, loops and rethrows, whose output says what was done in which order.
//!
//! Everything that happens is mixed into a number: constructors, destructors, handlers, values of all kinds that live
//! across calls. Calls throw depending on that number, so that a difference anywhere changes all that follows. Fuel
//! bounds the calls and the rounds of loops.

use std::fmt::Write;

/// What every program begins with.
const PRELUDE: &str = "#include <cstdio>
static unsigned h = 2166136261u;
static int fuel, thrown;
static void mix(unsigned x) { h = (h ^ x) * 16777619u; }
static void mix_double(double d) { mix((unsigned) (long long) (d * 16)); }
struct Guard { int n; Guard(int n) : n(n) { mix(n); } Guard(const Guard &g) : n(g.n + 1) { mix(n * 3); } ~Guard() { mix(n * 7 + 1); } };
struct Base { int v; Base(int v) : v(v) {} virtual ~Base() { mix(v + 5); } virtual int id() { return 1; } };
struct Left : Base { double d; Left(int v) : Base(v), d(v * .5) {} int id() { return 2; } };
struct Right : virtual Base { int e; Right(int v) : Base(v), e(v + 1) {} int id() { return 3; } };
struct Large { int a[9]; };
typedef float Four __attribute__((vector_size(16)));
static Large make_large(int x) { Large l; for (int i = 0; i < 9; i++) l.a[i] = x + i * 3; return l; }
static Four make_four(int x) { return (Four){(float) (x & 255), 2, (float) (x & 63), 4}; }
__attribute__((noinline)) static void maybe(int n) {
  if (--fuel < 0) return;
  switch ((h >> 3) % 20) {
  case 0: thrown++; throw (int) (n + h % 7);
  case 1: thrown++; throw (double) n;
  case 2: thrown++; throw Left(n);
  case 3: thrown++; throw Right(n);
  case 4: thrown++; throw Base(n);
  case 5: thrown++; throw \"text\";
  case 6: thrown++; throw (long long) n << 33;
  case 7: thrown++; throw Guard(n);
  }
}
";

/// Types of variables, parameters and results.
const TYPES: [&str; 7] = ["int", "double", "long long", "Large", "float", "short", "Four"];
/// What handlers catch, and what they see of it.
const CAUGHT: [(&str, &str); 8] = [
    ("int e", "mix(e);"),
    ("double e", "mix_double(e);"),
    ("Left &e", "mix(e.v * 31);"),
    ("const Right &e", "mix(e.e);"),
    ("Base &e", "mix(e.id());"),
    ("const char *e", "mix(e[0]);"),
    ("long long e", "mix((unsigned) (e >> 33));"),
    ("Guard e", "mix(e.n);"),
];

/// Where a block stands.
#[derive(Clone, Copy)]
struct Place {
    depth: u32,
    in_loop: bool,
    in_handler: bool,
}

struct Generator {
    state: u64,
    out: String,
    names: u32,
    /// The result type of each function, and the types of its parameters.
    functions: Vec<(usize, Vec<usize>)>,
}

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut g = Generator { state, out: PRELUDE.into(), names: 0, functions: Vec::new() };
    for _ in 0..3 + g.below(4) {
        let params = (0..1 + g.below(7)).map(|_| g.below(TYPES.len())).collect();
        let result = g.below(5);
        g.functions.push((result, params));
    }
    for n in 0..g.functions.len() {
        let attribute = if g.below(4) > 0 { "__attribute__((noinline)) " } else { "" };
        let header = g.header(n);
        g.line(&format!("{attribute}static {header};"));
    }
    for n in 0..g.functions.len() {
        let header = g.header(n);
        g.line(&format!("static {header} {{"));
        let mut variables: Vec<_> =
            g.functions[n].1.iter().enumerate().map(|(k, &ty)| (format!("p{k}"), ty)).collect();
        if g.below(5) == 0 {
            g.line("volatile char *dynamic = (char *) __builtin_alloca(h % 99 + 8); dynamic[7] = h; mix(dynamic[7]);");
        }
        g.block(&mut variables, Place { depth: 0, in_loop: false, in_handler: false });
        g.line("maybe((int) (h & 255));");
        let value = g.value(g.functions[n].0, &variables);
        g.line(&format!("return {value};\n}}"));
    }
    let args: Vec<_> =
        g.functions[0].1.clone().into_iter().map(|ty| g.value(ty, &[("r".into(), 0)])).collect();
    g.line(&format!(
        "int main() {{ for (int r = 0; r < 60; r++) {{ fuel = 300;
try {{ f0({}); }} catch (int i) {{ mix(i); }} catch (Base &b) {{ mix(b.id()); }} catch (...) {{ mix(99); }}
if (r % 10 == 0) std::printf(\"%u %d\\n\", h, thrown); }} std::printf(\"%u %d\\n\", h, thrown); }}",
        args.join(", ")
    ));
    g.out
}

impl Generator {
    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{text}");
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn header(&self, n: usize) -> String {
        let (result, params) = &self.functions[n];
        let params: Vec<_> =
            params.iter().enumerate().map(|(k, &ty)| format!("{} p{k}", TYPES[ty])).collect();
        format!("{} f{n}({})", TYPES[*result], params.join(", "))
    }

    /// An expression of a type.
    fn value(&mut self, ty: usize, variables: &[(String, usize)]) -> String {
        let same: Vec<_> = variables.iter().filter(|v| v.1 == ty).collect();
        if !same.is_empty() && self.below(5) > 0 {
            return same[self.below(same.len())].0.clone();
        }
        let whole: Vec<_> =
            variables.iter().filter(|v| ["int", "short", "long long"].contains(&TYPES[v.1])).collect();
        let x = match whole.is_empty() || self.below(3) == 0 {
            true => self.below(100).to_string(),
            false => whole[self.below(whole.len())].0.clone(),
        };
        match TYPES[ty] {
            "double" | "float" => format!("({}) ((int) {x} & 1023) * .25f", TYPES[ty]),
            "long long" => format!("((long long) {x} << {})", self.below(20)),
            "Large" => format!("make_large({x})"),
            "Four" => format!("make_four({x})"),
            name => format!("({name}) {x}"),
        }
    }

    /// Mixes a variable.
    fn see(&mut self, (name, ty): &(String, usize)) {
        let text = match TYPES[*ty] {
            "double" | "float" => format!("mix_double({name});"),
            "Large" => format!("mix({name}.a[{}]);", self.below(9)),
            "Four" => format!("mix_double({name}[{}]);", self.below(4)),
            _ => format!("mix((unsigned) {name});"),
        };
        self.line(&text);
    }

    fn block(&mut self, variables: &mut Vec<(String, usize)>, place: Place) {
        let known = variables.len();
        let inner = Place { depth: place.depth + 1, ..place };
        for _ in 0..1 + self.below(if place.depth < 3 { 4 } else { 2 }) {
            match self.below(16) {
                0 | 1 => {
                    let (ty, name) = (self.below(TYPES.len()), self.name("v"));
                    let value = self.value(ty, variables);
                    self.line(&format!("{} {name} = {value};", TYPES[ty]));
                    variables.push((name, ty));
                }
                2 => {
                    let (name, value) = (self.name("g"), self.value(0, variables));
                    self.line(&format!("Guard {name}({value});"));
                }
                3..=5 => self.call(variables),
                6 | 7 => {
                    let value = self.value(0, variables);
                    self.line(&format!("maybe({value});"));
                }
                8 if place.depth < 4 => {
                    let (value, bit) = (self.value(0, variables), 1 << self.below(3));
                    self.line(&format!("if ({value} & {bit}) {{"));
                    self.block(variables, inner);
                    self.line("} else {");
                    self.block(variables, inner);
                    self.line("}");
                }
                9 if place.depth < 3 => {
                    let name = self.name("i");
                    let rounds = 2 + self.below(4);
                    self.line(&format!(
                        "for (int {name} = 0; {name} < {rounds} && fuel > 0; {name}++) {{ fuel--;"
                    ));
                    self.block(variables, Place { in_loop: true, ..inner });
                    self.line("}");
                }
                10..=13 if place.depth < 4 => self.try_block(variables, inner),
                14 if place.in_loop => {
                    let value = self.value(0, variables);
                    let leave = ["break", "continue"][self.below(2)];
                    self.line(&format!("if ({value} & 1) {leave};"));
                }
                14 | 15 if place.in_handler => {
                    let value = self.value(0, variables);
                    self.line(&format!("if ({value} & 4 && fuel > 0) throw;"));
                }
                _ => {}
            }
        }
        for _ in 0..variables.len().min(3) {
            let variable = variables[self.below(variables.len())].clone();
            self.see(&variable);
        }
        variables.truncate(known);
    }

    fn call(&mut self, variables: &mut Vec<(String, usize)>) {
        let callee = self.below(self.functions.len());
        let (result, params) = self.functions[callee].clone();
        let args: Vec<_> = params.into_iter().map(|ty| self.value(ty, variables)).collect();
        let (name, before) = (self.name("r"), self.value(result, variables));
        let args = args.join(", ");
        self.line(&format!(
            "{} {name} = {before}; if (fuel-- > 0) {name} = f{callee}({args});",
            TYPES[result]
        ));
        variables.push((name, result));
    }

    fn try_block(&mut self, variables: &mut Vec<(String, usize)>, inner: Place) {
        self.line("try {");
        self.block(variables, inner);
        let first = self.below(CAUGHT.len());
        let count = self.below(4);
        for &(what, seen) in CAUGHT[first..].iter().take(count) {
            self.line(&format!("}} catch ({what}) {{ {seen}"));
            self.block(variables, Place { in_handler: true, ..inner });
        }
        if count == 0 || self.below(3) == 0 {
            self.line("} catch (...) {");
            self.block(variables, Place { in_handler: true, ..inner });
            if self.below(2) == 0 {
                self.line("if (fuel > 0) throw;");
            }
        }
        self.line("}");
    }
}
