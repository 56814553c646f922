//! `/api/queues/{queue}/element`: one pending element, to be shown or changed.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use futures::TryStreamExt;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::packed::Packed;
use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::{Entry, Ticket};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::brief::Text;
use super::elements::{Named, UnixMs};
use crate::element::{Element, hex};
use crate::failure::Failure;
use crate::queue::census::LATEST_MS;
use crate::serve::app::App;
use crate::serve::refusal::{Answer, Refusal};
use crate::serve::request::{QueueName, Sent};

/// Which element is meant.
#[derive(Deserialize)]
#[serde(try_from = "Words")]
pub(in crate::serve) enum Which {
    Ticket(Ticket),
    /// An element whose ticket is long.
    Id {
        id: String,
        due: SystemTime,
    },
}

/// How a request says which element is meant.
#[derive(Deserialize)]
struct Words {
    ticket: Option<Ticket>,
    id: Option<String>,
    due_ms: Option<UnixMs>,
}

impl TryFrom<Words> for Which {
    type Error = &'static str;

    fn try_from(words: Words) -> Result<Self, &'static str> {
        match (words.ticket, words.id, words.due_ms) {
            (Some(ticket), ..) => Ok(Self::Ticket(ticket)),
            (None, Some(id), Some(due_ms)) => Ok(Self::Id {
                id,
                due: due_ms.time(),
            }),
            _ => Err("name an element by its ticket, or by its id and due_ms"),
        }
    }
}

/// All there is to say about an element.
#[derive(Serialize)]
pub(in crate::serve) struct Detail {
    #[serde(flatten)]
    name: Named,
    listed: bool,
    expires_ms: Option<u64>,
    #[serde(flatten)]
    text: Text,
    /// The payload in Base64, if it is not long and no codec reads it.
    payload: Option<String>,
}

pub(in crate::serve) async fn show(
    State(app): State<Arc<App>>,
    QueueName(name): QueueName,
    Sent(which): Sent<Which>,
) -> Answer<Json<Detail>> {
    let element = which.find(&app, &name).await?.ok_or_else(gone)?;
    let payload = element.shown.payload.as_ref();
    Ok(Json(Detail {
        name: Named::new(&element),
        listed: element.listed,
        expires_ms: element.expires_ms,
        text: Text::long(&element.shown),
        payload: payload.filter(|it| it.len() <= 64 << 10).cloned(),
    }))
}

pub(in crate::serve) async fn cancel(
    State(app): State<Arc<App>>,
    QueueName(name): QueueName,
    Sent(which): Sent<Which>,
) -> Answer<Json<Value>> {
    let queue = app.session.queue(&name)?;
    let ticket = which.ticket(&app, &name).await?;
    let done = queue.cancel(&ticket).await?;
    app.changed(&name, "cancel", &hex(ticket.id()), done).await
}

pub(in crate::serve) async fn promote(
    State(app): State<Arc<App>>,
    QueueName(name): QueueName,
    Sent(which): Sent<Which>,
) -> Answer<Json<Value>> {
    let queue = app.session.queue(&name)?;
    let ticket = which.ticket(&app, &name).await?;
    let done = queue.promote(&ticket).await?;
    app.changed(&name, "promote", &hex(ticket.id()), done).await
}

/// When an element is to be due: at a moment, or so long from now by Redis's clock.
#[derive(Deserialize)]
pub(in crate::serve) struct Reschedule {
    element: Which,
    delay_ms: Option<u64>,
    due_ms: Option<UnixMs>,
}

pub(in crate::serve) async fn reschedule(
    State(app): State<Arc<App>>,
    QueueName(name): QueueName,
    Sent(wanted): Sent<Reschedule>,
) -> Answer<Json<Value>> {
    let queue = app.session.queue(&name)?;
    let ticket = wanted.element.ticket(&app, &name).await?;
    let done = match (wanted.delay_ms, wanted.due_ms) {
        (Some(ms), None) => queue.reschedule(&ticket, Duration::from_millis(ms)).await?,
        (None, Some(due)) => queue.reschedule_at(&ticket, due.time()).await?,
        _ => {
            let reason = "say either delay_ms or due_ms";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, reason));
        }
    };
    app.changed(&name, "reschedule", &hex(ticket.id()), done)
        .await
}

impl Which {
    async fn ticket(self, app: &App, queue: &str) -> Answer<Ticket> {
        match self {
            Self::Ticket(ticket) => Ok(ticket),
            Self::Id { id, due } => {
                let entry = entry_of(app, queue, &id, due).await?;
                Ok(entry.ok_or_else(gone)?.ticket)
            }
        }
    }

    /// None if it is no longer pending.
    async fn find(self, app: &App, queue: &str) -> Answer<Option<Element>> {
        let payloads = app.session.payloads(queue)?;
        match self {
            Self::Ticket(ticket) => {
                let keys = QueueKeys::new(queue).map_err(Failure::from)?;
                let master = app.session.client.master_of(queue)?;
                let mut command = cmd("ZSCORE");
                command.arg(keys.timeouts()).arg(&ticket.as_bytes()[..]);
                let Some(score) = master.query::<Option<f64>>(&command).await? else {
                    return Ok(None);
                };
                let Ok(packed) = Packed::parse(ticket.as_bytes().clone()) else {
                    return Ok(None);
                };
                let due_ms = score.clamp(0.0, LATEST_MS as f64).ceil() as u64;
                let due = UNIX_EPOCH + Duration::from_millis(due_ms);
                Ok(Some(Element::new(&payloads, ticket, due, &packed.payload)))
            }
            Self::Id { id, due } => {
                let entry = entry_of(app, queue, &id, due).await?;
                Ok(entry.map(|it| Element::new(&payloads, it.ticket, it.due, &it.value)))
            }
        }
    }
}

/// The element with this id among those that are due in this millisecond.
async fn entry_of(
    app: &App,
    queue: &str,
    id: &str,
    due: SystemTime,
) -> Answer<Option<Entry<bytes::Bytes>>> {
    let pending = app.session.queue(queue)?.pending();
    let mut entries = pending.between(due..=due);
    while let Some(entry) = entries.try_next().await? {
        if hex(entry.ticket.id()) == id {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

fn gone() -> Refusal {
    let reason = "it is gone: it became due, or somebody took or removed it. Or its due time is another one: look \
                  for it again";
    Refusal::new(StatusCode::NOT_FOUND, reason)
}

impl App {
    /// Writes a line about a change to the log.
    pub(super) fn log(&self, queue: &str, what: &str, which: &str, done: bool) {
        let outcome = if done { "done" } else { "it was not there" };
        let line = format!("{what} {which} in {queue:?}: {outcome}");
        self.session.screen.note(&line);
    }

    /// Answers a change. A line about it goes to the log, and what is known of the queue is old.
    pub(super) async fn changed(
        &self,
        queue: &str,
        what: &str,
        which: &str,
        done: bool,
    ) -> Answer<Json<Value>> {
        self.log(queue, what, which, done);
        self.readings.forget(queue).await;
        match done {
            true => Ok(Json(json!({ "done": true }))),
            false => Err(gone()),
        }
    }
}
