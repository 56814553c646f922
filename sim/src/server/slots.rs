//! The slots of a cluster, as one of its servers sees them, and what it answers about keys of others.

use std::collections::BTreeMap;

use bytes::Bytes;
use crc16::{State as Crc, XMODEM};

use super::{Server, State};
use crate::{
    command::{Answer, Command},
    fault::ErrorReply,
    reply::Reply,
};

const PORT: u16 = 6379;
const CROSS_SLOT: &str = "CROSSSLOT Keys in request don't hash to the same slot";
const TRY_AGAIN: &str = "TRYAGAIN Multiple keys request during rehashing of slot";
const NO_CLUSTER: &str = "ERR This instance has cluster support disabled";

/// Which server of a cluster has which slot, as one of them sees it.
#[derive(Clone, Debug)]
pub struct Slots {
    me: usize,
    /// The owners of slots that have moved. The first server has all others.
    owners: BTreeMap<u16, usize>,
    /// The slots that go to another server.
    leaving: BTreeMap<u16, usize>,
    epoch: u64,
}

impl Slots {
    pub(crate) const COUNT: u16 = 16_384;

    /// The slots as the server of this number sees them at first.
    #[must_use]
    pub fn of(me: usize) -> Self {
        Self {
            me,
            owners: BTreeMap::new(),
            leaving: BTreeMap::new(),
            epoch: 0,
        }
    }

    /// Lets a slot go to another server, key by key.
    pub fn leave(&mut self, slot: u16, to: usize) {
        self.leaving.insert(slot, to);
    }

    /// Notes that a server has a slot, with all its keys.
    pub fn settle(&mut self, slot: u16, owner: usize) {
        self.owners.insert(slot, owner);
        self.leaving.remove(&slot);
        self.epoch += 1;
    }

    pub(crate) fn owner(&self, slot: u16) -> usize {
        self.owners.get(&slot).copied().unwrap_or_default()
    }
}

/// The address of the server of this number.
pub(crate) fn address(server: usize) -> String {
    format!("{}:{PORT}", host(server))
}

fn host(server: usize) -> String {
    format!("redis-{server}")
}

/// The slot of a key.
#[must_use]
pub(crate) fn slot_of(key: &[u8]) -> u16 {
    let tag = key.splitn(2, |it| *it == b'{').nth(1);
    let tag = tag.and_then(|it| {
        it.split(|it| *it == b'}')
            .next()
            .filter(|tag| tag.len() < it.len())
    });
    let tag = tag.filter(|it| !it.is_empty()).unwrap_or(key);
    Crc::<XMODEM>::calculate(tag) % Slots::COUNT
}

impl Server {
    /// Makes it a server of a cluster that sees its slots so; `None` makes it one that stands alone.
    pub fn set_slots(&mut self, slots: Option<Slots>) {
        self.state.slots = slots;
    }

    /// Its view of the cluster, if it belongs to one.
    pub fn slots(&mut self) -> Option<&mut Slots> {
        self.state.slots.as_mut()
    }

    /// A key of this slot.
    #[must_use]
    pub fn key_of(&self, slot: u16) -> Option<Bytes> {
        let space = self.state.databases.get(&0)?;
        space.keys().find(|it| slot_of(it) == slot).cloned()
    }

    /// Moves a key to another server, as MIGRATE does.
    pub fn migrate(&mut self, key: &Bytes, to: &mut Self) {
        let space = self.state.databases.entry(0).or_default();
        let Some(entry) = space.remove(key) else {
            return;
        };
        space.changed.clear();
        self.state.tell_readers(None, key);
        let space = to.state.databases.entry(0).or_default();
        space.put(key, entry);
        space.changed.clear();
    }

    /// Takes what was published here since the last call, for the other servers of the cluster.
    pub(crate) fn take_published(&mut self) -> Vec<(Bytes, Bytes)> {
        std::mem::take(&mut self.state.published)
    }

    /// Publishes what was published at another server.
    pub(crate) fn hear(&mut self, channel: &Bytes, message: &Bytes) {
        self.state.tell_listeners(channel, message);
    }
}

impl State {
    /// An error if another server has the keys of a command, or some of them.
    pub(super) fn find_server(&self, command: &Command, words: &[Bytes]) -> Result<(), ErrorReply> {
        let (Some(slots), [first, others @ ..]) = (&self.slots, command.keys(words)) else {
            return Ok(());
        };
        let slot = slot_of(first);
        if others.iter().any(|it| slot_of(it) != slot) {
            return Err(CROSS_SLOT.into());
        }
        let owner = slots.owner(slot);
        if owner != slots.me {
            return Err(format!("MOVED {slot} {}", address(owner)).into());
        }
        let Some(to) = slots.leaving.get(&slot) else {
            return Ok(());
        };
        let space = self.databases.get(&0);
        let is_here = |key: &&Bytes| space.is_some_and(|it| it.entry(key).is_some());
        match command.keys(words).iter().filter(is_here).count() {
            0 => Err(format!("ASK {slot} {}", address(*to)).into()),
            some if some <= others.len() => Err(TRY_AGAIN.into()),
            _ => Ok(()),
        }
    }

    pub(super) fn cluster(&self, words: &[Bytes]) -> Answer {
        let slots = self.slots.as_ref().ok_or(NO_CLUSTER)?;
        match &*words[1].to_ascii_lowercase() {
            b"info" => {
                let epoch = slots.epoch;
                let info = format!("cluster_state:ok\r\ncluster_current_epoch:{epoch}\r\n");
                Ok(Reply::Bulk(info.into()))
            }
            b"slots" => Ok(Reply::Array(slots.ranges())),
            sub => Err(super::refusal::unknown_subcommand("cluster", sub)),
        }
    }
}

impl Slots {
    /// As in the reply to `CLUSTER SLOTS`.
    fn ranges(&self) -> Vec<Reply> {
        let mut ranges = Vec::new();
        let mut first = 0;
        for slot in 1..=Self::COUNT {
            let owner = self.owner(first);
            if slot == Self::COUNT || self.owner(slot) != owner {
                ranges.push(Reply::Array(vec![
                    Reply::Integer(first.into()),
                    Reply::Integer((slot - 1).into()),
                    Reply::Array(vec![
                        Reply::text(host(owner)),
                        Reply::Integer(PORT.into()),
                        Reply::text(format!("{owner:040}")),
                    ]),
                ]));
                first = slot;
            }
        }
        ranges
    }
}
