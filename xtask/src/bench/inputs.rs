//! What is measured, and what the others need for it.
//!
//! The figures of the original Subzero (release build with all targets, 2017) and of PNaCl's `llc` were counted by
//! callgrind on the same files.

/// Instructions of the original at -O2 and at -Om1, in millions.
pub struct Subzero {
    pub o2: u32,
    pub om1: u32,
}

/// A program to translate.
pub struct Input {
    /// Its file in the corpus, without its extension.
    pub name: &'static str,
    /// The original on x86-64, x86-32, ARM32 and MIPS32, in the order of [`ORIGINAL_TARGETS`].
    pub subzero: [Subzero; 4],
    /// Millions of instructions of PNaCl's `llc` for x86-32, at -O0 and at -O2.
    pub llc: [u32; 2],
}

/// The targets that the original was measured for, by their names here.
pub const ORIGINAL_TARGETS: [&str; 4] = ["x86_64", "i686", "armv7", "mipsel"];

const fn subzero(o2: u32, om1: u32) -> Subzero {
    Subzero { o2, om1 }
}

#[rustfmt::skip]
pub const INPUTS: [Input; 4] = [
    Input {
        name: "bench/nbody",
        subzero: [subzero(147, 79), subzero(143, 74), subzero(161, 117), subzero(199, 127)],
        llc: [239, 1261],
    },
    Input {
        name: "large/argon2",
        subzero: [subzero(268, 151), subzero(298, 151), subzero(361, 237), subzero(450, 266)],
        llc: [633, 2501],
    },
    Input {
        name: "large/webp_encoder",
        subzero: [subzero(708, 356), subzero(657, 339), subzero(731, 527), subzero(939, 585)],
        llc: [1239, 5711],
    },
    Input {
        name: "large/laszip",
        subzero: [subzero(2529, 1384), subzero(2259, 1276), subzero(2501, 1851), subzero(2855, 2046)],
        llc: [7414, 24828],
    },
];

/// A program to execute.
pub struct Program {
    pub name: &'static str,
    /// Empty for one whose code is only weighed.
    pub argument: &'static str,
    /// Thousands of instructions that it executes on x86-32, built by each of [`BUILDERS`]; 0 where there is none.
    pub executed: [u32; 4],
    /// Bytes of .text on x86-32, in the same order.
    pub text: [u32; 4],
}

/// The others that built the programs.
pub const BUILDERS: [&str; 4] = ["Subzero O2", "Subzero Om1", "llc -O0", "llc -O2"];

#[rustfmt::skip]
pub const PROGRAMS: [Program; 7] = [
    Program { name: "binarytrees",   argument: "10",    executed: [ 92_300, 209_900, 117_200,  68_100], text: [64_896, 192_928, 101_591, 43_107] },
    Program { name: "fannkuchredux", argument: "8",     executed: [  8_750,  31_300,  17_700,   7_280], text: [62_784, 187_008,  97_935, 41_342] },
    Program { name: "fasta",         argument: "",      executed: [      0,       0,       0,       0], text: [29_184, 101_312,  46_591, 20_862] },
    Program { name: "mandelbrot",    argument: "200",   executed: [ 27_500,  60_100,  37_900,  18_700], text: [62_688, 186_976,  98_271, 41_134] },
    Program { name: "meteor",        argument: "2098",  executed: [305_000, 812_900, 585_400, 264_400], text: [70_496, 216_192, 112_223, 48_046] },
    Program { name: "nbody",         argument: "50000", executed: [ 75_700, 189_900, 109_600,  67_500], text: [64_288, 194_112, 100_543, 42_622] },
    Program { name: "spectralnorm",  argument: "100",   executed: [  8_320,  21_800,  13_300,   7_460], text: [63_648, 190_560, 100_207, 41_934] },
];

/// The programs that are executed.
pub fn executed_programs() -> impl Iterator<Item = &'static Program> {
    PROGRAMS.iter().filter(|program| !program.argument.is_empty())
}
