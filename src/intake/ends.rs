//! The two ends of a target queue, and who waits there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tokio::sync::watch;

use super::Intake;
use crate::end::End;

/// The intakes of one queue, and what both need to know.
#[derive(Debug)]
pub(crate) struct Ends {
    first: Arc<Intake>,
    last: Arc<Intake>,
    /// Changes with every hint, for callers that wait without an intake.
    hints: watch::Sender<()>,
    /// This client's service moves what is due in the queue, and so looks at it in any case.
    transferred: AtomicBool,
}

impl Ends {
    pub(crate) fn new() -> Self {
        Self {
            first: Arc::new(Intake::new()),
            last: Arc::new(Intake::new()),
            hints: watch::Sender::new(()),
            transferred: AtomicBool::new(false),
        }
    }

    pub(crate) fn at(&self, end: End) -> &Arc<Intake> {
        match end {
            End::First => &self.first,
            End::Last => &self.last,
        }
    }

    /// Says that there may be something to claim.
    pub(crate) fn hint(&self) {
        self.first.hint();
        self.last.hint();
        self.hints.send_replace(());
    }

    /// Says that what held claims back may be over: a pause, or a limit to their rate.
    pub(crate) fn release(&self) {
        self.first.release();
        self.last.release();
        self.hints.send_replace(());
    }

    /// Says that a claim at `end` has written the queue's state: Redis tells this client nothing of
    /// what it writes itself, and forgets that the others here asked to be told.
    pub(crate) fn spend(&self, end: End) {
        match end {
            End::First => self.last.release(),
            End::Last => self.first.release(),
        }
        self.hints.send_replace(());
    }

    /// Changes with every hint, and when the queue is closed.
    pub(crate) fn hints(&self) -> watch::Receiver<()> {
        self.hints.subscribe()
    }

    /// Hands over no more, at either end.
    pub(crate) fn close(&self) {
        self.first.close();
        self.last.close();
        self.hints.send_replace(());
    }

    /// Says that this client's service moves what is due in the queue. False if it did already.
    pub(crate) fn set_transferred(&self) -> bool {
        !self.transferred.swap(true, Relaxed)
    }

    pub(crate) fn is_transferred(&self) -> bool {
        self.transferred.load(Relaxed)
    }
}
