//! The connection for large payloads.

use std::fmt;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use redis::{ConnectionInfo, RedisResult};
use tokio::time::sleep;

use super::{Connection, Failure, Link, Met, Purpose, Timeouts};
use crate::link::background::Background;
use crate::link::clock::RemoteClock;
use crate::sync::lock;

/// How many bytes make a call large: it goes over a [`LargeLink`].
pub(crate) const LARGE: usize = 1024 * 1024;

/// How many bytes of a large call are given a millisecond: a second for each 4 MiB, which a network
/// of 34 Mbit/s carries. Redis itself needs a few ms for each MiB, or some ten times as long on a
/// machine that is busy.
pub(crate) const BYTES_A_MS: usize = 4 * 1024;

/// How much longer to wait for the reply to a call that sends or fetches so many bytes.
pub(crate) fn extra_time(bytes: usize) -> Duration {
    let large = if bytes < LARGE { 0 } else { bytes };
    Duration::from_millis((large / BYTES_A_MS) as u64)
}

/// A link for large calls, so that no small one waits behind their bytes.
///
/// It has a socket of its own, and a thread that copies what passes. Both are made when they are
/// first needed, and closed once nobody has needed them for [`LargeLink::IDLE`].
pub(crate) struct LargeLink {
    info: ConnectionInfo,
    timeouts: Timeouts,
    clock: Arc<RemoteClock>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    open: Option<Arc<Open>>,
    /// How many calls are under way.
    users: usize,
    /// How many calls have begun.
    uses: u64,
}

struct Open {
    link: Link,
    thread: Background,
}

impl LargeLink {
    /// How long the socket and the thread outlast the last call.
    const IDLE: Duration = Duration::from_secs(5);

    pub(crate) fn new(info: ConnectionInfo, timeouts: Timeouts, clock: Arc<RemoteClock>) -> Self {
        Self {
            info,
            timeouts,
            clock,
            state: Arc::default(),
        }
    }

    /// Runs `work`, which sends or fetches so many bytes, on the connection.
    ///
    /// Leaves the command sent or not if dropped.
    pub(crate) async fn call<T, F, W>(&self, bytes: usize, work: W) -> Result<T, Failure>
    where
        W: FnOnce(Connection) -> F,
        F: Future<Output = RedisResult<T>>,
    {
        let current = self.enter().map_err(|error| {
            Failure::NotSent(Met {
                server: self.info.addr().to_string().into(),
                error,
            })
        })?;
        current.open.link.call_sized(bytes, work).await
    }

    /// Closes the connection. A later call would make another one.
    pub(crate) fn close(&self) {
        let open = lock(&self.state).open.take();
        drop(open);
    }

    fn enter(&self) -> RedisResult<Use> {
        let mut state = lock(&self.state);
        let open = match &state.open {
            Some(open) => Arc::clone(open),
            None => Arc::clone(state.open.insert(Arc::new(self.open()?))),
        };
        state.users += 1;
        state.uses += 1;
        Ok(Use {
            state: Arc::clone(&self.state),
            open,
        })
    }

    fn open(&self) -> RedisResult<Open> {
        let thread = Background::start("rdq-large")?;
        let clock = Arc::clone(&self.clock);
        let runtime = thread.runtime().clone();
        let link = Link::new(
            self.info.clone(),
            self.timeouts,
            clock,
            Purpose::Large,
            runtime,
        )?;
        Ok(Open { link, thread })
    }
}

impl fmt::Debug for LargeLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may hold a password.
        f.debug_struct("LargeLink")
            .field("timeouts", &self.timeouts)
            .finish_non_exhaustive()
    }
}

/// One call under way.
struct Use {
    state: Arc<Mutex<State>>,
    open: Arc<Open>,
}

impl Drop for Use {
    fn drop(&mut self) {
        let mut state = lock(&self.state);
        state.users -= 1;
        if state.users > 0 {
            return;
        }
        let (uses, state) = (state.uses, Arc::downgrade(&self.state));
        let wait_and_close = close_if_idle(state, uses);
        self.open.thread.runtime().spawn(wait_and_close);
    }
}

/// Closes the connection if no call begins for a while.
async fn close_if_idle(state: Weak<Mutex<State>>, uses: u64) {
    sleep(LargeLink::IDLE).await;
    let Some(state) = state.upgrade() else {
        return;
    };
    let open = {
        let mut state = lock(&state);
        if state.uses > uses {
            return;
        }
        state.open.take()
    };
    drop(open);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extra_time_is_nothing_for_small_calls_and_grows_with_large_ones() {
        assert_eq!(extra_time(300), Duration::ZERO);
        assert_eq!(extra_time(LARGE - 1), Duration::ZERO);
        assert_eq!(extra_time(64 * LARGE), Duration::from_millis(16_384));
        assert_eq!(extra_time(400 * LARGE), Duration::from_millis(102_400));
    }
}
