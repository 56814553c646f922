//! One process that offers or takes, in either language.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use interop::{
    caller::{Caller, Outcome},
    peer::{Peer, Reply},
    value,
};
use testbed::ClockOffset;

use crate::{QUEUE, Result};

/// How a process is started, again and again.
#[derive(Clone)]
pub(crate) struct Recipe {
    pub(crate) language: Language,
    pub(crate) url: String,
    pub(crate) clock: ClockOffset,
}

#[derive(Clone)]
pub(crate) enum Language {
    /// The program that makes the calls.
    Rust(PathBuf),
    /// Real Redisson.
    Java,
}

pub(crate) enum Worker {
    Rust(Caller),
    Java {
        /// It answers one command at a time.
        peer: Mutex<Peer>,
        is_stopped: AtomicBool,
    },
}

/// What became of an offer.
pub(crate) enum Offered {
    Acknowledged,
    /// So many replicas have it as the offer had to wait for.
    Confirmed,
    Failed(String),
    /// The process has ended.
    Died,
}

impl Recipe {
    pub(crate) fn start(&self) -> Result<Arc<Worker>> {
        let worker = match &self.language {
            Language::Rust(program) => {
                let caller = Caller::start_with_clock(program, &self.url, OPTIONS, &self.clock);
                Worker::Rust(caller.map_err(|error| error.to_string())?)
            }
            Language::Java => {
                let opened = catch_unwind(|| {
                    let mut peer = Peer::java_with_clock(REDISSON, &self.url, &self.clock);
                    peer.set_deadline(DEADLINE);
                    peer.open("q", QUEUE, "string");
                    peer
                });
                Worker::Java {
                    peer: Mutex::new(opened.map_err(|_| "redisson does not start")?),
                    is_stopped: AtomicBool::default(),
                }
            }
        };
        Ok(Arc::new(worker))
    }
}

impl Worker {
    /// Offers, and waits for so many replicas. Redisson waits for none.
    pub(crate) fn offer(&self, value: &str, delay: Duration, replicas: Option<usize>) -> Offered {
        let ms = delay.as_millis();
        match self {
            Self::Rust(caller) => {
                let call = match replicas {
                    Some(replicas) => format!(
                        "offer_durable {QUEUE} {replicas} {CONFIRMED_WITHIN_MS} {ms} {value}"
                    ),
                    None => format!("offer {QUEUE} {ms} {value}"),
                };
                match caller.call(&call) {
                    Outcome::Ok(tokens) if tokens.first().is_some_and(|it| it == "durable") => {
                        Offered::Confirmed
                    }
                    Outcome::Ok(_) => Offered::Acknowledged,
                    Outcome::Failed { message, .. } => Offered::Failed(message),
                    _ => Offered::Died,
                }
            }
            Self::Java { .. } => match self.command(&format!("offer q {ms} ={value}")) {
                Some(Reply::Err(message)) => Offered::Failed(message),
                Some(_) => Offered::Acknowledged,
                None => Offered::Died,
            },
        }
    }

    /// Takes until the process ends or is stopped, and hands over what comes. Returns after a
    /// failure, which it says.
    pub(crate) fn consume(&self, came: impl Fn(&str)) -> Option<String> {
        match self {
            Self::Rust(caller) => {
                let replies = caller.begin(&format!("consume {QUEUE} take"))?;
                for reply in replies {
                    match reply.strip_prefix("took ") {
                        Some(values) => values.split(' ').for_each(&came),
                        None => return Some(reply),
                    }
                }
                None
            }
            Self::Java { is_stopped, .. } => {
                while !is_stopped.load(Relaxed) {
                    match self.command("poll q 1000")? {
                        Reply::Ok(taken) => {
                            let (_, value) = taken.split_once(' ').unwrap_or_default();
                            let value = value::decode(value).unwrap_or_default();
                            came(&String::from_utf8_lossy(&value));
                        }
                        Reply::Nil => {}
                        Reply::Err(message) => return Some(message),
                    }
                }
                None
            }
        }
    }

    pub(crate) fn kill(&self) {
        match self {
            Self::Rust(caller) => caller.kill(),
            Self::Java { is_stopped, .. } => is_stopped.store(true, Relaxed),
        }
    }

    /// Lets it end in good order.
    pub(crate) fn stop(&self) -> Result<()> {
        match self {
            Self::Rust(caller) => caller.exit(DEADLINE),
            Self::Java { is_stopped, .. } => {
                is_stopped.store(true, Relaxed);
                Ok(())
            }
        }
    }

    /// Nothing if the process has ended, or has said nothing for a long time.
    fn command(&self, line: &str) -> Option<Reply> {
        let Self::Java { peer, .. } = self else {
            return None;
        };
        // A lock that a panic poisoned is that of a process that is gone.
        let mut peer = peer.lock().ok()?;
        catch_unwind(AssertUnwindSafe(|| peer.send(line))).ok()
    }
}

/// The version that the figures of `docs/reliability.md` are about.
const REDISSON: &str = "4.7.0";
/// Longer than any fault, and short enough to wait for what killed processes had claimed.
const OPTIONS: &[&str] = &["lease=10000", "events=no"];
/// Longer than replicas need. Without a replica, an offer takes so long.
const CONFIRMED_WITHIN_MS: u64 = 300;
/// How long a process may be silent before it counts as dead.
const DEADLINE: Duration = Duration::from_secs(60);
