//! Reads the path, the query and the body of a request. What cannot be read is refused in JSON, as
//! everything that is refused.

use std::error::Error;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::refusal::Refusal;

/// The name of the queue in a path.
pub(super) struct QueueName(pub(super) String);

/// The query of a path.
pub(super) struct Asked<T>(pub(super) T);

/// The body, which is JSON.
pub(super) struct Sent<T>(pub(super) T);

impl<S: Send + Sync> FromRequestParts<S> for QueueName {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let name = Path::from_request_parts(parts, state).await;
        let reason = "the name of the queue is not UTF-8 with percent signs";
        let refusal = |_| Refusal::new(StatusCode::BAD_REQUEST, reason);
        name.map(|Path(name)| Self(name)).map_err(refusal)
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let query = Query::from_request_parts(parts, state).await;
        query.map(|Query(query)| Self(query)).map_err(|error| {
            let reason = format!("the query is wrong: {}", cause(&error));
            Refusal::new(StatusCode::BAD_REQUEST, reason)
        })
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Sent<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        match timeout(PATIENCE, Json::from_request(request, state)).await {
            Ok(Ok(Json(body))) => Ok(Self(body)),
            Ok(Err(rejection)) => Err(refusal(&rejection)),
            Err(_) => {
                let reason = format!("the body did not come within {} s", PATIENCE.as_secs());
                Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, reason))
            }
        }
    }
}

fn refusal(rejection: &JsonRejection) -> Refusal {
    let reason = match rejection {
        JsonRejection::JsonDataError(error) => format!("the body is wrong: {}", cause(error)),
        JsonRejection::JsonSyntaxError(error) => format!("the body is no JSON: {}", cause(error)),
        JsonRejection::MissingJsonContentType(_) => {
            "send JSON, and say so: content-type: application/json".to_owned()
        }
        _ if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            "the body is too long".to_owned()
        }
        _ => "the body cannot be read".to_owned(),
    };
    Refusal::new(rejection.status(), reason)
}

/// The innermost error. An error of axum says itself only of which kind it is.
fn cause(error: &dyn Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// How long a body may take. All of them are short.
const PATIENCE: Duration = Duration::from_secs(10);
