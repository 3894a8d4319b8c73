//! A position in a function, for passes that insert and remove instructions while they walk.

use crate::entities::{Block, Inst, Value};
use crate::function::Function;
use crate::instruction::InstData;
use crate::types::Type;

/// Walks the instructions of one block after another; insertions go before the current instruction.
pub struct Cursor<'f> {
    /// The function under the cursor.
    pub func: &'f mut Function,
    block: Option<Block>,
    current: Option<Inst>,
    upcoming: Option<Inst>,
}

impl<'f> Cursor<'f> {
    /// A cursor before the first block.
    pub fn new(func: &'f mut Function) -> Self {
        Cursor { func, block: None, current: None, upcoming: None }
    }

    /// Goes before the first instruction of the next block.
    pub fn next_block(&mut self) -> Option<Block> {
        self.block = match self.block {
            None => self.func.layout.entry(),
            Some(block) => self.func.layout.next_block(block),
        };
        self.current = None;
        self.upcoming = self.block.and_then(|b| self.func.layout.first_inst(b));
        self.block
    }

    /// Goes to the next instruction of the block; `None` past the last.
    pub fn next_inst(&mut self) -> Option<Inst> {
        self.current = self.upcoming;
        self.upcoming = self.current.and_then(|i| self.func.layout.next_inst(i));
        self.current
    }

    /// Puts a new instruction before the current one and gives its result.
    pub fn insert(&mut self, data: InstData, ty: Type) -> (Inst, Option<Value>) {
        let inst = self.func.make_inst(data, ty);
        match (self.current, self.block) {
            (Some(current), _) => self.func.layout.insert_before(current, inst),
            (None, Some(block)) => self.func.layout.append_inst(block, inst),
            (None, None) => {}
        }
        (inst, self.func.result(inst))
    }

    /// Takes the current instruction out of the block; the walk goes on behind it.
    pub fn remove(&mut self) {
        if let Some(inst) = self.current.take() {
            self.func.layout.remove_inst(inst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::{BinaryOp, CastOp};
    use crate::{FuncId, FunctionBuilder, Signature};
    use alloc::vec;
    use alloc::vec::Vec;

    #[test]
    fn inserts_before_and_removes() {
        let mut func = Function::new();
        let mut b = FunctionBuilder::new(&mut func);
        b.begin(FuncId::from_u32(0), &Signature::new(vec![Type::I32], Type::I32));
        let block = b.create_block();
        b.switch_to_block(block);
        let x = b.func.params()[0];
        let twice = b.binary(BinaryOp::Add, x, x);
        b.ret(Some(twice));

        let mut cursor = Cursor::new(&mut func);
        cursor.next_block();
        cursor.next_inst();
        cursor.insert(InstData::Cast { op: CastOp::Zext, arg: x }, Type::I64);
        cursor.remove();
        assert!(cursor.next_inst().is_some());
        assert!(cursor.next_inst().is_none());
        assert!(cursor.next_block().is_none());
        let left: Vec<_> = func.block_insts(block).map(|i| *func.inst(i)).collect();
        assert!(matches!(left[0], InstData::Cast { .. }));
        assert!(matches!(left[1], InstData::Ret { .. }));
        assert_eq!(left.len(), 2);
    }
}
