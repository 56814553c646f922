//! `/api/queues/{queue}/quarantine`: the members that nobody could read.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use futures::stream::{StreamExt, TryStreamExt};
use redisson_delayed_queue::QuarantinedMember;
use serde::Serialize;

use super::elements::Part;
use crate::element::quarantined::{Quarantined, beginning};
use crate::failure::Failure;
use crate::serve::app::App;
use crate::serve::page::Page;
use crate::serve::refusal::Answer;
use crate::serve::request::{Asked, QueueName};

/// A member in a list.
#[derive(Serialize)]
pub(in crate::serve) struct Member {
    #[serde(flatten)]
    member: Quarantined,
    /// Its first bytes; those that are no printable ASCII as in `\x00`.
    bytes: String,
}

/// In the order of `rdq quarantine`.
pub(in crate::serve) async fn list(
    State(app): State<Arc<App>>,
    QueueName(name): QueueName,
    Asked(part): Asked<Part>,
) -> Answer<Json<Page<Member>>> {
    let first = part.count()?;
    let members = app.session.queue(&name)?.quarantine().iter();
    let members = members.map_err(Failure::from);
    let members = members.skip(usize::try_from(first).unwrap_or(usize::MAX));
    let mut place = first;
    let page = Page::read(
        members,
        |it| part.text.is_empty() || beginning(it.bytes(), usize::MAX).contains(&part.text),
        |it| it.bytes().len(),
        |_| {
            place += 1;
            place.to_string()
        },
    );
    let row = |it: QuarantinedMember| Member {
        bytes: beginning(it.bytes(), SHOWN),
        member: Quarantined::of(&it),
    };
    Ok(Json(page.await?.map(row)))
}

/// How many bytes a row shows.
const SHOWN: usize = 100;
