//! Vectors of one register, of several, and of no register's size.
//!
//! Vectors come from memory and go to memory, as how they are passed is LLVM's own affair for most types. Lanes of
//! floats are made numbers first: the payload of a NaN is not defined.

use super::Text;
use super::floats::products_with_sums;
use crate::toolchain::Target;

/// A vector type: lanes, and the type of a lane.
pub type Vector = (u32, &'static str);

/// Types of one SSE register.
pub const LEGAL: [Vector; 6] = [(16, "i8"), (8, "i16"), (4, "i32"), (2, "i64"), (4, "float"), (2, "double")];
/// Types of more than one.
pub const WIDE: [Vector; 6] = [(32, "i8"), (16, "i16"), (8, "i32"), (4, "i64"), (8, "float"), (4, "double")];
/// Types of less than one, and with a number of lanes that is no power of two.
pub const ODD: [Vector; 12] = [
    (2, "i8"),
    (4, "i8"),
    (8, "i8"),
    (2, "i16"),
    (4, "i16"),
    (2, "i32"),
    (2, "float"),
    (3, "i32"),
    (3, "float"),
    (5, "i8"),
    (6, "i16"),
    (3, "i64"),
];

/// All functions for the types.
pub fn functions(text: &mut Text, target: Target, types: &[Vector]) {
    for &ty in types {
        let vector = Lanes::new(ty);
        vector.common(text);
        if vector.lane.starts_with('i') { vector.integers(text, target) } else { vector.floats(text, target) }
    }
}

/// A vector type in all its words.
pub struct Lanes {
    pub lanes: u32,
    pub lane: &'static str,
    pub ty: String,
    name: String,
}

impl Lanes {
    pub fn new((lanes, lane): Vector) -> Lanes {
        Lanes { lanes, lane, ty: format!("<{lanes} x {lane}>"), name: format!("v{lanes}{lane}") }
    }

    /// A constant with one number in all lanes.
    pub fn splat(&self, value: &str) -> String {
        let lane = format!("{} {value}", self.lane);
        format!("<{}>", vec![lane; self.lanes as usize].join(", "))
    }

    /// A constant with numbers from `from` in steps of `step`.
    pub fn numbers(&self, from: u32, step: u32) -> String {
        let point = if self.lane.starts_with('i') { "" } else { ".0" };
        let lanes: Vec<String> =
            (0..self.lanes).map(|i| format!("{} {}{point}", self.lane, from + i * step)).collect();
        format!("<{}>", lanes.join(", "))
    }

    /// `%a` and `%b` from memory; floats as small numbers.
    fn operands(&self) -> String {
        let Lanes { ty, lanes, .. } = self;
        if self.lane.starts_with('i') {
            return format!("  %a = load {ty}, ptr %p, align 1\n  %b = load {ty}, ptr %q, align 1\n");
        }
        let bits = if self.lane == "float" { 32 } else { 64 };
        let load = |name: &str, from: &str| {
            let shifts = vec![format!("i{bits} {}", bits - 20); *lanes as usize].join(", ");
            format!(
                "  %{name}.bits = load <{lanes} x i{bits}>, ptr %{from}, align 1\n  \
                 %{name}.small = ashr <{lanes} x i{bits}> %{name}.bits, <{shifts}>\n  \
                 %{name}.whole = sitofp <{lanes} x i{bits}> %{name}.small to {ty}\n  \
                 %{name} = fmul {ty} %{name}.whole, {}\n",
                self.splat("0.125")
            )
        };
        load("a", "p") + &load("b", "q")
    }

    /// A function that computes `%r` of `%a` and `%b` and stores it behind `%p`.
    pub fn operation(&self, text: &mut Text, name: &str, ty: &str, body: &str) {
        text.function(
            "void",
            &format!("{name}_{}", self.name),
            "ptr %p, ptr %q, i32 %i",
            &format!(
                "{}{body}  %out = getelementptr i8, ptr %p, i32 64\n  store {ty} %r, ptr %out, align 1\n  ret void\n",
                self.operands()
            ),
        );
    }

    /// A function of a comparison `%c`: as numbers, as a choice, as bits.
    fn comparison(&self, text: &mut Text, name: &str, compare: &str) {
        let Lanes { ty, lanes, .. } = self;
        let bits = match self.lane {
            "float" => "i32",
            "double" => "i64",
            lane => lane,
        };
        let compare = format!("  %c = {compare} {ty} %a, %b\n");
        let extend = |op: &str| format!("{compare}  %r = {op} <{lanes} x i1> %c to <{lanes} x {bits}>\n");
        self.operation(text, &format!("{name}_sext"), &format!("<{lanes} x {bits}>"), &extend("sext"));
        self.operation(text, &format!("{name}_zext"), &format!("<{lanes} x {bits}>"), &extend("zext"));
        let select = format!("{compare}  %r = select <{lanes} x i1> %c, {ty} %a, {ty} %b\n");
        self.operation(text, &format!("{name}_select"), ty, &select);
        let lane = self.lanes - 1;
        let extract = format!(
            "{compare}  %l = extractelement <{lanes} x i1> %c, i32 {lane}\n  %r = zext i1 %l to i8\n"
        );
        self.operation(text, &format!("{name}_lane"), "i8", &extract);
        let number = format!(
            "{compare}  %n = bitcast <{lanes} x i1> %c to i{lanes}\n  %r = zext i{lanes} %n to i64\n"
        );
        self.operation(text, &format!("{name}_bits"), "i64", &number);
        let first = format!("i64 @llvm.experimental.cttz.elts.i64.v{lanes}i1(<{lanes} x i1>");
        text.declare(&format!("{first}, i1)"));
        let first = format!("{compare}  %r = call {first} %c, i1 false)\n");
        self.operation(text, &format!("{name}_first"), "i64", &first);
        if ["slt", "olt"].contains(&name) {
            self.other_widths(text, name, &compare);
        }
    }

    /// Functions of a comparison `%c` that chooses between lanes of other widths than were compared, and is joined with another
    /// of such.
    fn other_widths(&self, text: &mut Text, name: &str, compare: &str) {
        let lanes = self.lanes;
        for width in [8, 16, 32, 64].into_iter().filter(|width| lanes * width <= 512) {
            let other = format!("<{lanes} x i{width}>");
            let loads =
                format!("  %x = load {other}, ptr %p, align 1\n  %y = load {other}, ptr %q, align 1\n");
            let body = format!("{compare}{loads}  %r = select <{lanes} x i1> %c, {other} %x, {other} %y\n");
            self.operation(text, &format!("{name}_select_{width}"), &other, &body);
            let body = format!(
                "{compare}{loads}  %e = icmp ult {other} %x, %y\n  %f = xor <{lanes} x i1> %c, %e\n  \
                 %r = sext <{lanes} x i1> %f to {other}\n"
            );
            self.operation(text, &format!("{name}_joined_{width}"), &other, &body);
            let body = format!(
                "{compare}{loads}  %m = sext <{lanes} x i1> %c to {other}\n  %z = add {other} %m, %x\n  \
                 %low = trunc {other} %z to <{lanes} x i1>\n  %r = zext <{lanes} x i1> %low to {other}\n"
            );
            self.operation(text, &format!("{name}_lowest_{width}"), &other, &body);
        }
    }

    fn common(&self, text: &mut Text) {
        let Lanes { ty, lane, lanes, .. } = self;
        self.operation(text, "copy", ty, &format!("  %r = select i1 true, {ty} %a, {ty} %b\n"));
        self.operation(
            text,
            "select",
            ty,
            &format!("  %c = icmp sgt i32 %i, 0\n  %r = select i1 %c, {ty} %a, {ty} %b\n"),
        );
        let bits = format!(
            "  %n = trunc i32 %i to i{lanes}\n  %c = bitcast i{lanes} %n to <{lanes} x i1>\n  \
             %r = select <{lanes} x i1> %c, {ty} %a, {ty} %b\n"
        );
        if *lanes < 32 {
            self.operation(text, "select_by_bits", ty, &bits);
        }
        self.operation(
            text,
            "constant",
            ty,
            &format!("  %r = select i1 true, {ty} {}, {ty} %b\n", self.numbers(3, 5)),
        );
        for index in 0..*lanes {
            let body = format!("  %r = extractelement {ty} %a, i32 {index}\n");
            self.operation(text, &format!("extract_{index}"), lane, &body);
            let body = format!(
                "  %l = extractelement {ty} %b, i32 {}\n  %r = insertelement {ty} %a, {lane} %l, i32 {index}\n",
                lanes - 1 - index
            );
            self.operation(text, &format!("insert_{index}"), ty, &body);
            let body = format!(
                "  %l = extractelement {ty} %b, i32 {}\n  %r = insertelement {ty} zeroinitializer, {lane} %l, i32 {index}\n",
                lanes - 1 - index
            );
            self.operation(text, &format!("insert_into_zeros_{index}"), ty, &body);
        }
        let limited = format!("  %j = urem i32 %i, {lanes}\n");
        self.operation(
            text,
            "extract_variable",
            lane,
            &format!("{limited}  %r = extractelement {ty} %a, i32 %j\n"),
        );
        self.operation(
            text,
            "insert_variable",
            ty,
            &format!("{limited}  %l = extractelement {ty} %b, i32 0\n  %r = insertelement {ty} %a, {lane} %l, i32 %j\n"),
        );
        let n = *lanes;
        let masks: [(&str, Vec<u32>); 15] = [
            ("reverse", (0..n).rev().collect()),
            ("splat", vec![0; n as usize]),
            ("splat_last", vec![n - 1; n as usize]),
            ("low", (0..n).map(|i| i / 2 + i % 2 * n).collect()),
            ("high", (0..n).map(|i| (n / 2 + i / 2).min(n - 1) + i % 2 * n).collect()),
            ("blend", (0..n).map(|i| i + i % 2 * n).collect()),
            ("rotate", (0..n).map(|i| (i + 1) % (2 * n)).collect()),
            ("row", (0..n).map(|i| (i + 5) % (2 * n)).collect()),
            ("row_of_second", (0..n).map(|i| (i + n + n / 2) % (2 * n)).collect()),
            ("row_of_one", (0..n).map(|i| (i + 3) % n).collect()),
            ("even", (0..n).map(|i| 2 * i).collect()),
            ("odd", (0..n).map(|i| (2 * i + 1) % (2 * n)).collect()),
            ("odd_of_one", (0..n).map(|i| (2 * i + 1) % n).collect()),
            ("swap", (0..n).map(|i| (i ^ 1).min(n - 1)).collect()),
            ("mixed", (0..n).map(|i| (i * 7 + 3) % (2 * n)).collect()),
        ];
        for (name, mask) in masks {
            let list: Vec<String> = mask.iter().map(|index| format!("i32 {index}")).collect();
            let body = format!("  %r = shufflevector {ty} %a, {ty} %b, <{n} x i32> <{}>\n", list.join(", "));
            self.operation(text, &format!("shuffle_{name}"), ty, &body);
        }
        // To twice as many lanes and to half as many.
        let list: Vec<String> = (0..2 * n).map(|index| format!("i32 {index}")).collect();
        let double = format!("<{} x {lane}>", 2 * n);
        let body =
            format!("  %r = shufflevector {ty} %a, {ty} %b, <{} x i32> <{}>\n", 2 * n, list.join(", "));
        self.operation(text, "shuffle_join", &double, &body);
        if n.is_multiple_of(2) {
            let list: Vec<String> = (n / 2..n).map(|index| format!("i32 {index}")).collect();
            let body =
                format!("  %r = shufflevector {ty} %a, {ty} %b, <{} x i32> <{}>\n", n / 2, list.join(", "));
            self.operation(text, "shuffle_half", &format!("<{} x {lane}>", n / 2), &body);
        }
        // Lanes of four kinds by turns: taken apart, and put together.
        for start in (0..4).filter(|_| n >= 8) {
            let list: Vec<String> = (0..n / 4).map(|i| format!("i32 {}", 4 * i + start)).collect();
            let quarter = format!("<{} x {lane}>", n / 4);
            let body =
                format!("  %r = shufflevector {ty} %a, {ty} %b, <{} x i32> <{}>\n", n / 4, list.join(", "));
            self.operation(text, &format!("shuffle_quarter_{start}"), &quarter, &body);
            if lane.starts_with('i') && *lane != "i64" {
                for op in ["zext", "sext"] {
                    let wide = format!("<{} x i64>", n / 4);
                    let cast = body.replace("%r", "%s") + &format!("  %r = {op} {quarter} %s to {wide}\n");
                    self.operation(text, &format!("shuffle_quarter_{start}_{op}"), &wide, &cast);
                }
            }
        }
        if n.is_multiple_of(2) {
            let turns = |i: u32| i % 2 * (n / 2) + i / 2 % 2 * n + i / 4;
            let list: Vec<String> = (0..2 * n).map(|i| format!("i32 {}", turns(i))).collect();
            let body =
                format!("  %r = shufflevector {ty} %a, {ty} %b, <{} x i32> <{}>\n", 2 * n, list.join(", "));
            self.operation(text, "shuffle_by_turns", &double, &body);
        }
        // Of values that come one by one, all of them or the first ones.
        for count in [2, 3].into_iter().filter(|&count| count < n).chain([n]) {
            let mut body = String::new();
            let mut vector = "zeroinitializer".to_owned();
            for i in 0..count {
                let from = if i % 2 == 0 { "p" } else { "q" };
                let next = if i + 1 == count { "r".to_owned() } else { format!("v{i}") };
                body += &format!(
                    "  %at{i} = getelementptr {lane}, ptr %{from}, i32 {}\n  %l{i} = load {lane}, ptr %at{i}, align 1\n  \
                     %{next} = insertelement {ty} {vector}, {lane} %l{i}, i32 {}\n",
                    i / 2,
                    n - 1 - i
                );
                vector = format!("%v{i}");
            }
            if lane.starts_with('i') {
                self.operation(text, &format!("build_{count}"), ty, &body);
            }
        }
        // Around a loop, so that a vector lives across blocks in a phi.
        let add = if lane.starts_with('i') { "add" } else { "fadd" };
        text.function(
            "void",
            &format!("loop_{}", self.name),
            "ptr %p, ptr %q, i32 %i",
            &format!(
                "entry:\n{}  %count = and i32 %i, 7\n  br label %again\nagain:\n  %n = phi i32 [ 0, %entry ], [ %m, %again ]\n  \
                 %x = phi {ty} [ %a, %entry ], [ %y, %again ]\n  %y = phi {ty} [ %b, %entry ], [ %z, %again ]\n  \
                 %z = {add} {ty} %x, %y\n  %m = add i32 %n, 1\n  %end = icmp ugt i32 %m, %count\n  \
                 br i1 %end, label %done, label %again\ndone:\n  store {ty} %x, ptr %p, align 1\n  store {ty} %z, ptr %q, align 1\n  \
                 ret void\n",
                self.operands()
            ),
        );
    }

    fn integers(&self, text: &mut Text, target: Target) {
        let Lanes { ty, lane, lanes, name } = self;
        let width: u32 = lane[1..].parse().unwrap_or(8);
        for op in ["add", "sub", "mul", "and", "or", "xor"] {
            self.operation(text, op, ty, &format!("  %r = {op} {ty} %a, %b\n"));
            self.operation(
                text,
                &format!("{op}_constant"),
                ty,
                &format!("  %r = {op} {ty} %a, {}\n", self.numbers(1, 3)),
            );
        }
        let zeros = format!("i64 @llvm.experimental.cttz.elts.i64.v{lanes}{lane}({ty}");
        text.declare(&format!("{zeros}, i1)"));
        let first = format!("  %c = and {ty} %a, %b\n  %r = call {zeros} %c, i1 false)\n");
        self.operation(text, "first", "i64", &first);
        for op in ["shl", "lshr", "ashr"] {
            let limit = format!("  %s = and {ty} %b, {}\n", self.splat(&(width - 1).to_string()));
            self.operation(text, op, ty, &format!("{limit}  %r = {op} {ty} %a, %s\n"));
            self.operation(
                text,
                &format!("{op}_all"),
                ty,
                &format!("  %r = {op} {ty} %a, {}\n", self.splat("3")),
            );
            let each: Vec<String> = (0..*lanes).map(|i| format!("{lane} {}", i % width)).collect();
            self.operation(
                text,
                &format!("{op}_each"),
                ty,
                &format!("  %r = {op} {ty} %a, <{}>\n", each.join(", ")),
            );
        }
        for op in ["udiv", "urem", "sdiv", "srem"] {
            // Divisors from 1 to 127, dividends above the minimum.
            let divisor = format!(
                "  %d0 = and {ty} %b, {}\n  %d = or {ty} %d0, {}\n",
                self.splat("126"),
                self.splat("1")
            );
            self.operation(text, op, ty, &format!("{divisor}  %r = {op} {ty} %a, %d\n"));
            for divisor in [3, 7, 10, 16, 100, -5, -8, -128] {
                let name = format!("{op}_{}", divisor.to_string().replace('-', "minus"));
                let all = self.splat(&divisor.to_string());
                self.operation(text, &name, ty, &format!("  %r = {op} {ty} %a, {all}\n"));
            }
        }
        if width < 32 && lanes * 32 <= 512 {
            self.products(text);
        }
        for predicate in ["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"] {
            self.comparison(text, predicate, &format!("icmp {predicate}"));
        }
        for op in ["smax", "smin", "umax", "umin", "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat"] {
            let call = format!("@llvm.{op}.{}", self.suffix());
            text.declare(&format!("{ty} {call}({ty}, {ty})"));
            self.operation(text, op, ty, &format!("  %r = call {ty} {call}({ty} %a, {ty} %b)\n"));
        }
        for op in ["sadd", "uadd", "ssub", "usub", "smul", "umul"] {
            let (call, pair) = (
                format!("@llvm.{op}.with.overflow.{}", self.suffix()),
                format!("{{ {ty}, <{lanes} x i1> }}"),
            );
            text.declare(&format!("{pair} {call}({ty}, {ty})"));
            let inverted = format!(
                "  %both = call {pair} {call}({ty} %a, {ty} %b)\n  %v = extractvalue {pair} %both, 0\n  \
                 %o = extractvalue {pair} %both, 1\n  %m = sext <{lanes} x i1> %o to {ty}\n  %r = xor {ty} %v, %m\n"
            );
            self.operation(text, &format!("{op}_overflow"), ty, &inverted);
        }
        for op in ["ctpop", "bitreverse", "bswap"] {
            if op == "bswap" && width == 8 {
                continue;
            }
            let call = format!("@llvm.{op}.{}", self.suffix());
            text.declare(&format!("{ty} {call}({ty})"));
            self.operation(text, op, ty, &format!("  %r = call {ty} {call}({ty} %a)\n"));
        }
        for op in ["ctlz", "cttz", "abs"] {
            let call = format!("@llvm.{op}.{}", self.suffix());
            text.declare(&format!("{ty} {call}({ty}, i1)"));
            self.operation(text, op, ty, &format!("  %r = call {ty} {call}({ty} %a, i1 false)\n"));
        }
        for op in ["fshl", "fshr"] {
            let call = format!("@llvm.{op}.{}", self.suffix());
            text.declare(&format!("{ty} {call}({ty}, {ty}, {ty})"));
            for amount in [0, 3, 11] {
                let all = self.splat(&amount.to_string());
                let body = format!("  %r = call {ty} {call}({ty} %a, {ty} %b, {ty} {all})\n");
                self.operation(text, &format!("{op}_{amount}"), ty, &body);
            }
        }
        for op in ["add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin"] {
            let call = format!("@llvm.vector.reduce.{op}.{}", self.suffix());
            text.declare(&format!("{lane} {call}({ty})"));
            self.operation(
                text,
                &format!("reduce_{op}"),
                lane,
                &format!("  %r = call {lane} {call}({ty} %a)\n"),
            );
        }
        for to in [8, 16, 32, 64] {
            let other = format!("<{lanes} x i{to}>");
            // LLVM 19 loses a lane of three that become bytes.
            let is_lost = target == Target::Aarch64 && (*lanes, width, to) == (3, 64, 8);
            if to < width && !is_lost {
                self.operation(
                    text,
                    &format!("trunc_{to}"),
                    &other,
                    &format!("  %r = trunc {ty} %a to {other}\n"),
                );
                // What is brought into the range of the type before, with a sign and without.
                for (name, least, most) in
                    [("signed", -1i64 << (to - 1), (1 << (to - 1)) - 1), ("natural", 0, (1 << to) - 1)]
                {
                    let (smax, smin) =
                        (format!("@llvm.smax.{}", self.suffix()), format!("@llvm.smin.{}", self.suffix()));
                    let [least, most] = [least, most].map(|end| self.splat(&end.to_string()));
                    let body = format!(
                        "  %l = call {ty} {smax}({ty} %a, {ty} {least})\n  \
                         %m = call {ty} {smin}({ty} %l, {ty} {most})\n  %r = trunc {ty} %m to {other}\n"
                    );
                    self.operation(text, &format!("limited_{name}_{to}"), &other, &body);
                }
            }
            for op in ["zext", "sext"].iter().filter(|_| to > width && lanes * to <= 512) {
                self.operation(
                    text,
                    &format!("{op}_{to}"),
                    &other,
                    &format!("  %r = {op} {ty} %a to {other}\n"),
                );
            }
        }
        for op in ["sitofp", "uitofp"] {
            let target = format!("<{lanes} x float>");
            self.operation(text, op, &target, &format!("  %r = {op} {ty} %a to {target}\n"));
            let target = format!("<{lanes} x double>");
            if lanes * 64 <= 512 {
                let name = format!("{op}_double");
                self.operation(text, &name, &target, &format!("  %r = {op} {ty} %a to {target}\n"));
            }
        }
        // Bits of a comparison, gathered in an integer.
        if [2, 4, 8, 16, 32].contains(lanes) {
            text.function(
                "i32",
                &format!("mask_{name}"),
                "ptr %p, ptr %q",
                &format!(
                    "{}  %c = icmp slt {ty} %a, %b\n  %m = bitcast <{lanes} x i1> %c to i{lanes}\n  %r = {}\n  ret i32 %r\n",
                    self.operands(),
                    if *lanes == 32 { "add i32 %m, 0".to_owned() } else { format!("zext i{lanes} %m to i32") }
                ),
            );
        }
    }

    /// Products of 32 bits of extended lanes, their differences, and what is in all lanes.
    fn products(&self, text: &mut Text) {
        let Lanes { ty, lanes, .. } = self;
        let wide = format!("<{lanes} x i32>");
        for (first, second) in [("zext", "zext"), ("zext", "sext"), ("sext", "zext"), ("sext", "sext")] {
            let extended = format!("  %x = {first} {ty} %a to {wide}\n  %y = {second} {ty} %b to {wide}\n");
            let body = format!("{extended}  %r = mul {wide} %x, %y\n");
            self.operation(text, &format!("product_{first}_{second}"), &wide, &body);
            let body = format!("{extended}  %d = sub {wide} %x, %y\n  %r = mul {wide} %d, %d\n");
            self.operation(text, &format!("square_{first}_{second}"), &wide, &body);
            let narrow = if first == "zext" { "i8" } else { "i16" };
            let body = format!(
                "{extended}  %n = trunc i32 %i to {narrow}\n  %s = {first} {narrow} %n to i32\n  \
                 %l = insertelement {wide} poison, i32 %s, i32 0\n  \
                 %all = shufflevector {wide} %l, {wide} poison, <{lanes} x i32> zeroinitializer\n  \
                 %r = mul {wide} %all, %y\n"
            );
            self.operation(text, &format!("scaled_{first}_{second}"), &wide, &body);
        }
    }

    fn floats(&self, text: &mut Text, target: Target) {
        let Lanes { ty, lane, lanes, .. } = self;
        for op in ["fadd", "fsub", "fmul"] {
            self.operation(text, op, ty, &format!("  %r = {op} {ty} %a, %b\n"));
        }
        let nonzero = format!(
            "  %z = fcmp oeq {ty} %b, {}\n  %d = select <{lanes} x i1> %z, {ty} {}, {ty} %b\n",
            self.splat("0.0"),
            self.splat("3.0")
        );
        self.operation(text, "fdiv", ty, &format!("{nonzero}  %r = fdiv {ty} %a, %d\n"));
        self.operation(text, "fneg", ty, &format!("  %r = fneg {ty} %a\n"));
        for predicate in
            ["oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno"]
        {
            self.comparison(text, predicate, &format!("fcmp {predicate}"));
            // Lanes divided by themselves are NaN where they are zero.
            let body = format!(
                "  %x = fdiv {ty} %a, %a\n  %c = fcmp {predicate} {ty} %x, %b\n  %r = zext <{lanes} x i1> %c to <{lanes} x i8>\n"
            );
            self.operation(text, &format!("{predicate}_nan"), &format!("<{lanes} x i8>"), &body);
        }
        for op in ["fabs", "floor", "ceil", "trunc", "rint"] {
            let call = format!("@llvm.{op}.{}", self.suffix());
            text.declare(&format!("{ty} {call}({ty})"));
            self.operation(text, op, ty, &format!("  %r = call {ty} {call}({ty} %a)\n"));
        }
        // llc-19 has no classes of doubles for ARM and MIPS, with which it tells zeros from each other.
        let has_classes = *lane == "float" || !matches!(target, Target::Armv7 | Target::Mipsel);
        let of_zeros: &[&str] = if has_classes { &["minimum", "maximum"] } else { &[] };
        for &op in ["minnum", "maxnum", "copysign"].iter().chain(of_zeros) {
            let call = format!("@llvm.{op}.{}", self.suffix());
            text.declare(&format!("{ty} {call}({ty}, {ty})"));
            let body = format!("  %r = call {ty} {call}({ty} %a, {ty} %b)\n");
            self.operation(text, op, ty, &body);
            // With a number, and what may be none.
            if op.ends_with("num") {
                let zero = self.splat("0.0");
                let body = format!(
                    "  %x = fdiv {ty} %a, {zero}\n  %y = fadd {ty} %x, %b\n  %z = fmul {ty} %y, {zero}\n  \
                     %s = fadd {ty} %z, %b\n  %r = call {ty} {call}({ty} {}, {ty} %s)\n",
                    self.splat("1.5")
                );
                self.operation(text, &format!("{op}_number"), ty, &body);
            }
        }
        for op in products_with_sums(target) {
            let call = format!("@llvm.{op}.{}", self.suffix());
            text.declare(&format!("{ty} {call}({ty}, {ty}, {ty})"));
            let body = format!("  %x = fneg {ty} %b\n  %r = call {ty} {call}({ty} %a, {ty} %b, {ty} %x)\n");
            self.operation(text, op, ty, &body);
        }
        // Any bits: large numbers, infinities and NaN among them.
        let bits = if *lane == "float" { 32 } else { 64 };
        for (op, int) in ["fptosi", "fptoui"].into_iter().flat_map(|op| [8, 16, 32].map(|int| (op, int))) {
            let target = format!("<{lanes} x i{int}>");
            let call = format!("@llvm.{op}.sat.v{lanes}i{int}.{}", self.suffix());
            text.declare(&format!("{target} {call}({ty})"));
            let body = format!(
                "  %x = bitcast <{lanes} x i{bits}> %a.bits to {ty}\n  %s = call {target} {call}({ty} %x)\n  \
                 %t = call {target} {call}({ty} %b)\n  %r = add {target} %s, %t\n"
            );
            self.operation(text, &format!("{op}_sat_{int}"), &target, &body);
        }
        // Numbers that bytes have room for.
        let magnitudes = format!("@llvm.fabs.{}", self.suffix());
        for (op, int) in ["fptosi", "fptoui"].into_iter().flat_map(|op| [8, 16, 32].map(|int| (op, int))) {
            let target = format!("<{lanes} x i{int}>");
            let body = format!(
                "  %m = call {ty} {magnitudes}({ty} %a)\n  %s = fmul {ty} {}, {}\n  %r = {op} {ty} %s to {target}\n",
                if op == "fptosi" { "%a" } else { "%m" },
                self.splat("0.0009765625")
            );
            self.operation(text, &format!("{op}_small_{int}"), &target, &body);
        }
        let call = format!("@llvm.sqrt.{}", self.suffix());
        text.declare(&format!("{ty} {call}({ty})"));
        self.operation(
            text,
            "sqrt",
            ty,
            &format!("  %s = fmul {ty} %a, %a\n  %r = call {ty} {call}({ty} %s)\n"),
        );
        for (op, int) in [("fptosi", 32), ("fptosi", 64)] {
            let target = format!("<{lanes} x i{int}>");
            self.operation(
                text,
                &format!("{op}_{int}"),
                &target,
                &format!("  %r = {op} {ty} %a to {target}\n"),
            );
        }
        let reduce = format!("@llvm.vector.reduce.fadd.{}", self.suffix());
        text.declare(&format!("{lane} {reduce}({lane}, {ty})"));
        self.operation(
            text,
            "reduce_fadd",
            lane,
            &format!("  %r = call {lane} {reduce}({lane} 1.0, {ty} %a)\n"),
        );
        let (other, op) = if *lane == "float" { ("double", "fpext") } else { ("float", "fptrunc") };
        let target = format!("<{lanes} x {other}>");
        self.operation(text, op, &target, &format!("  %r = {op} {ty} %a to {target}\n"));
    }

    /// As in the names of intrinsics.
    fn suffix(&self) -> String {
        let lane = match self.lane {
            "float" => "f32",
            "double" => "f64",
            lane => lane,
        };
        format!("v{}{lane}", self.lanes)
    }
}
