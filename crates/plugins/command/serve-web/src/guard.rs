//! Every request passes here: who asks, from where, and what every answer carries.
//!
//! Whether a request was meant for us, and not caused by another page in the same browser, is decided by the
//! names of the server; what is left is decided by the token. A browser shows once that it knows the token,
//! and has a cookie from then on; a program may show it with each request.

#[cfg(test)]
mod tests;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header},
    middleware::Next,
    response::{IntoResponse as _, Redirect, Response},
};
use percent_encoding::percent_decode_str;
use plugin_server::{Foreign, Names, NoRandomness, Token, is_read};

use crate::{app::Shared, assets, pages};

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

const OTHER_PAGE: &str = "Requests from other pages are not answered.";
const NO_ORIGIN: &str = "Pages can only be read. Whatever sends something has to say where it comes from, \
    with the field `Origin`, as browsers do.";

/// Who may look.
#[derive(Debug)]
pub(crate) struct Gate {
    names: Names,
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
    /// The gate of a server that listens on `port`; without a token it is open.
    pub(crate) fn new(names: Names, token: Option<Token>, port: u16) -> Result<Self, NoRandomness> {
        let lock = |token| {
            let secret = Token::random()?;
            Ok(Lock { token, cookie: format!("jp-web-{port}"), secret })
        };
        Ok(Self { names, lock: token.map(lock).transpose()? })
    }

    /// The cookie for somebody who knows the token.
    pub(crate) fn admit(&self, guess: &str) -> Option<HeaderValue> {
        let lock = self.lock.as_ref().filter(|lock| lock.token.is(guess))?;
        let (name, value) = (&lock.cookie, lock.secret.reveal());
        HeaderValue::try_from(format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict")).ok()
    }

    fn is_admitted(&self, headers: &HeaderMap) -> bool {
        let Some(lock) = &self.lock else { return true };
        let field = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        if field.and_then(|field| field.strip_prefix("Bearer ")).is_some_and(|it| lock.token.is(it))
        {
            return true;
        }
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
    match gate.names.judge(request) {
        Ok(()) => {}
        Err(Foreign::NoHost) => {
            let text = "The request does not say which host it is for.";
            return refuse(StatusCode::BAD_REQUEST, text);
        }
        Err(Foreign::OtherHost) => {
            let text = "This server is not known by that name. Use its address, or start it with \
                `--allow-host NAME`.";
            return refuse(StatusCode::MISDIRECTED_REQUEST, text);
        }
        Err(Foreign::OtherOrigin) => return refuse(StatusCode::FORBIDDEN, OTHER_PAGE),
    }
    // A browser names the origin of everything that is more than a look.
    if !is_read(request.method()) && !request.headers().contains_key(header::ORIGIN) {
        return refuse(StatusCode::FORBIDDEN, NO_ORIGIN);
    }
    let path = request.uri().path();
    let (token, rest) = take_token(request.uri());
    let token = token.filter(|_| is_read(request.method()));
    let cookie = token.as_ref().and_then(|token| gate.admit(token));
    if let Some(cookie) = cookie {
        if !is_browser(request.headers()) {
            return Ok(());
        }
        // It opens the door, and is out of the address then, also for somebody who is in already.
        let answer = ([(header::SET_COOKIE, cookie)], Redirect::to(&rest));
        return Err(Box::new(answer.into_response()));
    }
    if gate.is_admitted(request.headers()) || assets::is_one(path) || path == "/login" {
        return Ok(());
    }
    Err(Box::new(pages::login::page(&rest, token.is_some())))
}

/// Whether it keeps cookies and shows its address to somebody. `curl` does neither, and says that it takes
/// anything; who says nothing is taken for a browser.
fn is_browser(headers: &HeaderMap) -> bool {
    let wanted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    wanted.is_none_or(|wanted| wanted.contains("text/html"))
}

/// The token in the query, and the address without it.
fn take_token(uri: &Uri) -> (Option<String>, String) {
    let query = uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
    let (tokens, rest): (Vec<&str>, Vec<&str>) =
        query.partition(|pair| pair.split('=').next() == Some("token"));
    let token = tokens.first().and_then(|pair| pair.split_once('='));
    let token = token.map(|(_, value)| percent_decode_str(value).decode_utf8_lossy().into_owned());
    let path = local(uri.path());
    let rest = if rest.is_empty() { path.to_owned() } else { format!("{path}?{}", rest.join("&")) };
    (token, rest)
}

/// A path of this server. `//host` and `/\host` would lead a browser elsewhere, and so would either with a
/// control character in between, as browsers leave those out.
pub(crate) fn local(path: &str) -> &str {
    let leads_away = path.starts_with("//")
        || path.contains('\\')
        || path.contains(char::is_control)
        || !path.starts_with('/');
    if leads_away { "/" } else { path }
}
