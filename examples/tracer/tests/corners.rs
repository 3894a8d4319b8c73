//! Loops whose traces end in unusual ways.

use crate::agree;

/// Runs a program that ends well and has machine code, and gives what it prints.
fn traced(source: &str) -> String {
    let (output, error, stats) = agree(source);
    assert_eq!(error, None, "{source}");
    assert!(stats.trees > 0, "{stats:?} of\n{source}");
    output
}

#[test]
fn types_may_change_in_a_loop() {
    assert_eq!(traced("let s = 0\nfor i = 0, 1000 { s = s + 0.5 }\nprint(s)"), "500.0\n");
    let source =
        "let x = 1\nfor i = 0, 500 { if i == 300 { x = \"text\" }\nif i == 400 { x = nil } }\nprint(x)";
    assert_eq!(traced(source), "nil\n");
    let source = "let a = array(400, 1)\na[200] = 2.5\na[300] = \"x\"\nlet n = 0\n
        for i = 0, 400 { if a[i] == 1 { n = n + 1 } }\nprint(n)";
    assert_eq!(traced(source), "398\n");
    // The loop inside begins with an integer each time and goes on with a float.
    let source = "let all = 0.0\nfor i = 0, 200 { let s = 0\nfor j = 0, 60 { s = s + 0.25 }\nall = all + s }\nprint(all)";
    assert_eq!(traced(source), "3000.0\n");
}

#[test]
fn faults_in_machine_code_are_those_of_the_interpreter() {
    for (body, expected) in [
        ("a[i]", "index 500 is out of bounds"),
        ("a[i] // (499 - i)", "division by zero"),
        ("a[i] % (499 - i)", "division by zero"),
        ("a[i] + b[i]", "Add of Int and Nil"),
        ("b[i](1)", "call of Int"),
        ("a[i] + int(c * c)", "is no integer"),
        ("len(b[i])", "Builtin"),
    ] {
        let source = format!(
            "let a = array(500, 7)\nlet b = array(500, 1)\nb[450] = nil\nlet s = 0\nlet c = 1.0\nfor i = 0, 600 {{\n\
             c = c * 1.5\ns = s + {body}\n}}"
        );
        let (_, error, _) = agree(&source);
        let error = error.expect("the program fails");
        assert!(error.starts_with("line 8") || error.starts_with("line 7"), "{error}");
        if expected != "Builtin" {
            assert!(error.contains(expected), "{error}");
        }
    }
}

#[test]
fn memory_that_runs_out_in_machine_code_is_an_error() {
    let (_, error, _) = agree("let a = []\nwhile true { push(a, array(1000000, 0)) }");
    assert_eq!(error.as_deref(), Some("line 2: the program needs too much memory"));
}

#[test]
fn loops_inside_are_left_in_several_ways() {
    let source = "
        let n = 0
        for i = 0, 300 {
            let j = 0
            while true {
                j = j + 1
                if j > 20 { break }
                if i % 3 == 0 and j == 7 { break }
                if i % 5 == 0 and j == 11 { n = n + 100; break }
                if j % 4 == 0 { continue }
                n = n + j
            }
            n = n + 1
        }
        print(n)";
    traced(source);
    let source = "
        fn find(a, x) {
            for i = 0, len(a) {
                if a[i] == x { return i }
            }
            return -1
        }
        let a = []
        for i = 0, 100 { push(a, i * 7 % 101) }
        let s = 0
        for round = 0, 500 { s = s + find(a, round % 120) }
        print(s)";
    traced(source);
}

#[test]
fn three_loops_inside_each_other() {
    let source = "
        let n = 0
        for i = 0, 60 {
            for j = 0, i {
                for k = j, 50 {
                    if (i + j * k) % 7 == 3 { n = n + k } else { n = n - 1 }
                    if k == 45 and i % 2 == 0 { break }
                }
                if n % 11 == 0 { n = n + 5 }
            }
        }
        print(n)";
    traced(source);
}

#[test]
fn variables_that_closures_share_and_globals_change() {
    let source = "
        let total = 0
        fn make() {
            let n = 0
            let up = fn() { n = n + 1; total = total + n; return n }
            let down = fn() { n = n - 2; return n }
            return [up, down]
        }
        let pair = make()
        for i = 0, 400 {
            if i % 3 == 0 { pair[1]() } else { pair[0]() }
            if i % 100 == 99 { pair = make() }
        }
        print(total)
        let list = []
        for i = 0, 200 { push(list, fn() { return i * i }) }
        let s = 0
        for k = 0, 200 { s = s + list[k]() }
        print(s)";
    traced(source);
}

#[test]
fn functions_that_call_themselves_in_loops() {
    let source = "
        fn fib(n) { if n < 2 { return n } return fib(n - 1) + fib(n - 2) }
        let s = 0
        for i = 0, 100 { s = s + fib(i % 12) }
        print(s)
        fn depth(n) {
            let most = 0
            for i = 0, n { let d = depth(n - 1); if d > most { most = d } }
            return most + 1
        }
        print(depth(6))";
    agree(source);
}

#[test]
fn arrays_grow_and_shrink() {
    let source = "
        let a = []
        let s = 0
        for i = 0, 3000 {
            push(a, i)
            if i % 3 == 2 { s = s + pop(a) + len(a) }
            if len(a) > 100 { while len(a) > 3 { s = s - pop(a) } }
        }
        print(s)
        print(a)
        for i = 0, 300 { a = [i, [a[0], i / 2], \"x\"]; a[0] = a[1][1] }
        print(a)";
    traced(source);
}
