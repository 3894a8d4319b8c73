//! Translators with a planted fault.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A translator with the command line of `ice translate` that edits the module and lets llc translate it.
pub fn planted(name: &str, edit: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let script = format!(
        "#!/bin/sh\n# translate FLAGS -o OBJECT BITCODE --relocation-model MODEL\n\
         while [ \"$1\" != -o ]; do shift; done\n\
         llvm-dis-19 -o - \"$3\" | sed -E '{edit}' | \
         llc-19 -O1 --relocation-model=\"$5\" --filetype=obj -o \"$2\"\n"
    );
    std::fs::write(&path, script).expect("a script");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("a program");
    path
}
