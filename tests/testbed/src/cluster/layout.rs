//! What one node says about all nodes.

use std::{collections::BTreeMap, ops::RangeInclusive};

/// The reply to `CLUSTER NODES`.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Layout(BTreeMap<String, Line>);

#[derive(Debug, Eq, PartialEq)]
struct Line {
    flags: Vec<String>,
    /// `None` in a master.
    master: Option<String>,
    epoch: u64,
    slots: Vec<RangeInclusive<u16>>,
}

impl Layout {
    /// The lines are `ID ADDRESS FLAGS MASTER PING PONG EPOCH LINK SLOTS…`.
    pub(super) fn parse(text: &str) -> Self {
        let lines = text.lines().filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [id, _, flags, master, _, _, epoch, _, slots @ ..] = words.as_slice() else {
                return None;
            };
            let flags = flags.split(',').filter(|it| *it != "myself");
            let line = Line {
                flags: flags.map(str::to_owned).collect(),
                master: (*master != "-").then(|| (*master).to_owned()),
                epoch: epoch.parse().unwrap_or_default(),
                slots: slots.iter().filter_map(|it| range(it)).collect(),
            };
            Some(((*id).to_owned(), line))
        });
        Self(lines.collect())
    }

    /// The part of these nodes. An error if one of them is missing or counts as failed, or if they
    /// do not own all slots.
    pub(super) fn among(mut self, ids: &[&str]) -> Result<Self, String> {
        self.0.retain(|id, _| ids.contains(&id.as_str()));
        let is_sound =
            |line: &Line| matches!(line.flags.as_slice(), [it] if it == "master" || it == "slave");
        let slots: usize = self
            .0
            .values()
            .flat_map(|it| &it.slots)
            .map(ExactSizeIterator::len)
            .sum();
        if self.0.len() == ids.len() && self.0.values().all(is_sound) && slots == super::SLOTS {
            // Replicas take over the epochs of their masters at their own time.
            self.0.values_mut().for_each(|it| it.epoch = 0);
            return Ok(self);
        }
        Err(format!("of {} nodes: {:?}", ids.len(), self.0))
    }

    pub(super) fn owns_slots(&self, id: &str) -> bool {
        self.slots_of(id).next().is_some()
    }

    pub(super) fn slots_of(&self, id: &str) -> impl Iterator<Item = u16> {
        self.0
            .get(id)
            .into_iter()
            .flat_map(|it| it.slots.clone())
            .flatten()
    }

    pub(super) fn master_of(&self, id: &str) -> Option<&String> {
        self.0.get(id)?.master.as_ref()
    }

    /// The newest epoch of a node.
    pub(super) fn epoch(&self) -> u64 {
        self.0.values().map(|it| it.epoch).max().unwrap_or_default()
    }
}

/// `None` for a slot on the move, `[SLOT->-ID]`.
fn range(text: &str) -> Option<RangeInclusive<u16>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some(first.parse().ok()?..=last.parse().ok()?)
}
