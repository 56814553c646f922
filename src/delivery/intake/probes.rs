//! Callers that wait for the end of a worker's round.

use tokio::sync::oneshot;

/// Callers that wait for the end of a round, and ask whether it left something. A dropped sender
/// answers that it left nothing.
#[derive(Debug, Default)]
pub(super) struct Probes {
    /// Those who want a round that asks Redis.
    pub(super) asking: Vec<oneshot::Sender<bool>>,
    /// Those who want no round that asks Redis in vain.
    pub(super) patient: Vec<oneshot::Sender<bool>>,
    /// Those whose round brought only a large element, which is still on its way.
    pub(super) of_large: Vec<oneshot::Sender<bool>>,
}

impl Probes {
    /// Answers the callers that wait for the end of a failed round.
    pub(super) fn forget(&mut self) {
        self.asking.clear();
        self.patient.clear();
    }
}
