//! What a module asks for against attacks: its flags, and how frames are guarded.
//!
//! | flag | what becomes of it |
//! |---|---|
//! | `cf-protection-branch` | branches are tracked, unless it is 0 or the machine has no such thing |
//! | `cf-protection-return` | there is a second stack for return addresses, likewise |
//! | `kcfi` | calls through addresses look at types; `kcfi-offset` is refused |
//! | `branch-target-enforcement` | branches are tracked, unless it is 0 or the machine has no such thing; then it is refused |
//! | `sign-return-address`, `-all` | return addresses are signed, likewise |
//! | `guarded-control-stack` | there is a second stack for return addresses, likewise |
//! | `sign-return-address-with-bkey` | refused, unless it is 0 |
//! | `stack-protector-guard`, `-reg`, `-offset`, `-symbol` | where the number is that guards frames |
//!
//! `PIE Level` says that the module is for executables. All other flags are for linkers and optimisers, or say what the data layout and the functions say as well.

use alloc::format;
use alloc::string::String;

use ice_ir::{
    FunctionKind, GlobalDecl, GlobalKind, GuardSource, Intrinsic, Linkage, Mutability, Name, Segment,
    Signature, SignedReturn, StackGuard, StackProtection, Symbol, Type,
};

use super::machine::BranchTracking;
use super::module::unsupported;
use super::reader::Builder;
use super::runtime::{declare, known_or_declared};
use crate::llvm::wire::attributes::FunctionFlags;
use crate::llvm::wire::constants::Checked;
use crate::llvm::wire::metadata::{FlagValue, ModuleFlag};

/// The function that ends a program whose stack was overrun.
const FAIL: &[u8] = b"__stack_chk_fail";
/// The variable with the number that guards frames, on machines that have no other place for it.
const GUARD: &[u8] = b"__stack_chk_guard";

/// The flag of modules whose functions have type words.
pub(super) const TYPE_WORDS: &str = "kcfi";

impl Builder<'_> {
    /// What the flag says, if the module has it.
    fn flag(&self, key: &str) -> Option<&FlagValue> {
        flag(&self.flags, key)
    }

    pub(super) fn is_set(&self, key: &str) -> bool {
        is_set(&self.flags, key)
    }

    /// The text of a flag; empty without the flag.
    fn text_flag(&self, key: &str) -> Checked<String> {
        match self.flag(key) {
            None => Ok(String::new()),
            Some(FlagValue::Text(text)) => Ok(String::from_utf8_lossy(text).into_owned()),
            Some(_) => Err(unsupported(&format!("the module flag {key} without a text"))),
        }
    }

    /// Once all of the module is read.
    pub(super) fn harden(&mut self) -> Checked<()> {
        let tracking = self.legal.machine().branch_tracking;
        let mut not_built = ["kcfi-offset", "sign-return-address-with-bkey"].to_vec();
        if tracking != Some(BranchTracking::Targets) {
            not_built.extend(["branch-target-enforcement", "sign-return-address", "guarded-control-stack"]);
        }
        match tracking {
            None => {}
            Some(BranchTracking::ControlFlow) => {
                self.module.hardening.tracks_branches = self.is_set("cf-protection-branch");
                self.module.hardening.has_shadow_stack = self.is_set("cf-protection-return");
            }
            Some(BranchTracking::Targets) => self.track_targets()?,
        }
        self.module.hardening.checks_types = self.is_set(TYPE_WORDS);
        if let Some(flag) = not_built.into_iter().find(|flag| self.is_set(flag)) {
            return Err(unsupported(&format!("the module flag {flag}")));
        }
        let mut decls = self.module.functions.values();
        if decls.any(|decl| decl.traits.protection != StackProtection::None) {
            self.module.hardening.stack_guard = Some(self.stack_guard()?);
        }
        Ok(())
    }

    /// Landings in all functions, and signed return addresses where functions, or if they say nothing the module, ask for them.
    fn track_targets(&mut self) -> Checked<()> {
        let asks = self.module.functions.iter().any(|(id, decl)| {
            let list = self.attributes.list(self.functions[id].attributes.into());
            let asks = list.is_ok_and(|list| list.function.flags.has(FunctionFlags::BRANCH_TARGETS));
            asks && decl.kind == FunctionKind::Defined
        });
        let hardening = &mut self.module.hardening;
        hardening.tracks_branches = asks || is_set(&self.flags, "branch-target-enforcement");
        hardening.has_shadow_stack = is_set(&self.flags, "guarded-control-stack");
        hardening.signs_returns = is_set(&self.flags, "sign-return-address");
        let usual = match (hardening.signs_returns, is_set(&self.flags, "sign-return-address-all")) {
            (false, _) => SignedReturn::Never,
            (true, false) => SignedReturn::WhereSaved,
            (true, true) => SignedReturn::Always,
        };
        for (id, decl) in &mut self.module.functions {
            if decl.kind != FunctionKind::Defined {
                continue;
            }
            let own = self.attributes.list(self.functions[id].attributes.into())?.function;
            // The text in the body is all there is.
            if !own.flags.has(FunctionFlags::NAKED) {
                decl.traits.landing = hardening.tracks_branches;
                decl.traits.signed_return = own.signed_return.unwrap_or(usual);
            }
        }
        Ok(())
    }

    /// How the frames of the module are guarded.
    fn stack_guard(&mut self) -> Checked<StackGuard> {
        let nothing = Signature::new(alloc::vec::Vec::new(), Type::Void);
        let Some(fail) = known_or_declared(&mut self.module, FAIL, nothing) else {
            return Err(unsupported("a function __stack_chk_fail with parameters or a result"));
        };
        let traits = &mut self.module.functions[fail].traits;
        (traits.noreturn, traits.nounwind) = (true, true);
        Ok(StackGuard { source: self.guard_source()?, fail })
    }

    /// Where the number is that guards frames: where the flags say, else where programs of the machine have it.
    fn guard_source(&mut self) -> Checked<GuardSource> {
        let mode = self.text_flag("stack-protector-guard")?;
        let register = self.text_flag("stack-protector-guard-reg")?;
        let symbol = self.text_flag("stack-protector-guard-symbol")?;
        let refused = |what: &str| unsupported(&format!("the module flag stack-protector-guard{what}"));
        let in_thread = self.legal.machine().thread_guard.filter(|_| is_gnu_linux(&self.triple));
        let guard = match (&mode[..], in_thread) {
            ("" | "tls", Some(guard)) => guard,
            ("" | "global", _) => return self.guard_variable(),
            _ => return Err(refused(&format!("={mode} on this machine"))),
        };
        if !symbol.is_empty() {
            return Err(refused(&format!("-symbol={symbol}")));
        }
        let segment = match &register[..] {
            "" => guard.segment,
            name => Segment::from_name(name).ok_or_else(|| refused(&format!("-reg={name}")))?,
        };
        let offset = match self.flag("stack-protector-guard-offset") {
            None => guard.offset,
            Some(&FlagValue::Number(offset)) => match i32::try_from(offset) {
                // LLVM's number for none.
                Ok(i32::MAX) => guard.offset,
                Ok(offset) => offset,
                Err(_) => return Err(refused(&format!("-offset={offset}"))),
            },
            Some(_) => return Err(refused("-offset without a number")),
        };
        let pointer = self.module.pointer_type;
        let signature = Signature::new(alloc::vec![Type::I32, Type::I32], pointer);
        let kind = FunctionKind::Intrinsic(Intrinsic::SegmentWord);
        let read = declare(&mut self.module, b"llvm.ice.segment.word", signature, kind);
        Ok(GuardSource::Segment { read, segment, offset })
    }

    /// The variable of the C library.
    fn guard_variable(&mut self) -> Checked<GuardSource> {
        let known = self.module.globals.iter().find(|(_, decl)| self.module.name(decl.name) == GUARD);
        if let Some((id, _)) = known {
            return Ok(GuardSource::Variable(id));
        }
        if self.module.function_by_name(GUARD).is_some() {
            return Err(unsupported("a function __stack_chk_guard"));
        }
        let pointer_log2 = self.layout.pointer_bytes.trailing_zeros() as u8;
        let start = self.module.initializers.len() as u32;
        let range = start..start;
        let mut decl = GlobalDecl::new(Name::default(), Some(pointer_log2), Mutability::Variable, range);
        (decl.linkage, decl.kind) = (Linkage::External, GlobalKind::Declared);
        let id = self.module.globals.push(decl);
        self.module.set_symbol_name(Symbol::Global(id), GUARD.iter().copied());
        Ok(GuardSource::Variable(id))
    }
}

/// What the flag says, if there is one.
fn flag<'f>(flags: &'f [ModuleFlag], key: &str) -> Option<&'f FlagValue> {
    flags.iter().find(|flag| flag.key == key.as_bytes()).map(|flag| &flag.value)
}

fn is_set(flags: &[ModuleFlag], key: &str) -> bool {
    !matches!(flag(flags, key), None | Some(FlagValue::Number(0)))
}

/// Whether the C library of the target keeps the number with each thread: that of Linux, unless it is Android's, which does
/// so from version 17 on.
fn is_gnu_linux(triple: &[u8]) -> bool {
    let triple = String::from_utf8_lossy(triple);
    let Some(android) = triple.split('-').find_map(|part| part.strip_prefix("android")) else {
        return triple.is_empty() || triple.contains("-linux");
    };
    let version = android.trim_start_matches("eabi");
    version.parse().is_ok_and(|version: u32| version >= 17)
}
