//! Functions with a given flow graph, for tests of analyses.

use crate::builder::FunctionBuilder;
use crate::entities::{Block, FuncId};
use crate::function::Function;
use crate::module::Signature;
use crate::types::Type;
use alloc::vec;
use alloc::vec::Vec;

/// What ends a block without successors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ends {
    /// Every one returns.
    Return,
    /// Those of even number return, the others are never reached behind.
    ReturnOrNot,
}

/// A function with these successors of its blocks: a block with one goes there, a block with more switches on the
/// parameter. No block may go back to the first.
pub fn function_of_graph(edges: &[Vec<usize>], ends: Ends) -> Function {
    let mut func = Function::new();
    let mut b = FunctionBuilder::new(&mut func);
    b.begin(FuncId::from_u32(0), &Signature::new(vec![Type::I32], Type::Void));
    let x = b.func.params()[0];
    let blocks: Vec<Block> = edges.iter().map(|_| b.create_block()).collect();
    for (n, (block, succs)) in blocks.iter().zip(edges).enumerate() {
        b.switch_to_block(*block);
        match succs[..] {
            [] if ends == Ends::Return || n % 2 == 0 => b.ret(None),
            [] => b.unreachable(),
            [one] => b.br(blocks[one]),
            _ => {
                let table = b.switch(x, blocks[succs[0]]);
                let cases = succs[1..].iter().enumerate().map(|(i, &s)| (i as i64, blocks[s]));
                b.func.switch_mut(table).cases.extend(cases);
            }
        }
    }
    func
}

/// Successors for [`function_of_graph`], without end and the same every time: of 2 up to `most` blocks, which is 3 or
/// more, each with up to three successors. Some are not reached.
pub fn random_graphs(most: usize) -> impl Iterator<Item = Vec<Vec<usize>>> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    core::iter::repeat_with(move || {
        let n = 2 + next(most - 1);
        (0..n).map(|_| (0..next(4)).map(|_| 1 + next(n - 1)).collect()).collect()
    })
}
