//! The API itself: what can be asked for under which path, and the document that says so.
//!
//! Every handler carries its part of the OpenAPI document, and the router is made of the same list, so
//! neither can know a path that the other does not.

mod answer;
mod conversations;
mod events;
mod extract;
mod new_event;
mod service;

use std::sync::Arc;

use axum::{Router, http::header};
use serde_json::value::RawValue;
use tokio::sync::Semaphore;
use utoipa::{
    OpenApi as _,
    openapi::{
        Content, HeaderBuilder, OpenApi, Ref, ResponseBuilder,
        path::Operation,
        security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    limits,
    problem::{self, Kind, Problem},
    store::Store,
};

/// What every path begins with.
pub(crate) const ROOT: &str = "/v1";
/// The name of the way in which clients prove themselves.
const SCHEME: &str = "token";
/// What can happen to any request.
const ANYWHERE: [Kind; 7] = [
    Kind::BadRequest,
    Kind::Unauthorized,
    Kind::ForeignOrigin,
    Kind::NotFound,
    Kind::WrongHost,
    Kind::Internal,
    Kind::Unavailable,
];
/// What can also happen to one with a body.
const WITH_BODY: [Kind; 5] =
    [Kind::SlowRequest, Kind::TooLarge, Kind::UnsupportedMediaType, Kind::Invalid, Kind::Unknown];

/// What handlers share.
#[derive(Debug, Clone)]
pub(crate) struct App(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    store: Arc<Store>,
    /// The OpenAPI document as its text.
    document: Box<RawValue>,
    /// Places for those who make a page.
    making: Semaphore,
    /// Room for bodies of requests, in bodies.
    bodies: Arc<Semaphore>,
    /// Room for answers, in KiB.
    answers: Arc<Semaphore>,
}

/// The conversations of a workspace of jp: to be listed and read, created and added to.
///
/// Every request needs the token of the server. Errors are `application/problem+json` (RFC 9457).
#[derive(utoipa::OpenApi)]
#[openapi(info(title = "jp serve http-api"), components(schemas(problem::Body)))]
struct Document;

/// Everything that can be asked for.
pub(crate) fn router(store: Arc<Store>) -> Router {
    let (router, document) = routes();
    let app = App::new(store, &document);
    let router = router.method_not_allowed_fallback(async || {
        Kind::MethodNotAllowed.because("this path has other methods; `Allow` names them")
    });
    let router = router.fallback(async || {
        Kind::NotFound.because(format!("nothing is there; {ROOT}/openapi.json has all paths"))
    });
    router.with_state(app)
}

/// The OpenAPI document.
pub(crate) fn document_text() -> Result<String, serde_json::Error> {
    routes().1.to_pretty_json().map(|text| text + "\n")
}

impl App {
    fn new(store: Arc<Store>, document: &OpenApi) -> Self {
        Self(Arc::new(Shared {
            store,
            document: text(document).unwrap_or_else(|_| RawValue::NULL.to_owned()),
            making: Semaphore::new(limits::MAKING),
            bodies: Arc::new(Semaphore::new(limits::BODIES)),
            answers: Arc::new(Semaphore::new(limits::ANSWERS >> 10)),
        }))
    }
}

/// It is made of texts and numbers, so it has a JSON form.
fn text(document: &OpenApi) -> Result<Box<RawValue>, serde_json::Error> {
    RawValue::from_string(document.to_pretty_json()?)
}

fn routes() -> (Router<App>, OpenApi) {
    let router = OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(conversations::list, conversations::create))
        .routes(routes!(conversations::get))
        .routes(routes!(events::list, events::append))
        .routes(routes!(service::health))
        .routes(routes!(service::document));
    let (router, mut document) = router.split_for_parts();
    complete(&mut document);
    (router, document)
}

/// Adds to the document what is the same everywhere.
fn complete(document: &mut OpenApi) {
    let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    let components = document.components.get_or_insert_default();
    components.add_security_scheme(SCHEME, SecurityScheme::Http(scheme));
    document.security = Some(vec![SecurityRequirement::new(SCHEME, [""; 0])]);
    for item in document.paths.paths.values_mut() {
        let methods = [&mut item.get, &mut item.post];
        for operation in methods.into_iter().flatten() {
            add_problems(operation);
        }
    }
}

fn add_problems(operation: &mut Operation) {
    let has_body = operation.request_body.is_some();
    let with_body = WITH_BODY.iter().filter(|_| has_body);
    for kind in ANYWHERE.iter().chain(with_body) {
        let schema = Ref::from_schema_name("Problem");
        let response = ResponseBuilder::new()
            .description(kind.title())
            .content(problem::MEDIA_TYPE, Content::new(Some(schema)));
        let response = match kind {
            Kind::Unauthorized => {
                let challenge = HeaderBuilder::new().description(Some("How to prove yourself"));
                response.header(header::WWW_AUTHENTICATE.as_str(), challenge.build())
            }
            _ => response,
        };
        let status = kind.status().as_u16().to_string();
        operation.responses.responses.entry(status).or_insert(response.build().into());
    }
}

type Answer = Result<axum::response::Response, Problem>;

#[cfg(test)]
mod tests;
