//! A Rust program: collections, strings, traits, closures, integers with checks, 128 bits, floats, iterators.
//!
//! A library, so that only its own code goes through the translator; the standard library is linked as it is.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

trait Shape {
    fn area(&self) -> f64;
    fn name(&self) -> String {
        "shape".to_owned()
    }
}

struct Circle(f64);
struct Rectangle {
    width: f64,
    height: f64,
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        self.0 * self.0 * std::f64::consts::PI
    }
}

impl Shape for Rectangle {
    fn area(&self) -> f64 {
        self.width * self.height
    }
    fn name(&self) -> String {
        format!("{}x{}", self.width, self.height)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
enum Token {
    Number(i64),
    Operator(char),
    Open,
    Close,
}

#[derive(Debug)]
enum Fault {
    Character(char),
    Division,
    End,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Character(c) => write!(f, "character {c:?}"),
            Fault::Division => f.write_str("division by zero"),
            Fault::End => f.write_str("unexpected end"),
        }
    }
}

fn tokens(text: &str) -> Result<VecDeque<Token>, Fault> {
    let mut all = VecDeque::new();
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        all.push_back(match c {
            ' ' => continue,
            '0'..='9' => {
                let mut number = i64::from(c as u8 - b'0');
                while let Some(digit) = characters.peek().and_then(|c| c.to_digit(10)) {
                    number = number.wrapping_mul(10).wrapping_add(i64::from(digit));
                    characters.next();
                }
                Token::Number(number)
            }
            '+' | '-' | '*' | '/' => Token::Operator(c),
            '(' => Token::Open,
            ')' => Token::Close,
            _ => return Err(Fault::Character(c)),
        });
    }
    Ok(all)
}

fn evaluate(tokens: &mut VecDeque<Token>, least: u8) -> Result<i64, Fault> {
    let mut left = match tokens.pop_front().ok_or(Fault::End)? {
        Token::Number(number) => number,
        Token::Operator('-') => evaluate(tokens, 3)?.wrapping_neg(),
        Token::Open => {
            let value = evaluate(tokens, 0)?;
            tokens.pop_front().filter(|&token| token == Token::Close).ok_or(Fault::End)?;
            value
        }
        _ => return Err(Fault::End),
    };
    while let Some(&Token::Operator(op)) = tokens.front() {
        let strength = if op == '+' || op == '-' { 1 } else { 2 };
        if strength < least {
            break;
        }
        tokens.pop_front();
        let right = evaluate(tokens, strength + 1)?;
        left = match op {
            '+' => left.wrapping_add(right),
            '-' => left.wrapping_sub(right),
            '*' => left.wrapping_mul(right),
            _ => left.checked_div(right).ok_or(Fault::Division)?,
        };
    }
    Ok(left)
}

fn sieve(limit: usize) -> usize {
    let mut composite = vec![false; limit];
    (2..limit)
        .filter(|&n| {
            if !composite[n] {
                (n * n..limit).step_by(n).for_each(|m| composite[m] = true);
            }
            !composite[n]
        })
        .count()
}

fn power(base: u128, mut exponent: u32, modulus: u128) -> u128 {
    let (mut result, mut square) = (1, base % modulus);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * square % modulus;
        }
        square = square * square % modulus;
        exponent >>= 1;
    }
    result
}

#[unsafe(no_mangle)]
pub extern "C" fn rust_main(size: usize) {
    let mut random = Random(88_172_645_463_325_252);
    let mut numbers: Vec<u64> = (0..size).map(|_| random.next() % 1_000_000).collect();
    numbers.sort_unstable();
    println!("{} {} {}", numbers[0], numbers[size / 2], numbers[size - 1]);
    numbers.sort_by_key(|n| (n % 100, std::cmp::Reverse(*n)));
    println!("{:?}", &numbers[..5]);

    let mut counts: HashMap<String, usize> = HashMap::new();
    for n in &numbers {
        *counts.entry(format!("key{}", n % 97)).or_default() += 1;
    }
    let ordered: BTreeMap<_, _> = counts.into_iter().collect();
    println!("{} {:?}", ordered.len(), ordered.iter().max_by_key(|(_, count)| **count));

    let shapes: Vec<Box<dyn Shape>> =
        vec![Box::new(Circle(1.5)), Box::new(Rectangle { width: 2.0, height: 3.25 }), Box::new(Circle(0.1))];
    for shape in &shapes {
        println!("{} {:.6}", shape.name(), shape.area());
    }
    for text in ["1 + 2 * 3", "(1 + 2) * -3 / 2", "2 * (3 + 4", "7 / (3 - 3)", "4 & 5", "99999999999 * 99999999999"] {
        match tokens(text).and_then(|mut tokens| evaluate(&mut tokens, 0)) {
            Ok(value) => println!("{text} = {value}"),
            Err(fault) => println!("{text}: {fault}"),
        }
    }
    println!("{} primes", sieve(size * 10));
    println!("{} {}", power(3, 1_000_003, (1 << 100) - 15), u128::MAX / 7);
    println!("{:?} {:?} {:?}", 200u8.checked_add(100), 200u8.saturating_add(100), i32::MIN.overflowing_sub(1));
    println!("{} {} {} {}", 300.7f64 as u8, -5.5f32 as u32, f64::NAN as i32, 1e20 as i64);
    println!("{:e} {:?} {} {:?}", 1234.5f64, 0.1f32 + 0.2, f64::MAX, -0.0f64);
    println!("{} {} {}", u64::MAX.count_ones(), 40u32.leading_zeros(), 0x1234u16.swap_bytes());
    println!("{:?}", "Grüße, Jürgen".char_indices().filter(|(_, c)| !c.is_ascii()).collect::<Vec<_>>());
    let mut grid = [[0i32; 16]; 16];
    for step in 0..1000usize {
        let (x, y) = (step * 7 % 16, step * 11 % 16);
        grid[y][x] = grid[(y + 1) % 16][x].wrapping_mul(3) + grid[y][(x + 15) % 16] + step as i32;
    }
    println!("{}", grid.iter().flatten().fold(0i32, |sum, &value| sum.wrapping_mul(31).wrapping_add(value)));
    let words: Vec<&str> = "the quick brown fox jumps over the lazy dog".split(' ').collect();
    let longest = words.iter().copied().max_by(|a, b| a.len().cmp(&b.len()).then(b.cmp(a)));
    println!("{:?} {}", longest, words.iter().rev().map(|w| w.to_uppercase()).collect::<Vec<_>>().join("-"));
    println!("{:?}", "x=5;y=-7;z=abc".split(';').map(|p| p.split_once('=').and_then(|(_, v)| v.parse::<i32>().ok())).collect::<Vec<_>>());
    let checked = std::panic::catch_unwind(|| 5);
    println!("{:?}", checked.ok());
}
