//! What is no program, and what programs must not do: an error that names the line.

use crate::outcome;

fn error(source: &str) -> String {
    outcome(source, None).1.unwrap_or_else(|| panic!("no error in\n{source}"))
}

#[test]
fn errors_name_the_line() {
    let cases = [
        ("let a = 1\nlet b = $", "line 2: unexpected character '$'"),
        ("let a = \"x", "line 1: text without an end"),
        ("let a = 99999999999999999999", "line 1: 99999999999999999999: number too large"),
        ("let a = 1.2.3", "line 1: 1.2.3: invalid float"),
        ("x = 1", "line 1: 'x' is not declared"),
        ("let a = 1\na", "line 2: an expression is no statement"),
        ("1 = 2", "line 1: this cannot be assigned to"),
        ("break", "line 1: 'break' outside of a loop"),
        ("while true { fn f() { break } }", "line 1: 'break' outside of a loop"),
        ("if true {\n", "line 2: a block without an end"),
        ("print(1, 2)", "line 1: 1 arguments expected, 2 found"),
        ("let f = fn(a { }", "line 1: expected ')'"),
    ];
    for (source, expected) in cases {
        let error = error(source);
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn faults_of_running_programs_name_the_line() {
    let cases = [
        ("let a = [1]\nprint(a[1])", "line 2: index 1 is out of bounds"),
        ("let a = [1]\na[-1] = 2", "line 2: index -1 is out of bounds"),
        ("let a = [1]\na[0.0] = 2", "line 2: Array indexed with Float"),
        ("let a = nil\nprint(a[1])", "line 2: Nil indexed with Int"),
        ("let zero = 0\nprint(1 // zero)", "line 2: division by zero"),
        ("let zero = 0\nprint(1 % zero)", "line 2: division by zero"),
        ("print(1 + nil)", "line 1: Add of Int and Nil"),
        ("print(nil < 1)", "line 1: Lt of Nil and Int"),
        ("let f = 1\nf()", "line 2: call of Int"),
        ("fn f(a) { }\nf()", "line 2: f takes 1 arguments, not 0"),
        ("fn f() { return f() }\nf()", "line 1: too many calls inside each other"),
        ("let a = array(-1, 0)", "line 1: an array of negative length"),
        ("let a = array(1 << 40, 0)", "line 1: the program needs too much memory"),
        ("pop([])", "line 1: pop of an empty array"),
        ("print(int(1e300))", "line 1: 1"),
        ("print(char(256))", "line 1: 256 is no byte"),
    ];
    for (source, expected) in cases {
        let error = error(source);
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn deep_programs_are_refused_and_not_followed() {
    for (open, close) in [("(", ")"), ("[", "]"), ("not ", ""), ("-", "")] {
        let source = format!("print({}1{})", open.repeat(100_000), close.repeat(100_000));
        assert!(error(&source).contains("too many things inside each other"));
    }
    let source = format!("{}{}", "while true {".repeat(10_000), "}".repeat(10_000));
    assert!(error(&source).contains("too many things inside each other"));
    let source = (0..400).map(|n| format!("let v{n} = {n}\n")).collect::<String>();
    assert!(error(&source).contains("too many variables"));
}

#[test]
fn arithmetic_is_that_of_the_description() {
    let cases = [
        ("7 // 2", "3"),
        ("-7 // 2", "-4"),
        ("-7 % 3", "2"),
        ("7 % -3", "-2"),
        ("7 / 2", "3.5"),
        ("1 << 65", "2"),
        ("-8 >> 1", "-4"),
        ("9223372036854775807 + 1", "-9223372036854775808"),
        ("1 == 1.0", "true"),
        ("\"a\" + \"b\" == \"ab\"", "true"),
        ("\"a\" < \"b\" and not (\"b\" < \"a\")", "true"),
        ("nil == false", "false"),
        ("nil or 3", "3"),
        ("0 and 4", "4"),
        ("1 + 2 * 3 - 4", "3"),
        ("[1, [2, \"x\"], nil]", "[1, [2, x], nil]"),
        ("0.0 / 0.0 == 0.0 / 0.0", "false"),
        ("len(\"abc\") + len([1])", "4"),
        ("slice(\"hello\", 1, 3) + str(1.5) + char(33)", "el1.5!"),
        ("int(-2.7)", "-2"),
    ];
    for (expression, expected) in cases {
        assert_eq!(outcome(&format!("print({expression})"), None).0.trim_end(), expected, "{expression}");
    }
}

#[test]
fn arrays_that_contain_themselves_are_printed_in_part() {
    let source = "let a = []\nfor i = 0, 1000 { push(a, a) }\nprint(a)";
    let (output, error, _) = outcome(source, None);
    assert_eq!(error, None);
    assert!(output.len() < 100_000 && output.ends_with("...]\n"), "{} bytes", output.len());
}
