//! What is refused, and where; what means what.

use crate::common::groups_of;
use ice_regex::{Error, Limits, Regex, SyntaxErrorKind};

/// The kind and the place of an error in an expression.
fn error_of(pattern: &str) -> (SyntaxErrorKind, usize) {
    match Regex::new(pattern) {
        Err(Error::Syntax(error)) => (error.kind, error.offset),
        Err(other) => panic!("{pattern:?}: {other}"),
        Ok(_) => panic!("{pattern:?} is taken for an expression"),
    }
}

#[test]
fn errors_have_places() {
    use SyntaxErrorKind::*;
    let cases = [
        ("a(b", UnclosedGroup, 1),
        ("ab)", UnopenedGroup, 2),
        ("é[a-", UnclosedClass, 2),
        ("a|*", NothingToRepeat, 2),
        ("x{5,2}", RepeatOrder, 1),
        ("x{1001}", RepeatTooLarge, 1),
        ("x{99999999999999999999}", RepeatTooLarge, 1),
        ("ab\\", LoneBackslash, 2),
        ("(?q)", UnknownFlag('q'), 2),
        ("(?<1>a)", GroupName, 0),
        ("(?<n>a)(?<n>b)", DuplicateName(String::from("n")), 7),
        (r"(a)\2", NoSuchGroup(String::from("2")), 3),
        (r"\k<x>", NoSuchGroup(String::from("x")), 0),
        ("(?<=a)b", Unsupported("look-behind is not supported"), 0),
        (r"(?i)(a)\1", Unsupported("back-references do not ignore case"), 7),
    ];
    for (pattern, kind, offset) in cases {
        assert_eq!(error_of(pattern), (kind, offset), "{pattern:?}");
    }
    for pattern in [r"\p{Nothing}", "[z-a]", r"\x{110000}", r"\y", "(?-u)\\xff", "(?-u:.)"] {
        assert!(matches!(error_of(pattern).0, Class(_)), "{pattern:?}");
    }
    assert_eq!(error_of(r"ab[x\p{Nothing}]").1, 4);
}

#[test]
fn what_explodes_is_refused() {
    for pattern in ["((a{1000}){1000}){1000}", "(?:a{0,1000}){1000}", r"(?:\b{1000}){1000}"] {
        assert!(matches!(Regex::new(pattern), Err(Error::TooLarge { .. })), "{pattern:?}");
    }
    let deep = "(".repeat(100_000);
    assert_eq!(error_of(&deep).0, SyntaxErrorKind::TooDeep);
    assert_eq!(error_of(&format!("a{}", "*".repeat(100_000))).0, SyntaxErrorKind::TooDeep);
    assert_eq!(error_of(&"[".repeat(100_000)).0, SyntaxErrorKind::TooDeep);
    // Nothing, a billion times, is nothing.
    assert!(
        Regex::new("(?:(?:){1000}){1000}").is_ok_and(|regex| regex.is_match("").is_ok_and(|found| found))
    );
}

#[test]
fn limits_are_kept() {
    let many = "a".repeat(3000);
    let limits = Limits { steps: 100_000, ..Limits::default() };
    // With a reference nothing but backtracking is left.
    let regex = Regex::with_limits(r"(a*)*\1b", limits).expect("it is an expression");
    assert!(matches!(regex.is_match(&many), Err(Error::TooManySteps { limit: 100_000 })));
    let limits = Limits { stack: 1 << 12, ..Limits::default() };
    let regex = Regex::with_limits(r"(?:a|(b))*\1c", limits).expect("it is an expression");
    assert!(matches!(regex.is_match(&many), Err(Error::StackTooLarge { limit: 4096 })));
    // Regular expressions are simulated then.
    for (pattern, expected) in [("(?:a*)*b", false), ("(a|aa)+$", true), ("(?:a?){30}a{30}", true)] {
        let limits = Limits { states: 0, steps: 1000, stack: 1 << 12 };
        let regex = Regex::with_limits(pattern, limits).expect("it is an expression");
        assert_eq!(regex.is_match(&many).expect("it is regular"), expected, "{pattern:?}");
    }
    // An automaton that would have millions of states.
    let regex = Regex::new("[ab]*a[ab]{25}c").expect("it is an expression");
    assert_eq!(regex.engine(), ice_regex::Engine::Backtracking);
    assert!(!regex.is_match(&"ab".repeat(2000)).expect("it is regular"));
}

#[test]
fn groups_have_names() {
    let regex = Regex::new(r"(?P<first>\w)(\w)(?<third>x)?").expect("it is an expression");
    let names: Vec<_> = regex.group_names().collect();
    assert_eq!(names, [None, Some("first"), None, Some("third")]);
    let found = regex.captures("-ab").expect("it is regular").expect("it matches");
    assert_eq!(found.name("first").map(|group| group.as_str()), Some("a"));
    assert_eq!((found.name("third"), found.name("fourth")), (None, None));
}

#[test]
fn comments_and_space() {
    let regex = Regex::new("(?x) a b # letters\n [ ] (?#comment) c").expect("it is an expression");
    assert_eq!(groups_of(&regex, "ab c").expect("it is regular"), [[Some(0..4)]]);
}
