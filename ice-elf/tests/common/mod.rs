//! What the tests share: external tools in a scratch folder, and code built by hand.
#![allow(dead_code)] // each test file uses a part

pub mod tools;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ice_elf::{AddendPlacement, Relocation, Target};

/// A folder for one test, removed when the test passes.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(test: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("ice-elf-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// Whether every tool is there; says so if not.
pub fn have(tools: &[&str]) -> bool {
    tools::has("reading and linking objects", tools)
}

/// Run a tool and demand success without any message.
pub fn run(tool: impl AsRef<std::ffi::OsStr>, args: &[&str], paths: &[&Path]) -> Output {
    let output = Command::new(tool.as_ref()).args(args).args(paths).output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && stderr.is_empty(),
        "{:?} {args:?} {paths:?}: {}\n{stdout}\n{stderr}",
        tool.as_ref(),
        output.status
    );
    output
}

/// Have `readelf` look at everything and accept it without a warning. Gives what it printed.
pub fn readelf(path: &Path) -> String {
    let output = run("readelf", &["-a", "-W"], &[path]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains("arning") && !text.contains("rror:") && !text.contains("<corrupt"), "{text}");
    text
}

/// Machine code written by hand, with its relocations.
#[derive(Default)]
pub struct Assembly {
    pub bytes: Vec<u8>,
    pub relocations: Vec<Relocation>,
}

impl Assembly {
    pub fn emit(&mut self, bytes: &[u8]) -> &mut Assembly {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// A field of four bytes.
    pub fn field(&mut self, r_type: u32, target: Target, addend: i64) -> &mut Assembly {
        self.relocate(r_type, target, addend, AddendPlacement::Width4).emit(&[0; 4])
    }

    /// A relocation of what is emitted next.
    pub fn relocate(
        &mut self,
        r_type: u32,
        target: Target,
        addend: i64,
        placement: AddendPlacement,
    ) -> &mut Assembly {
        self.relocations.push(relocation(self.bytes.len() as u64, r_type, target, addend, placement));
        self
    }
}

pub fn relocation(
    offset: u64,
    r_type: u32,
    target: Target,
    addend: i64,
    placement: AddendPlacement,
) -> Relocation {
    Relocation { offset, r_type, target, addend, placement }
}
