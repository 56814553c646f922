//! One change of a queue.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A member, where it stands, and where it will.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Change {
    pub(crate) before: Standing,
    pub(crate) after: Standing,
}

/// Where a member stands.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Standing {
    #[serde(serialize_with = "as_base64", deserialize_with = "from_base64")]
    pub(crate) member: Bytes,
    pub(crate) score: Score,
    pub(crate) listed: ListPlace,
    /// Its score in the quarantine.
    pub(crate) quarantined: Option<String>,
}

/// The score of a member in the timeout set.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Score {
    /// It has none.
    None,
    /// It has one, which does not change.
    Any,
    /// As Redis spells it.
    Is(String),
}

/// Where a member stands in the ordering list.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ListPlace {
    /// That does not matter, and does not change.
    Any,
    Nowhere,
    /// At the end, where it was or will be pushed.
    Last,
    At(u64),
    /// At the first of these places, and at the second, which is nearer to the oldest entry.
    Twice(u64, u64),
}

/// What a change does to the entry of its member in the ordering list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Action {
    Nothing,
    /// Removes the entry at this place.
    Remove(u64),
    /// Removes an entry near the newest.
    RemoveLast,
    Push,
    /// Inserts one at this place.
    Insert(u64),
    /// Writes what the member becomes over it.
    Write,
}

impl Change {
    /// The change that takes this one back.
    pub(crate) fn reversed(self) -> Self {
        Self {
            before: self.after,
            after: self.before,
        }
    }

    /// How many bytes it sends.
    pub(crate) fn bytes(&self) -> usize {
        self.before.member.len() + self.after.member.len()
    }

    pub(super) fn action(&self) -> Action {
        match (self.before.listed, self.after.listed) {
            (ListPlace::At(place), ListPlace::Nowhere)
            | (ListPlace::Twice(place, _), ListPlace::At(_)) => Action::Remove(place),
            (ListPlace::Last, ListPlace::Nowhere) => Action::RemoveLast,
            (ListPlace::Nowhere, ListPlace::Last) => Action::Push,
            (ListPlace::Nowhere, ListPlace::At(place))
            | (ListPlace::At(_), ListPlace::Twice(place, _)) => Action::Insert(place),
            (ListPlace::At(_), ListPlace::At(_)) if self.before.member != self.after.member => {
                Action::Write
            }
            _ => Action::Nothing,
        }
    }

    /// The eight arguments of `lua/amend.lua` for this change.
    pub(super) fn arguments(&self) -> [Bytes; 8] {
        let (before, after) = (&self.before, &self.after);
        let score = match &before.score {
            Score::None => String::new(),
            Score::Any => "*".to_owned(),
            Score::Is(score) => score.clone(),
        };
        let new_score = match &after.score {
            Score::None => String::new(),
            Score::Any => "=".to_owned(),
            Score::Is(score) => score.clone(),
        };
        let (place, other) = match before.listed {
            ListPlace::Any => (String::new(), String::new()),
            ListPlace::Nowhere => ("-".to_owned(), String::new()),
            ListPlace::Last => ("last".to_owned(), String::new()),
            ListPlace::At(place) => (place.to_string(), String::new()),
            ListPlace::Twice(place, other) => (place.to_string(), other.to_string()),
        };
        let action = match self.action() {
            Action::Nothing => String::new(),
            Action::Remove(_) | Action::RemoveLast => "remove".to_owned(),
            Action::Push => "push".to_owned(),
            Action::Insert(place) => place.to_string(),
            Action::Write => "write".to_owned(),
        };
        let quarantined = match (&before.quarantined, &after.quarantined) {
            (None, Some(score)) => score.clone(),
            (Some(_), None) => "out".to_owned(),
            _ => String::new(),
        };
        let text = |text: String| Bytes::from(text);
        [
            before.member.clone(),
            after.member.clone(),
            text(score),
            text(new_score),
            text(place),
            text(other),
            text(action),
            text(quarantined),
        ]
    }
}

fn as_base64<S: Serializer>(member: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&BASE64_STANDARD.encode(member))
}

fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
    let text = String::deserialize(deserializer)?;
    let member = BASE64_STANDARD.decode(text).map_err(D::Error::custom)?;
    Ok(member.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(score: Score, listed: ListPlace) -> Standing {
        Standing {
            member: Bytes::from_static(b"\xff\0member"),
            score,
            listed,
            quarantined: None,
        }
    }

    #[test]
    fn a_change_is_written_and_read_with_its_exact_bytes() {
        let change = Change {
            before: standing(Score::Is("1.5".to_owned()), ListPlace::Twice(7, 3)),
            after: standing(Score::Any, ListPlace::At(3)),
        };
        let text = serde_json::to_string(&change).unwrap();
        assert_eq!(serde_json::from_str::<Change>(&text).unwrap(), change);
    }

    #[test]
    fn what_is_taken_back_goes_where_it_stood() {
        let change = Change {
            before: standing(Score::None, ListPlace::At(17)),
            after: standing(Score::None, ListPlace::Nowhere),
        };
        assert_eq!(change.arguments()[4..7], ["17", "", "remove"]);
        assert_eq!(change.reversed().arguments()[4..7], ["-", "", "17"]);
    }
}
