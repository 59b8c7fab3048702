//! What a person found in the robots.txt of each host, and what the live one adds to it.

use std::collections::BTreeMap;
use std::path::Path;

use bot_etiquette::robots::{Availability, ProductToken, ReviewedPolicy, Robots, Valve};
use url::Url;

use crate::exit::Usage;
use crate::files;

/// The reviews, by origin.
#[derive(Debug)]
pub struct Reviews(BTreeMap<String, ReviewedPolicy>);

/// The origin of an address, as reviews name it.
#[must_use]
pub fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

impl Reviews {
    /// Reads `HOST.toml` from the folder for the host of each address, and checks that each address is open there.
    ///
    /// # Errors
    /// A [`Usage`] that names the file and what to write: an address without a review, or one that it closes.
    pub(super) fn read<'u>(
        folder: &Path,
        urls: impl Iterator<Item = &'u Url>,
        token: Option<&ProductToken>,
        mut text: impl FnMut(&Path) -> Result<String, Usage>,
    ) -> Result<Self, Usage> {
        let mut reviews = BTreeMap::new();
        for url in urls {
            let file = folder.join(format!("{}.toml", url.host_str().unwrap_or_default()));
            let wrong = |problem: String| Usage::new(format!("{}: {problem}", file.display()));
            let origin = origin(url);
            if !reviews.contains_key(&origin) {
                let review: ReviewedPolicy = files::read_toml(&text(&file)?).map_err(wrong)?;
                if review.origin.to_string() != origin {
                    return Err(wrong(format!(
                        "origin = {:?}: expected {origin:?}",
                        review.origin.to_string()
                    )));
                }
                if let Some(token) = token.filter(|token| **token != review.token) {
                    let (kept, host) = (review.token.to_string(), url.host_str().unwrap_or_default());
                    let problem = format!(
                        "token = {kept:?}: reviewed for another crawler; write token = \"{token}\" and reviewed = \
                         \"pending\", then `review {host}` prints what is there"
                    );
                    return Err(wrong(problem));
                }
                reviews.insert(origin.clone(), review);
            }
            if reviews.get(&origin).is_some_and(|review| !valve(review, None).is_allowed(url.as_str())) {
                return Err(wrong(format!(
                    "closes {url}: a closed address is never configured, take it out"
                )));
            }
        }
        Ok(Self(reviews))
    }

    /// The review of an origin.
    #[must_use]
    pub fn of(&self, origin: &str) -> Option<&ReviewedPolicy> {
        self.0.get(origin)
    }

    /// The reviews, by origin.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ReviewedPolicy)> {
        self.0.iter().map(|(origin, review)| (origin.as_str(), review))
    }
}

/// Whether a person has read the file: a day and a hash are written down.
#[must_use]
pub fn is_done(review: &ReviewedPolicy) -> bool {
    let day = review.reviewed.as_bytes();
    let dated = day.len() == 10
        && day
            .iter()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() });
    dated && review.sha256.len() == 64 && review.sha256.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The reviewed rules, and those of the last live file that came: both are kept, so a change only closes.
#[must_use]
pub fn valve(review: &ReviewedPolicy, live: Option<&ReviewedPolicy>) -> Valve {
    match live {
        Some(live) => review.valve(Availability::Successful, &text_of(live)),
        None => review.valve(Availability::Unavailable, &Robots::parse(b"")),
    }
}

/// A file that says what was kept of the live one.
fn text_of(live: &ReviewedPolicy) -> Robots {
    let mut text = String::from("User-agent: *\n");
    for (key, patterns) in [("Allow", &live.open), ("Disallow", &live.closed)] {
        patterns.iter().for_each(|pattern| text.push_str(&format!("{key}: {pattern}\n")));
    }
    if let Some(delay) = live.crawl_delay {
        text.push_str(&format!("Crawl-delay: {}\n", delay.as_secs_f64()));
    }
    Robots::parse(text.as_bytes())
}
