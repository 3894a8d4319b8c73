//! Frames by chance: where in one the slots and objects are.

use crate::frame_layout::take;
use crate::mach::FrameInfo;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use ice_asm::Random;
use ice_regalloc::SlotInfo;

/// The most room that is left below the slots and objects, in units of the largest alignment.
const MOST_ROOM: u32 = 8;

/// How the frame of a function is laid out.
#[derive(Clone, Debug)]
pub struct FrameShuffle(pub Random);

impl FrameShuffle {
    /// Puts spill slots and fixed objects by falling alignment, which is `max_align` at most, upwards from `start`, in any
    /// order of what is aligned alike, and with room at the start; in a guarded frame objects are behind slots, by kinds. Fills
    /// the lists of their offsets and gives the end. A function that needs no frame gets none.
    pub(crate) fn place(
        &self,
        [slots, objects]: [&mut Vec<i32>; 2],
        (slot_sizes, info): (&[SlotInfo], &FrameInfo),
        max_align: u32,
        start: u64,
    ) -> u64 {
        let FrameShuffle(mut random) = self.clone();
        let object_sizes = &info.objects;
        slots.clear();
        slots.resize(slot_sizes.len(), 0);
        objects.clear();
        objects.resize(object_sizes.len(), 0);
        let slot_facts = slot_sizes.iter().map(|slot| (slot.align.clamp(1, max_align), slot.size));
        let slot_facts = slot_facts.map(|fact| (None, fact));
        let object_facts = object_sizes.iter().map(|object| {
            let fact = (object.align(max_align), object.size);
            (info.is_guarded.then_some(object.kind), fact)
        });
        let offsets = slots.iter_mut().chain(objects.iter_mut());
        let mut all: Vec<_> = slot_facts.chain(object_facts).zip(offsets).collect();
        random.shuffle(&mut all);
        // Keys with places in the list: the order of those that are aligned alike stays.
        let order = all.iter().zip(0..).map(|(((kind, (align, _)), _), n)| (*kind, Reverse(*align), n));
        let order = BinaryHeap::from_iter(order).into_sorted_vec();
        let needs_frame = !all.is_empty() || info.has_calls;
        let mut end = start + if needs_frame { u64::from(max_align * random.below(MOST_ROOM)) } else { 0 };
        for (_, _, n) in order {
            let ((_, fact), offset) = &mut all[n];
            let (align, size) = *fact;
            **offset = take(&mut end, align, size);
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn nothing_overlaps_and_all_is_aligned() {
        let slots: Vec<_> = [4, 16, 8, 4, 4].map(|size| SlotInfo { size, align: size }).into();
        let mut info = FrameInfo::default();
        for (size, align_log2) in [(40, 3), (1, 0), (3, 5)] {
            info.add_object(size, align_log2);
        }
        let mut seen = Vec::new();
        for n in 0..50 {
            let (mut of_slots, mut of_objects) = (vec![7], vec![]);
            let shuffle = FrameShuffle(Random::keyed(3, 0, n));
            let end = shuffle.place([&mut of_slots, &mut of_objects], (&slots, &info), 16, 32);
            let places = slots.iter().map(|slot| (slot.size, slot.align));
            let places = places.chain(info.objects.iter().map(|o| (o.size, (1 << o.align_log2).min(16))));
            let mut places: Vec<_> = of_slots.iter().chain(&of_objects).zip(places).collect();
            assert_eq!(places.len(), 8);
            assert!(
                places
                    .iter()
                    .all(|(offset, (_, align))| **offset >= 32 && (**offset as u32).is_multiple_of(*align))
            );
            places.sort();
            assert!(places.windows(2).all(|pair| *pair[0].0 + pair[0].1.0 as i32 <= *pair[1].0));
            assert_eq!(places.last().map(|(offset, (size, _))| (**offset as u32 + size) as u64), Some(end));
            seen.push(of_slots);
        }
        seen.sort();
        seen.dedup();
        assert!(seen.len() > 20);
    }
}
