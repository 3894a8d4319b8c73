//! Outputs that meet trouble: interrupted runs, readers that go away, full disks, places that are no files.

use crate::common;

use common::{EMPTY_PROGRAM, Scratch, errors, expect_success, ice, with_input};
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SIGPIPE: i32 = 13;

/// Waits until a file or directory of an unfinished build is there.
fn wait_for_temporary(child: &mut Child, directory: &Path) {
    let start = Instant::now();
    let is_there = || {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| entry.file_name().to_string_lossy().contains("ice-"))
    };
    while !is_there() {
        assert!(start.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn send(child: &Child, signal: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status();
    assert!(status.unwrap().success());
}

#[test]
fn a_signal_ends_the_process_and_leaves_nothing() {
    // Where these tests run in the background of a shell, they and their children ignore some.
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    let ignored = u64::from_str_radix(mask.trim(), 16).unwrap();
    for (signal, number) in [("HUP", 1), ("INT", 2), ("TERM", 15)] {
        if ignored >> (number - 1) & 1 != 0 {
            continue;
        }
        let scratch = Scratch::new();
        let cache = scratch.path("ice");
        for (command, watched) in [("translate", scratch.path("")), ("build", cache.clone())] {
            let mut child = ice()
                .args([command, "-", "-o"])
                .arg(scratch.path("out"))
                .env("XDG_CACHE_HOME", scratch.path(""))
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            wait_for_temporary(&mut child, &watched);
            // Waiting for a child ends its input.
            let _input = child.stdin.take();
            send(&child, signal);
            assert_eq!(child.wait().unwrap().signal(), Some(number), "{command}");
            assert!(scratch.names().iter().all(|name| name == "ice"), "{command}: {:?}", scratch.names());
        }
        assert_eq!(std::fs::read_dir(cache).unwrap().count(), 0);
    }
}

/// `nohup` starts programs with SIGHUP ignored.
#[test]
fn an_ignored_signal_stays_ignored() {
    let scratch = Scratch::new();
    let script = "trap '' HUP; exec \"$0\" translate - -o out";
    let mut child = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_ice")])
        .current_dir(scratch.path(""))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_temporary(&mut child, &scratch.path(""));
    send(&child, "HUP");
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), EMPTY_PROGRAM.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(scratch.names(), ["out"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for arguments in [&["print", "-"][..], &["translate", "-", "-o", "/dev/stdout"], &["help"]] {
        let mut child = ice()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), EMPTY_PROGRAM.as_bytes());
        let output = child.wait_with_output().unwrap();
        // `ice help` may have written before the reader was gone.
        assert!(output.status.signal() == Some(SIGPIPE) || arguments == ["help"], "{arguments:?}");
        assert_eq!(errors(&output), "");
    }
}

#[test]
fn a_full_disk_names_the_output() {
    let scratch = Scratch::new();
    let input = scratch.write("a.ice", EMPTY_PROGRAM);
    let full = || File::options().write(true).open("/dev/full").unwrap();
    for command in ["translate", "print", "freeze"] {
        let to_path = ice().arg(command).arg(&input).args(["-o", "/dev/full"]).output().unwrap();
        let to_dash = ice().arg(command).arg(&input).args(["-o", "-"]).stdout(full()).output().unwrap();
        for (output, name) in [(to_path, "/dev/full"), (to_dash, "<stdout>")] {
            assert_eq!(output.status.code(), Some(2), "{command}");
            let expected = format!("ice: {name}: No space left on device");
            assert!(errors(&output).starts_with(&expected), "{}", errors(&output));
        }
    }
    // A file that may not grow: the first bytes are written while functions are still translated.
    let mut text = EMPTY_PROGRAM.to_owned();
    for n in 0..6000 {
        text += &format!("define internal @empty{n}(v0: i32) -> void {{\nblock0:\n  ret\n}}\n");
    }
    scratch.write("a.ice", text);
    for command in ["translate", "print"] {
        let script = format!("trap '' XFSZ; ulimit -f 8; exec \"$0\" {command} a.ice -o out");
        let mut shell = Command::new("sh");
        let output =
            shell.args(["-c", &script, env!("CARGO_BIN_EXE_ice")]).current_dir(scratch.path("")).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}: {}", errors(&output));
        assert!(errors(&output).starts_with("ice: out: File too large"), "{}", errors(&output));
        assert_eq!(scratch.names(), ["a.ice"]);
    }
}

#[test]
fn the_standard_output_by_its_path_is_written_to_and_not_replaced() {
    let scratch = Scratch::new();
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let log = scratch.write("log", "old\n");
        let to_log = File::options().append(true).open(&log).unwrap();
        let mut command = ice();
        let child = command.args(["print", "-", "-o", name]).stdin(Stdio::piped()).stdout(to_log).spawn();
        let mut child = child.unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), EMPTY_PROGRAM.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
        let text = std::fs::read_to_string(&log).unwrap();
        assert!(text.starts_with("old\n") && text.contains("@_start"), "{name}: {text}");
    }
    let piped = with_input(ice().args(["print", "-", "-o", "/dev/stdout"]), EMPTY_PROGRAM.as_bytes());
    expect_success(&piped, "a pipe");
    assert!(piped.stdout.ends_with(b"}\n"));
}

#[test]
fn a_name_in_a_directory_that_is_missing_is_named() {
    let output = with_input(ice().args(["print", "-", "-o", "/nowhere/out"]), EMPTY_PROGRAM.as_bytes());
    assert_eq!(output.status.code(), Some(2));
    let text = errors(&output);
    assert!(text.starts_with("ice: /nowhere/out: No such file") && !text.contains(".ice-"), "{text}");
}
