//! Code that differs from one translation to the next, so that who knows one does not know the other.
//!
//! *Problem.* An attack on a program that is compiled once knows where every instruction and every variable is.
//! *Method.* What may as well be otherwise is chosen by chance: see Larsen et al., "SoK: Automated Software Diversity"
//! (2014), and Homescu et al., "librando: Transparent Code Randomization for Just-in-Time Compilers" (2013).
//!
//! | kind | what is chosen | where |
//! |---|---|---|
//! | [`Nops`](Kind::Nops) | where instructions stand that do nothing, on x86 and ARM | `ice-asm/src/buffer/noise.rs` |
//! | [`Encodings`](Kind::Encodings) | which bytes an instruction has, commuted operands | `ice-asm/src/x86/vary.rs` |
//! | [`Selection`](Kind::Selection) | which instruction has an effect | the same |
//! | [`Registers`](Kind::Registers) | which register is preferred | `ice-regalloc/src/tables.rs` |
//! | [`Blocks`](Kind::Blocks) | the order of blocks | `blocks.rs` |
//! | [`Stack`](Kind::Stack) | the order of the frame, and room in it | `stack.rs` |
//! | [`Blinding`](Kind::Blinding), [`Pooling`](Kind::Pooling) | which numbers make another, which are loaded | `secrets.rs`, `ice-target-x86/src/secret.rs` |
//! | [`Functions`](Kind::Functions), [`Globals`](Kind::Globals), [`Pools`](Kind::Pools) | the order of functions, variables, constants | `ice-driver/src/diversity.rs` |
//!
//! *Contract.* Every choice follows from the seed, the kinds and the number of the function: it does not depend on threads,
//! and the same seed and kinds give the same bytes. Without a kind nothing is done, and nothing asked but once for each
//! function.

mod blocks;
mod secrets;
mod stack;

pub use blocks::RandomOrder;
pub use secrets::{Hiding, Secrets};
pub use stack::FrameShuffle;

use ice_asm::{Noise, Random, Vary};

/// What is chosen by chance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Instructions that do nothing are put between the others.
    Nops,
    /// Instructions have other bytes of the same meaning.
    Encodings,
    /// Instructions are replaced by others with the same effect.
    Selection,
    /// Registers are preferred in another order.
    Registers,
    /// Blocks follow each other in another order.
    Blocks,
    /// Frames are laid out in another order, with room in them.
    Stack,
    /// Numbers of the program are made of two others.
    Blinding,
    /// Numbers of the program are loaded from memory.
    Pooling,
    /// Functions follow each other in another order.
    Functions,
    /// Variables follow each other in another order.
    Globals,
    /// Constants follow each other in another order.
    Pools,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 11] = [
        Kind::Nops,
        Kind::Encodings,
        Kind::Selection,
        Kind::Registers,
        Kind::Blocks,
        Kind::Stack,
        Kind::Blinding,
        Kind::Pooling,
        Kind::Functions,
        Kind::Globals,
        Kind::Pools,
    ];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Nops => "nops",
            Kind::Encodings => "encodings",
            Kind::Selection => "selection",
            Kind::Registers => "registers",
            Kind::Blocks => "blocks",
            Kind::Stack => "stack",
            Kind::Blinding => "blinding",
            Kind::Pooling => "pooling",
            Kind::Functions => "functions",
            Kind::Globals => "globals",
            Kind::Pools => "pools",
        }
    }
}

/// A set of kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Kinds(u16);

impl Kinds {
    /// None of them.
    pub const NONE: Kinds = Kinds(0);
    /// All of them.
    pub const ALL: Kinds = Kinds((1 << Kind::ALL.len()) - 1);

    /// These and one more.
    #[must_use]
    pub const fn with(self, kind: Kind) -> Kinds {
        Kinds(self.0 | 1 << kind as u16)
    }

    /// Whether the kind is one of them.
    pub const fn has(self, kind: Kind) -> bool {
        self.0 & 1 << kind as u16 != 0
    }
}

/// From what the choices follow, and which are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Diversity {
    /// Another number gives other code.
    pub seed: u64,
    /// What is chosen.
    pub kinds: Kinds,
}

impl Diversity {
    /// Code as it always is.
    pub const NONE: Diversity = Diversity { seed: 0, kinds: Kinds::NONE };

    /// Whether anything is chosen by chance.
    pub const fn is_any(self) -> bool {
        self.kinds.0 != 0
    }

    /// Whether anything of this kind is.
    pub const fn has(self, kind: Kind) -> bool {
        self.kinds.has(kind)
    }

    /// What chooses for this kind in the function of this number, or in whatever has numbers; `None` if nothing is
    /// chosen.
    pub fn random(self, kind: Kind, number: u32) -> Option<Random> {
        self.kinds.has(kind).then(|| Random::keyed(self.seed, kind as u32, number))
    }

    /// What makes the bytes of a function differ, with what its machine has for that.
    pub(crate) fn noise(self, machine: MachineNoise, function: u32) -> Option<Noise> {
        let nops = self.kinds.has(Kind::Nops) && !machine.nops.is_empty();
        if !nops && machine.vary.is_none() {
            return None;
        }
        let random = Random::keyed(self.seed, Kind::Nops as u32, function);
        Some(Noise { random, nops: if nops { machine.nops } else { &[] }, vary: machine.vary })
    }
}

/// What a machine has that makes bytes differ.
#[derive(Clone, Copy, Debug, Default)]
pub struct MachineNoise {
    /// Instructions that do nothing, the shortest first.
    pub nops: &'static [&'static [u8]],
    /// What gives an instruction other bytes, in the wanted ways.
    pub vary: Option<Vary>,
}

/// A rank for each register of a machine.
pub(crate) fn register_ranks(mut random: Random) -> [u8; 128] {
    let mut ranks = core::array::from_fn(|n| n as u8);
    random.shuffle(&mut ranks);
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_a_set_with_names() {
        let kinds = Kinds::NONE.with(Kind::Nops).with(Kind::Pools);
        assert_eq!(Kind::ALL.map(|kind| kinds.has(kind)).iter().filter(|&&has| has).count(), 2);
        assert_eq!(Kind::ALL.iter().fold(Kinds::NONE, |all, &kind| all.with(kind)), Kinds::ALL);
        for (n, kind) in Kind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, n);
            assert!(Kind::ALL[..n].iter().all(|other| other.name() != kind.name()));
        }
    }

    #[test]
    fn a_kind_chooses_alike_whatever_others_do() {
        let one = Diversity { seed: 5, kinds: Kinds::NONE.with(Kind::Blocks) };
        let all = Diversity { seed: 5, kinds: Kinds::ALL };
        let bits = |diversity: Diversity| diversity.random(Kind::Blocks, 3).map(|mut random| random.bits());
        assert_eq!(bits(one), bits(all));
        assert!(one.random(Kind::Nops, 3).is_none() && !Diversity::NONE.is_any());
    }
}
