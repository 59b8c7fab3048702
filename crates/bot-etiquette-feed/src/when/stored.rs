//! When an event takes place, as it is written and read back.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::{Day, Moment, Run, Weekdays, When};
use crate::clean::CleanText;
use crate::recurrence::Recurrence;

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for Weekdays {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl Serialize for Run {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut run = serializer.serialize_struct("Run", 4)?;
        run.serialize_field("start", &self.start)?;
        run.serialize_field("end", &self.end)?;
        run.serialize_field("weekdays", &self.weekdays)?;
        run.serialize_field("recurrence", &self.recurrence)?;
        run.end()
    }
}

impl Serialize for When {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut when = serializer.serialize_struct("When", 5)?;
        when.serialize_field("runs", &self.runs)?;
        when.serialize_field("excluded", &self.excluded)?;
        when.serialize_field("included", &self.included)?;
        when.serialize_field("hours", &self.hours)?;
        when.serialize_field("zone", &self.zone)?;
        when.end()
    }
}

impl<'de> Deserialize<'de> for When {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        struct StoredRun {
            start: String,
            end: Option<String>,
            weekdays: Vec<i8>,
            recurrence: Option<String>,
        }

        #[derive(serde::Deserialize)]
        struct Stored {
            runs: Vec<StoredRun>,
            excluded: Vec<String>,
            included: Vec<String>,
            hours: Option<CleanText>,
            zone: String,
        }

        let stored = Stored::deserialize(deserializer)?;
        let moment = |text: &str| {
            Moment::parse(text, &stored.zone)
                .ok_or_else(|| D::Error::custom("a date is written 2025-10-25 or 2025-10-25T19:00:00+02:00"))
        };
        let days = |texts: &[String]| {
            let mut days = texts
                .iter()
                .map(|text| Day::parse(text).ok_or_else(|| D::Error::custom("a day is written 2025-10-25")))
                .collect::<Result<Vec<_>, _>>()?;
            days.sort_unstable();
            days.dedup();
            Ok(days)
        };
        let runs = stored.runs.iter().map(|run| {
            let mut weekdays = Weekdays::default();
            run.weekdays.iter().filter(|day| (1..=7).contains(*day)).for_each(|day| weekdays.add(*day));
            let end = run.end.as_deref().map(moment).transpose()?;
            let recurrence = run.recurrence.as_deref().map(|text| {
                Recurrence::read(text, &stored.zone)
                    .ok_or_else(|| D::Error::custom("a rule is written as its lines DTSTART and RRULE"))
            });
            Ok(Run { recurrence: recurrence.transpose()?, ..Run::new(moment(&run.start)?, end, weekdays) })
        });
        let included = stored.included.iter().map(|text| moment(text)).collect::<Result<_, D::Error>>()?;
        Ok(Self {
            runs: runs.collect::<Result<_, D::Error>>()?,
            excluded: days(&stored.excluded)?,
            included,
            hours: stored.hours,
            zone: stored.zone,
        })
    }
}
