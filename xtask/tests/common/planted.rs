//! Translators with a planted fault.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A translator with the command line of `ice translate` that edits the module and lets llc translate it.
pub fn planted(name: &str, edit: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let script = format!(
        "#!/bin/sh\n# translate RECIPE --target TARGET -o OBJECT BITCODE --relocation-model MODEL\n\
         llvm-dis-19 -o - \"$7\" | sed -E '{edit}' | \
         llc-19 -O1 --relocation-model=\"$9\" --filetype=obj -o \"$6\"\n"
    );
    std::fs::write(&path, script).expect("a script");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("a program");
    path
}
