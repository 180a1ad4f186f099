//! Every request passes here: who asks, from where, and what every answer carries.
//!
//! The dangers are other pages in the same browser. A name of theirs can be made to lead to this machine
//! (DNS rebinding), so the name that a browser used has to be one of ours. They can send requests and
//! open connections, so whatever says that it comes from elsewhere is refused, except for somebody who
//! follows a link. What is left is decided by the token, where there is one.

mod site;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header},
    middleware::Next,
    response::{IntoResponse as _, Redirect, Response},
};

use self::site::{host_name, is_foreign};
use crate::{app::Shared, assets, pages, settings::Settings, token::Token};

/// Nothing may be loaded from elsewhere, and nothing that stands in a page is a program.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; \
    frame-ancestors 'none'";

/// What every answer carries, unless it has its own.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Who may look.
#[derive(Debug)]
pub(crate) struct Gate {
    address: IpAddr,
    hosts: Vec<String>,
    lock: Option<Lock>,
}

/// What a browser has to know, and how it shows that it does.
#[derive(Debug)]
struct Lock {
    token: Token,
    /// Cookies are shared by all ports of a host, so the name says whose it is, and the value is not the
    /// token: whoever listens on another port could read it.
    cookie: String,
    secret: Token,
}

impl Gate {
    /// The gate of a server that listens on `port`.
    pub(crate) fn new(settings: Settings, port: u16) -> Result<Self, getrandom::Error> {
        let lock = |token| {
            let secret = Token::random()?;
            Ok(Lock { token, cookie: format!("jp-web-{port}"), secret })
        };
        let lock = settings.token.map(lock).transpose()?;
        Ok(Self { address: settings.address.ip(), hosts: settings.hosts, lock })
    }

    /// Whether a browser may have used this name for us.
    ///
    /// An address is never a trick, as it takes a name to be led astray. The port is not compared: it
    /// says nothing about who asks, and behind a forwarded port it is another one.
    fn knows(&self, name: &str) -> bool {
        let bare = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        match bare.unwrap_or(name).parse::<IpAddr>() {
            Ok(address) if self.address.is_loopback() => address.is_loopback(),
            Ok(_) => true,
            Err(_) => {
                let name = name.trim_end_matches('.').to_ascii_lowercase();
                name == "localhost" || self.hosts.contains(&name)
            }
        }
    }

    /// The cookie for somebody who knows the token.
    pub(crate) fn admit(&self, guess: &str) -> Option<HeaderValue> {
        let lock = self.lock.as_ref().filter(|lock| lock.token.is(guess))?;
        let (name, value) = (&lock.cookie, lock.secret.reveal());
        HeaderValue::try_from(format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict")).ok()
    }

    fn is_admitted(&self, headers: &HeaderMap) -> bool {
        let Some(lock) = &self.lock else { return true };
        let cookies =
            headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs =
            cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
        let mut ours = pairs.filter(|(name, _)| name.trim() == lock.cookie);
        ours.any(|(_, value)| lock.secret.is(value.trim()))
    }
}

/// Lets a request through, or answers it here.
pub(crate) async fn guard(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let mut response = match judge(&app.gate, &request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => *refusal,
    };
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

fn judge(gate: &Gate, request: &Request) -> Result<(), Box<Response>> {
    let refuse = |status, text| Err(Box::new(pages::failed(status, text)));
    let Some(name) = host_name(request) else {
        return refuse(StatusCode::BAD_REQUEST, "The request does not say which host it is for.");
    };
    if !gate.knows(name) {
        let text = "This server is not known by that name. Use its address, or start it with \
            `--allow-host NAME`.";
        return refuse(StatusCode::MISDIRECTED_REQUEST, text);
    }
    if is_foreign(request) {
        return refuse(StatusCode::FORBIDDEN, "Requests from other pages are not answered.");
    }
    let path = request.uri().path();
    if gate.is_admitted(request.headers()) || assets::is_one(path) || path == "/login" {
        return Ok(());
    }
    Err(Box::new(let_in(gate, request)))
}

/// A token in the address opens the door once, and is out of the address then.
fn let_in(gate: &Gate, request: &Request) -> Response {
    let (token, rest) = take_token(request.uri());
    let may = matches!(*request.method(), Method::GET | Method::HEAD);
    match token.filter(|_| may).map(|token| gate.admit(&token)) {
        Some(Some(cookie)) => ([(header::SET_COOKIE, cookie)], Redirect::to(&rest)).into_response(),
        Some(None) => pages::login::page(&rest, true),
        None => pages::login::page(&rest, false),
    }
}

/// The token in the query, and the address without it.
fn take_token(uri: &Uri) -> (Option<String>, String) {
    let query = uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
    let (tokens, rest): (Vec<&str>, Vec<&str>) =
        query.partition(|pair| pair.split('=').next() == Some("token"));
    let token = tokens.first().and_then(|pair| pair.split_once('='));
    let path = local(uri.path());
    let rest = if rest.is_empty() { path.to_owned() } else { format!("{path}?{}", rest.join("&")) };
    (token.map(|(_, value)| value.to_owned()), rest)
}

/// A path of this server. `//host` and `/\host` would lead a browser elsewhere.
pub(crate) fn local(path: &str) -> &str {
    let leads_away = path.starts_with("//") || path.contains('\\') || !path.starts_with('/');
    if leads_away { "/" } else { path }
}
