//! Small programs whose speed is compared. Each takes the address of [`MEMORY`] bytes and a size, and gives a check sum.

use crate::builder::{Access, Body, Cast, Cond, Define, Func, Op, Signature, Ty};
use Ty::{F64, I32, I64};

/// Bytes of the memory of kernels, which is zero at first.
pub const MEMORY: usize = 1 << 20;

/// The type of all kernels.
pub fn signature() -> Signature {
    Signature { params: vec![I64, I64], result: I64 }
}

/// A kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kernel {
    /// Recursive calls.
    Fibonacci,
    /// Nested loops over bytes.
    Sieve,
    /// Products of matrices in double precision.
    Matrices,
    /// Float arithmetic in registers.
    Mandelbrot,
    /// Bits of a check sum, with a choice in the inner loop.
    Crc,
    /// A hash over bytes.
    Hash,
    /// Loads, stores and comparisons of an inner loop of unknown length.
    Sort,
    /// Steps that depend on a bit.
    Collatz,
    /// Euclid's algorithm by divisions.
    Divisors,
    /// Linked lists in memory, walked again and again.
    Lists,
    /// A small interpreter: loads, and a chain of comparisons.
    Interpreter,
}

impl Kernel {
    /// Each kernel with the size that is measured.
    pub const ALL: [(Kernel, i64); 11] = [
        (Kernel::Fibonacci, 24),
        (Kernel::Sieve, 1 << 18),
        (Kernel::Matrices, 80),
        (Kernel::Mandelbrot, 48),
        (Kernel::Crc, 20_000),
        (Kernel::Hash, 500_000),
        (Kernel::Sort, 2_000),
        (Kernel::Collatz, 4_000),
        (Kernel::Divisors, 120),
        (Kernel::Lists, 200_000),
        (Kernel::Interpreter, 200_000),
    ];
}

/// The definition of a kernel.
pub struct Definition {
    /// Which one.
    pub kernel: Kernel,
    /// The kernel itself, for recursion.
    pub own: Func,
}

impl Define for Definition {
    fn define(&self, b: &mut impl Body) {
        let (memory, size) = (b.param(0), b.param(1));
        let result = match self.kernel {
            Kernel::Fibonacci => fibonacci(b, memory, size, self.own),
            Kernel::Sieve => sieve(b, memory, size),
            Kernel::Matrices => matrices(b, memory, size),
            Kernel::Mandelbrot => mandelbrot(b, size),
            Kernel::Crc => crc(b, size),
            Kernel::Hash => hash(b, memory, size),
            Kernel::Sort => sort(b, memory, size),
            Kernel::Collatz => collatz(b, size),
            Kernel::Divisors => divisors(b, size),
            Kernel::Lists => lists(b, memory, size),
            Kernel::Interpreter => interpreter(b, memory, size),
        };
        b.ret(result);
    }
}

/// A loop over `from..to` in steps, with one more variable; it is gone through at least once.
fn count<B: Body, const N: usize>(
    b: &mut B,
    [from, to, step]: [B::Value; 3],
    init: [B::Value; N],
    body: impl FnOnce(&mut B, B::Value, [B::Value; N]) -> [B::Value; N],
) -> [B::Value; N] {
    let (construct, variables) = b.begin_loop(&[&[from], &init[..]].concat());
    let index = variables[0];
    let values = body(b, index, std::array::from_fn(|n| variables[n + 1]));
    let next = b.binary(Op::Add, index, step);
    let again = b.compare(Cond::Less, next, to);
    b.end_loop(construct, again, &[&[next], &values[..]].concat());
    values
}

/// A loop over `0..to`.
fn count_up<B: Body, const N: usize>(
    b: &mut B,
    to: B::Value,
    init: [B::Value; N],
    body: impl FnOnce(&mut B, B::Value, [B::Value; N]) -> [B::Value; N],
) -> [B::Value; N] {
    let [zero, one] = [0, 1].map(|n| b.int(I64, n));
    count(b, [zero, to, one], init, body)
}

fn fibonacci<B: Body>(b: &mut B, memory: B::Value, n: B::Value, own: Func) -> B::Value {
    let two = b.int(I64, 2);
    let is_small = b.compare(Cond::Less, n, two);
    let recur = |b: &mut B| {
        let [first, second] = [1, 2].map(|less| {
            let n = b.with_int(Op::Sub, I64, n, less);
            b.call(own, &[memory, n])
        });
        [b.binary(Op::Add, first, second)]
    };
    b.choose(is_small, |_| [n], recur)[0]
}

/// Counts primes below `size`.
fn sieve<B: Body>(b: &mut B, memory: B::Value, size: B::Value) -> B::Value {
    let [zero, one, two] = [0, 1, 2].map(|n| b.int(I64, n));
    let (clear, set) = (b.int(I32, 0), b.int(I32, 1));
    count_up(b, size, [], |b, i, []| {
        let at = b.binary(Op::Add, memory, i);
        b.store(Access::Byte, at, 0, clear);
        []
    });
    count(b, [two, size, one], [zero], |b, i, [primes]| {
        let at = b.binary(Op::Add, memory, i);
        let mark = b.load(Access::Byte, at, 0);
        let is_prime = b.compare(Cond::Equal, mark, clear);
        let found = |b: &mut B| {
            let twice = b.binary(Op::Add, i, i);
            let is_in = b.compare(Cond::Less, twice, size);
            let cross = |b: &mut B| {
                count(b, [twice, size, i], [], |b, j, []| {
                    let at = b.binary(Op::Add, memory, j);
                    b.store(Access::Byte, at, 0, set);
                    []
                })
            };
            b.choose(is_in, cross, |_| []);
            [b.binary(Op::Add, primes, one)]
        };
        b.choose(is_prime, found, |_| [primes])
    })[0]
}

/// c = a * b for matrices of `size` rows, one behind another in memory.
fn matrices<B: Body>(b: &mut B, memory: B::Value, size: B::Value) -> B::Value {
    let square = b.binary(Op::Mul, size, size);
    let second = b.element(memory, square, 3);
    let third = b.element(second, square, 3);
    count_up(b, square, [], |b, i, []| {
        let narrow = b.cast(Cast::Truncate, i);
        let low = b.with_int(Op::And, I32, narrow, 63);
        let number = b.cast(Cast::ToFloat, low);
        for matrix in [memory, second] {
            let at = b.element(matrix, i, 3);
            b.store(Access::Whole(F64), at, 0, number);
        }
        []
    });
    let zero = b.float(0.0);
    let total = count_up(b, size, [zero], |b, i, [total]| {
        let row = b.binary(Op::Mul, i, size);
        count_up(b, size, [total], |b, j, [total]| {
            let [sum] = count_up(b, size, [zero], |b, k, [sum]| {
                let left = b.binary(Op::Add, row, k);
                let left = b.element(memory, left, 3);
                let right = b.binary(Op::Mul, k, size);
                let right = b.binary(Op::Add, right, j);
                let right = b.element(second, right, 3);
                let [left, right] = [left, right].map(|at| b.load(Access::Whole(F64), at, 0));
                let product = b.binary(Op::Fmul, left, right);
                [b.binary(Op::Fadd, sum, product)]
            });
            let at = b.binary(Op::Add, row, j);
            let at = b.element(third, at, 3);
            b.store(Access::Whole(F64), at, 0, sum);
            [b.binary(Op::Fadd, total, sum)]
        })
    })[0];
    let last = b.element(third, square, 3);
    b.store(Access::Whole(F64), last, -8, total);
    b.load(Access::Whole(I64), last, -8)
}

/// Steps of `size * size` points.
fn mandelbrot<B: Body>(b: &mut B, size: B::Value) -> B::Value {
    let zero = b.int(I64, 0);
    let narrow = b.cast(Cast::Truncate, size);
    let width = b.cast(Cast::ToFloat, narrow);
    let coordinate = move |b: &mut B, i: B::Value, from: f64| {
        let narrow = b.cast(Cast::Truncate, i);
        let number = b.cast(Cast::ToFloat, narrow);
        let share = b.binary(Op::Fdiv, number, width);
        let (range, from) = (b.float(2.5), b.float(from));
        let scaled = b.binary(Op::Fmul, share, range);
        b.binary(Op::Fadd, scaled, from)
    };
    count_up(b, size, [zero], |b, i, [total]| {
        let y = coordinate(b, i, -1.25);
        count_up(b, size, [total], |b, j, [total]| {
            let x = coordinate(b, j, -1.75);
            let (start, steps) = (b.float(0.0), b.int(I64, 0));
            let [_, _, steps] = b.repeat([start, start, steps], |b, [re, im, steps]| {
                let [re2, im2] = [re, im].map(|n| b.binary(Op::Fmul, n, n));
                let (difference, product) = (b.binary(Op::Fsub, re2, im2), b.binary(Op::Fmul, re, im));
                let twice = b.binary(Op::Fadd, product, product);
                let (re, im) = (b.binary(Op::Fadd, difference, x), b.binary(Op::Fadd, twice, y));
                let steps = b.with_int(Op::Add, I64, steps, 1);
                let (norm, four) = (b.binary(Op::Fadd, re2, im2), b.float(4.0));
                let is_near = b.float_less(norm, four);
                let most = b.int(I64, 200);
                let is_early = b.compare(Cond::Less, steps, most);
                (b.binary(Op::And, is_near, is_early), [re, im, steps])
            });
            [b.binary(Op::Add, total, steps)]
        })
    })[0]
}

/// CRC-32 of the low bytes of numbers, bit by bit.
fn crc<B: Body>(b: &mut B, size: B::Value) -> B::Value {
    let (start, eight) = (b.int(I32, -1), b.int(I64, 8));
    let [sum] = count_up(b, size, [start], |b, i, [sum]| {
        let narrow = b.cast(Cast::Truncate, i);
        let byte = b.with_int(Op::And, I32, narrow, 255);
        let sum = b.binary(Op::Xor, sum, byte);
        count_up(b, eight, [sum], |b, _, [sum]| {
            let (bit, half) = (b.with_int(Op::And, I32, sum, 1), b.with_int(Op::Shr, I32, sum, 1));
            let zero = b.int(I32, 0);
            let is_set = b.compare(Cond::NotEqual, bit, zero);
            b.choose(is_set, |b| [b.with_int(Op::Xor, I32, half, 0xedb8_8320)], |_| [half])
        })
    });
    b.cast(Cast::ZeroExtend, sum)
}

/// FNV-1a over 64 KiB, again and again.
fn hash<B: Body>(b: &mut B, memory: B::Value, size: B::Value) -> B::Value {
    let start = b.int(I64, 0xcbf2_9ce4_8422_2325_u64 as i64);
    count_up(b, size, [start], |b, i, [hash]| {
        let index = b.with_int(Op::And, I64, i, 0xffff);
        let at = b.binary(Op::Add, memory, index);
        let byte = b.load(Access::Byte, at, 0);
        let byte = b.cast(Cast::ZeroExtend, byte);
        let mixed = b.binary(Op::Xor, hash, byte);
        [b.with_int(Op::Mul, I64, mixed, 0x100_0000_01b3)]
    })[0]
}

/// Sorts pseudo-random numbers by insertion, and gives the one in the middle.
fn sort<B: Body>(b: &mut B, memory: B::Value, size: B::Value) -> B::Value {
    let (seed, zero, one) = (b.int(I32, 12345), b.int(I64, 0), b.int(I64, 1));
    let word = Access::Whole(I32);
    count_up(b, size, [seed], |b, i, [seed]| {
        let product = b.with_int(Op::Mul, I32, seed, 1_664_525);
        let next = b.with_int(Op::Add, I32, product, 1_013_904_223);
        let (at, number) = (b.element(memory, i, 2), b.with_int(Op::Shr, I32, next, 8));
        b.store(word, at, 0, number);
        [next]
    });
    count(b, [one, size, one], [], |b, i, []| {
        let at = b.element(memory, i, 2);
        let number = b.load(word, at, 0);
        let [place] = b.repeat([i], |b, [place]| {
            let at = b.element(memory, place, 2);
            let left = b.load(word, at, -4);
            let is_larger = b.compare(Cond::Less, number, left);
            let [next] = b.choose(
                is_larger,
                |b| {
                    b.store(word, at, 0, left);
                    [b.with_int(Op::Sub, I64, place, 1)]
                },
                |_| [place],
            );
            let is_inside = b.compare(Cond::Less, zero, next);
            (b.binary(Op::And, is_larger, is_inside), [next])
        });
        let at = b.element(memory, place, 2);
        b.store(word, at, 0, number);
        []
    });
    let middle = b.with_int(Op::Shr, I64, size, 1);
    let at = b.element(memory, middle, 2);
    let number = b.load(word, at, 0);
    b.cast(Cast::ZeroExtend, number)
}

/// Steps of the numbers up to `size` until they are 1.
fn collatz<B: Body>(b: &mut B, size: B::Value) -> B::Value {
    let [zero, one, two] = [0, 1, 2].map(|n| b.int(I64, n));
    count(b, [two, size, one], [zero], |b, i, [total]| {
        let [_, total] = b.repeat([i, total], |b, [n, total]| {
            let (bit, half) = (b.binary(Op::And, n, one), b.binary(Op::Shr, n, one));
            let is_even = b.compare(Cond::Equal, bit, zero);
            let odd = |b: &mut B| {
                let twice = b.binary(Op::Add, n, n);
                let triple = b.binary(Op::Add, twice, n);
                [b.binary(Op::Add, triple, one)]
            };
            let [next] = b.choose(is_even, |_| [half], odd);
            let total = b.binary(Op::Add, total, one);
            (b.compare(Cond::NotEqual, next, one), [next, total])
        });
        [total]
    })[0]
}

/// Sums greatest common divisors of pairs.
fn divisors<B: Body>(b: &mut B, size: B::Value) -> B::Value {
    let [zero, one] = [0, 1].map(|n| b.int(I64, n));
    count(b, [one, size, one], [zero], |b, i, [total]| {
        count(b, [one, size, one], [total], |b, j, [total]| {
            let [divisor, _] = b.repeat([i, j], |b, [x, y]| {
                let quotient = b.binary(Op::Div, x, y);
                let product = b.binary(Op::Mul, quotient, y);
                let rest = b.binary(Op::Sub, x, product);
                (b.compare(Cond::NotEqual, rest, zero), [y, rest])
            });
            [b.binary(Op::Add, total, divisor)]
        })
    })[0]
}

/// Makes a ring of 4096 cells (number, next), and goes `size` steps round it.
fn lists<B: Body>(b: &mut B, memory: B::Value, size: B::Value) -> B::Value {
    let (cells, zero) = (b.int(I64, 4096), b.int(I64, 0));
    count_up(b, cells, [], |b, i, []| {
        let at = b.element(memory, i, 4);
        let next = b.with_int(Op::Add, I64, i, 1027);
        let next = b.with_int(Op::And, I64, next, 4095);
        let next = b.element(memory, next, 4);
        b.store(Access::Whole(I64), at, 0, i);
        b.store(Access::Whole(I64), at, 8, next);
        []
    });
    count_up(b, size, [memory, zero], |b, _, [cell, sum]| {
        let number = b.load(Access::Whole(I64), cell, 0);
        let next = b.load(Access::Whole(I64), cell, 8);
        [next, b.binary(Op::Add, sum, number)]
    })[1]
}

/// Runs a program of 64 byte codes for `size` steps.
fn interpreter<B: Body>(b: &mut B, memory: B::Value, size: B::Value) -> B::Value {
    let length = b.int(I64, 64);
    count_up(b, length, [], |b, i, []| {
        let narrow = b.cast(Cast::Truncate, i);
        let mixed = b.with_int(Op::Mul, I32, narrow, 7);
        let code = b.with_int(Op::And, I32, mixed, 3);
        let at = b.binary(Op::Add, memory, i);
        b.store(Access::Byte, at, 0, code);
        []
    });
    let zero = b.int(I64, 0);
    count_up(b, size, [zero, zero], |b, i, [first, second]| {
        let place = b.with_int(Op::And, I64, i, 63);
        let at = b.binary(Op::Add, memory, place);
        let code = b.load(Access::Byte, at, 0);
        let codes = [0, 1, 2].map(|n| b.int(I32, n));
        let [is_add, is_mix, is_swap] = codes.map(|n| b.compare(Cond::Equal, code, n));
        let rest = |b: &mut B| {
            let swap = |b: &mut B| {
                let product = b.with_int(Op::Mul, I64, first, 31);
                [second, product]
            };
            let step = |b: &mut B| [b.with_int(Op::Add, I64, first, 1), b.binary(Op::Add, second, i)];
            b.choose(is_swap, swap, step)
        };
        let mix = |b: &mut B| {
            let mix = |b: &mut B| [b.binary(Op::Xor, first, second), second];
            b.choose(is_mix, mix, rest)
        };
        b.choose(is_add, |b| [b.binary(Op::Add, first, second), second], mix)
    })[0]
}
