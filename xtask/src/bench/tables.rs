//! Tables and charts made of figures, with those of the others beside them. A figure that was not measured is `-`.

use super::chart::{Bar, bars};
use super::figures::{Figures, Group};
use super::inputs::{BUILDERS, INPUTS, ORIGINAL_TARGETS, PROGRAMS, executed_programs};
use super::{COUNTED, RECIPES, name};
use crate::workspace::TARGETS;

/// A part of a document that is made.
pub struct Part {
    /// What marks it in the document.
    pub name: &'static str,
    pub make: fn(&Figures) -> String,
}

/// The parts of `docs/performance.md`.
pub const PARTS: [Part; 4] = [
    Part { name: "translation", make: translation },
    Part { name: "programs", make: programs },
    Part { name: "text", make: text },
    Part { name: "size", make: size },
];

/// The files of `docs/charts`.
pub const CHARTS: [Part; 2] = [
    Part { name: "translation.svg", make: translation_chart },
    Part { name: "programs.svg", make: programs_chart },
];

/// A table of markdown.
fn table(head: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut out = line(head) + &format!("|{}\n", "---|".repeat(head.len()));
    out.extend(rows.map(|row| line(&row)));
    out
}

fn show(figure: Option<f64>, digits: usize) -> String {
    figure.map_or_else(|| "-".into(), |figure| format!("{figure:.digits$}"))
}

fn ratio(figure: Option<u64>, by: Option<u64>) -> Option<f64> {
    Some(figure? as f64 / by? as f64)
}

fn millions(figure: Option<u64>) -> String {
    show(figure.map(|figure| figure as f64 / 1e6), if figure < Some(10_000_000) { 2 } else { 1 })
}

/// Instructions of a byte of input, and memory, beside the others.
fn translation(figures: &Figures) -> String {
    let head = [
        "input",
        "target",
        "Ice Om1",
        "Ice O2",
        "Subzero Om1",
        "Subzero O2",
        "llc -O0",
        "llc -O2",
        "KiB, Om1",
        "KiB, O2",
    ];
    let mut rows = Vec::new();
    for input in &INPUTS {
        let bytes = figures.get(Group::Bytes, input.name);
        let per_byte = |count: Option<u64>| show(ratio(count, bytes), 0);
        let theirs = |count: u32| per_byte(Some(u64::from(count) * 1_000_000));
        for target in TARGETS {
            let ours = |recipe| name(input.name, target, recipe);
            // What nobody measured has no row.
            if figures.get(Group::Translation, &ours("O2")).is_none() {
                continue;
            }
            let original = ORIGINAL_TARGETS.iter().position(|&original| original == target);
            let subzero = original.map(|at| &input.subzero[at]);
            let llc = input.llc.map(|count| if target == "i686" { theirs(count) } else { "-".into() });
            let memory = |recipe| show(figures.get(Group::Memory, &ours(recipe)).map(|kib| kib as f64), 0);
            let [o0, o2] = llc;
            rows.push(vec![
                input.name.to_owned(),
                target.to_owned(),
                per_byte(figures.get(Group::Translation, &ours("Om1"))),
                per_byte(figures.get(Group::Translation, &ours("O2"))),
                subzero.map_or_else(|| "-".into(), |subzero| theirs(subzero.om1)),
                subzero.map_or_else(|| "-".into(), |subzero| theirs(subzero.o2)),
                o0,
                o2,
                memory("Om1"),
                memory("O2"),
            ]);
        }
    }
    table(&head.map(str::to_owned), rows.into_iter())
}

/// The columns of tables about programs: Ice's builds, then the others.
fn builds(first: &str) -> Vec<String> {
    let ours = RECIPES.iter().flat_map(|recipe| COUNTED.map(|target| format!("Ice {recipe} {target}")));
    [first.to_owned()].into_iter().chain(ours).chain(BUILDERS.map(str::to_owned)).collect()
}

/// The figures of one group for a program, in the order of the columns.
fn of_program(figures: &Figures, group: Group, program: &str) -> Vec<Option<u64>> {
    let names = RECIPES.iter().flat_map(|recipe| COUNTED.map(|target| name(program, target, recipe)));
    names.map(|name| figures.get(group, &name)).collect()
}

/// Millions of instructions that programs execute.
fn programs(figures: &Figures) -> String {
    let rows = executed_programs().map(|program| {
        let ours = of_program(figures, Group::Programs, program.name).into_iter();
        let theirs = program.executed.map(|thousands| Some(u64::from(thousands) * 1_000));
        let first = format!("{} {}", program.name, program.argument);
        [first].into_iter().chain(ours.chain(theirs).map(millions)).collect()
    });
    let mut out = table(&builds("program, argument"), rows);
    out += "\nAgainst llc -O2 the geometric mean on i686 is ";
    out += &RECIPES.map(|recipe| format!("{} at {recipe}", show(mean(figures, recipe), 2))).join(" and ");
    out + ".\n"
}

/// The geometric mean of what programs execute on i686, in proportion to llc -O2's builds.
fn mean(figures: &Figures, recipe: &str) -> Option<f64> {
    let ratios = executed_programs().map(|program| {
        let llc = u64::from(program.executed[3]) * 1_000;
        ratio(figures.get(Group::Programs, &name(program.name, "i686", recipe)), Some(llc))
    });
    geometric_mean(ratios)
}

fn geometric_mean(ratios: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let ratios: Vec<f64> = ratios.collect::<Option<_>>()?;
    Some((ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp())
}

/// Bytes of the code of programs.
fn text(figures: &Figures) -> String {
    let rows = PROGRAMS.iter().map(|program| {
        let ours = of_program(figures, Group::Text, program.name).into_iter();
        let theirs = program.text.map(|bytes| Some(u64::from(bytes)));
        let columns = ours.chain(theirs).map(|bytes| show(bytes.map(|bytes| bytes as f64), 0));
        [program.name.to_owned()].into_iter().chain(columns).collect()
    });
    table(&builds("program"), rows)
}

/// Bytes of the stripped binary.
fn size(figures: &Figures) -> String {
    let rows = crate::size::names().map(|build| {
        let bytes = figures.get(Group::Size, build).map(|bytes| bytes as f64 / 1e6);
        vec![build.to_owned(), show(bytes, 2)]
    });
    table(&["binary".to_owned(), "MB".to_owned()], rows)
}

/// Instructions of a byte of the largest input on i686.
fn translation_chart(figures: &Figures) -> String {
    let input = &INPUTS[INPUTS.len() - 1];
    let bytes = figures.get(Group::Bytes, input.name).unwrap_or(u64::MAX) as f64;
    let ours = ["Om1", "O2"].map(|recipe| {
        let count = figures.get(Group::Translation, &name(input.name, "i686", recipe)).unwrap_or(0);
        Bar { label: format!("Ice {recipe}"), value: count as f64 / bytes, is_ours: true }
    });
    let on_x86_32 = &input.subzero[1];
    let theirs = [("Subzero Om1", on_x86_32.om1), ("Subzero O2", on_x86_32.o2), ("llc -O0", input.llc[0])];
    let theirs = theirs.map(|(label, millions)| Bar {
        label: label.into(),
        value: f64::from(millions) * 1e6 / bytes,
        is_ours: false,
    });
    let all: Vec<Bar> = ours.into_iter().chain(theirs).collect();
    bars("Translating laszip for x86-32: instructions executed for a byte of input", &all)
}

/// What programs execute on i686, in proportion to llc -O2's builds.
fn programs_chart(figures: &Figures) -> String {
    let ours = RECIPES.map(|recipe| Bar {
        label: format!("Ice {recipe}"),
        value: mean(figures, recipe).unwrap_or(0.0),
        is_ours: true,
    });
    let theirs = BUILDERS.into_iter().enumerate().map(|(at, label)| {
        let ratios = executed_programs()
            .map(|program| Some(f64::from(program.executed[at]) / f64::from(program.executed[3])));
        Bar { label: label.into(), value: geometric_mean(ratios).unwrap_or(0.0), is_ours: false }
    });
    let all: Vec<Bar> = ours.into_iter().chain(theirs).collect();
    bars("Six programs on x86-32: instructions executed, llc -O2 = 1", &all)
}
