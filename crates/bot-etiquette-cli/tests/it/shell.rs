//! `completions` and `man`.

use crate::run::with_stdin;

#[test]
fn the_manual_page_holds_every_command_with_its_options() {
    let ended = with_stdin(&["man"], b"");
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    for command in ["robots check", "robots lint", "robots directives", "directory serve", "sign", "referee"]
    {
        assert!(ended.stdout.contains(&format!(".SH \"bot-etiquette {command}\"\n")), "{command}");
    }
    for option in ["\\-\\-agent", "\\-\\-status", "\\-\\-header"] {
        assert!(ended.stdout.contains(option), "{option}");
    }
}

#[test]
fn completions_know_every_shell_and_refuse_others() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ended = with_stdin(&["completions", shell], b"");
        assert_eq!((ended.code, ended.stdout.contains("directives")), (0, true), "{shell}");
    }
    let ended = with_stdin(&["completions", "csh2"], b"");
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
    assert!(ended.stderr.contains("bash"), "{}", ended.stderr);
}
