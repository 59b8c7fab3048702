//! The rules of politeness: those of the policy file, and for each site that is not verified its weekly number of pages.

use std::path::Path;
use std::time::Duration;

use bot_etiquette::politeness::{GroupPolicy, HostPattern, Policy, Quota};

use super::site;
use super::{Site, open};
use crate::stack::BoxError;
use crate::state::State;

/// The policy file of the bot.
pub const POLICY: &str = include_str!("../../policies/site-snapshot.toml");

/// Pages read in any week of a site that is not verified.
pub const WEEKLY_PAGES: u32 = 500;

const WEEK: Duration = Duration::from_secs(7 * 86_400);

/// The group of the policy file whose hosts are large shared file CDNs.
const SHARED_CDN: &str = "shared-cdn";

/// Whether a host is a large shared file CDN, and no site's own server.
#[must_use]
pub fn is_shared_cdn(policy: &Policy, host: &str) -> bool {
    host.parse().is_ok_and(|host| policy.rules(&host).groups().any(|group| group == SHARED_CDN))
}

/// Opens the state under the rules for the sites it holds.
///
/// # Errors
/// When the file cannot be opened, or is no state of this bot.
pub fn open_state(path: &Path, policy: &Policy) -> Result<State, BoxError> {
    let sites = site::all(&open(path, policy.clone())?.connection())?;
    let limited = sites.iter().filter(|site| !site.verified).try_fold(policy.clone(), with_quota)?;
    Ok(open(path, limited)?)
}

/// The pages of the site and of all names below it count together.
fn with_quota(policy: Policy, site: &Site) -> Result<Policy, BoxError> {
    let host = site.host();
    let mut hosts: Vec<HostPattern> = vec![host.parse()?];
    if site.subdomains {
        hosts.push(format!("*.{host}").parse()?);
    }
    let quota = Quota::new("pages", WEEKLY_PAGES, WEEK)?.classes(["page"]);
    Ok(policy.group(format!("site {host}"), GroupPolicy::new(hosts).quota(vec![quota])))
}
