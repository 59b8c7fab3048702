//! The events of a feed, without personal data: `cargo run --example feed_events -- MAP.toml FILE`
use bot_etiquette::feed::{Feed, SourceMap};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(map), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("usage: feed_events MAP.toml FILE".into());
    };
    let map = SourceMap::from_toml(&std::fs::read_to_string(map)?)?;
    let mut feed = Feed::new(&map);
    feed.push(&std::fs::read(file)?); // from a client: push each chunk, take its events
    feed.finish();
    while let Some(event) = feed.next_event() {
        println!("{}", serde_json::to_string(&event.publish()?)?);
    }
    eprintln!("{}", serde_json::to_string(&feed.report())?);
    Ok(())
}
