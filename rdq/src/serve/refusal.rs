//! The answer to a request that fails.

use std::error::Error as StdError;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use redisson_delayed_queue::Error;
use serde_json::json;

use crate::failure::Failure;

/// Why a request was not done, in words for people.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    reason: String,
}

/// The outcome of a request.
pub(super) type Answer<T> = Result<T, Refusal>;

impl Refusal {
    pub(super) fn new(status: StatusCode, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { status, reason }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.reason }))).into_response()
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let status = match &failure {
            Failure::Queue(Error::Name(_)) | Failure::Usage(_) => StatusCode::BAD_REQUEST,
            Failure::Nothing(_) => StatusCode::NOT_FOUND,
            Failure::Queue(_) => StatusCode::BAD_GATEWAY,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let mut reason = failure.to_string();
        let mut source = failure.source();
        while let Some(error) = source {
            reason += &format!(": {error}");
            source = error.source();
        }
        Self { status, reason }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Failure::from(error).into()
    }
}
