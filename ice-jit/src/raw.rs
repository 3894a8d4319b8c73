//! What no compiler checks: memory of the process, and addresses in it as functions. All `unsafe` code of the crate.
//!
//! # The argument
//!
//! **Mappings.** A [`Mapping`] is one range of addresses of this process in three parts, which only it unmaps, when it is
//! dropped. Code and constants are pages of a file in memory that is mapped twice: executable or readable where they are
//! used, writable at another place, so that no address is ever writable and executable, and writing takes nothing away
//! from threads that run code beside. Variables are private pages.
//!
//! **What is written.** No Rust reference to mapped memory is ever made: it is copied to and stored to through raw
//! pointers, which each method has compared with the sizes of the parts. So neither aliasing nor lifetimes are at stake,
//! only who writes while somebody reads. [`Mapping::write`] and [`Mapping::clear`] go to ranges that the caller has taken
//! from a [`Space`](crate::space::Space) and has told nobody of; generated code that would read them is entered through
//! what [`LoadedModule::get`] gives, after they were written.
//!
//! **Cells.** Code that may change its target jumps through a cell, an aligned word among the variables, which processors
//! read whole: a thread that calls while another one stores goes to the old target or to the new one, and both are
//! complete functions. No instruction is ever changed. The store releases what was written before it, the code at the new
//! target among it; a load that gives the address is ordered before the instructions that are fetched there, because they
//! are fetched after it.
//!
//! **What is executed.** Generated code is code in a foreign language: that it keeps to its types, ends, and touches
//! nothing of ours is promised by who calls `get`. This crate answers for the bytes being those that the code generator
//! made, with fields as the linker has written them; for their address, from the symbol of the name; and for the type,
//! which is compared with that of the function in the IR.
//!
//! **Tables for unwinding.** The unwinder of the process reads the tables that it was told of until it is told to forget
//! them. They are bytes among the constants, written by `ice-elf` and ended by an entry of no length, and stay mapped and
//! unchanged as long as [`Registered`] is there: it is dropped before the block whose constants they are. That they are
//! true of the code is tested at every instruction (`ice-driver/tests/unwind`).
//!
//! **Thread-local variables.** A control is a constant of a module, which `thread_local` has written in the form of
//! [`Control`], and whose only users are calls of [`thread_copy`]. A copy is memory of its thread alone, of the size and
//! alignment that the control says, and of the first contents, which are constants of the same module. It is freed by its
//! thread: when that ends, or when the module has gone, after which none of its functions may run.
//!
//! **What processors have cached.** New code at addresses that held none before is seen by all threads that learn of
//! them, as the addresses pass through a lock. Where code was before, every thread of the process goes through a barrier
//! that throws away what it has decoded (`membarrier`, Intel's manual, volume 3, 9.1.3: cross-modifying code); where caches
//! are separate, on ARM and AArch64, they are cleaned first. Emulators that run code of these machines translate it, and
//! notice stores at the addresses that they have translated, not at others of the same memory: there the pages are mapped
//! anew at their place first. The system makes threads that run in these pages wait meanwhile, and they go on in the same
//! bytes.
//!
//! **Debuggers.** A debugger reads a list of objects at the address of a symbol, while the process stands still in a
//! function that does nothing. The list is changed under a lock, and an entry is taken out before it goes. The symbols
//! are weak, so that other code generators in the process have the same list; their changes at the same moment as ours are
//! not guarded against, which is the interface's.

#![allow(unsafe_code)]

use crate::error::Error;
use crate::jit::LoadedModule;
use crate::lazy::Lazy;
use crate::memory::lock;
use crate::signature::Callable;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::ffi::{CString, c_void};
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A part of a mapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Executable.
    Code,
    /// Readable.
    Constants,
    /// Writable.
    Data,
}

/// Number of parts.
pub(crate) const PARTS: usize = 3;

/// Where a mapping may be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Reach {
    /// Anywhere.
    All,
    /// Below 2 GiB, where addresses of 32 bits are.
    Low,
}

/// The first addresses that are tried for low mappings, how far the next ones are, and where they end.
const LOW: (usize, usize, usize) = (0x1000_0000, 0x0100_0000, 0x7000_0000);

/// Memory for code, constants and data, near each other.
#[derive(Debug)]
pub(crate) struct Mapping {
    base: *mut c_void,
    /// Code and constants, writable.
    alias: *mut c_void,
    sizes: [usize; PARTS],
    /// Code and constants.
    file: OwnedFd,
}

// SAFETY: the addresses belong to the process, not to a thread; see above for who writes.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps memory; the sizes are multiples of the page size.
    ///
    /// # Errors
    /// Those of the system.
    pub(crate) fn new(sizes: [usize; PARTS], reach: Reach) -> io::Result<Mapping> {
        let [code, constants, data] = sizes;
        let total = code + constants + data;
        let file = memfd_create("ice-jit", MemfdFlags::CLOEXEC)?;
        ftruncate(&file, (code + constants) as u64)?;
        let base = match reach {
            Reach::Low if cfg!(target_pointer_width = "64") => reserve_low(total)?,
            _ => reserve(total, |base| is_unwound(base.addr(), code))?,
        };
        // From here on the reservation is given back on every way out.
        let mut mapping = Mapping { base, alias: null_mut(), sizes, file };
        let (read, write) = (ProtFlags::READ, ProtFlags::READ | ProtFlags::WRITE);
        mapping.place(0..code, read | ProtFlags::EXEC)?;
        mapping.place(code..code + constants, read)?;
        let flags = MapFlags::PRIVATE | MapFlags::FIXED | MapFlags::NORESERVE;
        // SAFETY: the range is the end of the reservation, which is ours and in use by nobody.
        unsafe { mmap_anonymous(mapping.address(Part::Data), data, write, flags) }?;
        // SAFETY: a mapping at a place of the system's choice touches nothing that exists.
        mapping.alias =
            unsafe { mmap(null_mut(), code + constants, write, MapFlags::SHARED, mapping.file.as_fd(), 0) }?;
        Ok(mapping)
    }

    /// Maps a range of the file at its place in the reservation.
    fn place(&self, range: Range<usize>, protection: ProtFlags) -> io::Result<()> {
        let at = self.base.wrapping_byte_add(range.start);
        let flags = MapFlags::SHARED | MapFlags::FIXED;
        // SAFETY: the range is a part of the reservation, which is ours, and is in use by nobody or holds the same pages of
        // the file with the same protection.
        unsafe { mmap(at, range.len(), protection, flags, self.file.as_fd(), range.start as u64) }?;
        Ok(())
    }

    /// Where a part is used.
    pub(crate) fn address(&self, part: Part) -> *mut c_void {
        self.base.wrapping_byte_add(self.sizes[..part as usize].iter().sum())
    }

    /// Where a range of a part is written.
    fn writable(&self, part: Part, offset: usize, len: usize) -> *mut u8 {
        let end = offset.checked_add(len);
        assert!(end.is_some_and(|end| end <= self.sizes[part as usize]), "the range is in the part");
        let start = match part {
            Part::Code => self.alias,
            Part::Constants => self.alias.wrapping_byte_add(self.sizes[0]),
            Part::Data => self.address(part),
        };
        start.wrapping_byte_add(offset).cast()
    }

    /// Writes bytes that nobody runs or reads.
    pub(crate) fn write(&self, part: Part, offset: usize, bytes: &[u8]) {
        let to = self.writable(part, offset, bytes.len());
        // SAFETY: the range is mapped writable, as was compared; no Rust value is in it.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    /// Writes zeros to variables that nobody reads.
    pub(crate) fn clear(&self, range: Range<usize>) {
        let to = self.writable(Part::Data, range.start, range.len());
        // SAFETY: the range is mapped writable, as was compared; no Rust value is in it.
        unsafe { to.write_bytes(0, range.len()) };
    }

    /// Changes a cell: an aligned word among the variables, which generated code jumps through.
    pub(crate) fn store(&self, offset: usize, address: usize) {
        assert!(offset.is_multiple_of(size_of::<usize>()), "cells are aligned");
        let to = self.writable(Part::Data, offset, size_of::<usize>()).cast::<usize>();
        // SAFETY: the word is mapped writable, as was compared, and aligned, as parts begin with pages; after it was made
        // it is only changed here.
        unsafe { AtomicUsize::from_ptr(to) }.store(address, Ordering::Release);
    }

    /// Lets the unwinder of the process know of the tables at an offset among the constants.
    ///
    /// # Errors
    /// The process has none.
    pub(crate) fn register_frames(&self, offset: usize) -> Result<Registered, Error> {
        let [register, deregister] = UNWINDER.map(|name| process_symbol(name.as_bytes()));
        let (Some(register), Some(deregister)) = (register, deregister) else {
            return Err(Error::Unresolved(UNWINDER.map(str::to_owned).to_vec()));
        };
        let tables: *const c_void = self.address(Part::Constants).wrapping_byte_add(offset);
        let register: *const c_void = std::ptr::with_exposed_provenance(register);
        // SAFETY: libgcc and libunwind give these names to functions of this type, and the tables are as said above.
        unsafe { std::mem::transmute::<*const c_void, Unwinder>(register)(tables) };
        Ok(Registered { tables: tables.expose_provenance(), deregister })
    }

    /// Makes code that was written what processors run; `is_reused` where other code was there before.
    ///
    /// # Errors
    /// The system lacks the barrier.
    pub(crate) fn publish(&self, range: Range<usize>, is_reused: bool) -> io::Result<()> {
        if is_reused && cfg!(any(target_arch = "arm", target_arch = "aarch64")) {
            let page = rustix::param::page_size();
            let pages = range.start / page * page..range.end.next_multiple_of(page);
            self.place(pages, ProtFlags::READ | ProtFlags::EXEC)?;
        }
        clean_caches(self.address(Part::Code).wrapping_byte_add(range.start), range.len());
        if is_reused { synchronize_cores() } else { Ok(()) }
    }
}

/// Functions of libgcc, and of what takes its place, which take the address of tables.
const UNWINDER: [&str; 2] = ["__register_frame", "__deregister_frame"];

type Unwinder = unsafe extern "C" fn(*const c_void);

/// Tables for unwinding that the process knows of.
#[derive(Debug)]
pub(crate) struct Registered {
    tables: usize,
    deregister: usize,
}

impl Drop for Registered {
    fn drop(&mut self) {
        let deregister: *const c_void = std::ptr::with_exposed_provenance(self.deregister);
        let tables = std::ptr::with_exposed_provenance(self.tables);
        // SAFETY: the type is that of the function of this name, and the tables were registered, once.
        unsafe { std::mem::transmute::<*const c_void, Unwinder>(deregister)(tables) };
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // Nothing can be done about an error, and there is none for mappings that exist.
        // SAFETY: both ranges were mapped by `new` and are known to nobody else: blocks hold the mapping.
        let _ = unsafe { munmap(self.base, self.sizes.iter().sum()) };
        if !self.alias.is_null() {
            // SAFETY: as above.
            let _ = unsafe { munmap(self.alias, self.sizes[0] + self.sizes[1]) };
        }
    }
}

/// A mapping of the beginning of a file that says to `perf` that there is one.
pub(crate) struct Marker(*mut c_void, usize);

// SAFETY: the address belongs to the process, and nobody reads there.
unsafe impl Send for Marker {}
// SAFETY: as above.
unsafe impl Sync for Marker {}

impl Marker {
    /// Maps a page of a file that is not empty as code.
    ///
    /// # Errors
    /// Those of the system.
    pub(crate) fn new(file: &std::fs::File) -> io::Result<Marker> {
        let (size, flags) = (rustix::param::page_size(), MapFlags::PRIVATE);
        // SAFETY: a mapping at a place of the system's choice touches nothing that exists.
        let at =
            unsafe { mmap(null_mut(), size, ProtFlags::READ | ProtFlags::EXEC, flags, file.as_fd(), 0) }?;
        Ok(Marker(at, size))
    }
}

impl Drop for Marker {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `new` and is known to nobody else.
        let _ = unsafe { munmap(self.0, self.1) };
    }
}

/// An object of the list for debuggers (gdb's manual, “JIT Compilation Interface”).
#[repr(C)]
struct DebugEntry {
    next: *mut DebugEntry,
    previous: *mut DebugEntry,
    object: *const u8,
    size: u64,
}

/// The list.
#[repr(C)]
struct DebugList {
    version: u32,
    /// What is being done: nothing, 1 an object comes, 2 one goes.
    action: u32,
    changed: *mut DebugEntry,
    first: *mut DebugEntry,
}

std::arch::global_asm!(
    ".pushsection .text",
    ".balign 4",
    ".weak __jit_debug_register_code",
    ".type __jit_debug_register_code, %function",
    "__jit_debug_register_code:",
    #[cfg(target_arch = "arm")]
    "bx lr",
    #[cfg(not(target_arch = "arm"))]
    "ret",
    ".size __jit_debug_register_code, . - __jit_debug_register_code",
    ".popsection",
    ".pushsection .data",
    ".balign 8",
    ".weak __jit_debug_descriptor",
    ".type __jit_debug_descriptor, %object",
    "__jit_debug_descriptor:",
    ".long 1, 0, 0, 0, 0, 0",
    ".size __jit_debug_descriptor, 24",
    ".popsection",
);

unsafe extern "C" {
    fn __jit_debug_register_code();
    static mut __jit_debug_descriptor: DebugList;
}

static DEBUGGED: Mutex<()> = Mutex::new(());

/// An object that debuggers see.
pub(crate) struct Debugged {
    entry: *mut DebugEntry,
    _object: Vec<u8>,
}

// SAFETY: the entry belongs to the list, which is changed under a lock.
unsafe impl Send for Debugged {}
// SAFETY: as above; nothing is done by reference.
unsafe impl Sync for Debugged {}

impl Debugged {
    /// Puts an object into the list.
    pub(crate) fn new(object: Vec<u8>) -> Debugged {
        let _locked = lock(&DEBUGGED);
        let (bytes, size) = (object.as_ptr(), object.len() as u64);
        // SAFETY: the list and its entries are changed under the lock alone, and entries are there until they are out.
        unsafe {
            let list = &raw mut __jit_debug_descriptor;
            let next = (*list).first;
            let entry =
                Box::into_raw(Box::new(DebugEntry { next, previous: null_mut(), object: bytes, size }));
            if !next.is_null() {
                (*next).previous = entry;
            }
            ((*list).first, (*list).changed, (*list).action) = (entry, entry, 1);
            __jit_debug_register_code();
            Debugged { entry, _object: object }
        }
    }
}

impl Drop for Debugged {
    fn drop(&mut self) {
        let _locked = lock(&DEBUGGED);
        // SAFETY: as above; the entry was made by a box and is in no list any more when it goes.
        unsafe {
            let list = &raw mut __jit_debug_descriptor;
            let DebugEntry { next, previous, .. } = *self.entry;
            if !next.is_null() {
                (*next).previous = previous;
            }
            match previous.is_null() {
                true => (*list).first = next,
                false => (*previous).next = next,
            }
            ((*list).changed, (*list).action) = (self.entry, 2);
            __jit_debug_register_code();
            drop(Box::from_raw(self.entry));
        }
    }
}

/// Whether unwinders go through every function that code at an address may have. Where tables give distances of 32 bits,
/// libgcc (`unwind-dw2-fde.c`) takes a function at a multiple of 4 GiB for one that the linker has removed.
fn is_unwound(base: usize, code: usize) -> bool {
    let [start, end] = [base, base + code].map(|address| address as u64);
    start.next_multiple_of(1 << 32) >= end
}

/// How addresses are held that nobody reads yet.
const HELD: MapFlags = MapFlags::PRIVATE.union(MapFlags::NORESERVE);

/// Addresses that nothing else gets, at a place that suits.
fn reserve(size: usize, suits: impl Fn(*mut c_void) -> bool) -> io::Result<*mut c_void> {
    // SAFETY: a mapping at a place of the system's choice touches nothing that exists.
    let base = unsafe { mmap_anonymous(null_mut(), size, ProtFlags::empty(), HELD) }?;
    if suits(base) {
        return Ok(base);
    }
    // What is held while another place is asked for is not given once more.
    let other = reserve(size, suits);
    // SAFETY: the mapping was made right here.
    unsafe { munmap(base, size) }?;
    other
}

/// Addresses below 2 GiB that nothing else gets.
fn reserve_low(size: usize) -> io::Result<*mut c_void> {
    let (first, step, end) = LOW;
    for start in (first..end.saturating_sub(size)).step_by(step) {
        let at = std::ptr::without_provenance_mut(start);
        // SAFETY: the flag makes the call fail where something exists.
        match unsafe { mmap_anonymous(at, size, ProtFlags::empty(), HELD | MapFlags::FIXED_NOREPLACE) } {
            Ok(base) if base == at => return Ok(base),
            // A kernel that does not know the flag takes the address as a wish.
            // SAFETY: the mapping was made right here.
            Ok(base) => unsafe { munmap(base, size) }?,
            Err(_) => {}
        }
    }
    Err(io::ErrorKind::OutOfMemory.into())
}

/// Makes the data that was written the instructions that are read, on machines with caches apart.
fn clean_caches(start: *mut c_void, len: usize) {
    #[cfg(any(target_arch = "arm", target_arch = "aarch64"))]
    {
        unsafe extern "C" {
            /// Of the compiler's run-time library.
            fn __clear_cache(start: *mut c_void, end: *mut c_void);
        }
        // SAFETY: the range is mapped.
        unsafe { __clear_cache(start, start.wrapping_byte_add(len)) };
    }
    #[cfg(not(any(target_arch = "arm", target_arch = "aarch64")))]
    let _ = (start, len);
}

/// `MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE` and what registers for it (`membarrier(2)`).
const SYNC_CORE: [libc::c_int; 2] = [1 << 5, 1 << 6];

/// Makes every thread of the process forget instructions that it has decoded.
fn synchronize_cores() -> io::Result<()> {
    let [barrier, register] = SYNC_CORE;
    for command in [register, barrier] {
        // SAFETY: the call takes numbers and touches no memory.
        if unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) } != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// The address of a symbol of the process and its libraries.
pub(crate) fn process_symbol(name: &[u8]) -> Option<usize> {
    let name = CString::new(name).ok()?;
    // SAFETY: the name ends with a zero; the handle stands for all that is loaded.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then(|| address.expose_provenance())
}

/// Finds the code of a function that is called for the first time: what the entry of [`glue`](crate::glue) calls.
pub(crate) extern "C" fn resolve(lazy: *const Lazy, number: u32) -> usize {
    // SAFETY: the address stands behind the entry of a module that holds what is there, and the module is held while its
    // functions are called, as was promised to `get`.
    unsafe { &*lazy }.code_of(number)
}

/// What is known of a thread-local variable.
#[repr(C)]
pub(crate) struct Control {
    /// No other variable has it, of whatever module.
    number: u64,
    size: usize,
    alignment: usize,
    /// Null if they are zero.
    contents: *const u8,
}

/// A thread's copy of a variable.
struct ThreadCopy {
    address: *mut u8,
    layout: Layout,
}

impl ThreadCopy {
    /// # Safety
    /// The control says the truth.
    unsafe fn new(control: &Control) -> ThreadCopy {
        let layout = Layout::from_size_align(control.size.max(1), control.alignment);
        let layout = layout.expect("the size and the alignment of a variable are below 4 GiB");
        // SAFETY: the size is not 0.
        let address = unsafe { alloc_zeroed(layout) };
        if address.is_null() {
            handle_alloc_error(layout);
        }
        if !control.contents.is_null() {
            // SAFETY: there are so many bytes, as is promised, and in the new memory too.
            unsafe { address.copy_from_nonoverlapping(control.contents, control.size) };
        }
        ThreadCopy { address, layout }
    }
}

impl Drop for ThreadCopy {
    fn drop(&mut self) {
        // SAFETY: the memory was taken with this layout.
        unsafe { dealloc(self.address, self.layout) };
    }
}

/// The copies of a thread.
#[derive(Default)]
struct ThreadCopies {
    by_number: HashMap<u64, ThreadCopy>,
    /// How many there may be before those of modules that are gone are looked for.
    enough: usize,
}

thread_local! {
    static COPIES: RefCell<ThreadCopies> = RefCell::default();
}

/// The numbers that are in use, and the next one.
static COPY_NUMBERS: Mutex<(BTreeSet<u64>, u64)> = Mutex::new((BTreeSet::new(), 0));

/// A number that no thread-local variable has had.
pub(crate) fn new_copy_number() -> u64 {
    let mut numbers = lock(&COPY_NUMBERS);
    let number = numbers.1;
    numbers.1 += 1;
    numbers.0.insert(number);
    number
}

/// Says that no thread needs its copies of these variables any more.
pub(crate) fn forget_copies(forgotten: &[u64]) {
    let mut numbers = lock(&COPY_NUMBERS);
    numbers.0.retain(|number| !forgotten.contains(number));
}

impl ThreadCopies {
    /// # Safety
    /// The control says the truth.
    unsafe fn find(&mut self, control: &Control) -> *mut u8 {
        if let Some(copy) = self.by_number.get(&control.number) {
            return copy.address;
        }
        if self.by_number.len() >= self.enough {
            let numbers = lock(&COPY_NUMBERS);
            self.by_number.retain(|number, _| numbers.0.contains(number));
            self.enough = 16 + 2 * self.by_number.len();
        }
        // SAFETY: as promised.
        let copy = unsafe { ThreadCopy::new(control) };
        self.by_number.entry(control.number).or_insert(copy).address
    }
}

/// The address of this thread's copy of a variable: what modules call for it. A declaration that may be nowhere, and is,
/// has no control, and no copy.
pub(crate) extern "C" fn thread_copy(control: *const Control) -> *mut u8 {
    // SAFETY: the address is that of a control, which a module holds while its functions are called.
    let Some(control) = (unsafe { control.as_ref() }) else { return null_mut() };
    // SAFETY: as above.
    let found = COPIES.try_with(|copies| unsafe { copies.borrow_mut().find(control) });
    found.unwrap_or_else(|_| {
        eprintln!("a thread-local variable of a module was used when its thread had ended");
        std::process::abort()
    })
}

/// Calls functions of a module that take nothing, as loaders do.
///
/// # Safety
/// The addresses are those of such functions, which are fit to be called, and stay there.
unsafe fn call_all(addresses: &[usize]) {
    for &address in addresses {
        let pointer: *const c_void = std::ptr::with_exposed_provenance(address);
        // SAFETY: promised by the caller.
        unsafe { std::mem::transmute::<*const c_void, extern "C" fn()>(pointer)() };
    }
}

impl LoadedModule {
    /// Calls the constructors of the module, those of variables of C++ and the like, if it has some and nobody has called
    /// them. Before that it gives no function by [`get`](Self::get). Another thread that is at it is waited for.
    ///
    /// # Safety
    /// That of calling functions of the module, as [`get`](Self::get) says. Functions that destructors of other libraries
    /// call at the end of the process, as `__cxa_atexit` has noted them, must be there then.
    pub unsafe fn run_constructors(&self) {
        // SAFETY: the addresses are from sections of the module that have such functions, and the caller promises the rest.
        self.startup().started.call_once(|| unsafe { call_all(self.startup().constructors()) });
    }

    /// Calls the destructors of the module, if it has some and nobody has called them: before its last handle goes.
    ///
    /// # Safety
    /// As for [`run_constructors`](Self::run_constructors), which was called before.
    pub unsafe fn run_destructors(&self) {
        // SAFETY: as above.
        self.startup().ended.call_once(|| unsafe { call_all(self.startup().destructors()) });
    }

    /// The function of this name as a function of Rust.
    ///
    /// The types must be those of the IR: `i8` and `u8` are `i8`, and so on; `bool` is `i1`; `isize`, `usize` and pointers
    /// are the integer of their width; no result is `void`.
    ///
    /// # Errors
    /// The module does not define such a function, or it has other types.
    ///
    /// # Safety
    /// Calling what is given runs the code of the module. Who calls this promises that the code is fit to be run with the
    /// arguments that it will get, that what it imports is what it takes it for, and that nobody calls the function or is
    /// in it when the last handle of this module, and of those that use it, is gone. The same goes for the targets of
    /// [`Patchable`](crate::Patchable) functions that it calls: a former target is a module whose handle `set` has given.
    pub unsafe fn get<F: Callable>(&self, name: &str) -> Result<F, Error> {
        let address = self.callable_address::<F>(name)?;
        assert_eq!(size_of::<F>(), size_of::<usize>(), "functions are addresses");
        let pointer: *const c_void = std::ptr::with_exposed_provenance(address);
        // SAFETY: the sizes are the same, `Callable` is implemented for pointers to functions alone, and the address is
        // that of a function with these types, which the caller promises to be fit to be called.
        Ok(unsafe { std::mem::transmute_copy(&pointer) })
    }
}
