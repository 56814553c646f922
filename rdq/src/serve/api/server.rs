//! `/api/server`: which Redis this is, and what the browser may do.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::{Extension, Json};
use serde::Serialize;

use crate::serve::access::Right;
use crate::serve::app::App;
use crate::serve::peer::Peer;
use crate::serve::refusal::Answer;

/// What the pages must know before they show anything.
#[derive(Serialize)]
pub(in crate::serve) struct About {
    version: &'static str,
    /// What the sender of the request may do.
    right: Right,
    /// True if there is no write token.
    read_only: bool,
    /// The masters, without credentials. Empty for somebody who may not read.
    servers: Vec<Arc<str>>,
}

pub(in crate::serve) async fn server(
    State(app): State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
) -> Answer<Json<About>> {
    let right = app.access.right_of(&headers, peer, app.port)?;
    let servers = match right {
        Right::Nothing => Vec::new(),
        _ => app
            .session
            .client
            .masters()
            .iter()
            .map(|it| it.address())
            .collect(),
    };
    Ok(Json(About {
        version: env!("CARGO_PKG_VERSION"),
        right,
        read_only: app.access.is_read_only(),
        servers,
    }))
}
