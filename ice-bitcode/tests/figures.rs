//! Counts of what real programs contain: the IR that is read has to have exactly what other readers found.

use crate::common;

use std::collections::HashMap;

use common::programs;
use ice_bitcode::bitstream::{Dialect, Entry, Reader, Record};
use ice_bitcode::pexe::{FunctionReader, read_module};
use ice_ir::{
    BinaryOp, CastOp, Function, FunctionBuilder, FunctionKind, Initializer, InstData, Module, Symbol,
    TailHint, Value, ValueDef,
};

/// The rows of a table, by name of the program.
fn rows(table: &str) -> HashMap<&str, Vec<&str>> {
    table
        .lines()
        .map(|line| {
            let mut fields = line.split_whitespace();
            (fields.next().expect("a name"), fields.collect())
        })
        .collect()
}

/// What is counted in the bodies.
#[derive(Default)]
struct Counts {
    constants: u32,
    blocks: u32,
    insts: u32,
    locals: u32,
    binary: HashMap<BinaryOp, u32>,
    /// By name of the column.
    other: HashMap<&'static str, u32>,
    operands: u32,
    checksum: u32,
    forward: u32,
    repeated: u32,
}

impl Counts {
    fn add(&mut self, name: &'static str, n: usize) {
        *self.other.entry(name).or_default() += n as u32;
    }

    fn function(&mut self, module: &Module, func: &Function) {
        let functions = module.functions.len() as u32;
        let first_local = functions + module.globals.len() as u32;
        let mut numbers = HashMap::new();
        for &value in func.params().iter().chain(func.constants()) {
            numbers.insert(value, first_local + numbers.len() as u32);
        }
        let mut next = first_local + numbers.len() as u32;
        self.constants += func.constants().len() as u32;
        let insts: Vec<_> = func.blocks().flat_map(|b| func.block_insts(b)).collect();
        for &inst in &insts {
            if let Some(value) = func.result(inst) {
                numbers.insert(value, first_local + numbers.len() as u32);
            }
        }
        self.locals += numbers.len() as u32;
        self.blocks += func.num_blocks() as u32;
        self.insts += insts.len() as u32;
        let number = |value: Value| match func.value_def(value) {
            ValueDef::Function(f) => f.as_u32(),
            ValueDef::Global(g) => functions + g.as_u32(),
            _ => numbers[&value],
        };
        for inst in insts {
            let data = func.inst(inst);
            let is_phi = matches!(data, InstData::Phi { .. });
            let mut operand = |id: u32| {
                self.operands += 1;
                self.checksum = self.checksum.wrapping_mul(31).wrapping_add(id);
                self.forward += u32::from(id >= next && !is_phi);
            };
            if let InstData::Call { callee, .. } | InstData::CallIntrinsic { callee, .. } = data {
                operand(callee.as_u32());
            }
            func.for_each_operand(inst, |value| operand(number(value)));
            next += u32::from(func.result(inst).is_some());
            self.inst(func, data);
        }
    }

    fn inst(&mut self, func: &Function, data: &InstData) {
        let is_tail = |hint: TailHint| usize::from(hint == TailHint::Tail);
        match *data {
            InstData::Binary { op, .. } => *self.binary.entry(op).or_default() += 1,
            InstData::Cast { op, .. } => self.add(op.name(), 1),
            InstData::Icmp { .. } => self.add("icmp", 1),
            InstData::Fcmp { .. } => self.add("fcmp", 1),
            InstData::Select { .. } => self.add("select", 1),
            InstData::Phi { incoming } => {
                self.add("phi", 1);
                let mut preds: Vec<_> = func.incoming(incoming).iter().map(|&(_, b)| b).collect();
                preds.sort();
                let entries = preds.len();
                preds.dedup();
                self.repeated += (entries - preds.len()) as u32;
            }
            InstData::Alloca { .. } => self.add("alloca", 1),
            InstData::Load { .. } => self.add("load", 1),
            InstData::Store { .. } => self.add("store", 1),
            InstData::Call { tail, .. } => {
                self.add("call direct", 1);
                self.add("tail", is_tail(tail));
            }
            InstData::CallIntrinsic { tail, .. } => {
                self.add("call intrinsic", 1);
                self.add("tail", is_tail(tail));
            }
            InstData::CallIndirect { tail, .. } => {
                self.add("call indirect", 1);
                self.add("tail", is_tail(tail));
            }
            InstData::Ret { .. } => self.add("ret", 1),
            InstData::CallAs { .. }
            | InstData::SecondResult { .. }
            | InstData::Assembly { .. }
            | InstData::MachineOp { .. }
            | InstData::AssemblyJump { .. }
            | InstData::Output { .. }
            | InstData::RetPair { .. }
            | InstData::ReturnCall { .. }
            | InstData::ReturnCallIndirect { .. }
            | InstData::ReturnCallAs { .. }
            | InstData::Invoke { .. }
            | InstData::Join { .. }
            | InstData::Half { .. }
            | InstData::InvokeResult
            | InstData::BlockAddress { .. }
            | InstData::LandingPad { .. } => {
                panic!("a native instruction in a pexe")
            }
            InstData::Br { .. } => self.add("br", 1),
            InstData::CondBr { .. } => self.add("condbr", 1),
            InstData::Switch { table, .. } => {
                self.add("switch", 1);
                self.add("cases", func.switch(table).cases.len());
            }
            InstData::Unreachable => self.add("unreachable", 1),
            InstData::ExtractElement { .. } | InstData::InsertElement { .. } => self.add("lanes", 1),
        }
    }
}

/// The number of FORWARDTYPEREF records.
fn announcements(bytes: &[u8]) -> usize {
    let mut reader = Reader::new(&bytes[16..], 16, Dialect::Pnacl);
    let (mut record, mut count) = (Record::default(), 0);
    while !(reader.block().is_none() && reader.is_at_end()) {
        match reader.next(&mut record).expect("well-formed") {
            Entry::Block(block) => reader.enter(&block),
            Entry::Record if reader.block() == Some(12) && record.code == 43 => count += 1,
            _ => {}
        }
    }
    count
}

#[test]
fn check_figures_of_the_programs() {
    let tables = [TABLE_B, TABLE_C, TABLE_D, TABLE_E, TABLE_F].map(rows);
    let mut checked = 0;
    for (name, bytes) in programs() {
        let stem = name.rsplit('/').next().unwrap_or_default();
        let Some(row_b) = tables[0].get(stem) else { continue };
        checked += 1;
        let header = read_module(&bytes).expect("well-formed");
        let module = &header.module;
        let (mut reader, mut counts, mut func) = (FunctionReader::new(), Counts::default(), Function::new());
        for body in &header.bodies {
            let mut builder = FunctionBuilder::new(&mut func);
            reader.read(&header, &bytes, body, &mut builder).unwrap_or_else(|e| panic!("{name}: {e}"));
            counts.function(module, &func);
        }
        let defined = module.defined_functions().count();
        let declared =
            module.functions.values().filter(|f| matches!(f.kind, FunctionKind::Intrinsic(_))).count();
        let size: u64 = module.globals.keys().map(|g| module.global_size(g)).sum();
        let relocations: Vec<(Symbol, i64)> = module
            .initializers
            .iter()
            .filter_map(|init| match *init {
                Initializer::Address { target, addend } => Some((target, addend)),
                _ => None,
            })
            .collect();
        let b = [
            module.types.len(),
            module.functions.len(),
            declared,
            defined,
            module.globals.len(),
            size as usize,
            relocations.len(),
            relocations.iter().filter(|(s, _)| matches!(s, Symbol::Function(_))).count(),
            relocations.iter().filter(|&&(_, addend)| addend != 0).count(),
            counts.constants as usize,
            counts.blocks as usize,
            counts.insts as usize,
            announcements(&bytes),
            counts.locals as usize,
        ];
        assert_eq!(b.map(|n| n.to_string()).to_vec(), *row_b, "table B, {name}");

        use BinaryOp::*;
        let c =
            [Add, Sub, Mul, Udiv, Sdiv, Urem, Srem, Shl, Lshr, Ashr, And, Or, Xor, Fadd, Fsub, Fmul, Fdiv];
        let found = c.map(|op| counts.binary.get(&op).copied().unwrap_or(0).to_string());
        assert_eq!(found.to_vec(), tables[1][stem], "table C, {name}");
        assert!(!counts.binary.contains_key(&Frem));

        let other = |name: &str| counts.other.get(name).copied().unwrap_or(0).to_string();
        let casts =
            [CastOp::Trunc, CastOp::Zext, CastOp::Sext, CastOp::Fptosi, CastOp::Uitofp, CastOp::Sitofp];
        let mut d = casts.map(|op| other(op.name())).to_vec();
        d.extend(["bitcast", "icmp", "fcmp", "select", "phi", "alloca", "load", "store"].map(other));
        assert_eq!(d, tables[2][stem], "table D, {name}");
        assert_eq!(
            [CastOp::Fptoui, CastOp::Fptrunc, CastOp::Fpext].map(|op| other(op.name())),
            ["0", "0", "0"]
        );
        assert_eq!(other("lanes"), "0");

        let e = [
            "call direct",
            "call intrinsic",
            "call indirect",
            "tail",
            "ret",
            "br",
            "condbr",
            "switch",
            "cases",
            "unreachable",
        ];
        assert_eq!(e.map(other).to_vec(), tables[3][stem], "table E, {name}");

        let checksum = format!("{:08x}", counts.checksum);
        let f =
            [counts.operands.to_string(), checksum, counts.forward.to_string(), counts.repeated.to_string()];
        assert_eq!(f.to_vec(), tables[4][stem], "table F, {name}");
    }
    assert!(checked == 16 || programs().is_empty(), "{checked} programs were checked");
}

/// Bitcode specification, section 13.5, table B: types, functions, declared, defined, globals, global bytes, relocations, of which to functions, with addend, constants, basic blocks, instructions, FORWARDTYPEREF, function-local values.
const TABLE_B: &str = "\
    start             3   1   0   1   0       0   0  0  0    0     1      1    0     1
    bitcast           4   1   0   1   0       0   0  0  0    0     1      2    0     2
    main             17  16   3  13  23    2601  17  8  6   45    77    289    6   245
    puts             19  40   8  32  31    3219  17  8  6  436  1113   5966  120  4557
    printf           22  53   8  45  48    3599  17  8  6  730  1849  10214  351  8011
    dedupe_incoming  22  54   8  46  50    3612  17  8  6  745  1854  10255  350  8057
    setjmp           22  56  10  46  53    5058  17  8  6  754  1872  10324  355  8114
    sem              22  66   9  57  68    7900  17  8  6  864  2054  11158  359  8742
    thread           22  63   9  54  66    7892  17  8  6  835  2009  10990  358  8608
    binarytrees      22  56   8  48  51    4086  17  8  6  816  1933  10716  368  8496
    fannkuchredux    22  55   8  47  57    4187  17  8  6  769  1901  10474  365  8230
    fasta            20  41   8  33  37    4110  17  8  6  485  1167   6281  149  4847
    mandelbrot       22  53   8  45  49    3981  17  8  6  756  1887  10423  364  8197
    meteor           22  61   8  53  65  435510  17  8  6  893  2161  11992  442  9574
    nbody            24  56   9  47  50    4257  17  8  6  809  1911  10773  380  8573
    spectralnorm     23  55   9  46  49    3978  17  8  6  774  1911  10583  382  8339
";

/// Bitcode specification, section 13.5, table C: add, sub, mul, udiv, sdiv, urem, srem, shl, lshr, ashr, and, or, xor, fadd, fsub, fmul, fdiv.
const TABLE_C: &str = "\
    start               0    0    0  0   0  0   0    0    0   0    0    0   0   0   0   0   0
    bitcast             0    0    0  0   0  0   0    0    0   0    0    0   0   0   0   0   0
    main               50    0    6  0   0  0   0    1    0   0    4    0   0   0   0   0   0
    puts             1416   95   66  1   1  0   1   97  101   0  241  170  25   0   0   0   0
    printf           2164  156  134  3   2  1   2  131  151  17  431  243  30   7  13  18   5
    dedupe_incoming  2172  156  133  3   2  1   2  131  151  17  433  244  30   7  13  18   5
    setjmp           2178  158  135  3   2  2   2  131  151  17  435  244  30   7  13  18   5
    sem              2346  158  142  3   2  1   2  131  151  17  443  244  30   7  13  18   5
    thread           2317  158  142  3   2  1   2  131  151  17  443  244  30   7  13  18   5
    binarytrees      2216  166  134  3   2  2   2  148  169  19  458  267  31  19  26  36   6
    fannkuchredux    2210  159  143  3   2  2   2  131  151  17  437  245  31   7  13  18   5
    fasta            1483  100   90  1   2  2   7   98  101   0  241  171  24   1   0   1   0
    mandelbrot       2191  159  134  3   2  2   3  136  151  20  436  246  30  14  14  24   7
    meteor           2544  177  185  5  15  2  23  150  156  26  478  272  38   7  13  18   5
    nbody            2275  163  165  3   2  2   2  145  162  20  445  255  30  36  27  63  11
    spectralnorm     2208  163  146  3   4  2   2  145  162  20  445  255  30  12  14  23   9
";

/// Bitcode specification, section 13.5, table D: trunc, zext, sext, fptosi, uitofp, sitofp, bitcast, icmp, fcmp, select, phi, alloca, load, store.
const TABLE_D: &str = "\
    start              0   0    0  0  0   0   0     0   0    0    0   0     0     0
    bitcast            0   0    0  0  0   0   1     0   0    0    0   0     0     0
    main               4   4    0  0  0   0   0    30   0    4   12   4    40    25
    puts              35  23   19  0  0   0   0   699   0   41  239  20   664   643
    printf            92  53   40  8  1  10  14  1240  25  128  808  36  1016  1021
    dedupe_incoming   94  54   42  8  1  10  14  1240  25  128  809  38  1022  1029
    setjmp            92  57   41  8  1  10  14  1251  25  131  820  40  1029  1029
    sem              117  56   41  8  1  10  14  1330  25  129  836  46  1129  1121
    thread           117  56   41  8  1  10  14  1308  25  129  838  41  1117  1116
    binarytrees      104  67   42  9  2  10  34  1297  28  136  851  38  1034  1038
    fannkuchredux     93  57   42  8  1  10  14  1271  25  132  833  40  1049  1047
    fasta             34  28   20  0  1   0   0   734   1   48  276  28   694   657
    mandelbrot        94  57   42  8  1  12  14  1257  29  132  832  36  1049  1032
    meteor           148  88  125  8  1  10  14  1463  25  156  979  39  1178  1087
    nbody             94  60   42  8  1  10  16  1278  27  131  866  37  1077  1036
    spectralnorm      94  60   42  8  1  12  16  1278  27  131  876  41  1028  1027
";

/// Bitcode specification, section 13.5, table E: call direct, call intrinsic, call indirect, tail flag set, ret, br uncond, br cond, switch, switch cases, unreachable.
const TABLE_E: &str = "\
    start              0    0   0    0   1    0     0   0    0    0
    bitcast            0    0   0    0   1    0     0   0    0    0
    main               9    6  13    3  11   25    31   1    2    9
    puts             143   68  45  107  29  327   645   3    8  109
    printf           245   75  45  122  43  575  1115   7   63  109
    dedupe_incoming  248   76  45  124  44  578  1115   8   71  109
    setjmp           250   78  45  123  44  587  1123   8   65  110
    sem              318  149  61  199  53  651  1229   9   68  112
    thread           306  115  55  176  50  631  1207   9   68  112
    binarytrees      269   75  45  144  47  608  1160   9   67  109
    fannkuchredux    252   78  45  132  44  595  1142   8   65  112
    fasta            151   75  45  109  30  349   675   4   10  109
    mandelbrot       249   75  45  126  43  595  1132   8   65  109
    meteor           273   78  45  144  52  709  1277  14  101  109
    nbody            251   77  45  128  45  602  1147   8   65  109
    spectralnorm     266   77  45  124  44  602  1148   8   65  109
";

/// Bitcode specification, section 13.5, table F: value operands, operand checksum, forward non-phi operands, repeated phi entries.
const TABLE_F: &str = "\
    start                0  00000000   0   0
    bitcast              2  00000021   0   0
    main               440  fb62c5b8   1   0
    puts              9877  bae275cb  15   0
    printf           17892  c89002df  21  34
    dedupe_incoming  17960  35390e05  21  37
    setjmp           18071  413c731f  21  34
    sem              19538  0e375d3d  21  34
    thread           19218  e0053873  21  34
    binarytrees      18756  21756023  21  34
    fannkuchredux    18317  71b0cb06  21  34
    fasta            10432  0411a337  15   0
    mandelbrot       18240  5ba524ea  21  34
    meteor           20821  e7426bdc  23  42
    nbody            18859  5c09f0aa  24  34
    spectralnorm     18560  a6089c95  22  34
";
