//! What attributes of a function demand of its code beyond what it computes: calls where it begins and where it ends, and
//! what is not built, so that its body is refused. Variables have the attributes of sections alone.

/// A function that is called where another one begins or ends (LLVM's `EntryExitInstrumenter`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hook {
    /// `mcount`, without arguments: it looks at the frames (`-pg`).
    Count,
    /// `__cyg_profile_func_enter`, with the address of the function and the one that it returns to.
    Enter,
    /// `__cyg_profile_func_exit`, with the same.
    Exit,
    /// `__cyg_profile_func_enter_bare`, without arguments.
    EnterBare,
}

impl Hook {
    /// All of them.
    pub const ALL: [Hook; 4] = [Hook::Count, Hook::Enter, Hook::Exit, Hook::EnterBare];

    /// The name of the function.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Hook::Count => "mcount",
            Hook::Enter => "__cyg_profile_func_enter",
            Hook::Exit => "__cyg_profile_func_exit",
            Hook::EnterBare => "__cyg_profile_func_enter_bare",
        }
    }

    /// Whether it gets the two addresses.
    #[must_use]
    pub const fn has_addresses(self) -> bool {
        matches!(self, Hook::Enter | Hook::Exit)
    }

    /// That of this name, which may say that it is one of the assembler.
    fn of(name: &[u8]) -> Option<Hook> {
        let name = name.strip_prefix(b"\x01").unwrap_or(name);
        Hook::ALL.into_iter().find(|hook| hook.name().as_bytes() == name)
    }
}

/// The demands of one function.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Demands {
    /// What is called before anything else.
    pub entry: Option<Hook>,
    /// What is called before each return.
    pub exit: Option<Hook>,
    /// Who calls the function finds no register as it was.
    pub saves_nothing: bool,
    /// Of a call of an intrinsic that ends the program: a function of the program is called instead.
    pub has_own_trap: bool,
    /// What is not built: bit `n` is place `n` of [`UNMET`].
    unmet: u64,
}

/// The values of an attribute.
enum Values {
    Any,
    Only(&'static str),
    AllBut(&'static str),
    Starting(&'static str),
}

/// What is not built, by key; the keys of attributes without a text are those of LLVM's assembly language.
const UNMET: [(&str, Values); 46] = [
    ("branch-target-enforcement", Values::AllBut("false")),
    ("bss-section", Values::Any),
    ("data-section", Values::Any),
    ("fentry-call", Values::Only("true")),
    ("fn_ret_thunk_extern", Values::Any),
    ("function-instrument", Values::Only("xray-always")),
    (ENTRY_HOOK, Values::Any),
    (EXIT_HOOK, Values::Any),
    ("guarded-control-stack", Values::AllBut("false")),
    ("interrupt", Values::Any),
    ("no_caller_saved_registers", Values::Any),
    (SAVES_NOTHING, Values::Any),
    ("noimplicitfloat", Values::Any),
    ("patchable-function", Values::Any),
    ("patchable-function-entry", Values::AllBut("0")),
    ("patchable-function-prefix", Values::AllBut("0")),
    ("relro-section", Values::Any),
    ("rodata-section", Values::Any),
    ("safestack", Values::Any),
    ("shadowcallstack", Values::Any),
    ("sign-return-address", Values::AllBut("none")),
    ("sign-return-address-key", Values::AllBut("a_key")),
    ("speculative_load_hardening", Values::Any),
    ("split-stack", Values::Any),
    ("target-features", Values::Only("+execute-only")),
    ("target-features", Values::Only("+fp64")),
    ("target-features", Values::Only("+harden-sls-blr")),
    ("target-features", Values::Only("+harden-sls-ijmp")),
    ("target-features", Values::Only("+harden-sls-ret")),
    ("target-features", Values::Only("+harden-sls-retbr")),
    ("target-features", Values::Only("+lvi-cfi")),
    ("target-features", Values::Only("+lvi-load-hardening")),
    ("target-features", Values::Only("+mips32r6")),
    ("target-features", Values::Only("+reserve-r9")),
    ("target-features", Values::Starting("+reserve-x")),
    ("target-features", Values::Only("+retpoline-indirect-branches")),
    ("target-features", Values::Only("+retpoline-indirect-calls")),
    ("target-features", Values::Only("+seses")),
    ("target-features", Values::Only("+single-float")),
    ("target-features", Values::Only("+soft-float")),
    ("target-features", Values::Only("+strict-align")),
    ("target-features", Values::Only("-fp-armv8")),
    ("target-features", Values::Only("-sse")),
    ("target-features", Values::Only("-sse2")),
    ("xray-instruction-threshold", Values::Any),
    ("zero-call-used-regs", Values::AllBut("skip")),
];

const ENTRY_HOOK: &str = "instrument-function-entry-inlined";
const EXIT_HOOK: &str = "instrument-function-exit-inlined";
const SAVES_NOTHING: &str = "no_callee_saved_registers";

impl Demands {
    /// Takes the attribute `key` with a text, which is empty where there is none.
    pub(super) fn take(&mut self, key: &[u8], value: &[u8]) {
        let hook = match key {
            _ if key == ENTRY_HOOK.as_bytes() => &mut self.entry,
            _ if key == EXIT_HOOK.as_bytes() => &mut self.exit,
            _ if key == SAVES_NOTHING.as_bytes() => {
                self.saves_nothing = true;
                return self.take_unmet(key, value);
            }
            b"trap-func-name" => {
                self.has_own_trap = true;
                return;
            }
            _ => return self.take_unmet(key, value),
        };
        *hook = Hook::of(value);
        if hook.is_none() {
            self.take_unmet(key, value);
        }
    }

    fn take_unmet(&mut self, key: &[u8], value: &[u8]) {
        let is_meant = |(unmet, values): &(&str, Values)| {
            unmet.as_bytes() == key
                && match values {
                    Values::Any => true,
                    Values::Only(only) => only.as_bytes() == value,
                    Values::AllBut(but) => but.as_bytes() != value,
                    // x18 is nobody's.
                    Values::Starting(start) => {
                        value.starts_with(start.as_bytes()) && value != b"+reserve-x18"
                    }
                }
        };
        if let Some(place) = UNMET.iter().position(is_meant) {
            self.unmet |= 1 << place;
        }
    }

    /// The key and the value of the first thing that is not built, where the machine has what has these keys, or is content with these
    /// features.
    #[must_use]
    pub fn unmet(self, met: &[&str]) -> Option<(&'static str, Option<&'static str>)> {
        let asked = UNMET.iter().enumerate().filter(|(place, _)| self.unmet >> place & 1 != 0);
        let mut named = asked.map(|(_, (key, values))| match values {
            Values::Only(value) | Values::Starting(value) => (*key, Some(*value)),
            Values::Any | Values::AllBut(_) => (*key, None),
        });
        match self.unmet {
            0 => None,
            _ => named.find(|&(key, value)| !met.contains(&value.unwrap_or(key))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_known_by_name_and_what_is_not_built_by_key_and_value() {
        let of = |key: &str, value: &str| {
            let mut demands = Demands::default();
            demands.take(key.as_bytes(), value.as_bytes());
            demands
        };
        let count = of(ENTRY_HOOK, "\x01mcount");
        assert_eq!((count.entry, count.exit, count.unmet(&[])), (Some(Hook::Count), None, None));
        assert_eq!(of(EXIT_HOOK, "__cyg_profile_func_exit").exit, Some(Hook::Exit));
        let other = of(ENTRY_HOOK, "\x01__gnu_mcount_nc");
        assert_eq!((other.entry, other.unmet(&[])), (None, Some((ENTRY_HOOK, None))));
        assert_eq!(of("split-stack", "").unmet(&[]), Some(("split-stack", None)));
        assert_eq!(of("patchable-function-entry", "0").unmet(&[]), None);
        assert_eq!(of("patchable-function-entry", "2").unmet(&[]), Some(("patchable-function-entry", None)));
        assert_eq!(of("target-features", "+sse2").unmet(&[]), None);
        let seses = of("target-features", "+seses");
        assert_eq!(seses.unmet(&[]), Some(("target-features", Some("+seses"))));
        assert_eq!(of("a-key-of-nobody", "").unmet(&[]), None);
        assert_eq!(of("target-features", "+reserve-x18").unmet(&[]), None);
        let reserved = of("target-features", "+reserve-x20");
        assert_eq!(reserved.unmet(&[]), Some(("target-features", Some("+reserve-x"))));
        assert!(of(SAVES_NOTHING, "").saves_nothing && of(SAVES_NOTHING, "").unmet(&[]).is_some());
        let mut both = of("target-features", "+soft-float");
        both.take(b"target-features", b"+strict-align");
        assert_eq!(both.unmet(&[]), Some(("target-features", Some("+soft-float"))));
        assert_eq!(both.unmet(&["+fp64", "+soft-float"]), Some(("target-features", Some("+strict-align"))));
        assert_eq!(both.unmet(&["+strict-align", "+soft-float"]), None);
    }
}
