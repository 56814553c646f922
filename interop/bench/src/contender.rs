//! Who is measured.

use std::{env, fmt, process::Command};

use interop::peer::Peer;
use redisson_delayed_queue::keys::QueueKeys;

use crate::{Result, node, worker::Worker};

/// A library whose process makes the calls of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contender {
    /// This crate.
    Own,
    /// This crate, with elements that stand in the timeout set alone.
    Unlisted,
    /// This crate, with one queue over several names.
    Sharded,
    Redisson,
    /// The Rust crate of that name.
    Redissun,
    /// The Rust crates apalis and apalis-redis.
    Apalis,
    /// The package of Node.
    BullMq,
}

impl Contender {
    pub(crate) const ALL: [Self; 3] = [Self::Own, Self::Redisson, Self::Redissun];

    /// Those that share the keys of Redisson.
    pub(crate) const COMPATIBLE: [Self; 2] = [Self::Own, Self::Redisson];

    /// True if it is another library than this crate.
    pub(crate) fn is_another(self) -> bool {
        !matches!(self, Self::Own | Self::Unlisted | Self::Sharded)
    }

    /// Why no process of it can be started, if so.
    pub(crate) fn missing(self) -> Option<String> {
        match self {
            Self::BullMq => node::missing(),
            _ => None,
        }
    }

    /// Starts a process of it.
    pub(crate) fn start(self, url: &str) -> Result<Worker> {
        let program = |contender: &str| {
            let mut command = Command::new(env::current_exe()?);
            command.args(["--serve", contender, url]);
            Result::Ok(Peer::program(contender, command))
        };
        let peer = match self {
            Self::Own => program(OWN)?,
            Self::Unlisted => program(UNLISTED)?,
            Self::Sharded => program(SHARDED)?,
            Self::Redisson => Peer::java_bench(REDISSON, url),
            Self::Redissun => program(REDISSUN)?,
            Self::Apalis => program(APALIS)?,
            Self::BullMq => Peer::program(BULLMQ, node::command(url)),
        };
        Ok(Worker::new(self, peer))
    }

    /// Its keys for a queue, if it is a delayed queue as Redisson's.
    pub(crate) fn keys(self, queue: &str) -> Result<Keys> {
        if matches!(self, Self::Apalis | Self::BullMq) {
            return Err(format!("{self} has other keys").into());
        }
        if self == Self::Redissun {
            return Ok(Keys {
                target: queue.to_owned(),
                ordering: format!("redissun__delay_queue:{{{queue}}}"),
                timeouts: format!("redissun__delay_timeout:{{{queue}}}"),
                channel: format!("redissun__delay_channel:{{{queue}}}"),
            });
        }
        let keys = QueueKeys::new(queue)?;
        Ok(Keys {
            target: keys.target().to_owned(),
            ordering: keys.ordering().to_owned(),
            timeouts: keys.timeouts().to_owned(),
            channel: keys.channel().to_owned(),
        })
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Own => "this crate",
            Self::Unlisted => "this crate, unlisted",
            Self::Sharded => "this crate, sharded",
            Self::Redisson => "Redisson",
            Self::Redissun => "redissun",
            Self::Apalis => "apalis-redis",
            Self::BullMq => "BullMQ",
        })
    }
}

/// What a queue is in Redis.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    pub(crate) target: String,
    pub(crate) ordering: String,
    pub(crate) timeouts: String,
    pub(crate) channel: String,
}

/// The version of Redisson.
pub(crate) const REDISSON: &str = "4.7.0";

/// The version of redissun, as in `Cargo.lock`.
pub(crate) const REDISSUN_VERSION: &str = "0.17.0";

/// The version of apalis-redis, as in `Cargo.lock`.
pub(crate) const APALIS_VERSION: &str = "1.0.0";

/// The version of BullMQ, as in `interop/node/package.json`.
pub(crate) const BULLMQ_VERSION: &str = "6.7.0";

/// What the processes are called on their command line and in their greeting.
pub(crate) const OWN: &str = "own";
pub(crate) const UNLISTED: &str = "unlisted";
pub(crate) const SHARDED: &str = "sharded";
pub(crate) const REDISSUN: &str = "redissun";
pub(crate) const APALIS: &str = "apalis";
pub(crate) const BULLMQ: &str = "bullmq";
