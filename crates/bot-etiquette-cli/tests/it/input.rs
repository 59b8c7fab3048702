//! Stdin is one input, whoever asks for it twice; and what a TOML file gets wrong has one shape, whoever reads it.

use crate::run::{Folder, with_stdin};

#[test]
fn stdin_is_read_once_and_a_second_dash_is_refused_by_name() {
    for (arguments, second) in [
        ("politeness simulate --policy - -", "EVENTS"),
        ("verify --directory - -", "MESSAGE"),
        ("verify --key - --request - m", "--request"),
        ("verify --key k --base - -", "MESSAGE"),
        ("directory build --key - --key -", "--key"),
        ("directory build --key - -", "--key"),
        ("directory serve --listen 127.0.0.1:0 --key - --key -", "--key"),
        ("directory check --headers - -", "FILE"),
        ("referee --log - --promise -", "--promise"),
        ("identity lint --page - --ip-ranges - c.toml", "--ip-ranges"),
        ("identity lint --card - -", "CONFIG.toml"),
        ("identity page --policy - -", "CONFIG.toml"),
        ("extract feed --map - -", "FILE"),
        ("robots lint --online --identity - -", "FILE"),
    ] {
        let ended = with_stdin(&arguments.split(' ').collect::<Vec<_>>(), b"{}");
        ended.refuses("stdin can be read only once");
        assert!(ended.stderr.to_uppercase().contains(&second.to_uppercase()), "{ended:?}");
    }
}

#[test]
fn a_mistake_in_any_toml_file_is_one_line_with_file_and_line() {
    let folder = Folder::new("toml-mistakes");
    folder.write("a.log", "");
    folder.write("syntax.toml", "\nkey = \n");
    folder.write("unknown.toml", "\nno_such_key = 1\n");
    folder.write("kind.toml", "\nmax_hosts = \"many\"\nuser_agent = 1\n[promise]\nmax_open = \"x\"\n");
    for file in ["syntax.toml", "unknown.toml", "kind.toml"] {
        for command in [
            "politeness simulate --policy FILE a.log",
            "identity lint FILE",
            "identity page FILE",
            "extract feed --map FILE a.log",
            "referee --log a.log --promise FILE",
            "referee --scenario FILE",
        ] {
            let command = command.replace("FILE", file);
            let ended = folder.run(&command.split(' ').collect::<Vec<_>>());
            ended.refuses(&format!("bot-etiquette: {file}: line "));
            assert_eq!(ended.stderr.lines().count(), 1, "{command}: {ended:?}");
        }
    }
    let ended = folder.run(&["politeness", "simulate", "--policy", "kind.toml", "a.log"]);
    ended.refuses("kind.toml: line 2: max_hosts: invalid type: string \"many\"");
}
