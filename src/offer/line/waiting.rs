//! The elements that wait in line, and how many attempts are in flight.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use crate::offer::MOST;
use crate::offer::attempts::FailedFirst;
use crate::sync::lock;
use crate::wire::chunk::split;
use crate::wire::script::When;

/// The offers of one element each to one queue that are under way.
#[derive(Debug, Default)]
pub(crate) struct Line {
    pub(super) state: Mutex<State>,
    /// Wakes the sender.
    pub(super) changed: Notify,
}

#[derive(Debug, Default)]
pub(super) struct State {
    /// How many attempts are under way, of callers and of the sender.
    pub(super) in_flight: usize,
    /// True while a task sends the waiting elements.
    pub(super) has_sender: bool,
    pub(super) waiting: VecDeque<WaitingOffer>,
}

/// An element in line.
pub(super) struct WaitingOffer {
    pub(super) member: Bytes,
    pub(super) when: When,
    /// When its offer began.
    pub(super) started: Instant,
    /// Dropped without an answer if the caller should go on alone.
    pub(super) answer: oneshot::Sender<Result<(), FailedFirst>>,
}

/// What the sender does next.
pub(super) enum Next {
    Send(Vec<WaitingOffer>),
    /// Waits for an attempt to end, but not beyond this moment.
    WaitUntil(Instant),
    /// Waits for more to stand in line.
    Wait,
    End,
}

impl Line {
    /// How many attempts may be in flight before elements line up. Two, so that one is prepared
    /// while Redis runs the other.
    pub(super) const MOST_IN_FLIGHT: usize = 2;
    /// How long an element waits for an attempt to end. The caller that makes it may have stopped
    /// polling, or Redis is far away.
    const PATIENCE: Duration = Duration::from_millis(5);

    /// What a sender with `own` attempts in flight does next.
    pub(super) fn next(&self, own: usize) -> Next {
        let mut state = lock(&self.state);
        let state = &mut *state;
        loop {
            let Some(first) = state.waiting.front() else {
                if own > 0 {
                    return Next::Wait;
                }
                state.has_sender = false;
                return Next::End;
            };
            let patient_until = first.started + Self::PATIENCE;
            if state.in_flight >= Self::MOST_IN_FLIGHT && Instant::now() < patient_until {
                return Next::WaitUntil(patient_until);
            }
            let group = state.next_group();
            if !group.is_empty() {
                state.in_flight += 1;
                return Next::Send(group);
            }
        }
    }
}

impl State {
    /// Takes the elements for the next script. Nothing else groups elements.
    fn next_group(&mut self) -> Vec<WaitingOffer> {
        let size = |waiting: &WaitingOffer| waiting.member.len();
        let (group, _) = split(self.waiting.make_contiguous(), MOST, size);
        let count = group.len();
        let group = self.waiting.drain(..count);
        // Skips elements whose callers have gone.
        group.filter(|it| !it.answer.is_closed()).collect()
    }
}

/// One attempt in flight. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct InFlight {
    pub(super) line: Arc<Line>,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let has_sender = {
            let mut state = lock(&self.line.state);
            state.in_flight -= 1;
            state.has_sender
        };
        if has_sender {
            self.line.changed.notify_one();
        }
    }
}

impl fmt::Debug for WaitingOffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The member holds the payload, which may be confidential.
        f.debug_struct("WaitingOffer")
            .field("bytes", &self.member.len())
            .field("when", &self.when)
            .finish_non_exhaustive()
    }
}
