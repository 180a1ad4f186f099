//! A server that wants a login, and the authorization server that it names; both on loopback, and as
//! hostile as a test wants them.

use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    time::sleep,
};
use url::{Url, form_urlencoded};

/// What is wrong with them. By default nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Manner {
    /// What the server says it is.
    pub(super) resource: Option<&'static str>,
    /// Whom it names.
    pub(super) names: Option<&'static str>,
    /// What the metadata of the authorization server says instead: key and value.
    pub(super) metadata: Option<(&'static str, Value)>,
    /// How the metadata of the authorization server is answered.
    pub(super) answers: Answers,
    /// What comes back to the listener beside what should: key and value.
    pub(super) callback: Option<(&'static str, &'static str)>,
    /// How the token endpoint behaves.
    pub(super) token: TokenEndpoint,
    /// For how long the first token is good, in seconds.
    pub(super) lasts: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Answers {
    #[default]
    Well,
    /// Without an end.
    Endless,
    /// With another place.
    Elsewhere,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum TokenEndpoint {
    #[default]
    Good,
    Silent,
    /// Refuses, and repeats what it was sent.
    Echoes,
    /// Gives out tokens, and does not renew them.
    NeverAgain,
    /// Gives out something else.
    OtherKind,
}

/// Both of them, and what they were sent.
pub(super) struct Pair {
    pub(super) url: Url,
    heard: Arc<Mutex<Vec<Heard>>>,
}

#[derive(Debug, Clone)]
pub(super) struct Heard {
    pub(super) at_resource: bool,
    pub(super) path: String,
    pub(super) authorization: Option<String>,
    pub(super) body: String,
}

/// What both know.
#[derive(Clone)]
struct World {
    resource: String,
    issuer: String,
    manner: Manner,
    heard: Arc<Mutex<Vec<Heard>>>,
    /// The challenge of the login that is under way.
    challenge: Arc<Mutex<String>>,
}

impl Pair {
    pub(super) async fn start(manner: Manner) -> Self {
        let [at_resource, at_issuer] = [
            TcpListener::bind("127.0.0.1:0").await.unwrap(),
            TcpListener::bind("127.0.0.1:0").await.unwrap(),
        ];
        let place = |listener: &TcpListener| format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let world = World {
            resource: place(&at_resource),
            issuer: place(&at_issuer),
            manner,
            heard: heard.clone(),
            challenge: Arc::default(),
        };
        let url = format!("{}/mcp?key=hidden-key", world.resource).parse().unwrap();
        for (listener, is_resource) in [(at_resource, true), (at_issuer, false)] {
            let world = world.clone();
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(talk(stream, world.clone(), is_resource));
                }
            });
        }
        Self { url, heard }
    }

    pub(super) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }

    /// How often a part of the authorization server was asked, with this in the body.
    pub(super) fn count(&self, path: &str, body: &str) -> usize {
        let heard = self.heard();
        heard
            .iter()
            .filter(|it| !it.at_resource && it.path.starts_with(path) && it.body.contains(body))
            .count()
    }
}

async fn talk(stream: TcpStream, world: World, at_resource: bool) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let (verb, heard) = read(&mut stream, at_resource).await?;
    world.heard.lock().unwrap().push(heard.clone());
    let path = heard.path.split('?').next().unwrap_or_default().to_owned();
    match (at_resource, path.as_str()) {
        (true, "/mcp") if verb == "POST" => mcp(&mut stream, &world, &heard).await,
        (true, "/.well-known/oauth-protected-resource/mcp") => {
            let resource = format!("{}/mcp", world.resource);
            let names = world.manner.names.map_or(world.issuer.clone(), str::to_owned);
            let resource = world.manner.resource.map_or(resource, str::to_owned);
            let said = json!({ "resource": resource, "authorization_servers": [names], "scopes_supported": ["read"] });
            json_answer(&mut stream, "200 OK", &said).await
        }
        (false, "/.well-known/oauth-authorization-server") => metadata(&mut stream, &world).await,
        (false, "/register") => {
            json_answer(
                &mut stream,
                "201 Created",
                &json!({ "client_id": "c", "client_secret": "hidden-secret", "redirect_uris": [] }),
            )
            .await
        }
        (false, "/authorize") => authorize(&mut stream, &world, &heard).await,
        (false, "/token") => token(&mut stream, &world, &heard).await,
        _ => answer(&mut stream, "404 Not Found", "", "").await,
    }
}

async fn mcp(stream: &mut BufReader<TcpStream>, world: &World, heard: &Heard) -> io::Result<()> {
    let is_known =
        heard.authorization.as_deref().is_some_and(|it| it.starts_with("Bearer hidden-token"));
    if !is_known {
        let place = format!("{}/.well-known/oauth-protected-resource/mcp", world.resource);
        let wants =
            format!("www-authenticate: Bearer scope=\"read\", resource_metadata=\"{place}\"\r\n");
        return answer(stream, "401 Unauthorized", &wants, "").await;
    }
    let message: Value = serde_json::from_str(&heard.body).unwrap_or_default();
    let result = match message["method"].as_str() {
        Some("server/discover") => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
            "ttlMs": 0, "cacheScope": "private",
        }),
        _ => {
            json!({ "resultType": "complete", "tools": [{ "name": "t", "inputSchema": { "type": "object" } }] })
        }
    };
    json_answer(
        stream,
        "200 OK",
        &json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }),
    )
    .await
}

async fn metadata(stream: &mut BufReader<TcpStream>, world: &World) -> io::Result<()> {
    match world.manner.answers {
        Answers::Well => {}
        Answers::Elsewhere => {
            let head = format!("location: {}/metadata\r\n", world.resource);
            return answer(stream, "302 Found", &head, "").await;
        }
        Answers::Endless => {
            let head =
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n\"";
            stream.write_all(head).await?;
            loop {
                stream.write_all(&[b'x'; 4096]).await?;
            }
        }
    }
    let issuer = &world.issuer;
    let mut said = json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "registration_endpoint": format!("{issuer}/register"),
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
    });
    if let Some((key, value)) = &world.manner.metadata {
        said[*key] = value.clone();
    }
    json_answer(stream, "200 OK", &said).await
}

/// Asks nobody, and sends the browser back.
async fn authorize(
    stream: &mut BufReader<TcpStream>,
    world: &World,
    heard: &Heard,
) -> io::Result<()> {
    let asked = Url::parse(&format!("{}{}", world.issuer, heard.path)).unwrap();
    let part = |name: &str| {
        asked.query_pairs().find(|it| it.0 == name).map(|it| it.1.into_owned()).unwrap_or_default()
    };
    *world.challenge.lock().unwrap() = part("code_challenge");
    let mut back: Url = part("redirect_uri").parse().unwrap();
    let mut said = vec![
        ("code", "hidden-code".to_owned()),
        ("state", part("state")),
        ("iss", world.issuer.clone()),
    ];
    if let Some((key, value)) = world.manner.callback {
        said.retain(|it| it.0 != key);
        said.push((key, value.to_owned()));
    }
    back.query_pairs_mut().extend_pairs(said);
    answer(stream, "302 Found", &format!("location: {back}\r\n"), "").await
}

async fn token(stream: &mut BufReader<TcpStream>, world: &World, heard: &Heard) -> io::Result<()> {
    let form: Vec<(String, String)> =
        form_urlencoded::parse(heard.body.as_bytes()).into_owned().collect();
    let part = |name: &str| form.iter().find(|it| it.0 == name).map(|it| it.1.clone());
    let is_renewal = part("grant_type").as_deref() == Some("refresh_token");
    let refused = |why: &str| json!({ "error": "invalid_grant", "error_description": why });
    match world.manner.token {
        TokenEndpoint::Silent => {
            sleep(Duration::from_mins(1)).await;
            return Ok(());
        }
        TokenEndpoint::Echoes => {
            return json_answer(stream, "400 Bad Request", &refused(&heard.body)).await;
        }
        TokenEndpoint::NeverAgain if is_renewal => {
            return json_answer(stream, "400 Bad Request", &refused("gone")).await;
        }
        TokenEndpoint::OtherKind => {
            let said = json!({ "access_token": "hidden-token", "token_type": "mac" });
            return json_answer(stream, "200 OK", &said).await;
        }
        TokenEndpoint::Good | TokenEndpoint::NeverAgain => {}
    }
    // The code belongs to whoever can show what its challenge was made of.
    let is_owner =
        part("code").as_deref() == Some("hidden-code") && part("code_verifier").is_some();
    if !is_renewal && !is_owner {
        return json_answer(stream, "400 Bad Request", &refused("not yours")).await;
    }
    let said = json!({
        "access_token": if is_renewal { "hidden-token-2" } else { "hidden-token-1" },
        "refresh_token": "hidden-refresh", "token_type": "Bearer", "expires_in": world.manner.lasts.filter(|_| !is_renewal).unwrap_or(3600),
    });
    json_answer(stream, "200 OK", &said).await
}

async fn json_answer(
    stream: &mut BufReader<TcpStream>,
    status: &str,
    body: &Value,
) -> io::Result<()> {
    answer(stream, status, "content-type: application/json\r\n", &body.to_string()).await
}

async fn answer(
    stream: &mut BufReader<TcpStream>,
    status: &str,
    head: &str,
    body: &str,
) -> io::Result<()> {
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status}\r\n{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    stream.write_all(text.as_bytes()).await?;
    stream.flush().await
}

async fn read(stream: &mut BufReader<TcpStream>, at_resource: bool) -> io::Result<(String, Heard)> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let mut words = line.split(' ').map(str::to_owned);
    let (verb, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (mut authorization, mut length) = (None, 0);
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "authorization" => authorization = Some(value.to_owned()),
            "content-length" => length = value.parse().unwrap_or(0),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    let body = String::from_utf8_lossy(&body).into_owned();
    Ok((verb, Heard { at_resource, path, authorization, body }))
}
