//! Telling clients once that the broker is away.

use std::sync::Mutex;

use super::link::Failure;
use crate::event::{Event, Reporter};
use crate::sync::lock;

/// Whether the broker is away, and who is told.
#[derive(Debug)]
pub(super) struct Outage {
    /// The host and port of the broker.
    broker: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Why it is away, if it is.
    cause: Option<String>,
    /// The clients whose elements are published.
    told: Vec<Reporter>,
}

impl Outage {
    pub(super) fn of(broker: String) -> Self {
        let state = Mutex::default();
        Self { broker, state }
    }

    /// Tells a client from now on, and at once if the broker is away.
    pub(super) fn tell(&self, reporter: &Reporter) {
        let mut state = lock(&self.state);
        if state.told.iter().any(|it| it.is(reporter)) {
            return;
        }
        state.told.retain(|it| !it.is_closed());
        state.told.push(reporter.clone());
        if let Some(cause) = &state.cause {
            reporter.report(self.unreachable(cause));
        }
    }

    /// The broker could not be reached.
    pub(super) fn begin(&self, failure: &Failure) {
        let mut state = lock(&self.state);
        if state.cause.is_some() {
            tracing::debug!(broker = self.broker, error = %failure, "the broker is still away");
            return;
        }
        let cause = failure.to_string();
        tracing::warn!(broker = self.broker, cause, "cannot reach the broker");
        for reporter in &state.told {
            reporter.report(self.unreachable(&cause));
        }
        state.cause = Some(cause);
    }

    /// The broker answers.
    pub(super) fn end(&self) {
        let mut state = lock(&self.state);
        if state.cause.take().is_some() {
            for reporter in &state.told {
                reporter.report(Event::BrokerReachable {
                    broker: self.broker.clone(),
                });
            }
        }
    }

    fn unreachable(&self, cause: &str) -> Event {
        Event::BrokerUnreachable {
            broker: self.broker.clone(),
            cause: cause.to_owned(),
        }
    }
}
