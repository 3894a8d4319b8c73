//! Live places against the checker: what is dead at the start of a block may be overwritten there, what is live may not.

use crate::common;

use common::*;
use ice_regalloc::*;

/// The allocation with garbage put into `place` where the block begins: what a slot of nothing holds.
fn overwritten(func: &StoredFunction, output: &Output, block: Block, place: PReg, class: RegClass) -> Output {
    let mut wrong = output.clone();
    let garbage = Slot::from_u32(wrong.slots.len() as u32);
    wrong.slots.push(SlotInfo { size: 16, align: 16 });
    let point = ProgPoint::before(func.block_insts(block).start);
    let at = wrong.edits.partition_point(|edit| edit.point < point);
    let (from, to) = (Allocation::slot(garbage), Allocation::reg(place));
    wrong.edits.insert(at, Edit { point, from, to, class, size: 4 });
    wrong.used_regs = RegUnits::span(0, 128);
    wrong
}

/// Blocks that can be entered.
fn reachable(func: &StoredFunction) -> Vec<Block> {
    let mut seen = vec![Block::from_u32(0)];
    let mut next = 0;
    while let Some(&block) = seen.get(next) {
        for &succ in func.block_succs(block) {
            if !seen.contains(&succ) {
                seen.push(succ);
            }
        }
        next += 1;
    }
    seen
}

#[test]
fn what_is_dead_may_be_overwritten_and_what_is_live_may_not() {
    let mut context = Context::new();
    let (mut dead, mut live_and_seen, mut live_and_unseen) = (0, 0, 0);
    for (name, file) in FILES {
        for seed in 0..60 {
            let func = random_function(&mut Rng::new(seed), file);
            let mode = if seed % 2 == 0 { Mode::Linear } else { Mode::Minimal };
            let options = Options { mode, ..Options::default() };
            let Ok(output) = context.allocate(&func.build(), file, &options) else { continue };
            let output = output.clone();
            let built = func.build();
            let live = LivePlaces::compute(&built, file, &output);
            for block in reachable(&func) {
                for (class, info) in file.classes.iter().enumerate() {
                    for &place in info.order {
                        let wrong = overwritten(&func, &output, block, place, RegClass(class as u8));
                        let is_live = live.live_in(block).has(file, Allocation::reg(place));
                        let verdict = check(&built, file, &wrong);
                        if !is_live {
                            let reg = file.name(place);
                            assert!(
                                verdict.is_ok(),
                                "{name} seed {seed} {mode:?}: {reg} in {block}: {verdict:?}"
                            );
                        }
                        dead += usize::from(!is_live);
                        live_and_seen += usize::from(is_live && verdict.is_err());
                        live_and_unseen += usize::from(is_live && verdict.is_ok());
                    }
                }
            }
        }
    }
    // What is live may have no value yet on the way here, so that nothing is lost.
    let counts = format!("{dead} dead, {live_and_seen} live, {live_and_unseen} without a value");
    assert!(dead > 10_000 && live_and_seen > 1000 && live_and_unseen * 5 < live_and_seen, "{counts}");
}

/// v0 and v2 end in the middle, v1 and v3 at the end.
#[test]
fn the_last_read_of_a_place_is_told() {
    let [read, def] = [Operand::use_reg, Operand::def_reg].map(|make| move |n| make(v(n), GPR));
    let insts = vec![
        inst(&[def(0), def(1)]),
        inst(&[def(2)]),
        inst(&[read(0), read(2), read(1), def(3)]),
        end(&[read(1), read(3)]),
    ];
    let func = function(4, vec![(vec![], insts, vec![])]);
    let mut context = Context::new();
    let output = context.allocate(&func.build(), &X86, &Options::default()).unwrap().clone();
    let built = func.build();
    let live = LivePlaces::compute(&built, &X86, &output);
    let mut ends = vec![];
    live.for_each_end(Block::from_u32(0), |inst, operand| ends.push((inst.as_u32(), operand)));
    assert_eq!(ends, [(3, 0), (3, 1), (2, 0), (2, 1)]);
    assert!(live.live_in(Block::from_u32(0)).units.is_empty());
}
