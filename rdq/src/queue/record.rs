//! The lines of the file to which `rdq export` writes a queue.

use std::hash::{BuildHasher, RandomState};
use std::time::SystemTime;

use bytes::Bytes;
use redisson_delayed_queue::DeadLetter;
use serde::{Deserialize, Serialize};

use super::base64::{standard, url};
use crate::element::unix_ms;

/// One line. It has the bytes that Redis holds, and scores as Redis spells them.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Record {
    /// The first line.
    Queue(Header),
    /// A pending element. Listed elements come first, in the order of the ordering list.
    Pending {
        /// The packed member in base64url.
        #[serde(with = "url")]
        ticket: Bytes,
        score: String,
        /// True if the element stands in the ordering list.
        listed: bool,
    },
    /// The element that was offered last under a key.
    Keyed {
        #[serde(with = "standard")]
        key: Bytes,
        #[serde(with = "url")]
        ticket: Bytes,
        /// When a clean-up looks whether the element is still pending.
        score: String,
        /// How long Redis keeps the keys of the queue, ms.
        keep_ms: u64,
    },
    /// An offer that repeats.
    Periodic {
        #[serde(with = "standard")]
        name: Bytes,
        #[serde(with = "standard")]
        offer: Bytes,
        /// Its next occurrence.
        score: String,
    },
    /// A payload in the target queue, in its order.
    Ready {
        #[serde(with = "standard")]
        payload: Bytes,
    },
    /// A member that nobody can read.
    Quarantined {
        #[serde(with = "standard")]
        member: Bytes,
        score: String,
    },
    /// A payload in the dead-letter queue, in its order.
    Dead {
        #[serde(with = "standard")]
        payload: Bytes,
    },
    /// A note about a dead letter, in their order.
    DeadNote {
        #[serde(with = "standard")]
        note: Bytes,
    },
    /// The last line: how many stand between it and the first.
    End { records: u64 },
}

impl Record {
    /// A dead letter, and its note if it has one.
    pub(crate) fn of_letter(letter: &DeadLetter<Bytes>) -> Vec<Self> {
        let payload = letter.payload().clone();
        let note = letter.note().map(|it| Self::DeadNote { note: it.clone() });
        [Self::Dead { payload }].into_iter().chain(note).collect()
    }

    /// Its score, if records of its kind have one.
    pub(crate) fn score(&self) -> Option<&str> {
        match self {
            Self::Pending { score, .. }
            | Self::Keyed { score, .. }
            | Self::Periodic { score, .. }
            | Self::Quarantined { score, .. } => Some(score),
            _ => None,
        }
    }
}

/// What the first line says.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    /// The version of this layout.
    pub(crate) version: u32,
    pub(crate) queue: String,
    /// 16 random bytes, by which an import knows what it has done already.
    #[serde(with = "url")]
    pub(crate) id: Bytes,
    /// When the export began, by the server's clock.
    pub(crate) at_ms: u64,
    /// Which rdq wrote it.
    pub(crate) rdq: String,
}

impl Header {
    /// The version that this rdq writes and reads.
    pub(crate) const VERSION: u32 = 1;

    /// The first line of a new file.
    pub(crate) fn new(queue: &str, now: SystemTime) -> Self {
        Self {
            version: Self::VERSION,
            queue: queue.to_owned(),
            id: fresh_id(),
            at_ms: unix_ms(now),
            rdq: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// An id that no other file has.
pub(crate) fn fresh_id() -> Bytes {
    // Each state has random keys of its own.
    let half = || RandomState::new().hash_one(SystemTime::now());
    [half().to_be_bytes(), half().to_be_bytes()].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_each_byte_and_each_digit() {
        let record = Record::Pending {
            ticket: Bytes::from_static(b"\0\xff\n"),
            score: "1700000000000.5".to_owned(),
            listed: false,
        };
        let line = serde_json::to_string(&record).unwrap();
        let expected =
            r#"{"kind":"pending","ticket":"AP8K","score":"1700000000000.5","listed":false}"#;
        assert_eq!(line, expected);
        assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record);
        assert!(serde_json::from_str::<Record>(r#"{"kind":"later"}"#).is_err());
    }
}
