//! Dates of an iCalendar (RFC 5545, 3.3.4 and 3.3.5) in the form that the dates of all feeds are read in.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use crate::field::Field;
use crate::report::{Note, Notes};
use crate::time;

/// A date value as ISO 8601 text for `field`: what cannot be read is given on as it is.
pub(super) fn iso(
    value: &str,
    tzid: Option<&str>,
    field: Field,
    zone: &TimeZone,
    notes: &mut Notes,
) -> String {
    if matches!(field, Field::Excluded | Field::Included) {
        // Of a period its start.
        let starts = value.split(',').map(|one| one.split('/').next().unwrap_or_default());
        let times: Vec<String> = starts.map(|one| text(one, tzid, zone, notes)).collect();
        return times.join(";");
    }
    match read(value, tzid, zone, notes) {
        // The end of days is exclusive (RFC 5545, 3.6.1).
        Some(Stamp::Day(date)) if field == Field::End => {
            date.yesterday().map_or_else(|_| value.to_owned(), |date| date.to_string())
        }
        _ => text(value, tzid, zone, notes),
    }
}

/// A day, or a time with its offset, and with its zone where that is not the source's: a rule is one of its own zone.
fn text(value: &str, tzid: Option<&str>, zone: &TimeZone, notes: &mut Notes) -> String {
    let (wall, own) = match read(value, tzid, zone, notes) {
        Some(Stamp::Day(date)) => return date.to_string(),
        Some(Stamp::At { wall, zone }) => (wall, zone),
        None => return value.to_owned(),
    };
    // A clock change in the source's own zone is told where all dates are read.
    if own == *zone && own.to_ambiguous_zoned_datetime(wall).is_ambiguous() {
        return wall.to_string();
    }
    let stamp = format!("{}{}", wall.strftime("%Y-%m-%dT%H:%M:%S"), time::offset_at(wall, &own));
    match own.iana_name().filter(|_| own != *zone) {
        Some(name) => format!("{stamp}[{name}]"),
        None => stamp,
    }
}

enum Stamp {
    Day(Date),
    At { wall: DateTime, zone: TimeZone },
}

fn read(value: &str, tzid: Option<&str>, zone: &TimeZone, notes: &mut Notes) -> Option<Stamp> {
    let value = value.trim();
    let (date, time) = match value.split_once(['T', 't']) {
        Some((date, time)) => (date, Some(time)),
        None => (value, None),
    };
    let [year, month, day] = figures(date, [4, 2, 2])?;
    let date =
        Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    let Some(time) = time else { return Some(Stamp::Day(date)) };
    let (time, utc) = match time.strip_suffix(['Z', 'z']) {
        Some(time) => (time, true),
        None => (time, false),
    };
    let [hour, minute, second] = figures(time, [2, 2, 2])?;
    let (hour, minute) = (i8::try_from(hour).ok()?, i8::try_from(minute).ok()?);
    let wall =
        date.to_datetime(jiff::civil::Time::new(hour, minute, i8::try_from(second).ok()?.min(59), 0).ok()?);
    let own = match tzid {
        _ if utc => TimeZone::UTC,
        None => zone.clone(),
        Some(tzid) => named(tzid).unwrap_or_else(|| {
            notes.add(Note::UnknownZone);
            zone.clone()
        }),
    };
    Some(Stamp::At { wall, zone: own })
}

/// Numbers of these many digits, and nothing else.
fn figures<const N: usize>(text: &str, widths: [usize; N]) -> Option<[u16; N]> {
    let mut rest = text;
    let mut numbers = [0; N];
    for (number, width) in numbers.iter_mut().zip(widths) {
        let (digits, after) = rest.split_at_checked(width)?;
        if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        *number = digits.parse().ok()?;
        rest = after;
    }
    rest.is_empty().then_some(numbers)
}

/// The zone of a `TZID`: an IANA name, alone or behind a publisher's path, or a name of Windows (CLDR `windowsZones`).
fn named(tzid: &str) -> Option<TimeZone> {
    const WINDOWS: [(&str, &str); 9] = [
        ("Romance Standard Time", "Europe/Madrid"),
        ("W. Europe Standard Time", "Europe/Berlin"),
        ("Central Europe Standard Time", "Europe/Budapest"),
        ("Central European Standard Time", "Europe/Warsaw"),
        ("GTB Standard Time", "Europe/Bucharest"),
        ("FLE Standard Time", "Europe/Kyiv"),
        ("GMT Standard Time", "Europe/London"),
        ("Greenwich Standard Time", "Atlantic/Reykjavik"),
        ("UTC", "Etc/UTC"),
    ];
    let tzid = tzid.trim();
    let known = WINDOWS.iter().find(|(windows, _)| windows.eq_ignore_ascii_case(tzid)).map(|(_, iana)| *iana);
    let last_two = tzid.rmatch_indices('/').nth(1).and_then(|(at, _)| tzid.get(at.saturating_add(1)..));
    [known, Some(tzid), last_two].into_iter().flatten().find_map(|name| TimeZone::get(name).ok())
}
