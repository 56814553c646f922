//! What the workers of a queue are told about it.
//!
//! Whoever learns something tells the queue's [`Sides`](super::Sides). They pass it to all
//! workers:
//!
//! | Signal | Sent by |
//! |---|---|
//! | [`Claimable`](Signal::Claimable) | the transfer service after a run, or when reports may have been missed; a worker that gave elements back |
//! | [`Expected`](Signal::Expected) | the transfer service, as soon as a run is on its way |
//! | [`Changed`](Signal::Changed) | Redis, which tracks the target queue for this client |
//! | [`Called`](Signal::Called), [`Explained`](Signal::Explained) | the client that moved elements, on the queue's channel |
//! | [`Released`](Signal::Released) | Redis, which tracks the queue's state; whoever wrote that state here; the transfer service, when reports may have been missed |
//!
//! A signal stays noted until the worker's next round, so none is lost between two rounds. It may
//! be lost before it gets here, with a connection. So nothing depends on signals alone: the
//! transfer service looks at every queue once a safety poll, and a worker without one does so
//! itself.

/// One thing that a worker is told.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Signal {
    /// There may be something to claim.
    Claimable,
    /// There may be something to claim as soon as Redis has run what the delivery connection has
    /// carried so far. A claim on that connection finds it; a command on another might come first.
    Expected,
    /// Somebody changed the target queue. Redis will not report the next change unless asked again.
    Changed,
    /// Another client has left something for this client to claim.
    Called,
    /// The latest change was for clients that another one called. This wakes nobody.
    Explained,
    /// A pause or a rate limit may be over.
    Released,
}

/// The signals that a worker has not read yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signals(u8);

impl Signal {
    /// False if only the next round needs to know.
    pub(super) fn wakes_worker(self) -> bool {
        self != Self::Explained
    }

    /// True if a caller that moves elements by a script of its own should try again.
    pub(super) fn wakes_relays(self) -> bool {
        !matches!(self, Self::Expected | Self::Explained)
    }
}

impl Signals {
    pub(super) fn add(&mut self, signal: Signal) {
        self.0 |= 1 << signal as u8;
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn has(self, signal: Signal) -> bool {
        self.0 & 1 << signal as u8 != 0
    }
}

#[cfg(test)]
impl<const N: usize> From<[Signal; N]> for Signals {
    fn from(signals: [Signal; N]) -> Self {
        let mut all = Self::default();
        signals.into_iter().for_each(|it| all.add(it));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::Signal::*;
    use super::*;

    #[test]
    fn each_signal_is_noted_once_and_apart_from_the_others() {
        let all = [Claimable, Expected, Changed, Called, Explained, Released];
        for told in all {
            let mut signals = Signals::default();
            signals.add(told);
            signals.add(told);
            for other in all {
                assert_eq!(signals.has(other), other == told, "{other:?} of {told:?}");
            }
        }
    }
}
