//! `/api/login` and `/api/logout`: a token for the session of a browser.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::json;

use crate::serve::access::{SESSION, cookie_name};
use crate::serve::app::App;
use crate::serve::peer::Peer;
use crate::serve::refusal::{Answer, Refusal};
use crate::serve::request::Sent;

#[derive(Deserialize)]
pub(in crate::serve) struct Login {
    token: String,
}

/// Begins a session. Its cookie is not for scripts of pages, and not for requests from other sites.
pub(in crate::serve) async fn log_in(
    State(app): State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    Sent(login): Sent<Login>,
) -> Answer<impl IntoResponse> {
    let Some((right, id)) = app.access.log_in(login.token.trim(), peer)? else {
        return Err(Refusal::new(
            StatusCode::UNAUTHORIZED,
            "that is no token of this server",
        ));
    };
    let cookie = cookie(&app, &headers, &id, SESSION.as_secs());
    Ok((
        [(header::SET_COOKIE, cookie)],
        Json(json!({ "right": right })),
    ))
}

/// Ends the session of the browser.
pub(in crate::serve) async fn log_out(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> impl IntoResponse {
    app.access.log_out(&headers, app.port);
    let cookie = cookie(&app, &headers, "", 0);
    ([(header::SET_COOKIE, cookie)], Json(json!({})))
}

fn cookie(app: &App, headers: &HeaderMap, id: &str, seconds: u64) -> String {
    let name = cookie_name(app.port);
    // Behind a proxy, only the browser knows whether it came by TLS.
    let origin = headers.get(header::ORIGIN).and_then(|it| it.to_str().ok());
    let secure = match origin.is_some_and(|it| it.starts_with("https://")) {
        true => "; Secure",
        false => "",
    };
    format!("{name}={id}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}
