//! Values and the objects they refer to. What reads and writes memory by address is here and in [`trace`](crate::trace).
//!
//! A value is two words: what it is, and a number, the bits of a float, or the address of an object. Machine code reads and
//! writes both, so that the layout is fixed. Objects belong to a [`Heap`] and live as long: nothing is collected, and a
//! program that needs more than [`MOST_BYTES`] ends with an error.
//!
//! # Why the `unsafe` code is right
//!
//! A value with the tag of an object is made here only, from an object of the heap; all others are copies. Values never
//! leave the machine that owns the heap, so that the object is there. No Rust reference to an object outlives the method
//! that makes it, and one thread runs: what machine code writes it writes between such methods.

#![allow(unsafe_code)]

use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr::slice_from_raw_parts_mut;

/// Bytes of objects that a program may have.
pub const MOST_BYTES: u64 = 2 << 30;

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u64)]
pub enum Tag {
    /// Nothing.
    Nil,
    /// 0 or 1.
    Bool,
    /// A signed number of 64 bits; arithmetic wraps.
    Int,
    /// The bits of an IEEE double.
    Float,
    /// The address of a [`Text`].
    Text,
    /// The address of an [`Array`].
    Array,
    /// The address of a [`Closure`].
    Closure,
    /// The address of a variable that closures share. Programs never see one.
    Cell,
}

/// A value.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Value {
    /// What it is.
    pub tag: Tag,
    /// Number, bits or address.
    pub payload: u64,
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({:#x})", self.tag, self.payload)
    }
}

/// A string of bytes; never changed.
#[repr(C)]
#[derive(Debug)]
pub struct Text {
    data: *const u8,
    len: u64,
    bytes: Box<[u8]>,
}

/// An array. Machine code reads `data` and `len`, and makes `len` less.
#[repr(C)]
#[derive(Debug)]
pub struct Array {
    data: *mut Value,
    len: u64,
    capacity: u64,
}

/// A variable that closures share.
#[repr(C)]
#[derive(Debug)]
pub struct Cell {
    value: Value,
}

/// A function with the addresses of the cells that it has taken.
#[repr(C)]
#[derive(Debug)]
pub struct Closure {
    function: u64,
    cells: *mut u64,
    count: u64,
}

/// Where machine code finds parts of objects, in bytes.
pub mod layout {
    use super::{Array, Cell, Closure, Text, Value};
    use std::mem::offset_of;

    /// Bytes of a value.
    pub const VALUE: i32 = size_of::<Value>() as i32;
    /// The tag of a value.
    pub const TAG: i32 = offset_of!(Value, tag) as i32;
    /// The payload of a value.
    pub const PAYLOAD: i32 = offset_of!(Value, payload) as i32;
    /// The address of the bytes of a string.
    pub const TEXT_DATA: i32 = offset_of!(Text, data) as i32;
    /// Their number.
    pub const TEXT_LEN: i32 = offset_of!(Text, len) as i32;
    /// The address of the elements of an array.
    pub const ARRAY_DATA: i32 = offset_of!(Array, data) as i32;
    /// Their number.
    pub const ARRAY_LEN: i32 = offset_of!(Array, len) as i32;
    /// The value of a cell.
    pub const CELL: i32 = offset_of!(Cell, value) as i32;
    /// Number of the function of a closure.
    pub const FUNCTION: i32 = offset_of!(Closure, function) as i32;
    /// The address of the addresses of its cells.
    pub const CELLS: i32 = offset_of!(Closure, cells) as i32;
}

/// No more memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

/// The objects of a program.
#[derive(Debug, Default)]
pub struct Heap {
    texts: Vec<*mut Text>,
    arrays: Vec<*mut Array>,
    cells: Vec<*mut Cell>,
    closures: Vec<*mut Closure>,
    /// Bytes given out.
    used: u64,
}

impl Value {
    /// Nothing.
    pub const NIL: Value = Value { tag: Tag::Nil, payload: 0 };

    /// A truth value.
    pub const fn bool(value: bool) -> Value {
        Value { tag: Tag::Bool, payload: value as u64 }
    }

    /// An integer.
    pub const fn int(value: i64) -> Value {
        Value { tag: Tag::Int, payload: value as u64 }
    }

    /// A float.
    pub const fn float(value: f64) -> Value {
        Value { tag: Tag::Float, payload: value.to_bits() }
    }

    /// Everything but `nil` and `false` is true.
    #[inline(always)]
    pub fn is_true(self) -> bool {
        match self.tag {
            Tag::Nil => false,
            Tag::Bool => self.payload != 0,
            _ => true,
        }
    }

    /// The number of an integer or float.
    #[inline(always)]
    pub fn number(self) -> Option<f64> {
        match self.tag {
            Tag::Int => Some(self.payload as i64 as f64),
            Tag::Float => Some(f64::from_bits(self.payload)),
            _ => None,
        }
    }

    /// The bytes of a string.
    pub fn text(&self) -> Option<&[u8]> {
        // SAFETY: see above.
        (self.tag == Tag::Text).then(|| unsafe { &*(self.payload as *const Text) }.bytes.as_ref())
    }

    /// The function of a closure.
    #[inline(always)]
    pub fn function(self) -> Option<u64> {
        // SAFETY: see above.
        (self.tag == Tag::Closure).then(|| unsafe { (*(self.payload as *const Closure)).function })
    }

    /// A cell that a closure has taken.
    #[inline(always)]
    pub fn captured(self, index: u8) -> Option<Value> {
        if self.tag != Tag::Closure {
            return None;
        }
        let closure = self.payload as *const Closure;
        // SAFETY: see above; the index is compared with the number of cells.
        unsafe {
            if u64::from(index) >= (*closure).count {
                return None;
            }
            Some(Value { tag: Tag::Cell, payload: *(*closure).cells.add(index as usize) })
        }
    }

    /// What is in a cell.
    #[inline(always)]
    pub fn in_cell(self) -> Option<Value> {
        // SAFETY: see above.
        (self.tag == Tag::Cell).then(|| unsafe { (*(self.payload as *const Cell)).value })
    }

    /// Puts a value into a cell. Says whether this is one.
    #[inline(always)]
    pub fn set_cell(self, value: Value) -> bool {
        if self.tag == Tag::Cell {
            // SAFETY: see above.
            unsafe { (*(self.payload as *mut Cell)).value = value };
        }
        self.tag == Tag::Cell
    }

    /// Number of elements of an array.
    #[inline(always)]
    pub fn array_len(self) -> Option<u64> {
        // SAFETY: see above.
        (self.tag == Tag::Array).then(|| unsafe { (*(self.payload as *const Array)).len })
    }

    /// An element of an array; none for other values and indices.
    #[inline(always)]
    pub fn element(self, index: i64) -> Option<Value> {
        if index as u64 >= self.array_len()? {
            return None;
        }
        // SAFETY: see above; the index is below the number of elements, all of which are values.
        Some(unsafe { *(*(self.payload as *const Array)).data.add(index as usize) })
    }

    /// Changes an element of an array. Says whether there is one.
    #[inline(always)]
    pub fn set_element(self, index: i64, value: Value) -> bool {
        let is_there = self.array_len().is_some_and(|len| (index as u64) < len);
        if is_there {
            // SAFETY: see above; the index is below the number of elements.
            unsafe { *(*(self.payload as *mut Array)).data.add(index as usize) = value };
        }
        is_there
    }

    /// Takes the last element from an array.
    pub fn pop(self) -> Option<Value> {
        let last = self.array_len()?.checked_sub(1)?;
        let value = self.element(last as i64);
        // SAFETY: see above.
        unsafe { (*(self.payload as *mut Array)).len = last };
        value
    }
}

impl Heap {
    fn use_bytes(&mut self, bytes: u64) -> Result<(), Full> {
        let used = self.used.checked_add(bytes).filter(|&used| used <= MOST_BYTES).ok_or(Full)?;
        self.used = used;
        Ok(())
    }

    /// A string.
    pub fn make_text(&mut self, bytes: &[u8]) -> Result<Value, Full> {
        self.use_bytes(bytes.len() as u64 + size_of::<Text>() as u64)?;
        let bytes: Box<[u8]> = bytes.into();
        let text = Text { data: bytes.as_ptr(), len: bytes.len() as u64, bytes };
        Ok(Value { tag: Tag::Text, payload: keep(&mut self.texts, text) })
    }

    /// An array of `len` times `value`.
    pub fn make_array(&mut self, len: u64, value: Value) -> Result<Value, Full> {
        let size = len.checked_mul(size_of::<Value>() as u64).ok_or(Full)?;
        self.use_bytes(size + size_of::<Array>() as u64)?;
        let mut elements = ManuallyDrop::new(vec![value; len as usize]);
        let (data, capacity) = (elements.as_mut_ptr(), elements.capacity() as u64);
        Ok(Value { tag: Tag::Array, payload: keep(&mut self.arrays, Array { data, len, capacity }) })
    }

    /// Appends to an array; false if it is none.
    pub fn push(&mut self, array: Value, value: Value) -> Result<bool, Full> {
        if array.tag != Tag::Array {
            return Ok(false);
        }
        let array = array.payload as *mut Array;
        // SAFETY: see above; the three parts are those of a vector, which is put together again for a moment.
        unsafe {
            if (*array).len == (*array).capacity {
                self.use_bytes(((*array).capacity + 4) * size_of::<Value>() as u64)?;
            }
            let Array { data, len, capacity } = *array;
            let vector = Vec::from_raw_parts(data, len as usize, capacity as usize);
            let mut vector = ManuallyDrop::new(vector);
            vector.push(value);
            (*array).data = vector.as_mut_ptr();
            (*array).len = vector.len() as u64;
            (*array).capacity = vector.capacity() as u64;
        }
        Ok(true)
    }

    /// A cell.
    pub fn make_cell(&mut self, value: Value) -> Result<Value, Full> {
        self.use_bytes(size_of::<Cell>() as u64)?;
        Ok(Value { tag: Tag::Cell, payload: keep(&mut self.cells, Cell { value }) })
    }

    /// A closure with these cells, each by its address.
    pub fn make_closure(&mut self, function: u64, cells: Vec<u64>) -> Result<Value, Full> {
        self.use_bytes((size_of::<Closure>() + cells.len() * 8) as u64)?;
        let mut cells = ManuallyDrop::new(cells.into_boxed_slice());
        let closure = Closure { function, cells: cells.as_mut_ptr(), count: cells.len() as u64 };
        Ok(Value { tag: Tag::Closure, payload: keep(&mut self.closures, closure) })
    }
}

/// Gives an object a place of its own, which the list owns; says its address.
fn keep<T>(list: &mut Vec<*mut T>, object: T) -> u64 {
    let place = Box::into_raw(Box::new(object));
    list.push(place);
    place.expose_provenance() as u64
}

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: the lists own what `keep` has made, and nothing else frees it; the parts of arrays and closures are those
        // of a vector and a slice.
        unsafe {
            self.texts.drain(..).for_each(|text| drop(Box::from_raw(text)));
            self.cells.drain(..).for_each(|cell| drop(Box::from_raw(cell)));
            for array in self.arrays.drain(..) {
                let Array { data, len, capacity } = *Box::from_raw(array);
                drop(Vec::from_raw_parts(data, len as usize, capacity as usize));
            }
            for closure in self.closures.drain(..) {
                let Closure { cells, count, .. } = *Box::from_raw(closure);
                drop(Box::from_raw(slice_from_raw_parts_mut(cells, count as usize)));
            }
        }
    }
}
