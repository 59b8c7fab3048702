//! A picture of a layer: drawn by its server, put together of tiles, or drawn here of a few features.

use std::time::SystemTime;

use bot_etiquette::arcgis::{
    FeaturePage, Preview, Service, ServiceUrl, check_picture, draw_features, join_tiles, plan_preview,
    preview_is_due,
};

use super::records::{LayerRecord, ServiceRecord};
use super::session::{Session, Trouble};
use super::visit::Visited;
use crate::asker::NotRead;
use crate::stack::BoxError;

/// The size of a picture in pixels.
pub const SIZE: (u32, u32) = (320, 240);

/// Draws what is due of a service's layers, as many as the person allows for one visit.
///
/// # Errors
/// When the catalogue cannot be written.
pub async fn service(session: &Session, record: &ServiceRecord, class: &str) -> Result<Visited, BoxError> {
    let Some((facts, visited)) =
        session.catalogue.service(record.id)?.and_then(|record| Some((record.facts?, record.visited)))
    else {
        return Ok(Visited::Done);
    };
    let layers = session.catalogue.layers(record.id)?;
    // A crawl that was killed has drawn some of them already.
    let drawn = layers.iter().filter(|layer| layer.drawn.is_some_and(|drawn| Some(drawn) >= visited)).count();
    let due = due(layers, session.now());
    for layer in due.iter().take(session.config.previews.saturating_sub(drawn)) {
        if let Some(not_read) = self::layer(session, &record.url, &facts, layer, class).await? {
            return Ok(Visited::Left(not_read));
        }
    }
    Ok(Visited::Done)
}

/// Those whose picture is due, the oldest first; there is none of a layer without features.
#[must_use]
pub fn due(mut layers: Vec<LayerRecord>, now: SystemTime) -> Vec<LayerRecord> {
    layers.retain(|layer| preview_is_due(layer.drawn, now) && layer.known.count != Some(0));
    layers.sort_by_key(|layer| layer.drawn);
    layers
}

/// Draws one layer, by the first way that brings a picture of something; says what it has to wait for, if it has.
///
/// # Errors
/// When the catalogue cannot be written.
pub async fn layer(
    session: &Session,
    url: &ServiceUrl,
    service: &Service,
    record: &LayerRecord,
    class: &str,
) -> Result<Option<NotRead>, BoxError> {
    let described = record.is_layer().then_some(&record.layer);
    let Some(place) = record.place() else { return Ok(None) };
    let ways = plan_preview(url, service, described, &place, SIZE);
    if ways.is_empty() {
        return Ok(None);
    }
    let mut tried = Vec::new();
    for way in ways {
        let (name, drawn) = match way {
            Preview::Picture { request, size, .. } => {
                let drawn = session
                    .ask(&request, class, Some(url))
                    .await
                    .map(|fetched| check_picture(&fetched.body, size).is_ok().then(|| fetched.body.to_vec()));
                ("drawn by the server", drawn)
            }
            Preview::Tiles { requests, size } => {
                let mut tiles = Vec::new();
                let mut missed = None;
                for (tile, request) in requests {
                    match session.ask(&request, class, Some(url)).await {
                        Ok(fetched) => tiles.push((tile, fetched.body)),
                        Err(not_read) => {
                            missed = Some(not_read);
                            break;
                        }
                    }
                }
                let tiles: Vec<_> = tiles.iter().map(|(tile, body)| (*tile, &**body)).collect();
                ("tiles drawn before", missed.map_or_else(|| Ok(join_tiles(&tiles, size).ok()), Err))
            }
            Preview::Sample { request, size, view } => {
                let drawn = match session.read::<FeaturePage>(&request, class, Some(url)).await {
                    Ok(page) => Ok(draw_features(&page.facts, view, size).ok()),
                    Err(Trouble::Problem(_)) => Ok(None),
                    Err(Trouble::NotRead(not_read)) => Err(not_read),
                };
                ("a sample drawn here", drawn)
            }
            _ => continue,
        };
        match drawn {
            Ok(Some(picture)) => {
                session.catalogue.drawn(record.id, name, Some(&picture), session.now())?;
                return Ok(None);
            }
            Ok(None) | Err(NotRead::Closed(_) | NotRead::Broken(_) | NotRead::Redirect(_)) => {
                tried.push(name)
            }
            Err(not_read) => return Ok(Some(not_read)),
        }
    }
    // Nothing came of it: it is not tried again before a picture would be.
    session.catalogue.drawn(record.id, &format!("nothing of {}", tried.join(", ")), None, session.now())?;
    Ok(None)
}
