//! What a page needs besides itself: one style, one script, one icon, all in this program.
//!
//! Their names carry a digest of what is in them, so a browser may keep them for ever and still has the
//! right ones after an update.

use std::sync::LazyLock;

use axum::{
    body::Body,
    extract::Path,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use plugin_server::hex;
use sha2::{Digest as _, Sha256};

use crate::pages;

/// Where they are.
const PREFIX: &str = "/assets/";

static ALL: LazyLock<[Asset; 3]> = LazyLock::new(|| {
    let style = format!("{}\n{}", transcript_html::STYLE, include_str!("../assets/style.css"));
    [
        Asset::new("css", "text/css; charset=utf-8", style),
        Asset::new("js", "text/javascript; charset=utf-8", include_str!("../assets/app.js").into()),
        Asset::new("svg", "image/svg+xml", include_str!("../assets/icon.svg").into()),
    ]
});

/// A file that never changes.
struct Asset {
    name: String,
    kind: &'static str,
    text: String,
}

/// The address of the style.
pub(crate) fn style() -> String {
    address(&ALL[0])
}

/// The address of the script.
pub(crate) fn script() -> String {
    address(&ALL[1])
}

/// The address of the icon.
pub(crate) fn icon_address() -> String {
    address(&ALL[2])
}

/// Whether a path is that of an asset. They are no secret: a page that asks for a token has them too.
pub(crate) fn is_one(path: &str) -> bool {
    path == "/favicon.ico"
        || path.strip_prefix(PREFIX).is_some_and(|name| ALL.iter().any(|asset| asset.name == name))
}

/// An asset by its name.
pub(crate) async fn serve(Path(name): Path<String>) -> Response {
    match ALL.iter().find(|asset| asset.name == name) {
        Some(asset) => asset.respond(),
        None => pages::failed(StatusCode::NOT_FOUND, "There is no such file."),
    }
}

/// The icon, for browsers that look for it where it always was.
pub(crate) async fn icon() -> Response {
    ALL[2].respond()
}

impl Asset {
    fn new(extension: &str, kind: &'static str, text: String) -> Self {
        let digest = hex(&Sha256::digest(&text)[..8]);
        Self { name: format!("{digest}.{extension}"), kind, text }
    }

    fn respond(&'static self) -> Response {
        let headers = [
            (header::CONTENT_TYPE, self.kind),
            (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        ];
        (headers, Body::from(self.text.as_str())).into_response()
    }
}

fn address(asset: &Asset) -> String {
    format!("{PREFIX}{}", asset.name)
}
