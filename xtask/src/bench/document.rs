//! The parts of `docs/performance.md` that are made of the baseline, and its charts.
//!
//! A part stands between `<!-- made: NAME -->` and `<!-- end -->`. What is outside is written by hand.

use super::figures::Figures;
use super::tables::{CHARTS, PARTS};
use crate::workspace::show;
use anyhow::Context as _;
use std::fs;
use std::path::Path;

const DOCUMENT: &str = "docs/performance.md";
const CHARTS_FOLDER: &str = "docs/charts";
const END: &str = "<!-- end -->";

/// The document with its parts made again.
fn remake(document: &str, figures: &Figures) -> anyhow::Result<String> {
    let mut out = document.to_owned();
    for part in &PARTS {
        let begin = format!("<!-- made: {} -->\n", part.name);
        let (before, rest) =
            out.split_once(&begin).with_context(|| format!("{DOCUMENT}: no part '{}'", part.name))?;
        let (_, after) =
            rest.split_once(END).with_context(|| format!("{DOCUMENT}: '{}' has no end", part.name))?;
        out = [before, &begin, "\n", &(part.make)(figures), "\n", END, after].concat();
    }
    Ok(out)
}

/// Writes the document and the charts of the workspace at `root`.
pub fn write(root: &Path, figures: &Figures) -> anyhow::Result<()> {
    let document = root.join(DOCUMENT);
    let text = fs::read_to_string(&document).with_context(|| show(&document))?;
    fs::write(&document, remake(&text, figures)?).with_context(|| show(&document))?;
    let folder = root.join(CHARTS_FOLDER);
    fs::create_dir_all(&folder).with_context(|| show(&folder))?;
    for chart in &CHARTS {
        let path = folder.join(chart.name);
        fs::write(&path, (chart.make)(figures)).with_context(|| show(&path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever changes the baseline makes the document again: `cargo xtask bench --document`.
    #[test]
    fn the_document_is_that_of_the_baseline() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
        let figures = Figures::read(&root.join(crate::bench::BASELINE)).expect("the baseline");
        let text = fs::read_to_string(root.join(DOCUMENT)).expect(DOCUMENT);
        assert!(remake(&text, &figures).expect("all parts") == text, "{DOCUMENT} is not of the baseline");
        for chart in &CHARTS {
            let made = fs::read_to_string(root.join(CHARTS_FOLDER).join(chart.name)).expect(chart.name);
            assert!(made == (chart.make)(&figures), "{} is not of the baseline", chart.name);
        }
    }
}
