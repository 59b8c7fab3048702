use std::time::Duration;

use bot_etiquette_signing::directory::{
    DirectoryDocument, KeyDirectory, KeySchedule, RotationProblem, ScheduleError,
};

use super::{at, key, keyid, set};

const HOUR: Duration = Duration::from_secs(3600);
const START: u64 = 1_800_000_000;
const TURN: u64 = START + 30 * 86_400;

fn schedule() -> KeySchedule {
    KeySchedule::new(HOUR, Duration::from_secs(60))
        .then(key(1), at(START))
        .unwrap()
        .then(key(2), at(TURN))
        .unwrap()
}

#[test]
fn the_dates_follow_from_the_first_uses() {
    let dates = schedule().dates();
    assert_eq!(dates[0].publish, at(START - 3900));
    assert_eq!(dates[0].last_use, Some(at(TURN)));
    assert_eq!(dates[0].drop, Some(at(TURN + 60 + 3900)));
    assert_eq!(dates[1].publish, at(TURN - 3900));
    assert_eq!((dates[1].last_use, dates[1].drop), (None, None));
    let ended = schedule().until(at(TURN + 1000)).unwrap();
    assert_eq!(ended.dates()[1].drop, Some(at(TURN + 1000 + 60 + 3900)));
}

#[test]
fn one_key_signs_at_a_time() {
    let schedule = schedule().until(at(TURN + 100)).unwrap();
    let signs = |now| schedule.signing_key(at(now)).map(|key| key.thumbprint().to_string());
    assert_eq!(signs(START - 1), None);
    assert_eq!(signs(START), Some(keyid(1)));
    assert_eq!(signs(TURN - 1), Some(keyid(1)));
    assert_eq!(signs(TURN), Some(keyid(2)));
    assert_eq!(signs(TURN + 99), Some(keyid(2)));
    assert_eq!(signs(TURN + 100), None);
}

#[test]
fn dates_out_of_order_and_a_key_used_again_are_refused() {
    for first_use in [START, TURN - 1, TURN] {
        let error = schedule().then(key(3), at(first_use)).unwrap_err();
        assert_eq!(error, ScheduleError::Order { thumbprint: key(3).thumbprint() });
    }
    let error = schedule().then(key(1), at(TURN + 1)).unwrap_err();
    assert_eq!(error, ScheduleError::Duplicate { thumbprint: key(1).thumbprint() });
    assert!(matches!(schedule().until(at(TURN)), Err(ScheduleError::Order { .. })));
    assert!(schedule().until(at(TURN + 1)).unwrap().then(key(3), at(TURN + 1)).is_err());
}

#[test]
fn a_directory_of_the_schedule_is_never_wrong() {
    let schedule = schedule();
    let directory = KeyDirectory::builder().keys(schedule.published_keys()).max_age(HOUR).build().unwrap();
    for now in (START..TURN + 2 * 86_400).step_by(600) {
        let document = DirectoryDocument::parse(directory.document_at(at(now)).as_bytes()).unwrap();
        assert_eq!(schedule.check(&document, at(now)), [], "{now}");
    }
    assert_eq!(
        schedule.check(&DirectoryDocument::parse(set(&[]).as_bytes()).unwrap(), at(START - 3901)),
        [RotationProblem::NoKeyInUse]
    );
}

#[track_caller]
fn wrong(listed: &[(u8, &str)], now: u64, expected: &[RotationProblem]) {
    let document = DirectoryDocument::parse(set(listed).as_bytes()).unwrap();
    assert_eq!(schedule().check(&document, at(now)), expected);
}

#[test]
fn the_check_says_what_is_wrong_today() {
    let [first, second, third] = [1, 2, 3].map(|byte| key(byte).thumbprint());
    wrong(&[(1, "")], START, &[]);
    wrong(&[], START, &[RotationProblem::SigningUnlisted { thumbprint: first.clone() }]);
    wrong(
        &[(1, ",\"exp\":1800000000")],
        START,
        &[RotationProblem::SigningOutsideDates { thumbprint: first.clone() }],
    );
    wrong(&[(1, "")], TURN - 3901, &[]);
    wrong(
        &[(1, "")],
        TURN - 3900,
        &[RotationProblem::NotYetListed { thumbprint: second.clone(), first_use: at(TURN) }],
    );
    wrong(
        &[(1, "")],
        TURN - 10,
        &[RotationProblem::NotYetListed { thumbprint: second.clone(), first_use: at(TURN - 10 + 3900) }],
    );
    wrong(&[(2, "")], TURN + 10, &[RotationProblem::DroppedTooSoon { thumbprint: first.clone() }]);
    wrong(&[(1, ""), (2, "")], TURN + 3960, &[RotationProblem::StillListed { thumbprint: first }]);
    wrong(&[(2, ""), (3, "")], TURN + 3960, &[RotationProblem::Unscheduled { thumbprint: third }]);
}
