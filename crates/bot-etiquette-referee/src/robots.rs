//! The referee's own reading of a robots.txt: the Crawl-delay for one name, and nothing else.
//!
//! Deliberately small and apart from any library the crawler may use. Which paths are closed is named in the promise.

/// The Crawl-delay in seconds of the group for `token`, else of the group for `*`; the shortest where a
/// group has several, so that no crawler is blamed for a reading it need not share. A Crawl-delay between
/// two User-agent lines does not part them.
pub(crate) fn crawl_delay(text: &str, token: Option<&str>) -> Option<f64> {
    let mut groups = vec![Group::default()];
    let mut naming = false;
    for line in text.trim_start_matches('\u{feff}').lines() {
        let line = line.split('#').next().unwrap_or_default();
        let Some((key, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match key.trim().to_ascii_lowercase().as_str() {
            "user-agent" => {
                if !naming {
                    groups.push(Group::default());
                }
                naming = true;
                let name = value.split('/').next().unwrap_or_default().trim();
                if let Some(group) = groups.last_mut() {
                    group.any |= name == "*";
                    group.own |= token.is_some_and(|token| name.eq_ignore_ascii_case(token));
                }
            }
            "allow" | "disallow" => naming = false,
            "crawl-delay" => {
                let delay = value.parse::<f64>().ok().filter(|delay| delay.is_finite() && *delay >= 0.0);
                if let (Some(delay), Some(group)) = (delay, groups.last_mut()) {
                    group.delay = Some(group.delay.map_or(delay, |before| before.min(delay)));
                }
            }
            _ => {}
        }
    }
    let has_own = groups.iter().any(|group| group.own);
    let followed = groups.iter().filter(|group| if has_own { group.own } else { group.any });
    followed.filter_map(|group| group.delay).min_by(f64::total_cmp)
}

/// The lines between one run of User-agent lines and the next.
#[derive(Debug, Default)]
struct Group {
    own: bool,
    any: bool,
    delay: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::crawl_delay;

    #[test]
    fn the_delay_is_that_of_the_own_group_else_of_all() {
        let text = "User-agent: *\nCrawl-delay: 5\nDisallow:\n\nUser-agent: MyBot\nUser-agent: Other\nCrawl-delay: 2.5 # slow\nDisallow: /x\n";
        assert_eq!(crawl_delay(text, Some("mybot")), Some(2.5));
        assert_eq!(crawl_delay(text, Some("Other")), Some(2.5));
        assert_eq!(crawl_delay(text, Some("Third")), Some(5.0));
        assert_eq!(crawl_delay(text, None), Some(5.0));
        assert_eq!(
            crawl_delay("User-agent: MyBot\nDisallow:\n\nUser-agent: *\nCrawl-delay: 3", Some("MyBot")),
            None
        );
        assert_eq!(crawl_delay("User-agent: *\nCrawl-delay: soon", None), None);
        assert_eq!(crawl_delay("Crawl-delay: 3", None), None);
        assert_eq!(
            crawl_delay("User-agent: *\nCrawl-delay: 1\nUser-agent: MyBot\nCrawl-delay: 3", Some("MyBot")),
            Some(1.0)
        );
    }
}
