//! Searches against the crate `regex`, PCRE2 with its compiler, and interpreters that backtrack.
//!
//! `cargo bench -p ice-regex --features bench [NAME …]` prints the table of `README.md`. The text is what documents and
//! sources this workspace has, or the file that `ICE_REGEX_TEXT` names. Every search counts all matches (or all groups
//! of all matches), and all engines must count alike. Times are those of the processor, so that a loaded machine does little harm.

use ice_regex::{Engine, Regex};
use rustix::time::{ClockId, clock_gettime};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Count {
    Matches,
    Groups,
}

/// A search: its name, its expression, and whether classes are Unicode's.
struct Search {
    name: &'static str,
    pattern: &'static str,
    classes: Classes,
    count: Count,
    text: Text,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Classes {
    Ascii,
    Unicode,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    /// Documents and sources.
    Sources,
    /// Words of several scripts.
    Words,
}

const fn search(name: &'static str, pattern: &'static str) -> Search {
    Search { name, pattern, classes: Classes::Ascii, count: Count::Matches, text: Text::Sources }
}

const fn groups(name: &'static str, pattern: &'static str) -> Search {
    Search { count: Count::Groups, ..search(name, pattern) }
}

const fn unicode(name: &'static str, pattern: &'static str) -> Search {
    Search { classes: Classes::Unicode, text: Text::Words, ..search(name, pattern) }
}

const SEARCHES: &[Search] = &[
    search("literal", "register allocation"),
    search("literal, none", "Sherlock Holmes"),
    search("literal, any case", "(?i)register allocation"),
    search("alternation", "register|operand|liveness|interval|allocation"),
    search("alternation, any case", "(?i)register|operand|liveness|interval|allocation"),
    search("words in ing", r"\b[a-zA-Z]+ing\b"),
    search("long words", r"\b\w{12,}\b"),
    search("bounded repeat", "[A-Za-z]{8,13}"),
    search("repeat in context", r"[A-Za-z]{10}\s+[\s\S]{0,100}Result[\s\S]{0,100}\s+[A-Za-z]{10}"),
    search("capitals", r"(?:[A-Z][a-z]+\s*){3,8}"),
    search("quoted", "\"[^\"\n]*\""),
    search("lines with", ".*struct.*"),
    search("email", r"[\w.+-]+@[\w.-]+\.[\w.-]+"),
    search("uri", r"\w+://[^/\s?#]+[^\s?#]+(?:\?[^\s#]*)?(?:#[^\s]*)?"),
    search("hexadecimal", r"0x[0-9a-f]{2,16}\b"),
    groups("date, groups", r"(\d{4})-(\d{1,2})-(\d{1,2})"),
    groups("binding, groups", r"let\s+(mut\s+)?(\w+)\s*=\s*(\w+)"),
    groups("path, groups", r"(\w+)::(\w+)"),
    unicode("words, Unicode", r"\w+"),
    unicode("long words, Unicode", r"\b\w{9,}\b"),
    unicode("names, Unicode", r"\p{Lu}\p{Ll}+\s+\p{Lu}\p{Ll}+"),
    unicode("Greek", r"\p{Greek}+"),
    unicode("any case, Unicode", "(?i)бежит|τρέχει"),
    search("twice a word", r"\b(\w+)\s+\1\b"),
    search("markup", r"<([a-z]+)>[^<]*</\1>"),
    search("calls", r"\b\w+(?=\()"),
    search("no call", r"\bself\.\w+\b(?!\()"),
];

/// Documents and sources of the workspace.
fn sources() -> String {
    if let Ok(path) = std::env::var("ICE_REGEX_TEXT") {
        return fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("a workspace");
    let (mut folders, mut files) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_text = name.ends_with(".md") || name.ends_with(".rs");
            if entry.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(entry);
            } else if is_text {
                files.push(entry);
            }
        }
    }
    files.sort();
    files.iter().map(|file| fs::read_to_string(file).expect("a text")).collect()
}

/// Words of three scripts in no order.
fn words() -> String {
    const WORDS: [&str; 24] = [
        "ветер",
        "бежит",
        "По",
        "Москва",
        "незапамятных",
        "времён",
        "и",
        "τρέχει",
        "Ἀθῆναι",
        "ἄνθρωπος",
        "δημοκρατία",
        "καὶ",
        "Ὅμηρος",
        "the",
        "River",
        "Thames",
        "representative",
        "of",
        "London",
        "straße",
        "Übergröße",
        "café",
        "5",
        "1984",
    ];
    let (mut text, mut seed) = (String::new(), 1u32);
    while text.len() < 2_000_000 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let space = if seed >> 12 & 15 == 0 { ".\n" } else { " " };
        write!(text, "{}{space}", WORDS[(seed >> 16) as usize % WORDS.len()]).expect("a string takes all");
    }
    text
}

/// The time that the processor has spent on this thread.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// What is measured: the fastest of some runs, and what it has counted.
fn measure(mut run: impl FnMut() -> usize) -> (Duration, usize) {
    let (begin, mut best, mut count) = (now(), Duration::MAX, 0);
    for n in 0.. {
        let start = now();
        count = run();
        best = best.min(now() - start);
        if n >= 2 && now() - begin > Duration::from_millis(300) {
            break;
        }
    }
    (best, count)
}

fn ours(search: &Search, pattern: &str, text: &str) -> ((Duration, usize), Engine) {
    let regex = Regex::new(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
    let result = measure(|| match search.count {
        Count::Matches => regex.find_iter(text).map(|found| found.expect("no limit is reached")).count(),
        Count::Groups => {
            let all = regex.captures_iter(text).map(|found| found.expect("no limit is reached"));
            all.map(|found| found.iter().flatten().count()).sum()
        }
    });
    (result, regex.engine())
}

/// The interpreter of the crate itself.
fn interpreted(search: &Search, pattern: &str, text: &str) -> (Duration, usize) {
    let limits = ice_regex::Limits { steps: u64::MAX, ..Default::default() };
    let regex = Regex::with_limits(pattern, limits).expect("it is an expression");
    let start = now();
    let (mut at, mut count) = (0, 0);
    while let Some(found) = regex.interpret_at(text, at).expect("no limit is reached") {
        let whole = found.get(0).expect("it has matched");
        count += if search.count == Count::Groups { found.iter().flatten().count() } else { 1 };
        at = whole.end() + usize::from(whole.range().is_empty());
    }
    (now() - start, count)
}

fn of_regex(search: &Search, pattern: &str, text: &str) -> Option<(Duration, usize)> {
    let regex = regex::Regex::new(pattern).ok()?;
    Some(measure(|| match search.count {
        Count::Matches => regex.find_iter(text).count(),
        Count::Groups => regex.captures_iter(text).map(|found| found.iter().flatten().count()).sum(),
    }))
}

fn of_pcre2(search: &Search, text: &str) -> (Duration, usize) {
    let is_unicode = search.classes == Classes::Unicode;
    let mut builder = pcre2::bytes::RegexBuilder::new();
    builder.jit_if_available(true).utf(is_unicode).ucp(is_unicode);
    let regex = builder.build(search.pattern).expect("it is Perl's syntax");
    let bytes = text.as_bytes();
    measure(|| match search.count {
        Count::Matches => regex.find_iter(bytes).map(|found| found.expect("no limit is reached")).count(),
        Count::Groups => {
            let all = regex.captures_iter(bytes).map(|found| found.expect("no limit is reached"));
            all.map(|found| (0..found.len()).filter(|&n| found.get(n).is_some()).count()).sum()
        }
    })
}

/// The expression with ASCII's classes, if it asks for them.
fn narrowed(search: &Search) -> String {
    if search.classes == Classes::Unicode {
        return search.pattern.to_owned();
    }
    let classes = [(r"[\w.+-]", "[0-9A-Za-z_.+-]"), (r"[\w.-]", "[0-9A-Za-z_.-]"), (r"\w", "[0-9A-Za-z_]")];
    let more = [
        (r"\d", "[0-9]"),
        (r"[^/\s?#]", r"[^/\t-\r ?#]"),
        (r"[^\s?#]", r"[^\t-\r ?#]"),
        (r"[^\s#]", r"[^\t-\r #]"),
    ];
    let last = [(r"[^\s]", r"[^\t-\r ]"), (r"[\s\S]", "(?s:.)"), (r"\s", r"[\t-\r ]"), (r"\b", r"(?-u:\b)")];
    let all = classes.into_iter().chain(more).chain(last);
    all.fold(search.pattern.to_owned(), |pattern, (wide, narrow)| pattern.replace(wide, narrow))
}

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let (sources, words) = (sources(), words());
    println!("{} bytes of sources, {} bytes of words; megabytes a second\n", sources.len(), words.len());
    println!(
        "| search | matches | engine | this crate | `regex` | PCRE2, compiled | own interpreter | to PCRE2 | to the interpreter |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let (mut wins, mut count, mut slow) = (0, 0, 0);
    for search in SEARCHES {
        if !wanted.is_empty() && !wanted.iter().any(|name| search.name.contains(name.as_str())) {
            continue;
        }
        let text = if search.text == Text::Sources { &sources } else { &words };
        let pattern = narrowed(search);
        let (own, engine) = ours(search, &pattern, text);
        let other = of_regex(search, &pattern, text);
        let pcre2 = of_pcre2(search, text);
        let slice = &text[..text.floor_char_boundary(text.len() / 8)];
        let slow_one = interpreted(search, &pattern, slice);
        assert_eq!(own.1, pcre2.1, "{}: PCRE2 counts otherwise", search.name);
        assert!(other.is_none_or(|other| other.1 == own.1), "{}: regex counts otherwise", search.name);
        let speed = |time: Duration, text: &str| text.len() as f64 / 1e6 / time.as_secs_f64();
        let (ours, theirs) = (speed(own.0, text), speed(pcre2.0, text));
        let interpreter = speed(slow_one.0, slice);
        let regex = other.map_or_else(|| String::from("–"), |other| format!("{:.0}", speed(other.0, text)));
        let engine = if engine == Engine::Automaton { "automaton" } else { "backtracking" };
        println!(
            "| {} | {} | {engine} | {ours:.0} | {regex} | {theirs:.0} | {interpreter:.1} | {:.2} | {:.0} |",
            search.name,
            own.1,
            ours / theirs,
            ours / interpreter
        );
        count += 1;
        wins += usize::from(ours >= theirs);
        slow += usize::from(ours < 5.0 * interpreter);
    }
    println!("\n{wins} of {count} at or above PCRE2; {slow} below 5 times the interpreter");
}
