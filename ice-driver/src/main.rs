//! The `ice` command.

fn main() -> std::process::ExitCode {
    ice_driver::cli::main(std::env::args_os().skip(1))
}
