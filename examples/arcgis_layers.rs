//! The layers of a map service, with a client of your own: `cargo run --example arcgis_layers -- SERVICE_URL`
use bot_etiquette::arcgis::{Address, Answer, Layers};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("usage: arcgis_layers SERVICE_URL")?;
    let service = url.parse::<Address>()?.service.ok_or("the URL names no service")?;
    let request = service.layers();
    // The client here is ureq; a crawler asks robots.txt and its host's pace first.
    let client: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let (head, mut body) = client.get(request.url.as_str()).call()?.into_parts();
    let body = body.with_config().limit(request.body_limit).read_to_vec()?;
    for layer in Answer::new(head.status, &head.headers, &body).read::<Layers>()?.facts.iter() {
        println!("{} {:?} {:?}", layer.id, layer.name, layer.place(None, None));
    }
    Ok(())
}
