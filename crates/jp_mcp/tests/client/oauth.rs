//! Logins: a server that wants one, an authorization server that it names, and what either can do to us.

mod server;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use camino::Utf8PathBuf;
use jp_mcp::{
    BoxFuture, Client, Connect, Era, Http, McpError, ServerSpec,
    oauth::{Browser, Grant, LoginState, OAuth, OAuthSpec},
};
use serde_json::json;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use url::Url;

use self::server::{Answers, Manner, Pair, TokenEndpoint};

/// Goes where it is sent, and on to where that leads.
struct Person;

impl Browser for Person {
    fn show<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if let Some(back) = get(url).await {
                get(&back).await;
            }
        })
    }
}

async fn get(url: &Url) -> Option<Url> {
    let place = (url.host_str().unwrap(), url.port().unwrap());
    let mut stream = TcpStream::connect(place).await.ok()?;
    let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let request = format!("GET {target} HTTP/1.1\r\nhost: {}:{}\r\n\r\n", place.0, place.1);
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.ok()?;
    answer.lines().find_map(|line| line.strip_prefix("location: ")).and_then(|it| it.parse().ok())
}

struct Scene {
    pair: Pair,
    spec: OAuthSpec,
    _place: TempDir,
}

impl Scene {
    async fn new(manner: Manner) -> Self {
        let pair = Pair::start(manner).await;
        let place = tempfile::tempdir().unwrap();
        let store = Utf8PathBuf::from_path_buf(place.path().join("logins")).unwrap();
        let spec = OAuthSpec {
            server: pair.url.clone(),
            owner: String::new(),
            grant: Grant::Person { client: None, metadata_url: None },
            scopes: Vec::new(),
            store: Some(store),
            answer_within: Duration::from_secs(1),
            login_within: Duration::from_secs(1),
        };
        Self { pair, spec, _place: place }
    }

    /// As another run of the program would have it.
    fn login(&self) -> OAuth {
        OAuth::new(self.spec.clone())
    }

    fn client(&self, login: &OAuth) -> Client {
        let authorizer = Some(Arc::new(login.clone()) as _);
        let http = Http { url: self.pair.url.clone(), headers: Vec::new(), authorizer };
        Client::new(ServerSpec {
            name: "far".to_owned(),
            connect: Connect::Http(http),
            stateful: true,
            startup: Duration::from_secs(10),
            patience: Duration::from_secs(10),
            roots: Vec::new(),
            era: Some(Era::Modern),
        })
    }

    /// The text of everything that is kept.
    fn kept(&self) -> String {
        let files = std::fs::read_dir(self.spec.store.as_ref().unwrap());
        let files =
            files.into_iter().flatten().map(|it| std::fs::read_to_string(it.unwrap().path()));
        files.map(|text| text.unwrap()).collect()
    }
}

fn story(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let all: Vec<String> = causes.map(ToString::to_string).collect();
    all.join(": ")
}

#[tokio::test]
async fn without_a_login_there_is_an_error_at_once_and_with_one_there_are_tools() {
    let scene = Scene::new(Manner::default()).await;
    let (login, begun) = (scene.login(), Instant::now());
    let client = scene.client(&login);
    let error = client.tools().await.unwrap_err();
    assert!(matches!(error, McpError::Login { .. }), "{error:?}");
    assert!(story(&error).contains("run `jp mcp login far`"), "{}", story(&error));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    // Nobody was asked anything on the way there.
    assert!(scene.pair.heard().iter().all(|heard| heard.at_resource));
    assert_eq!(login.state().await.unwrap(), LoginState::None);

    login.login(&Person).await.unwrap();
    assert_eq!(client.tools().await.unwrap().tools.len(), 1);
    assert_eq!(login.state().await.unwrap(), LoginState::Present);
    client.close().await;

    // The next run has the login of this one.
    let client = scene.client(&scene.login());
    client.tools().await.unwrap();
    assert_eq!(scene.pair.count("/authorize", ""), 1);
    assert!(scene.kept().contains("hidden-token-1"));

    // The server got the token, and nobody else; the authorization server got what is its own.
    let sent = scene.pair.heard();
    let of = |at_resource| sent.iter().filter(move |it| it.at_resource == at_resource);
    assert!(of(true).all(|it| !it.body.contains("hidden")
        && it.authorization.as_deref().is_none_or(|it| it == "Bearer hidden-token-1")));
    assert!(
        of(false).all(|it| !it.authorization.as_deref().unwrap_or_default().contains("Bearer"))
    );
    assert!(login.logout().await.unwrap());
    assert!(!scene.kept().contains("hidden"));
    assert!(matches!(scene.client(&login).tools().await, Err(McpError::Login { .. })));
}

#[tokio::test]
async fn a_token_that_is_over_is_renewed_once_for_all_who_want_it() {
    let scene = Scene::new(Manner { lasts: Some(1), ..Manner::default() }).await;
    let login = scene.login();
    login.login(&Person).await.unwrap();
    tokio::time::sleep(Duration::from_millis(2100)).await;
    let (one, other) = (scene.client(&login), scene.client(&scene.login()));
    let (one, other) = tokio::join!(one.tools(), other.tools());
    assert_eq!((one.unwrap().tools.len(), other.unwrap().tools.len()), (1, 1));
    assert_eq!(scene.pair.count("/token", "grant_type=refresh_token"), 1);
    assert!(scene.pair.count("/token", "resource=") >= 2);
    assert!(scene.kept().contains("hidden-token-2"));
}

#[tokio::test]
async fn a_login_that_was_taken_back_is_forgotten() {
    let manner = Manner { token: TokenEndpoint::NeverAgain, lasts: Some(1), ..Manner::default() };
    let scene = Scene::new(manner).await;
    let login = scene.login();
    login.login(&Person).await.unwrap();
    tokio::time::sleep(Duration::from_millis(2100)).await;
    let error = scene.client(&login).tools().await.unwrap_err();
    assert!(story(&error).contains("run `jp mcp login far`"), "{}", story(&error));
    assert!(!scene.kept().contains("hidden-token") && !scene.kept().contains("hidden-refresh"));
}

#[tokio::test]
async fn a_login_is_not_used_by_another_owner_or_for_another_address() {
    let scene = Scene::new(Manner::default()).await;
    scene.login().login(&Person).await.unwrap();
    let workspace = OAuth::new(OAuthSpec { owner: "/w".to_owned(), ..scene.spec.clone() });
    assert_eq!(workspace.state().await.unwrap(), LoginState::None);
    let mut server = scene.spec.server.clone();
    server.set_path("/other");
    let other = OAuth::new(OAuthSpec { server, ..scene.spec.clone() });
    assert_eq!(other.state().await.unwrap(), LoginState::None);
}

/// Tries to log in at servers like this. Nothing may be kept, and nothing secret may be said.
async fn check(name: &str, manner: Manner, error: &str, may_see_code: bool) {
    let scene = Scene::new(manner).await;
    let (login, begun) = (scene.login(), Instant::now());
    // What the server said is the beginning of the search.
    assert!(scene.client(&login).tools().await.is_err(), "{name}");
    let Err(failed) = login.login(&Person).await else { panic!("{name}: logged in") };
    let said = story(&failed);
    assert!(said.contains(error), "{name}: {said}");
    assert!(!said.contains("hidden"), "{name}: {said}");
    assert!(begun.elapsed() < Duration::from_secs(8), "{name}: {:?}", begun.elapsed());
    let saw_code = scene.pair.heard().iter().any(|heard| heard.body.contains("hidden-code"));
    assert_eq!(saw_code, may_see_code, "{name}");
    assert!(!scene.kept().contains("hidden"), "{name}");
    assert_eq!(login.state().await.unwrap(), LoginState::None, "{name}");
}

#[tokio::test]
async fn a_server_that_lies_about_itself_or_names_a_wrong_place_gets_nothing() {
    let evil = || Some("https://evil.example.org/mcp");
    check("resource", Manner { resource: evil(), ..Manner::default() }, "mismatch", false).await;
    let plain = Manner { names: Some("http://auth.example.org"), ..Manner::default() };
    check("an open line", plain, "not encrypted", false).await;
    let inside = Manner { names: Some("https://169.254.169.254"), ..Manner::default() };
    check("inside", inside, "cannot be found", false).await;
    let file = Manner { names: Some("file:///etc/passwd"), ..Manner::default() };
    check("no web", file, "cannot be found", false).await;
}

#[tokio::test]
async fn an_authorization_server_whose_metadata_is_wrong_gets_nothing() {
    let with = |key, value| Manner { metadata: Some((key, value)), ..Manner::default() };
    for (key, value, error) in [
        ("issuer", json!("https://evil.example.org"), "evil.example.org"),
        ("token_endpoint", json!("http://auth.example.org/token"), "not encrypted"),
        ("authorization_endpoint", json!("http://auth.example.org/login"), "not encrypted"),
        ("authorization_endpoint", json!("file:///etc/passwd"), "not encrypted"),
        ("registration_endpoint", json!("https://10.0.0.1/register"), "inside a network"),
        ("code_challenge_methods_supported", json!(["plain"]), "PKCE"),
        ("code_challenge_methods_supported", json!([]), "PKCE"),
    ] {
        check(&format!("{key} {value}"), with(key, value), error, false).await;
    }
    let endless = Manner { answers: Answers::Endless, ..Manner::default() };
    check("endless", endless, "larger than 256 KiB", false).await;
    let elsewhere = Manner { answers: Answers::Elsewhere, ..Manner::default() };
    check("elsewhere", elsewhere, "redirect", false).await;
}

#[tokio::test]
async fn what_comes_back_has_to_belong_to_the_login() {
    let with = |key, value| Manner { callback: Some((key, value)), ..Manner::default() };
    for (key, value, error, may_see_code) in [
        ("state", "wrong", "1 answers came that did not belong", false),
        ("iss", "https://evil.example.org", "evil.example.org", false),
        ("iss", "", "was asked", false),
        ("error", "access_denied", "access_denied", false),
        // A code of somebody else's login, slipped in by whoever knows the state.
        ("code", "stolen", "invalid_grant", false),
    ] {
        check(&format!("{key}={value}"), with(key, value), error, may_see_code).await;
    }
}

#[tokio::test]
async fn a_token_endpoint_that_misbehaves_is_an_error_that_says_nothing_secret() {
    let with = |token| Manner { token, ..Manner::default() };
    check("silent", with(TokenEndpoint::Silent), "no answer within 1 s", true).await;
    check("echoes", with(TokenEndpoint::Echoes), "HTTP 400, invalid_grant", true).await;
    check("other kind", with(TokenEndpoint::OtherKind), "not a token", true).await;
}

#[tokio::test]
async fn a_server_on_an_open_line_is_not_logged_in_to() {
    let scene = Scene::new(Manner::default()).await;
    let server = Url::parse("http://example.org/mcp").unwrap();
    let login = OAuth::new(OAuthSpec { server, ..scene.spec.clone() });
    let error = login.login(&Person).await.unwrap_err();
    assert!(error.to_string().contains("http://example.org is not encrypted"), "{error}");
}
