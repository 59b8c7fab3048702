//! No command that reads a key tells or writes it, and no reader passes personal data on.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use bot_etiquette_signing::SigningKey;

use crate::run::{Ended, Folder};

const SEED: [u8; 32] = *b"a key that is planted for search";

/// The seed as a person, a key file or a debugger would write it: each lower-case.
fn forms() -> Vec<String> {
    let mut all = vec![SEED.iter().map(|byte| format!("{byte:02x}")).collect()];
    all.push(String::from_utf8_lossy(&SEED).into_owned());
    all.push(format!("{SEED:?}"));
    all.push("begin private key".to_owned());
    for engine in [STANDARD, URL_SAFE] {
        // Wherever in a longer text it begins, without the characters that hold bits of what stands around it.
        for before in 0..3_usize {
            let text = engine.encode([vec![0; before].as_slice(), &SEED].concat());
            let (from, to) = ((before * 8).div_ceil(6), (before + SEED.len()) * 8 / 6);
            all.push(text.get(from..to).unwrap().to_ascii_lowercase());
        }
    }
    all
}

#[track_caller]
fn assert_free(what: &str, bytes: &[u8], forms: &[String]) {
    let text: String = bytes.iter().map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    for form in forms {
        assert!(!text.contains(form), "{form} is in {what}: {text}");
    }
}

#[test]
fn a_planted_key_would_be_found() {
    let key = SigningKey::from_seed(&SEED);
    for told in
        [key.to_pkcs8_pem().to_string(), key.to_jwk().to_string(), format!("{:?}", key.seed().as_slice())]
    {
        let text = told.to_ascii_lowercase();
        assert!(forms().iter().any(|form| text.contains(form)), "{told}");
    }
    assert_free("the public part", key.verifying_key().to_jwk().as_bytes(), &forms());
}

#[test]
fn no_command_tells_or_writes_a_key_that_it_reads() {
    let folder = Folder::new("secrets-key");
    let key = SigningKey::from_seed(&SEED);
    let given = ["bot.pem", "bot.jwk", "bot.seed", "v2.pem", "half.pem"];
    folder.write("bot.pem", key.to_pkcs8_pem().as_bytes());
    folder.write("bot.jwk", key.to_jwk().as_bytes());
    folder.write("bot.seed", SEED);
    folder.write("v2.pem", key.to_pkcs8_v2_pem().as_bytes());
    // One that cannot be read is not quoted either.
    folder.write("half.pem", key.to_pkcs8_pem().replace("-----END", "?-----END").as_bytes());
    folder.write("keys.json", format!("{{\"keys\":[{}]}}", key.verifying_key().to_jwk()));
    folder.write("keys-secret.json", format!("{{\"keys\":[{}]}}", &*key.to_jwk()));
    let identity = "user_agent = \"CrumbBot/1.0 (+https://crumb.dev/bot)\"\ntoken = \"CrumbBot\"\npage = \"https://crumb.dev/bot\"\n\
                    contact = \"bots@crumb.dev\"\nkey_file = \"bot.pem\"\ndirectory = \"https://crumb.dev\"\n";
    folder.write("bot.toml", identity);
    let mut ran = 0;
    let mut run = |arguments: &[&str]| -> Ended {
        let ended = folder.run(arguments);
        for (what, text) in [("stdout", &ended.stdout), ("stderr", &ended.stderr)] {
            assert_free(&format!("{what} of {arguments:?}"), text.as_bytes(), &forms());
        }
        ran += 1;
        ended
    };
    for file in given {
        run(&["key", "show", file]);
        run(&["key", "show", file, "--json"]);
        run(&["key", "new", "--out", file]).exits(2);
        run(&[
            "sign",
            "--key",
            file,
            "--agent",
            "https://crumb.dev",
            "--now",
            "1800000000",
            "GET",
            "https://example.com/",
        ]);
        run(&[
            "sign",
            "--key",
            file,
            "--agent",
            "https://crumb.dev",
            "--json",
            "GET",
            "https://example.com/",
        ]);
        run(&["directory", "build", "--key", file]);
        run(&[
            "directory",
            "build",
            "--key",
            file,
            "--authority",
            "crumb.dev",
            "--headers",
            &format!("{file}.headers"),
        ]);
        run(&["directory", "build", "--key", file, "--json"]);
        run(&["directory", "serve", "--key", file, "--listen", "192.0.2.1:1"]).exits(2);
    }
    for command in ["page", "card", "user-agent", "ip-ranges", "lint"] {
        run(&["identity", command, "bot.toml"]);
        run(&["identity", command, "bot.toml", "--json"]);
        // The key in the place of the configuration.
        run(&["identity", command, "bot.pem"]).exits(2);
        run(&["identity", command, "bot.jwk"]).exits(2);
    }
    run(&["directory", "check", "keys.json"]);
    run(&["directory", "check", "keys-secret.json"]);
    for file in ["bot.pem", "bot.jwk", "keys-secret.json"] {
        run(&["verify", "--directory", file, "bot.toml"]);
        run(&["robots", "lint", file]);
        run(&["robots", "check", "--agent", "x", file, "https://example.com/"]);
        run(&["extract", "feed", "--map", file, file]).exits(2);
        run(&["politeness", "simulate", "--policy", file, "bot.toml"]).exits(2);
        run(&["referee", "--log", file, "--promise", "bot.toml"]).exits(2);
        run(&["referee", "--scenario", file, "--for", "0"]).exits(2);
    }
    assert!(ran > 60, "{ran}");
    let written = fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().path());
    let mut files = 0;
    for file in
        written.filter(|file| !given.iter().chain(&["keys-secret.json"]).any(|given| file.ends_with(given)))
    {
        assert_free(&file.display().to_string(), &fs::read(&file).unwrap(), &forms());
        files += 1;
    }
    assert!(files > 3, "headers were written: {files}");
}

#[test]
fn no_reader_passes_personal_data_on() {
    let folder = Folder::new("secrets-personal");
    let (mail, phone, identity, account) =
        ("persona.privada@correo.example", "600 000 417", "99999999R", "ES91 2100 0418 4502 0005 1332");
    let text = format!("Llame al {phone} o escriba a {mail}; DNI {identity}, cuenta {account}.");
    folder.write(
        "map.toml",
        "source = \"town\"\nformat = \"json\"\nrecords = \"items\"\nzone = \"Europe/Madrid\"\nlanguage = \"es\"\n[attribution]\nsource = \"A town\"\n\
         license = \"CC BY 4.0\"\nlicense_url = \"https://creativecommons.org/licenses/by/4.0/\"\nlink = \"https://town.example/data\"\n[fields]\n\
         key = \"id\"\ntitle = \"title\"\ndescription = \"text\"\nstart = \"from\"\n",
    );
    let item = |title: &str| {
        format!(
            "{{\"items\":[{{\"id\":1,\"title\":\"{title}\",\"text\":\"{text}\",\"from\":\"2099-05-01\",\"contact\":\"{mail}\"}}]}}"
        )
    };
    folder.write("feed.json", item("Danza"));
    folder.write("broken.json", item("Danza").trim_end_matches('}'));
    folder.write(
        "features.json",
        format!(
            "{{\"objectIdFieldName\":\"OBJECTID\",\"geometryType\":\"esriGeometryPoint\",\"spatialReference\":{{\"wkid\":4326}},\
             \"features\":[{{\"attributes\":{{\"OBJECTID\":1,\"MAIL\":\"{mail}\",\"NOTE\":\"{text}\"}},\"geometry\":{{\"x\":1,\"y\":2}}}}]}}"
        ),
    );
    let planted = [mail, "persona.privada", phone, "600000417", identity, account, "ES9121000418"];
    let planted = planted.map(str::to_ascii_lowercase);
    for arguments in [
        &["extract", "feed", "--map", "map.toml", "feed.json"][..],
        &["extract", "feed", "--map", "map.toml", "--json", "feed.json"],
        &["extract", "feed", "--map", "map.toml", "--json", "broken.json"],
        &["extract", "arcgis", "--kind", "features", "features.json"],
        &["extract", "arcgis", "--kind", "features", "--json", "features.json"],
    ] {
        let ended = folder.run(arguments);
        assert!(ended.code < 2, "{arguments:?}: {ended:?}");
        assert_free(&format!("{arguments:?}"), (ended.stdout + &ended.stderr).as_bytes(), &planted);
    }
}
