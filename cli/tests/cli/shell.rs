//! `completions` and `man`: both speak of every command.

#![expect(clippy::unwrap_used, reason = "a program that cannot be run is a failed test")]

use crate::run::Folder;

/// The commands that `--help` lists.
fn commands(folder: &Folder) -> Vec<String> {
    let help = folder.run(&["--help"]);
    let (_, list) = help.split_once("\nCommands:\n").unwrap();
    let names = list.lines().take_while(|line| !line.is_empty());
    let names: Vec<String> =
        names.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect();
    assert!(names.len() > 5 && names.contains(&"check".to_owned()), "{help}");
    names
}

#[test]
fn completions_know_every_command() {
    let folder = Folder::new();
    let commands = commands(&folder);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.run(&["completions", shell]);
        assert!(script.ends_with("exit code 0\n"), "{script}");
        for known in commands.iter().map(String::as_str).chain(["--format", "--key"]) {
            // fish writes options without their dashes.
            let known = known.trim_start_matches('-');
            assert!(script.contains(known), "{shell}: {known}");
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = Folder::new();
    let commands = commands(&folder);
    let made = folder.run(&["man", "share/man1"]);
    assert!(made.ends_with("exit code 0\n"), "{made}");
    let program = String::from_utf8(folder.read("share/man1/rtbasc.1")).unwrap();
    // What `help` prints is these pages.
    for command in commands.iter().filter(|command| *command != "help") {
        assert!(program.contains(&format!("rtbasc\\-{command}")), "{command}\n{program}");
        assert!(folder.exists(&format!("share/man1/rtbasc-{command}.1")), "{command}");
    }
    folder.write("file", "");
    let refused = folder.run(&["man", "file/man1"]);
    assert!(refused.contains("error: `file/man1`"), "{refused}");
    assert!(refused.ends_with("exit code 2\n"), "{refused}");
}
