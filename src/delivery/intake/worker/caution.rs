//! How carefully a worker claims.

use std::time::Duration;

use tokio::time::Instant;

use crate::link::connection::Failure;
use crate::wire::chunk::MOST_BYTES;

/// Says whether a worker has met large payloads, or lost replies, lately.
#[derive(Debug)]
pub(super) struct Caution {
    /// The next element is large and stays in the target queue, since the intake holds a large one
    /// already.
    pub(super) left_large: bool,
    /// How many more claims read payloads one at a time.
    careful_claims: usize,
    /// How many bytes of payload a reply may hold; the last payload may exceed it.
    most_bytes: usize,
    /// When replies may be larger again.
    grow_at: Option<Instant>,
    /// How many of the smallest replies were lost, one after the other.
    in_vain: usize,
}

impl Caution {
    /// How many claims read payloads one at a time after a claim that met a large payload.
    const CAREFUL: usize = 15;

    /// By how much replies shrink and grow.
    const STEP: usize = 4;

    /// How small replies become.
    const LEAST_BYTES: usize = 4 * 1024;

    /// How many of these are lost before an element counts as too large for any reply.
    const VAIN: usize = 3;

    /// How long replies stay small.
    const SMALL: Duration = Duration::from_secs(600);

    /// True if the next claim reads payloads one at a time.
    pub(super) fn is_careful(&self) -> bool {
        self.careful_claims > 0
    }

    /// How many bytes of payload the next reply may hold; the last payload may exceed it.
    pub(super) fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    /// Notes whether a claim met a large payload.
    pub(super) fn claimed(&mut self, met_large: bool) {
        self.in_vain = 0;
        self.careful_claims = match met_large {
            true => Self::CAREFUL,
            false => self.careful_claims.saturating_sub(1),
        };
        if self.grow_at.is_some_and(|it| it <= Instant::now()) {
            self.resize(self.most_bytes * Self::STEP);
        }
    }

    /// Notes a failure. A server closes a connection if a reply is too large for its
    /// `client-output-buffer-limit`, and does not say so. So replies are smaller after a connection
    /// ended.
    pub(super) fn failed(&mut self, failure: &Failure) {
        let ended = matches!(failure, Failure::Lost(met) if !met.is_timeout());
        if ended {
            self.in_vain += usize::from(self.most_bytes == Self::LEAST_BYTES);
            self.resize(self.most_bytes / Self::STEP);
        }
    }

    /// True if it seems that an element is too large for any reply.
    pub(super) fn is_in_vain(&self) -> bool {
        self.in_vain >= Self::VAIN
    }

    fn resize(&mut self, bytes: usize) {
        self.most_bytes = bytes.clamp(Self::LEAST_BYTES, MOST_BYTES);
        self.grow_at = (self.most_bytes < MOST_BYTES).then(|| Instant::now() + Self::SMALL);
    }
}

impl Default for Caution {
    fn default() -> Self {
        Self {
            left_large: false,
            careful_claims: 0,
            most_bytes: MOST_BYTES,
            grow_at: None,
            in_vain: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_grow_step_by_step_each_after_a_while() {
        let mut caution = Caution::default();
        caution.resize(0);
        let mut sizes = Vec::new();
        for _ in 0..4 {
            caution.claimed(false);
            sizes.push(caution.most_bytes());
            caution.grow_at = caution.grow_at.map(|_| Instant::now());
            caution.claimed(false);
        }
        assert_eq!(sizes, [4, 16, 64, 256].map(|it| it * 1024));
        assert!(caution.grow_at.is_none());
    }
}
