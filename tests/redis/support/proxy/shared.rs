//! What the test has asked for and every connection obeys.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{
        Mutex,
        atomic::{AtomicU16, AtomicUsize},
    },
    time::Duration,
};

use bytes::Bytes;
use tokio::sync::watch;

/// The state between one proxy and its connections.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) upstream_port: AtomicU16,
    pub(super) controls: watch::Sender<Controls>,
    rules: Mutex<Vec<Rule>>,
    pub(super) lost_replies: AtomicUsize,
    scripts: Mutex<Vec<String>>,
    refusals: Mutex<Vec<Refusal>>,
}

impl Shared {
    pub(super) fn add_rules(&self, pattern: &[u8], fates: impl IntoIterator<Item = Fate>) {
        assert!(
            !pattern.is_empty(),
            "an empty pattern would match by accident"
        );
        let rules = fates.into_iter().map(|fate| Rule {
            pattern: pattern.to_vec(),
            fate,
        });
        self.rules.lock().expect(NO_PANIC).extend(rules);
    }

    pub(super) fn refuse(&self, words: &[&str], error: &str) {
        let script = "return redis.error_reply(ARGV[1])";
        let instead: String = ["EVAL", script, "0", error].map(bulk).concat();
        let instead = Bytes::from(format!("*4\r\n{instead}"));
        self.answer(words, Some(instead));
    }

    pub(super) fn pass(&self, words: &[&str]) {
        self.answer(words, None);
    }

    fn answer(&self, words: &[&str], instead: Option<Bytes>) {
        let words = words.iter().map(|it| bulk(it)).collect();
        let refusal = Refusal { words, instead };
        self.refusals.lock().expect(NO_PANIC).push(refusal);
    }

    pub(super) fn refuse_nothing(&self) {
        self.refusals.lock().expect(NO_PANIC).clear();
    }

    /// The request to send to Redis instead of this one.
    pub(super) fn rewrite(&self, request: Bytes) -> Bytes {
        let refusals = self.refusals.lock().expect(NO_PANIC);
        let count_end = request.iter().position(|byte| *byte == b'\n');
        let words = &request[count_end.map_or(0, |end| end + 1)..];
        let refusal = refusals
            .iter()
            .find(|it| words.starts_with(it.words.as_bytes()));
        let instead = refusal.and_then(|it| it.instead.clone());
        instead.unwrap_or_else(|| request.clone())
    }

    /// Keeps the script that `request` brings along, if it does.
    pub(super) fn keep_script(&self, request: &[u8]) {
        const EVAL: &[u8] = b"$4\r\nEVAL\r\n$";
        let first = request.iter().position(|byte| *byte == b'$');
        let text = first.and_then(|at| request[at..].strip_prefix(EVAL));
        if let Some(text) = text {
            // The text is not that long. What follows may be.
            let text = String::from_utf8_lossy(&text[..text.len().min(100_000)]);
            let (length, text) = text.split_once("\r\n").expect("a length ends its line");
            let length: usize = length.parse().expect("a length is a number");
            let text = text[..length].to_owned();
            self.scripts.lock().expect(NO_PANIC).push(text);
        }
    }

    /// The script that was brought along and has `part`.
    pub(super) fn script(&self, part: &str) -> Option<String> {
        let scripts = self.scripts.lock().expect(NO_PANIC);
        scripts.iter().find(|it| it.contains(part)).cloned()
    }

    /// What is to become of the reply to `request`; uses up the rule that says so.
    pub(super) fn fate_of(&self, request: &[u8]) -> Fate {
        let mut rules = self.rules.lock().expect(NO_PANIC);
        let matches = |rule: &Rule| {
            request
                .windows(rule.pattern.len())
                .any(|bytes| bytes == rule.pattern)
        };
        rules
            .iter()
            .position(matches)
            .map_or(Fate::Deliver, |index| rules.remove(index).fate)
    }
}

/// Connections are numbered in the order they were accepted, so "all current ones" is a number.
#[derive(Default)]
pub(super) struct Controls {
    pub(super) opened: usize,
    /// How many may be open at a time, if that is limited.
    pub(super) most_open: Option<usize>,
    pub(super) cut_before: usize,
    pub(super) stranded_before: usize,
    pub(super) black_hole: bool,
    pub(super) hold_requests: bool,
    pub(super) hold_replies: bool,
    pub(super) delay: Duration,
    pub(super) jitter: Jitter,
    /// How many bytes a connection passes in a second, if that is limited.
    pub(super) rate: Option<u32>,
}

impl Controls {
    /// How long it takes to pass so many bytes.
    pub(super) fn passage(&self, bytes: usize) -> Duration {
        let seconds = self.rate.map(|rate| bytes as f64 / f64::from(rate));
        Duration::from_secs_f64(seconds.unwrap_or_default())
    }
}

/// A delay that differs from frame to frame but not from run to run.
#[derive(Default)]
pub(super) struct Jitter {
    pub(super) max: Duration,
    pub(super) seed: u64,
}

impl Jitter {
    /// Drawn from what identifies the frame, so that it does not depend on when other frames pass.
    pub(super) fn of_frame(&self, connection: usize, index: u64) -> Duration {
        let mut hasher = DefaultHasher::new();
        (self.seed, connection, index).hash(&mut hasher);
        self.max.mul_f64(hasher.finish() as f64 / u64::MAX as f64)
    }
}

/// The fate of the reply to the next request that contains the pattern.
struct Rule {
    pattern: Vec<u8>,
    fate: Fate,
}

/// Requests that are refused.
struct Refusal {
    /// How they begin, after the number of their words.
    words: String,
    /// What Redis is asked instead, to make the error. None if they pass.
    instead: Option<Bytes>,
}

/// A word of a request.
fn bulk(word: &str) -> String {
    format!("${}\r\n{word}\r\n", word.len())
}

/// What becomes of a reply.
pub(super) enum Fate {
    Deliver,
    Lose,
    /// The other ends are in the [`Gate`](super::Gate).
    Hold {
        reached: watch::Sender<bool>,
        released: watch::Receiver<bool>,
    },
}

const NO_PANIC: &str = "nothing panics while these are locked";
