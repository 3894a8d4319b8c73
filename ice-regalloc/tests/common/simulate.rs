//! Runs a function and its allocation side by side.

use super::{Rng, StoredFunction};
use ice_regalloc::*;

/// What a place holds that was written in parts.
const BAD: u64 = 1 << 62;

/// Runs `func` along a random path in two ways: with virtual registers, and with the registers and
/// slots of `output`. Gives the first instruction that reads a wrong value. Every definition makes
/// a new value; a value is (number, part) in each unit of a register.
pub fn simulate(
    func: &StoredFunction,
    file: &RegisterFile,
    output: &Output,
    rng: &mut Rng,
) -> Result<(), Inst> {
    let func = &func.build();
    // 0 stands for no value.
    let mut virtuals = vec![0u64; func.num_vregs()];
    let mut units = [0u64; 128];
    let mut slots = vec![(0u64, 0u32); output.slots.len()];
    let mut serial = 1u64;
    let size = |v: VReg| match func.vreg_size(v) {
        0 => file.class(func.vreg_class(v)).spill_size,
        size => size,
    };
    // What can be made again is always the same.
    let constant = |inst: Inst| (1 << 40 | u64::from(inst.as_u32())) << 16;
    let read = |units: &[u64; 128], slots: &[(u64, u32)], place: Allocation| -> (u64, u32) {
        match (place.as_reg(), place.as_slot()) {
            (Some(reg), _) => {
                let mut parts = file.units(reg).iter().map(|u| units[usize::from(u)]);
                let first = parts.next().unwrap_or(0);
                // Each unit holds `value + its position`; all must fit together.
                let whole = parts.enumerate().all(|(k, part)| part == first + 1 + k as u64);
                (if whole { first } else { BAD }, u32::MAX)
            }
            (_, Some(slot)) => slots.get(slot.as_u32() as usize).copied().unwrap_or((BAD, 0)),
            _ => match place.as_remat() {
                Some(inst) if func.rematerialize(inst).is_some() => (constant(inst), u32::MAX),
                _ => (BAD, 0),
            },
        }
    };
    let write = |units: &mut [u64; 128],
                 slots: &mut [(u64, u32)],
                 place: Allocation,
                 value: u64,
                 size: u32| match (place.as_reg(), place.as_slot()) {
        (Some(reg), _) => {
            for (k, u) in file.units(reg).iter().enumerate() {
                units[usize::from(u)] = value + k as u64;
            }
        }
        (_, Some(slot)) => {
            if let Some(s) = slots.get_mut(slot.as_u32() as usize) {
                *s = (value, size);
            }
        }
        _ => {}
    };
    let mut block = Block::from_u32(0);
    for _ in 0..40 {
        let range = func.block_insts(block);
        for i in range.start.as_u32()..range.end.as_u32() {
            let inst = Inst::from_u32(i);
            let run_edits = |units: &mut [u64; 128], slots: &mut Vec<(u64, u32)>, point| {
                let first = output.edits.partition_point(|e| e.point < point);
                for e in output.edits[first..].iter().take_while(|e| e.point == point) {
                    let (value, bytes) = read(units, slots, e.from);
                    write(units, slots, e.to, value, e.size.min(bytes));
                }
            };
            run_edits(&mut units, &mut slots, ProgPoint::before(inst));
            let ops = func.operands(inst);
            let places = output.allocs_of(func, inst);
            let mut values = vec![0; ops.len()];
            for k in 0..ops.len() {
                if ops[k].is_def() {
                    serial += 1;
                    values[k] =
                        if func.rematerialize(inst).is_some() { constant(inst) } else { serial << 16 };
                }
            }
            let compare = |units: &[u64; 128], slots: &[(u64, u32)], k: usize| {
                let v = ops[k].vreg();
                let expected = virtuals[v.as_u32() as usize];
                if expected == 0 {
                    return Ok(());
                }
                let (value, bytes) = read(units, slots, places[k]);
                if value == expected && bytes >= size(v) { Ok(()) } else { Err(inst) }
            };
            let early = |k: usize| ops[k].pos() == OperandPos::Early;
            for k in 0..ops.len() {
                if ops[k].kind() == OperandKind::Def && early(k) {
                    write(&mut units, &mut slots, places[k], values[k], size(ops[k].vreg()));
                }
            }
            for k in 0..ops.len() {
                if ops[k].is_use() {
                    compare(&units, &slots, k)?;
                }
            }
            for u in func.clobbers(inst).iter() {
                serial += 1;
                units[usize::from(u)] = serial << 16;
            }
            for k in 0..ops.len() {
                if ops[k].is_def() && (ops[k].kind() == OperandKind::UseDef || !early(k)) {
                    write(&mut units, &mut slots, places[k], values[k], size(ops[k].vreg()));
                }
            }
            for k in 0..ops.len() {
                if ops[k].kind() == OperandKind::Use && !early(k) {
                    compare(&units, &slots, k)?;
                }
            }
            // Definitions must all have survived the instruction.
            for k in 0..ops.len() {
                if ops[k].is_def() {
                    let left_out = places[k].is_none() && func.rematerialize(inst).is_some();
                    if !left_out && read(&units, &slots, places[k]).0 != values[k] {
                        return Err(inst);
                    }
                    virtuals[ops[k].vreg().as_u32() as usize] = values[k];
                }
            }
            run_edits(&mut units, &mut slots, ProgPoint::after(inst));
        }
        let succs = func.block_succs(block);
        if succs.is_empty() {
            break;
        }
        let k = rng.below(succs.len());
        let args: Vec<u64> = func.edge_args(block, k).iter().map(|a| virtuals[a.as_u32() as usize]).collect();
        for (param, value) in func.block_params(succs[k]).iter().zip(args) {
            virtuals[param.as_u32() as usize] = value;
        }
        block = succs[k];
    }
    Ok(())
}
