//! The TYPE block: wire ids become interned structural types.
//!
//! Method: hash-consing. Two types are equal exactly when their [`TypeId`]s are. Pointers lose their pointee, so
//! that typed pointers (LLVM 14) and opaque ones are read alike, and identified structs compare by structure; what
//! then remains refers to smaller ids only, so types are acyclic and everything about them can be computed in the
//! order of ids without recursion (LLVM bitcode specification, section 5). Scalable vectors, target types and the
//! like are accepted here and refused where a value of them is used.

use alloc::boxed::Box;
use alloc::vec::Vec;

use cranelift_entity::{PrimaryMap, entity_impl};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::codes::{block, types as code};
use crate::bitstream::{BlockHeader, Reader, Record};
use crate::error::{Error, Result};

/// A structural type of one module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);
entity_impl!(TypeId, "type");

/// A run of `TypeTable::members`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeList {
    /// First member.
    pub start: u32,
    /// Number of members.
    pub len: u32,
}

/// What a type is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LlvmType {
    /// No value.
    Void,
    /// An integer of this many bits, 1 to 2^23.
    Int(u32),
    /// IEEE binary16.
    Half,
    /// bfloat16.
    BFloat,
    /// IEEE binary32.
    Float,
    /// IEEE binary64.
    Double,
    /// The 80-bit format of x87.
    X86Fp80,
    /// IEEE binary128.
    Fp128,
    /// Two doubles.
    PpcFp128,
    /// A basic block.
    Label,
    /// Metadata as a parameter.
    Metadata,
    /// A token.
    Token,
    /// An address in address space 0.
    Pointer,
    /// An address in another address space.
    SpacePointer(u32),
    /// `len` times `element`.
    Array {
        /// Type of an element.
        element: TypeId,
        /// How many; may be 0 or beyond 32 bits.
        len: u64,
    },
    /// A vector of a fixed number of lanes, at least 1.
    Vector {
        /// Type of a lane: integer, floating point or pointer.
        element: TypeId,
        /// How many.
        lanes: u32,
    },
    /// A struct with a body.
    Struct {
        /// Types of the members.
        members: TypeList,
        /// Whether members follow each other without padding.
        packed: bool,
    },
    /// A struct without a body.
    Opaque,
    /// A function.
    Function {
        /// Return type.
        ret: TypeId,
        /// Parameter types.
        params: TypeList,
        /// Whether more arguments may follow.
        variadic: bool,
    },
    /// Scalable vectors, target types, MMX and AMX: known, but nothing can be done with a value.
    Foreign(&'static str),
}

impl LlvmType {
    /// Whether a value of the type can be a lane.
    #[must_use]
    pub const fn is_scalar(self) -> bool {
        use LlvmType::*;
        matches!(
            self,
            Int(_) | Half | BFloat | Float | Double | X86Fp80 | Fp128 | PpcFp128 | Pointer | SpacePointer(_)
        )
    }

    /// Whether an array or struct can have a member of the type.
    const fn is_element(self) -> bool {
        use LlvmType::*;
        !matches!(self, Void | Label | Metadata | Token | Function { .. })
    }
}

/// The types of a module.
#[derive(Clone, Debug, Default)]
pub struct TypeTable {
    /// The interned type of each wire id.
    ids: Vec<TypeId>,
    types: PrimaryMap<TypeId, LlvmType>,
    members: Vec<TypeId>,
}

/// Widest integer of LLVM.
const MAX_INT_BITS: u64 = 1 << 23;

impl TypeTable {
    /// The type with wire id `id`.
    ///
    /// # Errors
    ///
    /// `L07`: there is none.
    #[inline]
    pub fn resolve(&self, id: u64) -> core::result::Result<TypeId, Error> {
        match usize::try_from(id).ok().and_then(|id| self.ids.get(id)) {
            Some(&ty) => Ok(ty),
            None => Err(Error::NoSuch { what: "type", index: id }),
        }
    }

    /// What `ty` is.
    #[inline]
    #[must_use]
    pub fn get(&self, ty: TypeId) -> LlvmType {
        self.types[ty]
    }

    /// The members of a struct or the parameters of a function.
    #[inline]
    #[must_use]
    pub fn list(&self, list: TypeList) -> &[TypeId] {
        &self.members[list.start as usize..][..list.len as usize]
    }

    /// Number of entries of all [`TypeList`]s.
    #[must_use]
    pub fn num_members(&self) -> usize {
        self.members.len()
    }

    /// All types; what a type refers to comes before it.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (TypeId, LlvmType)> + '_ {
        self.types.iter().map(|(id, &ty)| (id, ty))
    }

    /// Number of wire ids.
    #[must_use]
    pub fn num_wire_ids(&self) -> usize {
        self.ids.len()
    }

    /// The interned type that is `ty`, if the module has it. A linear search: for types that a module has early.
    #[must_use]
    pub fn find(&self, ty: LlvmType) -> Option<TypeId> {
        self.types.iter().find(|&(_, &t)| t == ty).map(|(id, _)| id)
    }

    /// The types of a function type.
    #[must_use]
    pub fn function(&self, ty: TypeId) -> Option<(TypeId, &[TypeId])> {
        match self.types[ty] {
            LlvmType::Function { ret, params, .. } => Some((ret, self.list(params))),
            _ => None,
        }
    }

    /// The type of element or member `index` of an aggregate or vector.
    #[must_use]
    pub fn member(&self, ty: TypeId, index: u64) -> Option<TypeId> {
        match self.types[ty] {
            LlvmType::Array { element, len } => (index < len).then_some(element),
            LlvmType::Vector { element, lanes } => (index < u64::from(lanes)).then_some(element),
            LlvmType::Struct { members, .. } => self.list(members).get(usize::try_from(index).ok()?).copied(),
            _ => None,
        }
    }

    /// Number of elements or members of an aggregate or vector, 0 for all else.
    #[must_use]
    pub fn member_count(&self, ty: TypeId) -> u64 {
        match self.types[ty] {
            LlvmType::Array { len, .. } => len,
            LlvmType::Vector { lanes, .. } => lanes.into(),
            LlvmType::Struct { members, .. } => members.len.into(),
            _ => 0,
        }
    }
}

/// Reads the TYPE block that `reader` has just passed over.
///
/// # Errors
///
/// `T01`, `T02`, `T05`, `M01` to `M03`, `L08` and `L09`.
pub fn read(reader: &mut Reader<'_>, header: &BlockHeader, record: &mut Record) -> Result<TypeTable> {
    reader.enter(header);
    let mut builder = Builder::default();
    while reader.next_in_leaf(record)? {
        builder.record(record).map_err(|error| reader.record_error(error, record))?;
    }
    let found = builder.table.ids.len() as u64;
    match builder.declared {
        None => return Err(reader.error(Error::TypeCountFirst)),
        Some(declared) if declared != found => return Err(reader.error(Error::TypeCount { declared, found })),
        Some(_) => {}
    }
    if let Some((ty, refers)) = builder.farthest.filter(|&(_, refers)| refers >= found) {
        return Err(reader.error(Error::UndefinedType { ty, refers }));
    }
    Ok(builder.table)
}

#[derive(Default)]
struct Builder {
    table: TypeTable,
    declared: Option<u64>,
    /// The type that a key (kind, numbers and members) stands for.
    interned: IndexMap<Box<[u64]>, TypeId, FxBuildHasher>,
    /// The key of the current type.
    key: Vec<u64>,
    /// The pointer that refers farthest ahead: its id and its pointee.
    farthest: Option<(u64, u64)>,
}

impl Builder {
    fn record(&mut self, record: &Record) -> core::result::Result<(), Error> {
        let ops = &record.ops[..];
        let id = self.table.ids.len() as u64;
        let shape = |name: &'static str, expected: &'static str| {
            Err(Error::OperandCount { record: name, found: ops.len(), expected })
        };
        if record.code == code::NUMENTRY {
            let &[count] = ops else { return shape("NUMENTRY", "1") };
            return if self.declared.replace(count).is_some() { Err(Error::TypeCountFirst) } else { Ok(()) };
        }
        let Some(declared) = self.declared else { return Err(Error::TypeCountFirst) };
        if record.code == code::STRUCT_NAME {
            return Ok(());
        }
        if id >= declared {
            return Err(Error::TypeCount { declared, found: id + 1 });
        }
        use LlvmType::*;
        let simple = match record.code {
            code::VOID => Some(Void),
            code::FLOAT => Some(Float),
            code::DOUBLE => Some(Double),
            code::LABEL => Some(Label),
            code::HALF => Some(Half),
            code::BFLOAT => Some(BFloat),
            code::X86_FP80 => Some(X86Fp80),
            code::FP128 => Some(Fp128),
            code::PPC_FP128 => Some(PpcFp128),
            code::METADATA => Some(Metadata),
            code::TOKEN => Some(Token),
            code::X86_MMX => Some(Foreign("x86_mmx")),
            code::X86_AMX => Some(Foreign("x86_amx")),
            _ => None,
        };
        self.key.clear();
        self.key.push(record.code.into());
        let ty = match (simple, record.code, ops) {
            (Some(ty), _, []) => ty,
            (Some(_), ..) => return shape("of a simple type", "0"),
            (_, code::INTEGER, &[width]) => match width {
                1..=MAX_INT_BITS => self.keyed(width, Int(width as u32)),
                _ => return Err(Error::FieldValue { field: "the width of an integer", value: width }),
            },
            (_, code::INTEGER, _) => return shape("INTEGER", "1"),
            (_, code::OPAQUE, &[_]) => Opaque,
            (_, code::OPAQUE, _) => return shape("OPAQUE", "1"),
            (_, code::OPAQUE_POINTER, &[space]) => self.pointer(space)?,
            (_, code::OPAQUE_POINTER, _) => return shape("OPAQUE_POINTER", "1"),
            (_, code::POINTER, &[pointee, space]) => {
                if self.farthest.is_none_or(|(_, refers)| pointee > refers) {
                    self.farthest = Some((id, pointee));
                }
                self.pointer(space)?
            }
            (_, code::POINTER, _) => return shape("POINTER", "2"),
            (_, code::ARRAY, &[len, element]) => {
                let element = self.element(element, LlvmType::is_element, "an element type")?;
                self.keyed(len, Array { element, len })
            }
            (_, code::ARRAY, _) => return shape("ARRAY", "2"),
            (_, code::VECTOR, &[lanes, element] | &[lanes, element, 0]) => {
                let element = self.element(element, LlvmType::is_scalar, "a lane type")?;
                match u32::try_from(lanes) {
                    Ok(lanes @ 1..) => self.keyed(lanes.into(), Vector { element, lanes }),
                    _ => return Err(Error::FieldValue { field: "the number of lanes", value: lanes }),
                }
            }
            (_, code::VECTOR, &[_, _, 1]) => Foreign("a scalable vector"),
            (_, code::VECTOR, &[_, _, scalable]) => {
                return Err(Error::FieldValue { field: "the scalable flag", value: scalable });
            }
            (_, code::VECTOR, _) => return shape("VECTOR", "2 or 3"),
            (_, code::STRUCT_ANON | code::STRUCT_NAMED, &[packed, ref members @ ..]) => {
                self.key[0] = code::STRUCT_ANON.into();
                let packed = flag("the packed flag", packed)?;
                let members = self.list(members, LlvmType::is_element, "a member type")?;
                self.keyed(packed.into(), Struct { members, packed })
            }
            (_, code::STRUCT_ANON | code::STRUCT_NAMED, _) => return shape("STRUCT", "1 or more"),
            (_, code::FUNCTION, &[variadic, ret, ref params @ ..]) => {
                let variadic = flag("the variadic flag", variadic)?;
                let is_result = |ty| !matches!(ty, Label | Metadata | Function { .. });
                let ret = self.element(ret, is_result, "a return type")?;
                let is_param = |ty| !matches!(ty, Void | Function { .. });
                let params = self.list(params, is_param, "a parameter type")?;
                self.keyed(variadic.into(), Function { ret, params, variadic })
            }
            (_, code::FUNCTION, _) => return shape("FUNCTION", "2 or more"),
            (_, code::TARGET_TYPE, _) => Foreign("a target type"),
            (_, code, _) => return Err(Error::UnknownRecord { code, block: block::TYPE }),
        };
        self.intern(ty);
        Ok(())
    }

    /// `ty`, of which `number` is a part that tells it from others.
    fn keyed(&mut self, number: u64, ty: LlvmType) -> LlvmType {
        self.key.push(number);
        ty
    }

    fn pointer(&mut self, space: u64) -> core::result::Result<LlvmType, Error> {
        self.key[0] = code::OPAQUE_POINTER.into();
        match u32::try_from(space) {
            Ok(0) => Ok(LlvmType::Pointer),
            Ok(space @ ..0x0100_0000) => Ok(self.keyed(space.into(), LlvmType::SpacePointer(space))),
            _ => Err(Error::FieldValue { field: "an address space", value: space }),
        }
    }

    /// A type that the current one refers to.
    fn element(
        &mut self,
        refers: u64,
        is_legal: impl Fn(LlvmType) -> bool,
        expected: &'static str,
    ) -> core::result::Result<TypeId, Error> {
        let Ok(element) = self.table.resolve(refers) else {
            return Err(Error::UndefinedType { ty: self.table.ids.len() as u64, refers });
        };
        if !is_legal(self.table.types[element]) {
            return Err(Error::TypeClass { ty: refers, expected });
        }
        self.key.push(element.as_u32().into());
        Ok(element)
    }

    /// Members of the current type, which stay in the table if the type is new.
    fn list(
        &mut self,
        members: &[u64],
        is_legal: impl Fn(LlvmType) -> bool,
        expected: &'static str,
    ) -> core::result::Result<TypeList, Error> {
        let start = self.table.members.len() as u32;
        for &member in members {
            let member = self.element(member, &is_legal, expected)?;
            self.table.members.push(member);
        }
        Ok(TypeList { start, len: members.len() as u32 })
    }

    /// Gives the next wire id to `ty`, whose key is complete.
    fn intern(&mut self, ty: LlvmType) {
        use LlvmType::{Foreign, Function, Opaque, Struct};
        // What cannot be told apart by a key is only equal to itself.
        let is_unique = matches!(ty, Opaque | Foreign(_));
        let id = match self.interned.get(&self.key[..]) {
            Some(&known) if !is_unique => {
                if let Struct { members, .. } | Function { params: members, .. } = ty {
                    self.table.members.truncate(members.start as usize);
                }
                known
            }
            _ => {
                let id = self.table.types.push(ty);
                if !is_unique {
                    self.interned.insert(self.key.clone().into_boxed_slice(), id);
                }
                id
            }
        };
        self.table.ids.push(id);
    }
}

/// A flag of a record.
pub(in crate::llvm) fn flag(field: &'static str, value: u64) -> core::result::Result<bool, Error> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        value => Err(Error::FieldValue { field, value }),
    }
}

#[cfg(test)]
pub(in crate::llvm) mod tests {
    use super::*;
    use crate::bitstream::{Dialect, Entry, Writer};

    /// The table that these records make, behind a count of `declared`.
    pub fn table(declared: u64, records: &[(u32, &[u64])]) -> Result<TypeTable> {
        let mut w = Writer::new(&[]);
        w.enter(block::TYPE, 4);
        w.record(code::NUMENTRY, &[declared]);
        records.iter().for_each(|&(code, ops)| w.record(code, ops));
        let bytes = w.finish();
        let mut reader = Reader::new(&bytes, 0, Dialect::Llvm);
        let mut record = Record::default();
        let Entry::Block(header) = reader.next(&mut record)? else { unreachable!("a block was written") };
        read(&mut reader, &header, &mut record)
    }

    #[test]
    fn equal_types_have_equal_ids() {
        let table = table(
            10,
            &[
                (code::INTEGER, &[32]),
                (code::POINTER, &[0, 0]),
                (code::POINTER, &[9, 0]),
                (code::OPAQUE_POINTER, &[0]),
                (code::STRUCT_ANON, &[0, 0, 1]),
                (code::STRUCT_NAME, &[65]),
                (code::STRUCT_NAMED, &[0, 0, 2]),
                (code::STRUCT_NAMED, &[1, 0, 2]),
                (code::FUNCTION, &[0, 0, 3, 4]),
                (code::FUNCTION, &[1, 0, 1, 6]),
                (code::OPAQUE, &[0]),
            ],
        )
        .expect("legal");
        let id = |wire| table.resolve(wire).expect("exists");
        assert_eq!((id(1), id(1)), (id(2), id(3)));
        assert_eq!(id(4), id(5));
        assert_ne!(id(4), id(6));
        assert_ne!(id(7), id(8));
        assert_eq!(table.function(id(7)), Some((id(0), &[id(1), id(4)][..])));
        assert_eq!(table.num_members(), 2 + 2 + 2 + 2);
        assert_eq!(table.resolve(10), Err(Error::NoSuch { what: "type", index: 10 }));
    }

    #[test]
    fn bad_types_are_refused() {
        let code = |declared, records: &[(u32, &[u64])]| {
            table(declared, records).map_or_else(|e| e.error.code(), |_| "ok")
        };
        assert_eq!(code(0, &[]), "ok");
        assert_eq!(code(1, &[]), "T02");
        assert_eq!(code(0, &[(code::VOID, &[])]), "T02");
        assert_eq!(code(0, &[(code::NUMENTRY, &[1])]), "T01");
        assert_eq!(code(1, &[(code::POINTER, &[1, 0])]), "T05");
        assert_eq!(code(1, &[(code::ARRAY, &[1, 0])]), "T05");
        assert_eq!(code(1, &[(code::INTEGER, &[0])]), "L09");
        assert_eq!(code(1, &[(code::INTEGER, &[(1 << 23) + 1])]), "L09");
        assert_eq!(code(1, &[(code::INTEGER, &[])]), "M03");
        assert_eq!(code(1, &[(code::VOID, &[1])]), "M03");
        assert_eq!(code(1, &[(9, &[])]), "M02");
        assert_eq!(code(2, &[(code::VOID, &[]), (code::ARRAY, &[1, 0])]), "L08");
        assert_eq!(code(2, &[(code::FLOAT, &[]), (code::VECTOR, &[0, 0])]), "L09");
        assert_eq!(code(2, &[(code::FLOAT, &[]), (code::STRUCT_ANON, &[2, 0])]), "L09");
        assert_eq!(code(2, &[(code::FLOAT, &[]), (code::FUNCTION, &[0, 0, 1])]), "T05");
    }
}
