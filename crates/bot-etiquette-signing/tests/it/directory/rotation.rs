use std::time::Duration;

use bot_etiquette_signing::directory::{
    CacheLookup, DirectoryCache, KeyDirectory, KeySchedule, directory_url,
};
use bot_etiquette_signing::{KeyMaterial, Lookup, Message, SignatureAgent, Signer, SigningKey, Verifier};
use http::Request;

use super::{at, key};

const START: u64 = 1_800_000_000;
const HOUR: u64 = 3600;
/// One request every seven seconds: 10,000 of them span more than eight rotations.
const STEP: u64 = 7;
const REQUESTS: u64 = 10_000;
const KEY_LIFE: u64 = 8000;

#[test]
fn ten_thousand_requests_pass_through_rotations_without_a_gap() {
    let lifetime = Duration::from_secs(60);
    let mut schedule = KeySchedule::new(Duration::from_secs(HOUR), lifetime);
    for number in 0..10 {
        schedule = schedule.then(key(number), at(START + u64::from(number) * KEY_LIFE)).unwrap();
    }
    let directory = KeyDirectory::builder()
        .keys(schedule.published_keys())
        .max_age(Duration::from_secs(HOUR))
        .build()
        .unwrap();
    let signers: Vec<(SigningKey, Signer)> = (0..10)
        .map(|number| (key(number), Signer::builder(key(number), "https://bot.example").build().unwrap()))
        .collect();
    let url = directory_url("https://bot.example").unwrap();
    let verifier = Verifier::default();
    let mut cache = DirectoryCache::new();
    let (mut fetches, mut used) = (0, std::collections::BTreeSet::new());
    for number in 0..REQUESTS {
        let signed_at = START + number * STEP;
        let chosen = schedule.signing_key(at(signed_at)).unwrap();
        let signer = signers.iter().find(|(key, _)| key.verifying_key() == chosen.verifying_key());
        let (_, signer) = signer.unwrap();
        let mut request = Request::get("https://site.example/").body(()).unwrap();
        signer.sign(&mut request, at(signed_at), None).unwrap();
        used.insert(signer.keyid().to_owned());
        // The request is on its way for as long as its signature counts.
        let now = signed_at + number % 60;
        let keyid = signer.keyid().to_owned();
        let mut found = cache.lookup(&url, &keyid, at(now));
        if found == CacheLookup::Fetch {
            let response = directory.response("bot.example", at(now)).unwrap();
            cache
                .fetched(&url, response.status(), response.headers(), response.body().as_bytes(), at(now))
                .unwrap();
            fetches += 1;
            found = cache.lookup(&url, &keyid, at(now));
        }
        let CacheLookup::Found(public) = found else { panic!("request {number}: {found:?}") };
        let lookup =
            |_: Option<&SignatureAgent>, _: Option<&str>| Lookup::Found(KeyMaterial::from(public.clone()));
        let outcome = verifier.verify(&Message::request(&request), at(now), &lookup);
        assert!(outcome.verified().is_some(), "request {number}: {outcome}");
    }
    assert_eq!(used.len(), 9, "rotations");
    // The cache was asked again for its age alone, never for a missing key.
    assert!(fetches <= REQUESTS * STEP / HOUR + 1, "{fetches} fetches");
}
