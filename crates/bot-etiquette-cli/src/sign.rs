//! `sign`: the header fields of a signed request.

use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bot_etiquette_signing::{
    Component, Message, Profile, SignatureBuffer, Signer, SignerBuilder, SigningKey, explain_for,
};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use http::{HeaderName, HeaderValue, Method, Request, Uri};
use serde::Serialize;
use url::Url;

use crate::exit::{Answer, Failure};
use crate::{input, key, output, time};

/// `sign --key FILE --agent URL METHOD URL`
#[derive(Debug, Args)]
pub(crate) struct Sign {
    /// The secret key: PEM, DER, JWK or a raw seed.
    #[arg(long, value_name = "FILE", value_parser = input::source)]
    key: String,
    /// The https URL of the agent, under which its key directory is published.
    #[arg(long, value_name = "URL")]
    agent: String,
    /// The form of Signature-Agent.
    #[arg(long, default_value = "cloudflare", value_parser = profiles())]
    profile: Profile,
    /// The time of signing: Unix seconds or RFC 3339; now by default.
    #[arg(long, value_name = "T", value_parser = time::parse)]
    now: Option<SystemTime>,
    /// Seconds until the signature ends, at most 86400.
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = time::lifetime(time::DAY, 60))]
    lifetime: u64,
    /// `auto` draws one, `none` leaves it out, anything else is sent as it is.
    #[arg(long, value_name = "auto|none|VALUE", default_value = "none")]
    nonce: String,
    /// One more component to cover, such as @method or "content-digest".
    #[arg(long = "component", value_name = "ID")]
    components: Vec<Component>,
    /// A header field of the request, such as 'Accept: text/html'.
    #[arg(long = "header", value_name = "K: V", value_parser = header)]
    headers: Vec<(HeaderName, HeaderValue)>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// The method of the request.
    #[arg(value_name = "METHOD")]
    method: Method,
    /// The URL of the request.
    #[arg(value_name = "URL")]
    url: String,
}

#[derive(Serialize)]
struct Signed<'a> {
    schema: u32,
    headers: [(&'static str, &'a str); 3],
    base: &'a str,
    keyid: &'a str,
}

pub(crate) fn run(options: &Sign) -> Result<Answer, Failure> {
    let key = key::signing_key(&options.key)?;
    key::warn_of_published(&key.verifying_key().clone().into());
    let signer = signer(options, key)?;
    let mut request = request(options)?;
    let now = options.now.unwrap_or_else(time::now);
    let nonce = nonce(&options.nonce)?;
    let mut buffer = SignatureBuffer::new();
    signer
        .sign_into(&Message::request(&request), now, nonce.as_deref(), &mut buffer)
        .map_err(|error| Failure::new(format_args!("cannot sign: {error}")))?;
    buffer.insert_into(request.headers_mut());
    for objection in explain_for(&Message::request(&request), options.profile) {
        output::warn(format_args!(
            "a verifier of the profile {} will refuse this: {}",
            options.profile, objection.message
        ));
    }
    if options.json {
        output::json(&Signed {
            schema: output::SCHEMA,
            headers: buffer.fields(),
            base: buffer.base(),
            keyid: signer.keyid(),
        })?;
    } else {
        let [(_, agent), (_, input), (_, signature)] = buffer.fields();
        output::text(
            format!("Signature-Agent: {agent}\nSignature-Input: {input}\nSignature: {signature}\n")
                .as_bytes(),
        )?;
    }
    Ok(Answer::Yes)
}

fn signer(options: &Sign, key: SigningKey) -> Result<Signer, Failure> {
    let mut builder: SignerBuilder<SigningKey> = Signer::builder(key, &options.agent)
        .profile(options.profile)
        .lifetime(Duration::from_secs(options.lifetime))
        .allow_test_keys();
    for component in &options.components {
        builder = builder.component(component.clone());
    }
    builder.build().map_err(|error| Failure::new(format_args!("--{error}")))
}

fn request(options: &Sign) -> Result<Request<()>, Failure> {
    let fix = "expected an http or https URL in ASCII, percent-encoded, such as https://example.com/page";
    let url = &options.url;
    if let Ok(parsed) = Url::parse(url)
        && !matches!(parsed.scheme(), "http" | "https")
    {
        return Err(Failure::new(format_args!("{url}: not http or https but {} ({fix})", parsed.scheme())));
    }
    let uri: Uri = url.parse().map_err(|error| Failure::new(format_args!("{url}: {error} ({fix})")))?;
    if uri.scheme().is_none() || uri.host().is_none_or(str::is_empty) {
        return Err(Failure::new(format_args!("{url}: no absolute URL of a web site ({fix})")));
    }
    let mut request = Request::new(());
    *request.method_mut() = options.method.clone();
    *request.uri_mut() = uri;
    for (name, value) in &options.headers {
        request.headers_mut().append(name, value.clone());
    }
    Ok(request)
}

fn nonce(option: &str) -> Result<Option<String>, Failure> {
    match option {
        "none" => Ok(None),
        "auto" => {
            let mut bytes = [0; 32];
            getrandom::fill(&mut bytes)
                .map_err(|error| Failure::new(format_args!("the system gives no random bytes: {error}")))?;
            Ok(Some(URL_SAFE_NO_PAD.encode(bytes)))
        }
        value => Ok(Some(value.to_owned())),
    }
}

fn profiles() -> impl clap::builder::TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::ALL.map(Profile::as_str)).try_map(|text| text.parse::<Profile>())
}

/// Reads `Name: value`.
fn header(text: &str) -> Result<(HeaderName, HeaderValue), String> {
    let (name, value) = text.split_once(':').ok_or("expected 'Name: value'")?;
    let name = name.trim().parse().map_err(|_| format!("{name:?} is no field name"))?;
    let value = HeaderValue::from_str(value.trim_matches([' ', '\t']))
        .map_err(|_| "the value must be printable ASCII on one line".to_owned())?;
    Ok((name, value))
}
