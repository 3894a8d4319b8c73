//! The programs: where their sources come from, how they are compiled, what they do.

/// A library with the driver that makes a program of it.
pub struct Program {
    pub name: &'static str,
    /// The crate that carries the sources, and its version.
    pub package: (&'static str, &'static str),
    /// Files of C, relative to the crate; `DIR/*.c` stands for all of a folder.
    pub sources: &'static [&'static str],
    /// Names of files that `*` does not mean.
    pub left_out: &'static [&'static str],
    /// Folders of headers, relative to the crate.
    pub headers: &'static [&'static str],
    pub defines: &'static [&'static str],
    /// A header in `xtask/realworld` that comes before every source.
    pub before: Option<&'static str>,
    /// The driver, in `xtask/realworld`.
    pub driver: &'static str,
    /// The size of the work.
    pub argument: &'static str,
}

pub const PROGRAMS: &[Program] = &[
    Program {
        name: "sqlite",
        package: ("libsqlite3-sys", "0.39.1"),
        sources: &["sqlite3/sqlite3.c"],
        left_out: &[],
        headers: &["sqlite3"],
        defines: &[],
        before: None,
        driver: "sqlite.c",
        argument: "100000",
    },
    Program {
        name: "lua",
        package: ("lua-src", "551.1.0"),
        sources: &["lua-5.4.9/*.c"],
        left_out: &[],
        headers: &["lua-5.4.9"],
        defines: &[],
        before: None,
        driver: "lua.c",
        argument: "20",
    },
    Program {
        name: "zlib",
        package: ("libz-sys", "1.1.31"),
        sources: &["src/zlib/*.c"],
        left_out: &["gzclose.c", "gzlib.c", "gzread.c", "gzwrite.c"],
        headers: &["src/zlib"],
        defines: &[],
        before: None,
        driver: "zlib.c",
        argument: "2000000",
    },
    Program {
        name: "bzip2",
        package: ("bzip2-sys", "0.1.13"),
        sources: &[
            "bzip2-1.0.8/blocksort.c",
            "bzip2-1.0.8/huffman.c",
            "bzip2-1.0.8/crctable.c",
            "bzip2-1.0.8/randtable.c",
            "bzip2-1.0.8/compress.c",
            "bzip2-1.0.8/decompress.c",
            "bzip2-1.0.8/bzlib.c",
        ],
        left_out: &[],
        headers: &["bzip2-1.0.8"],
        defines: &["BZ_NO_STDIO"],
        before: None,
        driver: "bzip2.c",
        argument: "1000000",
    },
    Program {
        name: "zstd",
        package: ("zstd-sys", "2.1.2"),
        sources: &["zstd/lib/common/*.c", "zstd/lib/compress/*.c", "zstd/lib/decompress/*.c"],
        left_out: &[],
        headers: &["zstd/lib"],
        // No functions for other CPUs, no question which one it is, and no instructions by name.
        defines: &[
            "ZSTD_DISABLE_ASM=1",
            "DYNAMIC_BMI2=0",
            "ZSTD_NO_INTRINSICS=1",
            "ZSTD_COMMON_CPU_H",
            "ZSTD_cpuid_t=int",
            "ZSTD_cpuid()=0",
            "ZSTD_cpuid_bmi1(x)=0",
            "ZSTD_cpuid_bmi2(x)=0",
        ],
        before: Some("zstd_plain.h"),
        driver: "zstd.c",
        argument: "1000000",
    },
];
