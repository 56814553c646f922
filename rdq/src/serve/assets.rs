//! The files of the pages, which are part of the program.
//!
//! They contain no data, so anybody may load them: the page to log in needs them.

use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use super::refusal::Refusal;

/// The file at this path.
pub(super) async fn asset(method: Method, uri: Uri) -> Response {
    let path = match uri.path() {
        "/" => "/index.html",
        path => path,
    };
    let file = FILES
        .iter()
        .find(|(name, ..)| path.strip_prefix('/') == Some(name));
    match file {
        Some((_, kind, text)) if [Method::GET, Method::HEAD].contains(&method) => {
            ([(header::CONTENT_TYPE, *kind)], *text).into_response()
        }
        Some(_) => {
            Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "a file is only read").into_response()
        }
        None => Refusal::new(StatusCode::NOT_FOUND, "there is nothing here").into_response(),
    }
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! file {
    ($name:literal, $kind:ident) => {
        ($name, $kind, include_str!(concat!("../../assets/", $name)))
    };
}

/// Each with its name, its type and its text.
const FILES: [(&str, &str, &str); 19] = [
    file!("api.js", JS),
    file!("app.js", JS),
    file!("change.js", JS),
    file!("chart.js", JS),
    file!("dialog.js", JS),
    file!("dom.js", JS),
    file!("element.js", JS),
    file!("elements.js", JS),
    file!("findings.js", JS),
    file!("format.js", JS),
    file!("icon.svg", SVG),
    file!("index.html", HTML),
    file!("pause.js", JS),
    file!("purge.js", JS),
    file!("queue.js", JS),
    file!("queues.js", JS),
    file!("selection.js", JS),
    file!("style.css", CSS),
    file!("trouble.js", JS),
];
