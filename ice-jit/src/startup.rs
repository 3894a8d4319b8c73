//! What a module wants to be called before its functions are used, and when it is left.
//!
//! Problem: modules of C++ and others have sections with addresses of functions that the loader of a program calls: the
//! constructors of variables, and their destructors. Nobody may run code of a module but who has promised that it is fit
//! to be run, so that loading a module calls nothing. Method: the first pass of the linker notes such sections, the second
//! reads the addresses from the bytes that it has linked; [`LoadedModule::run_constructors`] calls them, and a module
//! that has some gives no function before.
//!
//! The order is that of loaders (System V ABI, chapter 5, initialization and termination functions): `.preinit_array`,
//! then `.init_array` by rising numbers behind the name, without a number last; the reverse for `.fini_array`.

use crate::object::{FILLED, Place};
use std::sync::Once;

/// When functions of a section are called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum When {
    First,
    Start,
    End,
}

/// Sections whose functions are called.
const SECTIONS: [(&[u8], When); 3] =
    [(b".preinit_array", When::First), (b".init_array", When::Start), (b".fini_array", When::End)];

/// Addresses of functions in a variable of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Called {
    when: When,
    /// What is called sooner at the start, later at the end, is lower.
    priority: u32,
    at: Place,
    bytes: u64,
}

impl Called {
    /// The addresses in a variable of this section; `None` if nobody calls what is there.
    pub(crate) fn new(section: &[u8], at: Place, bytes: u64) -> Option<Called> {
        let (when, rest) =
            SECTIONS.iter().find_map(|&(name, when)| Some((when, section.strip_prefix(name)?)))?;
        let priority = match rest {
            [] => u32::MAX,
            [b'.', digits @ ..] => std::str::from_utf8(digits).ok()?.parse().ok()?,
            _ => return None,
        };
        Some(Called { when, priority, at, bytes })
    }
}

/// The functions that a module wants to be called.
#[derive(Debug)]
pub(crate) struct Startup {
    constructors: Vec<usize>,
    destructors: Vec<usize>,
    pub(crate) started: Once,
    pub(crate) ended: Once,
}

impl Startup {
    /// Reads the addresses, of this width, from the bytes of a linked object.
    pub(crate) fn new(called: &[Called], filled: &[Vec<u8>; FILLED], width: usize) -> Startup {
        let (started, ended) = (Once::new(), Once::new());
        let mut startup = Startup { constructors: Vec::new(), destructors: Vec::new(), started, ended };
        let mut sorted = called.to_vec();
        // Variables of one section stay in the order of the module.
        sorted.sort_by_key(|called| (called.when, called.priority));
        for Called { when, at, bytes, .. } in sorted {
            let bytes = &filled[at.area as usize][at.offset as usize..][..bytes as usize];
            let addresses = bytes.chunks_exact(width).map(|word| {
                let mut address = [0; 8];
                address[..width].copy_from_slice(word);
                u64::from_le_bytes(address) as usize
            });
            // Loaders take both for the ends of lists.
            let addresses = addresses.filter(|&address| address != 0 && address != usize::MAX);
            match when {
                When::First | When::Start => startup.constructors.extend(addresses),
                When::End => startup.destructors.extend(addresses),
            }
        }
        startup.destructors.reverse();
        startup
    }

    /// Whether constructors wait to be called.
    pub(crate) fn is_due(&self) -> bool {
        !self.constructors.is_empty() && !self.started.is_completed()
    }

    /// What is called at the start.
    pub(crate) fn constructors(&self) -> &[usize] {
        &self.constructors
    }

    /// What is called at the end.
    pub(crate) fn destructors(&self) -> &[usize] {
        &self.destructors
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Area;

    #[test]
    fn lower_numbers_come_first_and_leave_last() {
        let variable =
            |section: &[u8], offset| Called::new(section, Place { area: Area::Variables, offset }, 8);
        let sections: [&[u8]; 6] = [
            b".init_array",
            b".init_array.00200",
            b".fini_array",
            b".preinit_array",
            b".init_array.00101",
            b".fini_array.00101",
        ];
        let called: Vec<Called> = (0..)
            .step_by(8)
            .zip(sections)
            .filter_map(|(offset, section)| variable(section, offset))
            .collect();
        assert_eq!(called.len(), sections.len());
        assert_eq!(variable(b".init_arrays", 0), None);
        let bytes = (1..=6u64).flat_map(u64::to_le_bytes).collect();
        let startup = Startup::new(&called, &[Vec::new(), Vec::new(), bytes], 8);
        assert_eq!(startup.constructors(), [4, 5, 2, 1]);
        assert_eq!(startup.destructors(), [3, 6]);
        assert!(startup.is_due());
    }
}
