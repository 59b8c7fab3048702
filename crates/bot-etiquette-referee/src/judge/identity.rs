//! What a request says and carries: user-agent, from-missing, cookie, credentials, method, form, personal-data,
//! browser-leak.

use std::collections::HashSet;

use super::{Case, Finding};
use crate::pattern::{ValuePattern, decode_all};
use crate::record::{Place, Record};
use crate::rule::Rule;

/// Query fields whose value is a secret of whoever sends it.
const SECRET_FIELDS: [&str; 9] = [
    "token",
    "access_token",
    "api_key",
    "apikey",
    "api-key",
    "password",
    "passwd",
    "client_secret",
    "auth_token",
];
/// Request fields that hold a secret.
const SECRET_HEADERS: [&str; 5] =
    ["authorization", "proxy-authorization", "x-api-key", "x-auth-token", "x-esri-authorization"];
/// Request fields that only browsers send.
const BROWSER_HEADERS: [&str; 7] = [
    "sec-fetch-mode",
    "sec-fetch-site",
    "sec-fetch-dest",
    "sec-ch-ua",
    "sec-ch-ua-platform",
    "sec-purpose",
    "sec-websocket-key",
];

pub(super) fn judge(case: &Case<'_>, found: &mut Vec<Finding>) {
    let forms: HashSet<&(Place, Vec<String>)> =
        case.records.iter().flat_map(|page| &page.offers.forms).collect();
    for record in case.records {
        user_agent(case, record, found);
        from(case, record, found);
        cookie(case, record, found);
        credentials(case, record, found);
        if !case.held.methods.contains(&record.method) {
            let evidence = format!("promised only {}", case.held.methods.join(", "));
            found.push(case.finding(Rule::Method, record, evidence));
        }
        form(case, record, &forms, found);
        personal_data(case, record, found);
        if case.held.promise.browser == Some(false) {
            browser(case, record, found);
        }
    }
    if case.held.promise.browser == Some(false) {
        for silent in case.silent.iter().filter(|silent| !silent.beside_another) {
            let evidence = format!("a connection to {} that sent {}", silent.site, silent.what);
            found.push(Finding { rule: Rule::BrowserLeak, at: silent.at, evidence });
        }
    }
}

/// Holds the one value of a field against a pattern.
fn one_value(
    case: &Case<'_>,
    record: &Record,
    rule: Rule,
    (name, pattern): (&str, &ValuePattern),
    found: &mut Vec<Finding>,
) {
    let values: Vec<&str> = record.values(name).collect();
    let problem = match values.as_slice() {
        [] => format!("no {name}"),
        [value] if pattern.matches(value) => return,
        [value] if canaries_in(&case.held.promise.canaries, value).is_empty() => {
            format!("{name} is {:?}", value.chars().take(200).collect::<String>())
        }
        [_] => format!("{name} holds a canary"),
        several => format!("{name} is there {} times", several.len()),
    };
    found.push(case.finding(rule, record, problem));
}

fn user_agent(case: &Case<'_>, record: &Record, found: &mut Vec<Finding>) {
    if let Some(pattern) = &case.held.user_agent {
        one_value(case, record, Rule::UserAgent, ("user-agent", pattern), found);
    }
}

fn from(case: &Case<'_>, record: &Record, found: &mut Vec<Finding>) {
    if let Some(pattern) = &case.held.from {
        one_value(case, record, Rule::FromMissing, ("from", pattern), found);
    }
}

fn cookie(case: &Case<'_>, record: &Record, found: &mut Vec<Finding>) {
    if case.held.promise.cookies {
        return;
    }
    let values: Vec<&str> = record.values("cookie").chain(record.values("cookie2")).collect();
    if !values.is_empty() {
        let names = values.iter().flat_map(|value| value.split(';'));
        let names: Vec<&str> = names.filter_map(|pair| pair.split('=').next()).map(str::trim).collect();
        found.push(case.finding(Rule::Cookie, record, format!("sent the cookies {}", names.join(", "))));
    }
}

fn credentials(case: &Case<'_>, record: &Record, found: &mut Vec<Finding>) {
    if let Some(field) = SECRET_HEADERS.iter().find(|name| record.value(name).is_some()) {
        found.push(case.finding(Rule::Credentials, record, format!("sent the field {field}")));
    }
    if record.userinfo {
        found.push(case.finding(Rule::Credentials, record, "sent a user name in its target"));
    }
    let query = record.target.split_once('?').map_or("", |(_, query)| query);
    let secret = query.split('&').filter_map(|pair| pair.split_once('=')).find(|(name, value)| {
        !value.is_empty() && SECRET_FIELDS.iter().any(|secret| name.eq_ignore_ascii_case(secret))
    });
    if let Some((name, _)) = secret {
        // An address that a site itself gave out is no secret of the crawler's.
        let place = (record.site.clone(), record.target.clone());
        let given = case.records.iter().any(|page| {
            page.offers.follow.contains(&place)
                || page.offers.nofollow.contains(&place)
                || page.location.as_ref() == Some(&place)
        });
        if !given {
            found.push(case.finding(Rule::Credentials, record, format!("sent the query field {name}")));
        }
    }
}

fn form(case: &Case<'_>, record: &Record, forms: &HashSet<&(Place, Vec<String>)>, found: &mut Vec<Finding>) {
    let kind = record.value("content-type").unwrap_or_default().to_ascii_lowercase();
    if kind.starts_with("application/x-www-form-urlencoded") || kind.starts_with("multipart/form-data") {
        found.push(case.finding(Rule::Form, record, format!("sent a form of {} bytes", record.body_bytes)));
        return;
    }
    let query = record.target.split_once('?').map_or("", |(_, query)| query);
    let has_field = |fields: &[String]| {
        query
            .split('&')
            .filter_map(|pair| pair.split('=').next())
            .any(|name| fields.contains(&decode_all(name)))
    };
    let mut sent = forms.iter().filter(|((site, action), fields)| {
        *site == record.site
            && action.split('?').next() == Some(record.path())
            && (record.body_bytes > 0 || has_field(fields))
    });
    let linked = || {
        let place = (record.site.clone(), record.target.clone());
        case.records.iter().any(|page| page.offers.follow.contains(&place))
    };
    if sent.next().is_some() && !linked() {
        found.push(case.finding(Rule::Form, record, "filled in a form that a page here holds"));
    }
}

/// The numbers, from 1, of the canaries that a text holds, plain or encoded.
pub(super) fn canaries_in(canaries: &[String], text: &str) -> Vec<usize> {
    if canaries.is_empty() {
        return Vec::new();
    }
    let once = decode_all(text);
    let readings = [text.to_lowercase(), once.to_lowercase(), decode_all(&once).to_lowercase()];
    let holds = |canary: &String| {
        let canary = canary.trim().to_lowercase();
        readings.iter().any(|reading| reading.contains(&canary))
    };
    (1..).zip(canaries).filter(|(_, canary)| holds(canary)).map(|(number, _)| number).collect()
}

fn personal_data(case: &Case<'_>, record: &Record, found: &mut Vec<Finding>) {
    let canaries = &case.held.promise.canaries;
    if canaries.is_empty() {
        return;
    }
    let body = String::from_utf8_lossy(&record.body);
    let fields = record.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    for (place, text) in
        [("the target", record.target.as_str()), ("the body", &body)].into_iter().chain(fields)
    {
        for number in canaries_in(canaries, text) {
            found.push(case.finding(
                Rule::PersonalData,
                record,
                format!("canary {number} came back in {place}"),
            ));
        }
    }
}

fn browser(case: &Case<'_>, record: &Record, found: &mut Vec<Finding>) {
    let field = BROWSER_HEADERS.iter().find(|name| record.value(name).is_some());
    let agent = record.value("user-agent").unwrap_or_default();
    let foreign = case.held.user_agent.as_ref().is_some_and(|pattern| !pattern.matches(agent));
    let evidence = if let Some(field) = field {
        format!("sent {field}, which only a browser does")
    } else if agent.contains("HeadlessChrome") || (foreign && agent.starts_with("Mozilla/")) {
        "sent a browser's User-Agent, not the crawler's".to_owned()
    } else if record.path() == "/favicon.ico" && foreign {
        "asked for the icon as browsers do".to_owned()
    } else {
        return;
    };
    found.push(case.finding(Rule::BrowserLeak, record, evidence));
}

/// A target whose secret query values are struck out.
pub(super) fn without_secrets(target: &str) -> String {
    let Some((path, query)) = target.split_once('?') else { return target.to_owned() };
    let masked = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if SECRET_FIELDS.iter().any(|secret| name.eq_ignore_ascii_case(secret)) => {
            format!("{name}=..")
        }
        _ => pair.to_owned(),
    });
    format!("{path}?{}", masked.collect::<Vec<_>>().join("&"))
}
