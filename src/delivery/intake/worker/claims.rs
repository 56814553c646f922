//! The claims that a worker has sent.

use tokio::time::Instant;

/// Names the claims of a worker in their leases.
#[derive(Debug)]
pub(super) struct Claims {
    /// Names the worker.
    pub(super) incarnation: [u8; 8],
    /// The number of the last claim; 0 before the first.
    pub(super) last: u64,
    /// When the last claim was sent.
    pub(super) sent_at: Instant,
}

impl Claims {
    pub(super) fn new() -> Self {
        Self {
            incarnation: rand::random(),
            last: 0,
            sent_at: Instant::now(),
        }
    }

    /// Notes that a claim is sent.
    pub(super) fn begin(&mut self) {
        self.last += 1;
        self.sent_at = Instant::now();
    }

    /// The incarnation and the number of the last claim, which name it.
    pub(super) fn claimant(&self) -> [u8; 16] {
        let mut claimant = [0; 16];
        claimant[..8].copy_from_slice(&self.incarnation);
        claimant[8..].copy_from_slice(&self.last.to_be_bytes());
        claimant
    }
}
