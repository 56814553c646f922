//! How much of the payloads a reply may bring.

use crate::link::connection::LARGE;
use crate::wire::chunk::MOST_BYTES;

/// How many bytes of payload a reply may hold, and which payloads it leaves out.
///
/// A server may close a connection because a reply is too large for it
/// (`client-output-buffer-limit`), and does not say so. So after each lost reply the next ones are
/// smaller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplyLimit(usize);

impl ReplyLimit {
    const LEAST: usize = 4 * 1024;

    /// How many bytes of payload the reply may hold; the last payload may exceed it.
    pub(crate) fn most_bytes(self) -> usize {
        self.0
    }

    /// A payload of more bytes is left out, and read apart.
    pub(crate) fn large_from(self) -> usize {
        match self.0 < MOST_BYTES {
            true => self.0,
            false => LARGE,
        }
    }

    /// Notes that a reply was lost.
    pub(crate) fn lost(&mut self) {
        self.0 = (self.0 / 4).max(Self::LEAST);
    }

    /// Notes that a reply came.
    pub(crate) fn came(&mut self) {
        self.0 = (self.0 + Self::LEAST).min(MOST_BYTES);
    }
}

impl Default for ReplyLimit {
    fn default() -> Self {
        Self(MOST_BYTES)
    }
}
