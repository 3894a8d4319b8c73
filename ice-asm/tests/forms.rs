//! Forms, slots, islands and groups of the code buffer: random control-flow graphs for a machine whose branches have
//! all of them are executed and compared with the graph, and the same for far branches of ARM.

use crate::common::toy::{
    Cond, ENOUGH, GROUP, GROUP_AT_END, LOAD, MARK, NOP, RETURN, Toy, Trace, holds, run,
};
use crate::common::{self, Random};
use ice_asm::{
    BranchIsa, CodeBuffer, Constant, ConstantSize, Error, Form, Label, Place, Reach, SymbolId, TextListing,
};

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
        for (block, &label) in self.blocks.iter().zip(&labels) {
            buffer.bind(label);
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

type Buffer = CodeBuffer<TextListing, Toy<1024>>;

const COND: Cond = Cond { number: 4, is_tight: false };

fn words(buffer: &mut Buffer) -> Vec<u32> {
    buffer.finish().unwrap();
    buffer.bytes().chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

fn jump_if(buffer: &mut Buffer, target: Label, slot: u32) {
    buffer.jump_if_with_slot(COND, target, slot, Reach::FromLabels);
}

const BRANCH: u32 = 8 << 24 | 4 << 20;
const JUMP: u32 = 6 << 24;

#[test]
fn a_branch_to_next_leaves_its_slot() {
    let mut b = Buffer::new();
    let [x, y] = [(); 2].map(|()| b.new_label());
    b.bind(x);
    jump_if(&mut b, y, MARK | 1);
    b.jump_with_slot(y, MARK | 2, Reach::FromLabels);
    b.bind(y);
    b.emit_u32(RETURN);
    assert_eq!(b.label_offset(y), Some(12));
    // The condition still decides who passes the second mark.
    assert_eq!(words(&mut b), [BRANCH | 3, MARK | 1, MARK | 2, RETURN]);
}

#[test]
fn a_branch_over_a_jump_keeps_its_slot() {
    let mut b = Buffer::new();
    let [far, next] = [(); 2].map(|()| b.new_label());
    b.bind(far);
    b.emit_u32(NOP);
    jump_if(&mut b, next, MARK | 1);
    b.jump(far);
    b.bind(next);
    b.emit_u32(RETURN);
    assert_eq!(words(&mut b), [NOP, (BRANCH ^ 1 << 20) | 0xf_ffff, MARK | 1, RETURN]);
}

#[test]
fn a_jump_with_a_slot_is_no_empty_block() {
    let mut b = Buffer::new();
    let [edge, end] = [(); 2].map(|()| b.new_label());
    jump_if(&mut b, edge, NOP);
    b.emit_u32(RETURN);
    b.stop_flow();
    b.bind(edge);
    b.jump_with_slot(end, MARK | 1, Reach::FromLabels);
    b.emit_u32(RETURN);
    b.bind(end);
    b.emit_u32(RETURN);
    assert_eq!(words(&mut b), [BRANCH | 3, NOP, RETURN, JUMP | 3, MARK | 1, RETURN, RETURN]);
}

#[test]
fn tables_go_by_veneers() {
    let mut b = Buffer::new();
    b.set_symbol(SymbolId(0));
    let [top, end] = [(); 2].map(|()| b.new_label());
    b.bind(top);
    let nops = |b: &mut Buffer| {
        (0..3000).for_each(|_| {
            b.room_for(4);
            b.emit_u32(NOP);
        })
    };
    nops(&mut b);
    let table = b.offset();
    b.emit_branch_table([top, end, end]);
    nops(&mut b);
    b.bind(end);
    b.emit_u32(RETURN);
    let code = words(&mut b);
    for (entry, target) in [(0, 0), (2, b.label_offset(end).unwrap()), (4, b.label_offset(end).unwrap())] {
        let at = table as usize / 4 + entry;
        assert_eq!(code[at] >> 24, JUMP >> 24);
        let veneer = at + (code[at] & 0xf_ffff) as usize;
        assert_eq!(code[veneer], 7 << 24);
        let reloc = b.relocs().iter().find(|reloc| reloc.offset == 4 * veneer as u32).unwrap();
        assert_eq!(reloc.addend, i64::from(target));
    }
    assert_eq!(b.relocs().len(), 2, "one veneer for each target");

    b.clear();
    b.set_symbol(SymbolId(0));
    let top = b.new_label();
    b.bind(top);
    nops(&mut b);
    b.emit_branch_table([top, top]);
    // The second entry falls into the veneer.
    assert_eq!(words(&mut b)[3000..], [JUMP | 4, NOP, NOP, NOP, 7 << 24, NOP]);
}

#[test]
fn no_room_is_an_error() {
    let mut b = Buffer::new();
    let end = b.new_label();
    b.bind_aligned(end, 4);
    let end = b.new_label();
    jump_if(&mut b, end, NOP);
    (0..300).for_each(|_| b.emit_u32(NOP));
    b.bind(end);
    assert_eq!(b.finish(), Err(Error::OutOfRange { label: end, offset: 0 }));

    b.clear();
    let at = b.offset();
    b.emit_u32(LOAD);
    let label = b.add_constant(at, 4096, Constant::Bits { size: ConstantSize::C4, bits: 7 });
    b.pc_offset12_to_label(at, label, 4);
    (0..1025).for_each(|_| b.emit_u32(NOP));
    assert_eq!(b.finish(), Err(Error::OutOfRange { label, offset: 0 }));

    b.clear();
    let far = b.new_label();
    b.bind(far);
    (0..3000).for_each(|_| b.emit_u32(NOP));
    b.jump(far);
    assert_eq!(b.finish(), Err(Error::NoFunctionSymbol { offset: 12000 }));
}

#[test]
fn a_group_that_fits_no_bundle_is_an_error() {
    let wrong: [fn(&mut Buffer); 3] = [
        |b| (0..5).for_each(|_| b.emit_u32(NOP)),
        |b| {
            b.emit_u32(NOP);
            let label = b.new_label();
            b.bind(label);
        },
        |b| {
            let label = b.new_label();
            b.bind(label);
            b.jump(label);
        },
    ];
    for emit in wrong {
        let mut b = Buffer::new();
        b.set_bundle(16);
        b.emit_u32(NOP);
        let group = b.start_group();
        emit(&mut b);
        b.end_group(group, Place::Inside);
        assert_eq!(b.finish(), Err(Error::InvalidGroup { offset: 4 }));
    }
}

#[test]
fn a_group_moves_with_what_it_refers_to() {
    let mut b = Buffer::new();
    b.set_bundle(16);
    let x = b.new_label();
    (0..3).for_each(|_| b.emit_u32(NOP));
    b.bind(x);
    let group = b.start_group();
    b.emit_u32(GROUP | 3);
    b.emit_symbol(ice_asm::RelocKind::Abs32, SymbolId(3), 0);
    b.emit_label_difference(x, x);
    b.end_group(group, Place::AtEnd);
    b.emit_u32(RETURN);
    assert_eq!(words(&mut b), [NOP, NOP, NOP, NOP, NOP, GROUP | 3, 0, 0, RETURN]);
    assert_eq!((b.relocs()[0].offset, b.label_offset(x)), (24, Some(12)));
    let text = common::listing(&b);
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} in\n{text}"));
    assert!(at("padding") < at("sym3") && at(".L0:") < at("padding"), "{text}");
}

/// Many branches to one place that is far: each island has one veneer for them, and the cost is linear.
#[test]
fn dense_branches_to_a_far_place() {
    let mut b = CodeBuffer::<(), Toy<{ 1 << 17 }>>::new();
    b.set_symbol(SymbolId(0));
    let end = b.new_label();
    for _ in 0..1_000_000 {
        b.room_for(16);
        b.jump_if_with_slot(COND, end, NOP, Reach::FromLabels);
        b.emit_u32(NOP);
    }
    b.bind(end);
    b.finish().unwrap();
    assert!(b.bytes().len() < 12_010_000, "{}", b.bytes().len());
}
