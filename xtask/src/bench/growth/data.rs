//! Shapes of straight-line code and of modules: values, memory, calls, constants, functions, globals.

use super::text::{Body, V, commas};

/// One function `f(p, n)`, both `i32`, with one block that ends in the value that `write` gives.
fn block(write: impl FnOnce(&mut Body, V, V) -> V) -> String {
    let mut f = Body::new("f", &["i32", "i32"], "i32");
    let (p, n) = (V::param(0), V::param(1));
    let x = write(&mut f, p, n);
    f.ret(x);
    f.finish()
}

/// Every operation needs the one before.
pub fn straight_line(count: usize) -> String {
    block(|f, p, n| {
        (0..count).fold(n, |x, i| {
            let y = f.load(p);
            f.binary(["add", "mul", "xor"][i % 3], x, y)
        })
    })
}

/// A tree of operations over loads, half of which are in flight at its middle.
pub fn deep_expression(count: usize) -> String {
    block(|f, p, _| {
        let mut values = f.loads(p, count);
        while values.len() > 1 {
            values = values
                .chunks(2)
                .map(|pair| pair.iter().copied().reduce(|a, b| f.binary("mul", a, b)).unwrap_or(pair[0]))
                .collect();
        }
        values[0]
    })
}

/// Values that are all loaded first and then used in the same order.
pub fn many_live_values(count: usize) -> String {
    block(|f, p, n| {
        let values = f.loads(p, count);
        values.iter().fold(n, |x, &value| f.binary("mul", x, value))
    })
}

/// Values that live through block after block, each of which uses one of them.
pub fn values_live_across_blocks(count: usize) -> String {
    block(|f, p, n| {
        let values = f.loads(p, count);
        for &value in &values {
            let [side, next] = [f.block(), f.block()];
            let condition = f.compare("eq", value, n);
            f.branch(condition, side, next);
            f.start(side);
            f.store(value, p);
            f.jump(next);
            f.start(next);
        }
        n
    })
}

/// Values that live through calls.
pub fn values_live_across_calls(count: usize) -> String {
    let text = block(|f, p, n| {
        let values = f.loads(p, count);
        values.iter().fold(n, |x, &value| f.set("i32", format_args!("call @g({x}, {value}, {p})")))
    });
    text + CALLEE
}

const CALLEE: &str = "define internal @g(v0: i32, v1: i32, v2: i32) -> i32 {\nblock0:\nret v0\n}\n";

/// A value that every operation of the function uses, some of them far apart.
pub fn one_value_used_everywhere(count: usize) -> String {
    block(|f, p, n| {
        for _ in 0..count {
            let next = f.block();
            let x = f.load(p);
            let y = f.binary("mul", x, n);
            f.store(y, p);
            f.branch_on(y, next, next);
            f.start(next);
        }
        n
    })
}

/// Calls one after another.
pub fn many_calls(count: usize) -> String {
    let text =
        block(|f, p, n| (0..count).fold(n, |x, _| f.set("i32", format_args!("call @g({x}, {n}, {p})"))));
    text + CALLEE
}

/// A call with many arguments, and the function that takes them.
pub fn many_arguments(count: usize) -> String {
    let text = block(|f, p, _| {
        let values = f.loads(p, count);
        f.set("i32", format_args!("call @many({})", commas(values)))
    });
    let mut many = Body::new("many", &vec!["i32"; count], "i32");
    let first = V::param(0);
    let sum = (1..count).fold(first, |sum, i| many.binary("mul", sum, V::param(i)));
    many.ret(sum);
    text + &many.finish()
}

/// Objects of the frame, each stored to and loaded from later.
pub fn many_allocas(count: usize) -> String {
    block(|f, _, n| {
        let four = f.word(4);
        let objects: Vec<V> =
            (0..count).map(|_| f.set("i32", format_args!("alloca {four}, align 4"))).collect();
        for &object in &objects {
            f.store(n, object);
        }
        objects.iter().fold(n, |x, &object| {
            let y = f.load(object);
            f.binary("mul", x, y)
        })
    })
}

/// Large objects of the frame: offsets that are no immediates.
pub fn large_frame(count: usize) -> String {
    block(|f, _, n| {
        let size = f.word(5000);
        let objects: Vec<V> =
            (0..count).map(|_| f.set("i32", format_args!("alloca {size}, align 16"))).collect();
        for &object in objects.iter().rev() {
            f.store(object, object);
        }
        n
    })
}

/// Objects whose sizes are known at run time only.
pub fn dynamic_allocas(count: usize) -> String {
    block(|f, p, n| {
        for _ in 0..count {
            let size = f.load(p);
            let object = f.set("i32", format_args!("alloca {size}, align 8"));
            f.store(n, object);
        }
        n
    })
}

/// Constants that are no immediates, each used once.
pub fn many_constants(count: usize) -> String {
    block(|f, p, n| {
        (0..count).fold(n, |x, i| {
            let (k, y) = (f.word(123_456_789 + i as i64 * 77_777), f.load(p));
            let z = f.binary("xor", x, k);
            f.binary("mul", z, y)
        })
    })
}

/// Constants that are no immediates in one loop.
pub fn many_constants_in_a_loop(count: usize) -> String {
    block(|f, p, n| {
        let [body, after] = [f.block(), f.block()];
        f.jump(body);
        f.start(body);
        for i in 0..count {
            let (k, y) = (f.word(123_456_789 + i as i64 * 77_777), f.load(p));
            let z = f.binary("xor", y, k);
            f.store(z, p);
        }
        let x = f.load(p);
        f.branch_on(x, body, after);
        f.start(after);
        n
    })
}

/// Constants of floating-point numbers.
pub fn many_float_constants(count: usize) -> String {
    let mut f = Body::new("f", &["f64"], "f64");
    let mut x = V::param(0);
    for i in 0..count {
        let k = f.constant("f64", format_args!("0x{:016x}", 0x4009_21fb_5444_2d18u64 + i as u64 * 3));
        x = f.set("f64", format_args!("fmul {x}, {k}"));
    }
    f.ret(x);
    f.finish()
}

/// Arithmetic with pairs on machines of 32 bits.
pub fn wide_numbers(count: usize) -> String {
    let mut f = Body::new("f", &["i64", "i64", "i32"], "i64");
    let (a, mut x) = (V::param(0), V::param(1));
    let address = V::param(2);
    for i in 0..count {
        let y = f.set("i64", format_args!("load {address}, align 1"));
        let z = f.set("i64", format_args!("{} {y}, {x}", ["add", "mul", "shl", "sub", "udiv"][i % 5]));
        x = f.set("i64", format_args!("xor {z}, {a}"));
    }
    f.ret(x);
    f.finish()
}

/// Arithmetic on vectors, with lanes put in and taken out.
pub fn vectors(count: usize) -> String {
    let mut f = Body::new("f", &["v4i32", "v4i32"], "v4i32");
    let (a, mut x) = (V::param(0), V::param(1));
    let lanes: Vec<V> = (0..4).map(|i| f.word(i)).collect();
    for i in 0..count {
        let y = f.set("v4i32", format_args!("add {x}, {a}"));
        let lane = f.set("i32", format_args!("extractelement {y}, {}", lanes[i % 4]));
        x = f.set("v4i32", format_args!("insertelement {y}, {lane}, {}", lanes[(i / 4 + 1) % 4]));
    }
    f.ret(x);
    f.finish()
}

/// Comparisons and choices.
pub fn selects(count: usize) -> String {
    block(|f, p, n| {
        (0..count).fold(n, |x, _| {
            let y = f.load(p);
            let condition = f.compare("slt", x, y);
            f.set("i32", format_args!("select {condition}, {y}, {x}"))
        })
    })
}

/// Loads and stores at one address.
pub fn one_address(count: usize) -> String {
    block(|f, p, n| {
        for _ in 0..count {
            let x = f.load(p);
            let y = f.binary("add", x, n);
            f.store(y, p);
        }
        n
    })
}

/// All stores, then all loads, of places that may be the same.
pub fn stores_that_may_alias(count: usize) -> String {
    block(|f, p, n| {
        let places: Vec<V> = (0..count)
            .map(|i| {
                let k = f.word(i as i64 * 4);
                let index = f.binary("mul", n, k);
                let place = f.binary("add", p, index);
                f.store(index, place);
                place
            })
            .collect();
        places.iter().fold(n, |x, &place| {
            let y = f.load(place);
            f.binary("mul", x, y)
        })
    })
}

/// Loads without stores between, each of them twice: common subexpressions.
pub fn common_subexpressions(count: usize) -> String {
    block(|f, p, n| {
        let mut x = n;
        for _ in 0..2 {
            for i in 0..count {
                let k = f.word(i as i64 * 5 + 1);
                let y = f.binary("mul", n, k);
                let z = f.binary("xor", y, p);
                x = f.binary("add", x, z);
            }
        }
        x
    })
}

/// Addresses that are each the one before and a step.
pub fn chain_of_addresses(count: usize) -> String {
    block(|f, p, n| {
        let four = f.word(4);
        let mut at = p;
        for _ in 0..count {
            at = f.binary("add", at, four);
            f.store(n, at);
        }
        at
    })
}

/// Pure operations that nobody uses.
pub fn dead_code(count: usize) -> String {
    block(|f, p, n| {
        (0..count).fold(p, |x, _| f.binary("mul", x, n));
        n
    })
}

/// What a loop computes anew in each round though it needs not.
pub fn invariants_of_a_loop(count: usize) -> String {
    block(|f, p, n| {
        let [body, after] = [f.block(), f.block()];
        f.jump(body);
        f.start(body);
        for i in 0..count {
            let k = f.word(i as i64 * 3 + 7);
            let x = f.binary("mul", n, k);
            let y = f.binary("add", x, p);
            f.store(y, p);
        }
        let x = f.load(p);
        f.branch_on(x, body, after);
        f.start(after);
        n
    })
}

/// Calls that return twice, values living through them.
pub fn setjmps(count: usize) -> String {
    let text = block(|f, p, n| {
        (0..count).fold(n, |x, _| {
            let y = f.set("i32", format_args!("call @llvm.nacl.setjmp({p})"));
            f.binary("mul", x, y)
        })
    });
    text + "intrinsic external @llvm.nacl.setjmp(i32) -> i32\n"
}

/// Copies and fills of memory, of known and unknown lengths.
pub fn copies_of_memory(count: usize) -> String {
    let text = block(|f, p, n| {
        let (one, no) = (f.word(1), f.constant("i1", "false"));
        for i in 0..count {
            let length = if i % 4 == 3 { n } else { f.word((i % 150) as i64) };
            f.put(format_args!("call @llvm.memcpy.p0i8.p0i8.i32({p}, {n}, {length}, {one}, {no})"));
        }
        n
    });
    text + "intrinsic external @llvm.memcpy.p0i8.p0i8.i32(i32, i32, i32, i32, i1) -> void\n"
}

/// Atomic updates.
pub fn atomics(count: usize) -> String {
    let text = block(|f, p, n| {
        let [order, add] = [f.word(6), f.word(1)];
        (0..count).fold(n, |x, _| {
            f.set("i32", format_args!("call @llvm.nacl.atomic.rmw.i32({add}, {p}, {x}, {order})"))
        })
    });
    text + "intrinsic external @llvm.nacl.atomic.rmw.i32(i32, i32, i32, i32) -> i32\n"
}

/// Functions of one instruction.
pub fn tiny_functions(count: usize) -> String {
    (0..count)
        .map(|i| {
            format!(
                "define internal @tiny{i}(v0: i32) -> i32 {{\nblock0:\nv1: i32 = mul v0, v0\nret v1\n}}\n"
            )
        })
        .collect()
}

/// Functions that all call each other by address: a table of them.
pub fn table_of_functions(count: usize) -> String {
    let list = commas((0..count).map(|i| format!("addr @tiny{i} + 0")));
    format!("{}constant @table align 4 = {list}\n", tiny_functions(count))
}

/// Global variables, each stored to once.
pub fn many_globals(count: usize) -> String {
    let text = block(|f, _, n| {
        for i in 0..count {
            f.put(format_args!("store {n} to @global{i}, align 1"));
        }
        n
    });
    (0..count).map(|i| format!("global @global{i} align 4 = zero 8\n")).chain([text]).collect()
}

/// Signatures that all differ, each of one indirect call.
pub fn many_signatures(count: usize) -> String {
    let mut f = Body::new("f", &["i32", "i64", "f32", "f64"], "void");
    for i in 0..count {
        let digits = (0..8).map(|digit| i >> (2 * digit) & 3);
        f.put(format_args!("call_indirect v0({})", commas(digits.map(|digit| format!("v{digit}")))));
    }
    f.put("ret");
    f.finish()
}

/// One initialiser of bytes.
pub fn large_initializer(count: usize) -> String {
    let lines: String = (0..count).map(|i| format!("\"{:064}\"\n", i)).collect();
    format!("constant @bytes align 1 = bytes {lines}")
}

/// Functions with long names that begin alike, all in the symbol table.
pub fn long_names(count: usize) -> String {
    let prefix = "name_of_a_function_".repeat(4);
    (0..count).map(|i| format!("define internal @{prefix}{i}() -> void {{\nblock0:\nret\n}}\n")).collect()
}
