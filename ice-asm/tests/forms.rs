//! Slots, veneers, tables and groups of the code buffer, each by itself, on the machine of the tests.

use crate::common;
use crate::common::toy::{Cond, GROUP, LOAD, MARK, NOP, RETURN, Toy};
use ice_asm::{
    CodeBuffer, Constant, ConstantSize, Error, Label, Location, Place, Reach, SymbolId, TextListing,
};

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

#[test]
fn locations_follow_what_is_cut_and_what_moves() {
    let mut b = Buffer::new();
    let [next, far] = [(); 2].map(|()| b.new_label());
    let at = |number| Some(Location(number));
    b.bind(far);
    b.set_location(at(1));
    b.emit_u32(NOP);
    b.set_location(at(2));
    jump_if(&mut b, next, NOP);
    b.set_location(at(3));
    b.jump(far);
    // The two branches become one, which comes from the first.
    b.bind(next);
    b.set_location(at(2));
    b.emit_u32(NOP);
    b.set_location(at(4));
    b.jump(far);
    let end = b.new_label();
    b.set_location(at(5));
    b.jump_with_slot(end, NOP, Reach::FromLabels);
    b.bind(end);
    b.set_location(None);
    b.set_location(at(6));
    b.emit_u32(RETURN);
    b.finish().unwrap();
    let want = [(0, at(1)), (4, at(2)), (16, at(4)), (24, at(6)), (28, None)];
    assert_eq!(b.locations(), want, "{}", common::listing(&b));

    b.clear();
    assert_eq!(b.locations(), []);
    b.set_bundle(16);
    b.set_location(at(1));
    (0..3).for_each(|_| b.emit_u32(NOP));
    let group = b.start_group();
    b.set_location(at(2));
    b.emit_u32(NOP);
    b.set_location(at(3));
    b.emit_u32(NOP);
    b.end_group(group, Place::Inside);
    b.finish().unwrap();
    assert_eq!(b.locations(), [(0, at(1)), (12, at(2)), (20, at(3)), (24, None)]);
}
