//! What a translation did: counts for `--stats`, times for `--time-passes`.

use crate::recipe::{Recipe, Step};
use crate::repeats::KeptCode;
use core::fmt;
use core::time::Duration;
use ice_asm::SlotCount;
use ice_ir::native::Environment;

/// What a user should know of a translation that went well.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Warning {
    /// An exception may leave the function, the first of such, and finds no unwind tables.
    NoUnwindTables {
        /// Its name.
        function: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::NoUnwindTables { function } => write!(
                f,
                "function {function} may unwind: there are no unwind tables, an exception that reaches it ends the program"
            ),
        }
    }
}

/// Sums over the functions of a module. Counts are the same for every number of threads.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Report {
    /// Functions.
    pub functions: u64,
    /// Those of them whose code is a copy. They count among functions and in all that the code has, and for nothing else.
    pub copies: u64,
    /// Blocks of the IR.
    pub blocks: u64,
    /// Instructions of the IR.
    pub insts: u64,
    /// Machine instructions before emission.
    pub mach_insts: u64,
    /// Register-to-register copies that the allocator added.
    pub moves: u64,
    /// Stores to spill slots.
    pub spills: u64,
    /// Loads from spill slots.
    pub reloads: u64,
    /// Functions of O2 that the linear scan gave to the minimal allocator, because they took it too many steps
    /// or it found no registers: correct, but slow code.
    pub fallbacks: u64,
    /// Bytes of machine code, without padding between functions.
    pub code_bytes: u64,
    /// Relocations in code.
    pub relocations: u64,
    /// Jump tables.
    pub jump_tables: u64,
    /// Slots behind branches, jumps and calls, where the machine has them.
    pub slots: SlotCount,
    /// What a user should know, once each.
    pub warnings: Vec<Warning>,
    /// What the module was made for, which decides how its object is linked.
    pub environment: Environment,
    /// Time of each step over all threads, by [`Step`]; zero unless asked for.
    pub times: [Duration; Step::ALL.len()],
}

impl Report {
    /// Adds what the allocator did to one function.
    pub(crate) fn add_allocation(&mut self, recipe: Recipe, stats: &ice_regalloc::Stats) {
        self.moves += u64::from(stats.moves);
        self.spills += u64::from(stats.spills);
        self.reloads += u64::from(stats.reloads);
        self.fallbacks += u64::from(recipe == Recipe::O2 && stats.walks == 0);
    }

    /// Adds the functions whose code is a copy.
    pub(crate) fn add_copies(&mut self, kept: &KeptCode) {
        self.functions += kept.copies;
        self.copies += kept.copies;
        self.code_bytes += kept.code_bytes;
        self.relocations += kept.relocations;
        self.jump_tables += kept.jump_tables;
    }

    /// Adds the sums of another worker.
    pub fn merge(&mut self, other: &Report) {
        self.functions += other.functions;
        self.copies += other.copies;
        self.blocks += other.blocks;
        self.insts += other.insts;
        self.mach_insts += other.mach_insts;
        self.moves += other.moves;
        self.spills += other.spills;
        self.reloads += other.reloads;
        self.fallbacks += other.fallbacks;
        self.code_bytes += other.code_bytes;
        self.relocations += other.relocations;
        self.jump_tables += other.jump_tables;
        self.slots += other.slots;
        self.warnings.extend_from_slice(&other.warnings);
        for (time, more) in self.times.iter_mut().zip(other.times) {
            *time += more;
        }
    }

    /// Writes the counts, one a line.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_stats(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        for (count, what) in [
            (self.functions, "functions"),
            (self.copies, "of them copies of others"),
            (self.blocks, "blocks"),
            (self.insts, "IR instructions"),
            (self.mach_insts, "machine instructions"),
            (self.moves, "moves added by register allocation"),
            (self.spills, "spills"),
            (self.reloads, "reloads"),
            (self.fallbacks, "functions left to the minimal register allocator"),
            (self.code_bytes, "bytes of code"),
            (self.relocations, "relocations in code"),
            (self.jump_tables, "jump tables"),
        ] {
            writeln!(out, "{count:>12} {what}")?;
        }
        let SlotCount { all, filled } = self.slots;
        if all > 0 {
            writeln!(out, "{all:>12} slots behind branches, jumps and calls")?;
            writeln!(out, "{filled:>12} of them filled ({:.1} %)", 100.0 * filled as f64 / all as f64)?;
        }
        Ok(())
    }

    /// Writes the time of each step in milliseconds, one a line.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_times(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let total: Duration = self.times.iter().sum();
        let row = |out: &mut dyn fmt::Write, name: &str, time: Duration| {
            let share = 100.0 * time.as_secs_f64() / total.as_secs_f64().max(1e-9);
            writeln!(out, "{:>12.3} ms {share:>5.1} % {name}", time.as_secs_f64() * 1e3)
        };
        for step in Step::ALL {
            row(out, step.name(), self.times[step as usize])?;
        }
        row(out, "all steps", total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_left_to_the_minimal_allocator_are_counted_where_they_were_not_meant_for_it() {
        let mut stats = ice_regalloc::Stats::default();
        let (mut report, mut other) = (Report::default(), Report::default());
        // Walks of the linear scan: none, because nobody asked for it; none, because it gave up; one.
        report.add_allocation(Recipe::Om1, &stats);
        assert_eq!(report.fallbacks, 0);
        report.add_allocation(Recipe::O2, &stats);
        other.add_allocation(Recipe::O2, &stats);
        stats.walks = 1;
        report.add_allocation(Recipe::O2, &stats);
        report.merge(&other);
        let mut text = String::new();
        report.write_stats(&mut text).unwrap();
        assert!(text.lines().any(|line| line.trim() == "2 functions left to the minimal register allocator"));
    }
}
