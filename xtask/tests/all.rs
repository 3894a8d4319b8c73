//! The tests of the developer commands, one program that is linked once.

mod common;

mod bisect;
mod crosstest;
mod documents;
mod duplicates;
mod samples;
mod tools;
