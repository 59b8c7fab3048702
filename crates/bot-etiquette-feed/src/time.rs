//! Dates and times as feeds write them.

mod plain;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

use crate::report::{Note, Notes};
use crate::trim::trimmed;
use crate::when::{Day, Local, MAX_LIST, Moment, Weekdays};

/// A date, and what else was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) date: Date,
    pub(crate) time: Option<Time>,
    pub(crate) offset: Option<Offset>,
    /// A zone by name (RFC 9557), with the offset it has then.
    pub(crate) zone: Option<TimeZone>,
}

/// Reads `2025-10-25 19:00:00.0`, RFC 3339, `20251025T190000`, `25/10/2025 19:00`, RFC 822 dates,
/// `martes, 3 de junio de 2025 a las 19:00 h`; each with `[Europe/Madrid]` behind it (RFC 9557) too.
pub(crate) fn written(text: &str, notes: &mut Notes) -> Option<Written> {
    let text = trimmed(text);
    if text.is_empty() || text.len() > MAX_DATE {
        return None;
    }
    if let Some(date) = plain::date(text) {
        return Some(Written { date, time: None, offset: None, zone: None });
    }
    if let Some((date, time)) = plain::date_time(text) {
        return Some(Written { date, time: Some(time), offset: None, zone: None });
    }
    if let Some((text, zone)) = text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        return in_zone(written(text, notes)?, TimeZone::get(zone).ok()?);
    }
    let is_part = |character: char| character.is_ascii_digit() || matches!(character, '-' | '/' | '.');
    let (date, rest) =
        text.split_at_checked(text.find(|character| !is_part(character)).unwrap_or(text.len()))?;
    if date.len() <= 2 {
        return in_words(text, notes);
    }
    let (time, days, offset) = clock(rest.trim_start_matches(['T', 't', ',', ' ']))?;
    roll(in_figures(date)?, time, days, offset)
}

/// Bytes of a date at the most.
const MAX_DATE: usize = 120;

fn in_zone(written: Written, zone: TimeZone) -> Option<Written> {
    let wall = written.time.map(|time| written.date.to_datetime(time));
    let offset = written.offset.or_else(|| wall.map(|wall| offset_at(wall, &zone)));
    Some(Written { offset, zone: Some(zone), ..written })
}

/// The offset by which a wall time is read: where a clock change skips or repeats it, the one before the change.
pub(crate) fn offset_at(wall: DateTime, zone: &TimeZone) -> Offset {
    match zone.to_ambiguous_zoned_datetime(wall).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset,
        AmbiguousOffset::Gap { before, .. } | AmbiguousOffset::Fold { before, .. } => before,
    }
}

/// `2025-10-25`, `2025/10/25`, `20251025`, `25/10/2025`, `25-10-25`, `25.10.2025`.
fn in_figures(text: &str) -> Option<Date> {
    let text = text.trim_end_matches(['.', '-']);
    let mut parts = text.split(['-', '/', '.']);
    let (first, second, third) = (parts.next()?, parts.next(), parts.next());
    if parts.next().is_some() {
        return None;
    }
    let (year, month, day) = match (first.len(), second, third) {
        (8, None, None) => (first.get(..4)?, first.get(4..6)?, first.get(6..)?),
        (4, Some(month), Some(day)) => (first, month, day),
        (_, Some(month), Some(year)) => (year, month, first),
        _ => return None,
    };
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
        .map(|word| word.trim_matches('.').trim_start_matches("d'").to_owned())
        .filter(|word| !matches!(word.as_str(), "" | "de" | "del" | "da" | "do"))
        .collect();
    let at = words.iter().position(|word| word.bytes().all(|byte| byte.is_ascii_digit()))?;
    let date = date_at(&words, at)?;
    let rest = words.get(at.saturating_add(3)..).unwrap_or_default().join(" ");
    let (time, days, offset) = clock(&rest)?;
    let of_the_other_half_year = match rest.rsplit(' ').next() {
        Some("cet" | "wet") => (4..=9).contains(&date.month()),
        Some("cest" | "west") => !(3..=10).contains(&date.month()),
        _ => false,
    };
    if of_the_other_half_year {
        notes.add(Note::WrongZone);
    }
    roll(date, time, days, offset)
}

fn date_at(words: &[String], at: usize) -> Option<Date> {
    let day = words.get(at)?.parse().ok()?;
    let month = month(words.get(at.saturating_add(1))?)?;
    Date::new(full_year(words.get(at.saturating_add(2))?)?, month, day).ok()
}

/// The month of a word, in the languages of these feeds.
fn month(word: &str) -> Option<i8> {
    const MONTHS: [&[&str]; 12] = [
        &["jan", "ene", "gen"],
        &["feb", "fev"],
        &["mar"],
        &["apr", "abr", "avr"],
        &["may", "mai", "mag"],
        &["jun", "giu", "juin"],
        &["jul", "lug", "juil"],
        &["aug", "ago", "aou"],
        &["sep", "set"],
        &["oct", "out", "ott", "okt"],
        &["nov"],
        &["dec", "dic", "des", "dez"],
    ];
    if word.starts_with("mart") || word.starts_with("mayor") {
        return None;
    }
    let index = MONTHS.iter().position(|names| names.iter().any(|name| word.starts_with(name)))?;
    i8::try_from(index.saturating_add(1)).ok()
}

type Clock = (Option<Time>, i64, Option<Offset>);

/// Reads `[a las] 19:00[:00[.0]] [h] [zone]`; 24:00 is the next day's first minute.
fn clock(text: &str) -> Option<Clock> {
    let mut text = text.trim().trim_start_matches(['-', ',', ' ']);
    for joint in ["a las ", "a la ", "a les ", "alle "] {
        text = text.strip_prefix(joint).unwrap_or(text).trim_start();
    }
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
    let time = time.trim_end_matches('.');
    let (hour, minute, second) = match time.len() {
        // As ISO 8601 has it without marks.
        4 | 6 if time.bytes().all(|byte| byte.is_ascii_digit()) => {
            (time.get(..2)?, time.get(2..4)?, time.get(4..).filter(|second| !second.is_empty()))
        }
        _ => {
            let mut parts = time.split(if time.contains(':') { ':' } else { '.' });
            (parts.next()?, parts.next()?, parts.next().and_then(|second| second.split('.').next()))
        }
    };
    let (hour, minute): (i8, i8) = (hour.parse().ok()?, minute.parse().ok()?);
    let second: i8 = second.map_or(Some(0), |second| second.parse().ok())?;
    let (hour, days) = if hour == 24 && minute == 0 { (0, 1) } else { (hour, 0) };
    let time = Time::new(hour, minute, second.min(59), 0).ok()?;
    Some((Some(time), days, offset(zone.trim().trim_end_matches('.'))?))
}

/// `Some(None)` when no zone is written, `None` when it cannot be read.
fn offset(zone: &str) -> Option<Option<Offset>> {
    let hours = |hours: i8| Some(Some(Offset::constant(hours)));
    match zone.to_ascii_uppercase().as_str() {
        "" | "H" | "HS" | "HRS" | "HORAS" => return Some(None),
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
    Some(Written { date, time, offset, zone: None })
}

/// Every time named in a list: `23/9/2025;30/9/2025;`, `días 19 y 20 de junio de 2026`, `del 3 al 5 de junio de 2026`.
pub(crate) fn moments(text: &str, zone: &TimeZone, notes: &mut Notes) -> Vec<Moment> {
    let days = |days: Vec<Date>| days.into_iter().map(|date| Moment::Day(Day(date))).collect::<Vec<_>>();
    let mut moments = Vec::new();
    for part in text.split([';', '\n']).map(str::trim).filter(|part| !part.is_empty()) {
        let all = |parts: &mut dyn Iterator<Item = &str>| {
            parts.map(|part| written(part, &mut Notes::default())).collect::<Option<Vec<_>>>()
        };
        let dates = all(&mut std::iter::once(part))
            .or_else(|| all(&mut part.split(',').filter(|part| !part.trim().is_empty())));
        if let Some(dates) = dates {
            moments.extend(dates.into_iter().map(|written| {
                let time = written.exact_time();
                moment(written.date, time, written.offset, zone, notes)
            }));
        } else if let Some((first, last)) = range(part) {
            let all = std::iter::successors(Some(first), |day| day.tomorrow().ok());
            moments.extend(days(all.take_while(|day| *day <= last).take(MAX_LIST).collect()));
        } else {
            let listed = in_list(part);
            if listed.is_empty() {
                notes.add(Note::BadDate);
            }
            moments.extend(days(listed));
        }
    }
    moments
}

impl Written {
    /// The time of day; midnight stands for a day, unless a zone beside it says that it is meant.
    pub(crate) fn exact_time(&self) -> Option<Time> {
        self.time.filter(|time| *time != Time::midnight() || self.offset.is_some())
    }
}

/// The days of `19, 20 y 21 de junio de 2026`: each takes the month and the year that come behind it; all or none.
pub(crate) fn in_list(text: &str) -> Vec<Date> {
    let folded = crate::fold::fold(text);
    let mut open: Vec<(i8, Option<i8>)> = Vec::new();
    let mut dates = Vec::new();
    for word in folded.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()) {
        match (word.parse::<i16>(), month(word)) {
            (Ok(year @ 1000..), _) => {
                for (day, month) in open.drain(..) {
                    match Date::new(year, month.unwrap_or(0), day) {
                        Ok(date) => dates.push(date),
                        Err(_) => return Vec::new(),
                    }
                }
            }
            (Ok(day @ 1..=31), _) => open.push((i8::try_from(day).unwrap_or(0), None)),
            (Err(_), Some(named)) => {
                open.iter_mut()
                    .filter(|(_, month)| month.is_none())
                    .for_each(|(_, month)| *month = Some(named));
            }
            (Err(_), None) if !matches!(word, "al" | "hasta" | "a" | "fins") => {}
            // A range that was not understood is no list of its ends.
            _ => return Vec::new(),
        }
    }
    if open.is_empty() { dates } else { Vec::new() }
}

/// `del 3 al 15 de junio de 2026`, `del 30 de mayo al 3 de junio de 2026`, `25/10/2025 - 28/10/2025`.
pub(crate) fn range(text: &str) -> Option<(Date, Date)> {
    if text.len() > MAX_DATE {
        return None;
    }
    let folded = crate::fold::fold(text);
    let joints = [" al ", " hasta el ", " hasta ", " fins al ", " a ", " - ", " \u{2013} "];
    let (left, right) = joints.iter().find_map(|joint| folded.split_once(joint))?;
    let day = |text: &str| written(text, &mut Notes::default()).filter(|written| written.time.is_none());
    let last = day(right)?.date;
    let left = ["desde el ", "desde ", "del ", "de "]
        .iter()
        .find_map(|word| left.trim().strip_prefix(word))
        .unwrap_or(left.trim());
    // What the start leaves out is that of the end.
    let year = format!("{left} {}", last.year());
    let month = format!("{left} {} {}", last.strftime("%b"), last.year());
    let first = [left, &year, &month].into_iter().find_map(day)?.date;
    (first <= last).then_some((first, last))
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
                let gap = matches!(ambiguous.offset(), AmbiguousOffset::Gap { .. });
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
