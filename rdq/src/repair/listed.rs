//! Members that can be put right, one by one.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use redisson_delayed_queue::Ticket;
use redisson_delayed_queue::packed::Packed;
use serde::Serialize;

use super::fix::Fix;
use super::plan::new_score;
use crate::element::{hex, short};
use crate::payload::{Payloads, Shown};
use crate::queue::census::{Census, Group, Odd};

/// A member that does not belong where it stands.
#[derive(Serialize)]
pub(crate) struct Listed {
    /// What `rdq doctor` calls it.
    pub(crate) check: &'static str,
    /// In hex, if the member can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ticket: Option<Ticket>,
    /// Its score in the timeout set, as Redis spells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<String>,
    /// The score that the fix would give it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) new_score: Option<String>,
    /// Its place in the ordering list, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<u64>,
    /// The value, if the member can be read.
    #[serde(flatten)]
    pub(crate) shown: Option<Shown>,
    /// The whole member in Base64, if it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<String>,
}

impl Listed {
    fn new(fix: Fix, check: &'static str, odd: &Odd, payloads: &Payloads) -> Self {
        let packed = Packed::parse(odd.member.clone()).ok();
        Self {
            check,
            id: packed.as_ref().map(|it| hex(it.id.as_bytes())),
            ticket: Ticket::from_bytes(odd.member.clone()).ok(),
            score: odd.score.clone(),
            new_score: new_score(fix, odd),
            place: odd.place,
            bytes: packed.is_none().then(|| STANDARD.encode(&odd.member)),
            shown: packed.map(|it| Shown::new(payloads, &it.payload)),
        }
    }

    /// The cells of a table: the check, the beginning of the id, the place, the score and what it becomes, and
    /// the value or the bytes.
    pub(crate) fn cells(&self) -> [String; 5] {
        let score = self.score.iter().chain(&self.new_score);
        let score: Vec<_> = score.map(String::as_str).collect();
        let value = self.shown.as_ref().map(Shown::text);
        [
            self.check.to_owned(),
            self.id.as_deref().map_or("", short).to_owned(),
            self.place.map(|it| it.to_string()).unwrap_or_default(),
            score.join(" -> "),
            value.or_else(|| self.bytes.clone()).unwrap_or_default(),
        ]
    }
}

/// The members that these fixes would change, as far as the census has kept them.
pub(crate) fn list<'a>(
    census: &'a Census,
    fixes: &'a [Fix],
    payloads: &'a Payloads,
) -> impl Iterator<Item = Listed> + 'a {
    let groups = fixes.iter().flat_map(|fix| {
        let groups: Vec<(&str, &Group)> = match fix {
            Fix::Malformed => vec![("malformed", &census.malformed)],
            Fix::Scores => vec![("scores", &census.scores)],
            Fix::Seconds => vec![("seconds", &census.seconds)],
            Fix::Repeats => vec![("repeats", &census.repeats)],
            Fix::Ghosts => vec![("ghosts", &census.ghosts), ("orphans", &census.orphans)],
            Fix::Unlisted => vec![("unlisted", &census.unlisted)],
        };
        groups
            .into_iter()
            .map(move |(check, group)| (*fix, check, group))
    });
    groups.flat_map(move |(fix, check, group)| {
        let kept = group.kept.iter();
        kept.map(move |odd| Listed::new(fix, check, odd, payloads))
    })
}
