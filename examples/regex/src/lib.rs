#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

mod alphabet;
mod bytes;
mod determinize;
mod distance;
mod emit;
mod error;
mod interpret;
mod matches;
mod native;
mod prefix;
mod program;
mod regex;
mod simulate;
mod syntax;
mod threads;

pub use error::Error;
pub use matches::{CaptureMatches, Captures, Match, Matches};
pub use regex::{Engine, Limits, Portable, Regex};
pub use syntax::{SyntaxError, SyntaxErrorKind};
