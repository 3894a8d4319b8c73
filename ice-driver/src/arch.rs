//! Machines by name: short names and target triples, and what belongs to each.

use core::fmt;
use ice_target_arm32::FloatAbi;
use target_lexicon::{Architecture, Endianness, OperatingSystem, Triple};

/// A machine that `ice` knows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arch {
    /// i686: x86-32 with SSE2.
    X86_32,
    /// x86-64.
    X86_64,
    /// ARMv7, 32 bits, hard-float.
    Arm32,
    /// MIPS32 revision 2, little-endian, o32.
    Mips32,
}

/// Why a `--target` was not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownTarget(pub String);

impl fmt::Display for UnknownTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Arch::built_in_names();
        write!(f, "unknown target '{}'; there are {names} and Linux target triples of these", self.0)
    }
}

impl std::error::Error for UnknownTarget {}

impl Arch {
    /// Every machine.
    pub const ALL: [Arch; 4] = [Arch::X86_32, Arch::X86_64, Arch::Arm32, Arch::Mips32];

    /// The short name, as printed and accepted.
    pub const fn name(self) -> &'static str {
        match self {
            Arch::X86_32 => "i686",
            Arch::X86_64 => "x86_64",
            Arch::Arm32 => "armv7",
            Arch::Mips32 => "mipsel",
        }
    }

    /// A short name or a triple such as `i686-unknown-linux-gnu`.
    ///
    /// # Errors
    /// Anything that is not one of the machines under Linux.
    pub fn parse(text: &str) -> Result<Arch, UnknownTarget> {
        let unknown = || UnknownTarget(text.to_owned());
        if let Some(arch) = Arch::ALL.into_iter().find(|arch| arch.name() == text) {
            return Ok(arch);
        }
        let triple: Triple = text.parse().map_err(|_| unknown())?;
        match triple.operating_system {
            OperatingSystem::Linux | OperatingSystem::Unknown | OperatingSystem::None_ => {}
            _ => return Err(unknown()),
        }
        Arch::from_architecture(triple.architecture).ok_or_else(unknown)
    }

    /// The machine of a triple, whatever is behind its name. Thumb is a state of the machine that ARM is.
    pub(crate) fn of_any_system(triple: &str) -> Option<Arch> {
        let name = triple.split('-').next().unwrap_or_default();
        let arm = name.strip_prefix("thumb").map(|rest| format!("arm{rest}"));
        Arch::from_architecture(arm.as_deref().unwrap_or(name).parse().ok()?)
    }

    fn from_architecture(architecture: Architecture) -> Option<Arch> {
        match architecture {
            Architecture::X86_32(_) => Some(Arch::X86_32),
            Architecture::X86_64 | Architecture::X86_64h => Some(Arch::X86_64),
            Architecture::Arm(_) if architecture.endianness() == Ok(Endianness::Little) => Some(Arch::Arm32),
            Architecture::Mips32(_) if architecture.endianness() == Ok(Endianness::Little) => {
                Some(Arch::Mips32)
            }
            _ => None,
        }
    }

    /// How calls carry floating-point numbers on ARM, as far as a triple says it: the environments `gnueabi`,
    /// `musleabi`, `eabi` and so on have the base standard, with `hf` behind them the other.
    pub fn float_abi(triple: &str) -> Option<FloatAbi> {
        let (_, rest) = triple.rsplit_once("eabi")?;
        Some(if rest.starts_with("hf") { FloatAbi::Hard } else { FloatAbi::Soft })
    }

    /// The machine that this program was built for, if it is one of them.
    pub fn host() -> Option<Arch> {
        Arch::from_architecture(Triple::host().architecture)
    }

    /// The names of those that this build has a back end for, for messages.
    pub fn built_in_names() -> String {
        let names = Arch::ALL.into_iter().filter(|arch| arch.is_built_in()).map(Arch::name);
        names.collect::<Vec<_>>().join(", ")
    }

    /// Whether this build has a back end for the machine.
    pub const fn is_built_in(self) -> bool {
        matches!(self, Arch::X86_32 | Arch::X86_64 | Arch::Arm32)
    }

    /// Whether the host's processor and kernel run its programs without help.
    pub fn is_native(self) -> bool {
        match Arch::host() {
            Some(Arch::X86_64) => matches!(self, Arch::X86_64 | Arch::X86_32),
            host => host == Some(self),
        }
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_and_triples() {
        for (text, arch) in [
            ("i686", Arch::X86_32),
            ("i386-unknown-linux-gnu", Arch::X86_32),
            ("i686-linux-gnu", Arch::X86_32),
            ("x86_64", Arch::X86_64),
            ("x86_64-unknown-linux-musl", Arch::X86_64),
            ("armv7", Arch::Arm32),
            ("armv7-unknown-linux-gnueabihf", Arch::Arm32),
            ("arm-linux-gnueabihf", Arch::Arm32),
            ("mipsel", Arch::Mips32),
            ("mipsel-linux-gnu", Arch::Mips32),
        ] {
            assert_eq!(Arch::parse(text), Ok(arch), "{text}");
        }
        for text in ["", "i687x", "mips-linux-gnu", "x86_64-pc-windows-msvc", "aarch64-unknown-linux-gnu"] {
            assert!(Arch::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn triples_say_where_floats_travel() {
        for (triple, floats) in [
            ("armv7-linux-gnueabihf", Some(FloatAbi::Hard)),
            ("armv7-unknown-linux-musleabihf", Some(FloatAbi::Hard)),
            ("arm-linux-gnueabi", Some(FloatAbi::Soft)),
            ("armv7-linux-androideabi21", Some(FloatAbi::Soft)),
            ("armv7", None),
            ("", None),
        ] {
            assert_eq!(Arch::float_abi(triple), floats, "{triple}");
        }
    }

    #[test]
    fn an_unknown_target_names_the_known_ones() {
        let message = Arch::parse("vax").unwrap_err().to_string();
        assert!(
            message.contains("'vax'") && message.contains("there are i686, x86_64, armv7 and"),
            "{message}"
        );
    }
}
