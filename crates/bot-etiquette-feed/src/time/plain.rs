//! Dates and times in the plainest form, which most feeds write: `2025-10-25`, `19:00`, `19:00:00`.

use jiff::civil::{Date, Time};

/// A date of ten characters; `None` where another form may be meant.
pub(super) fn date(text: &str) -> Option<Date> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else { return None };
    let century = i16::from(pair(*y1, *y2)?).checked_mul(100)?;
    let year = century.checked_add(pair(*y3, *y4)?.into())?;
    Date::new(year, pair(*m1, *m2)?, pair(*d1, *d2)?).ok()
}

/// Both, with `T` or a blank between; `None` where another form may be meant.
pub(super) fn date_time(text: &str) -> Option<(Date, Time)> {
    let (day, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix(['T', ' '])?;
    // No part of a second without seconds.
    let clock = rest.strip_suffix(".0").filter(|clock| clock.len() == "19:00:00".len());
    Some((date(day)?, time(clock.unwrap_or(rest))?))
}

/// A time of five or eight characters; `None` where another form may be meant.
pub(super) fn time(text: &str) -> Option<Time> {
    let (hour, minute, second) = match text.as_bytes() {
        [h1, h2, b':', m1, m2] => (pair(*h1, *h2)?, pair(*m1, *m2)?, 0),
        [h1, h2, b':', m1, m2, b':', s1, s2] => (pair(*h1, *h2)?, pair(*m1, *m2)?, pair(*s1, *s2)?),
        _ => return None,
    };
    Time::new(hour, minute, second, 0).ok()
}

fn pair(tens: u8, ones: u8) -> Option<i8> {
    let digit = |byte: u8| byte.is_ascii_digit().then(|| byte.wrapping_sub(b'0'));
    i8::try_from(digit(tens)?.wrapping_mul(10).wrapping_add(digit(ones)?)).ok()
}

#[cfg(test)]
mod tests {
    use jiff::civil::{Date, Time};
    use proptest::prelude::*;

    use crate::report::Notes;
    use crate::time::written;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn both_are_read_as_any_other_form_is(
            day in "20[0-9]{2}-[01][0-9]-[0-3][0-9]",
            clock in "[0-2][0-9]:[0-6][0-9](:[0-6][0-9])?(\\.0|\\.00|Z|h| )?",
        ) {
            // A small letter is left to the other forms.
            let (plain, other) = (format!("{day}T{clock}"), format!("{day}t{clock}"));
            prop_assert_eq!(super::date_time(&other), None);
            prop_assert_eq!(written(&plain, &mut Notes::default()), written(&other, &mut Notes::default()));
        }
    }

    #[test]
    fn the_plainest_forms_are_read() {
        assert_eq!(super::date("2025-10-25"), Date::new(2025, 10, 25).ok());
        assert_eq!(super::time("19:05"), Time::new(19, 5, 0, 0).ok());
        assert_eq!(super::time("19:05:59"), Time::new(19, 5, 59, 0).ok());
        let both = Date::new(2025, 10, 25).ok().zip(Time::new(19, 5, 0, 0).ok());
        for text in ["2025-10-25T19:05", "2025-10-25 19:05:00", "2025-10-25 19:05:00.0"] {
            assert_eq!(super::date_time(text), both, "{text}");
        }
    }

    #[test]
    fn other_forms_are_left_to_others() {
        for text in [
            "",
            "2025-13-01",
            "2025-02-30",
            "2025-+1-01",
            "2025/10/25",
            "25-10-2025",
            "2025-10-2",
            "2025-10-255",
        ] {
            assert_eq!(super::date(text), None, "{text}");
        }
        for text in ["", "24:00", "19:60", "1:00", "19:05:60", "19.05", "19:5", "19:05Z", "-1:00", "+1:00"] {
            assert_eq!(super::time(text), None, "{text}");
        }
    }
}
