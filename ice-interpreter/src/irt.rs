//! The run-time environment of a program: the query function and the interface tables behind it.
//!
//! Every entry is a pseudo function at a reserved address, [`BASE`] + 16 × its number. Entries answer 0 or a
//! NaCl error number, and write results through pointers only on success (runtime specification, sections 4
//! and 5). What concerns other threads is handed to the scheduler as an [`Action`].

use super::host::{Clock, Errno, FileKind, Host, Whence};
use super::memory::{Memory, PAGE, READ, WRITE};
use super::value::Slot;
use ice_ir::{Signature, Type};

/// Address of the first entry.
pub(super) const BASE: u64 = 0xff00_0000;

macro_rules! entries {
    ($($name:ident $params:literal $ret:literal,)*) => {
        /// A function of the run-time environment.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(super) enum Entry { $($name,)* }

        /// Parameter types (`i` is i32, `l` is i64) and result type (`v` is void) of every entry.
        const ENTRIES: &[(Entry, &str, char)] = &[$((Entry::$name, $params, $ret),)*];
    };
}

entries! {
    Query "iii" 'i',
    Exit "i" 'v',
    Gettod "i" 'i',
    ClockTicks "i" 'i',
    Nanosleep "ii" 'i',
    SchedYield "" 'i',
    Sysconf "ii" 'i',
    Close "i" 'i',
    Dup "ii" 'i',
    Dup2 "ii" 'i',
    Read "iiii" 'i',
    Write "iiii" 'i',
    Seek "ilii" 'i',
    Fstat "ii" 'i',
    Getdents "iiii" 'i',
    Fchdir "i" 'i',
    Fchmod "ii" 'i',
    Fsync "i" 'i',
    Fdatasync "i" 'i',
    Ftruncate "il" 'i',
    Isatty "ii" 'i',
    Sysbrk "i" 'i',
    Mmap "iiiiil" 'i',
    Munmap "ii" 'i',
    Mprotect "iii" 'i',
    TlsInit "i" 'i',
    TlsGet "" 'i',
    ThreadCreate "iii" 'i',
    ThreadExit "i" 'v',
    ThreadNice "i" 'i',
    FutexWait "iii" 'i',
    FutexWake "iii" 'i',
    ClockGetres "ii" 'i',
    ClockGettime "ii" 'i',
    GetRandom "iii" 'i',
    Getpid "i" 'i',
}

use Entry::*;

const FDIO: [Entry; 14] = [
    Close, Dup, Dup2, Read, Write, Seek, Fstat, Getdents, Fchdir, Fchmod, Fsync, Fdatasync, Ftruncate, Isatty,
];

/// The interfaces: name and entries in order.
const INTERFACES: &[(&[u8], &[Entry])] = &[
    (b"nacl-irt-basic-0.1", &[Exit, Gettod, ClockTicks, Nanosleep, SchedYield, Sysconf]),
    (b"nacl-irt-fdio-0.1", FDIO.split_at(8).0),
    (b"nacl-irt-dev-fdio-0.1", FDIO.split_at(8).0),
    (b"nacl-irt-dev-fdio-0.2", FDIO.split_at(13).0),
    (b"nacl-irt-dev-fdio-0.3", &FDIO),
    (b"nacl-irt-memory-0.1", &[Sysbrk, Mmap, Munmap]),
    (b"nacl-irt-memory-0.2", &[Sysbrk, Mmap, Munmap, Mprotect]),
    (b"nacl-irt-memory-0.3", &[Mmap, Munmap, Mprotect]),
    (b"nacl-irt-tls-0.1", &[TlsInit, TlsGet]),
    (b"nacl-irt-thread-0.1", &[ThreadCreate, ThreadExit, ThreadNice]),
    (b"nacl-irt-futex-0.1", &[FutexWait, FutexWake]),
    (b"nacl-irt-clock_get-0.1", &[ClockGetres, ClockGettime]),
    (b"nacl-irt-random-0.1", &[GetRandom]),
    (b"nacl-irt-dev-getpid-0.1", &[Getpid]),
];

impl Entry {
    /// The entry at `address`.
    pub fn at(address: u64) -> Option<Entry> {
        let offset = address.checked_sub(BASE).filter(|o| o % 16 == 0)?;
        ENTRIES.get(usize::try_from(offset / 16).ok()?).map(|row| row.0)
    }

    /// The address of the entry.
    pub const fn address(self) -> u64 {
        BASE + 16 * self as u64
    }

    /// Whether a call with these types is a call of this entry.
    pub fn accepts(self, signature: &Signature) -> bool {
        let (_, params, ret) = ENTRIES[self as usize];
        let ty = |c| match c {
            'i' => Type::I32,
            'l' => Type::I64,
            _ => Type::Void,
        };
        params.chars().map(ty).eq(signature.params.iter().copied()) && ty(ret) == signature.ret
    }
}

/// What a call of an entry leads to.
pub(super) enum Action {
    /// It returns this.
    Answer(u32),
    /// The program ends.
    Exit(i32),
    /// The thread ends; a word at this address becomes 0, if the address is not 0.
    ExitThread { flag: u64 },
    /// A thread begins.
    Spawn { function: u64, stack: u64, tp: u32 },
    /// The thread waits for a wake at `address` until `deadline` (realtime, in nanoseconds).
    Wait { address: u64, deadline: Option<u64> },
    /// Up to `limit` threads that wait at `address` go on; their number is stored at `count`.
    Wake { address: u64, limit: u32, count: u64 },
    /// The thread sleeps until `deadline`.
    Sleep { deadline: u64 },
    /// Another thread's turn.
    Yield,
}

/// The program's memory and its world.
pub(super) struct Process<'a> {
    pub memory: &'a mut Memory,
    pub host: &'a mut dyn Host,
    /// Start, current break and end of the area that `sysbrk` manages.
    pub break_area: &'a mut Option<[u64; 3]>,
    /// Whether undefined bytes were written.
    pub undefined_output: &'a mut bool,
    /// Thread pointer of the calling thread.
    pub tp: &'a mut u32,
}

const SECOND: u64 = 1_000_000_000;
const BREAK_AREA: u64 = 16 << 20;

/// Calls `entry`.
pub(super) fn call(entry: Entry, args: [u64; 6], process: &mut Process<'_>) -> Action {
    match entry {
        Query => Action::Answer(process.query(args[0], args[1], args[2])),
        Exit => Action::Exit(args[0] as i32),
        TlsGet => Action::Answer(*process.tp),
        SchedYield => Action::Yield,
        ThreadExit => Action::ExitThread { flag: args[0] },
        ThreadCreate => Action::Spawn { function: args[0], stack: args[1], tp: args[2] as u32 },
        FutexWake => Action::Wake { address: args[0], limit: args[1] as u32, count: args[2] },
        Nanosleep => match process.time(args[0]) {
            Ok(duration) => {
                let now = process.host.now(Clock::Realtime);
                Action::Sleep { deadline: now.saturating_add(duration) }
            }
            Err(error) => Action::Answer(error.0),
        },
        FutexWait => match process.futex_wait(args[0], args[1] as u32, args[2]) {
            Ok(deadline) => Action::Wait { address: args[0], deadline },
            Err(error) => Action::Answer(error.0),
        },
        _ => Action::Answer(process.simple(entry, args).err().map_or(0, |error| error.0)),
    }
}

impl Process<'_> {
    fn query(&mut self, name: u64, table: u64, size: u64) -> u32 {
        let found = INTERFACES.iter().find(|(interface, _)| {
            let bytes = self.memory.bytes(name, interface.len() as u64 + 1);
            bytes.is_ok_and(|b| b.split_last() == Some((&0, interface)))
        });
        let Some((_, entries)) = found.filter(|(_, e)| e.len() as u64 * 4 <= size) else { return 0 };
        for (i, entry) in entries.iter().enumerate() {
            if self.put(Type::I32, table + 4 * i as u64, entry.address()).is_err() {
                return 0;
            }
        }
        entries.len() as u32 * 4
    }

    fn put(&mut self, ty: Type, address: u64, value: u64) -> Result<(), Errno> {
        self.memory.store(ty, address, Slot::new(value, 0)).map_err(|_| Errno::FAULT)
    }

    fn get(&self, ty: Type, address: u64) -> Result<u64, Errno> {
        self.memory.load(ty, address).map(|slot| slot.lo).map_err(|_| Errno::FAULT)
    }

    /// Nanoseconds of the timespec at `address`; before 1970 counts as 1970.
    fn time(&self, address: u64) -> Result<u64, Errno> {
        let seconds = self.get(Type::I64, address)? as i64;
        let nanoseconds = self.get(Type::I32, address + 8)?;
        if nanoseconds >= SECOND {
            return Err(Errno::INVAL);
        }
        Ok(u64::try_from(seconds).unwrap_or(0).saturating_mul(SECOND).saturating_add(nanoseconds))
    }

    fn put_time(&mut self, address: u64, time: u64, unit: u64) -> Result<(), Errno> {
        self.put(Type::I64, address, time / SECOND)?;
        self.put(Type::I32, address + 8, time % SECOND / unit)
    }

    fn futex_wait(&mut self, address: u64, value: u32, time: u64) -> Result<Option<u64>, Errno> {
        if self.get(Type::I32, address)? != u64::from(value) {
            return Err(Errno::AGAIN);
        }
        let deadline = if time == 0 { None } else { Some(self.time(time)?) };
        match deadline {
            Some(at) if at <= self.host.now(Clock::Realtime) => Err(Errno::TIMEDOUT),
            deadline => Ok(deadline),
        }
    }

    /// Entries that answer at once with 0 or an error.
    fn simple(&mut self, entry: Entry, args: [u64; 6]) -> Result<(), Errno> {
        let [a, b, c, d, ..] = args;
        let fd = a as i32;
        match entry {
            Gettod => {
                let now = self.host.now(Clock::Realtime);
                self.put_time(a, now, 1000)
            }
            ClockTicks => {
                let ticks = self.host.now(Clock::Process) / 1000;
                self.put(Type::I32, a, ticks & 0xffff_ffff)
            }
            Sysconf => match a {
                1 => self.put(Type::I32, b, 1),
                2 => self.put(Type::I32, b, PAGE),
                _ => Err(Errno::INVAL),
            },
            Close => self.host.close(fd),
            Dup => {
                let copy = self.host.dup(fd, None)?;
                self.put(Type::I32, b, u64::from(copy as u32))
            }
            Dup2 => self.host.dup(fd, Some(b as i32)).map(|_| ()),
            Read => {
                let buf = self.memory.bytes_mut(b, c).map_err(|_| Errno::FAULT)?;
                let count = self.host.read(fd, buf)?;
                self.put(Type::I32, d, count as u64)
            }
            Write => {
                *self.undefined_output |= self.memory.is_undefined(b, c);
                let bytes = self.memory.bytes(b, c).map_err(|_| Errno::FAULT)?;
                let count = self.host.write(fd, bytes)?;
                self.put(Type::I32, d, count as u64)
            }
            Seek => {
                let whence = match c {
                    0 => Whence::Start,
                    1 => Whence::Current,
                    2 => Whence::End,
                    _ => return Err(Errno::INVAL),
                };
                let offset = self.host.seek(fd, b as i64, whence)?;
                self.put(Type::I64, d, offset as u64)
            }
            Fstat => {
                let status = self.host.fstat(fd)?;
                let stat = self.memory.bytes_mut(b, 104).map_err(|_| Errno::FAULT)?;
                stat.fill(0);
                // Offsets of the runtime specification, section 7.1.
                stat[16..20].copy_from_slice(&(status.kind.mode() | 0o666).to_le_bytes());
                stat[20..24].copy_from_slice(&1u32.to_le_bytes());
                stat[40..48].copy_from_slice(&status.size.to_le_bytes());
                stat[48..52].copy_from_slice(&4096u32.to_le_bytes());
                stat[52..56].copy_from_slice(&(status.size.div_ceil(512) as u32).to_le_bytes());
                Ok(())
            }
            Isatty => {
                let terminal = self.host.fstat(fd)?.kind == FileKind::Character;
                self.put(Type::I32, b, u64::from(terminal))
            }
            Sysbrk => self.set_break(a),
            Mmap => self.map(args),
            Munmap => match b != 0 && self.memory.unmap(a, b) {
                true => Ok(()),
                false => Err(Errno::INVAL),
            },
            Mprotect => match self.memory.protect(a, b, rights(c)?) {
                true => Ok(()),
                false => Err(Errno::INVAL),
            },
            TlsInit => {
                *self.tp = a as u32;
                Ok(())
            }
            ThreadNice => Ok(()),
            ClockGetres => {
                clock(a)?;
                if b == 0 { Ok(()) } else { self.put_time(b, 1, 1) }
            }
            ClockGettime => {
                let now = self.host.now(clock(a)?);
                self.put_time(b, now, 1)
            }
            GetRandom => {
                let buf = self.memory.bytes_mut(a, b).map_err(|_| Errno::FAULT)?;
                let count = self.host.random(buf)?;
                self.put(Type::I32, c, count as u64)
            }
            Getpid => self.put(Type::I32, a, 1),
            _ => Err(Errno::NOSYS),
        }
    }

    /// Only anonymous mappings; a hint is ignored unless it must be obeyed.
    fn map(&mut self, [address, len, prot, flags, ..]: [u64; 6]) -> Result<(), Errno> {
        const FIXED: u64 = 0x10;
        const ANONYMOUS: u64 = 0x20;
        if len == 0 || flags & !(3 | FIXED | ANONYMOUS) != 0 {
            return Err(Errno::INVAL);
        }
        if flags & ANONYMOUS == 0 {
            return Err(Errno::NOSYS);
        }
        let hint = self.get(Type::I32, address)?;
        let at = (flags & FIXED != 0).then_some(hint);
        let place = self.memory.map(at, len, rights(prot)?).ok_or(Errno::NOMEM)?;
        self.put(Type::I32, address, place)
    }

    /// Moves the break to the word at `address` and stores the new one there; 0 only asks.
    fn set_break(&mut self, address: u64) -> Result<(), Errno> {
        let wanted = self.get(Type::I32, address)?;
        let [start, now, end] = match *self.break_area {
            Some(area) => area,
            None => {
                let start = self.memory.map(None, BREAK_AREA, 0).ok_or(Errno::NOMEM)?;
                *self.break_area.insert([start, start, start + BREAK_AREA])
            }
        };
        let new = if wanted == 0 { now } else { wanted };
        if new < start || new > end {
            return Err(Errno::NOMEM);
        }
        let page_end = |at: u64| at.next_multiple_of(PAGE);
        if !self.memory.protect(start, page_end(new) - start, READ | WRITE)
            || !self.memory.protect(page_end(new), end - page_end(new), 0)
        {
            return Err(Errno::NOMEM);
        }
        if new > now {
            self.memory.bytes_mut(now, new - now).map_err(|_| Errno::NOMEM)?.fill(0);
        }
        *self.break_area = Some([start, new, end]);
        self.put(Type::I32, address, new)
    }
}

/// Page rights from `prot` bits: no program can execute data, so that bit is dropped.
fn rights(prot: u64) -> Result<u8, Errno> {
    match prot {
        0..=7 => Ok(if prot & 1 != 0 { READ } else { 0 } | if prot & 2 != 0 { READ | WRITE } else { 0 }),
        _ => Err(Errno::INVAL),
    }
}

fn clock(id: u64) -> Result<Clock, Errno> {
    [Clock::Realtime, Clock::Monotonic, Clock::Process, Clock::Thread]
        .get(id as usize)
        .copied()
        .ok_or(Errno::INVAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_follow_the_enum() {
        for (i, &(entry, ..)) in ENTRIES.iter().enumerate() {
            assert_eq!(entry as usize, i);
            assert_eq!(Entry::at(entry.address()), Some(entry));
        }
        assert_eq!(Entry::at(BASE + 16 * ENTRIES.len() as u64), None);
        assert_eq!(Entry::at(BASE + 1), None);
    }

    #[test]
    fn interfaces_have_the_published_sizes() {
        let sizes = [24, 32, 32, 52, 56, 12, 16, 12, 8, 12, 8, 8, 4, 4];
        assert!(INTERFACES.iter().map(|(_, e)| e.len() * 4).eq(sizes));
    }
}
