//! docs/operators.md: its files and commands do what it says.

use std::path::Path;

use crate::run::Folder;

fn page() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operators.md")).unwrap()
}

/// The blocks of one kind, in order.
fn blocks(page: &str, kind: &str) -> Vec<String> {
    let start = format!("```{kind}\n");
    page.split(&start).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// The folder of the page, with its two files and the key.
fn folder(name: &str) -> (Folder, String) {
    let (folder, page) = (Folder::new(name), page());
    let files = blocks(&page, "toml");
    folder.write("bot.toml", &files[0]);
    folder.write("policy.toml", &files[1]);
    // What the page takes from a clone of the repository.
    std::fs::create_dir_all(folder.path("examples/policies")).unwrap();
    for file in ["examples/policies/site-snapshot.toml", "examples/events.ndjson"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        folder.write(file, std::fs::read(root.join(file)).unwrap());
    }
    folder.run(&["key", "new", "--out", "bot.pem"]).exits(0);
    (folder, page)
}

#[test]
fn every_command_of_the_page_that_needs_no_network_runs() {
    let (folder, page) = folder("operators-commands");
    let mut ran = 0;
    for line in blocks(&page, "sh").iter().flat_map(|block| block.lines()) {
        let words: Vec<&str> = line.split(" > ").next().unwrap().split(' ').collect();
        let offline =
            !["--online", "--log", "--scenario", "--page", "curl"].iter().any(|word| words.contains(word));
        if offline && words[1..3] != ["key", "new"] {
            // The addresses of the page are for documentation, and the lint says so.
            folder.run(&words[1..]).exits(if words[2] == "lint" { 1 } else { 0 });
            ran += 1;
        }
    }
    assert_eq!(ran, 9);
}

#[test]
fn the_configuration_of_the_page_lacks_nothing_but_names_and_addresses_of_ones_own() {
    let (folder, _) = folder("operators-lint");
    let ended = folder.run(&["identity", "lint", "bot.toml"]);
    let problems: Vec<_> = ended.stdout.lines().filter(|line| !line.contains(": info: ")).collect();
    let [names, addresses] = problems[..] else { panic!("{ended:?}") };
    assert!(names.contains("bots.example.net") && names.ends_with("[CF003]"), "{names}");
    assert!(addresses.contains("192.0.2.0/28") && addresses.ends_with("[ID010]"), "{addresses}");
    let own = folder
        .read("bot.toml")
        .replace("192.0.2.0/28", "8.8.8.0/28")
        .replace("bots.example.net", "crumb.dev");
    folder.write("bot.toml", own);
    folder.run(&["identity", "lint", "bot.toml"]).exits(0);
}

#[test]
fn the_broken_promise_of_the_page_is_told_in_its_words() {
    let (folder, page) = folder("operators-broken");
    folder.write("policy.toml", folder.read("policy.toml").replace("min_delay = 2.0", "min_delay = 1.0"));
    let ended = folder.run(&["identity", "lint", "bot.toml"]);
    let shown = blocks(&page, "text");
    assert!(ended.exits(1).stdout.contains(&shown[0]), "{ended:?}\n{shown:?}");
}
