//! What a saved page says and where it leads: `cargo run --example page_links -- URL FILE`
use bot_etiquette::html::Page;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(url), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("usage: page_links URL FILE".into());
    };
    let page = Page::read(&url::Url::parse(&url)?, &std::fs::read(file)?);
    println!("{}", page.title.as_deref().unwrap_or("(no title)"));
    for link in page.followed(false) {
        println!("line {}: {} {:?}", link.line, link.url, link.text);
    }
    Ok(())
}
