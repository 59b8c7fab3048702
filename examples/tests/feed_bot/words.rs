//! Languages: as published, translated and marked, or in their own language.

use bot_etiquette::referee::Site;
use bot_etiquette_examples::feed_bot::output;
use bot_etiquette_examples::feed_bot::strings::{LANGUAGES, Phrase};
use serde_json::Value;

use crate::town::{HOST, Town, page};

async fn shown(name: &str, lines: &str) -> (Value, Vec<String>, String) {
    let lines = format!("languages = [\"es\", \"en\"]\n{lines}");
    let site = Site::new(HOST).page(page("/a.json", &["Danza"]));
    let url = format!("http://{HOST}/a.json");
    let mut town = Town::with(name, &lines, 5_000, vec![site], &[&url], &[]).await;
    town.round().await;
    let out = town.folder.join("again");
    let reader = &town.session().reader;
    let config = reader.settings().now().unwrap();
    let written = output::write(&out, &config, reader.kept(), reader.ledger(), reader.clock.now()).await;
    let problems = written.unwrap().problems;
    let line = std::fs::read_to_string(out.join("events.ndjson")).unwrap();
    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    (serde_json::from_str(&line).unwrap(), problems, page)
}

fn translator(command: &str) -> String {
    format!("[translator]\nname = \"a command\"\nseconds = 5\ncommand = [\"sh\", \"-c\", {command:?}]\n")
}

#[tokio::test]
async fn a_command_translates_and_its_words_are_marked_and_scrubbed() {
    let command = "sed 's/$/ {from}-{to}, call 600 123 456 or persona@example.org/'";
    let (event, problems, page) = shown("translated", &translator(command)).await;
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(event["titles"][0]["text"], "Danza");
    let translated = &event["titles"][1];
    assert_eq!(
        (translated["lang"].as_str(), translated["translated"]["from"].as_str()),
        (Some("en"), Some("es"))
    );
    assert_eq!(translated["translated"]["by"], "a command");
    let text = translated["text"].as_str().unwrap();
    assert!(text.starts_with("Danza es-en") && !text.contains("600") && !text.contains('@'), "{text}");
    assert!(page.contains("translated from es, a command"), "the mark");
    assert!(!page.contains("600 123 456") && !page.contains("persona@"));
}

#[tokio::test]
async fn without_a_translator_a_text_stands_in_its_own_language_and_is_marked() {
    let (event, problems, page) = shown("untranslated", "").await;
    assert!(problems.is_empty());
    assert_eq!(event["titles"].as_array().unwrap().len(), 1);
    assert!(
        page.contains("lang=\"es\">Danza<sup class=\"n-es\"> [es]</sup>"),
        "the mark, not for readers of Spanish"
    );
}

#[tokio::test]
async fn a_translator_that_fails_costs_no_event() {
    for (name, command, said) in [
        ("exit", "exit 3", "ended with"),
        ("lines", "echo one; echo two", "wrote 2 lines for 1"),
        ("slow", "exec sleep 60", "took longer than 5 seconds"),
    ] {
        let (event, problems, _) = shown(&format!("fails-{name}"), &translator(command)).await;
        assert_eq!(event["titles"].as_array().unwrap().len(), 1, "{name}");
        assert!(problems.len() == 1 && problems[0].contains(said), "{name}: {problems:?}");
    }
}

#[tokio::test]
async fn an_empty_line_means_that_a_text_cannot_be_translated() {
    let (event, problems, _) = shown("empty", &translator("sed 's/.*//'")).await;
    assert!(problems.is_empty());
    assert_eq!(event["titles"].as_array().unwrap().len(), 1);
}

#[test]
fn every_phrase_exists_in_all_seven_languages() {
    for phrase in Phrase::ALL {
        for language in LANGUAGES {
            assert!(!phrase.say(language).trim().is_empty(), "{phrase:?} in {language}");
        }
    }
    assert_eq!(Phrase::Events.say("de"), "Veranstaltungen");
    assert_eq!(Phrase::Events.say("xx"), Phrase::Events.say("es"));
}
