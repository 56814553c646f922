//! Elements that are written straight into Redis, faster than any client offers them.

use interop::value::encode;
use redisson_delayed_queue::{
    keys::QueueKeys,
    packed::{MemberId, Packed, pack},
};

use crate::{
    Result,
    contender::{Contender, Keys},
    stage::Stage,
    value::value,
};

/// Whose layout the members have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    /// Ids of 8 random bytes, which say nothing of the order; redissun writes the same.
    Java,
    /// Ids of 16 bytes that grow from offer to offer.
    Rust,
    /// The same with a mark, in the timeout set alone.
    Unlisted,
}

impl Writer {
    /// The layout of what the contender offers.
    pub(crate) fn of(contender: Contender) -> Result<Self> {
        match contender {
            Contender::Own | Contender::Sharded => Ok(Self::Rust),
            Contender::Unlisted => Ok(Self::Unlisted),
            Contender::Redisson | Contender::Redissun => Ok(Self::Java),
            Contender::Apalis | Contender::BullMq => Err("it writes no members".into()),
        }
    }
}

/// In which order elements are due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// As they were offered: all delays are alike.
    Fifo,
    Random,
}

/// When the elements are due.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Due {
    /// Within the hour that is over.
    Past,
    /// In the hour that begins an hour from now.
    Future,
    /// All in one millisecond.
    At(u64),
    /// Each at a random moment from the first to the last.
    Between(u64, u64),
}

/// Some elements to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    pub(crate) writer: Writer,
    pub(crate) order: Order,
    pub(crate) due: Due,
    pub(crate) count: usize,
}

impl Fill {
    /// Appends the elements to list and set; returns their members in the order of the offers.
    pub(crate) fn write(self, stage: &mut Stage, keys: &Keys) -> Result<Vec<Vec<u8>>> {
        let now_ms = stage.now_ms()?;
        let mut members = Vec::with_capacity(self.count);
        while members.len() < self.count {
            let (mut push, mut add) = (redis::cmd("RPUSH"), redis::cmd("ZADD"));
            push.arg(&keys.ordering);
            add.arg(&keys.timeouts);
            let end = self.count.min(members.len() + CHUNK);
            for i in members.len()..end {
                let member = pack(&self.id(i, now_ms), value(i).as_bytes());
                push.arg(&member[..]);
                add.arg(self.due_ms(i, now_ms)).arg(&member[..]);
                members.push(member.to_vec());
            }
            if self.writer != Writer::Unlisted {
                push.exec(&mut stage.redis)?;
            }
            add.exec(&mut stage.redis)?;
        }
        Ok(members)
    }

    fn id(self, i: usize, now_ms: u64) -> MemberId {
        match self.writer {
            Writer::Java => MemberId::from(rand::random::<[u8; 8]>()),
            Writer::Rust => MemberId::from(self.ordered(i, now_ms)),
            Writer::Unlisted => {
                let mut marked = [b'u'; 17];
                marked[..16].copy_from_slice(&self.ordered(i, now_ms));
                MemberId::from(marked)
            }
        }
    }

    /// As a client has made them until now, one each ms.
    fn ordered(self, i: usize, now_ms: u64) -> [u8; 16] {
        let stamp = now_ms.saturating_sub((self.count - i) as u64);
        let id = u128::from(stamp << 16) << 64 | 7;
        id.to_be_bytes()
    }

    fn due_ms(self, i: usize, now_ms: u64) -> u64 {
        let place = match self.order {
            Order::Fifo => i as u64 * HOUR_MS / self.count as u64,
            Order::Random => rand::random_range(0..HOUR_MS),
        };
        match self.due {
            Due::Past => now_ms - HOUR_MS + place,
            Due::Future => now_ms + HOUR_MS + place,
            Due::At(due_ms) => due_ms,
            Due::Between(first_ms, last_ms) => rand::random_range(first_ms..=last_ms),
        }
    }
}

/// Puts values into the target queue, where they can be taken.
pub(crate) fn push(stage: &mut Stage, keys: &Keys, count: usize) -> Result<()> {
    for start in (0..count).step_by(CHUNK) {
        let mut push = redis::cmd("RPUSH");
        push.arg(&keys.target);
        for i in start..count.min(start + CHUNK) {
            push.arg(value(i));
        }
        push.exec(&mut stage.redis)?;
    }
    Ok(())
}

/// Has each of the members pending under a key of this crate, its own value.
pub(crate) fn put_under_keys(stage: &mut Stage, queue: &str, members: &[Vec<u8>]) -> Result<()> {
    let mut set = redis::cmd("HSET");
    set.arg(QueueKeys::new(queue)?.keyed());
    for member in members {
        let payload = Packed::parse(member.clone().into())?.payload;
        set.arg([b"k", &payload[..]].concat()).arg(member);
    }
    Ok(set.exec(&mut stage.redis)?)
}

/// Members as a command line names them.
pub(crate) fn words(members: &[Vec<u8>]) -> String {
    let words: Vec<String> = members.iter().map(encode).collect();
    let words: Vec<&str> = words.iter().map(|it| it.trim_start_matches('x')).collect();
    words.join(" ")
}

const CHUNK: usize = 1_000;

const HOUR_MS: u64 = 3_600_000;
