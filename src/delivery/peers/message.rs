//! The messages that the clients of a queue send each other, on a channel of this crate: words of
//! text with a space between.

use std::fmt;

/// The name of one client among the clients of a queue: 16 hex digits.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Peer(u64);

/// A message. Anything else on the channel is ignored.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Message {
    /// `lua/transfer.lua` moved elements, or found some for clients that wait.
    Moved(Moved),
    /// The next retry of a delivery is due at this moment, unix ms by Redis's clock.
    Retry(i64),
    /// Callers wait at this client, which follows another.
    Waiting(Peer),
}

/// What one run of the transfer script says.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Moved {
    pub(crate) by: Peer,
    /// Callers take from the queue at the sender.
    pub(crate) takes: bool,
    /// How many elements it moved.
    pub(crate) count: u64,
    /// Redis's clock during the run, unix us.
    pub(crate) at_us: i64,
    /// When the next pending element is due, unix ms by its writer's clock. None if none is
    /// pending.
    pub(crate) head_ms: Option<i64>,
    /// How many elements the other clients can claim.
    pub(crate) spare: u64,
    /// The clients that should claim them.
    pub(crate) called: Vec<Peer>,
}

impl Peer {
    const LEN: usize = 16;

    pub(crate) fn random() -> Self {
        Self(rand::random())
    }

    /// The message that callers wait at this client.
    pub(crate) fn waiting(self) -> String {
        format!("waiting {self}")
    }

    fn parse(text: &str) -> Option<Self> {
        let is_hex = text.len() == Self::LEN && text.bytes().all(|it| it.is_ascii_hexdigit());
        let number = is_hex.then(|| u64::from_str_radix(text, 16).ok());
        number.flatten().map(Self)
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Message {
    /// Parses a message. None for any other bytes.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (kind, rest) = text.split_once(' ')?;
        match kind {
            "moved" => Moved::parse(rest).map(Self::Moved),
            "retry" => rest.parse().ok().map(Self::Retry),
            "waiting" => Peer::parse(rest).map(Self::Waiting),
            _ => None,
        }
    }
}

impl Moved {
    /// True if more was due after the run. Assumes that the writer's clock agrees with Redis's. If
    /// they differ, followers wait too long or not at all.
    pub(crate) fn has_more(&self) -> bool {
        self.head_ms
            .is_some_and(|head_ms| head_ms.saturating_mul(1_000) <= self.at_us)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let mut word = || words.next();
        let moved = Self {
            by: Peer::parse(word()?)?,
            takes: word()? == "1",
            count: word()?.parse().ok()?,
            at_us: word()?.parse().ok()?,
            head_ms: match word()? {
                "-" => None,
                due => Some(due.parse().ok()?),
            },
            spare: word()?.parse().ok()?,
            called: peers(word()?)?,
        };
        words.next().is_none().then_some(moved)
    }
}

/// Parses names that stand side by side.
fn peers(text: &str) -> Option<Vec<Peer>> {
    let chunks = text.as_bytes().chunks(Peer::LEN);
    chunks
        .map(|chunk| Peer::parse(std::str::from_utf8(chunk).ok()?))
        .collect()
}

#[cfg(test)]
mod tests;
