//! What every request must have, and what every answer carries.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::access::{Right, has_bearer};
use super::app::App;
use super::peer::Peer;
use super::refusal::Refusal;

/// The names by which browsers may reach this server.
#[derive(Debug)]
pub(crate) struct Hosts(Vec<String>);

impl Hosts {
    pub(crate) fn new(names: &[String]) -> Self {
        Self(names.iter().map(|it| it.to_lowercase()).collect())
    }

    /// Whether a request may be meant for this server.
    ///
    /// A page that makes its own name resolve to this machine (DNS rebinding) sends that name. So
    /// names must be known. Addresses need not: no page can make an address its own.
    fn has(&self, host: &str) -> bool {
        let (name, _port) = split_port(host);
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        let name = name.to_lowercase();
        bare.parse::<IpAddr>().is_ok() || name == "localhost" || self.0.contains(&name)
    }
}

/// Refuses what is not for this server or comes from another site, and says on every answer what
/// the browser may do with it.
pub(super) async fn guard(
    State(app): State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    mut request: Request,
    next: Next,
) -> Response {
    let client = app.proxies.client(peer, request.headers());
    request.extensions_mut().insert(client);
    let mut response = match check(&app, &request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    // Nothing is to be kept: neither data nor files, which another version of the program changes.
    let cache = HeaderValue::from_static("no-store");
    headers.entry(header::CACHE_CONTROL).or_insert(cache);
    response
}

/// Lets only those pass who may read.
pub(super) async fn readers(
    app: State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let reason = "log in to read: this server wants a token";
    let refusal = Refusal::new(StatusCode::UNAUTHORIZED, reason);
    pass(&app, peer, Right::Read, refusal, request, next).await
}

/// Lets only those pass who may write.
pub(super) async fn writers(
    app: State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let (status, reason) = match app.access.is_read_only() {
        true => (
            StatusCode::FORBIDDEN,
            "this server only reads: start it with --write-token-file",
        ),
        false => (
            StatusCode::UNAUTHORIZED,
            "log in with the write token to change something",
        ),
    };
    let refusal = Refusal::new(status, reason);
    pass(&app, peer, Right::Write, refusal, request, next).await
}

/// Does what was asked if the sender has at least this right. Otherwise answers with the refusal.
async fn pass(
    app: &App,
    peer: Peer,
    least: Right,
    refusal: Refusal,
    request: Request,
    next: Next,
) -> Response {
    match app.access.right_of(request.headers(), peer, app.port) {
        Ok(right) if right >= least => next.run(request).await,
        Ok(_) => refusal.into_response(),
        Err(too_many) => too_many.into_response(),
    }
}

fn check(app: &App, request: &Request) -> Result<(), Refusal> {
    let refuse = |status, reason: &str| Err(Refusal::new(status, reason));
    let headers = request.headers();
    let Some(host) = only(headers, header::HOST) else {
        return refuse(StatusCode::BAD_REQUEST, "a request names one host");
    };
    let absolute = request.uri().authority().map(|it| it.as_str());
    if ![Some(host), absolute]
        .into_iter()
        .flatten()
        .all(|it| app.hosts.has(it))
    {
        let reason = "this server does not know that host name: start it with --host NAME";
        return refuse(StatusCode::MISDIRECTED_REQUEST, reason);
    }
    if [Method::GET, Method::HEAD].contains(request.method()) {
        return Ok(());
    }
    // From here on: CSRF. Browsers say truthfully where a request comes from. A cookie may be sent
    // by a page of another port of this host, which is the same site.
    let is_ours = |origin: &str| origin.split_once("://").is_some_and(|(_, it)| it == host);
    if headers.contains_key(header::ORIGIN) && !only(headers, header::ORIGIN).is_some_and(is_ours) {
        return refuse(StatusCode::FORBIDDEN, "the request comes from another site");
    }
    let site = headers.get("sec-fetch-site");
    if site.is_some_and(|it| it != "same-origin") {
        return refuse(StatusCode::FORBIDDEN, "the request comes from another site");
    }
    // An old browser may not say. It sends no such header to another site without asking first.
    if !has_bearer(headers) && !headers.contains_key(OURS) {
        let reason = "send a token in Authorization, or the header X-Rdq";
        return refuse(StatusCode::FORBIDDEN, reason);
    }
    Ok(())
}

/// The value of a header that comes once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(first)
}

/// Splits `host:port`. The port may be missing, and the host may be an address in brackets.
fn split_port(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|it| it.is_ascii_digit()) => (name, Some(port)),
        _ => (host, None),
    }
}

/// The header that the pages add to what they send.
const OURS: &str = "x-rdq";

/// Pages load nothing from elsewhere, run no script in their text, and make no markup of texts.
const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'",
    ),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_must_be_known_and_addresses_need_not() {
        let hosts = Hosts::new(&["Queues.example.com".to_owned()]);
        let known = [
            "127.0.0.1:6390",
            "[::1]:6390",
            "10.0.0.7",
            "localhost:1",
            "LOCALHOST",
            "queues.example.com",
            "queues.EXAMPLE.com:443",
        ];
        for host in known {
            assert!(hosts.has(host), "{host}");
        }
        let foreign = [
            "evil.example",
            "evil.example:6390",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "",
            "localhost:x",
        ];
        for host in foreign {
            assert!(!hosts.has(host), "{host}");
        }
    }
}
