//! Documents name files that exist.

use std::fs;
use std::path::{Path, PathBuf};

/// Documents that say where things are.
const MAPS: [&str; 3] = ["ARCHITECTURE.md", "README.md", "docs/porting.md"];

/// What a path with alternatives in braces stands for.
fn alternatives(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let (names, after) = rest.split_once('}').expect("braces come in pairs");
    names.split(',').map(|name| format!("{before}{name}{after}")).collect()
}

/// The folders of the workspace that a path with a star at the end of its first name stands for.
fn expand(root: &Path, path: &str) -> Vec<PathBuf> {
    let Some((prefix, rest)) = path.split_once('*') else { return vec![root.join(path)] };
    let entries =
        fs::read_dir(root).expect("the workspace").map(|entry| entry.expect("an entry").file_name());
    let names = entries.map(|name| name.to_string_lossy().into_owned());
    let found: Vec<_> =
        names.filter(|name| name.starts_with(prefix)).map(|name| root.join(name + rest)).collect();
    assert!(!found.is_empty(), "{path}: no such folder");
    found
}

#[test]
fn every_path_of_the_maps_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let mut count = 0;
    for map in MAPS {
        let text = fs::read_to_string(root.join(map)).expect(map);
        // Code spans are every second piece between single backticks.
        for span in text.replace("```", "").split('`').skip(1).step_by(2) {
            let is_path = !span.contains(char::is_whitespace)
                && span.contains('/')
                && (span.starts_with("ice-") || span.starts_with("xtask/") || span.starts_with("docs/"));
            for path in is_path.then(|| alternatives(span)).into_iter().flatten() {
                for file in expand(root, &path) {
                    assert!(file.exists(), "{map} names {path}");
                    count += 1;
                }
            }
        }
    }
    assert!(count > 30, "only {count} paths were found");
}

/// What `docs/porting.md` shows as a newcomer's change is one that can be made today: what stands around it is in the
/// files, and what it adds is not. Adding an instruction takes at most 6 lines in 2 files.
#[test]
fn the_change_shown_for_porting_fits() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let text = fs::read_to_string(root.join("docs/porting.md")).expect("docs/porting.md");
    let diff = text.split("```diff\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a change");
    let (mut files, mut added) = (0, 0);
    for file in diff.split("--- a/").skip(1) {
        let name = file.lines().next().expect("the name of a file");
        let source = fs::read_to_string(root.join(name)).expect(name);
        for hunk in file.split("\n@@ ").skip(1) {
            let lines = hunk.lines().skip(1).filter(|line| !line.is_empty());
            let (new, old): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with('+'));
            let old: String = old.iter().map(|line| format!("{}\n", &line[1..])).collect();
            assert!(old.lines().count() > 3 && source.contains(&old), "{name}: this is not in it\n{old}");
            assert!(
                new.iter().all(|line| !source.contains(&line[1..])),
                "{name}: the change is made already"
            );
            added += new.len();
        }
        files += 1;
    }
    assert!(files == 2 && added > 0 && added <= 6, "{added} lines in {files} files");
}
