//! Random programs: loops inside each other over a few variables, arrays and functions, always ending.

use crate::agree;
use std::fmt::Write;

/// xorshift64* (Vigna 2014).
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % below
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.next(words.len() as u64) as usize]
    }
}

struct Program {
    random: Random,
    text: String,
    /// Numbers of loops around, as names of their counters.
    loops: u32,
}

const VARIABLES: [&str; 6] = ["a", "b", "c", "x", "y", "g"];

impl Program {
    fn number(&mut self, depth: u32) -> String {
        let random = &mut self.random;
        match random.next(if depth == 0 { 5 } else { 12 }) {
            0 => random.next(20).to_string(),
            1 => format!("{}.5", random.next(9)),
            2 | 3 => random.pick(&VARIABLES).to_owned(),
            4 if self.loops > 0 => format!("i{}", random.next(self.loops.into())),
            4 => String::from("3"),
            5 => format!("list[{} % 8]", self.index()),
            6 => format!("f({}, {})", self.number(depth - 1), self.number(depth - 1)),
            7 => format!("up({})", self.number(depth - 1)),
            8 => format!("-{}", self.number(0)),
            _ => {
                let op = random.pick(&["+", "-", "*", "+", "-", "/"]);
                format!("({} {op} {})", self.number(depth - 1), self.number(depth - 1))
            }
        }
    }

    /// A number that is an integer and not negative.
    fn index(&mut self) -> String {
        match self.loops {
            0 => self.random.next(8).to_string(),
            loops => format!("(i{} + {})", self.random.next(loops.into()), self.random.next(8)),
        }
    }

    fn condition(&mut self) -> String {
        let op = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let simple = match self.random.next(3) {
            0 => format!("{} % {} {op} {}", self.index(), 2 + self.random.next(5), self.random.next(4)),
            _ => format!("{} {op} {}", self.number(1), self.number(1)),
        };
        match self.random.next(5) {
            0 => format!("not ({simple})"),
            1 => format!("{simple} and {} < {}", self.number(0), self.number(0)),
            2 => format!("{simple} or t[{} % 4]", self.index()),
            _ => simple,
        }
    }

    fn line(&mut self, line: &str) {
        let indent = self.loops as usize * 4 + 4;
        writeln!(self.text, "{:indent$}{line}", "").expect("text grows");
    }

    fn statement(&mut self, depth: u32) {
        match self.random.next(if depth == 0 { 7 } else { 10 }) {
            0..=2 => {
                let (name, value) = (self.random.pick(&VARIABLES), self.number(2));
                self.line(&format!("{name} = small({value})"));
            }
            3 => {
                let (index, value) = (self.index(), self.number(2));
                self.line(&format!("list[{index} % 8] = small({value})"));
            }
            4 => {
                let (index, value) = (self.index(), self.condition());
                self.line(&format!("t[{index} % 4] = {value}"));
            }
            5 => {
                let condition = self.condition();
                self.line(&format!("if {condition} {{"));
                self.block(depth.saturating_sub(1), 2);
                self.line("} else {");
                self.block(depth.saturating_sub(1), 2);
                self.line("}");
            }
            6 if self.loops > 0 => {
                let condition = self.condition();
                let way = self.random.pick(&["break", "continue", "n = n + 1"]);
                self.line(&format!("if {condition} {{ {way} }}"));
            }
            6 => self.line("n = n + 1"),
            _ => {
                let turns = [3, 12, 70][self.random.next(3) as usize];
                let name = self.loops;
                self.line(&format!("for i{name} = 0, {turns} {{"));
                self.loops += 1;
                self.block(depth - 1, 4);
                self.loops -= 1;
                self.line("}");
            }
        }
    }

    fn block(&mut self, depth: u32, most: u64) {
        for _ in 0..=self.random.next(most) {
            self.statement(depth);
        }
    }
}

/// The program of a seed.
fn program(seed: u64) -> String {
    let mut program = Program {
        random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        text: String::from(
            "fn small(v) { if v > 1000 or v < -1000 { return 1 } if v == v { return v } return 0.25 }
let g = 1
fn f(a, b) { if a < b { return a + g } g = g + 1; return small(b - a) }
fn counter() { let n = 0; return fn(v) { n = n + 1; if n > 50 { n = 0 } return v + n } }
let up = counter()
fn main() {
    let a = 1; let b = 2; let c = 3.5; let x = 0; let y = 7; let n = 0
    let list = [0, 1, 2.5, 3, 4, 5.5, 6, 7]
    let t = [true, false, false, true]
    for i0 = 0, 90 {
",
        ),
        loops: 1,
    };
    program.block(3, 6);
    program.text += "    }\n    print([a, b, c, x, y, g, n, list, t])\n}\nmain()\nmain()\n";
    program.text
}

#[test]
fn random_programs_agree() {
    let seeds = std::env::var("ICE_TRACER_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(20);
    let mut trees = 0;
    for seed in 0..seeds {
        let (_, _, stats) = agree(&program(seed));
        trees += u64::from(stats.trees);
    }
    assert!(trees > seeds, "{trees} trees");
}
