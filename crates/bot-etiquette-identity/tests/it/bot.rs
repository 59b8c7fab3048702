use bot_etiquette_identity::{BotIdentity, UserAgent};
use url::Url;

fn identity(token: &str) -> bot_etiquette_identity::BotIdentityBuilder {
    let page = Url::parse("https://crumb.dev/bot").unwrap();
    BotIdentity::builder(UserAgent::plain("CrumbBot", "1.0", &page).unwrap(), token, page)
}

#[track_caller]
fn refused(builder: bot_etiquette_identity::BotIdentityBuilder, key: &str, says: &str) {
    let error = builder.build().unwrap_err();
    assert_eq!(error.key(), Some(key), "{error}");
    assert!(error.to_string().contains(says), "{error}");
}

#[test]
fn each_part_is_checked_and_the_error_names_its_key() {
    assert!(identity("CrumbBot").build().is_ok());
    assert!(identity("crumbbot").build().is_ok(), "robots tokens are compared without case");
    refused(identity("Crumb Bot"), "token", "only letters");
    refused(identity(""), "token", "only letters");
    refused(identity("OtherBot"), "token", "does not occur");
    refused(identity("CrumbBot").contact("bot@crumb.dev"), "contact", "mailto:");
    refused(identity("CrumbBot").contact("mailto:nobody"), "contact", "mailbox");
    refused(identity("CrumbBot").contact("http://crumb.dev/"), "contact", "https");
    refused(identity("CrumbBot").contact("https://u:p@crumb.dev/"), "contact", "password");
    refused(identity("CrumbBot").from("Crumb"), "from", "mailbox");
    refused(identity("CrumbBot").key_file(""), "key_file", "empty");
    refused(identity("CrumbBot").directory("https://crumb.dev"), "directory", "key_file");
    refused(identity("CrumbBot").key_file("k").directory("https://crumb.dev/keys"), "directory", "origin");
    refused(identity("CrumbBot").key_file("k").directory("http://crumb.dev"), "directory", "https");
    assert!(identity("CrumbBot").key_file("k").directory("http://127.0.0.1:8080").build().is_ok());
}

#[test]
fn only_an_identity_of_ones_own_may_go_public() {
    let own = identity("CrumbBot").contact("mailto:bot@crumb.dev");
    assert_eq!(own.clone().build().unwrap().check_public(), Ok(()));
    let key = |builder: bot_etiquette_identity::BotIdentityBuilder| {
        builder.build().unwrap().check_public().unwrap_err().key()
    };
    assert_eq!(key(own.clone().loopback_only(true)), Some("loopback_only"));
    assert_eq!(key(own.clone().contact("mailto:bot@example.com")), Some("contact"));
    assert_eq!(key(own.from("bot@mail.example.org")), Some("from"));
    let page = Url::parse("https://crumb.dev/bot").unwrap();
    let stolen =
        BotIdentity::builder(UserAgent::plain("Googlebot", "2.1", &page).unwrap(), "Googlebot", page);
    assert_eq!(key(stolen), Some("token"));
}

#[cfg(feature = "toml")]
mod toml {
    use bot_etiquette_identity::{BotIdentity, IdentityError};

    #[track_caller]
    fn refused(from: &str, to: &str, says: &str) {
        assert!(BotIdentity::TEMPLATE.contains(from), "{from}");
        let error = BotIdentity::from_toml(&BotIdentity::TEMPLATE.replace(from, to)).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
    }

    #[test]
    fn the_template_parses_and_is_nobodys_identity() {
        let bot = BotIdentity::from_toml(BotIdentity::TEMPLATE).unwrap();
        assert_eq!(bot.token(), "ExampleBot");
        assert!(!bot.loopback_only());
        assert!(matches!(bot.check_public(), Err(IdentityError::Value { key: "page", .. })));
    }

    #[test]
    fn every_line_of_the_template_is_a_key_that_parses() {
        let all: String = BotIdentity::TEMPLATE
            .lines()
            .map(|line| line.strip_prefix("# ").filter(|rest| rest.contains(" = ")).unwrap_or(line))
            .map(|line| format!("{line}\n"))
            .collect();
        let bot = BotIdentity::from_toml(&all).unwrap();
        assert_eq!(bot.directory().unwrap().as_str(), "https://example.com/");
        assert_eq!(bot.key_file().unwrap().to_str(), Some("bot.key"));
    }

    #[test]
    fn an_error_names_the_key() {
        refused("token =", "tokn =", "tokn");
        refused("token = \"ExampleBot\"", "", "token");
        refused("token = \"ExampleBot\"", "token = 3", "token");
        refused("token = \"ExampleBot\"", "token = \"Bot 2\"", "token: ");
        refused("ExampleBot/1.0;", "ExampleBot/1.0; (", "user_agent: ");
        refused("page = \"https:", "page = \"ftp:", "page: ");
        refused("contact = \"mailto:", "contact = \"", "contact: ");
        refused("from = \"bot@", "from = \"bot", "from: ");
    }

    #[test]
    fn an_identity_survives_toml_and_back() {
        let bot = BotIdentity::from_toml(BotIdentity::TEMPLATE).unwrap();
        let text = ::toml::to_string(&bot).unwrap();
        assert_eq!(BotIdentity::from_toml(&text).unwrap(), bot);
        assert_eq!(::toml::from_str::<BotIdentity>(&text).unwrap(), bot);
    }
}

#[cfg(feature = "tower")]
mod layer {
    use bot_etiquette_identity::{FormNotOffered, RequestIdentity, UserAgentForm, tower::IdentityLayer};
    use http::{HeaderMap, Request, Response};
    use tower::{Layer, ServiceExt, service_fn};

    async fn sent(
        layer: IdentityLayer,
        request: Request<()>,
    ) -> Result<HeaderMap, Box<dyn std::error::Error + Send + Sync>> {
        let client = service_fn(|request: Request<()>| async move {
            Ok::<_, std::io::Error>(Response::new(request.headers().clone()))
        });
        Ok(layer.layer(client).oneshot(request).await?.into_body())
    }

    #[tokio::test]
    async fn whatever_came_in_the_bots_own_name_goes_out() {
        let bot = super::identity("CrumbBot").from("bot@crumb.dev").build().unwrap();
        let request =
            Request::get("/").header("user-agent", "a").header("user-agent", "b").header("from", "x@y.z");
        let headers = sent(IdentityLayer::new(&bot), request.body(()).unwrap()).await.unwrap();
        let agents: Vec<_> = headers.get_all("user-agent").iter().collect();
        assert_eq!(agents, ["CrumbBot/1.0 (+https://crumb.dev/bot)"]);
        assert_eq!(headers.get_all("from").iter().collect::<Vec<_>>(), ["bot@crumb.dev"]);
    }

    #[tokio::test]
    async fn a_from_the_bot_does_not_send_is_removed() {
        let bot = super::identity("CrumbBot").build().unwrap();
        let request = Request::get("/").header("from", "x@y.z").body(()).unwrap();
        assert!(!sent(IdentityLayer::new(&bot), request).await.unwrap().contains_key("from"));
    }

    #[tokio::test]
    async fn a_browser_form_needs_a_browser() {
        let bot = super::identity("CrumbBot").build().unwrap();
        let ask = |form: UserAgentForm| {
            let mut request = Request::get("/").body(()).unwrap();
            request.extensions_mut().insert(form);
            request
        };
        let error = sent(IdentityLayer::new(&bot), ask(UserAgentForm::Phone)).await.unwrap_err();
        assert_eq!(error.downcast_ref(), Some(&FormNotOffered { form: UserAgentForm::Phone }));
        let layer = IdentityLayer::from(RequestIdentity::new(&bot).chromium(141));
        for (form, wanted) in [
            (UserAgentForm::Phone, bot.phone(141)),
            (UserAgentForm::Desktop, bot.desktop(141)),
            (UserAgentForm::Bot, bot.user_agent().clone()),
        ] {
            assert_eq!(sent(layer.clone(), ask(form)).await.unwrap()["user-agent"], wanted.as_str());
        }
    }
}

#[cfg(feature = "toml")]
#[test]
fn the_identities_of_the_examples_parse_and_stay_on_loopback() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/identities");
    let mut tokens = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let bot = BotIdentity::from_toml(&std::fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(bot.loopback_only(), "{}", path.display());
        assert_eq!(bot.check_public().unwrap_err().key(), Some("loopback_only"));
        let options = bot_etiquette_identity::LintOptions::default().token(bot.token()).version("1.0");
        for agent in [bot.user_agent().clone(), bot.phone(141), bot.desktop(141)] {
            let found = bot_etiquette_identity::lint(agent.as_str().as_bytes(), options);
            assert!(found.iter().all(|finding| finding.id == "UA008"), "{found:?}");
        }
        tokens.push(bot.token().to_owned());
    }
    tokens.sort();
    assert_eq!(tokens, ["CityVibeBot", "SiteSnapshot", "SmartSitePlanBot"]);
}
