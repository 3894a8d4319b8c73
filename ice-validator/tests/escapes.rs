//! Attempts to escape, written by hand: each is refused, with the rule that stops it.

use crate::common::{bytes, padded_verdict, verdict, words};
use ice_validator::{Features, Rule, Target, Text, scratch_words, validate};

#[track_caller]
fn stopped(target: Target, code: &[u8], rule: Rule) {
    assert_eq!(padded_verdict(target, code).map_err(|refusal| refusal.rule), Err(rule), "{code:02x?}");
}

#[test]
fn jumps_into_the_middle() {
    // mov $0xc3050f00,%eax hides syscall; ret
    for target in [Target::X86_32, Target::X86_64] {
        let hidden = bytes("B8 00 0F 05 C3");
        assert!(padded_verdict(target, &hidden).is_ok());
        stopped(target, &[&bytes("EB 02")[..], &hidden].concat(), Rule::BranchIntoInstruction);
        // From another bundle, and backwards.
        let far = [&hidden[..], &[0x90; 27], &bytes("EB E0"), &[0x90; 30]].concat();
        assert_eq!(verdict(target, &far).unwrap_err().offset, 2);
        // A call that skips an opcode.
        stopped(target, &bytes("E8 01 00 00 00 B8 0F 05 90 90"), Rule::BranchIntoInstruction);
    }
}

#[test]
fn addresses_past_the_window() {
    // Each goes past 4 GiB by its base, its index or its width.
    for code in [
        "41 8B 84 07 00 00 00 00",
        "89 C0 41 8B 04 1F",
        "89 C0 8B 04 07",
        "48 89 C0 41 8B 04 07",
        "89 C0 41 8B 04 27 8B 00",
        "66 89 C0 41 8B 04 07",
        "88 C0 41 8B 04 07",
        "89 C0 48 FF C0 41 8B 04 07",
        "48 8B 04 04",
        "89 C0 8B 04 05 00 00 00 00",
    ] {
        stopped(Target::X86_64, &bytes(code), Rule::UnmaskedAccess);
    }
}

#[test]
fn stacks_elsewhere() {
    for code in [
        "48 89 C4",
        "48 8B 24 24",
        "48 94",
        "48 01 C4",
        "48 8D 24 03",
        "48 8D 64 24 08",
        "48 0F 44 E0",
        "48 0F B1 C4",
    ] {
        stopped(Target::X86_64, &bytes(code), Rule::UnconfinedStackPointer);
    }
    stopped(Target::X86_64, &bytes("49 89 C7"), Rule::ReservedRegister);
    stopped(Target::X86_64, &bytes("4D 87 C7"), Rule::ReservedRegister);
    stopped(Target::X86_64, &bytes("4C 8B 3C 24"), Rule::ReservedRegister);
    stopped(Target::X86_64, &bytes("44 0F 50 F8"), Rule::ReservedRegister);
    stopped(Target::X86_64, &bytes("66 49 0F 3A 16 C7 00"), Rule::ReservedRegister);
}

#[test]
fn the_system_is_out_of_reach() {
    for target in [Target::X86_32, Target::X86_64] {
        for code in [
            "0F 05",
            "0F 34",
            "CD 80",
            "CC",
            "CF",
            "C3",
            "C2 00 00",
            "CB",
            "FA",
            "FB",
            "E4 00",
            "EC",
            "6C",
            "0F 01 D0",
            "0F 30",
            "0F 32",
            "0F 33",
            "0F 20 C0",
            "0F 21 C0",
            "8E C0",
            "8C C0",
            "0F A1",
            "0F A8",
            "FF 28",
            "0F 00 C0",
            "9D",
            "0F 01 F9",
            "0F AE C0",
            "F3 0F AE D0",
            "C7 F8 00 00 00 00",
            "0F 01 EF",
            "F1",
            "64 90",
            "2E 90",
            "C5 F8 77",
            "62 F1 7C 48 28 C0",
            "D6",
            "0F FF",
            "0F B9 C0",
            "F0 0F 0B",
            "F2 0F 05",
            "0F 0F C0 B4",
            "0F 77",
        ] {
            stopped(target, &bytes(code), Rule::UnknownInstruction);
        }
    }
}

#[test]
fn a_text_is_whole_bundles_at_a_bundle() {
    let judge = |bytes: &[u8], address, words| {
        let mut scratch = vec![0; words];
        validate(Target::X86_32, Features::ALL, Text { bytes, address }, &mut scratch)
    };
    let rule = |verdict: Result<(), ice_validator::Refusal>| verdict.unwrap_err().rule;
    assert_eq!(rule(judge(&[0x90; 31], 0, 9)), Rule::TextNotWholeBundles);
    assert_eq!(rule(judge(&[0x90; 32], 16, 9)), Rule::TextNotWholeBundles);
    assert_eq!(rule(judge(&[0x90; 96], 0, scratch_words(96) - 1)), Rule::ScratchTooSmall);
    assert_eq!(judge(&[0x90; 96], 0, scratch_words(96)), Ok(()));
    assert_eq!(judge(&[], 0, 0), Ok(()));
}

#[test]
fn extensions_can_be_refused() {
    let judge = |code: &str, features| {
        let mut bytes = bytes(code);
        bytes.resize(32, 0x90);
        let text = Text { bytes: &bytes, address: 0 };
        validate(Target::X86_64, features, text, &mut [0; scratch_words(32)]).map_err(|refusal| refusal.rule)
    };
    for (code, feature) in [
        ("66 0F 38 10 C1", Features::SSE4),
        ("F3 0F B8 C1", Features::SSE4),
        ("F3 0F BD C1", Features::BITS),
        ("0F 38 F0 04 24", Features::BITS),
    ] {
        assert_eq!(judge(code, feature), Ok(()), "{code}");
        assert_eq!(judge(code, Features::NONE), Err(Rule::MissingFeature), "{code}");
    }
}

#[test]
fn arm_pools_and_writes_to_pc() {
    stopped(Target::Arm32, &words("E3C00103 E1A00001 E5801000"), Rule::UnmaskedAccess);
    stopped(Target::Arm32, &words("E1A0F000"), Rule::UnknownInstruction);
    stopped(Target::Arm32, &words("E4909004"), Rule::ReservedRegister);
    stopped(Target::Arm32, &words("E3C99103"), Rule::ReservedRegister);
    // Pairs of registers whose second is r9, sp or pc: ldrexd, strexd, ldrd.
    stopped(Target::Arm32, &words("E3C00103 E1B08F9F"), Rule::ReservedRegister);
    stopped(Target::Arm32, &words("E3C00103 E1B0CF9F"), Rule::UnconfinedStackPointer);
    stopped(Target::Arm32, &words("E3C00103 E1A01F98"), Rule::UnknownInstruction);
    stopped(Target::Arm32, &words("E3C00103 E1C080D0"), Rule::ReservedRegister);
    stopped(Target::Arm32, &words("E3C00103 E1C0E0D0"), Rule::UnknownInstruction);
    // A list with r9, sp or pc, and a base that steps out.
    stopped(Target::Arm32, &words("E3C00103 E8900200"), Rule::ReservedRegister);
    stopped(Target::Arm32, &words("E3C00103 E8902000"), Rule::UnconfinedStackPointer);
    stopped(Target::Arm32, &words("E3C00103 E8908000"), Rule::UnknownInstruction);
    stopped(Target::Arm32, &words("E3C00103 E5A01004 E5801000"), Rule::UnmaskedAccess);
    // The flags of the condition change between mask and access.
    stopped(Target::Arm32, &words("E3D00103 05801000"), Rule::UnmaskedAccess);
    stopped(Target::Arm32, &words("E3100103 E5801000"), Rule::UnmaskedAccess);
}

#[test]
fn mips_slots_and_links() {
    // A mask in the slot of beql is left out where the branch is not taken.
    stopped(Target::Mips32, &words("50000001 004F1024 8C430000"), Rule::UnmaskedAccess);
    assert!(padded_verdict(Target::Mips32, &words("10000002 004F1024 8C430000 0")).is_ok());
    stopped(Target::Mips32, &words("10000001 10000001"), Rule::BranchInSlot);
    stopped(Target::Mips32, &words("10000001 27BDFFE0"), Rule::UnconfinedStackPointer);
    // Wrong masks: another register, another mask, or into another register.
    stopped(Target::Mips32, &words("006F1824 8C430000"), Rule::UnmaskedAccess);
    stopped(Target::Mips32, &words("004E1024 8C430000"), Rule::UnmaskedAccess);
    stopped(Target::Mips32, &words("03EFF824 03E00008 00000000"), Rule::UnmaskedBranch);
    for (code, rule) in [
        ("7C0F003B", Rule::UnknownInstruction),
        ("40026000", Rule::UnknownInstruction),
        ("BC400000", Rule::UnknownInstruction),
        ("74008000", Rule::UnknownInstruction),
    ] {
        stopped(Target::Mips32, &words(code), rule);
    }
}

/// What keeps a rule, and what misses it.
fn check_misses(target: Target, pairs: &[(&str, &str, Rule)]) {
    let mut wrong = String::new();
    for &(kept, missed, rule) in pairs {
        let [kept, missed] = [kept, missed].map(|code| (code, padded_verdict(target, &words(code))));
        if kept.1.is_err() || missed.1.map_err(|refusal| refusal.rule) != Err(rule) {
            wrong += &format!("{kept:?}; {missed:?}, expected {rule:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// For every rule of MIPS what keeps it, and what misses it by a bit, a register or a place.
#[test]
fn mips_keeps_and_nearly_keeps_each_rule() {
    let misses = [
        // Masks: the same register, from itself, by the right mask, one instruction before, in one bundle, not in a slot that
        // may be left out.
        ("004F1024 8C430000", "006F1824 8C430000", Rule::UnmaskedAccess),
        ("004F1024 8C430000", "006F1024 8C430000", Rule::UnmaskedAccess),
        ("004F1024 8C430000", "004E1024 8C430000", Rule::UnmaskedAccess),
        ("004F1024 8C430000", "01E21024 8C430000", Rule::UnmaskedAccess),
        ("004F1024 8C430000", "004F1025 8C430000", Rule::UnmaskedAccess),
        ("004F1024 8C430000", "004F1024 0 8C430000", Rule::UnmaskedAccess),
        ("004F1024 AC430000", "004F1024 AC430000 AC430004", Rule::UnmaskedAccess),
        ("0 0 004F1024 8C430000", "0 0 0 004F1024 8C430000", Rule::CrossesBundle),
        ("004F1024 F4440008", "004F1024 F4640008", Rule::UnmaskedAccess),
        ("004F1024 C0430000", "004F1024 CC430000", Rule::UnknownInstruction),
        ("10400002 004F1024 8C430000", "50400002 004F1024 8C430000", Rule::UnmaskedAccess),
        ("45000002 004F1024 8C430000", "45020002 004F1024 8C430000", Rule::UnmaskedAccess),
        // Jumps by registers.
        ("03EEF824 03E00008 0", "03EFF824 03E00008 0", Rule::UnmaskedBranch),
        ("03EEF824 03E00008 0", "03EEF824 03C00008 0", Rule::UnmaskedBranch),
        ("03EEF824 03E00008 0", "03EEF824 0 03E00008 0", Rule::UnmaskedBranch),
        ("0 0 03EEF824 03E00008", "0 0 0 03EEF824 03E00008", Rule::CrossesBundle),
        ("03EEF824 03E00408 0", "03EEF824 03E00048 0", Rule::UnknownInstruction),
        ("0 032EC824 0320F809 0", "0 032FC824 0320F809 0", Rule::UnmaskedBranch),
        // Calls end their bundle with the slot.
        ("0 0 0C008000 0", "0 0 0 0C008000", Rule::MisplacedCall),
        ("0 032EC824 0320F809 0", "0 0 032EC824 0320F809", Rule::MisplacedCall),
        ("0 0 04110001 0", "0 04110001 0", Rule::MisplacedCall),
        ("0 0 04500001 0", "0 04500001 0", Rule::MisplacedCall),
        ("0 0 0C008000 0", "0 0 74008000 0", Rule::UnknownInstruction),
        // The stack pointer.
        ("27BDFFE0 03AFE824", "27BDFFE0 03AEE824", Rule::UnconfinedStackPointer),
        ("27BDFFE0 03AFE824", "27BDFFE0 03CFE824", Rule::UnconfinedStackPointer),
        ("27BDFFE0 03AFE824", "27BDFFE0 0 03AFE824", Rule::UnconfinedStackPointer),
        ("03C0E825 03AFE824", "03CFE824 0", Rule::UnconfinedStackPointer),
        ("8FBE0000 0", "8FBD0000 0", Rule::UnconfinedStackPointer),
        ("10000001 03AFE824", "10000001 27BDFFE0 03AFE824", Rule::UnconfinedStackPointer),
        ("8FA30000", "8FC30000", Rule::UnmaskedAccess),
        // The thread's words, and what is never written.
        ("8F020004", "8F020008", Rule::UnmaskedAccess),
        ("8F020000", "AF020000", Rule::UnmaskedAccess),
        ("8F020000", "93020000", Rule::UnmaskedAccess),
        ("8F020000", "8F180000", Rule::ReservedRegister),
        ("01C01025", "00407025", Rule::ReservedRegister),
        ("01E01025", "00407825", Rule::ReservedRegister),
        ("44190000", "44180000", Rule::ReservedRegister),
        ("70821020", "70831020", Rule::UnknownInstruction),
        // Slots have no branches.
        ("10000002 0 10000001 0", "10000002 10000001 0", Rule::BranchInSlot),
        ("03EEF824 03E00008 0", "03EEF824 03E00008 10000001 0", Rule::BranchInSlot),
        // Branches: to words of the text that are no second ones, to bundles outside, in the first 256 MiB.
        ("10000001 0 004F1024 8C430000", "10000002 0 004F1024 8C430000", Rule::BranchIntoInstruction),
        ("08008002 0 004F1024 8C430000", "08008003 0 004F1024 8C430000", Rule::BranchIntoInstruction),
        ("10000007 0", "10000006 0", Rule::BranchOutside),
        ("08004000 0", "08004001 0", Rule::BranchOutside),
        ("0BFFFFFC 0", "0BFFFFFD 0", Rule::BranchOutside),
        // Words with one meaning.
        ("0000000D", "0000000C", Rule::UnknownInstruction),
        ("44020000", "44420000", Rule::UnknownInstruction),
        ("7C021420", "7C02E83B", Rule::UnknownInstruction),
        ("46201082", "46401082", Rule::UnknownInstruction),
    ];
    check_misses(Target::Mips32, &misses);
}

/// The same for ARM.
#[test]
fn arm_keeps_and_nearly_keeps_each_rule() {
    const NOPS: &str = "E320F000 E320F000 ";
    let misses = [
        // Masks: all bits, the same register, none of the flags, the same condition, one instruction before, one bundle.
        ("E3C00103 E5901000", "E3C00102 E5901000", Rule::UnmaskedAccess),
        ("E3C00103 E5901000", "E3C10103 E5911000", Rule::UnmaskedAccess),
        ("E3C00103 E5901000", "E3D00103 E5901000", Rule::UnmaskedAccess),
        ("E3C00103 E5901000", "E3C00103 E320F000 E5901000", Rule::UnmaskedAccess),
        ("13C00103 15901000", "13C00103 05901000", Rule::UnmaskedAccess),
        ("E3C00103 F4600A0F", "E3C00103 F4610A0F", Rule::UnmaskedAccess),
        ("E3C00103 ED900B02", "E3C01103 ED900B02", Rule::UnmaskedAccess),
        ("E3C00103 E1902F9F", "E3800103 E1902F9F", Rule::UnmaskedAccess),
        ("E59F1000", "E58F1000", Rule::UnknownInstruction),
        ("E3C00103 E4901004", "E3C00103 E7901002", Rule::UnknownInstruction),
        ("E3C00103 E8900006", "E3C00103 E8900000", Rule::UnknownInstruction),
        ("E3C00103 E8900006", "E3C00103 E8D00006", Rule::UnknownInstruction),
        ("E3C00103 ECB08B10", "E3C00103 ECB08B00", Rule::UnknownInstruction),
        // Branches through registers.
        ("E3C3313F E12FFF13", "E3C3313E E12FFF13", Rule::UnmaskedBranch),
        ("E3C3313F E12FFF13", "E3C3311F E12FFF13", Rule::UnmaskedBranch),
        ("E3C3313F E12FFF13", "E3C3313F E12FFF14", Rule::UnmaskedBranch),
        ("E3C3313F E12FFF13", "E3C3313F 012FFF13 E12FFF13", Rule::UnmaskedBranch),
        ("E3C3313F E12FFF13", "E3C3313F E12FFF23", Rule::UnknownInstruction),
        (
            "E320F000 E320F000 E3C3313F E12FFF13",
            "E320F000 E320F000 E320F000 E3C3313F E12FFF13",
            Rule::CrossesBundle,
        ),
        // Calls end their bundle.
        ("E320F000 E320F000 E320F000 EBFFFFFE", "E320F000 E320F000 EBFFFFFE", Rule::MisplacedCall),
        ("E320F000 E320F000 E3C3313F E12FFF33", "E320F000 E3C3313F E12FFF33", Rule::MisplacedCall),
        (
            "E320F000 E320F000 E320F000 EBFFFFFE",
            "E320F000 E320F000 E320F000 FAFFFFFE",
            Rule::UnknownInstruction,
        ),
        // The stack pointer.
        ("E24DD010 E3CDD103", "E24DD010 E3CDD102", Rule::UnconfinedStackPointer),
        ("E24DD010 E3CDD103", "E25DD010 E3CDD103", Rule::UnconfinedStackPointer),
        ("224DD010 E3CDD103", "E24DD010 23CDD103", Rule::UnconfinedStackPointer),
        ("E24DD010 E3CDD103", "E24DD010 E3C0D102", Rule::UnconfinedStackPointer),
        ("E49DE004", "E69DE004", Rule::UnconfinedStackPointer),
        ("E8BD4010", "E8BD6010", Rule::UnconfinedStackPointer),
        ("F42D0A0D", "F42D0A01", Rule::UnconfinedStackPointer),
        // The thread's register, and what is never written.
        ("E5990004", "E5990008", Rule::UnmaskedAccess),
        ("E5990000", "E5890000", Rule::UnmaskedAccess),
        ("E5990000", "E5B90000", Rule::ReservedRegister),
        ("E0800008", "E0800009", Rule::ReservedRegister),
        ("E0808001", "E0809001", Rule::ReservedRegister),
        ("EE198A10", "EE199A10", Rule::ReservedRegister),
        ("E1A0E00F", "E1A0F00E", Rule::UnknownInstruction),
        ("E8BD4010", "E8BD8010", Rule::UnknownInstruction),
        // Branches: to words of the text that are no second ones, to bundles outside, in the first GiB.
        ("EAFFFFFF E3C00103 E5901000", "EA000000 E3C00103 E5901000", Rule::BranchIntoInstruction),
        ("EA000006", "EA000007", Rule::BranchOutside),
        ("EAFFFFFA", "EAFFFFFB", Rule::BranchOutside),
        ("EAFF7FFE", "EAFF7FFA", Rule::BranchOutside),
        // Words with one meaning.
        ("E7FEDEF0", "E7FEDEF2", Rule::UnknownInstruction),
        ("E320F000", "E320F003", Rule::UnknownInstruction),
        ("F57FF05F", "F57FF050", Rule::UnknownInstruction),
        ("F57FF06F", "F57FF06E", Rule::UnknownInstruction),
        ("EEF1FA10", "EEE1FA10 EEF81A10", Rule::UnknownInstruction),
    ];
    check_misses(Target::Arm32, &misses);
    // In any place of a bundle where both have room.
    let moved = format!("{NOPS}E3C00103 E5901000");
    assert_eq!(padded_verdict(Target::Arm32, &words(&moved)), Ok(()));
    // Without the extensions.
    for (code, feature) in [
        ("E710F110", Features::DIVIDE),
        ("E730F110", Features::DIVIDE),
        ("E3100103 05801000", Features::CONDITIONAL_ACCESS),
    ] {
        let mut bytes = words(code);
        bytes.resize(16, 0);
        bytes[words(code).len()..]
            .chunks_mut(4)
            .for_each(|word| word.copy_from_slice(&[0x00, 0xf0, 0x20, 0xe3]));
        let judge = |features| {
            let text = Text { bytes: &bytes, address: 0 };
            validate(Target::Arm32, features, text, &mut [0; scratch_words(16)])
                .map_err(|refusal| refusal.rule)
        };
        let refusal = if feature == Features::DIVIDE { Rule::MissingFeature } else { Rule::UnmaskedAccess };
        assert_eq!((judge(feature), judge(Features::NONE)), (Ok(()), Err(refusal)), "{code}");
    }
}
