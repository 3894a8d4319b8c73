//! Addresses that instructions take in or step: in whatever order accesses and the additions to their bases stand, and
//! whichever blocks share an address, every target and recipe computes what the interpreter does.

use crate::common;

use common::program::check_function;
use std::fmt::Write;

/// Memory of both sides of a walk, a function that fills it, and one that mixes all of it into a number.
const MEMORY: &str = "global internal @from align 8 = zero 256
global internal @to align 8 = zero 256

define internal @fill(v0: i32) -> void {
  v1: i32 = 256
  v2: i32 = 0
  v3: i32 = 37
  v4: i32 = 1
block0:
  br block1
block1:
  v5: i32 = phi [v2, block0], [v9, block1]
  v6: i32 = mul v5, v3
  v7: i8 = trunc v6
  v8: i32 = add v0, v5
  store v7 to v8, align 1
  v9: i32 = add v5, v4
  v10: i1 = icmp ult v9, v1
  br v10, block1, block2
block2:
  ret
}

define internal @mix(v0: i32, v1: i32) -> i32 {
  v2: i32 = 256
  v3: i32 = 0
  v4: i32 = 33
  v5: i32 = 4
block0:
  br block1
block1:
  v6: i32 = phi [v3, block0], [v12, block1]
  v7: i32 = phi [v1, block0], [v11, block1]
  v8: i32 = add v0, v6
  v9: i32 = load v8, align 1
  v10: i32 = mul v7, v4
  v11: i32 = add v10, v9
  v12: i32 = add v6, v5
  v13: i1 = icmp ult v12, v2
  br v13, block1, block2
block2:
  ret v11
}

";

/// The constants and the beginning of `@test()`, and the code that mixes `@to` into v999.
struct Test {
    calls: String,
    constants: String,
    functions: String,
    next: u32,
    sum: u32,
}

impl Test {
    fn new() -> Test {
        let constants = "  v1: i32 = @from\n  v2: i32 = @to\n  v3: i32 = 64\n".to_string();
        let calls = "  call @fill(v1)\n  v4: i32 = add v1, v3\n  v5: i32 = add v2, v3\n".to_string();
        Test { calls, constants, functions: String::new(), next: 10, sum: 3 }
    }

    fn number(&mut self, number: i32) -> u32 {
        self.next += 1;
        let _ = writeln!(self.constants, "  v{}: i32 = {number}", self.next);
        self.next
    }

    /// Calls a function with the middles of `@from` and `@to` and two numbers, and mixes `@to`.
    fn call(&mut self, name: &str, a: i32, b: i32) {
        let [a, b] = [a, b].map(|number| self.number(number));
        self.next += 1;
        let sum = self.next;
        let _ = writeln!(self.calls, "  call @{name}(v4, v5, v{a}, v{b})");
        let _ = writeln!(self.calls, "  v{sum}: i32 = call @mix(v2, v{})", self.sum);
        self.sum = sum;
    }

    #[track_caller]
    fn check(self, name: &str) {
        let Test { calls, constants, functions, sum, .. } = self;
        let test =
            format!("define internal @test() -> i32 {{\n{constants}block0:\n{calls}  ret v{sum}\n}}\n");
        check_function(name, &format!("{MEMORY}{functions}{test}"));
    }
}

/// All orders of a load, the store of what it gives, and the additions to the two addresses.
fn orders() -> Vec<[char; 4]> {
    let mut orders = Vec::new();
    let all = ['l', 's', 'a', 'b'];
    for code in 0..256 {
        let order = [0, 2, 4, 6].map(|shift| all[code >> shift & 3]);
        let place = |of| order.iter().position(|&c| c == of);
        if let (Some(load), Some(store), Some(_), Some(_)) = (place('l'), place('s'), place('a'), place('b'))
            && load < store
        {
            orders.push(order);
        }
    }
    orders
}

#[test]
fn two_walks_in_every_order() {
    assert_eq!(orders().len(), 12);
    let mut test = Test::new();
    for (ty, size) in [("i8", 1), ("i16", 2), ("i32", 4), ("i64", 8), ("f32", 4), ("f64", 8)] {
        let align = if ty.starts_with('f') { size } else { 1 };
        for (n, order) in orders().into_iter().enumerate() {
            for (step, way) in [(size, "on"), (-size, "back")] {
                let name = format!("walk_{ty}_{n}_{way}");
                let _ = write!(
                    test.functions,
                    "define internal @{name}(v0: i32, v1: i32, v2: i32, v3: i32) -> void {{\n  v4: i32 = {step}\n  v5: i32 = 1\n  v6: i32 = 0\nblock0:\n  br block1\nblock1:\n\
                     \x20 v10: i32 = phi [v0, block0], [v13, block1]\n  v11: i32 = phi [v1, block0], [v14, block1]\n  v12: i32 = phi [v2, block0], [v15, block1]\n"
                );
                let (mut from, mut to) = (10, 11);
                for what in order {
                    let line = match what {
                        'l' => format!("v20: {ty} = load v{from}, align {align}"),
                        's' => format!("store v20 to v{to}, align {align}"),
                        'a' => {
                            from = 13;
                            "v13: i32 = add v10, v4".to_string()
                        }
                        _ => {
                            to = 14;
                            "v14: i32 = add v11, v4".to_string()
                        }
                    };
                    let _ = writeln!(test.functions, "  {line}");
                }
                test.functions += "  v15: i32 = sub v12, v5\n  v16: i1 = icmp ne v15, v6\n  br v16, block1, block2\nblock2:\n  ret\n}\n\n";
                test.call(&name, 3, n as i32);
            }
        }
    }
    test.check("two-walks");
}

#[test]
fn blocks_that_share_an_address() {
    // From v1, the middle of the memory, and v2, a small number; v40 is the address.
    const CONSTANTS: &str = "  v10: i32 = 0\n  v11: i32 = 2\n  v12: i32 = 3\n  v13: i32 = 12\n  v14: i32 = 4\n  v15: i32 = 31\n  v16: i32 = 1\n  v17: i32 = 16\n";
    let sums = [
        ("v20: i32 = mul v2, v13", "v40: i32 = add v1, v20"),
        ("v20: i32 = mul v2, v14", "v40: i32 = add v20, v1"),
        ("v20: i32 = mul v2, v2", "v40: i32 = add v1, v20"),
        ("v20: i32 = shl v2, v11", "v40: i32 = add v1, v20"),
        ("v20: i32 = lshr v2, v16", "v40: i32 = add v1, v20"),
        // Two scales: of half of the address, which is a multiple of 8, and of the number; and a constant.
        (
            "v22: i32 = lshr v1, v11\n  v20: i32 = shl v22, v11\n  v21: i32 = shl v2, v12",
            "v23: i32 = add v20, v21\n  v40: i32 = add v23, v17",
        ),
        // A rotation of both halves of the address by nothing that is lost.
        (
            "v22: i32 = lshr v1, v16\n  v23: i32 = shl v22, v16\n  v24: i32 = lshr v22, v15",
            "v40: i32 = add v23, v24",
        ),
        // A load, before a store to where it read.
        (
            "v24: i32 = load v0, align 1\n  v20: i32 = and v24, v15\n  store v20 to v0, align 1\n  v25: i32 = load v0, align 1",
            "v40: i32 = add v25, v1\n  store v10 to v0, align 1",
        ),
    ];
    let kinds =
        [("i8", "i32"), ("i32", "i8"), ("i16", "i32"), ("i32", "i16"), ("i32", "i32"), ("i64", "i32")];
    let mut test = Test::new();
    for (n, (terms, sum)) in sums.into_iter().enumerate() {
        for (first, second) in kinds {
            let name = format!("shared_{n}_{first}_{second}");
            let _ = write!(
                test.functions,
                "define internal @{name}(v0: i32, v1: i32, v2: i32, v3: i32) -> void {{\n{CONSTANTS}  v30: {first} = 113\n  v31: {second} = 77\nblock0:\n  {terms}\n  {sum}\n\
                 \x20 v41: i1 = icmp eq v3, v10\n  br v41, block1, block2\nblock1:\n  store v30 to v40, align 1\n  br block2\nblock2:\n\
                 \x20 v42: {second} = load v40, align 1\n  v43: {second} = add v42, v31\n  store v43 to v40, align 1\n  ret\n}}\n\n"
            );
            for (a, b) in [(1, 0), (2, 1), (5, 0), (4, 3)] {
                test.call(&name, a, b);
            }
        }
    }
    test.check("shared");
}
