//! Tables of machine instructions: one row an instruction.
//!
//! Problem: what an instruction is to the allocator (operands with their constraints, in order), to the printer, to the
//! layout of the code (its longest size) and to the encoder must agree, for each of a hundred instructions. Method: a back
//! end has one macro that holds the rows and hands them to a reader; each reader below takes the columns that it needs.
//!
//! ```text
//! Name { field: Type, … } is Role "form" [field: kind(class), …] max bytes => encoding;
//! ```
//!
//! * `is Role`: a [`Role`](super::Role), where it is not the usual one.
//! * `"form"`: how the instruction prints, with its fields in braces; see [`text`](super::text).
//! * the operands, in the order in which the allocator sees them and gives their places. A kind is a method of
//!   [`OperandVisitor`], or of a trait that the back end implements for it, and one of the same name of the back end's
//!   emitter: the first tells the allocator what is wanted, the second takes what came of it. Both get the field and
//!   then the arguments in parentheses.
//! * `max bytes`: a bound of the size, where the back end needs one.
//! * the encoding: an expression over the fields, in which the operands are what the emitter has taken for them.
//!
//! The rows begin with the two names that the bound and the encoding have for the state that they ask, as in
//! `|em, bound|`. A row that lacks something does not compile, nor does one that says something twice.
//!
//! Cost: none; each reader becomes one `match`.

use super::{Operand, RegClass, VReg};
use ice_regalloc::PReg;

/// Tells an allocator operands, each by its kind: the constructors of [`Operand`] and what several targets need beside.
pub struct OperandVisitor<F>(pub F);

macro_rules! kinds {
    ($($kind:ident($($arg:ident: $ty:ty),*);)*) => {$(
        #[doc = concat!("An operand of [`Operand::", stringify!($kind), "`].")]
        #[inline(always)]
        pub fn $kind(&mut self, vreg: VReg, class: RegClass $(, $arg: $ty)*) {
            (self.0)(Operand::$kind(vreg, class $(, $arg)*));
        }
    )*};
}

impl<F: FnMut(Operand)> OperandVisitor<F> {
    kinds! {
        use_reg();
        use_any();
        use_late_reg();
        def_reg();
        def_early_reg();
        use_def_reg();
        use_fixed(reg: PReg);
        use_late_fixed(reg: PReg);
        def_fixed(reg: PReg);
        def_early_fixed(reg: PReg);
        use_def_fixed(reg: PReg);
    }

    /// An operand that may be missing.
    #[inline(always)]
    pub fn use_reg_if(&mut self, vreg: Option<VReg>, class: RegClass) {
        if let Some(vreg) = vreg {
            self.use_reg(vreg, class);
        }
    }

    /// Two operands, each in its register.
    #[inline(always)]
    pub fn use_fixed_pair(&mut self, pair: [VReg; 2], class: RegClass, regs: [PReg; 2]) {
        self.use_fixed(pair[0], class, regs[0]);
        self.use_fixed(pair[1], class, regs[1]);
    }

    /// Two operands in registers that nothing written here shares.
    #[inline(always)]
    pub fn use_late_pair(&mut self, pair: [VReg; 2], class: RegClass) {
        self.use_late_reg(pair[0], class);
        self.use_late_reg(pair[1], class);
    }

    /// Two operands, each in its register, which stays unwritten here.
    #[inline(always)]
    pub fn use_late_fixed_pair(&mut self, pair: [VReg; 2], class: RegClass, regs: [PReg; 2]) {
        self.use_late_fixed(pair[0], class, regs[0]);
        self.use_late_fixed(pair[1], class, regs[1]);
    }

    /// Two results, each in its register.
    #[inline(always)]
    pub fn def_fixed_pair(&mut self, pair: [VReg; 2], class: RegClass, regs: [PReg; 2]) {
        self.def_fixed(pair[0], class, regs[0]);
        self.def_fixed(pair[1], class, regs[1]);
    }

    /// Two results, each in its register, which no use shares.
    #[inline(always)]
    pub fn def_early_fixed_pair(&mut self, pair: [VReg; 2], class: RegClass, regs: [PReg; 2]) {
        self.def_early_fixed(pair[0], class, regs[0]);
        self.def_early_fixed(pair[1], class, regs[1]);
    }
}

/// Reads the rows of a table as the instruction type `Inst`, with what the allocator asks of it: `visit_row`, the
/// operands of a row and its role.
#[macro_export]
macro_rules! insts {
    (|$em:ident, $bound:ident| $(
        $(#[$doc:meta])*
        $name:ident $({ $($field:ident: $ty:ty),* })? $(is $role:ident)? $form:literal
        [$($of:ident: $kind:ident($($arg:expr),*)),*] $(max $max:expr)? => $encode:expr;
    )*) => {
        /// One machine instruction.
        #[allow(missing_docs, reason = "fields are the operands of the instruction that the variant is named after")]
        #[derive(Clone, Copy, Debug)]
        pub enum Inst {
            $($(#[$doc])* $name $({ $($field: $ty),* })?,)*
        }

        impl Inst {
            // Into the one place that adds instructions.
            #[inline(always)]
            #[allow(unused_variables, reason = "not every field is an operand")]
            fn visit_row(
                &self,
                mut visitor: $crate::mach::OperandVisitor<impl FnMut($crate::mach::Operand)>,
            ) -> $crate::mach::Role {
                match *self {
                    $(Inst::$name $({ $($field),* })? => {
                        $(visitor.$kind($of $(, $arg)*);)*
                        $crate::insts!(@role $($role)?)
                    })*
                }
            }
        }
    };
    (@role) => { $crate::mach::Role::Usual };
    (@role $role:ident) => { $crate::mach::Role::$role };
}

/// Reads the rows of a table as the function `row_bound` of `$this`: the longest size of an instruction in bytes.
#[macro_export]
macro_rules! inst_bounds {
    (|$em:ident, $bound:ident| $(
        $(#[$doc:meta])*
        $name:ident $({ $($field:ident: $ty:ty),* })? $(is $role:ident)? $form:literal
        [$($of:ident: $kind:ident($($arg:expr),*)),*] max $max:expr => $encode:expr;
    )*) => {
        /// A bound of the bytes of `inst`.
        #[inline(always)]
        #[allow(unused_variables, reason = "nearly all bounds are constants")]
        fn inst(&self, inst: &Inst) -> u32 {
            let $bound = self;
            match inst {
                $(Inst::$name $({ $($field),* })? => $max,)*
            }
        }
    };
}

/// Reads the rows of a table as the method `dispatch` of an emitter: takes the operands of an instruction and encodes it.
#[macro_export]
macro_rules! encode_insts {
    (|$em:ident, $bound:ident| $(
        $(#[$doc:meta])*
        $name:ident $({ $($field:ident: $ty:ty),* })? $(is $role:ident)? $form:literal
        [$($of:ident: $kind:ident($($arg:expr),*)),*] $(max $max:expr)? => $encode:expr;
    )*) => {
        /// Emits any instruction as its row says.
        pub(super) fn dispatch(&mut self, inst: &Inst) {
            let $em = self;
            match *inst {
                $(
                    #[allow(unused_variables, reason = "the encoding names what it needs")]
                    Inst::$name $({ $($field),* })? => {
                        $(let $of = $em.$kind($of $(, $arg)*);)*
                        $encode
                    }
                )*
            }
        }
    };
}

/// What a [`MachInst`](crate::mach::MachInst) says by its rows; stands in its `impl`, before what only the machine knows.
#[macro_export]
macro_rules! row_methods {
    () => {
        #[inline(always)]
        fn visit_operands(&self, visit: impl FnMut($crate::mach::Operand)) -> $crate::mach::Role {
            self.visit_row($crate::mach::OperandVisitor(visit))
        }

        fn write(&self, out: &mut dyn core::fmt::Write) -> core::fmt::Result {
            self.write_row(out)
        }
    };
}

/// Reads the rows of a table as text: `write_row` of `Inst`, and how an `Inst` is read.
#[macro_export]
macro_rules! inst_text {
    (|$em:ident, $bound:ident| $(
        $(#[$doc:meta])*
        $name:ident $({ $($field:ident: $ty:ty),* })? $(is $role:ident)? $form:literal
        [$($of:ident: $kind:ident($($arg:expr),*)),*] $(max $max:expr)? => $encode:expr;
    )*) => {
        impl Inst {
            /// Writes the instruction in the form of its row.
            pub(crate) fn write_row(&self, out: &mut dyn core::fmt::Write) -> core::fmt::Result {
                use $crate::mach::text::{FieldText, write_form};
                #[allow(unused_imports, reason = "for rows that have fields")]
                match self {
                    $(Inst::$name $({ $($field),* })? => {
                        write_form::<Inst>(out, $form, &[$($((stringify!($field), $field as &dyn FieldText<Inst>)),*)?])
                    })*
                }
            }
        }

        impl $crate::mach::text::ReadInst for Inst {
            /// The one row whose form the text has.
            fn read(text: &str) -> Option<Inst> {
                use $crate::mach::text::{FieldText, Reader, read_form};
                let mut found = None;
                $({
                    $($(let mut $field: Option<$ty> = None;)*)?
                    #[allow(unused_variables, reason = "some rows have no fields")]
                    let field = |name: &str, reader: &mut Reader<'_>| match name {
                        $($(stringify!($field) => {
                            $field = <$ty as FieldText<Inst>>::read(reader);
                            $field.is_some()
                        })*)?
                        _ => false,
                    };
                    if read_form(text, $form, field)
                        && found.replace(Inst::$name $({ $($field: $field?),* })?).is_some()
                    {
                        return None;
                    }
                })*
                found
            }
        }
    };
}
