//! Bar charts as SVG.

use std::fmt::Write as _;

/// A bar: what it stands for, and its length in the unit of the chart.
pub struct Bar {
    pub label: String,
    pub value: f64,
    /// Whether it is one of Ice's.
    pub is_ours: bool,
}

const WIDTH: f64 = 760.0;
const ROW: f64 = 24.0;
const LABELS: f64 = 190.0;
/// Room behind the longest bar for its number.
const NUMBERS: f64 = 70.0;
const TITLE: f64 = 40.0;

/// A chart of horizontal bars, one below the other, with their values behind them.
pub fn bars(title: &str, bars: &[Bar]) -> String {
    let height = TITLE + ROW * bars.len() as f64 + 10.0;
    let longest = bars.iter().map(|bar| bar.value).fold(f64::MIN_POSITIVE, f64::max);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
         <text x=\"10\" y=\"24\" font-size=\"15\">{}</text>\n",
        escape(title)
    );
    for (index, bar) in bars.iter().enumerate() {
        let top = TITLE + ROW * index as f64;
        let length = bar.value / longest * (WIDTH - LABELS - NUMBERS);
        let color = if bar.is_ours { "#2f7fb5" } else { "#b8bec4" };
        let (line, end) = (top + 15.0, LABELS + length + 6.0);
        let label = escape(&bar.label);
        let digits = if bar.value < 10.0 { 2 } else { 0 };
        // A string takes what is written to it.
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{line:.0}\" text-anchor=\"end\">{label}</text>\
             <rect x=\"{LABELS:.0}\" y=\"{:.0}\" width=\"{length:.1}\" height=\"16\" fill=\"{color}\"/>\
             <text x=\"{end:.1}\" y=\"{line:.0}\">{:.digits$}</text>",
            LABELS - 8.0,
            top + 3.0,
            bar.value,
        );
    }
    svg + "</svg>\n"
}

/// Text as XML has it.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_fills_the_chart() {
        let bar = |label: &str, value| Bar { label: label.into(), value, is_ours: true };
        let svg = bars("a < b", &[bar("one", 50.0), bar("two", 100.0)]);
        assert!(svg.contains("a &lt; b"), "{svg}");
        assert!(svg.contains("width=\"250.0\"") && svg.contains("width=\"500.0\""), "{svg}");
    }
}
