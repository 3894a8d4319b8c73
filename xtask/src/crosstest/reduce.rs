//! Makes a program small that gives another result when translated: delta debugging on the lines of its text.
//!
//! Method: `ddmin` (Zeller and Hildebrandt 2002) with four kinds of edits, tried on all places, halves,
//! quarters, … and single ones until none helps: leave an instruction without a result out; let a result be a constant; let
//! a conditional branch or switch go one way; let a function do nothing but return zero. Every candidate is a
//! whole program: the interpreter must run it to its end, and the target must still disagree with it. A
//! constant takes the place of its instruction and keeps its number, so no other line changes; a branch that
//! loses a target takes the entries of that edge out of the target's phis.
//!
//! An edit may bring in what the program did not have: a load of memory that nothing wrote, which differs without
//! a fault. So another target that agrees with the interpreter at first must go on agreeing, and the functions
//! that print the results stay as they are.
//!
//! Cost: an interpretation and a build for each candidate, O(n log n) of them in the usual case for n lines.

use super::interpreter::{INTERPRETER_LIMIT, Plan};
use crate::process::{End, difference};
use crate::workspace::{TARGETS, show};
use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

type Lines = Vec<String>;

struct Reducer<'a> {
    plan: &'a Plan,
    scratch: PathBuf,
    /// Time for one run; edits make endless loops.
    limit: Duration,
    /// A target that must go on agreeing with the interpreter.
    witness: Option<&'static str>,
    tried: usize,
}

impl Reducer<'_> {
    /// Whether the program still runs in the interpreter and gives another result when translated.
    fn is_faulty(&mut self, lines: &Lines) -> anyhow::Result<bool> {
        self.tried += 1;
        std::fs::write(&self.scratch, lines.join("\n") + "\n").with_context(|| show(&self.scratch))?;
        let expected = self.plan.interpret(&self.scratch, self.limit)?;
        if expected.end != End::Exit(0) {
            return Ok(false);
        }
        let got =
            self.plan.translated(&self.scratch, &self.plan.targets[0], self.plan.recipes[0], self.limit)?;
        if difference(&expected, &got).is_none() {
            return Ok(false);
        }
        match self.witness {
            None => Ok(true),
            Some(target) => {
                let witness =
                    self.plan.translated(&self.scratch, target, self.plan.recipes[0], self.limit)?;
                Ok(difference(&expected, &witness).is_none())
            }
        }
    }

    /// Applies `edit` to as many of the places that `find` names as it can, one of `parts` equal parts of them
    /// at a time, from the last to the first; an edit may take lines out only behind its own.
    fn pass(&mut self, lines: &mut Lines, (find, edit): Kind, parts: usize) -> anyhow::Result<bool> {
        let mut changed = false;
        let mut end = find(lines).len();
        let size = end.div_ceil(parts).max(1);
        while end > 0 {
            let places = find(lines);
            end = end.min(places.len());
            let start = end.saturating_sub(size);
            let mut candidate = lines.clone();
            for &place in places[start..end].iter().rev() {
                edit(&mut candidate, place);
            }
            if candidate != *lines && self.is_faulty(&candidate)? {
                *lines = candidate;
                changed = true;
            }
            end = start;
        }
        Ok(changed)
    }
}

/// Where a kind of edit can be made, and the edit at one of these places.
type Kind = (fn(&Lines) -> Vec<usize>, fn(&mut Lines, usize));

const KINDS: [Kind; 6] = [
    (functions, make_empty),
    (branches, go_first),
    (branches, go_last),
    (effects, remove),
    (results, make_constant),
    (unused, remove),
];

/// The result of a line `v3: i32 = add …`, if it has one and is no constant.
fn result(line: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = line.trim_start().split_once(": ")?;
    let (ty, operation) = rest.split_once(" = ")?;
    let is_value = name.strip_prefix('v').is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    let is_operation = operation.starts_with(|c: char| c.is_ascii_lowercase());
    let is_constant = ["undef", "true", "false"].contains(&operation);
    (is_value && is_operation && !is_constant).then_some((name, ty, operation))
}

/// The text of zero, for the types that have constants.
fn zero(ty: &str) -> Option<&'static str> {
    match ty {
        "i1" => Some("false"),
        "i8" | "i16" | "i32" | "i64" => Some("0"),
        "f32" | "f64" => Some("0x0"),
        _ => None,
    }
}

/// Places, without those in the functions that connect the program with its host and print its results.
fn lines_where(lines: &Lines, is_place: impl Fn(&str) -> bool) -> Vec<usize> {
    let host = lines.iter().position(|line| line.contains("@host_")).unwrap_or(lines.len());
    (0..host).filter(|&at| is_place(&lines[at])).collect()
}

fn effects(lines: &Lines) -> Vec<usize> {
    let words = ["store ", "call ", "call_indirect ", "tail "];
    lines_where(lines, |line| words.iter().any(|word| line.starts_with(&format!("  {word}"))))
}

fn remove(lines: &mut Lines, at: usize) {
    lines.remove(at);
}

fn results(lines: &Lines) -> Vec<usize> {
    lines_where(lines, |line| result(line).is_some_and(|(_, ty, _)| zero(ty).is_some()))
}

/// Puts `v3: i32 = 0` before the first block of the function in place of the line.
fn make_constant(lines: &mut Lines, at: usize) {
    let Some((name, ty, _)) = result(&lines[at]) else { return };
    let Some(number) = zero(ty) else { return };
    let constant = format!("  {name}: {ty} = {number}");
    let Some(entry) = lines[..at].iter().rposition(|line| line == "block0:") else { return };
    lines.remove(at);
    lines.insert(entry, constant);
}

/// Results that no line of the function uses.
fn unused(lines: &Lines) -> Vec<usize> {
    let mut places = Vec::new();
    let mut start = 0;
    for end in lines_where(lines, |line| line == "}") {
        let body = &lines[start..end];
        let mut words: Vec<&str> = Vec::new();
        for line in body {
            let operands = line.split_once(" = ").map_or(&**line, |(_, operands)| operands);
            words.extend(operands.split(|c: char| !c.is_ascii_alphanumeric()));
        }
        words.sort_unstable();
        for (offset, line) in body.iter().enumerate() {
            let name = line.strip_prefix("  ").and_then(|line| line.split_once(": ")).map(|(name, _)| name);
            if name.is_some_and(|name| line.contains(" = ") && words.binary_search(&name).is_err()) {
                places.push(start + offset);
            }
        }
        start = end + 1;
    }
    places
}

fn branches(lines: &Lines) -> Vec<usize> {
    lines_where(lines, |line| line.starts_with("  br v") || line.starts_with("  switch v"))
}

/// The blocks that a terminator names, in order.
fn targets(line: &str) -> Vec<String> {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| word.starts_with("block")).map(str::to_owned).collect()
}

fn go_first(lines: &mut Lines, at: usize) {
    go(lines, at, <[String]>::first);
}

fn go_last(lines: &mut Lines, at: usize) {
    go(lines, at, <[String]>::last);
}

/// Makes a terminator an unconditional branch and takes the lost edges out of the phis of their targets.
fn go(lines: &mut Lines, at: usize, pick: fn(&[String]) -> Option<&String>) {
    let all = targets(&lines[at]);
    let Some(kept) = pick(&all).cloned() else { return };
    let is_label = |line: &String| line.starts_with("block") && line.ends_with(':');
    let Some(head) = lines[..at].iter().rposition(is_label) else { return };
    let from = lines[head].trim_end_matches(':').to_owned();
    lines[at] = format!("  br {kept}");
    let start = lines[..at].iter().rposition(|line| line.ends_with('{')).unwrap_or(0);
    let end = lines[at..].iter().position(|line| line == "}").map_or(lines.len(), |n| at + n);
    let mut block = String::new();
    for line in &mut lines[start..end] {
        if is_label(line) {
            block = line.trim_end_matches(':').to_owned();
        }
        let Some((left, entries)) = line.split_once(" = phi ") else { continue };
        let lost = all.iter().filter(|&target| *target == block).count()
            - usize::from(block == kept && all.contains(&block));
        if lost == 0 {
            continue;
        }
        let mut to_drop = lost;
        let entries: Vec<&str> = entries
            .split("], ")
            .map(|entry| entry.trim_end_matches(']'))
            .filter(|entry| {
                let drop = to_drop > 0 && entry.ends_with(&format!(", {from}"));
                to_drop -= usize::from(drop);
                !drop
            })
            .collect();
        *line = match entries.is_empty() {
            true => format!("{left} = phi"),
            false => format!("{left} = phi {}]", entries.join("], ")),
        };
    }
}

fn functions(lines: &Lines) -> Vec<usize> {
    lines_where(lines, |line| {
        line.starts_with("define ") && !line.contains("@_start") && !line.contains("@host_")
    })
}

/// Leaves nothing of a function but a return of zero.
fn make_empty(lines: &mut Lines, at: usize) {
    let Some(length) = lines[at..].iter().position(|line| line == "}") else { return };
    let ty = lines[at].rsplit("-> ").next().and_then(|ty| ty.split([' ', ':']).next()).unwrap_or_default();
    let body = match (ty, zero(ty)) {
        ("void", _) => vec!["block0:".to_owned(), "  ret".to_owned()],
        (_, Some(number)) => {
            vec![format!("  v4000000: {ty} = {number}"), "block0:".to_owned(), "  ret v4000000".to_owned()]
        }
        _ => return,
    };
    lines.splice(at + 1..at + length, body);
}

/// Reduces `file` and writes `FILE.reduced.ice`.
pub fn reduce(plan: &Plan, file: &Path) -> anyhow::Result<()> {
    ensure!(plan.targets.len() == 1, "name the one target with --targets");
    let text = std::fs::read_to_string(file).with_context(|| show(file))?;
    let mut lines: Lines = text.lines().map(str::to_owned).collect();
    let scratch = file.with_extension("candidate.ice");
    let mut reducer = Reducer { plan, scratch, limit: INTERPRETER_LIMIT, witness: None, tried: 0 };
    let start = Instant::now();
    ensure!(reducer.is_faulty(&lines)?, "{}: gives the same result on {}", file.display(), plan.targets[0]);
    let limit = start.elapsed() * 2 + Duration::from_millis(200);
    for target in TARGETS.into_iter().filter(|target| *target != plan.targets[0]) {
        reducer.witness = Some(target);
        if reducer.is_faulty(&lines)? {
            break;
        }
        reducer.witness = None;
    }
    match reducer.witness {
        Some(target) => println!("{target} agrees with the interpreter and has to go on agreeing"),
        None => {
            println!("no other target agrees with the interpreter: look out for results that are undefined")
        }
    }
    reducer.limit = limit;
    let before = lines.len();
    let reduced = file.with_extension("reduced.ice");
    // All kinds coarsely before any of them finely, as each takes work from the others.
    loop {
        let (mut changed, mut parts) = (false, 1);
        loop {
            for kind in KINDS {
                changed |= reducer.pass(&mut lines, kind, parts)?;
            }
            // What there is so far is of use to whoever does not wait.
            std::fs::write(&reduced, lines.join("\n") + "\n").with_context(|| show(&reduced))?;
            println!("{} lines after {} candidates, in parts of 1/{parts}", lines.len(), reducer.tried);
            let most = KINDS.iter().map(|(find, _)| find(&lines).len()).max().unwrap_or(0);
            if parts >= most {
                break;
            }
            parts *= 2;
        }
        if !changed {
            break;
        }
    }
    std::fs::remove_file(&reducer.scratch).with_context(|| show(&reducer.scratch))?;
    println!("{before} lines became {}: {}", lines.len(), reduced.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Lines {
        text.lines().map(str::to_owned).collect()
    }

    const FUNCTION: &str = "define internal @f(v0: i32) -> i32 {
  v1: i1 = true
block0:
  v2: i32 = add v0, v0
  store v2 to v0, align 1
  br v1, block1, block2
block1:
  v3: i32 = phi [v2, block0], [v3, block1]
  br block1
block2:
  v4: i32 = phi [v2, block0]
  ret v2
}";

    #[test]
    fn results_become_constants() {
        let mut text = lines(FUNCTION);
        assert_eq!(results(&text), [3, 7, 10]);
        make_constant(&mut text, 3);
        assert_eq!(text[1..4], ["  v1: i1 = true", "  v2: i32 = 0", "block0:"]);
        assert_eq!(text.len(), lines(FUNCTION).len());
    }

    #[test]
    fn unused_results_are_found() {
        assert_eq!(unused(&lines(FUNCTION)), [10]);
        assert_eq!(effects(&lines(FUNCTION)), [4]);
    }

    #[test]
    fn a_lost_edge_leaves_the_phis() {
        let mut text = lines(FUNCTION);
        go_last(&mut text, 5);
        assert_eq!(text[5], "  br block2");
        assert_eq!(text[7], "  v3: i32 = phi [v3, block1]");
        assert_eq!(text[10], "  v4: i32 = phi [v2, block0]");
        let mut text = lines(FUNCTION);
        go_first(&mut text, 5);
        assert_eq!(text[10], "  v4: i32 = phi");
    }

    #[test]
    fn functions_become_empty() {
        let mut text = lines(FUNCTION);
        make_empty(&mut text, functions(&lines(FUNCTION))[0]);
        assert_eq!(text[1..], ["  v4000000: i32 = 0", "block0:", "  ret v4000000", "}"]);
    }
}
