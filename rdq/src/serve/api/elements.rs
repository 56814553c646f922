//! `/api/queues/{queue}/pending` and `…/ready`: what is in a queue, a page at a time.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use futures::TryStreamExt;
use redisson_delayed_queue::keys::QueueKeys;
use serde::{Deserialize, Serialize};

use super::brief::Text;
use crate::element::Element;
use crate::element::list::{self, Listed};
use crate::failure::Failure;
use crate::payload::Shown;
use crate::queue::census::LATEST_MS;
use crate::serve::app::App;
use crate::serve::page::Page;
use crate::serve::refusal::{Answer, Refusal};
use crate::serve::request::{Asked, QueueName};

/// Which part of a list is asked for.
#[derive(Deserialize)]
pub(in crate::serve) struct Part {
    /// Where to begin: `next` of the page before.
    pub(super) place: Option<String>,
    /// Only elements that are due then or later.
    from_ms: Option<UnixMs>,
    /// Only elements whose value, as it is shown, has this text in it.
    #[serde(default)]
    pub(super) text: String,
    /// Only dead letters of this name.
    pub(super) letter: Option<String>,
    /// Dead letters come with their records.
    #[serde(default)]
    pub(super) records: bool,
}

impl Part {
    pub(super) fn matches(&self, shown: &Shown) -> bool {
        self.text.is_empty() || shown.contains(&self.text)
    }

    /// The place as a number of rows to leave out.
    pub(super) fn count(&self) -> Answer<u64> {
        let place = self.place.as_deref().unwrap_or("0");
        place.parse().map_err(|_| wrong_place())
    }
}

/// A pending element in a list.
#[derive(Serialize)]
pub(in crate::serve) struct Pending {
    #[serde(flatten)]
    name: Named,
    listed: bool,
    expires_ms: Option<u64>,
    #[serde(flatten)]
    text: Text,
}

/// Names an element: by its id and due time, and by its ticket unless that is long.
#[derive(Serialize)]
pub(super) struct Named {
    pub(super) id: String,
    pub(super) due_ms: u64,
    pub(super) ticket: Option<String>,
}

impl Named {
    pub(super) fn new(element: &Element) -> Self {
        let is_short = element.ticket.as_bytes().len() <= LONG_TICKET;
        Self {
            id: element.id.clone(),
            due_ms: element.due_ms,
            ticket: is_short.then(|| element.ticket.to_string()),
        }
    }
}

/// A ticket has the whole payload in it.
const LONG_TICKET: usize = 8 << 10;

pub(in crate::serve) async fn pending(
    State(app): State<Arc<App>>,
    QueueName(name): QueueName,
    Asked(part): Asked<Part>,
) -> Answer<Json<Page<Pending>>> {
    let payloads = app.session.payloads(&name)?;
    let mut place = match &part.place {
        Some(place) => PageStart::parse(place).ok_or_else(wrong_place)?,
        None => PageStart::of(part.from_ms.map_or(0, |it| it.0)),
    };
    let pending = app.session.queue(&name)?.pending();
    let entries = match place.due_ms {
        // Elements can be due before 1970.
        0 => pending.iter(),
        ms => pending.between(UNIX_EPOCH + Duration::from_millis(ms)..),
    };
    let entries = entries.map_err(Failure::from);
    let skipped = futures::StreamExt::skip(entries, place.same);
    let elements = skipped.map_ok(|it| Element::new(&payloads, it.ticket, it.due, &it.value));
    let page = Page::read(
        elements,
        |it| part.matches(&it.shown),
        |it| it.shown.size,
        |it| place.behind(it.due_ms).to_string(),
    );
    let row = |it: Element| Pending {
        name: Named::new(&it),
        listed: it.listed,
        expires_ms: it.expires_ms,
        text: Text::brief(&it.shown),
    };
    Ok(Json(page.await?.map(row)))
}

/// A place in the order of due times.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PageStart {
    due_ms: u64,
    /// How many elements of that millisecond come before.
    same: usize,
}

impl PageStart {
    fn of(due_ms: u64) -> Self {
        Self { due_ms, same: 0 }
    }

    fn parse(text: &str) -> Option<Self> {
        let (due_ms, same) = text.split_once('.')?;
        Some(Self {
            due_ms: due_ms.parse().ok().filter(|ms| *ms <= LATEST_MS)?,
            same: same.parse().ok()?,
        })
    }

    /// Goes behind the next element.
    fn behind(&mut self, due_ms: u64) -> &Self {
        if due_ms == self.due_ms {
            self.same += 1;
        } else {
            *self = Self { due_ms, same: 1 };
        }
        self
    }
}

impl std::fmt::Display for PageStart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.due_ms, self.same)
    }
}

/// An element of the target queue in a list.
#[derive(Serialize)]
pub(in crate::serve) struct Ready {
    place: u64,
    #[serde(flatten)]
    text: Text,
}

pub(in crate::serve) async fn ready(
    State(app): State<Arc<App>>,
    QueueName(name): QueueName,
    Asked(part): Asked<Part>,
) -> Answer<Json<Page<Ready>>> {
    let payloads = app.session.payloads(&name)?;
    let keys = QueueKeys::new(&name).map_err(Failure::from)?;
    let master = app.session.client.master_of(&name)?;
    let listed = list::entries(master, &keys, keys.target(), part.count()?);
    let rows = listed.map_ok(|Listed { place, entry, .. }| (place, Shown::new(&payloads, &entry)));
    let page = Page::read(
        rows,
        |(_, shown)| part.matches(shown),
        |(_, shown)| shown.size,
        |(place, _)| (place + 1).to_string(),
    );
    let row = |(place, shown): (u64, Shown)| Ready {
        place,
        text: Text::brief(&shown),
    };
    Ok(Json(page.await?.map(row)))
}

/// Unix ms, no later than an element can be due.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "u64")]
pub(super) struct UnixMs(u64);

impl UnixMs {
    pub(super) fn time(self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.0)
    }
}

impl TryFrom<u64> for UnixMs {
    type Error = String;

    fn try_from(ms: u64) -> Result<Self, String> {
        match ms <= LATEST_MS {
            true => Ok(Self(ms)),
            false => Err(format!(
                "{ms} ms is too late: an element can be due until {LATEST_MS} ms after 1970"
            )),
        }
    }
}

fn wrong_place() -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, "that is no place in the list")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_the_elements_of_its_millisecond() {
        let mut place = PageStart::of(0);
        let behind = [5, 5, 7, 7, 7].map(|ms| place.behind(ms).to_string());
        assert_eq!(behind, ["5.1", "5.2", "7.1", "7.2", "7.3"]);
        assert_eq!(PageStart::parse("7.3"), Some(place));
        for wrong in ["", "7", "7.x", "x.7", "-7.1", "9007199254740993.0"] {
            assert_eq!(PageStart::parse(wrong), None, "{wrong}");
        }
    }
}
