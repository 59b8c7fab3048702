//! `FollowLayer`: hops through the whole stack, refusals told, chains taken up again.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use bot_etiquette_fetch::{Followed, Hop, RedirectError, RedirectPolicy, Validators, tower::FollowLayer};
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Full};
use tower::{Layer, ServiceExt, service_fn};
use url::Url;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Method, URL, headers, and the bytes of the body.
type Asked = (Method, String, HeaderMap, usize);

/// A site of redirects: path to status and `Location`. It notes what it was asked.
#[derive(Clone, Default)]
struct Map {
    redirects: Arc<HashMap<&'static str, (u16, &'static str)>>,
    asked: Arc<Mutex<Vec<Asked>>>,
    open: Arc<AtomicUsize>,
}

/// A body that counts as open until it is dropped, and never ends where it is told not to.
struct Counted {
    open: Arc<AtomicUsize>,
    piece: Option<Bytes>,
    endless: bool,
}

impl Body for Counted {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match (self.piece.take(), self.endless) {
            (Some(piece), _) => Poll::Ready(Some(Ok(Frame::data(piece)))),
            (None, true) => Poll::Pending,
            (None, false) => Poll::Ready(None),
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Map {
    fn new(redirects: &[(&'static str, (u16, &'static str))]) -> Self {
        Self { redirects: Arc::new(redirects.iter().copied().collect()), ..Self::default() }
    }

    async fn answer(self, request: Request<Full<Bytes>>) -> Result<Response<Counted>, BoxError> {
        assert_eq!(self.open.fetch_add(1, Ordering::SeqCst), 0, "the body before is still open");
        let (parts, body) = request.into_parts();
        let length = body.collect().await?.to_bytes().len();
        let path = parts.uri.path().to_owned();
        self.asked.lock().unwrap().push((parts.method, parts.uri.to_string(), parts.headers, length));
        let body = Counted {
            open: Arc::clone(&self.open),
            piece: Some(Bytes::from_static(b"x")),
            endless: path == "/slow",
        };
        if path == "/refused" && !self.redirects.contains_key("/refused") {
            return Err("robots.txt says no".into());
        }
        Ok(match self.redirects.get(path.as_str()) {
            Some((status, to)) => Response::builder().status(*status).header("location", *to).body(body)?,
            None => Response::new(body),
        })
    }

    async fn ask(
        &self,
        layer: FollowLayer,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Counted>, BoxError> {
        let this = self.clone();
        let site = service_fn(move |request| this.clone().answer(request));
        tokio::time::timeout(std::time::Duration::from_secs(10), layer.layer(site).oneshot(request))
            .await
            .expect("it hangs")
    }

    fn urls(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|(_, url, ..)| url.clone()).collect()
    }
}

fn get(url: &str) -> Request<Full<Bytes>> {
    Request::get(url).body(Full::default()).unwrap()
}

fn hop_error(error: BoxError) -> (Vec<Hop>, Url, String) {
    match *error.downcast::<RedirectError>().unwrap() {
        RedirectError::Hop { chain, next, source } => (chain, *next, source.to_string()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn every_hop_goes_through_the_stack_with_one_body_open() {
    let site =
        Map::new(&[("/1", (301, "/2")), ("/2", (302, "https://b.example/slow")), ("/slow", (307, "/3#end"))]);
    let answer = site.ask(FollowLayer::default(), get("https://a.example/1")).await.unwrap();
    let Followed(chain) = answer.extensions().get::<Followed>().unwrap();
    assert_eq!(chain.iter().map(|hop| hop.status.as_u16()).collect::<Vec<_>>(), [301, 302, 307]);
    assert_eq!(chain.last().unwrap().to.as_str(), "https://b.example/3#end");
    let wanted =
        ["https://a.example/1", "https://a.example/2", "https://b.example/slow", "https://b.example/3"];
    assert_eq!(site.urls(), wanted);
}

#[tokio::test]
async fn an_answer_that_is_no_redirect_passes_untouched() {
    let site = Map::new(&[]);
    let answer = site.ask(FollowLayer::default(), get("https://a.example/")).await.unwrap();
    assert!(answer.extensions().get::<Followed>().is_none());
    assert_eq!(answer.status(), 200);
}

#[tokio::test]
async fn the_first_error_is_passed_on_as_it_is() {
    let site = Map::new(&[]);
    let error =
        site.ask(FollowLayer::default(), get("https://a.example/refused")).await.map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "robots.txt says no");
    assert!(error.downcast_ref::<RedirectError>().is_none());
}

#[tokio::test]
async fn a_hop_refused_below_can_be_taken_up_again() {
    let site = Map::new(&[("/1", (301, "/2")), ("/2", (301, "/refused"))]);
    let error = site.ask(FollowLayer::default(), get("https://a.example/1")).await.map(|_| ()).unwrap_err();
    let (chain, next, source) = hop_error(error);
    assert_eq!(
        (chain.len(), next.as_str(), source.as_str()),
        (2, "https://a.example/refused", "robots.txt says no")
    );
    assert_eq!(chain.last().unwrap().to, next);

    // Later the host may be asked: the count and the chain go on, and a circle over the pause is seen.
    let later = Map::new(&[("/refused", (302, "/3"))]);
    let resume = |layer: FollowLayer| {
        let mut request = get(next.as_str());
        request.extensions_mut().insert(Followed(chain.clone()));
        let later = later.clone();
        async move { later.ask(layer, request).await }
    };
    let answer = resume(FollowLayer::default()).await.unwrap();
    assert_eq!(answer.extensions().get::<Followed>().unwrap().0.len(), 3);
    drop(answer);
    let error = resume(FollowLayer::new(RedirectPolicy::default().limit(2))).await.map(|_| ()).unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(RedirectError::TooMany { limit: 2, .. })), "{error:?}");
    let circle = Map::new(&[("/refused", (302, "/1"))]);
    let mut request = get(next.as_str());
    request.extensions_mut().insert(Followed(chain.clone()));
    let error = circle.ask(FollowLayer::default(), request).await.map(|_| ()).unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(RedirectError::Loop { .. })), "{error:?}");
}

#[tokio::test]
async fn the_callers_check_comes_before_the_stack() {
    let site = Map::new(&[("/1", (301, "https://b.example/2"))]);
    let check = |hop: &Hop, extensions: &http::Extensions| match extensions.get::<&str>() {
        Some(scope) if hop.to.host_str() != Some(scope) => Err("off scope".into()),
        _ => Ok(()),
    };
    let mut request = get("https://a.example/1");
    request.extensions_mut().insert("a.example");
    let error = site.ask(FollowLayer::default().check(check), request).await.map(|_| ()).unwrap_err();
    let (chain, next, source) = hop_error(error);
    assert_eq!((chain.len(), next.as_str(), source.as_str()), (1, "https://b.example/2", "off scope"));
    assert_eq!(site.urls().len(), 1);
    assert!(site.ask(FollowLayer::default().check(check), get("https://a.example/1")).await.is_ok());
}

#[tokio::test]
async fn more_redirects_than_allowed_is_an_error_that_was_not_asked() {
    let site = Map::new(&[
        ("/0", (302, "/1")),
        ("/1", (302, "/2")),
        ("/2", (302, "/3")),
        ("/3", (302, "/4")),
        ("/4", (302, "/5")),
        ("/5", (302, "/6")),
    ]);
    let error = site.ask(FollowLayer::default(), get("https://a.example/0")).await.map(|_| ()).unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(RedirectError::TooMany { limit: 5, .. })), "{error:?}");
    assert_eq!(site.urls().len(), 6);
}

#[tokio::test]
async fn a_body_is_sent_again_only_where_the_method_stays() {
    for (status, method, length) in [(307, "POST", 5), (308, "POST", 5), (303, "GET", 0), (302, "GET", 0)] {
        let site = Map::new(&[("/1", (status, "/2"))]);
        let request = Request::post("https://a.example/1")
            .header("content-type", "text/plain")
            .body(Full::from("hello"));
        drop(site.ask(FollowLayer::default(), request.unwrap()).await.unwrap());
        let asked = site.asked.lock().unwrap();
        let (second, _, headers, sent) = &asked[1];
        assert_eq!((second.as_str(), *sent), (method, length), "{status}");
        assert_eq!(headers.contains_key("content-type"), length > 0, "{status}");
    }
}

#[tokio::test]
async fn validators_go_to_their_own_url_alone() {
    for (kept_for, wanted) in [("https://a.example/1", [true, false]), ("https://b.example/2", [false, true])]
    {
        let site = Map::new(&[("/1", (302, "https://b.example/2"))]);
        let mut answer = HeaderMap::new();
        answer.insert("etag", "\"a\"".parse().unwrap());
        let known = Validators::of(&Url::parse(kept_for).unwrap(), StatusCode::OK, &answer).unwrap();
        let mut request = get("https://a.example/1");
        request.extensions_mut().insert(known);
        drop(site.ask(FollowLayer::default(), request).await.unwrap());
        let conditional: Vec<_> = site
            .asked
            .lock()
            .unwrap()
            .iter()
            .map(|(_, _, headers, _)| headers.contains_key("if-none-match"))
            .collect();
        assert_eq!(conditional, wanted, "{kept_for}");
    }
}

#[cfg(feature = "client")]
mod through_the_client {
    use bot_etiquette_fetch::{
        AddressPolicy, AddressRefusal, FetchError, FetchLimits, Fetched, RedirectError, ResolverOverride,
        tower::FollowLayer,
    };
    use tower::{Layer, ServiceExt};

    use crate::support::{Site, fetcher, get, in_time, send, whole};

    #[tokio::test]
    async fn short_bodies_of_redirects_keep_their_connection() {
        let site = Site::start(|path| match path {
            "/1" => vec![
                send("HTTP/1.1 302 Found\r\nLocation: /2\r\nContent-Length: 4096\r\n\r\n"),
                send([b'a'; 4096]),
            ],
            "/2" => vec![
                send("HTTP/1.1 302 Found\r\nLocation: /3\r\nContent-Length: 4097\r\n\r\n"),
                send([b'a'; 4097]),
            ],
            _ => whole("", b"there"),
        })
        .await;
        let client = FollowLayer::default().layer(fetcher(FetchLimits::default()));
        let answer = in_time(client.oneshot(get(&site.url("/1")))).await.unwrap();
        let fetched = Fetched::collect(answer).await.unwrap();
        assert_eq!((&fetched.body[..], fetched.followed.len()), (&b"there"[..], 2));
        assert_eq!(site.connections(), 2, "one for the first two requests, a new one after the longer body");
    }

    #[tokio::test]
    async fn a_redirect_inside_is_refused_at_its_hop() {
        for (to, allowed) in [
            ("http://169.254.169.254/latest/meta-data/", false),
            ("http://[::ffff:10.0.0.1]/", false),
            ("http://inside.example.com/", false),
            ("http://outside.example.com/2", true),
        ] {
            let site = Site::start(move |path| match path {
                "/1" => {
                    vec![send(format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"))]
                }
                _ => whole("", b"there"),
            })
            .await;
            let names = ResolverOverride::only()
                .host("outside.example.com", site.address)
                .host("inside.example.com", "10.0.0.1:80".parse().unwrap());
            let client = bot_etiquette_fetch::Fetcher::builder()
                .addresses(AddressPolicy::default().allow_loopback())
                .resolver(names)
                .build()
                .unwrap();
            let result =
                in_time(FollowLayer::default().layer(client).oneshot(get("http://outside.example.com/1")))
                    .await;
            match result {
                Ok(_) => assert!(allowed, "{to}"),
                Err(error) => {
                    assert!(!allowed, "{to}: {error:?}");
                    let Some(RedirectError::Hop { source, .. }) = error.downcast_ref() else {
                        panic!("{error:?}")
                    };
                    let refusal = source.downcast_ref::<FetchError>();
                    assert!(
                        matches!(refusal, Some(FetchError::Refused(AddressRefusal::Address { .. }))),
                        "{refusal:?}"
                    );
                }
            }
        }
    }
}
