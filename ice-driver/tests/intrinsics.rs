//! Intrinsics of machines: programs of `intrinsics/` print what Ice's code gives, and must print what clang's code gives.

use crate::common;

use common::compiled::printed;
use common::tools::has;
use common::{can_run, ice};
use std::path::Path;
use std::process::Command;

#[test]
fn those_of_sse2_give_what_clangs_code_gives() {
    if !has("intrinsics", &["clang-19", "gcc"]) {
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/intrinsics/sse2.c");
    for target in ["x86_64", "i686"] {
        if !can_run(target) || target == "i686" && !has("intrinsics on i686", &["i686-linux-gnu-gcc"]) {
            continue;
        }
        let expected = printed(Command::new("clang-19"), target, "-O1", &source);
        assert!(expected.len() > 1 << 20);
        for level in ["-O0", "-O2"] {
            let mut compiler = ice();
            compiler.args(["cc", "--ice-clang=clang-19"]);
            let found = printed(compiler, target, level, &source);
            let lines =
                |text: &[u8]| String::from_utf8_lossy(text).lines().map(str::to_owned).collect::<Vec<_>>();
            for (found, expected) in lines(&found).iter().zip(&lines(&expected)) {
                assert_eq!(found, expected, "{target} {level}");
            }
            assert!(found == expected, "{target} {level}");
        }
    }
}
