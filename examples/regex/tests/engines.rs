//! Both kinds of code on expressions that have been found hard.

use crate::common::{groups_of, others};
use ice_regex::{Engine, Limits, Regex};

/// Expressions and texts.
const CASES: &[(&str, &str)] = &[
    ("a+b", "xxaaab"),
    ("foo|bar", "xxbar"),
    ("foo|foobar", "foobar"),
    (r"\w+", "  é日本x "),
    ("[a-z]{8,13}", "  short alongerword, averyveryverylongword "),
    (r"\w{3,5}", "äöü日本語𝒳𝒴𝒵 ab"),
    (r"\bx\b", "xx éx x"),
    ("(?i)sherlock", "this is SheRLocK Holmes, a very long name, \u{212a}"),
    ("\"[^\"]*\"", "a \"ddd日本 this is a long text in quotes, longer than a vector is\" b"),
    ("", "é"),
    ("a|ab(c)?", "abc"),
    ("(a*)*b", "aaab"),
    ("(?:(?:a)*?)+", "aab"),
    ("(a|ab)(c|bcd)(d*)", "abcd"),
    (r"(\w+)\s+(\w+)", "hello big world"),
    ("(?:a|b)*?c", "ababc"),
    (".*foo", "xx foo foo bar"),
    (".*?foo", "xx foo foo bar"),
    ("(x)?(y)?z", "xz"),
    ("(?m)^.*$", "one\ntwo\n\nthree"),
    (r"(a)|b\B", "ba b"),
    (r"(\w+) \1", "the the quick quick"),
    (r"(?:(a)|b)*\1", "abab"),
    (r"(?=(a+))a*b\1", "baaabac"),
    ("(?!foo)[a-z]{3}", "foobar"),
    ("(?!(a)b)a", "abac"),
    ("(?>a|ab)c", "abcac"),
    ("a++b|a", "aaac"),
    (r"\w+(?=\()", "call(other(x) y)"),
    ("(?:a|x{0}){0}b", "ab"),
];

#[test]
fn all_engines_agree() {
    for &(pattern, text) in CASES {
        // The crates have no possessive repetitions, so that they are written as atomic groups for them.
        let theirs = pattern.replace("a++", "(?>a+)");
        let expected = others(&theirs, text).unwrap_or_else(|| panic!("{pattern:?} is known"));
        for states in [0, 600] {
            let limits = Limits { states, ..Limits::default() };
            let regex = Regex::with_limits(pattern, limits).unwrap_or_else(|e| panic!("{pattern:?}: {e}"));
            let found = groups_of(&regex, text).unwrap_or_else(|e| panic!("{pattern:?}: {e}"));
            assert_eq!(found, expected, "{pattern:?} on {text:?}, {:?}", regex.engine());
        }
    }
}

/// Long texts: candidates on both sides of the end of a vector, at each distance from the end of the text.
#[test]
fn vectors_find_what_bytes_find() {
    let patterns =
        ["needle", "(?i)needle", "needle|noodle", "n[aeiou]{2}dle", "\"[^\"]*\"", "(needle)é", r"(n\w+e) \1"];
    for (pattern, states) in patterns.into_iter().flat_map(|pattern| [(pattern, 0), (pattern, 600)]) {
        let limits = Limits { states, ..Limits::default() };
        let regex = Regex::with_limits(pattern, limits).expect("it is an expression");
        for before in 0..40 {
            for after in [0, 1, 7, 15, 16, 17, 40] {
                let text = format!("{}needle needleé\"q\"nEEdle{}", "e\"x".repeat(before), "-".repeat(after));
                let expected = others(pattern, &text).expect("it is known");
                assert_eq!(
                    groups_of(&regex, &text).expect("it is short"),
                    expected,
                    "{pattern:?} on {text:?}"
                );
            }
        }
    }
}

#[test]
fn regular_expressions_have_automata() {
    for pattern in [r"\w+\s\w+", r"(\d{4})-(\d\d)", r"\b\pL{3,12}\b", "(?i)some|words", "(?s).*x"] {
        let regex = Regex::new(pattern).expect("it is an expression");
        assert_eq!(regex.engine(), Engine::Automaton, "{pattern:?}");
    }
}

#[test]
fn searches_begin_where_they_are_told_to() {
    for states in [0, 600] {
        let limits = Limits { states, ..Limits::default() };
        let find = |pattern: &str, text: &str, at: usize| {
            let regex = Regex::with_limits(pattern, limits).expect("it is an expression");
            regex.find_at(text, at).expect("it is regular").map(|found| found.range())
        };
        assert_eq!(find("^a", "aaa", 1), None);
        assert_eq!(find(r"\ba", "aaa a", 1), Some(4..5));
        assert_eq!(find(r"\Ba", "aaa", 1), Some(1..2));
        assert_eq!(find("(?m)^a", "b\naa", 3), None);
        assert_eq!(find("", "aé", 3), Some(3..3));
    }
}

/// Where the last vector ends in the middle of a character, the search goes on with the character. The last byte of the
/// one here and the sign behind it would be an é.
#[test]
fn vectors_that_end_inside_of_characters_do_no_harm() -> Result<(), ice_regex::Error> {
    for pattern in ["é", "é+x?", "(?i)é|qz", r"[a-z]*é", r"\w+é"] {
        for states in [0, 600] {
            let regex = Regex::with_limits(pattern, Limits { states, ..Limits::default() })?;
            for ahead in 0..40 {
                let text = "a".repeat(ahead) + "\u{20a3})";
                assert_eq!(regex.find(&text)?.map(|found| found.range()), None, "{pattern} behind {ahead}");
            }
        }
    }
    Ok(())
}

/// The same in the middle of a run, which ends behind the character.
#[test]
fn runs_end_where_they_end() -> Result<(), ice_regex::Error> {
    for (pattern, states) in [("<[^<>]*>", 0), ("<[^<>]*>", 600), (r"(<)[^<>]*>\1", 600)] {
        let regex = Regex::with_limits(pattern, Limits { states, ..Limits::default() })?;
        for ahead in 0..40 {
            let text = format!("<{}\u{20a3}><", "a".repeat(ahead));
            let end = text.len() - usize::from(!pattern.contains('\\'));
            assert_eq!(regex.find(&text)?.map(|found| found.range()), Some(0..end), "{pattern}, {ahead}");
        }
    }
    Ok(())
}

/// Matches that are found by something rare inside of them: at each place beside the vectors, several times in a text, with
/// and without what has to be before it.
#[test]
fn rare_bytes_inside_of_matches_are_found() -> Result<(), ice_regex::Error> {
    for pattern in [r"[\w.]+@\w+", r"a\w*@", r"\b\w+://\S+", r"[^\n]*@[^\n]*", r"(é|\w)+@é?"] {
        let (regex, other) = (Regex::new(pattern)?, regex::Regex::new(pattern).expect("it is common syntax"));
        assert_eq!(regex.engine(), Engine::Automaton);
        for ahead in 0..40 {
            let some = "b".repeat(ahead);
            for text in [
                format!("{some}a@b c"),
                format!("{some} @ab@c {some}@"),
                format!("{some}éa://x {some}é@é@{some} ://b://c @@a@"),
                format!("\n{some}\n{some}日a@日\n\n{some}@a"),
            ] {
                let found: Result<Vec<_>, _> =
                    regex.find_iter(&text).map(|found| found.map(|found| found.range())).collect();
                let expected: Vec<_> = other.find_iter(&text).map(|found| found.range()).collect();
                assert_eq!(found?, expected, "{pattern} on {text:?}");
            }
        }
    }
    Ok(())
}
