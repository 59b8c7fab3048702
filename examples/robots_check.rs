//! Ask a robots.txt file about URLs: `cargo run --example robots_check -- FILE AGENT URL..`
use bot_etiquette::robots::{ProductToken, Robots};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(agent)) = (arguments.next(), arguments.next()) else {
        return Err("usage: robots_check FILE AGENT URL..".into());
    };
    let robots = Robots::parse(&std::fs::read(file)?);
    let rules = robots.rules_for(&agent.parse::<ProductToken>()?);
    for url in arguments {
        println!("{url}: {}", rules.verdict(&url));
    }
    Ok(())
}
