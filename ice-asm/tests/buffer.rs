//! The branch rules of the code buffer: each by itself, and random control-flow graphs whose branch
//! bytes are interpreted against the graph.

use crate::common;

use common::{Random, check_listing, listing};
use ice_asm::x86::{Cond, Encoder, Gpr, Mode, Width};
use ice_asm::{CodeBuffer, Error, Label, Place, Reach, RelocKind, SymbolId, TextListing};
use iced_x86::{Code, ConditionCode, Decoder, FlowControl, Instruction};
use std::collections::BTreeMap;

type Buffer = CodeBuffer<TextListing>;

fn labels<const N: usize>(buffer: &mut Buffer) -> [Label; N] {
    [(); N].map(|()| buffer.new_label())
}

/// One byte of code that is no branch.
fn nops(buffer: &mut Buffer, count: usize) {
    buffer.emit_data(&vec![0x90; count]);
}

fn ret(buffer: &mut Buffer) {
    Encoder::new(buffer, Mode::Bits32).ret();
}

fn finished(mut buffer: Buffer) -> Vec<u8> {
    buffer.finish().unwrap();
    check_listing(
        &format!("rule-{:?}", std::thread::current().name()).replace('"', ""),
        Mode::Bits32,
        &buffer,
    );
    buffer.bytes().to_vec()
}

#[test]
fn branch_to_next_is_cut() {
    let mut b = Buffer::new();
    let [x, y] = labels(&mut b);
    nops(&mut b, 1);
    b.jump_if(Cond::E, x);
    b.jump_if(Cond::O, y);
    b.bind(x); // Nothing: jump_if O is in between.
    b.bind(y);
    nops(&mut b, 1);
    assert_eq!(finished(b), [0x90, 0x90]);
}

#[test]
fn branch_over_branch_is_inverted() {
    let mut b = Buffer::new();
    let [next, far] = labels(&mut b);
    b.bind(far);
    nops(&mut b, 1);
    b.jump_if(Cond::L, next);
    b.jump(far);
    b.bind(next);
    ret(&mut b);
    assert_eq!(finished(b), [0x90, 0x7d, 0xfd, 0xc3]);
}

#[test]
fn branch_to_branch_is_threaded() {
    let mut b = Buffer::new();
    let [middle, end] = labels(&mut b);
    b.jump_if(Cond::E, middle);
    nops(&mut b, 1);
    ret(&mut b);
    b.bind(middle);
    b.jump(end); // Not reached from before: it goes away.
    b.bind(end);
    nops(&mut b, 2);
    ret(&mut b);
    assert_eq!(b.label_offset(middle), b.label_offset(end));
    assert_eq!(finished(b), [0x0f, 0x84, 2, 0, 0, 0, 0x90, 0xc3, 0x90, 0x90, 0xc3]);
}

#[test]
fn empty_block_that_is_fallen_into_keeps_its_jump() {
    let mut b = Buffer::new();
    let [top, middle] = labels(&mut b);
    b.bind(top);
    b.jump_if_within(Cond::E, middle, Reach::Within(10));
    nops(&mut b, 1);
    b.bind(middle);
    b.jump(top);
    nops(&mut b, 1);
    assert_eq!(finished(b), [0x74, 0xfe, 0x90, 0xeb, 0xfb, 0x90]);
}

#[test]
fn unreachable_branch_is_not_emitted() {
    let mut b = Buffer::new();
    let [top] = labels(&mut b);
    b.bind(top);
    ret(&mut b);
    b.jump(top);
    b.jump_if(Cond::E, top);
    assert_eq!(finished(b), [0xc3]);
}

#[test]
fn self_loop_stays() {
    let mut b = Buffer::new();
    let [x, y] = labels(&mut b);
    b.jump(x);
    b.bind(x);
    b.bind(y);
    b.jump(x);
    b.jump(y);
    assert_eq!(finished(b), [0xeb, 0xfe]);
}

#[test]
fn cycle_of_empty_blocks_stays_a_loop() {
    let mut b = Buffer::new();
    let [x, y, z] = labels(&mut b);
    b.jump_if(Cond::S, z);
    ret(&mut b);
    for (block, target) in [(x, y), (y, z), (z, x)] {
        b.bind(block);
        b.jump(target);
    }
    let bytes = finished(b);
    assert_eq!(bytes, [0x0f, 0x88, 1, 0, 0, 0, 0xc3, 0xeb, 0xfe]);
}

#[test]
fn empty_edge_blocks_cost_nothing() {
    // if (e) goto a else goto b, with an empty block on both edges.
    let mut b = Buffer::new();
    let [edge_a, edge_b, a, join] = labels(&mut b);
    nops(&mut b, 1);
    b.jump_if(Cond::E, edge_a);
    b.jump(edge_b);
    b.bind(edge_a);
    b.jump(a);
    b.bind(edge_b);
    b.jump(join);
    b.bind(a);
    nops(&mut b, 3);
    b.jump(join);
    b.bind(join);
    ret(&mut b);
    assert_eq!(finished(b), [0x90, 0x0f, 0x85, 3, 0, 0, 0, 0x90, 0x90, 0x90, 0xc3]);
}

#[test]
fn threading_back_to_the_own_end_becomes_nops() {
    let mut b = Buffer::new();
    let [edge, body] = labels(&mut b);
    b.jump_if(Cond::E, edge);
    b.bind(body);
    nops(&mut b, 1);
    ret(&mut b);
    b.bind(edge);
    b.jump(body);
    assert_eq!(finished(b), [0x66, 0x0f, 0x1f, 0x44, 0, 0, 0x90, 0xc3]);
}

/// Sizes of a conditional branch and a jump over `distance` bytes, given that promise.
fn forward(distance: usize, promise: u32) -> (usize, usize) {
    let size = |cond: bool| {
        let mut b = Buffer::new();
        let [x] = labels(&mut b);
        match cond {
            true => b.jump_if_within(Cond::A, x, Reach::Within(promise)),
            false => b.jump_within(x, Reach::Within(promise)),
        }
        let size = b.offset() as usize;
        nops(&mut b, distance);
        b.bind(x);
        ret(&mut b);
        b.finish().unwrap();
        check_listing("forward", Mode::Bits32, &b);
        size
    };
    (size(true), size(false))
}

#[test]
fn forward_forms_at_the_border() {
    assert_eq!(forward(127, 127), (2, 2));
    assert_eq!(forward(127, 128), (6, 5));
    assert_eq!(forward(128, 128), (6, 5));
    assert_eq!(forward(20, u32::MAX), (6, 5));
}

#[test]
fn backward_forms_at_the_border() {
    for (distance, sizes) in [(0, [2, 2]), (126, [2, 2]), (127, [6, 5])] {
        for (cond, size) in [Some(Cond::A), None].into_iter().zip(sizes) {
            let mut b = Buffer::new();
            let [x] = labels(&mut b);
            b.bind(x);
            nops(&mut b, distance);
            match cond {
                Some(cond) => b.jump_if(cond, x),
                None => b.jump(x),
            }
            assert_eq!(finished(b).len(), distance + size);
        }
    }
}

/// A block of `size` bytes between a branch and its target, with exact longest offsets plus `slack`.
fn estimated(size: u32, slack: u32) -> u32 {
    let mut b = Buffer::new();
    let [first, between, last] = labels(&mut b);
    b.set_longest_offset(first, 0);
    b.set_longest_offset(between, 3 + 6);
    b.set_longest_offset(last, 3 + 6 + size + slack);
    b.bind(first);
    nops(&mut b, 3);
    b.jump_if(Cond::B, last);
    let offset = b.offset();
    b.bind(between);
    nops(&mut b, size as usize);
    b.bind(last);
    ret(&mut b);
    b.finish().unwrap();
    offset - 3
}

#[test]
fn longest_offsets_choose_the_form() {
    assert_eq!(estimated(127, 0), 2);
    assert_eq!(estimated(128, 0), 6);
    assert_eq!(estimated(100, 27), 2);
    assert_eq!(estimated(100, 28), 6);
}

#[test]
fn wrong_bound_is_an_error() {
    let mut b = Buffer::new();
    let [x] = labels(&mut b);
    nops(&mut b, 1);
    b.jump_within(x, Reach::Within(127));
    nops(&mut b, 128);
    b.bind(x);
    ret(&mut b);
    assert_eq!(b.finish(), Err(Error::OutOfRange { label: x, offset: 1 }));
}

#[test]
fn short_branch_is_threaded_only_where_it_reaches() {
    for (far, threaded) in [(100, true), (128, false)] {
        let mut b = Buffer::new();
        let [edge, target] = labels(&mut b);
        b.bind(target);
        nops(&mut b, far);
        b.jump_if_within(Cond::E, edge, Reach::Within(10));
        ret(&mut b);
        b.bind(edge);
        b.jump(target);
        let size = b.offset() as usize;
        b.finish().unwrap();
        assert_eq!(size, if threaded { far + 3 } else { far + 3 + 5 });
    }
}

#[test]
fn short_branch_is_not_threaded_to_the_unknown() {
    let mut b = Buffer::new();
    let [edge, target] = labels(&mut b);
    b.jump_if_within(Cond::E, edge, Reach::Within(10));
    ret(&mut b);
    b.bind(edge);
    b.jump(target);
    nops(&mut b, 200);
    b.bind(target);
    ret(&mut b);
    assert_eq!(finished(b)[..5], [0x74, 1, 0xc3, 0xe9, 200]);
}

#[test]
fn alias_names_the_target_before_it_is_known() {
    let mut b = Buffer::new();
    let [edge, target] = labels(&mut b);
    b.alias(edge, target);
    b.jump_if_within(Cond::E, edge, Reach::Within(1));
    nops(&mut b, 200);
    ret(&mut b);
    b.bind(edge);
    b.jump(target);
    b.bind(target);
    ret(&mut b);
    let bytes = finished(b);
    assert_eq!(bytes[..6], [0x0f, 0x84, 201, 0, 0, 0]);
    assert_eq!(bytes.len(), 6 + 202);
}

#[test]
fn aligned_label_stays_aligned() {
    let mut b = Buffer::new();
    let [x] = labels(&mut b);
    nops(&mut b, 3);
    b.jump(x);
    b.bind_aligned(x, 16);
    ret(&mut b);
    b.jump(x);
    assert_eq!(b.label_offset(x), Some(16));
    let bytes = finished(b);
    assert_eq!(bytes[..3], [0x90; 3]);
    assert_ne!(bytes[3], 0xeb, "a jump over padding");
    assert_eq!(bytes.len(), 17);
}

#[test]
fn aligned_label_without_padding_does_not_move() {
    let mut b = Buffer::new();
    let [x, y] = labels(&mut b);
    nops(&mut b, 14);
    b.jump_within(x, Reach::Within(0));
    b.bind_aligned(y, 16);
    b.bind(x);
    ret(&mut b);
    assert_eq!(b.label_offset(y), Some(16));
    let bytes = finished(b);
    assert_eq!(bytes[14..], [0x66, 0x90, 0xc3], "the jump to the next instruction does nothing");
}

#[test]
fn misuse_is_an_error_not_a_panic() {
    let mut b = Buffer::new();
    let [x] = labels(&mut b);
    b.jump(x);
    nops(&mut b, 1);
    assert_eq!(b.finish(), Err(Error::UnboundLabel { label: x, offset: 0 }));

    b.clear();
    let [x] = labels(&mut b);
    b.bind(x);
    nops(&mut b, 1);
    b.bind(x);
    assert_eq!(b.finish(), Err(Error::LabelBoundTwice { label: x, offset: 1 }));

    let stranger = Label(77);
    let uses: [fn(&mut Buffer, Label); 4] =
        [|b, x| b.jump(x), |b, x| b.jump_if(Cond::E, x), Buffer::bind, |b, x| b.set_longest_offset(x, 0)];
    for using in uses {
        b.clear();
        using(&mut b, stranger);
        assert_eq!(b.finish(), Err(Error::UnknownLabel { label: stranger, offset: 0 }));
    }

    b.clear();
    let [x] = labels(&mut b);
    b.bind(x);
    b.emit_label(RelocKind::Abs32, x);
    assert_eq!(b.finish(), Err(Error::NoFunctionSymbol { offset: 0 }));

    b.clear();
    b.set_limit(100);
    let [x] = labels(&mut b);
    b.bind(x);
    for _ in 0..1000 {
        nops(&mut b, 1);
        b.jump(x);
        Encoder::new(&mut b, Mode::Bits64).mov_r_i(Width::B64, Gpr::RAX, i64::MIN);
    }
    assert!(b.offset() <= 100);
    assert_eq!(b.finish(), Err(Error::BufferFull { limit: 100 }));
}

#[test]
fn label_relocations_follow_edits() {
    let mut b = Buffer::new();
    b.set_symbol(SymbolId(5));
    let [edge, target, table] = labels(&mut b);
    nops(&mut b, 4);
    ret(&mut b);
    b.bind(edge);
    b.jump(target);
    b.bind(target);
    ret(&mut b);
    b.bind(table);
    b.emit_label(RelocKind::Abs32, edge);
    b.emit_label_difference(edge, table);
    b.finish().unwrap();
    let reloc = b.relocs()[0];
    assert_eq!((reloc.offset, reloc.kind, reloc.symbol, reloc.addend), (6, RelocKind::Abs32, SymbolId(5), 5));
    assert_eq!(b.bytes()[10..], (-1i32).to_le_bytes());
    b.finish().unwrap();
    assert_eq!(b.relocs()[0].addend, 5, "finish twice changes nothing");
}

#[test]
fn cleared_buffer_gives_the_same_code() {
    let graph = Graph::random(&mut Random::new(3), 40);
    let mut buffer = Buffer::new();
    let mut first = None;
    for _ in 0..3 {
        buffer.clear();
        graph.emit(&mut buffer, Bounds::Exact);
        buffer.finish().unwrap();
        let code = (buffer.bytes().to_vec(), listing(&buffer));
        assert_eq!(*first.get_or_insert(code.clone()), code);
    }
}

#[derive(Clone, Debug)]
enum End {
    Return,
    Jump(usize),
    /// Conditions in turn, then the last target.
    Branch(Vec<(Cond, usize)>, usize),
}

#[derive(Clone, Debug)]
struct Block {
    /// Bytes of nops after the marker, or no code at all.
    body: Option<u32>,
    end: End,
    align: bool,
}

struct Graph {
    blocks: Vec<Block>,
}

#[derive(Clone, Copy, PartialEq)]
enum Bounds {
    None,
    Exact,
    Loose,
    /// Exact, and empty blocks are declared to be their targets.
    Aliased,
    /// Exact, in bundles of 32 bytes, where markers and what padding branches have count twice less one byte.
    Bundled,
}

const MARKER: u32 = 5;

impl Graph {
    fn random(random: &mut Random, count: u32) -> Graph {
        let near = random.below(2) == 0;
        let sizes = [4, 30, 140][random.below(3) as usize];
        let mut block = |i: u32| {
            let mut target = || {
                let any = if near { (i + random.below(7)).saturating_sub(2) } else { random.below(count) };
                any.min(count - 1) as usize
            };
            let targets = [target(), target(), target()];
            let mut cond = || Cond::ALL[random.below(16) as usize];
            let conds = [cond(), cond()];
            let end = match random.below(10) {
                0 => End::Return,
                1..=3 => End::Jump(targets[0]),
                4 => End::Branch(vec![(conds[0], targets[0]), (conds[1], targets[1])], targets[2]),
                _ => End::Branch(vec![(conds[0], targets[0])], targets[1]),
            };
            let body = (random.below(3) != 0).then(|| random.below(sizes));
            Block { body, end, align: random.below(12) == 0 }
        };
        Graph { blocks: (0..count).map(&mut block).collect() }
    }

    /// The longest size of a block, with the padding in it.
    fn longest(block: &Block, bounds: Bounds) -> u32 {
        let counted = |size: u32| if bounds == Bounds::Bundled { 2 * size - 1 } else { size };
        block.body.map_or(0, |nops| counted(MARKER) + nops)
            + match &block.end {
                End::Return => 1,
                End::Jump(_) => counted(5),
                End::Branch(conds, _) => counted(6) * conds.len() as u32 + counted(5),
            }
    }

    fn emit(&self, buffer: &mut Buffer, bounds: Bounds) {
        let labels: Vec<_> = self.blocks.iter().map(|_| buffer.new_label()).collect();
        buffer.set_bundle(if bounds == Bounds::Bundled { 32 } else { 0 });
        let mut longest = 0;
        for (block, &label) in self.blocks.iter().zip(&labels) {
            longest += if block.align { 15 } else { 0 };
            if bounds != Bounds::None {
                buffer.set_longest_offset(label, longest);
            }
            longest += Self::longest(block, bounds) + if bounds == Bounds::Loose { 9 } else { 0 };
        }
        for (i, block) in self.blocks.iter().enumerate() {
            if let (Bounds::Aliased, None, End::Jump(target)) = (bounds, block.body, &block.end) {
                buffer.alias(labels[i], labels[*target]);
            }
        }
        for (i, block) in self.blocks.iter().enumerate() {
            if block.align {
                buffer.bind_aligned(labels[i], 16);
            } else {
                buffer.bind(labels[i]);
            }
            if let Some(count) = block.body {
                let group = buffer.start_group();
                Encoder::new(buffer, Mode::Bits32).mov_r_i(Width::B32, Gpr::RAX, i as i64);
                buffer.end_group(group, Place::Inside);
                nops(buffer, count as usize);
            }
            match &block.end {
                End::Return => ret(buffer),
                End::Jump(target) => buffer.jump(labels[*target]),
                End::Branch(conds, other) => {
                    conds.iter().for_each(|&(cond, target)| buffer.jump_if(cond, labels[target]));
                    buffer.jump(labels[*other]);
                }
            }
        }
    }

    /// The markers passed under these flags.
    fn trace(&self, flags: impl Fn(usize) -> u8) -> Trace {
        let mut trace = Trace::default();
        let mut at = 0;
        loop {
            let block = &self.blocks[at];
            if block.body.is_some() && !trace.pass(at as u32) || trace.is_stuck() {
                return trace;
            }
            at = match &block.end {
                End::Return => return trace.returned(),
                End::Jump(target) => *target,
                End::Branch(conds, other) => {
                    let flags = flags(trace.markers.len());
                    conds
                        .iter()
                        .find(|(cond, _)| holds(*cond as u8, flags))
                        .map_or(*other, |&(_, target)| target)
                }
            };
        }
    }
}

/// Conditions come in pairs of opposites, each with a flag of its own.
fn holds(cond: u8, flags: u8) -> bool {
    (flags >> (cond >> 1) & 1 != 0) ^ (cond & 1 != 0)
}

#[derive(Debug, Default, PartialEq)]
struct Trace {
    markers: Vec<u32>,
    returned: bool,
    since: u32,
}

impl Trace {
    /// Passes a marker; false when the trace is long enough.
    fn pass(&mut self, marker: u32) -> bool {
        self.markers.push(marker);
        self.since = 0;
        self.markers.len() < 300
    }

    /// Flags change at markers only, so a way without one that is longer than the code is a loop without end.
    fn is_stuck(&mut self) -> bool {
        self.since += 1;
        if self.since > 600 {
            self.since = 0;
            return true;
        }
        false
    }

    fn returned(mut self) -> Trace {
        self.returned = true;
        self.since = 0;
        self
    }
}

fn decode(bytes: &[u8]) -> BTreeMap<u64, Instruction> {
    Decoder::new(32, bytes, 0).into_iter().map(|inst| (inst.ip(), inst)).collect()
}

/// The markers passed by the code under these flags.
fn run(code: &BTreeMap<u64, Instruction>, flags: impl Fn(usize) -> u8) -> Trace {
    let mut trace = Trace::default();
    let mut at = 0;
    loop {
        let inst = code.get(&at).unwrap_or_else(|| panic!("jump into the middle or past the end: {at:#x}"));
        if trace.is_stuck() {
            return trace;
        }
        at = inst.next_ip();
        match inst.flow_control() {
            FlowControl::Next if inst.code() == Code::Mov_r32_imm32 => {
                if !trace.pass(inst.immediate32()) {
                    return trace;
                }
            }
            FlowControl::Next => assert!(inst.mnemonic() == iced_x86::Mnemonic::Nop, "{inst}"),
            FlowControl::Return => return trace.returned(),
            FlowControl::UnconditionalBranch => at = inst.near_branch_target(),
            FlowControl::ConditionalBranch => {
                if holds(condition(inst.condition_code()), flags(trace.markers.len())) {
                    at = inst.near_branch_target();
                }
            }
            other => panic!("unexpected {other:?}"),
        }
    }
}

fn condition(code: ConditionCode) -> u8 {
    use ConditionCode as C;
    let order = [
        C::o,
        C::no,
        C::b,
        C::ae,
        C::e,
        C::ne,
        C::be,
        C::a,
        C::s,
        C::ns,
        C::p,
        C::np,
        C::l,
        C::ge,
        C::le,
        C::g,
    ];
    order.iter().position(|&c| c == code).unwrap() as u8
}

#[test]
fn random_graphs_execute_as_the_graph() {
    let mut random = Random::new(1);
    let (mut sizes, mut buffer) = ([0; 5], Buffer::new());
    for round in 0..1000 {
        let count = [3, 6, 12, 40][round % 4];
        let graph = Graph::random(&mut random, count);
        for (i, bounds) in [Bounds::None, Bounds::Exact, Bounds::Loose, Bounds::Aliased, Bounds::Bundled]
            .into_iter()
            .enumerate()
        {
            buffer.clear();
            graph.emit(&mut buffer, bounds);
            buffer.finish().unwrap_or_else(|error| panic!("round {round}: {error}"));
            sizes[i] += buffer.bytes().len();
            let code = decode(buffer.bytes());
            if bounds == Bounds::Bundled {
                let straddler = code.values().find(|inst| inst.ip() / 32 != (inst.next_ip() - 1) / 32);
                assert_eq!(straddler, None, "round {round}: an instruction over the end of a bundle");
            }
            for inst in
                code.values().filter(|inst| inst.is_jcc_short_or_near() || inst.is_jmp_short_or_near())
            {
                assert_ne!(
                    inst.near_branch_target(),
                    inst.next_ip(),
                    "round {round}: branch to next at {:#x}",
                    inst.ip()
                );
            }
            for seed in 0..6 {
                let flags = |n: usize| Random::new((n as u64 + 1) * (seed * 2 + 1)).below(256) as u8;
                let (want, got) = (graph.trace(flags), run(&code, flags));
                assert_eq!(got, want, "round {round}\n{:?}\n{}", graph.blocks, listing(&buffer));
            }
            if round % 250 < 4 {
                check_listing(&format!("graph{i}"), Mode::Bits32, &buffer);
                check_listing(&format!("graph{i}"), Mode::Bits64, &buffer);
            }
        }
    }
    let [none, exact, loose, ..] = sizes;
    assert!(exact < loose && loose < none, "bounds make code shorter: {sizes:?}");
}
