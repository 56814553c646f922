//! `/api/queues/{queue}/leases`: what Rust processes hold, and what waits for another attempt.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use bytes::Bytes;
use futures::stream::{StreamExt, TryStreamExt};
use redisson_delayed_queue::LeasedElement;
use serde::Serialize;

use super::brief::Text;
use super::elements::Part;
use crate::element::lease::Lease;
use crate::failure::Failure;
use crate::payload::Shown;
use crate::serve::app::App;
use crate::serve::page::Page;
use crate::serve::refusal::Answer;
use crate::serve::request::{Asked, QueueName};

/// A lease in a list.
#[derive(Serialize)]
pub(in crate::serve) struct Leased {
    #[serde(flatten)]
    lease: Lease,
    #[serde(flatten)]
    text: Text,
}

/// In the order of `rdq leases`.
pub(in crate::serve) async fn list(
    State(app): State<Arc<App>>,
    QueueName(name): QueueName,
    Asked(part): Asked<Part>,
) -> Answer<Json<Page<Leased>>> {
    let payloads = app.session.payloads(&name)?;
    let first = part.count()?;
    let leases = app.session.queue(&name)?.leases().iter();
    let leases = leases.map_err(Failure::from);
    let leases = leases.skip(usize::try_from(first).unwrap_or(usize::MAX));
    let rows = leases.map_ok(|it| (it.payload().map(|it| Shown::new(&payloads, it)), it));
    let mut place = first;
    let page = Page::read(
        rows,
        // A large value is not read, and so not searched.
        |(shown, _)| match shown {
            Some(shown) => part.matches(shown),
            None => part.text.is_empty(),
        },
        |(shown, _)| shown.as_ref().map_or(0, |it| it.size),
        |_| {
            place += 1;
            place.to_string()
        },
    );
    let row = |(shown, element): (Option<Shown>, LeasedElement<Bytes>)| Leased {
        lease: Lease::of(&element),
        text: match shown {
            Some(shown) => Text::brief(&shown),
            None => Text::unread(element.len()),
        },
    };
    Ok(Json(page.await?.map(row)))
}
