//! `rdq get`

use std::time::{Duration, UNIX_EPOCH};

use clap::Args;
use redisson_delayed_queue::codec::sniff;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::packed::{Format, Packed};
use redisson_delayed_queue::redis::cmd;
use serde::Serialize;

use crate::element::find::{Name, find};
use crate::element::place::{key_of, place_of};
use crate::element::{Element, unix_ms};
use crate::failure::{Failure, Result};
use crate::payload::indented;
use crate::queue::types;
use crate::screen::number::count_of;
use crate::screen::{absolute, clean, relative};
use crate::session::Session;

/// Show everything about one pending element.
///
/// The beginning of an id is enough if no other pending element's id begins so.
///
/// Redis: without the ticket, ZSCAN of all pending elements, 1,000 a call. Then a search for the place in
/// the ordering list, and one for the key, also 1,000 entries a call.
#[derive(Args, Debug)]
pub(crate) struct Get {
    /// The queue's name in Redis.
    queue: String,
    /// The ticket, or the id or its beginning in hex.
    element: Name,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    element: Element,
    /// The layout of the member.
    format: &'static str,
    /// How many bytes follow the payload, which nobody reads.
    trailing: usize,
    /// The place in the ordering list, from 0; none if the element is not in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<u64>,
    /// The key under which the element was offered, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// The element was offered with its value as the key.
    keyed_by_value: bool,
    /// Which codecs may have written the payload, the likeliest first.
    codecs: Vec<String>,
}

impl Get {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let keys = QueueKeys::new(&self.queue)?;
        let master = session.client.master_of(&self.queue)?;
        let payloads = session.payloads(&self.queue)?;
        let ticket = find(session, &self.queue, &self.element).await?;
        let member = ticket.as_bytes().clone();
        let mut score = cmd("ZSCORE");
        score.arg(keys.timeouts()).arg(&member[..]);
        let score = master.query(&score).await.map_err(Failure::from);
        let score: Option<f64> = types::named_in(score, &master, &keys).await?;
        let Some(score) = score else {
            return Err(Failure::Nothing(format!(
                "the element {} is not pending: it was moved or removed",
                self.element
            )));
        };
        // Tickets hold members that can be read.
        let Ok(packed) = Packed::parse(member.clone()) else {
            return Err(Failure::Nothing("no element can be read there".to_owned()));
        };
        let due = UNIX_EPOCH + Duration::from_millis(score.ceil() as u64);
        let field = key_of(&master, keys.keyed(), &member).await;
        let field = types::named_in(field, &master, &keys).await?;
        let key = field.as_deref().and_then(|it| it.strip_prefix(b"k"));
        let place = place_of(&master, keys.ordering(), &member).await;
        let report = Report {
            place: types::named_in(place, &master, &keys).await?,
            key: key.map(|it| String::from_utf8_lossy(it).into_owned()),
            keyed_by_value: field.is_some_and(|it| it.starts_with(b"u")),
            codecs: sniff(&packed.payload)
                .iter()
                .map(|it| format!("{it:?}"))
                .collect(),
            format: match packed.format {
                Format::Bc0Lc0 => "new",
                Format::DLc0 => "old",
                _ => "unknown",
            },
            trailing: packed.trailing,
            element: Element::new(&payloads, ticket, due, &packed.payload),
        };
        if session.screen.is_json() {
            return session.screen.say("", &report);
        }
        let now_ms = unix_ms(session.now(&self.queue).await?);
        session.screen.say(&report.text(now_ms), &report)
    }
}

impl Report {
    fn text(&self, now_ms: u64) -> String {
        let element = &self.element;
        let at = |ms| absolute(UNIX_EPOCH + Duration::from_millis(ms));
        let due = format!(
            "{}, {}",
            at(element.due_ms),
            relative(element.due_ms as f64, now_ms)
        );
        let format = match (self.format, self.trailing) {
            ("new", 0) => "new: Redisson since 3.21.1, and Rust".to_owned(),
            ("old", _) => "old: Redisson until 3.21.0".to_owned(),
            (format, trailing) => {
                let trailing = count_of(trailing as u64, "byte", "bytes");
                format!("{format}, with {trailing} behind that nobody reads")
            }
        };
        let place = match (self.place, element.listed) {
            (Some(place), _) => format!("{place} of the ordering list, from 0"),
            (None, false) => "none: the element is unlisted".to_owned(),
            (None, true) => "none: the element is missing in the ordering list".to_owned(),
        };
        let key = match (&self.key, self.keyed_by_value) {
            (Some(key), _) => clean(key),
            (None, true) => "its value".to_owned(),
            (None, false) => "none".to_owned(),
        };
        let expires = element.expires_ms.map_or_else(|| "never".to_owned(), at);
        let value = match (&element.shown.value, &element.shown.error) {
            (Some(value), _) => indented(value.get()),
            (None, error) => format!(
                "unreadable: {}\npayload in Base64: {}",
                error.as_deref().unwrap_or_default(),
                element.shown.payload.as_deref().unwrap_or_default(),
            ),
        };
        let codecs = match &*self.codecs {
            [] => "none that is known".to_owned(),
            likely => likely.join(", "),
        };
        let rows = [
            ("id", element.id.clone()),
            ("ticket", element.ticket.to_string()),
            ("due", due),
            ("expires", expires),
            ("format", format),
            ("place", place),
            ("key", key),
            ("size", count_of(element.shown.size as u64, "byte", "bytes")),
            ("codec", codecs),
        ];
        let rows = rows.map(|(name, text)| format!("{name:<9}{text}\n"));
        format!("{}\n{value}", rows.concat())
    }
}
