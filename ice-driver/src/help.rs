//! Help, manual page and shell completions, from the table of [`flags`](crate::flags).

use crate::flags::{Command, FlagRow, commands, flags, spelling};
use core::fmt::Write;

const ABOUT: &str = "a fast code generator for PNaCl programs";

const EXIT_CODES: &[(&str, &str)] = &[
    ("0", "success"),
    ("1", "the input is refused"),
    ("2", "the command line is wrong, or reading, writing or linking failed"),
];

/// `-o, --output OUT`.
fn left_side(row: &FlagRow) -> String {
    let short = row.short.map(|c| format!("-{c}"));
    let long = row.long.map(|long| format!("--{long}"));
    let mut text = match (short, long) {
        (Some(short), Some(long)) => format!("{short}, {long}"),
        (None, Some(long)) => format!("    {long}"),
        (short, None) => short.unwrap_or_default(),
    };
    if let Some(value) = row.value {
        let _ = write!(text, " {value}");
    }
    text
}

fn write_flags<'a>(out: &mut String, rows: impl Iterator<Item = &'a FlagRow>) {
    for row in rows {
        let _ = writeln!(out, "  {:26} {}", left_side(row), row.help);
    }
}

/// Longest line of the help, in columns.
const WIDTH: usize = 110;

/// Lists the values of flags whose line has no place for them.
fn write_values<'a>(out: &mut String, rows: impl Iterator<Item = &'a FlagRow>) {
    for row in rows.filter(|row| {
        row.offers.values().iter().any(|offer| !row.help.contains(offer.trim_start_matches('-')))
    }) {
        let _ = write!(out, "\nvalues of {}:\n ", spelling(row));
        let mut column = 1;
        for offer in row.offers.values() {
            if column + 1 + offer.len() > WIDTH {
                out.push_str("\n ");
                column = 1;
            }
            let _ = write!(out, " {offer}");
            column += 1 + offer.len();
        }
        out.push('\n');
    }
}

/// What `ice --help` prints.
pub fn help() -> String {
    let mut out = format!("ice: {ABOUT}\n\nusage: ice COMMAND [FLAGS] IN ...\n\ncommands:\n");
    for row in commands() {
        let _ = writeln!(out, "  {:26} {}", format!("{} {}", row.name, row.operands), row.help);
    }
    out.push_str("\nflags:\n");
    write_flags(&mut out, flags());
    write_values(&mut out, flags());
    out.push_str("\n'-' as IN is the standard input. 'ice help COMMAND' lists the flags of one command.\n\nexit codes:\n");
    for (code, meaning) in EXIT_CODES {
        let _ = writeln!(out, "  {code}  {meaning}");
    }
    out.push_str("  run and interpret: the program's own\n");
    out
}

/// What `ice COMMAND --help` prints.
pub fn command_help(command: Command) -> String {
    let row = command.row();
    let mut out = format!("{}\n\nusage: ice {} [FLAGS] {}\n\nflags:\n", row.help, row.name, row.operands);
    write_flags(&mut out, command.flags());
    write_values(&mut out, command.flags());
    out
}

/// Text with what troff would take for commands made plain.
fn troff(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

/// The manual page, section 1, in the `man` macros.
pub fn man_page() -> String {
    let mut out = format!(
        ".TH ICE 1 \"\" \"ice {}\"\n.SH NAME\nice \\- {ABOUT}\n.SH SYNOPSIS\n",
        env!("CARGO_PKG_VERSION")
    );
    for row in commands() {
        let _ = writeln!(out, ".B ice {}\n[\\fIFLAGS\\fR] {}\n.br", row.name, troff(row.operands));
    }
    out.push_str(".SH COMMANDS\n");
    for row in commands() {
        let _ = writeln!(out, ".TP\n.B {}\n{}", row.name, troff(row.help));
    }
    out.push_str(".SH FLAGS\n");
    for row in flags() {
        let _ = writeln!(out, ".TP\n.B {}\n{}", troff(left_side(row).trim_start()), troff(row.help));
        let offers = row.offers.values();
        if !offers.is_empty() {
            let _ = writeln!(out, "({})", troff(&offers.join(", ")));
        }
        if row.commands != 0 {
            let takes: Vec<_> = commands()
                .filter(|c| c.command.flags().any(|r| r.flag == row.flag))
                .map(|c| c.name)
                .collect();
            let _ = writeln!(out, "({})", takes.join(", "));
        }
    }
    out.push_str(".SH EXIT STATUS\n");
    for (code, meaning) in EXIT_CODES {
        let _ = writeln!(out, ".TP\n.B {code}\n{}", troff(meaning));
    }
    out.push_str(".PP\nThe commands run and interpret end as the program ends.\n");
    out.push_str(
        ".SH ENVIRONMENT\n.TP\n.B XDG_CACHE_HOME\nWhere the compiled runtime is kept; ~/.cache if not set.\n",
    );
    out
}

/// Completions for a shell; `None` if the shell is not known.
pub fn completions(shell: &str) -> Option<String> {
    match shell {
        "bash" => Some(bash()),
        "zsh" => Some(format!("#compdef ice\nautoload -U +X bashcompinit && bashcompinit\n{}", bash())),
        "fish" => Some(fish()),
        _ => None,
    }
}

fn words(row: &FlagRow) -> impl Iterator<Item = String> {
    let short = row.short.map(|c| format!("-{c}"));
    let long = row.long.map(|long| format!("--{long}"));
    short.into_iter().chain(long)
}

fn bash() -> String {
    let mut out = String::from("_ice() {\n    local word=$2 previous=$3 words\n    case $previous in\n");
    for row in flags().filter(|row| row.value.is_some()) {
        let names: Vec<_> = words(row).collect();
        let action = match &*row.offers.values() {
            [] => "compgen -f -- \"$word\"".to_owned(),
            offers => format!("compgen -W '{}' -- \"$word\"", offers.join(" ")),
        };
        let _ = writeln!(out, "    {}) COMPREPLY=($({action})); return ;;", names.join("|"));
    }
    out.push_str("    esac\n    case ${COMP_WORDS[1]} in\n");
    for row in commands() {
        let flags: Vec<_> = row.command.flags().flat_map(words).collect();
        let _ = writeln!(out, "    {}) words='{}' ;;", row.name, flags.join(" "));
    }
    let alone: Vec<_> = flags().filter(|row| row.commands == 0).flat_map(words).collect();
    let commands: Vec<_> = commands().map(|row| row.name).collect();
    let _ = writeln!(out, "    *) words='{} --help {}' ;;\n    esac", commands.join(" "), alone.join(" "));
    out.push_str(
        "    if [[ $COMP_CWORD -eq 1 || $word == -* ]]; then\n        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n    \
         else\n        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\ncomplete -o filenames -F _ice ice\n",
    );
    out
}

fn fish() -> String {
    let mut out = String::new();
    for row in commands() {
        let _ = writeln!(out, "complete -c ice -n __fish_use_subcommand -a {} -d '{}'", row.name, row.help);
    }
    for row in flags() {
        let users: Vec<_> =
            commands().filter(|c| c.command.flags().any(|r| r.flag == row.flag)).map(|c| c.name).collect();
        let condition = match users.is_empty() {
            true => "__fish_use_subcommand".to_owned(),
            false => format!("'__fish_seen_subcommand_from {}'", users.join(" ")),
        };
        let short = row.short.map(|c| format!(" -s {c}")).unwrap_or_default();
        let long = row.long.map(|l| format!(" -l {l}")).unwrap_or_default();
        let value = match (row.value, &*row.offers.values()) {
            (None, _) => String::new(),
            (Some(_), []) => " -r".to_owned(),
            (Some(_), offers) => format!(" -x -a '{}'", offers.join(" ")),
        };
        let _ = writeln!(out, "complete -c ice -n {condition}{short}{long}{value} -d '{}'", row.help);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::table::{COMMANDS, FLAGS};

    #[test]
    fn every_text_names_every_command_and_flag() {
        let texts = [help(), man_page(), bash(), fish()];
        for (index, text) in texts.iter().enumerate() {
            for row in COMMANDS {
                assert!(text.contains(row.name), "{} in text {index}", row.name);
            }
            for row in FLAGS {
                let name = row.long.map_or_else(|| spelling(row), str::to_owned);
                let name = if index == 1 { troff(&name) } else { name };
                let name = if index == 3 && row.long.is_none() {
                    format!("-s {}", row.short.unwrap())
                } else {
                    name
                };
                assert!(text.contains(&name), "{name} in text {index}");
            }
        }
        assert!(completions("tcsh").is_none());
    }

    #[test]
    fn help_of_a_command_lists_its_flags_only() {
        let text = command_help(Command::Dump);
        assert!(text.contains("--output OUT") && !text.contains("--threads"), "{text}");
        assert!(help().lines().all(|line| line.len() <= WIDTH), "{}", help());
        for step in crate::recipe::Step::ALL {
            assert!(help().contains(step.name()) && command_help(Command::Run).contains(step.name()));
        }
        assert!(!text.contains("values of"));
    }
}
