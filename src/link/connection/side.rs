//! Connections that are open only while calls need them.

use std::fmt;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use redis::RedisResult;
use tokio::time::sleep;

use super::failure::{Failure, Met};
use super::leave::Leave;
use super::link::Link;
use super::purpose::Purpose;
use super::socket::Connection;
use crate::link::background::Background;
use crate::link::endpoint::Endpoint;
use crate::sync::lock;

/// A link beside the others, for calls that would hold up all others: large ones, and those that
/// wait for replicas.
///
/// It has a socket and a thread of its own. The first call makes both, and they are closed after
/// [`SideLink::IDLE`] without a call.
pub(crate) struct SideLink {
    endpoint: Endpoint,
    purpose: Purpose,
    current: Arc<Current>,
}

/// The socket that calls use now, if one is open.
type Current = Mutex<Option<Arc<Open>>>;

/// A socket and its thread. The last call on it may end after another one is open.
struct Open {
    link: Arc<Link>,
    thread: Background,
    calls: Mutex<Count>,
}

/// How many calls a socket has had.
#[derive(Default)]
struct Count {
    under_way: usize,
    begun: u64,
}

impl SideLink {
    /// How long the socket and the thread outlast the last call.
    const IDLE: Duration = Duration::from_secs(5);

    pub(crate) fn new(endpoint: Endpoint, purpose: Purpose) -> Self {
        Self {
            endpoint,
            purpose,
            current: Arc::default(),
        }
    }

    /// Runs `work`, which sends or fetches `bytes` bytes, on the connection.
    ///
    /// Leaves the command sent or not if dropped.
    pub(crate) async fn call<T, F, W>(&self, bytes: usize, work: W) -> Result<T, Failure>
    where
        W: FnOnce(Connection) -> F,
        F: Future<Output = RedisResult<T>>,
    {
        let current = self.enter().map_err(|error| {
            Failure::NotSent(Met {
                server: Arc::clone(self.endpoint.server()),
                error,
            })
        })?;
        current.open.link.call_sized(bytes, work).await
    }

    /// Gives up the connection: another server is the master, or will be.
    pub(crate) fn leave(&self, how: Leave<'_>, cause: &redis::RedisError) {
        let open = {
            let mut current = lock(&self.current);
            match how {
                Leave::Now => current.take(),
                // The socket may lead to the next master.
                Leave::For(_) | Leave::Later => current.clone(),
            }
        };
        if let Some(open) = open {
            open.link.leave(how, cause);
        }
    }

    /// Closes the connection. A later call would make another one.
    pub(crate) fn close(&self) {
        let open = lock(&self.current).take();
        drop(open);
    }

    fn enter(&self) -> RedisResult<Use> {
        let mut current = lock(&self.current);
        let open = match &*current {
            Some(open) => Arc::clone(open),
            None => Arc::clone(current.insert(Arc::new(self.open()?))),
        };
        {
            let mut calls = lock(&open.calls);
            calls.under_way += 1;
            calls.begun += 1;
        }
        Ok(Use {
            current: Arc::clone(&self.current),
            open,
        })
    }

    fn open(&self) -> RedisResult<Open> {
        let thread = Background::start(
            self.endpoint.host(),
            &format!("rdq-{}", self.purpose.name()),
        )?;
        let runtime = thread.runtime().clone();
        let link = Link::new(self.endpoint.clone(), self.purpose.clone(), runtime);
        Ok(Open {
            link,
            thread,
            calls: Mutex::default(),
        })
    }
}

impl fmt::Debug for SideLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may hold a password.
        f.debug_struct("SideLink")
            .field("server", self.endpoint.server())
            .finish_non_exhaustive()
    }
}

/// One call under way.
struct Use {
    current: Arc<Current>,
    open: Arc<Open>,
}

impl Drop for Use {
    fn drop(&mut self) {
        let begun = {
            let mut calls = lock(&self.open.calls);
            calls.under_way -= 1;
            if calls.under_way > 0 {
                return;
            }
            calls.begun
        };
        let (current, open) = (Arc::downgrade(&self.current), Arc::downgrade(&self.open));
        let wait_and_close = close_if_idle(current, open, begun);
        self.open.thread.runtime().spawn(wait_and_close);
    }
}

/// Closes a socket if no call begins on it for a while.
async fn close_if_idle(current: Weak<Current>, open: Weak<Open>, begun: u64) {
    sleep(SideLink::IDLE).await;
    let (Some(current), Some(open)) = (current.upgrade(), open.upgrade()) else {
        return;
    };
    // No call begins while this holds the lock.
    let mut current = lock(&current);
    if lock(&open.calls).begun == begun {
        current.take_if(|it| Arc::ptr_eq(it, &open));
    }
}

#[cfg(test)]
mod tests {

    use redis::IntoConnectionInfo;
    use tokio::time::Instant;

    use super::super::failure::hung_up;
    use super::super::timeouts::Timeouts;
    use super::*;
    use crate::link::access::Access;
    use crate::link::endpoint::Site;

    /// A call may end long after its socket was given up and another socket was opened.
    #[tokio::test]
    async fn each_socket_is_closed_once_it_is_idle() {
        let info = "redis://127.0.0.1:1".into_connection_info().unwrap();
        let timeouts = Timeouts {
            connect: Duration::from_secs(1),
            response: Duration::from_secs(1),
        };
        let endpoint = Endpoint::new(Site::Fixed, info, Access::default(), timeouts);
        let side = SideLink::new(endpoint, Purpose::Durable);
        let first = side.enter().unwrap();
        side.leave(Leave::Now, &hung_up());
        let second = side.enter().unwrap();
        let sockets = [&first, &second].map(|it| Arc::downgrade(&it.open));
        drop(second);
        drop(first);
        let start = Instant::now();
        while sockets.iter().any(|it| it.strong_count() > 0) {
            assert!(start.elapsed() < Duration::from_secs(60));
            sleep(Duration::from_millis(10)).await;
        }
    }
}
