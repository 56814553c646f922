//! What all requests share, and which path leads where.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use tokio::net::TcpListener;

use super::access::Access;
use super::examiner::Examiner;
use super::guard::{Hosts, guard, readers, writers};
use super::proxies::Proxies;
use super::readings::Readings;
use super::{api, assets, connections, health, metrics, recorder, refusal};
use crate::failure::{Failure, Result};
use crate::session::Session;
use crate::session::interrupt;

/// What all requests share.
pub(super) struct App {
    pub(super) session: Session,
    pub(super) readings: Readings,
    pub(super) examiner: Examiner,
    pub(super) access: Access,
    pub(super) hosts: Hosts,
    pub(super) proxies: Proxies,
    /// The port that is listened on.
    pub(super) port: u16,
}

/// Serves the dashboard to at most `most` connections at a time until the process is told to end.
pub(crate) async fn run(
    session: &Session,
    listen: SocketAddr,
    most: NonZeroUsize,
    hosts: Hosts,
    proxies: Proxies,
    access: Access,
) -> Result {
    let failed = |source| Failure::Io {
        what: format!("cannot listen on {listen}"),
        source,
    };
    let listener = TcpListener::bind(listen).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let app = Arc::new(App {
        session: session.share(),
        readings: Readings::new(session.share()),
        examiner: Examiner::default(),
        access,
        hosts,
        proxies,
        port: address.port(),
    });
    let url = format!("http://{address}/");
    let rights = match app.access.is_read_only() {
        true => "read-only",
        false => "a write token is needed to change something",
    };
    let listening = serde_json::json!({ "url": url });
    session
        .screen
        .say(&format!("serving {url} ({rights})"), &listening)?;

    let recording = recorder::record(Arc::clone(&app));
    let serving = connections::serve(listener, most.get(), router(app), interrupt::interrupted());
    tokio::select! {
        () = recording => {}
        () = serving => {}
    }
    Ok(())
}

fn router(app: Arc<App>) -> Router {
    let reading = Router::new()
        .route("/metrics", get(metrics::metrics))
        .route("/api/findings", get(api::findings::of_servers))
        .route("/api/queues", get(api::queues::list))
        .route("/api/queues/{queue}", get(api::queues::one))
        .route("/api/queues/{queue}/pending", get(api::elements::pending))
        .route("/api/queues/{queue}/ready", get(api::elements::ready))
        .route("/api/queues/{queue}/dead", get(api::dead::list))
        .route("/api/queues/{queue}/leases", get(api::leases::list))
        .route("/api/queues/{queue}/quarantine", get(api::quarantine::list))
        .route("/api/queues/{queue}/findings", get(api::findings::list))
        .route("/api/queues/{queue}/element", post(api::element::show));
    let reading = reading.route_layer(from_fn_with_state(Arc::clone(&app), readers));
    let writing = Router::new()
        .route("/api/queues/{queue}/cancel", post(api::element::cancel))
        .route("/api/queues/{queue}/promote", post(api::element::promote))
        .route(
            "/api/queues/{queue}/reschedule",
            post(api::element::reschedule),
        )
        .route("/api/queues/{queue}/pause", post(api::pause::pause))
        .route("/api/queues/{queue}/resume", post(api::pause::resume))
        .route("/api/queues/{queue}/purge", post(api::dead::purge))
        .route("/api/queues/{queue}/requeue", post(api::dead::requeue))
        .route(
            "/api/queues/{queue}/requeue-all",
            post(api::dead::requeue_all),
        );
    let writing = writing.route_layer(from_fn_with_state(Arc::clone(&app), writers));
    Router::new()
        .route("/api/server", get(api::server::server))
        .route(
            "/api/login",
            post(api::login::log_in).layer(DefaultBodyLimit::max(LOGIN)),
        )
        .route("/api/logout", post(api::login::log_out))
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::ready))
        .merge(reading)
        .merge(writing)
        .fallback(assets::asset)
        .method_not_allowed_fallback(refusal::method)
        .layer(from_fn_with_state(Arc::clone(&app), guard))
        .with_state(app)
}

/// How long a login may be. Anybody can send one.
const LOGIN: usize = 4 << 10;
