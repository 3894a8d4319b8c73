//! Variables of threads: in straight code and in loops, where their addresses may be kept.

use super::Text;

const TYPES: [&str; 4] = ["i8", "i16", "i32", "i64"];

/// Functions that count in thread-local variables, of which each side has its own.
pub fn functions(text: &mut Text) {
    for ty in TYPES {
        for n in 0..2 {
            text.global(&format!("@{ty}_{n} = thread_local global {ty} {}, align 8", 7 + n));
        }
        text.global(&format!("@{ty}_plain = internal global {ty} 9, align 8"));
        text.function(
            ty,
            &format!("once_{ty}"),
            &format!("{ty} %a"),
            &format!(
                "  %v = load {ty}, ptr @{ty}_0\n  %w = add {ty} %v, %a\n  store {ty} %w, ptr @{ty}_0\n  ret {ty} %w\n"
            ),
        );
        // One variable, two, and one beside a plain one.
        for (name, first, second) in [
            ("one", format!("{ty}_0"), format!("{ty}_0")),
            ("two", format!("{ty}_0"), format!("{ty}_1")),
            ("beside_plain", format!("{ty}_1"), format!("{ty}_plain")),
        ] {
            text.function(
                ty,
                &format!("loop_{name}_{ty}"),
                &format!("{ty} %a, i32 %i"),
                &format!(
                    "entry:\n  %count = and i32 %i, 7\n  br label %again\nagain:\n  \
                     %n = phi i32 [ 0, %entry ], [ %m, %again ]\n  %x = phi {ty} [ %a, %entry ], [ %y, %again ]\n  \
                     %v = load {ty}, ptr @{first}\n  %y = add {ty} %x, %v\n  %w = load {ty}, ptr @{second}\n  \
                     %z = xor {ty} %w, %y\n  store {ty} %z, ptr @{second}\n  %m = add i32 %n, 1\n  \
                     %end = icmp ugt i32 %m, %count\n  br i1 %end, label %done, label %again\ndone:\n  ret {ty} %y\n"
                ),
            );
        }
    }
}
