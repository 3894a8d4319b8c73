//! Loads and stores of every width and alignment, and block operations of every small size.

use super::Text;

/// Loads, stores, extensions, read-modify-write and addresses with indices.
pub fn loads_and_stores(text: &mut Text) {
    let types = ["i8", "i16", "i32", "i64", "float", "double"];
    for ty in types {
        for (align, offset) in [(1, 3), (8, 8)] {
            let place = format!("getelementptr i8, ptr %p, i32 {offset}");
            // Random bits may be a NaN, whose payload a float register need not keep.
            let name = format!("{ty}_align{align}");
            if ty.starts_with('i') {
                text.function(
                    ty,
                    &format!("load_{name}"),
                    "ptr %p",
                    &format!("  %q = {place}\n  %r = load {ty}, ptr %q, align {align}\n  ret {ty} %r\n"),
                );
            }
            text.function(
                "void",
                &format!("store_{name}"),
                &format!("ptr %p, {ty} %a"),
                &format!("  %q = {place}\n  store {ty} %a, ptr %q, align {align}\n  ret void\n"),
            );
            text.function(
                "void",
                &format!("store_volatile_{name}"),
                &format!("ptr %p, {ty} %a"),
                &format!("  %q = {place}\n  store volatile {ty} %a, ptr %q, align {align}\n  ret void\n"),
            );
        }
    }
    for ty in &types[..4] {
        for op in ["add", "sub", "and", "or", "xor", "mul", "shl"] {
            let operand = if op == "shl" { "3" } else { "%a" };
            text.function(
                "void",
                &format!("{op}_memory_{ty}"),
                &format!("ptr %p, {ty} %a"),
                &format!("  %v = load {ty}, ptr %p\n  %w = {op} {ty} %v, {operand}\n  store {ty} %w, ptr %p\n  ret void\n"),
            );
            // What is loaded may be more than a shift can be by.
            let (amount, operand) = match op {
                "shl" => {
                    (format!("  %n = and {ty} %v, {}\n", &ty[1..].parse::<u32>().unwrap_or(1) - 1), "%n")
                }
                _ => (String::new(), "%v"),
            };
            text.function(
                ty,
                &format!("{op}_loaded_{ty}"),
                &format!("ptr %p, {ty} %a"),
                &format!("  %v = load {ty}, ptr %p\n{amount}  %w = {op} {ty} %a, {operand}\n  %r = xor {ty} %w, %v\n  ret {ty} %r\n"),
            );
        }
        // A store between a load and its use, and one to the same place.
        text.function(
            ty,
            &format!("load_before_store_{ty}"),
            &format!("ptr %p, {ty} %a"),
            &format!(
                "  %v = load {ty}, ptr %p\n  store {ty} %a, ptr %p\n  %r = add {ty} %v, %a\n  ret {ty} %r\n"
            ),
        );
        text.function(
            ty,
            &format!("load_after_store_{ty}"),
            &format!("ptr %p, ptr %q, {ty} %a"),
            &format!(
                "  %v = load {ty}, ptr %p\n  store {ty} %a, ptr %q\n  %w = load {ty}, ptr %q\n  %s = sub {ty} %v, %w\n  \
                 store {ty} %s, ptr %p\n  ret {ty} %s\n"
            ),
        );
        text.function(
            "i1",
            &format!("compare_loaded_{ty}"),
            &format!("ptr %p, {ty} %a"),
            &format!("  %v = load {ty}, ptr %p\n  %r = icmp slt {ty} %a, %v\n  ret i1 %r\n"),
        );
        for index in ["i8", "i16", "i32", "i64"] {
            text.function(
                ty,
                &format!("indexed_{ty}_by_{index}"),
                &format!("ptr %p, {index} %i"),
                &format!(
                    "  %j = and {index} %i, 15\n  %q = getelementptr [4 x {ty}], ptr %p, {index} 1, {index} %j\n  \
                     %r = load {ty}, ptr %q, align 1\n  ret {ty} %r\n"
                ),
            );
            text.function(
                ty,
                &format!("indexed_back_{ty}_by_{index}"),
                &format!("ptr %p, {index} %i"),
                &format!(
                    "  %j = or {index} %i, -8\n  %q = getelementptr {ty}, ptr %p, {index} %j\n  %r = load {ty}, ptr %q, align 1\n  \
                     ret {ty} %r\n"
                ),
            );
        }
        let wide = if *ty == "i64" { "i64" } else { "i32" };
        for op in ["sext", "zext"].iter().filter(|_| *ty != wide) {
            text.function(
                wide,
                &format!("load_{op}_{ty}"),
                "ptr %p",
                &format!("  %v = load {ty}, ptr %p\n  %r = {op} {ty} %v to {wide}\n  ret {wide} %r\n"),
            );
        }
        text.function(
            "void",
            &format!("store_truncated_{ty}"),
            "ptr %p, i64 %a",
            &format!(
                "  %v = {}\n  store {ty} %v, ptr %p\n  ret void\n",
                if *ty == "i64" { "add i64 %a, 1".to_owned() } else { format!("trunc i64 %a to {ty}") }
            ),
        );
    }
    // Odd widths: what is stored has zeros above the width, and what is loaded was stored.
    for width in [1, 7, 12, 24, 31, 33, 40, 48, 56, 63] {
        text.function(
            &format!("i{width}"),
            &format!("through_memory_i{width}"),
            &format!("ptr %p, i{width} %a"),
            &format!("  store i{width} %a, ptr %p, align 1\n  %r = load i{width}, ptr %p, align 1\n  ret i{width} %r\n"),
        );
    }
    // A structure with padding, and one without.
    text.function(
        "i64",
        "structure_fields",
        "ptr %p, i32 %i",
        "  %j = and i32 %i, 3\n  %q = getelementptr { i8, i16, i32, i64 }, ptr %p, i32 %j, i32 3\n  %a = load i64, ptr %q, align 1\n  \
         %s = getelementptr <{ i8, i16, i32, i64 }>, ptr %p, i32 %j, i32 2\n  %b = load i32, ptr %s, align 1\n  \
         %c = sext i32 %b to i64\n  %r = sub i64 %a, %c\n  ret i64 %r\n",
    );
}

/// memcpy, memmove and memset of constant and of variable sizes, with several alignments.
pub fn blocks(text: &mut Text) {
    for name in ["memcpy", "memmove"] {
        for size in ["i32", "i64"] {
            text.declare(&format!("void @llvm.{name}.p0.p0.{size}(ptr, ptr, {size}, i1)"));
        }
    }
    for size in ["i32", "i64"] {
        text.declare(&format!("void @llvm.memset.p0.{size}(ptr, i8, {size}, i1)"));
    }
    let sizes = (0..=40).chain([47, 48, 49, 63, 64, 65, 95, 96, 100, 127, 128, 129, 191, 192, 200]);
    for size in sizes {
        for (align, word) in [(1, "i64"), (4, "i32"), (16, "i64")] {
            text.function(
                "void",
                &format!("memcpy_{size}_align{align}"),
                "ptr %p, ptr %q",
                &format!(
                    "  call void @llvm.memcpy.p0.p0.{word}(ptr align {align} %p, ptr align {align} %q, {word} {size}, i1 false)\n  \
                     ret void\n"
                ),
            );
        }
        text.function(
            "void",
            &format!("memmove_{size}_up"),
            "ptr %p",
            &format!(
                "  %q = getelementptr i8, ptr %p, i32 5\n  call void @llvm.memmove.p0.p0.i32(ptr %q, ptr %p, i32 {size}, i1 false)\n  \
                 ret void\n"
            ),
        );
        text.function(
            "void",
            &format!("memmove_{size}_down"),
            "ptr %p",
            &format!(
                "  %q = getelementptr i8, ptr %p, i32 3\n  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 {size}, i1 false)\n  \
                 ret void\n"
            ),
        );
        for (value, name) in [("0", "zero"), ("-1", "ones"), ("90", "same"), ("%v", "value")] {
            text.function(
                "void",
                &format!("memset_{size}_{name}"),
                "ptr %p, i8 %v",
                &format!("  call void @llvm.memset.p0.i32(ptr align 2 %p, i8 {value}, i32 {size}, i1 false)\n  ret void\n"),
            );
        }
    }
    for word in ["i32", "i64"] {
        let limited = format!("  %m = and {word} %n, 255\n");
        for name in ["memcpy", "memmove"] {
            text.function(
                "void",
                &format!("{name}_variable_{word}"),
                &format!("ptr %p, ptr %q, {word} %n"),
                &format!("{limited}  call void @llvm.{name}.p0.p0.{word}(ptr %p, ptr %q, {word} %m, i1 false)\n  ret void\n"),
            );
        }
        text.function(
            "void",
            &format!("memset_variable_{word}"),
            &format!("ptr %p, i8 %v, {word} %n"),
            &format!("{limited}  call void @llvm.memset.p0.{word}(ptr %p, i8 %v, {word} %m, i1 false)\n  ret void\n"),
        );
    }
}
