//! Stdin is one input, whoever asks for it twice.

use crate::run::with_stdin;

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
