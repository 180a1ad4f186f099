//! The page that asks for the token.

use axum::{
    Form,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse as _, Redirect, Response},
};
use maud::html;
use serde::Deserialize;

use super::Frame;
use crate::{app::AppState, guard::local};

/// What the form sends.
#[derive(Debug, Deserialize)]
pub(crate) struct Login {
    #[serde(default)]
    token: String,
    #[serde(default)]
    to: String,
}

/// The form, for whoever comes here by hand.
pub(crate) async fn show() -> Response {
    page("/", false)
}

/// Lets in whoever knows the token.
pub(crate) async fn enter(State(app): AppState, Form(login): Form<Login>) -> Response {
    let to = local(&login.to);
    match app.gate.admit(login.token.trim()) {
        Some(cookie) => ([(header::SET_COOKIE, cookie)], Redirect::to(to)).into_response(),
        None => page(to, true),
    }
}

/// The form, which leads on to the page that was wanted.
pub(crate) fn page(to: &str, wrong: bool) -> Response {
    let main = html! {
        form.login method="post" action="/login" {
            h1 { "Token, please" }
            p {
                "These conversations are private. Open the address that " code { "jp serve web" }
                " printed, or paste the token: what follows " code { "?token=" }
                " in that address, or the one you chose."
            }
            @if wrong {
                p.wrong role="alert" {
                    "That is not the token. If the server was started again, it has a new one."
                }
            }
            input type="hidden" name="to" value=(to);
            // Whoever keeps tokens for the user wants to know whose it is.
            input type="text" name="username" value="jp" autocomplete="username" hidden;
            label { "Token" input type="password" name="token" autocomplete="current-password" autofocus required; }
            button { "Open" }
        }
    };
    let frame = Frame { title: "Token", kind: "locked", bar: html! {}, live: None, main };
    // With `no-referrer` a browser would not say where the form comes from, and we could not check it.
    let headers = [(header::REFERRER_POLICY, "same-origin")];
    (StatusCode::UNAUTHORIZED, headers, frame).into_response()
}
