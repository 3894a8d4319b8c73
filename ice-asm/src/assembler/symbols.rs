//! What a text says about symbols: `.globl`, `.weak`, `.hidden`, `.type`, `.size`, `.set`, `.symver`.

use super::expression::Sum;
use super::names::{Names, Reference};
use super::{AssemblyErrorKind, split};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// Who sees a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SymbolBinding {
    /// The object alone.
    #[default]
    Local,
    /// All.
    Global,
    /// All, and another definition wins.
    Weak,
}

/// Who sees a symbol of a linked program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SymbolVisibility {
    /// All.
    #[default]
    Default,
    /// The program or library alone.
    Hidden,
    /// All, and the program or library uses its own.
    Protected,
    /// As hidden.
    Internal,
}

/// What a symbol is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SymbolType {
    /// Nothing is said.
    #[default]
    None,
    /// A function.
    Function,
    /// A variable.
    Object,
    /// A thread-local variable.
    ThreadLocal,
}

/// Where a symbol is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Definition {
    /// At an offset in a section of the text.
    Place(usize, u32),
    /// It is a number.
    Number(i64),
    /// Where another symbol is, and so many bytes behind.
    Alias(String, i64),
}

/// What a text says about a symbol.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AssembledSymbol {
    /// Its name.
    pub name: String,
    /// Who sees it.
    pub binding: SymbolBinding,
    /// Who sees it when it is linked.
    pub visibility: SymbolVisibility,
    /// What it is of.
    pub kind: SymbolType,
    /// Its size in bytes.
    pub size: u64,
    /// Where it is, if the text defines it.
    pub definition: Option<Definition>,
    /// Other names of it, with a version: `name@version`, or `name@@version` for the usual one.
    pub versions: Vec<String>,
}

/// What was said about symbols up to some place of a text.
#[derive(Default)]
pub(super) struct Symbols {
    list: Vec<AssembledSymbol>,
    /// The sizes that may not be known yet.
    sizes: Vec<(usize, Sum)>,
}

/// Whether a text is the name of a symbol.
fn is_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"._$".contains(&byte);
    !text.is_empty()
        && text.bytes().all(is_part)
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text != "."
}

impl Symbols {
    fn number(&mut self, name: &str) -> Option<usize> {
        let name = name.trim_matches('"');
        if !is_name(name) {
            return None;
        }
        let known = self.list.iter().position(|symbol| symbol.name == name);
        Some(known.unwrap_or_else(|| {
            self.list.push(AssembledSymbol { name: name.to_string(), ..AssembledSymbol::default() });
            self.list.len() - 1
        }))
    }

    fn symbol(&mut self, name: &str) -> Option<&mut AssembledSymbol> {
        let number = self.number(name)?;
        self.list.get_mut(number)
    }

    /// Gives a value to a name.
    pub(super) fn set(&mut self, name: &str, value: &str, names: &mut Names<'_>) -> Option<()> {
        let sum = names.sum(value).filter(|sum| sum.minus.is_none())?;
        self.symbol(name)?;
        names.set(name.trim_matches('"'), sum);
        Some(())
    }

    /// Takes a directive about symbols; `None` if it is no such one.
    pub(super) fn directive(
        &mut self,
        name: &str,
        operands: &str,
        names: &mut Names<'_>,
    ) -> Option<Result<(), AssemblyErrorKind>> {
        let is_all = match name {
            "globl" | "global" | "weak" | "local" | "hidden" | "protected" | "internal" => {
                split(operands).try_for_each(|operand| self.mark(name, operand))
            }
            "type" => self.type_of(operands),
            "size" => operands.split_once(',').and_then(|(symbol, size)| {
                let number = self.number(symbol.trim())?;
                self.sizes.push((number, names.sum(size)?));
                Some(())
            }),
            "set" | "equ" => {
                operands.split_once(',').and_then(|(symbol, value)| self.set(symbol.trim(), value, names))
            }
            "symver" => operands.split_once(',').and_then(|(symbol, version)| {
                let version = version.split(',').next()?.trim().trim_matches('"');
                let (base, rest) = version.split_once('@')?;
                let is_version = is_name(base) && is_name(rest.trim_start_matches('@'));
                self.symbol(symbol.trim()).filter(|_| is_version)?.versions.push(version.to_string());
                Some(())
            }),
            _ => return None,
        };
        Some(is_all.ok_or(AssemblyErrorKind::Directive))
    }

    fn mark(&mut self, what: &str, name: &str) -> Option<()> {
        let symbol = self.symbol(name)?;
        match what {
            "globl" | "global" if symbol.binding == SymbolBinding::Weak => {}
            "globl" | "global" => symbol.binding = SymbolBinding::Global,
            "weak" => symbol.binding = SymbolBinding::Weak,
            "hidden" => symbol.visibility = SymbolVisibility::Hidden,
            "protected" => symbol.visibility = SymbolVisibility::Protected,
            "internal" => symbol.visibility = SymbolVisibility::Internal,
            _ => symbol.binding = SymbolBinding::Local,
        }
        Some(())
    }

    fn type_of(&mut self, operands: &str) -> Option<()> {
        let (symbol, kind) = operands.split_once([',', ' '])?;
        let kind = match kind.trim().trim_start_matches(['@', '%', ',', ' ']).trim_matches('"') {
            "function" | "STT_FUNC" => SymbolType::Function,
            "object" | "STT_OBJECT" => SymbolType::Object,
            "tls_object" | "STT_TLS" => SymbolType::ThreadLocal,
            "notype" | "STT_NOTYPE" => SymbolType::None,
            _ => return None,
        };
        self.symbol(symbol.trim())?.kind = kind;
        Some(())
    }

    /// What is known when the text ends: each symbol that the text defines or says something about.
    pub(super) fn finished(mut self, names: &Names<'_>) -> Option<Vec<AssembledSymbol>> {
        for (name, _, _) in names.named_labels() {
            self.number(name)?;
        }
        for (number, sum) in core::mem::take(&mut self.sizes) {
            let size = names.settled(sum).known()?;
            self.list[number].size = u64::try_from(size).ok()?;
        }
        for symbol in &mut self.list {
            symbol.definition = match (names.definition(&symbol.name), names.value(&symbol.name)) {
                (Some((section, offset)), _) => Some(Definition::Place(section, offset)),
                (None, Some(Sum { number, plus: None, minus: None })) => Some(Definition::Number(number)),
                (None, Some(Sum { number, plus: Some(plus), minus: None })) => {
                    Some(match (names.place(plus), names.reference(plus)?) {
                        (Some((section, offset)), _) => {
                            Definition::Place(section, u32::try_from(i64::from(offset) + number).ok()?)
                        }
                        (None, Reference::Name(name, _)) => Definition::Alias(name.clone(), number),
                        (None, _) => return None,
                    })
                }
                (None, Some(_)) => return None,
                (None, None) => None,
            };
        }
        self.list.retain(|symbol| !symbol.name.starts_with(".L"));
        Some(self.list)
    }
}
