//! What of a module is put in an order by chance: its functions, its variables, the constants of its code.
//!
//! All of it is known before the first function is translated, so that outputs stay what they are: something that is
//! written once, front to back. Functions are shuffled in windows, and so is memory bounded: a window of bodies waits.
//! Constants come while code is written, and each has its place at once: in a chunk whose order is known.

use ice_asm::{ConstantId, ConstantPool, ConstantSize, Random};
use ice_codegen::Diversity;
use ice_codegen::diversity::Kind;
use ice_ir::{GlobalId, Module};

/// Functions in which any is where any other would be.
const WINDOW: usize = 1024;

/// Constants of one size of which any is where any other would be.
const CHUNK: u32 = 16;

/// The order in which functions are translated, as numbers of the order of the module; none for that.
pub struct FunctionOrder(Vec<u32>);

impl FunctionOrder {
    /// The order of `count` functions.
    pub fn new(diversity: Diversity, count: usize) -> FunctionOrder {
        let Some(mut random) = diversity.random(Kind::Functions, 0) else { return FunctionOrder(Vec::new()) };
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.chunks_mut(WINDOW).for_each(|window| random.shuffle(window));
        FunctionOrder(order)
    }

    /// Which function is the n-th.
    pub fn at(&self, n: usize) -> usize {
        self.0.get(n).map_or(n, |&function| function as usize)
    }

    /// Calls `arrive` for the functions of the window that begins at `n`, if one does, in the order of the module: the
    /// first of them may be the last.
    pub fn begin_window(&self, n: usize, arrive: impl FnMut(usize)) {
        if n.is_multiple_of(WINDOW) && n < self.0.len() {
            (n..self.0.len().min(n + WINDOW)).for_each(arrive);
        }
    }
}

/// The global variables in the order in which they are written.
pub fn globals(diversity: Diversity, module: &Module) -> Vec<GlobalId> {
    let mut globals: Vec<_> = module.globals.keys().collect();
    if let Some(mut random) = diversity.random(Kind::Globals, 0) {
        random.shuffle(&mut globals);
    }
    globals
}

/// Where constants are among those of their size.
#[derive(Clone, Copy)]
pub struct PoolOrder(Diversity);

impl PoolOrder {
    /// The order that this asks for.
    pub fn new(diversity: Diversity) -> PoolOrder {
        PoolOrder(diversity)
    }

    /// The places of a chunk, in the order of its constants.
    fn places(self, size: ConstantSize, chunk: u32) -> Option<[u32; CHUNK as usize]> {
        let mut random: Random = self.0.random(Kind::Pools, (size as u32) << 28 | chunk)?;
        let mut places = core::array::from_fn(|n| n as u32);
        random.shuffle(&mut places);
        Some(places)
    }

    /// The offset of a constant from the start of those of its size, in bytes.
    pub fn offset(self, id: ConstantId) -> u32 {
        let (chunk, n) = (id.index / CHUNK, id.index % CHUNK);
        let place = self.places(id.size, chunk).map_or(n, |places| places[n as usize]);
        (chunk * CHUNK + place) * id.size.bytes()
    }

    /// The constants of a size in the order of their places; `None` where a place is empty.
    pub fn constants(self, pool: &ConstantPool, size: ConstantSize) -> Vec<Option<(ConstantId, u128)>> {
        let mut constants: Vec<Option<(ConstantId, u128)>> = Vec::new();
        for index in 0..pool.len(size) as u32 {
            let id = ConstantId { size, index };
            let place = (self.offset(id) / size.bytes()) as usize;
            if constants.len() <= place {
                constants.resize(place + 1, None);
            }
            constants[place] = pool.get(id).map(|bits| (id, bits));
        }
        constants
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ice_codegen::diversity::Kinds;

    const ALL: Diversity = Diversity { seed: 9, kinds: Kinds::ALL };

    #[test]
    fn functions_come_once_and_in_their_window() {
        let order = FunctionOrder::new(ALL, 2 * WINDOW + 5);
        let mut functions: Vec<_> = (0..2 * WINDOW + 5).map(|n| order.at(n)).collect();
        assert!(functions.iter().enumerate().all(|(n, function)| function / WINDOW == n / WINDOW));
        assert!(functions[..WINDOW].iter().enumerate().any(|(n, &function)| function != n));
        functions.sort_unstable();
        assert!(functions.iter().enumerate().all(|(n, &function)| function == n));
        let mut arrived = Vec::new();
        (0..functions.len()).for_each(|n| order.begin_window(n, |function| arrived.push(function)));
        assert_eq!(arrived, functions);
        let plain = FunctionOrder::new(Diversity::NONE, 3);
        assert_eq!([0, 1, 2].map(|n| plain.at(n)), [0, 1, 2]);
        plain.begin_window(0, |_| panic!("nothing is shuffled"));
    }

    #[test]
    fn each_constant_has_a_place_of_its_own() {
        let mut pool = ConstantPool::new();
        for bits in 0..40 {
            pool.intern(ConstantSize::C8, bits);
        }
        let order = PoolOrder::new(ALL);
        let constants = order.constants(&pool, ConstantSize::C8);
        let mut known: Vec<_> = constants.iter().flatten().map(|&(id, bits)| (id.index, bits)).collect();
        assert!(known.iter().enumerate().any(|(n, &(index, _))| n as u32 != index));
        known.sort_unstable();
        assert!(
            known.iter().enumerate().all(|(n, &known)| known == (n as u32, n as u128)) && known.len() == 40
        );
        for (place, constant) in constants.iter().enumerate() {
            assert!(constant.is_none_or(|(id, _)| order.offset(id) as usize == 8 * place));
        }
        let plain = PoolOrder::new(Diversity::NONE);
        assert_eq!(plain.constants(&pool, ConstantSize::C8).len(), 40);
        assert_eq!(plain.offset(ConstantId { size: ConstantSize::C4, index: 17 }), 68);
    }
}
