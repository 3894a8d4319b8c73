//! Random control-flow graphs for a machine whose branches have four forms, slots and veneers, with constants and
//! groups in the code, are executed and compared with the graph.

use crate::common;
use crate::common::Random;
use crate::common::toy::{
    Cond, ENOUGH, GROUP, GROUP_AT_END, LOAD, MARK, NOP, RETURN, Toy, Trace, holds, run,
};
use ice_asm::{
    BranchIsa, CodeBuffer, Constant, ConstantSize, Form, Label, Location, Place, Reach, SymbolId, TextListing,
};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug)]
enum Item {
    Mark(u32),
    Nops(u32),
    /// Loads a constant from the code.
    Load(u32),
    Group(u32, Place),
}

#[derive(Clone, Copy, Debug)]
struct Branch {
    /// Always taken if there is none.
    cond: Option<Cond>,
    slot: u32,
    target: usize,
}

/// A block without branches returns.
#[derive(Clone, Debug)]
struct Block {
    items: Vec<Item>,
    branches: Vec<Branch>,
}

struct Graph {
    blocks: Vec<Block>,
}

/// How the code is emitted.
#[derive(Clone, Copy, Debug)]
struct Setting {
    longest: bool,
    bundle: u32,
}

impl Graph {
    /// Blocks of at most about `size` bytes.
    fn random(random: &mut Random, count: u32, size: u32) -> Graph {
        let near = random.below(2) == 0;
        let mut mark = 0;
        let mut next_mark = || {
            mark += 1;
            MARK | mark
        };
        let blocks = (0..count).map(|i| {
            let mut items = vec![];
            if random.below(3) != 0 {
                items.push(Item::Mark(next_mark()));
                for _ in 0..random.below(4) {
                    items.push(match random.below(4) {
                        0 => Item::Load(next_mark()),
                        1 => Item::Group(1 + random.below(4), Place::Inside),
                        2 => Item::Group(1 + random.below(4), Place::AtEnd),
                        _ => Item::Nops(random.below(size / 4)),
                    });
                }
            }
            let conds = [0, 0, 1, 1, 1, 1, 2, 3][random.below(8) as usize];
            let ends = random.below(10) == 0;
            let branches = (0..if ends { 0 } else { conds + 1 }).map(|n| {
                let any = if near { (i + random.below(7)).saturating_sub(2) } else { random.below(count) };
                let cond = Cond { number: random.below(16) as u8, is_tight: random.below(3) == 0 };
                Branch {
                    cond: (n < conds).then_some(cond),
                    slot: if random.below(4) == 0 { next_mark() } else { NOP },
                    target: any.min(count - 1) as usize,
                }
            });
            let branches = branches.collect();
            Block { items, branches }
        });
        Graph { blocks: blocks.collect() }
    }

    fn emit<const NEAR: u32>(&self, buffer: &mut CodeBuffer<TextListing, Toy<NEAR>>, setting: Setting) {
        buffer.set_bundle(setting.bundle);
        buffer.set_symbol(SymbolId(0));
        let labels: Vec<Label> = self.blocks.iter().map(|_| buffer.new_label()).collect();
        let counted = |size: u32| if setting.bundle == 0 { size } else { 2 * size - 1 };
        let size = |branch: &Branch| counted(Toy::<NEAR>::size(branch.cond, Form(3)));
        let longest = |item: &Item| match *item {
            Item::Mark(_) => 4,
            // With the constant.
            Item::Load(_) => 8,
            Item::Nops(words) => 4 * words,
            Item::Group(words, _) => 4 * words + setting.bundle,
        };
        if setting.longest {
            let mut offset = 0;
            for (block, &label) in self.blocks.iter().zip(&labels) {
                buffer.set_longest_offset(label, offset);
                offset += block.items.iter().map(longest).sum::<u32>();
                offset += block.branches.iter().map(size).sum::<u32>() + 4;
            }
        }
        let word = |buffer: &mut CodeBuffer<_, _>, word: u32| buffer.emit_u32(word);
        for (number, (block, &label)) in self.blocks.iter().zip(&labels).enumerate() {
            buffer.bind(label);
            buffer.set_location(Some(Location(number as u32)));
            for item in &block.items {
                buffer.room_for(longest(item).min(32));
                match *item {
                    Item::Mark(mark) => word(buffer, mark),
                    Item::Nops(words) => (0..words).for_each(|_| {
                        buffer.room_for(4);
                        word(buffer, NOP);
                    }),
                    Item::Load(mark) => {
                        let at = buffer.offset();
                        let bits = Constant::Bits { size: ConstantSize::C4, bits: mark.into() };
                        let label = buffer.add_constant(at, 4096, bits);
                        word(buffer, LOAD);
                        buffer.pc_offset12_to_label(at, label, 4);
                    }
                    Item::Group(words, place) => {
                        let group = buffer.start_group();
                        word(buffer, if place == Place::AtEnd { GROUP_AT_END } else { GROUP } | words);
                        (1..words).for_each(|_| word(buffer, NOP));
                        buffer.end_group(group, place);
                    }
                }
            }
            for branch in &block.branches {
                buffer.room_for(size(branch));
                let target = labels[branch.target];
                match branch.cond {
                    Some(cond) => buffer.jump_if_with_slot(cond, target, branch.slot, Reach::FromLabels),
                    None => buffer.jump_with_slot(target, branch.slot, Reach::FromLabels),
                }
            }
            if block.branches.is_empty() {
                buffer.room_for(4);
                word(buffer, RETURN);
                buffer.stop_flow();
            }
        }
    }

    fn trace(&self, seed: u64) -> Trace {
        let mut trace = Trace::default();
        let (mut at, mut blocks) = (0, 0);
        while trace.marks.len() < ENOUGH && blocks < 2000 {
            let block = &self.blocks[at];
            blocks += 1;
            for item in &block.items {
                if let Item::Mark(mark) | Item::Load(mark) = *item {
                    trace.marks.push(mark);
                }
            }
            let mut next = None;
            for branch in &block.branches {
                let taken = branch.cond.is_none_or(|cond| holds(cond, trace.marks.len(), seed));
                trace.marks.extend((branch.slot != NOP).then_some(branch.slot));
                if taken {
                    next = Some(branch.target);
                    break;
                }
            }
            match next {
                Some(next) => at = next,
                None => {
                    trace.returned = true;
                    break;
                }
            }
        }
        trace.marks.truncate(ENOUGH);
        trace
    }

    /// Emits the graph, executes it, and counts what there is.
    fn check<const NEAR: u32>(&self, setting: Setting, seen: &mut Seen) {
        let mut buffer = CodeBuffer::<TextListing, Toy<NEAR>>::new();
        self.emit(&mut buffer, setting);
        buffer.finish().unwrap_or_else(|error| panic!("{setting:?}: {error}"));
        for seed in 0..6 {
            let (want, mut got) = (self.trace(seed), run(&buffer, setting.bundle, seed));
            got.marks.truncate(ENOUGH);
            assert_eq!(
                got.marks,
                want.marks,
                "{setting:?}\n{:#?}\n{}",
                self.blocks,
                common::listing(&buffer)
            );
            assert!(got.marks.len() == ENOUGH || got.returned == want.returned);
        }
        assert!(buffer.relocs().is_sorted_by_key(|reloc| reloc.offset));
        self.check_locations(&buffer, setting);
        seen.bytes += buffer.bytes().len();
        seen.islands += buffer.constant_ranges().len().saturating_sub(1);
        for line in common::listing(&buffer).lines() {
            if let Some(line) = line.strip_prefix("\tbranch") {
                let form: usize = line[..1].parse().unwrap();
                seen.forms[form][usize::from(line.contains("Some"))] += 1;
                // No block has such a label.
                let target = line.split(".L").nth(1).and_then(|rest| rest.split(' ').next());
                let label: usize = target.unwrap().parse().unwrap();
                seen.by_veneer[form] += usize::from(line.contains("Some") && label >= self.blocks.len());
            }
        }
    }
}

impl Graph {
    /// Every word that names itself has the location of its block; constants have none.
    fn check_locations<const NEAR: u32>(
        &self,
        buffer: &CodeBuffer<TextListing, Toy<NEAR>>,
        setting: Setting,
    ) {
        let mut origins = BTreeMap::new();
        for (block, number) in self.blocks.iter().zip(0..) {
            let at = Some(Location(number));
            origins.extend(block.items.iter().filter_map(|item| match *item {
                Item::Mark(mark) => Some((mark, at)),
                Item::Load(constant) => Some((constant, None)),
                _ => None,
            }));
            origins.extend(block.branches.iter().filter(|branch| branch.slot != NOP).map(|b| (b.slot, at)));
        }
        let locations = buffer.locations();
        assert!(locations.is_sorted_by(|a, b| a.0 < b.0 && a.1 != b.1), "{setting:?}: {locations:?}");
        for (word, offset) in buffer.bytes().chunks_exact(4).zip((0..).step_by(4)) {
            let word = u32::from_le_bytes(word.try_into().unwrap());
            let Some(&origin) = origins.get(&word) else { continue };
            let before = locations.partition_point(|&(start, _)| start <= offset);
            let location = before.checked_sub(1).and_then(|last| locations[last].1);
            assert_eq!(location, origin, "{setting:?}, {word:#x} at {offset}\n{}", common::listing(buffer));
        }
    }
}

/// What the tests have come by.
#[derive(Debug, Default)]
struct Seen {
    bytes: usize,
    /// Islands with constants that are not at the end.
    islands: usize,
    /// Jumps and conditional branches of each form.
    forms: [[usize; 2]; 4],
    /// Conditional branches that go by a veneer.
    by_veneer: [usize; 4],
}

const SETTINGS: [Setting; 4] = [
    Setting { longest: false, bundle: 0 },
    Setting { longest: true, bundle: 0 },
    Setting { longest: false, bundle: 16 },
    Setting { longest: true, bundle: 16 },
];

#[test]
fn random_graphs_execute_as_the_graph_in_all_forms() {
    let mut random = Random::new(5);
    let mut seen = SETTINGS.map(|_| Seen::default());
    for round in 0..600 {
        let count = [3, 6, 20, 60][round % 4];
        let graph = Graph::random(&mut random, count, [64, 300, 900][round % 3]);
        for (setting, seen) in SETTINGS.into_iter().zip(&mut seen) {
            graph.check::<1024>(setting, seen);
        }
    }
    for (setting, seen) in SETTINGS.iter().zip(&seen) {
        let rare = [seen.islands, seen.by_veneer[0], seen.by_veneer[1], seen.forms[3][0], seen.forms[2][0]];
        assert!(rare.iter().all(|&count| count > 10), "{setting:?}: {seen:?}");
        assert!(!setting.longest || seen.forms[3][1] > 20 && seen.forms[2][1] > 20, "{setting:?}: {seen:?}");
    }
}

/// Branches of 128 KiB, as those of MIPS, in functions of 300 KB and more.
#[test]
fn large_functions_have_branches_of_128_kib() {
    let mut random = Random::new(9);
    let mut seen = Seen::default();
    for _ in 0..6 {
        let graph = Graph::random(&mut random, 500, 8000);
        for setting in SETTINGS {
            graph.check::<{ 1 << 17 }>(setting, &mut seen);
        }
    }
    assert!(seen.bytes > 24 * 300_000 && seen.by_veneer[1] > 100, "{seen:?}");
}
