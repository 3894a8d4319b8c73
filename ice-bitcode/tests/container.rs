//! The bitstream container on real programs, on the worked examples and on every kind of damage.

use crate::common;

use common::{hex, programs, start};
use ice_bitcode::bitstream::{Abbrev, Dialect, Element, Entry, Op, Reader, Record, Writer};
use ice_bitcode::canonical::{canonical_crc32, write_canonical};
use ice_bitcode::dump::dump_pexe;
use ice_bitcode::header::{HEADER, read_header};

/// Reads a whole program and writes it again, abbreviations and all.
fn rewrite(bytes: &[u8], dialect: Dialect) -> ice_bitcode::Result<Vec<u8>> {
    let start = read_header(bytes)?;
    let mut reader = Reader::new(&bytes[start..], start as u64, dialect);
    let mut writer = Writer::new(&bytes[..start]);
    let mut record = Record::default();
    while !(reader.block().is_none() && reader.is_at_end()) {
        match reader.next(&mut record)? {
            Entry::EndBlock => writer.end(),
            Entry::Block(block) => {
                reader.enter(&block);
                writer.enter(block.id, block.width);
            }
            Entry::DefineAbbrev => writer.define(reader.defined().expect("just defined")),
            Entry::Record => match record.blob.clone() {
                Some(blob) => writer
                    .blob(record.abbrev, record.code, &record.ops, &reader.bytes()[blob])
                    .expect("it was read"),
                None => {
                    writer.abbreviated(record.abbrev, record.code, &record.ops).expect("it was read");
                }
            },
        }
    }
    Ok(writer.finish())
}

#[test]
fn every_program_is_rewritten_to_the_same_bytes() {
    for (name, bytes) in programs() {
        let again = rewrite(&bytes, Dialect::Pnacl).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(again == bytes, "{name}: {} bytes became {}", bytes.len(), again.len());
    }
}

/// Bitcode specification, section 13.5, table A: bytes, canonical CRC-32, and the number of records in MODULE,
/// BLOCKINFO, TYPE, GLOBALVAR, VALUE_SYMTAB, FUNCTION and CONSTANTS blocks.
const TABLE_A: [(&str, usize, u32, [usize; 7]); 16] = [
    ("libc/start", 204, 0xf66541fe, [2, 4, 4, 1, 1, 2, 0]),
    ("libc/bitcast", 212, 0x18b8cb72, [2, 4, 5, 1, 1, 3, 0]),
    ("libc/main", 4820, 0x0e2fc51f, [17, 4, 18, 69, 39, 308, 60]),
    ("libc/puts", 29740, 0x89e7e6a1, [41, 4, 20, 85, 71, 6118, 483]),
    ("libc/printf", 54788, 0x04c0e628, [54, 4, 23, 119, 101, 10610, 802]),
    ("libc/dedupe_incoming", 54996, 0x882db0e1, [55, 4, 23, 123, 104, 10651, 818]),
    ("libc/setjmp", 55868, 0xd35b4e05, [57, 4, 23, 129, 109, 10725, 829]),
    ("libc/sem", 60188, 0x77d86f94, [67, 4, 23, 159, 134, 11574, 956]),
    ("libc/thread", 59216, 0x54a3de62, [64, 4, 23, 155, 129, 11402, 924]),
    ("bench/binarytrees", 58004, 0x2c184328, [57, 4, 23, 125, 107, 11132, 895]),
    ("bench/fannkuchredux", 56504, 0x89f77d3a, [56, 4, 23, 137, 112, 10886, 845]),
    ("bench/fasta", 32356, 0xfe4949ad, [42, 4, 21, 97, 78, 6463, 537]),
    ("bench/mandelbrot", 56184, 0x4c258d41, [54, 4, 23, 121, 102, 10832, 831]),
    ("bench/meteor", 63664, 0x313eb59a, [62, 4, 23, 153, 126, 12487, 984]),
    ("bench/nbody", 57920, 0xb09b8887, [57, 4, 25, 123, 106, 11200, 890]),
    ("bench/spectralnorm", 57132, 0x7799c3fc, [56, 4, 24, 121, 104, 11011, 852]),
];

#[test]
fn check_figures_of_the_records() {
    let programs = programs();
    for (name, length, crc, counts) in TABLE_A {
        if programs.is_empty() {
            break;
        }
        let (_, bytes) = programs.iter().find(|(n, _)| n == name).expect("in the corpus");
        assert_eq!(bytes.len(), length, "{name}");
        assert_eq!(canonical_crc32(bytes).expect("well-formed"), crc, "{name}");
        let mut reader = Reader::new(&bytes[16..], 16, Dialect::Pnacl);
        let mut record = Record::default();
        let mut found = [0; 7];
        while !(reader.block().is_none() && reader.is_at_end()) {
            match reader.next(&mut record).expect("well-formed") {
                Entry::Block(block) => reader.enter(&block),
                Entry::Record => {
                    let ids = [8, 0, 17, 19, 14, 12, 11];
                    let column = ids.iter().position(|&id| Some(id) == reader.block());
                    found[column.expect("a known block")] += 1;
                }
                _ => {}
            }
        }
        assert_eq!(found, counts, "{name}");
    }
}

#[test]
fn canonical_text_of_the_smallest_program() {
    let mut text = String::new();
    write_canonical(&start(), &mut text).expect("well-formed");
    assert_eq!(
        text.replace('\n', "/"),
        "+8/8:1:1/+0/0:1:14/0:1:11/0:1:12/0:1:19/-/+17/17:1:3/17:2:/17:7:32/17:21:0,0,1/-/8:8:2,0,0,0/\
         +19/19:5:0/-/+14/14:1:0,95,115,116,97,114,116/-/+12/12:1:1/12:10:/-/-/"
    );
    assert_eq!(canonical_crc32(&start()).expect("well-formed"), 0xf66541fe);
}

/// Bitcode specification, section 13.1.
#[test]
fn dump_of_the_smallest_program() {
    let mut text = String::new();
    dump_pexe(&start(), &mut text).expect("a string takes all").expect("well-formed");
    let expected = "
      16:0  block 8 MODULE, width 2, 45 words
      24:0    <1, 1>
      26:4    block 0 BLOCKINFO, width 2, 24 words
      36:0      <1, 14>
      38:4      abbrev 4 of block 14: [fixed(3), vbr(8), array(fixed(8))]
      43:2      abbrev 5 of block 14: [1, vbr(8), array(fixed(7))]
      48:0      abbrev 6 of block 14: [1, vbr(8), array(char6)]
      52:1      abbrev 7 of block 14: [2, vbr(8), array(char6)]
      56:2      <1, 11>
      58:6      abbrev 4 of block 11: [1, fixed(2)]
      61:7      abbrev 5 of block 11: [4, vbr(8)]
      65:0      abbrev 6 of block 11: [4, 0]
      68:1      abbrev 7 of block 11: [6, vbr(8)]
      71:2      <1, 12>
      73:6      abbrev 4 of block 12: [20, vbr(6), vbr(4), vbr(4)]
      79:1      abbrev 5 of block 12: [2, vbr(6), vbr(6), fixed(4)]
      84:4      abbrev 6 of block 12: [3, vbr(6), fixed(2), fixed(4)]
      89:7      abbrev 7 of block 12: [10]
      91:7      abbrev 8 of block 12: [10, vbr(6)]
      95:0      abbrev 9 of block 12: [15]
      97:0      abbrev 10 of block 12: [43, vbr(6), fixed(2)]
     101:2      abbrev 11 of block 12: [24, vbr(6), vbr(6), vbr(4)]
     106:5      <1, 19>
     109:1      abbrev 4 of block 19: [0, vbr(6), fixed(1)]
     113:3      abbrev 5 of block 19: [1, vbr(8)]
     116:4      abbrev 6 of block 19: [2, vbr(8)]
     119:5      abbrev 7 of block 19: [3, array(fixed(8))]
     123:2      abbrev 8 of block 19: [4, vbr(6)]
     126:3      abbrev 9 of block 19: [4, vbr(6), vbr(6)]
     130:5    end
     132:0    block 17 TYPE, width 3, 4 words
     140:0      abbrev: [21, fixed(1), array(fixed(2))]
     144:7      <1, 3>
     147:4      <2>
     149:3      <7, 32>
     152:6      <21, 0, 0, 1>  abbrev 4
     154:4    end
     156:0    <8, 2, 0, 0, 0>
     160:6    block 19 GLOBALVAR, width 4, 1 words
     168:0      <5, 0>
     170:6    end
     172:0    block 14 VALUE_SYMTAB, width 3, 2 words
     180:0      <1, 0, 95, 115, 116, 97, 114, 116>  abbrev 6
     186:5    end
     188:0    block 12 FUNCTION, width 4, 1 words
     196:0      <1, 1>
     198:6      <10>  abbrev 7
     199:2    end
     200:0  end
";
    assert_eq!(text, expected.trim_start_matches('\n'), "\n{text}");
}

/// Bitcode specification, section 13.2: the part that differs from 13.1.
#[test]
fn dump_of_the_cast_program() {
    let bytes = hex("50455845010008001100040002000000210800002f0000000741108000000000
        180000000781239141c80449061032399201840c250508191e048b62800c4502
        428a0401140d081d048c24051922442405c89011223940468610430545053286
        0f8e2b64644862902143e420981c01c848500c20a42840c871c0042912907124
        20430600450c000005000000222b24988c0501b101d811800109c80400000000
        23840000401304000100000053040000390c00000200000006307e6902a20900
        311000000200000013048105580c000000000000");
    let mut text = String::new();
    dump_pexe(&bytes, &mut text).expect("a string takes all").expect("well-formed");
    let last: Vec<&str> = text.lines().skip_while(|line| !line.contains("132:0")).map(str::trim).collect();
    let expected = [
        "132:0    block 17 TYPE, width 3, 5 words",
        "140:0      abbrev: [21, fixed(1), array(fixed(3))]",
        "144:7      <1, 4>",
        "147:4      <3>",
        "149:3      <7, 32>",
        "152:6      <21, 0, 0, 1>  abbrev 4",
        "154:6      <2>",
        "156:5    end",
        "160:0    <8, 2, 0, 0, 0>",
        "164:6    block 19 GLOBALVAR, width 4, 1 words",
        "172:0      <5, 0>",
        "174:6    end",
        "176:0    block 14 VALUE_SYMTAB, width 3, 2 words",
        "184:0      <1, 0, 95, 115, 116, 97, 114, 116>  abbrev 6",
        "190:5    end",
        "192:0    block 12 FUNCTION, width 4, 2 words",
        "200:0      <1, 1>",
        "202:6      <3, 1, 0, 11>  abbrev 6",
        "204:7      <10, 1>  abbrev 8",
        "206:1    end",
        "208:0  end",
    ];
    assert_eq!(last, expected);
    assert_eq!(canonical_crc32(&bytes).expect("well-formed"), 0x18b8cb72);
}

/// A stream in one open block 9 of width 3.
fn in_block(build: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut w = Writer::new(&HEADER);
    w.enter(9, 3);
    build(&mut w);
    w.finish()
}

/// Code and position of the error that reading `bytes` gives.
fn error_of(bytes: &[u8], dialect: Dialect) -> (&'static str, u64, usize) {
    let error = rewrite(bytes, dialect).expect_err("malformed");
    (error.error.code(), error.location.bit / 8, error.location.path.len())
}

#[test]
fn every_container_error() {
    let code = |bytes: &[u8]| error_of(bytes, Dialect::Pnacl).0;
    let whole = in_block(|w| w.record(5, &[1, 2, 3]));
    assert_eq!(rewrite(&whole, Dialect::Pnacl).as_deref(), Ok(&whole[..]));

    // B01: the file ends in an entry; a count that the rest cannot hold.
    assert_eq!(code(&HEADER.iter().chain(&[0x21]).copied().collect::<Vec<_>>()), "B01");
    assert_eq!(
        code(&in_block(|w| {
            w.selector(3);
            w.vbr(1, 6);
            w.vbr(1000, 6);
        })),
        "B01"
    );
    // B02: a payload bit at position 64, with any number of operands behind it.
    for more in 0..40 {
        let bytes = in_block(|w| {
            w.selector(3);
            w.vbr(1, 6);
            w.vbr(1 + more, 6);
            (0..13).for_each(|_| w.fixed(63, 6));
            w.fixed(1, 6);
            (0..more).for_each(|i| w.vbr(i * 7, 6));
            w.record(1, &[]);
        });
        assert_eq!(code(&bytes), "B02", "{more} more");
    }
    // B02: a 32-bit number that is not.
    assert_eq!(
        code(&in_block(|w| {
            w.selector(3);
            w.vbr(1 << 32, 6);
            w.vbr(0, 6);
        })),
        "B02"
    );
    // B03.
    for width in [0, 1, 33] {
        assert_eq!(
            code(&in_block(|w| {
                w.selector(1);
                w.vbr(9, 8);
                w.vbr(width, 4);
                w.align32();
                w.fixed(1, 32);
                w.fixed(0, 32);
            })),
            "B03"
        );
    }
    // B04 and B05: the length word of the inner block is at 28.
    let nested = in_block(|w| {
        w.enter(10, 3);
        w.record(1, &[]);
        w.end();
    });
    for (length, expected) in [(3, "B04"), (2, "B05"), (0, "B01"), (u8::MAX, "B04")] {
        let mut bytes = nested.clone();
        bytes[28] = length;
        let error = rewrite(&bytes, Dialect::Pnacl).expect_err("malformed");
        let found = (error.error.code(), error.location.bit / 8);
        match expected {
            "B04" => assert_eq!(found, ("B04", 24)),
            _ => assert_eq!(found.0, expected, "{length}: {error}"),
        }
    }
    // B06.
    assert_eq!(code(&in_block(|w| w.selector(4))), "B06");
    // B07 to B10.
    let define = |count: u64, fields: &dyn Fn(&mut Writer)| {
        in_block(|w| {
            w.selector(2);
            w.vbr(count, 5);
            fields(w);
            (0..4).for_each(|_| w.record(1, &[]));
        })
    };
    assert_eq!(code(&define(0, &|_| ())), "B07");
    for encoding in [0, 5, 6, 7] {
        assert_eq!(code(&define(1, &|w| w.fixed(encoding << 1, 4))), "B08");
    }
    for (encoding, width, expected) in [(1, 33, "B09"), (2, 33, "B09"), (2, 1, "B09")] {
        assert_eq!(
            code(&define(1, &|w| {
                w.fixed(encoding << 1, 4);
                w.vbr(width, 5);
            })),
            expected
        );
    }
    assert_eq!(code(&define(1, &|w| w.fixed(3 << 1, 4))), "B10");
    assert_eq!(code(&define(3, &|w| (0..3).for_each(|_| w.fixed(3 << 1, 4)))), "B10");
    assert_eq!(code(&define(2, &|w| (0..2).for_each(|_| w.fixed(3 << 1, 4)))), "B10");
    // B11.
    let all = Abbrev::new(&[], Element::Array(Op::Vbr(6))).expect("legal");
    assert_eq!(
        code(&in_block(|w| {
            w.define(&all);
            w.selector(4);
            w.vbr(0, 6);
        })),
        "B11"
    );
    // B12: a definition before SETBID, another record, a wrong count, a nested block.
    let block_info = |build: &dyn Fn(&mut Writer)| {
        in_block(|w| {
            w.enter(0, 2);
            build(w);
            w.end();
        })
    };
    assert_eq!(code(&block_info(&|w| w.define(&all))), "B12");
    assert_eq!(code(&block_info(&|w| w.record(2, &[1]))), "B12");
    assert_eq!(code(&block_info(&|w| w.record(1, &[1, 2]))), "B12");
    assert_eq!(
        code(&block_info(&|w| {
            w.enter(9, 2);
            w.end();
        })),
        "B12"
    );
    // B14.
    for selector in [0, 2, 3] {
        let mut w = Writer::new(&HEADER);
        w.selector(selector);
        assert_eq!(code(&w.finish()), "B14");
    }
    // B18: behind END_BLOCK, and before a block's length.
    let mut bytes = whole.clone();
    *bytes.last_mut().expect("not empty") |= 0x80;
    assert_eq!(code(&bytes), "B18");
    assert!(rewrite(&bytes, Dialect::Llvm).is_ok());
    let mut bytes = whole;
    bytes[19] |= 0x80;
    assert_eq!(code(&bytes), "B18");
}

#[test]
fn errors_say_where() {
    let bytes = in_block(|w| {
        w.record(1, &[]);
        w.enter(10, 3);
        w.record(1, &[]);
        w.selector(7);
    });
    let error = rewrite(&bytes, Dialect::Pnacl).expect_err("malformed");
    assert_eq!(
        error.to_string(),
        "error B06 at 33:7 in block 9@16 / block 10@25: abbreviation 7 is not defined in block 10"
    );
}

#[test]
fn all_kinds_of_abbreviations_and_blobs() {
    let fields = [Op::Literal(7), Op::Fixed(0), Op::Vbr(0), Op::Fixed(32), Op::Vbr(32), Op::Char6];
    let scalars = Abbrev::new(&fields, Element::None).expect("legal");
    let arrays = [Op::Literal(9), Op::Fixed(0), Op::Fixed(3), Op::Vbr(5), Op::Char6];
    let mut w = Writer::new(&HEADER);
    w.enter(9, 5);
    w.define(&scalars);
    w.abbreviated(4, 7, &[0, 0, 0xffff_ffff, 1 << 40, 95]).expect("it fits");
    assert_eq!(w.abbreviated(4, 7, &[0, 0, 1 << 32, 0, 95]).map_err(|e| e.code()), Err("W01"));
    assert_eq!(w.abbreviated(4, 7, &[0, 1, 0, 0, 95]).map_err(|e| e.code()), Err("W01"));
    assert_eq!(w.abbreviated(4, 8, &[0, 0, 0, 0, 95]).map_err(|e| e.code()), Err("W01"));
    assert_eq!(w.abbreviated(4, 7, &[0, 0, 0, 0, 64]).map_err(|e| e.code()), Err("W01"));
    assert_eq!(w.abbreviated(4, 7, &[0, 0, 0, 0]).map_err(|e| e.code()), Err("W01"));
    assert_eq!(w.abbreviated(5, 7, &[]).map_err(|e| e.code()), Err("W01"));
    for (i, op) in arrays.into_iter().enumerate() {
        w.define(&Abbrev::new(&[Op::Vbr(6)], Element::Array(op)).expect("legal"));
        let value = [9, 0, 5, 1 << 60, 97][i];
        w.abbreviated(5 + i as u32, 100 + i as u32, &[value; 5]).expect("it fits");
        w.abbreviated(5 + i as u32, 3, &[]).expect("it fits");
    }
    w.define(&Abbrev::new(&[], Element::Array(Op::Fixed(4))).expect("legal"));
    w.abbreviated(10, 15, &[1, 2, 3]).expect("it fits");
    let without_blob = w.finish();
    assert_eq!(rewrite(&without_blob, Dialect::Pnacl).as_deref(), Ok(&without_blob[..]));

    let mut w = Writer::new(&HEADER);
    w.enter(9, 5);
    w.define(&Abbrev::new(&[Op::Literal(1), Op::Vbr(6)], Element::Blob).expect("legal"));
    w.blob(4, 1, &[77], b"seven b").expect("it fits");
    w.record(5, &[6]);
    let bytes = w.finish();
    assert_eq!(error_of(&bytes, Dialect::Pnacl).0, "B08");
    assert_eq!(rewrite(&bytes, Dialect::Llvm).as_deref(), Ok(&bytes[..]));
}

#[test]
fn arrays_without_bits_are_bounded() {
    for (count, accepted) in [(65536, true), (65537, false)] {
        let bytes = in_block(|w| {
            w.define(&Abbrev::new(&[Op::Literal(1)], Element::Array(Op::Literal(5))).expect("legal"));
            w.selector(4);
            w.vbr(count, 6);
        });
        assert_eq!(rewrite(&bytes, Dialect::Pnacl).is_ok(), accepted);
    }
}
