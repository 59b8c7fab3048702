//! Dates and times as feeds write them.

mod plain;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};

use crate::report::{Note, Notes};
use crate::when::{Day, Local, Moment, Weekdays};

/// A date, and what else was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) date: Date,
    pub(crate) time: Option<Time>,
    pub(crate) offset: Option<Offset>,
}

/// Reads `2025-10-25 19:00:00.0`, RFC 3339, `25/10/2025 19:00`, RFC 822 dates, `martes, 3 de junio de 2025`.
pub(crate) fn written(text: &str, notes: &mut Notes) -> Option<Written> {
    let text = text.trim();
    if text.is_empty() || text.len() > 80 {
        return None;
    }
    let first = text.split(|character: char| !character.is_ascii_digit()).next().unwrap_or_default();
    if first.len() == 4 {
        return iso(text);
    }
    if text.contains('/') {
        let (date, rest) = text.split_once([' ', 'T']).unwrap_or((text, ""));
        let (time, days, offset) = clock(rest, notes)?;
        return roll(slashed(date)?, time, days, offset);
    }
    in_words(text, notes)
}

fn iso(text: &str) -> Option<Written> {
    let (date, rest) = text.split_at_checked(10)?;
    let date = plain::date(date).or_else(|| {
        let mut parts = date.split('-');
        Date::new(parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?).ok()
    })?;
    let (time, days, offset) = clock(rest.trim_start_matches(['T', 't', ' ']), &mut Notes::default())?;
    roll(date, time, days, offset)
}

fn slashed(text: &str) -> Option<Date> {
    let mut parts = text.trim().split('/');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    Date::new(full_year(year)?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// RFC 822, 5.1, has two digits; those below 70 are of this century.
fn full_year(text: &str) -> Option<i16> {
    let year: i16 = text.parse().ok()?;
    Some(match (text.len(), year) {
        (2, 0..70) => year.saturating_add(2000),
        (2, _) => year.saturating_add(1900),
        (4, _) => year,
        _ => return None,
    })
}

fn in_words(text: &str, notes: &mut Notes) -> Option<Written> {
    let words: Vec<String> = crate::fold::fold(text)
        .split(|character: char| character.is_whitespace() || character == ',')
        .map(|word| word.trim_matches('.').to_owned())
        .filter(|word| !word.is_empty() && word != "de" && word != "del")
        .collect();
    let at = words.iter().position(|word| word.bytes().all(|byte| byte.is_ascii_digit()))?;
    let date = date_at(&words, at)?;
    let rest = words.get(at.saturating_add(3)..).unwrap_or_default().join(" ");
    let (time, days, offset) = clock(&rest, notes)?;
    if matches!(rest.rsplit(' ').next(), Some("cet")) && (4..=9).contains(&date.month()) {
        notes.add(Note::WrongZone);
    }
    roll(date, time, days, offset)
}

fn date_at(words: &[String], at: usize) -> Option<Date> {
    let day = words.get(at)?.parse().ok()?;
    let month = month(words.get(at.saturating_add(1))?)?;
    Date::new(full_year(words.get(at.saturating_add(2))?)?, month, day).ok()
}

fn month(word: &str) -> Option<i8> {
    const MONTHS: [&[&str]; 12] = [
        &["jan", "ene", "gen"],
        &["feb"],
        &["mar"],
        &["apr", "abr"],
        &["may", "mai"],
        &["jun"],
        &["jul"],
        &["aug", "ago"],
        &["sep", "set"],
        &["oct"],
        &["nov"],
        &["dec", "dic", "des"],
    ];
    let start = word.get(..3)?;
    let index = MONTHS.iter().position(|names| names.contains(&start))?;
    i8::try_from(index.saturating_add(1)).ok()
}

type Clock = (Option<Time>, i64, Option<Offset>);

/// Reads `19:00[:00[.0]] [zone]`; 24:00 is the next day's first minute.
fn clock(text: &str, notes: &mut Notes) -> Option<Clock> {
    let _ = notes;
    let text = text.trim();
    if text.is_empty() {
        return Some((None, 0, None));
    }
    if let Some(time) = plain::time(text) {
        return Some((Some(time), 0, None));
    }
    let end = text
        .bytes()
        .position(|byte| !(byte.is_ascii_digit() || matches!(byte, b':' | b'.')))
        .unwrap_or(text.len());
    let (time, zone) = text.split_at_checked(end)?;
    let mut parts = time.split(':');
    let hour: i8 = parts.next()?.parse().ok()?;
    let minute: i8 = parts.next()?.parse().ok()?;
    let second: i8 = match parts.next() {
        Some(second) => second.split('.').next()?.parse().ok()?,
        None => 0,
    };
    let (hour, days) = if hour == 24 && minute == 0 { (0, 1) } else { (hour, 0) };
    let time = Time::new(hour, minute, second.min(59), 0).ok()?;
    Some((Some(time), days, offset(zone.trim())?))
}

/// `Some(None)` when no zone is written, `None` when it cannot be read.
fn offset(zone: &str) -> Option<Option<Offset>> {
    let hours = |hours: i8| Some(Some(Offset::constant(hours)));
    match zone.to_ascii_uppercase().as_str() {
        "" | "H" => return Some(None),
        "Z" | "UT" | "UTC" | "GMT" | "WET" => return hours(0),
        "CET" | "WEST" => return hours(1),
        "CEST" => return hours(2),
        _ => {}
    }
    let digits = zone.trim_start_matches("GMT").trim_start_matches("gmt");
    let negative = digits.starts_with('-');
    let digits: String = digits.strip_prefix(['+', '-'])?.chars().filter(|digit| *digit != ':').collect();
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes: i32 = if minutes.is_empty() { 0 } else { minutes.parse().ok()? };
    let seconds = hours.parse::<i32>().ok()?.checked_mul(3600)?.checked_add(minutes.checked_mul(60)?)?;
    Offset::from_seconds(if negative { seconds.checked_neg()? } else { seconds }).ok().map(Some)
}

fn roll(date: Date, time: Option<Time>, days: i64, offset: Option<Offset>) -> Option<Written> {
    let date = if days == 0 { date } else { date.tomorrow().ok()? };
    Some(Written { date, time, offset })
}

/// Every day named in a list: `23/9/2025;30/9/2025;`, `días 19 y 20 de junio de 2026`.
pub(crate) fn days(text: &str, notes: &mut Notes) -> Vec<Day> {
    let listed: Vec<Day> = text
        .split([';', ',', '\n'])
        .filter_map(|part| written(part, &mut Notes::default()))
        .map(|written| Day(written.date))
        .collect();
    if !listed.is_empty() {
        return listed;
    }
    let words: Vec<String> = crate::fold::fold(text)
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty() && *word != "de" && *word != "del")
        .map(str::to_owned)
        .collect();
    let Some(at) = words.iter().position(|word| month(word).is_some() && !word.starts_with("mart")) else {
        if !text.trim().is_empty() {
            notes.add(Note::BadDate);
        }
        return Vec::new();
    };
    let tail = words.get(at..).unwrap_or_default();
    let tail = tail.get(..2).unwrap_or(tail);
    words
        .get(..at)
        .unwrap_or_default()
        .iter()
        .filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
        .filter_map(|day| date_at(&[std::slice::from_ref(day), tail].concat(), 0))
        .map(Day)
        .collect()
}

/// A wall time in a zone, or an instant as written; the clock changes are told.
pub(crate) fn moment(
    date: Date,
    time: Option<Time>,
    offset: Option<Offset>,
    zone: &TimeZone,
    notes: &mut Notes,
) -> Moment {
    let Some(time) = time else { return Moment::Day(Day(date)) };
    let wall = DateTime::from_parts(date, time);
    let zoned = match offset {
        Some(offset) => {
            TimeZone::fixed(offset).to_zoned_datetime(wall).map(|zoned| zoned.with_time_zone(zone.clone()))
        }
        None => {
            let ambiguous = zone.to_ambiguous_zoned_datetime(wall);
            if ambiguous.is_ambiguous() {
                let gap = matches!(ambiguous.offset(), jiff::tz::AmbiguousOffset::Gap { .. });
                notes.add(if gap { Note::Gap } else { Note::Fold });
            }
            ambiguous.compatible()
        }
    };
    zoned.map_or(Moment::Day(Day(date)), |zoned| Moment::Local(Local(zoned)))
}

/// Whether the clocks of the zone change on a day.
pub(crate) fn changes(date: Date, zone: &TimeZone) -> bool {
    let (Ok(start), Ok(next)) = (date.to_zoned_datetime(zone.clone()), date.tomorrow()) else { return false };
    next.to_zoned_datetime(zone.clone()).is_ok_and(|next| next.offset() != start.offset())
}

/// What hours in words say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hours {
    /// A start, and perhaps an end.
    Exact(Time, Option<Time>),
    /// Something else: the words are kept.
    Words,
    Nothing,
}

/// Reads `19:00`, `19:00 h.`, `De 12:00 a 14:00 horas`, `10.30 - 13`; all else is words.
pub(crate) fn hours(text: &str) -> Hours {
    let folded = crate::fold::fold(text);
    if folded.trim().is_empty() {
        return Hours::Nothing;
    }
    let mut times = Vec::new();
    let mut named = false;
    let parts = folded.split(|character: char| {
        character.is_whitespace() || matches!(character, '-' | '\u{2013}' | '\u{2014}')
    });
    for part in parts.map(|part| part.trim_matches(['.', ',', ';'])).filter(|part| !part.is_empty()) {
        let bare = part.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let unit = part.get(bare.len()..).unwrap_or_default();
        let is_unit = matches!(unit, "h" | "hs" | "hrs" | "horas" | "hora");
        let is_joint = matches!(unit, "de" | "a" | "las" | "la" | "desde" | "hasta" | "les" | "fins");
        let fits = if bare.is_empty() { is_unit || is_joint } else { is_unit || unit.is_empty() };
        if !fits {
            return Hours::Words;
        }
        named |= is_unit;
        if bare.is_empty() {
            continue;
        }
        let (hour, minute) = match bare.split_once([':', '.']) {
            Some((hour, minute)) => (hour, Some(minute)),
            None => (bare, None),
        };
        let minute = match minute {
            Some(minute) if minute.len() == 2 || minute.len() == 5 => {
                minute.get(..2).and_then(|minute| minute.parse().ok())
            }
            Some(_) => None,
            None => Some(0),
        };
        let time =
            hour.parse().ok().zip(minute).and_then(|(hour, minute)| Time::new(hour, minute, 0, 0).ok());
        match time {
            Some(time) => times.push((time, bare.len() > 2)),
            None => return Hours::Words,
        }
    }
    let plain = named || times.iter().any(|(_, exact)| *exact);
    match times.as_slice() {
        [(start, _)] if plain => Hours::Exact(*start, None),
        [(start, _), (end, _)] if plain => Hours::Exact(*start, Some(*end)),
        _ => Hours::Words,
    }
}

/// Reads `MO,TU`, `L,M,X` (X is Wednesday), `1,2` (1 is Monday); unknown words are left out.
pub(crate) fn weekdays(text: &str) -> Weekdays {
    let mut days = Weekdays::default();
    for word in crate::fold::fold(text).split([',', ';', ' ']) {
        let day = match word.trim() {
            "1" | "mo" | "l" | "lunes" | "lu" => 1,
            "2" | "tu" | "m" | "martes" | "ma" => 2,
            "3" | "we" | "x" | "miercoles" | "mi" => 3,
            "4" | "th" | "j" | "jueves" | "ju" => 4,
            "5" | "fr" | "v" | "viernes" | "vi" => 5,
            "6" | "sa" | "s" | "sabado" => 6,
            "7" | "su" | "d" | "domingo" | "do" => 7,
            _ => continue,
        };
        days.add(day);
    }
    days
}
