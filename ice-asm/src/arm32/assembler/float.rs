//! Operands of VFP and Advanced SIMD, and where they go in the word (DDI 0406C, A7).

use super::encode::Reader;
use super::operand::{ListLane, Operand};
use crate::arm32::{FloatImm, Lane, NeonImm};

impl Reader<'_, '_> {
    /// A register in the field `d`, `n` or `m`.
    pub(super) fn float_register(&mut self, kind: &str, field: &str) -> Option<()> {
        let is_single = kind == "S" || kind == "F" && !self.is_double;
        let number = match (kind, self.next()?) {
            ("S" | "F", Operand::Single(number)) if is_single => number,
            ("D" | "F" | "V", Operand::Double(number)) if !is_single => number,
            ("Q" | "V", Operand::Quad(number)) => {
                if kind == "V" {
                    self.put(1, 6);
                }
                2 * number
            }
            _ => return None,
        };
        self.put_float(number, is_single, field)
    }

    fn put_float(&mut self, number: u32, is_single: bool, field: &str) -> Option<()> {
        let (low, high) = match is_single {
            true => (number >> 1, number & 1),
            false => (number & 15, number >> 4),
        };
        let (low_at, high_at) = match field {
            "d" => (12, 22),
            "n" => (16, 7),
            "m" => (0, 5),
            _ => return None,
        };
        self.put(low, low_at);
        self.put(high, high_at);
        Some(())
    }

    pub(super) fn float_list(&mut self, wants_double: bool) -> Option<()> {
        let Operand::FloatList { is_double, first, count, step: 1, lane: ListLane::Whole } = self.next()?
        else {
            return None;
        };
        if is_double != wants_double || is_double && count > 16 {
            return None;
        }
        self.put_float(first, !is_double, "d")?;
        self.put(if is_double { 2 * count } else { count }, 0);
        Some(())
    }

    pub(super) fn float_token(&mut self, token: &str) -> Option<()> {
        match (token, self.next()?) {
            ("zero", Operand::Number(0)) => Some(()),
            ("zero", Operand::Float(0.0)) => Some(()),
            ("fimm", operand) => {
                let value = match operand {
                    Operand::Float(value) => value,
                    Operand::Number(number) => number as f64,
                    _ => return None,
                };
                let byte = u32::from(FloatImm::from_f64(value.to_bits())?.bits());
                self.put(byte >> 4, 16);
                self.put(byte & 15, 0);
                Some(())
            }
            ("lane", Operand::Lane(number, Some(index))) => self.scalar(number, index),
            ("vimm", operand) => self.vector_number(operand),
            ("ext", Operand::Number(number)) => {
                let bytes = number.checked_mul(i64::from(self.lane / 8))?;
                let limit = if self.word & 1 << 6 == 0 { 8 } else { 16 };
                let start = u32::try_from(bytes).ok().filter(|&start| start < limit)?;
                self.put(start, 8);
                Some(())
            }
            ("turn", Operand::Number(number)) => {
                let is_back = [90, 270].iter().position(|&degrees| degrees == number)?;
                self.put(is_back as u32, 24);
                Some(())
            }
            ("shl" | "shr" | "shrn" | "fixed", Operand::Number(number)) => {
                let number = u32::try_from(number).ok()?;
                let field = match token {
                    "shl" if number < self.lane => self.lane + number,
                    "shr" if (1..=self.lane).contains(&number) => 2 * self.lane - number,
                    "shrn" if (1..=self.lane / 2).contains(&number) => self.lane - number,
                    "fixed" if (1..=32).contains(&number) => 64 - number,
                    _ => return None,
                };
                self.put(field & 63, 16);
                self.put(field >> 6, 7);
                Some(())
            }
            _ => None,
        }
    }

    /// A lane of 16 or 32 bits as the other factor (A7.4.1).
    fn scalar(&mut self, number: u32, index: u32) -> Option<()> {
        match self.lane {
            16 if number < 8 && index < 4 => {
                self.put(number | (index & 1) << 3, 0);
                self.put(index >> 1, 5);
            }
            32 if number < 16 && index < 2 => {
                self.put(number, 0);
                self.put(index, 5);
            }
            _ => return None,
        }
        Some(())
    }

    /// The number of a vector move or of logic with one, by the operation that the word has (bits 8 and 5).
    fn vector_number(&mut self, operand: Operand<'_>) -> Option<()> {
        let lane = match self.lane {
            8 => Lane::B8,
            16 => Lane::B16,
            32 => Lane::B32,
            64 => Lane::B64,
            _ => return None,
        };
        let mask = u64::MAX >> (64 - self.lane);
        let value = match operand {
            Operand::Number(number) => number as u64 & mask,
            Operand::Float(value) if self.lane == 32 => u64::from((value as f32).to_bits()),
            _ => return None,
        };
        let (is_logic, is_inverted) = (self.word & 1 << 8 != 0, self.word & 1 << 5 != 0);
        self.word &= !(1 << 8 | 1 << 5);
        if (value, is_logic, is_inverted, self.lane) == (0, false, false, 32) {
            // The word as it is, of two forms.
            return Some(());
        }
        let imm = match is_logic {
            true => NeonImm::logic(lane, value as u32)?,
            false if is_inverted => NeonImm::splat(lane, !value & mask)?,
            false => NeonImm::splat(lane, value)?,
        };
        self.word |= imm.bits();
        if is_logic && is_inverted {
            self.word |= 1 << 5;
        }
        Some(())
    }
}
