//! Steps with blocks of their own: branches, loops and switches, which hold other steps.
//!
//! A value is used only where its block is passed on every way. Loops count to eight at most.

use super::body::{Body, Step};
use super::types::{Type, Value, number};

const STEPS: [(usize, Step); 3] = [(5, branch), (3, counted_loop), (2, small_switch)];

pub fn step(body: &mut Body) {
    body.depth += 1;
    body.weighted(&STEPS)(body);
    body.depth -= 1;
}

/// A phi of values and the blocks that they come from.
fn phi(body: &mut Body, ty: Type, ways: &[(Value, String)]) {
    let ways: Vec<String> =
        ways.iter().map(|(value, block)| format!("[ {}, %{block} ]", value.text)).collect();
    body.add(ty, format!("phi {ty} {}", ways.join(", ")));
}

/// The last value of the type, or a constant.
fn last(body: &mut Body, values: &[Value], ty: Type) -> Value {
    match values.iter().rev().find(|value| value.ty == ty) {
        Some(value) => value.clone(),
        None => body.constant(ty),
    }
}

/// Two ways that join, one of which may be empty.
fn branch(body: &mut Body) {
    let label = body.fresh("b");
    let condition = body.operand(Type::BIT, 0);
    let outer = body.values.len();
    body.line(format!("br {condition}, label %{label}.then, label %{label}.else"));
    let side = |body: &mut Body, name: &str, least| {
        body.begin(format!("{label}.{name}"));
        body.steps(least, 6);
        let (values, block) = (body.values.clone(), body.block.clone());
        body.line(format!("br label %{label}.join"));
        body.values.truncate(outer);
        (values, block)
    };
    let (then_values, then_block) = side(body, "then", 1);
    let (else_values, else_block) = side(body, "else", 0);
    body.begin(format!("{label}.join"));
    for _ in 0..1 + body.below(3) {
        let newest = &then_values[then_values.len().saturating_sub(6)..];
        let one = body.one_of(newest);
        let other = last(body, &else_values, one.ty);
        phi(body, one.ty, &[(one, then_block.clone()), (other, else_block.clone())]);
    }
}

/// A loop that counts to a number from 1 to 8 and carries up to three values. Its test is at its end, so what it
/// computes is there behind it as well.
fn counted_loop(body: &mut Body) {
    let label = body.fresh("l");
    let counter = Type::int(body.one_of(&[8, 16, 32, 64]));
    let any = body.operand(counter, 0);
    let limit = body.define(counter, format!("and {any}, 7"));
    let mut carried = Vec::new();
    for _ in 0..1 + body.below(3) {
        if let Some(start) = body.recent(|_| true) {
            let name = body.fresh("%v");
            carried.push((Value::new(start.ty, name), start));
        }
    }
    let count = Value::new(counter, body.fresh("%v"));
    carried.push((count.clone(), number(counter, 0)));
    let before = body.block.clone();
    body.line(format!("br label %{label}.head"));
    body.begin(format!("{label}.head"));
    let phis_at = body.lines.len();
    body.values.extend(carried.iter().map(|(value, _)| value.clone()));
    body.steps(2, 8);
    let next = body.define(counter, format!("add {count}, 1"));
    let mut phis = Vec::new();
    for (value, start) in &carried {
        let end = if value.text == count.text { next.clone() } else { body.operand(value.ty, 0) };
        phis.push((value.clone(), start.clone(), end));
    }
    let is_end = body.define(Type::BIT, format!("icmp ugt {next}, {}", limit.text));
    let end_block = body.block.clone();
    body.line(format!("br {is_end}, label %{label}.exit, label %{label}.head"));
    let lines = phis.iter().map(|(Value { ty, text }, start, end)| {
        format!("  {text} = phi {ty} [ {}, %{before} ], [ {}, %{end_block} ]", start.text, end.text)
    });
    body.lines.splice(phis_at..phis_at, lines);
    body.begin(format!("{label}.exit"));
}

/// A switch of at most four ways with steps in them, for a type of any width. In some the cases lie far apart.
fn small_switch(body: &mut Body) {
    let label = body.fresh("s");
    let widths: Vec<u32> =
        [3, 8, 16, 32, 33, 64, 128].into_iter().filter(|&w| w <= body.module.limits.widest).collect();
    let ty = Type::int(body.one_of(&widths));
    let (any, mask) = (body.operand(ty, 0), body.one_of(&[3, 7, 7]));
    let mut chosen = body.define(ty, format!("and {any}, {mask}"));
    let shift = if body.chance(30) { body.below((ty.width - 2) as usize) } else { 0 };
    if shift > 0 {
        chosen = body.define(ty, format!("shl {chosen}, {shift}"));
    }
    let first = body.below(8) as u128;
    let cases: Vec<u128> = (0..2 + body.below(6) as u128).map(|n| ((first + 3 * n) % 8) << shift).collect();
    let ways = cases.len().min(4);
    let list: Vec<String> = cases
        .iter()
        .enumerate()
        .map(|(n, case)| format!("{ty} {case}, label %{label}.{}", n % ways))
        .collect();
    let result = body.recent(|_| true).map_or(ty, |value| value.ty);
    body.line(format!("switch {chosen}, label %{label}.default [ {} ]", list.join(" ")));
    let outer = body.values.len();
    let mut results = Vec::new();
    for way in 0..=ways {
        body.begin(if way < ways { format!("{label}.{way}") } else { format!("{label}.default") });
        if way < ways {
            body.steps(0, 3);
        }
        results.push((body.operand(result, 30), body.block.clone()));
        body.line(format!("br label %{label}.join"));
        body.values.truncate(outer);
    }
    body.begin(format!("{label}.join"));
    phi(body, result, &results);
}

/// A switch of many cases that only chooses a constant: a table, bits of a word or ranges, as compilers like.
pub fn wide_switch(body: &mut Body) {
    const WAYS: usize = 4;
    let label = body.fresh("w");
    let ty = Type::int(body.one_of(&[8, 16, 32, 64]));
    let (any, mask) = (body.operand(ty, 0), body.one_of(&[31, 63]));
    let chosen = body.define(ty, format!("and {any}, {mask}"));
    let percent = body.one_of(&[20, 40, 70]);
    let mut list = String::new();
    for case in 0..body.one_of(&[40, 64]) {
        if body.chance(percent) {
            list += &format!("{ty} {case}, label %{label}.{} ", body.below(WAYS));
        }
    }
    let result = body.recent(|_| true).map_or(ty, |value| value.ty);
    body.line(format!("switch {chosen}, label %{label}.default [ {list}]"));
    let mut results = Vec::new();
    for way in 0..=WAYS {
        body.begin(if way < WAYS { format!("{label}.{way}") } else { format!("{label}.default") });
        body.line(format!("br label %{label}.join"));
        results.push((body.constant(result), body.block.clone()));
    }
    body.begin(format!("{label}.join"));
    phi(body, result, &results);
}
