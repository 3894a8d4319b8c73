//! Shapes of control flow: blocks, branches, loops, phis.

use super::text::{B, Body, V, commas};

/// `f(p, n)`, both `i32`, with the constants 0 and 1 and a shared helper: one memory cell at `p`.
struct Frame {
    f: Body,
    p: V,
    n: V,
    zero: V,
    one: V,
}

fn frame() -> Frame {
    let mut f = Body::new("f", &["i32", "i32"], "i32");
    let (p, n, zero, one) = (V::param(0), V::param(1), f.word(0), f.word(1));
    Frame { f, p, n, zero, one }
}

/// Numbers without a pattern (xorshift).
fn random(seed: usize) -> impl FnMut(usize) -> usize {
    let mut state = seed as u64 | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % below
    }
}

/// One `if` with two arms and a phi after another.
pub fn diamonds(count: usize) -> String {
    let Frame { mut f, p, n, one, .. } = frame();
    let mut x = n;
    for _ in 0..count {
        let [a, b, join] = [f.block(), f.block(), f.block()];
        let y = f.load(p);
        let condition = f.compare("slt", x, y);
        f.branch(condition, a, b);
        f.start(a);
        let left = f.binary("add", x, one);
        f.jump(join);
        f.start(b);
        let right = f.binary("xor", x, y);
        f.jump(join);
        f.start(join);
        x = f.set("i32", format_args!("phi [{left}, {a}], [{right}, {b}]"));
    }
    f.ret(x);
    f.finish()
}

/// Comparisons in a row, all with one exit, whose phi has an entry for each.
pub fn chain_to_one_exit(count: usize) -> String {
    let Frame { mut f, n, .. } = frame();
    let exit = f.block();
    let mut entries = Vec::new();
    let mut at = B::ENTRY;
    for i in 0..count {
        let (key, value) = (f.word(i as i64 * 7), f.word(i as i64 * 3));
        let condition = f.compare("eq", n, key);
        let next = f.block();
        f.branch(condition, exit, next);
        entries.push(format!("[{value}, {at}]"));
        f.start(next);
        at = next;
    }
    f.jump(exit);
    entries.push(format!("[{n}, {at}]"));
    f.start(exit);
    let x = f.set("i32", format_args!("phi {}", commas(entries)));
    f.ret(x);
    f.finish()
}

/// Branches with exits of their own.
pub fn many_exits(count: usize) -> String {
    let Frame { mut f, p, n, .. } = frame();
    let mut x = n;
    for i in 0..count {
        let (key, [exit, next]) = (f.word(i as i64), [f.block(), f.block()]);
        x = f.binary("mul", x, n);
        let condition = f.compare("eq", x, key);
        f.branch(condition, exit, next);
        f.start(exit);
        f.store(x, p);
        f.ret(key);
        f.start(next);
    }
    f.ret(x);
    f.finish()
}

/// Small loops one after another.
pub fn loops_in_a_row(count: usize) -> String {
    let Frame { mut f, p, n, zero, one } = frame();
    let (mut from, mut sum) = (B::ENTRY, zero);
    for _ in 0..count {
        let [body, after] = [f.block(), f.block()];
        f.jump(body);
        f.start(body);
        let (next, total) = (f.reserve(), f.reserve());
        let i = f.set("i32", format_args!("phi [{zero}, {from}], [{next}, {body}]"));
        let t = f.set("i32", format_args!("phi [{sum}, {from}], [{total}, {body}]"));
        let y = f.load(p);
        f.set_as(total, "i32", format_args!("add {t}, {y}"));
        f.set_as(next, "i32", format_args!("add {i}, {one}"));
        let condition = f.compare("slt", next, n);
        f.branch(condition, body, after);
        f.start(after);
        (from, sum) = (after, total);
    }
    f.ret(sum);
    f.finish()
}

/// Loops one after another, each with a counter that only counts for itself.
pub fn counters_nobody_reads(count: usize) -> String {
    let Frame { mut f, p, n, zero, one } = frame();
    let mut from = B::ENTRY;
    for _ in 0..count {
        let [body, after] = [f.block(), f.block()];
        f.jump(body);
        f.start(body);
        let next = f.reserve();
        let i = f.set("i32", format_args!("phi [{zero}, {from}], [{next}, {body}]"));
        f.set_as(next, "i32", format_args!("add {i}, {one}"));
        let y = f.load(p);
        let condition = f.compare("slt", y, n);
        f.branch(condition, body, after);
        f.start(after);
        from = after;
    }
    f.ret(n);
    f.finish()
}

/// Loops inside each other, each with a counter; `inside` writes the innermost body.
fn nest(count: usize, mut each: impl FnMut(&mut Body, V)) -> String {
    let Frame { mut f, p, n, zero, one } = frame();
    let mut loops = Vec::new();
    let mut from = B::ENTRY;
    for _ in 0..count {
        let header = f.block();
        f.jump(header);
        f.start(header);
        let next = f.reserve();
        let latch = f.block();
        let i = f.set("i32", format_args!("phi [{zero}, {from}], [{next}, {latch}]"));
        each(&mut f, p);
        loops.push((header, latch, i, next));
        from = header;
    }
    for (header, latch, i, next) in loops.into_iter().rev() {
        f.jump(latch);
        f.start(latch);
        f.set_as(next, "i32", format_args!("add {i}, {one}"));
        let condition = f.compare("slt", next, n);
        let after = f.block();
        f.branch(condition, header, after);
        f.start(after);
    }
    f.ret(zero);
    f.finish()
}

/// A nest of loops.
pub fn nested_loops(count: usize) -> String {
    nest(count, |_, _| ())
}

/// A nest of loops, each of which uses two constants of its own.
pub fn nested_loops_with_constants(count: usize) -> String {
    let mut constant = 123_456_789i64;
    nest(count, |f, p| {
        for _ in 0..2 {
            constant = (constant + 987_651) % 2_000_000_000;
            let (k, x) = (f.word(constant), f.load(p));
            let y = f.binary("xor", x, k);
            f.store(y, p);
        }
    })
}

/// Loops with two entries one after another.
pub fn irreducible_loops_in_a_row(count: usize) -> String {
    let Frame { mut f, p, n, .. } = frame();
    let mut x = n;
    for _ in 0..count {
        let [a, b, after] = [f.block(), f.block(), f.block()];
        let condition = f.compare("slt", x, n);
        f.branch(condition, a, b);
        f.start(a);
        f.store(x, p);
        f.jump(b);
        f.start(b);
        let y = f.load(p);
        let condition = f.compare("eq", y, n);
        f.branch(condition, a, after);
        f.start(after);
        x = f.binary("xor", y, n);
    }
    f.ret(x);
    f.finish()
}

/// Blocks that go on to the next, or back to half their number: entries into loops everywhere, values live through.
pub fn irreducible_ladder(count: usize) -> String {
    let Frame { mut f, p, n, .. } = frame();
    let blocks = f.blocks(count + 1);
    f.branch_on(p, blocks[0], blocks[count / 2]);
    for (i, pair) in blocks.windows(2).enumerate() {
        f.start(pair[0]);
        let x = f.load(p);
        let y = f.binary("add", x, n);
        f.store(y, p);
        f.branch_on(x, pair[1], blocks[i / 2]);
    }
    f.start(blocks[count]);
    f.ret(n);
    f.finish()
}

/// Blocks that go on to the next or anywhere, with a phi for every edge into each.
pub fn irreducible_web(count: usize) -> String {
    let Frame { mut f, p, n, .. } = frame();
    let blocks = f.blocks(count + 1);
    let mut random = random(count);
    let targets: Vec<usize> = (0..count).map(|_| random(count)).collect();
    let values: Vec<V> = (0..count).map(|_| f.reserve()).collect();
    let mut entries = vec![Vec::new(); count + 1];
    entries[0].push(format!("[{n}, {}]", B::ENTRY));
    for (i, &target) in targets.iter().enumerate() {
        for to in [i + 1, target] {
            entries[to].push(format!("[{}, {}]", values[i], blocks[i]));
        }
    }
    f.jump(blocks[0]);
    for (i, &target) in targets.iter().enumerate() {
        f.start(blocks[i]);
        let x = f.set("i32", format_args!("phi {}", commas(&entries[i])));
        let y = f.load(p);
        f.set_as(values[i], "i32", format_args!("add {x}, {y}"));
        f.branch_on(y, blocks[i + 1], blocks[target]);
    }
    f.start(blocks[count]);
    let x = f.set("i32", format_args!("phi {}", commas(&entries[count])));
    f.ret(x);
    f.finish()
}

/// A switch with `count` cases of the values `value(i)`, a block each.
fn switch(count: usize, value: impl Fn(i64) -> i64) -> String {
    let Frame { mut f, p, n, .. } = frame();
    let blocks = f.blocks(count);
    let out = f.block();
    let cases = blocks.iter().enumerate().map(|(i, block)| format!("{}: {block}", value(i as i64)));
    f.put(format_args!("switch {n}, {out} [{}]", commas(cases)));
    for (i, &block) in blocks.iter().enumerate() {
        let k = f.word(i as i64);
        f.start(block);
        f.store(k, p);
        f.jump(out);
    }
    f.start(out);
    f.ret(n);
    f.finish()
}

/// Cases 0, 1, 2, …
pub fn switch_dense(count: usize) -> String {
    switch(count, |i| i)
}

/// Cases far from each other.
pub fn switch_sparse(count: usize) -> String {
    switch(count, |i| i * 977 - 100_000)
}

/// Cases 0, 3, 6, …: not quite dense enough for a table.
pub fn switch_thirds(count: usize) -> String {
    switch(count, |i| i * 3)
}

/// Cases in runs that are dense, with gaps that grow.
pub fn switch_runs(count: usize) -> String {
    switch(count, |i| i + (i / 8) * (i / 8) / 16)
}

/// Many cases with one target, its phi with an entry for each.
pub fn switch_to_one_block(count: usize) -> String {
    let Frame { mut f, n, one, .. } = frame();
    let [join, out] = [f.block(), f.block()];
    let cases = (0..count).map(|i| format!("{}: {join}", i * 2));
    f.put(format_args!("switch {n}, {out} [{}]", commas(cases)));
    f.start(join);
    let entries = commas((0..count).map(|_| format!("[{one}, {}]", B::ENTRY)));
    let x = f.set("i32", format_args!("phi {entries}"));
    f.ret(x);
    f.start(out);
    f.ret(n);
    f.finish()
}

/// A small switch in each of many loops.
pub fn switches_in_loops(count: usize) -> String {
    let Frame { mut f, p, n, .. } = frame();
    for _ in 0..count {
        let body = f.block();
        let cases = f.blocks(6);
        let [latch, after] = [f.block(), f.block()];
        f.jump(body);
        f.start(body);
        let x = f.load(p);
        let list = commas(cases.iter().enumerate().map(|(i, block)| format!("{i}: {block}")));
        f.put(format_args!("switch {x}, {after} [{list}]"));
        for &case in &cases {
            f.start(case);
            let y = f.binary("mul", x, n);
            f.store(y, p);
            f.jump(latch);
        }
        f.start(latch);
        f.branch_on(x, body, after);
        f.start(after);
    }
    f.ret(n);
    f.finish()
}

/// A loop with many phis, each of which takes its neighbour's value: one cycle of moves.
pub fn phis_of_one_block(count: usize) -> String {
    let Frame { mut f, p, n, .. } = frame();
    let starts = f.loads(p, count);
    let [body, after] = [f.block(), f.block()];
    let phis: Vec<V> = (0..count).map(|_| f.reserve()).collect();
    f.jump(body);
    f.start(body);
    for i in 0..count {
        let next = phis[(i + 1) % count];
        f.set_as(phis[i], "i32", format_args!("phi [{}, {}], [{next}, {body}]", starts[i], B::ENTRY));
    }
    let x = f.load(p);
    f.branch_on(x, body, after);
    f.start(after);
    let sum = phis.iter().fold(n, |sum, &phi| f.binary("add", sum, phi));
    f.ret(sum);
    f.finish()
}

/// A value that goes through a phi in block after block without being changed.
pub fn chain_of_phis(count: usize) -> String {
    let Frame { mut f, p, n, zero, .. } = frame();
    let (mut x, mut from) = (n, B::ENTRY);
    for _ in 0..count {
        let [side, join] = [f.block(), f.block()];
        let y = f.load(p);
        f.branch_on(y, side, join);
        f.start(side);
        f.store(zero, p);
        f.jump(join);
        f.start(join);
        x = f.set("i32", format_args!("phi [{x}, {from}], [{y}, {side}]"));
        from = join;
    }
    f.ret(x);
    f.finish()
}

/// Blocks that nothing leads to, each after the other.
pub fn unreachable_blocks(count: usize) -> String {
    let Frame { mut f, p, n, .. } = frame();
    f.ret(n);
    let blocks = f.blocks(count);
    for (i, &block) in blocks.iter().enumerate() {
        f.start(block);
        let x = f.load(p);
        f.branch_on(x, blocks[(i + 1) % count], blocks[i / 2]);
    }
    f.finish()
}

/// Every block branches to the next and to the one after, which have phis: no edge can carry moves.
pub fn critical_edges(count: usize) -> String {
    let Frame { mut f, p, n, .. } = frame();
    let mut blocks = vec![B::ENTRY];
    blocks.extend(f.blocks(count + 1));
    let values: Vec<V> = (0..count).map(|_| f.reserve()).collect();
    for i in 0..count + 2 {
        let mut x = n;
        if i > 0 {
            f.start(blocks[i]);
            let from = [i.checked_sub(2), i.checked_sub(1)].into_iter().flatten().filter(|&j| j < count);
            let entries = commas(from.map(|j| format!("[{}, {}]", values[j], blocks[j])));
            x = f.set("i32", format_args!("phi {entries}"));
        }
        if i < count {
            let y = f.load(p);
            f.set_as(values[i], "i32", format_args!("add {x}, {y}"));
            f.branch_on(y, blocks[i + 1], blocks[i + 2]);
        } else {
            f.ret(x);
        }
    }
    f.finish()
}

/// Branches that all go over the whole function: forward to its end and back to its start.
pub fn far_branches(count: usize) -> String {
    let Frame { mut f, p, n, .. } = frame();
    let [first, last] = [f.block(), f.block()];
    f.jump(first);
    f.start(first);
    for i in 0..count {
        let next = f.block();
        let x = f.load(p);
        f.branch_on(x, if i % 2 == 0 { first } else { last }, next);
        f.start(next);
    }
    f.jump(last);
    f.start(last);
    f.ret(n);
    f.finish()
}

/// One branch on the conjunction of many conditions.
pub fn conjunction(count: usize) -> String {
    let Frame { mut f, p, n, zero, one } = frame();
    let mut all = f.compare("ne", n, zero);
    for i in 0..count {
        let k = f.word(i as i64);
        let x = f.load(p);
        let condition = f.compare("ne", x, k);
        all = f.set("i1", format_args!("and {all}, {condition}"));
    }
    let [a, b] = [f.block(), f.block()];
    f.branch(all, a, b);
    f.start(a);
    f.ret(one);
    f.start(b);
    f.ret(zero);
    f.finish()
}
