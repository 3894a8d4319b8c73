//! Random expressions on random texts, against the crates `regex` and `fancy-regex`.

use crate::common::{Groups, groups_of, others};
use ice_regex::{Limits, Regex};

/// xorshift64* (Vigna 2016).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

/// What expressions may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Features {
    Regular,
    /// References and look-ahead too.
    All,
}

const ATOMS: &[&str] = &[
    "a", "b", "c", "ab", "é", "日", ".", r"\w", r"\d", r"\s", "[ab]", "[^a]", "[a-c]", r"[^\d\s]", r"\pL",
    "(?s:.)", "(?i:k)", "(?i:B)", " ", "1",
];
const ASSERTIONS: &[&str] = &["^", "$", r"\b", r"\B", r"\A", r"\z", "(?m:^)", "(?m:$)", r"(?-u:\b)"];
const REPEATS: &[&str] = &["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,3}?", "{2,}", "{5,7}"];
const CHARACTERS: &[&str] =
    &["a", "a", "b", "b", "c", "A", "k", "K", "\u{212a}", "é", "日", " ", "\n", "1", "_", "-"];

/// An expression; `groups` counts its groups.
fn expression(random: &mut Random, features: Features, depth: u32, groups: &mut u32) -> String {
    let kinds = if depth == 0 { 4 } else { 16 };
    let mut inner = |random: &mut Random| expression(random, features, depth - 1, groups);
    match random.below(kinds) {
        0..=2 => random.pick(ATOMS).to_owned(),
        3 => random.pick(ASSERTIONS).to_owned(),
        4..=7 => {
            let count = 2 + random.below(3);
            (0..count).map(|_| inner(random)).collect()
        }
        8 | 9 => {
            let count = 2 + random.below(2);
            let arms: Vec<String> = (0..count).map(|_| inner(random)).collect();
            format!("(?:{})", arms.join("|"))
        }
        10..=12 => format!("(?:{}){}", inner(random), random.pick(REPEATS)),
        13 => format!("{}{}", random.pick(&ATOMS[..3]), random.pick(REPEATS)),
        14 if features == Features::All => match random.below(5) {
            0 => format!("(?={})", inner(random)),
            1 => format!("(?!{})", inner(random)),
            2 => format!("(?>{})", inner(random)),
            _ if *groups > 0 => format!(r"(?:\{})", 1 + random.below(u64::from(*groups))),
            _ => String::new(),
        },
        _ => {
            let body = inner(random);
            *groups += 1;
            format!("({body})")
        }
    }
}

fn text(random: &mut Random) -> String {
    let count = random.below(24);
    (0..count).map(|_| random.pick(CHARACTERS)).collect()
}

/// Compares the engines on expressions with these seeds.
fn compare(seeds: std::ops::Range<u64>, features: Features) {
    for seed in seeds {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let depth = 1 + random.below(3) as u32;
        let pattern = expression(&mut random, features, depth, &mut 0);
        let texts: Vec<String> = (0..6).map(|_| text(&mut random)).collect();
        let expected: Vec<Option<Vec<Groups>>> = texts.iter().map(|text| others(&pattern, text)).collect();
        for states in [0, 600] {
            let limits = Limits { states, ..Limits::default() };
            let regex = Regex::with_limits(&pattern, limits)
                .unwrap_or_else(|error| panic!("seed {seed}, {pattern:?}: {error}"));
            for (text, expected) in texts.iter().zip(&expected) {
                let Some(expected) = expected else { continue };
                let found = groups_of(&regex, text)
                    .unwrap_or_else(|error| panic!("seed {seed}, {pattern:?} on {text:?}: {error}"));
                assert_eq!(&found, expected, "seed {seed}, {pattern:?} on {text:?}, {states} states");
                let first = expected.first().cloned();
                let groups =
                    |found: ice_regex::Captures<'_, '_>| found.iter().map(|g| g.map(|g| g.range())).collect();
                let interpreted = regex.interpret_at(text, 0).expect("it is a short text").map(groups);
                assert_eq!(interpreted, first, "seed {seed}, {pattern:?} on {text:?}, interpreted");
                if let Some(simulated) = regex.simulate_at(text, 0) {
                    assert_eq!(
                        simulated.map(groups),
                        first,
                        "seed {seed}, {pattern:?} on {text:?}, simulated"
                    );
                }
                let places: Vec<_> =
                    regex.find_iter(text).map(|found| found.expect("it has been found").range()).collect();
                let wholes: Vec<_> =
                    expected.iter().map(|groups| groups[0].clone().expect("it matches")).collect();
                assert_eq!(places, wholes, "seed {seed}, {pattern:?} on {text:?}, {states} states");
            }
        }
    }
}

#[test]
fn regular_expressions_match_as_others_do() {
    compare(0..250, Features::Regular);
}

#[test]
fn references_and_look_ahead_match_as_elsewhere() {
    compare(1_000_000..1_000_150, Features::All);
}

/// `ICE_REGEX_SEEDS=0..100000 cargo test -p ice-regex -- --ignored`.
#[test]
#[ignore = "takes as long as it is told to"]
fn as_many_as_wanted() {
    let seeds = std::env::var("ICE_REGEX_SEEDS").unwrap_or_else(|_| String::from("0..20000"));
    let (first, last) = seeds.split_once("..").expect("a range such as 0..1000");
    let seeds = first.parse().expect("a number")..last.parse().expect("a number");
    compare(seeds.clone(), Features::Regular);
    compare(seeds, Features::All);
}
