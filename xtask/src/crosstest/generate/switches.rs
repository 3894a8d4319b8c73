//! Switches of every shape: dense, sparse, in ranges, mixed, at the ends of the type, in every width.

use super::Text;

/// A shape: its name, and its cases as number and target block.
fn shapes(width: u32) -> Vec<(&'static str, Vec<(i128, u32)>)> {
    let (least, most) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
    let each = |values: Vec<i128>| -> Vec<(i128, u32)> { values.into_iter().zip(0..).collect() };
    let mut shapes = vec![
        ("none", vec![]),
        ("one", each(vec![5])),
        ("two", each(vec![-1, 7])),
        ("dense", each((0..12).collect())),
        ("dense_offset", each((20..29).collect())),
        ("dense_negative", each((-6..6).collect())),
        ("dense_holes", each((0..30).filter(|n| n % 3 != 1).collect())),
        ("few_targets", (0..40).map(|n| (n, (n * n % 3) as u32)).collect()),
        ("ranges", (0..48).map(|n| (n, (n / 8) as u32)).filter(|(_, block)| block % 3 != 2).collect()),
        ("bits", [1, 2, 4, 8, 16, 32, 64].into_iter().zip(0..).collect()),
        ("sparse", each(vec![-100, -37, -3, 4, 11, 29, 53, 71, 99, 120])),
        ("ends", each(vec![least, least + 1, 0, most - 1, most])),
        ("end_ranges", (0..6).flat_map(|n| [(least + n, 0), (most - n, 1)]).collect()),
        ("clusters", each([(0..8).collect::<Vec<_>>(), (50..58).collect(), (100..109).collect()].concat())),
        (
            "letters",
            (65..91).map(|n| (n, (n % 7) as u32)).chain((97..123).map(|n| (n, 7 + (n % 5) as u32))).collect(),
        ),
    ];
    if width > 16 {
        shapes.push(("powers", each((0..width - 1).map(|bit| 1i128 << bit).collect())));
        shapes.push(("far", each((0..20).map(|n: i128| n * n * n * 131 - 50_000).collect())));
    }
    if width > 32 {
        shapes.push(("high", each((0..10).map(|n| (n << 32) + 7).collect())));
        shapes.push(("high_dense", each((0..10).map(|n| (3i128 << 40) + n).collect())));
        shapes.push(("high_negative", each((0..10).map(|n| -(3i128 << 33) - n).collect())));
    }
    for (_, cases) in &mut shapes {
        cases.retain(|&(value, _)| (least..=most).contains(&value));
        cases.sort_unstable();
        cases.dedup_by_key(|case| case.0);
    }
    shapes
}

/// All functions: each shape by return from every case, and by a phi behind the cases.
pub fn functions(text: &mut Text) {
    for width in [8, 16, 32, 64, 7, 24, 33] {
        let ty = format!("i{width}");
        for (name, cases) in shapes(width) {
            let blocks = cases.iter().map(|case| case.1 + 1).max().unwrap_or(0);
            let list: String =
                cases.iter().map(|(value, block)| format!("    {ty} {value}, label %b{block}\n")).collect();
            let switch = |value: &str| format!("  switch {ty} {value}, label %other [\n{list}  ]\n");
            let returns: String =
                (0..blocks).map(|block| format!("b{block}:\n  ret i32 {}\n", 1000 + block * 7)).collect();
            // Random values would seldom meet a case: most of them are made small first.
            let near = format!(
                "  %low = and {ty} %a, 127\n  %m = sub {ty} %low, 63\n  %far = icmp slt {ty} %b, 0\n  \
                 %v = select i1 %far, {ty} %a, {ty} %m\n"
            );
            let both = format!("{ty} %a, {ty} %b");
            let near = if width == 7 { format!("  %v = xor {ty} %a, %b\n") } else { near };
            text.function(
                "i32",
                &format!("switch_{ty}_{name}"),
                &both,
                &format!("{near}{}{returns}other:\n  ret i32 -1\n", switch("%v")),
            );
            let joins: String = (0..blocks).map(|block| format!("b{block}:\n  br label %end\n")).collect();
            let mut entries: Vec<String> =
                (0..blocks).map(|block| format!("[ {}, %b{block} ]", 31 * block + 5)).collect();
            entries.push("[ %c, %other ]".to_owned());
            text.function(
                "i32",
                &format!("switch_{ty}_{name}_phi"),
                &format!("{both}, i32 %c"),
                &format!(
                    "{near}{}{joins}other:\n  br label %end\nend:\n  %r = phi i32 {}\n  ret i32 %r\n",
                    switch("%v"),
                    entries.join(", ")
                ),
            );
        }
        // Cases that go to the block behind directly, so that the phi has one entry for each.
        let list: String = (0..9).map(|value| format!("    {ty} {value}, label %end\n")).collect();
        let entries = "[ 3, %entry ], ".repeat(9);
        text.function(
            "i32",
            &format!("switch_{ty}_direct"),
            &format!("{ty} %a"),
            &format!(
                "entry:\n  %v = and {ty} %a, 15\n  switch {ty} %v, label %other [\n{list}  ]\nother:\n  br label %end\nend:\n  \
                 %r = phi i32 {entries}[ 4, %other ]\n  ret i32 %r\n"
            ),
        );
    }
}
