//! Command lines of the commands: flags with values, switches, and the rest.

use anyhow::{Context as _, bail};
use std::ffi::OsString;
use std::ops::Range;
use std::str::FromStr;

/// The arguments behind the name of a command. Whatever is asked for is taken out.
pub struct Arguments(Vec<OsString>);

impl Arguments {
    /// All of them.
    pub fn new(arguments: impl Iterator<Item = OsString>) -> Arguments {
        Arguments(arguments.collect())
    }

    /// Whether `--help` is among them.
    pub fn ask_for_help(&self) -> bool {
        self.0.iter().any(|argument| argument == "--help" || argument == "-h")
    }

    /// Whether `flag` was given.
    pub fn switch(&mut self, flag: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|argument| argument != flag);
        self.0.len() < before
    }

    /// The value of `flag`: `--flag value` or `--flag=value`.
    pub fn text(&mut self, flag: &str) -> anyhow::Result<Option<String>> {
        let prefix = format!("{flag}=");
        let is_flag = |argument: &OsString| {
            argument == flag || argument.to_str().is_some_and(|text| text.starts_with(&prefix))
        };
        let Some(at) = self.0.iter().position(is_flag) else { return Ok(None) };
        let argument = self.0.remove(at).into_string().ok().context("an argument is no text")?;
        if let Some(value) = argument.strip_prefix(&prefix) {
            return Ok(Some(value.to_owned()));
        }
        if at >= self.0.len() {
            bail!("a value is missing after {flag}");
        }
        let value = self.0.remove(at).into_string().ok();
        value.map(Some).with_context(|| format!("the value of {flag} is no text"))
    }

    /// The value of `flag`, or `default`.
    pub fn value<T: FromStr>(&mut self, flag: &str, default: T) -> anyhow::Result<T> {
        match self.text(flag)? {
            None => Ok(default),
            Some(text) => text.parse().ok().with_context(|| format!("'{text}' is no value for {flag}")),
        }
    }

    /// A range `A..B` without B, or a single number.
    pub fn range(&mut self, flag: &str) -> anyhow::Result<Option<Range<u64>>> {
        let Some(text) = self.text(flag)? else { return Ok(None) };
        let parse = |number: &str| {
            number.parse::<u64>().ok().with_context(|| format!("'{text}' is no range A..B for {flag}"))
        };
        Ok(Some(match text.split_once("..") {
            Some((first, end)) => parse(first)?..parse(end)?,
            None => {
                let seed = parse(&text)?;
                seed..seed.checked_add(1).context("the seed is too large")?
            }
        }))
    }

    /// What stands behind `--`.
    pub fn behind_dashes(&mut self) -> Vec<OsString> {
        match self.0.iter().position(|argument| argument == "--") {
            None => Vec::new(),
            Some(at) => self.0.drain(at..).skip(1).collect(),
        }
    }

    /// What is left; an unknown flag is an error.
    pub fn rest(self) -> anyhow::Result<Vec<OsString>> {
        if let Some(flag) = self.0.iter().find(|argument| argument.to_string_lossy().starts_with('-')) {
            bail!("unknown flag '{}'; --help tells more", flag.to_string_lossy());
        }
        Ok(self.0)
    }

    /// Fails if anything is left.
    pub fn finish(self) -> anyhow::Result<()> {
        match self.rest()?.first() {
            Some(argument) => bail!("unexpected argument '{}'", argument.to_string_lossy()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(line: &str) -> Arguments {
        Arguments::new(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn flags_are_taken_out() {
        let mut a = arguments("--seeds 3..9 file --jobs=4 --release");
        assert!(a.switch("--release") && !a.switch("--release"));
        assert_eq!(a.range("--seeds").unwrap(), Some(3..9));
        assert_eq!(a.value("--jobs", 1).unwrap(), 4);
        assert_eq!(a.value("--size", 7).unwrap(), 7);
        assert_eq!(a.rest().unwrap(), ["file"]);
        assert_eq!(arguments("--seeds 5").range("--seeds").unwrap(), Some(5..6));
    }

    #[test]
    fn what_is_behind_dashes_is_another_s() {
        let mut a = arguments("file -- --release x");
        assert_eq!(a.behind_dashes(), ["--release", "x"]);
        assert!(!a.switch("--release") && a.behind_dashes().is_empty());
        assert_eq!(a.rest().unwrap(), ["file"]);
    }

    #[test]
    fn what_is_wrong_is_refused() {
        assert!(arguments("--seeds").range("--seeds").is_err());
        assert!(arguments("--seeds a..b").range("--seeds").is_err());
        assert!(arguments("--jobs x").value("--jobs", 1u32).is_err());
        assert!(arguments("--what").rest().is_err());
        assert!(arguments("file").finish().is_err());
    }
}
