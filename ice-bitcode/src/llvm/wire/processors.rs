//! Which processors of x86 have vector registers of 256 and 512 bits, by the names of LLVM (`X86.td`).

/// Features of x86 with which LLVM has registers of 256 bits, by the starts of their names (`X86.td`).
const WIDE_FEATURES: [&[u8]; 8] =
    [b"+avx", b"+f16c", b"+fma4", b"+vaes", b"+vpclmulqdq", b"+xop", b"+sha512", b"+sm"];

/// Processors with them, by parts of their names (`X86.td`): haswell, skylake, sandybridge, znver4 and so on.
const WIDE_CPUS: [&[u8]; 14] = [
    b"lake",
    b"rapids",
    b"bridge",
    b"well",
    b"forest",
    b"ridge",
    b"gracemont",
    b"avx",
    b"ver",
    b"skx",
    b"knl",
    b"knm",
    b"-v3",
    b"-v4",
];

/// Features with which LLVM has arithmetic on integers in these registers, by the starts of their names.
const WIDE_INTEGER_FEATURES: [&[u8]; 6] =
    [b"+avx2", b"+avxvnni", b"+avxifma", b"+avxneconvert", b"+sha512", b"+sm"];

/// Processors with such registers, but only for floats, by parts of their names.
const WIDE_FLOAT_CPUS: [&[u8]; 7] =
    [b"bridge", b"avx-i", b"7-avx", b"bdver1", b"bdver2", b"bdver3", b"btver2"];

/// Processors without them whose names have such a part.
const NARROW_CPUS: [&[u8]; 2] = [b"lakemont", b"btver1"];

/// Processors that may have registers of 512 bits, by parts of their names.
const WIDER_CPUS: [&[u8]; 14] = [
    b"avx512",
    b"knl",
    b"knm",
    b"skx",
    b"cannonlake",
    b"icelake",
    b"cascadelake",
    b"cooperlake",
    b"tigerlake",
    b"rocketlake",
    b"rapids",
    b"znver4",
    b"znver5",
    b"-v4",
];

fn has_part(name: &[u8], part: &[u8]) -> bool {
    name.windows(part.len()).any(|window| window == part)
}

/// Whether code for a processor with this feature, with its sign, has registers of 256 bits.
pub(super) fn is_wide_feature(feature: &[u8]) -> bool {
    WIDE_FEATURES.iter().any(|start| feature.starts_with(start))
}

/// Whether it may have registers of 512 bits, and so has those of 256.
pub(super) fn is_wider_feature(feature: &[u8]) -> bool {
    feature.starts_with(b"+avx512") || feature.starts_with(b"+avx10")
}

/// Whether the processor of this name has registers of 256 bits.
pub(super) fn is_wide_cpu(cpu: &[u8]) -> bool {
    !NARROW_CPUS.contains(&cpu) && WIDE_CPUS.iter().any(|part| has_part(cpu, part))
}

/// Whether code for a processor with this feature has arithmetic on integers in them.
pub(super) fn is_wide_integer_feature(feature: &[u8]) -> bool {
    WIDE_INTEGER_FEATURES.iter().any(|start| feature.starts_with(start))
}

/// Whether the processor of this name has arithmetic on integers in them.
pub(super) fn is_wide_integer_cpu(cpu: &[u8]) -> bool {
    is_wide_cpu(cpu) && !WIDE_FLOAT_CPUS.iter().any(|part| has_part(cpu, part))
}

/// Whether it may have registers of 512 bits, and so has those of 256.
pub(super) fn is_wider_cpu(cpu: &[u8]) -> bool {
    is_wide_cpu(cpu) && WIDER_CPUS.iter().any(|part| has_part(cpu, part))
}
