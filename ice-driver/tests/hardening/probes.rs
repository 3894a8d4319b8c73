//! Frames and objects of the stack that are larger than its guard: every page is touched on the way, so that the program
//! ends where the guard is and writes nothing behind it.

use super::{AARCH64, ARMV7, I686, LEVELS, MIPSEL, Source, X86_64};
use crate::common::{can_run, expect_success};

const STACKS: &str = include_str!("stacks.c");

/// Of threads with a guard of one page, behind which lies memory of the program: a frame of several MiB, objects of a size
/// that is known at run time alone, and many frames of less than a page each.
#[test]
fn no_page_of_a_stack_is_jumped_over() {
    for target in [&X86_64, &I686, &ARMV7, &MIPSEL, &AARCH64] {
        if !can_run(target.name) {
            continue;
        }
        let Some(source) = Source::new(target, "stacks.c", STACKS) else { return };
        for flags in [&["-O1", "-fstack-clash-protection"][..], &["-O1"]] {
            let bitcode = source.bitcode(flags);
            for recipe in LEVELS {
                let program = source.link(&source.translate(&bitcode, &[recipe]));
                for kind in 0..5 {
                    let kind = kind.to_string();
                    let what = format!("{} {flags:?} {recipe} {kind}", target.name);
                    // What fits.
                    let output = source.run(&program, &[&kind, "fits"]);
                    expect_success(&output, &what);
                    assert_eq!(output.stdout, b"done\n", "{what}");
                    // What does not: the handler of the fault says where it was.
                    let output = source.run(&program, &[&kind, "too much"]);
                    assert_eq!(
                        String::from_utf8_lossy(&output.stdout),
                        "in the guard\n",
                        "{what}: {output:?}"
                    );
                }
            }
        }
    }
}
