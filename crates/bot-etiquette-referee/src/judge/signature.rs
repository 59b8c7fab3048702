//! Who signed: unsigned, bad-signature, expired-signature, reused-signature, agent-header.

use std::collections::HashMap;

use super::{Case, Finding};
use crate::record::Record;
use crate::rule::Rule;
use crate::signature::{self, Flaw, Read, Signed};

/// Scaled seconds that a signature may seem to be made in the future.
const AHEAD: f64 = 5.0;
/// The longest a signature may be good for.
const LONGEST: i64 = 24 * 3600;

/// The signatures and nonces that came, each with its latest request.
#[derive(Default)]
struct Used<'a> {
    signatures: HashMap<Vec<u8>, &'a Record>,
    nonces: HashMap<(String, String), &'a Record>,
}

pub(super) fn judge(case: &Case<'_>, found: &mut Vec<Finding>) {
    let mut used = Used::default();
    for record in case.records {
        let read = signature::read(record);
        if let Some(flaw) = signature::agent_flaw(record, &read) {
            found.push(case.finding(Rule::AgentHeader, record, flaw));
        }
        if !case.held.promise.signed {
            continue;
        }
        match read {
            Read::Nothing => {
                found.push(case.finding(Rule::Unsigned, record, "no signature with the tag web-bot-auth"))
            }
            Read::Flawed(flaw) => found.push(case.finding(Rule::BadSignature, record, flaw)),
            Read::Signed(signed) => {
                verdict(case, record, &signed, found);
                reuse(case, record, &signed, &mut used, found);
            }
        }
    }
}

fn verdict(case: &Case<'_>, record: &Record, signed: &Signed, found: &mut Vec<Finding>) {
    let mut bad = |flaw: Flaw| found.push(case.finding(Rule::BadSignature, record, flaw));
    if signed.expires <= signed.created || signed.expires.saturating_sub(signed.created) > LONGEST {
        bad(format!(
            "created {} and expires {}: a window that is empty or over a day",
            signed.created, signed.expires
        ));
    } else if let Err(flaw) = signature::verify(record, signed, case.held.keys.as_ref()) {
        bad(flaw);
    }
    // Either clock will do: a crawler may run on the scaled one or on its own.
    let clocks = [record.unix, record.real_unix];
    if clocks.iter().all(|now| signature::seconds(signed.created) > now + AHEAD) {
        let ahead = signature::seconds(signed.created) - record.unix;
        found.push(case.finding(Rule::BadSignature, record, format!("created {ahead:.1} s in the future")));
    }
    let slack = super::LEAVE_SLACK;
    let late = [(record.unix, slack * case.precision.scale()), (record.real_unix, slack)];
    if late.iter().all(|(now, slack)| *now > signature::seconds(signed.expires) + slack) {
        let late = record.unix - signature::seconds(signed.expires);
        found.push(case.finding(
            Rule::ExpiredSignature,
            record,
            format!("had run out {late:.1} s before it came"),
        ));
    }
}

fn reuse<'a>(
    case: &Case<'_>,
    record: &'a Record,
    signed: &Signed,
    used: &mut Used<'a>,
    found: &mut Vec<Finding>,
) {
    let before = used.signatures.insert(signed.signature.clone(), record);
    let nonce = signed.nonce.clone().map(|nonce| (signed.keyid.clone(), nonce));
    let nonce_before = nonce.clone().and_then(|nonce| used.nonces.insert(nonce, record));
    // Without a nonce, signing again within the second gives the very same bytes.
    let still = super::LEAVE_SLACK * case.precision.scale() + 1.0;
    let made_now =
        [record.unix, record.real_unix].iter().any(|now| *now <= signature::seconds(signed.created) + still);
    let evidence = match (nonce_before, before) {
        (Some(before), _) => format!("its nonce was used for {}", case.name(before)),
        (None, Some(before)) if !made_now || nonce.is_some() => {
            format!("its signature was used for {}", case.name(before))
        }
        _ => return,
    };
    found.push(case.finding(Rule::ReusedSignature, record, evidence));
}
