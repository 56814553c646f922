//! The answer to a request that fails.

use std::time::Duration;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use redisson_delayed_queue::Error;
use serde_json::json;

use crate::failure::Failure;

/// Why a request was not done, in words for people.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    reason: String,
    /// When it makes sense to ask again.
    retry_after: Option<Duration>,
}

/// The outcome of a request.
pub(super) type Answer<T> = Result<T, Refusal>;

impl Refusal {
    pub(super) fn new(status: StatusCode, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self {
            status,
            reason,
            retry_after: None,
        }
    }

    /// This address showed too many wrong tokens.
    pub(super) fn wait(wait: Duration) -> Self {
        let seconds = wait.as_secs_f64().ceil();
        let reason =
            format!("too many wrong tokens came from this address: wait for {seconds:.0} s");
        Self {
            retry_after: Some(wait),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS, reason)
        }
    }

    /// The failure may name files of this machine, so it goes to the log and not into the answer.
    fn internal(failure: &Failure) -> Self {
        _ = failure.report();
        let reason = "rdq serve is not set up well for this: its log says why";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, reason)
    }
}

/// Refuses a request whose path is known and has no such method.
pub(super) async fn method() -> Refusal {
    let reason = "this path has no such method: the header Allow says which it has";
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, reason)
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(json!({ "error": self.reason }))).into_response();
        if let Some(wait) = self.retry_after {
            let seconds = HeaderValue::from(wait.as_secs_f64().ceil() as u64);
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let status = match &failure {
            Failure::Queue(
                Error::DelayTooLong { .. } | Error::ExpiresBeforeDue | Error::Name(_),
            ) => StatusCode::BAD_REQUEST,
            Failure::Queue(_) | Failure::Unfinished(_) => StatusCode::BAD_GATEWAY,
            Failure::Nothing(_) => StatusCode::NOT_FOUND,
            // The arguments and files of the process are wrong, and not the request.
            _ => return Self::internal(&failure),
        };
        Self::new(status, failure.text())
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Failure::from(error).into()
    }
}
