//! The ice command: recipes, threads, files and the runtime for translated programs.
#![deny(unsafe_code)]
