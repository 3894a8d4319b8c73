//! What the flags of ARM say of comparisons, in both of its states: the conditions of the 32-bit and of the 64-bit machine are
//! the same, though each encoder has its own.

/// Makes of an enum with the names of the conditions the functions `int_cond`, the condition of an integer predicate, and
/// `float_conds`, those after a comparison of floats, of which one holds, or what is known without one. Less sets N, equal Z and C,
/// greater C, unordered C and V (Arm Architecture Reference Manual, DDI 0487, C1.2.4; DDI 0406C, table A2-9).
#[macro_export]
macro_rules! arm_conditions {
    ($cond:ident) => {
        /// Condition of an integer predicate.
        pub(crate) fn int_cond(cond: ice_ir::IntCond) -> $cond {
            use ice_ir::IntCond;
            match cond {
                IntCond::Eq => $cond::Eq,
                IntCond::Ne => $cond::Ne,
                IntCond::Ugt => $cond::Hi,
                IntCond::Uge => $cond::Hs,
                IntCond::Ult => $cond::Lo,
                IntCond::Ule => $cond::Ls,
                IntCond::Sgt => $cond::Gt,
                IntCond::Sge => $cond::Ge,
                IntCond::Slt => $cond::Lt,
                IntCond::Sle => $cond::Le,
            }
        }

/// The conditions after a comparison of floats; whether it holds, where that is known.
        #[rustfmt::skip]
        fn float_conds(cond: ice_ir::FloatCond) -> Result<($cond, Option<$cond>), bool> {
            use ice_ir::FloatCond;
            Ok(match cond {
                FloatCond::False => return Err(false),
                FloatCond::True  => return Err(true),
                FloatCond::Oeq   => ($cond::Eq, None),
                FloatCond::Ogt   => ($cond::Gt, None),
                FloatCond::Oge   => ($cond::Ge, None),
                FloatCond::Olt   => ($cond::Mi, None),
                FloatCond::Ole   => ($cond::Ls, None),
                FloatCond::One   => ($cond::Mi, Some($cond::Gt)),
                FloatCond::Ord   => ($cond::Vc, None),
                FloatCond::Uno   => ($cond::Vs, None),
                FloatCond::Ueq   => ($cond::Eq, Some($cond::Vs)),
                FloatCond::Ugt   => ($cond::Hi, None),
                FloatCond::Uge   => ($cond::Pl, None),
                FloatCond::Ult   => ($cond::Lt, None),
                FloatCond::Ule   => ($cond::Le, None),
                FloatCond::Une   => ($cond::Ne, None),
            })
        }
    };
}
