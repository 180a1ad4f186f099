//! Requests to the network that a tool asks the host to send.
//!
//! The rules are asked again at every redirect, and a person may have to be asked in the middle. Nothing
//! is sent twice then: the request itself remembers how far it came, in its [`Course`].

use jp_fetch::{FetchError, Fetched, Request, Response, Uncovered};
use jp_secret::{Lookup, Secret};
use jp_tool::{
    access::AccessPolicy,
    vfs::{Call, Encoding, ErrorCode, ErrorObject, Header, HttpResult},
};

use crate::{
    approve::Wanted,
    fs::{internal, invalid},
    gate::{Granted, words},
    host::Host,
    limits::Limits,
    reply,
    serve::Stop,
};

/// How far a request has come that was stopped on its way.
#[derive(Debug, Default)]
pub(crate) struct Course(Option<Request>);

pub(crate) async fn fetch(
    granted: Granted<'_, Call, AccessPolicy>,
    host: &Host,
    course: &mut Course,
) -> Result<Response, Stop> {
    let policy = granted.means();
    let request = match course.0.take() {
        Some(rest) => rest,
        None => request(granted.params())?,
    };
    let variables = |name: &str| {
        if !policy.decide_env(name).is_allowed() {
            return Lookup::Disallowed;
        }
        host.variable(name).map_or(Lookup::Unknown, |value| Lookup::Value(Secret::new(value)))
    };
    match host.network()?.fetch(request, policy, &variables).await {
        Ok(Fetched::Answer(response)) => Ok(response),
        Ok(Fetched::Uncovered(uncovered)) => {
            let target = described(&uncovered);
            let denial = format!("access denied: request {target}; {}", words::network(policy));
            let wanted = Wanted::Net { url: target, rule: uncovered.rule };
            course.0 = Some(uncovered.rest);
            Err(Stop::ask(wanted, denial))
        }
        Err(error) => Err(refusal(&error).into()),
    }
}

/// Where the request would go, with what makes it surprising.
fn described(uncovered: &Uncovered) -> String {
    let address = uncovered.address.map(|address| format!(", which leads to {address}"));
    let from = uncovered.from.as_ref().map(|from| format!(", redirected from {from}"));
    format!("{}{}{}", uncovered.url, address.unwrap_or_default(), from.unwrap_or_default())
}

fn request(call: &Call) -> Result<Request, ErrorObject> {
    let made = match call {
        Call::HttpGet(params) => Request::get(&params.url, pairs(&params.headers)),
        Call::HttpPost(params) => {
            Request::post(&params.url, pairs(&params.headers), params.body.as_bytes())
        }
        other => return Err(internal(format!("`{}` is no request to send", other.method()))),
    };
    made.map_err(|error| invalid(format!("params of `{}`: {error}", call.method())))
}

fn pairs(headers: &[Header]) -> impl Iterator<Item = (&str, &str)> {
    headers.iter().map(|header| (header.name.as_str(), header.value.as_str()))
}

/// The answer to a request, if it fits into one.
pub(crate) fn result(response: Response, limits: &Limits) -> Result<HttpResult, ErrorObject> {
    let status = response.status;
    Ok(match String::from_utf8(response.body) {
        Ok(body) => {
            reply::check_fits([body.as_bytes()], 0, limits)?;
            HttpResult { status, body, encoding: None }
        }
        Err(error) => {
            let body = base64_simd::STANDARD.encode_to_string(error.as_bytes());
            HttpResult { status, body, encoding: Some(Encoding::Base64) }
        }
    })
}

fn refusal(error: &FetchError) -> ErrorObject {
    let code = match error {
        FetchError::Invalid(_) => ErrorCode::InvalidParams,
        // A variable that is not for the tool is a matter of its rules too.
        FetchError::Denied(_) | FetchError::Variable(_) => ErrorCode::AccessDenied,
        FetchError::Timeout { .. } => ErrorCode::Timeout,
        FetchError::TooLarge { .. } => ErrorCode::TooLarge,
        FetchError::Failed { .. } => ErrorCode::InternalError,
    };
    ErrorObject::new(code, error.to_string())
}
