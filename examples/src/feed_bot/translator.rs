//! An external command that translates: lines in, lines out, once for each pair of languages.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::convert::Infallible;
use std::process::Stdio;
use std::time::Duration;

use bot_etiquette::feed::{CleanText, Event, Texts, Translator};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::config::TranslatorLine;
use super::kept::Kept;

/// What a command may write at the most, beyond four times what it was given.
const OUTPUT_BYTES: u64 = 1 << 20;

/// The translations that are known; texts that are missing stay in their own language.
#[derive(Debug, Default)]
pub struct Known {
    name: String,
    texts: HashMap<(String, String, String), String>,
}

impl Translator for Known {
    type Error = Infallible;

    fn name(&self) -> &str {
        &self.name
    }

    fn translate(&mut self, text: &CleanText, from: &str, to: &str) -> Result<Option<String>, Infallible> {
        let key = (from.to_owned(), to.to_owned(), text.as_str().to_owned());
        Ok(self.texts.get(&key).filter(|text| !text.is_empty()).cloned())
    }
}

impl Known {
    /// Has everything translated that these events lack in these languages, or takes it from the state. The second
    /// value says what went wrong; whatever did, the texts stand untranslated.
    ///
    /// # Errors
    /// When the state cannot be used.
    pub async fn of<'e>(
        line: &TranslatorLine,
        kept: &Kept,
        events: impl Iterator<Item = &'e Event>,
        languages: &[String],
    ) -> rusqlite::Result<(Self, Vec<String>)> {
        let mut missing: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
        for event in events {
            for texts in [event.titles(), event.descriptions()] {
                lacking(texts, languages, &mut missing);
            }
        }
        let mut known = Self { name: line.name.clone(), texts: HashMap::new() };
        let mut problems = Vec::new();
        for ((from, to), texts) in missing {
            let mut fresh = Vec::new();
            for text in texts {
                match kept.translation(&from, &to, &line.name, &text)? {
                    Some(translated) => {
                        drop(known.texts.insert((from.clone(), to.clone(), text), translated))
                    }
                    None => fresh.push(text),
                }
            }
            if fresh.is_empty() {
                continue;
            }
            match command(line, &from, &to, &fresh).await {
                Ok(translated) => {
                    // A translator may spell out what the source did not: cleaned before it is kept.
                    let clean = translated.iter().map(|text| CleanText::block(text).0.as_str().to_owned());
                    let pairs: Vec<_> = fresh.into_iter().zip(clean).collect();
                    kept.keep_translations(&from, &to, &line.name, pairs.clone())?;
                    for (text, translated) in pairs {
                        known.texts.insert((from.clone(), to.clone(), text), translated);
                    }
                }
                Err(problem) => problems.push(format!("{from} to {to}: {problem}")),
            }
        }
        Ok((known, problems))
    }
}

fn lacking(texts: &Texts, languages: &[String], missing: &mut BTreeMap<(String, String), BTreeSet<String>>) {
    let Some(source) = texts.source() else { return };
    for language in languages.iter().filter(|language| texts.in_language(language).is_none()) {
        let pair = (source.lang().to_owned(), language.clone());
        missing.entry(pair).or_default().insert(source.text().as_str().to_owned());
    }
}

/// Runs the command: each line of each text is a line, and as many come back. A text with a line that came back empty
/// could not be translated.
async fn command(
    line: &TranslatorLine,
    from: &str,
    to: &str,
    texts: &[String],
) -> Result<Vec<String>, String> {
    let filled = |part: &String| part.replace("{from}", from).replace("{to}", to);
    let mut words = line.command.iter().map(filled);
    let program = words.next().ok_or("translator.command is empty: name a program")?;
    let input: String = texts.iter().flat_map(|text| text.lines()).flat_map(|line| [line, "\n"]).collect();
    let mut child = tokio::process::Command::new(&program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("{program}: {error}"))?;
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("it has no standard input or output".to_owned());
    };
    let most = OUTPUT_BYTES + 4 * u64::try_from(input.len()).unwrap_or(u64::MAX / 8);
    let mut output = Vec::new();
    let talk = async {
        let write = async {
            // A command that reads no further is seen by what it writes.
            let _ = stdin.write_all(input.as_bytes()).await;
            drop(stdin);
        };
        let mut limited = stdout.take(most);
        let (_, read) = tokio::join!(write, limited.read_to_end(&mut output));
        read.map_err(|error| error.to_string())?;
        child.wait().await.map_err(|error| error.to_string())
    };
    let ended = tokio::time::timeout(Duration::from_secs(line.seconds), talk).await;
    let status = ended.map_err(|_| format!("took longer than {} seconds", line.seconds))??;
    if !status.success() {
        return Err(format!("ended with {status}"));
    }
    let output = String::from_utf8(output).map_err(|_| "wrote no UTF-8".to_owned())?;
    let lines: Vec<&str> = output.lines().collect();
    let asked = input.lines().count();
    if lines.len() != asked {
        return Err(format!("wrote {} lines for {asked}", lines.len()));
    }
    let mut lines = lines.into_iter();
    Ok(texts.iter().map(|text| whole(text, &mut lines)).collect())
}

fn whole<'l>(text: &str, lines: &mut impl Iterator<Item = &'l str>) -> String {
    let mut all = true;
    let pairs = text.lines().map(|before| (before, lines.next().unwrap_or_default()));
    let translated: Vec<&str> = pairs
        .map(|(before, after)| {
            all &= before.trim().is_empty() || !after.trim().is_empty();
            after
        })
        .collect();
    if all { translated.join("\n") } else { String::new() }
}

/// A few phrases in the seven languages, in their order.
const PHRASES: [[&str; 7]; 7] = [
    [
        "Visita guiada",
        "Visita guiada",
        "Guided tour",
        "Visite guidée",
        "Visita guidata",
        "Führung",
        "Visita guiada",
    ],
    [
        "Mercado de artesanía",
        "Mercat d'artesania",
        "Craft market",
        "Marché artisanal",
        "Mercato artigianale",
        "Kunsthandwerkermarkt",
        "Mercado de artesanato",
    ],
    [
        "Concierto de otoño",
        "Concert de tardor",
        "Autumn concert",
        "Concert d'automne",
        "Concerto d'autunno",
        "Herbstkonzert",
        "Concerto de outono",
    ],
    [
        "Taller de cerámica",
        "Taller de ceràmica",
        "Pottery workshop",
        "Atelier de céramique",
        "Laboratorio di ceramica",
        "Töpferkurs",
        "Oficina de cerâmica",
    ],
    [
        "Concierto de guitarra",
        "Concert de guitarra",
        "Guitar concert",
        "Concert de guitare",
        "Concerto di chitarra",
        "Gitarrenkonzert",
        "Concerto de guitarra",
    ],
    [
        "Feria del libro",
        "Fira del llibre",
        "Book fair",
        "Salon du livre",
        "Fiera del libro",
        "Buchmesse",
        "Feira do livro",
    ],
    [
        "Teatro para niños",
        "Teatre per a infants",
        "Theatre for children",
        "Théâtre pour enfants",
        "Teatro per bambini",
        "Theater für Kinder",
        "Teatro para crianças",
    ],
];

/// The tiny translator of the demonstration: a phrase it knows, whatever number follows; else nothing.
#[must_use]
pub fn tiny(line: &str, from: &str, to: &str) -> Option<String> {
    let place = |language: &str| super::strings::LANGUAGES.iter().position(|known| *known == language);
    let (from, to) = (place(from)?, place(to)?);
    let text = line.trim_end_matches(|character: char| character.is_ascii_digit() || character == ' ');
    let phrase = PHRASES.iter().find(|phrase| phrase[from] == text)?;
    Some(format!("{}{}", phrase[to], &line[text.len()..]))
}
