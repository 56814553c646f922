//! The work of `rdq drain`.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use futures::stream::{self, StreamExt};
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::{DelayedQueue, Ticket};
use serde::Serialize;

use super::Sink;
use crate::element::Element;
use crate::element::{left_out, list};
use crate::failure::{Failure, Result};
use crate::payload::{Payloads, Shown};
use crate::screen::json;
use crate::screen::progress::Progress;
use crate::session::Session;

/// How many elements to write before they are removed.
const PORTION: usize = 500;

/// How many elements to remove at the same time.
const AT_ONCE: usize = 16;

/// Elements that are taken out of a queue.
pub(crate) struct Drain<'a> {
    session: &'a Session,
    queue: DelayedQueue<Bytes>,
    payloads: Payloads,
    /// Shared with the task that removes elements, which goes on if the run is interrupted.
    sink: Arc<Mutex<Sink>>,
    progress: Progress,
    /// How many elements were removed.
    removed: u64,
    /// How many printed lines are of elements that are still in the queue.
    surplus: u64,
    /// How many pending members nobody can read.
    unreadable: u64,
}

/// An element, and how to remove it.
struct Item {
    line: String,
    place: Source,
}

/// Where an element stands.
enum Source {
    Pending(Ticket),
    Ready(Bytes),
}

/// An element of the target queue.
#[derive(Serialize)]
struct Ready {
    ready: bool,
    #[serde(flatten)]
    shown: Shown,
}

impl<'a> Drain<'a> {
    pub(crate) fn new(session: &'a Session, queue: &str, sink: Sink, count: u64) -> Result<Self> {
        Ok(Self {
            session,
            queue: session.queue(queue)?,
            payloads: session.payloads(queue)?,
            progress: session
                .screen
                .progress("elements", !sink.is_terminal())
                .of(count),
            sink: Arc::new(Mutex::new(sink)),
            removed: 0,
            surplus: 0,
            unreadable: 0,
        })
    }

    /// Takes out what is pending, by due time.
    pub(crate) async fn pending(&mut self) -> Result<u64> {
        let mut drained = 0;
        let mut portions = pin!(self.queue.pending().iter().ready_chunks(PORTION));
        while let Some(portion) = portions.next().await {
            let mut items = Vec::new();
            let mut failed = None;
            for entry in portion {
                match entry {
                    Ok(entry) => {
                        items.push(self.pending_item(entry.ticket, entry.due, &entry.value))
                    }
                    Err(error) => failed = Some(error),
                }
            }
            drained += self.take_out(items).await?;
            if let Some(error) = failed {
                return Err(error.into());
            }
        }
        self.unreadable = portions.get_ref().unreadable();
        Ok(drained)
    }

    /// Takes out up to `most` elements of the target queue, from its head.
    pub(crate) async fn ready(&mut self, most: u64) -> Result<u64> {
        let keys = QueueKeys::new(self.queue.name())?;
        let mut read = 0;
        let mut drained = 0;
        while read < most {
            let master = self.session.client.master_of(self.queue.name())?;
            // The elements before are gone.
            let entries = list::entries(master, &keys, keys.target(), 0);
            let count = usize::try_from(most - read).unwrap_or(PORTION).min(PORTION);
            let mut portions = pin!(entries.ready_chunks(count));
            let Some(portion) = portions.next().await else {
                break;
            };
            let portion: Vec<_> = portion.into_iter().collect::<Result<_>>()?;
            read += portion.len() as u64;
            let items = portion.into_iter().map(|it| self.ready_item(it.entry));
            drained += self.take_out(items.collect()).await?;
        }
        Ok(drained)
    }

    /// How many elements were removed.
    pub(crate) fn removed(&self) -> u64 {
        self.removed
    }

    /// Tells of members that it left there, and of lines whose elements are still in the queue, or went to
    /// a consumer.
    pub(crate) fn end(self) -> Result {
        self.progress.finish();
        lock(&self.sink).keep();
        left_out::tell(self.session.screen, self.queue.name(), self.unreadable);
        match self.surplus {
            0 => Ok(()),
            count => Err(Failure::Surplus(count)),
        }
    }

    /// Writes the lines of these elements, and then removes the elements. Returns how many it removed.
    async fn take_out(&mut self, items: Vec<Item>) -> Result<u64> {
        if items.is_empty() {
            return Ok(0);
        }
        let (lines, places): (Vec<_>, Vec<_>) =
            items.into_iter().map(|it| (it.line, it.place)).unzip();
        let count = lines.len() as u64;
        lock(&self.sink).write(&lines)?;
        let removal = remove_and_blank(self.queue.clone(), places, lines, Arc::clone(&self.sink));
        let (removed, surplus) = self.session.finish(removal).await;
        self.progress.add(count);
        let count = removed.iter().filter(|it| matches!(it, Ok(true))).count() as u64;
        self.removed += count;
        self.surplus += surplus?;
        match removed.into_iter().find_map(Result::err) {
            Some(error) => Err(error.into()),
            None => Ok(count),
        }
    }

    fn pending_item(&self, ticket: Ticket, due: SystemTime, payload: &Bytes) -> Item {
        let mut element = Element::new(&self.payloads, ticket.clone(), due, payload);
        element.shown = element.shown.with_payload(payload);
        Item {
            line: json(&element),
            place: Source::Pending(ticket),
        }
    }

    fn ready_item(&self, payload: Bytes) -> Item {
        let shown = Shown::new(&self.payloads, &payload).with_payload(&payload);
        Item {
            line: json(&Ready { ready: true, shown }),
            place: Source::Ready(payload),
        }
    }
}

type Removed = redisson_delayed_queue::Result<bool>;

/// Removes elements, and makes the lines empty whose elements were not there. Returns what became of
/// each, and how many such lines could not be made empty.
async fn remove_and_blank(
    queue: DelayedQueue<Bytes>,
    places: Vec<Source>,
    lines: Vec<String>,
    sink: Arc<Mutex<Sink>>,
) -> (Vec<Removed>, Result<u64>) {
    let removed = remove(queue, places).await;
    // If a reply was lost, the element may be gone, and its line must stay.
    let is_wrong = |it: &Removed| match it {
        Ok(removed) => !removed,
        Err(error) => !error.may_have_changed_redis(),
    };
    let wrong: Vec<_> = removed.iter().map(is_wrong).collect();
    let count = wrong.iter().filter(|it| **it).count() as u64;
    let surplus = match count {
        0 => Ok(0),
        _ => lock(&sink)
            .blank(&lines, &wrong)
            .map(|is_done| if is_done { 0 } else { count }),
    };
    (removed, surplus)
}

fn lock(sink: &Mutex<Sink>) -> MutexGuard<'_, Sink> {
    // Nobody panics while writing.
    sink.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes elements, and tells of each whether it was there.
async fn remove(queue: DelayedQueue<Bytes>, places: Vec<Source>) -> Vec<Removed> {
    let target = &queue.destination();
    let queue = &queue;
    let removals = stream::iter(places).map(|place| async move {
        match place {
            Source::Pending(ticket) => queue.cancel(&ticket).await,
            Source::Ready(payload) => target.remove(&payload).await,
        }
    });
    removals.buffered(AT_ONCE).collect().await
}
