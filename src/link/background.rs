//! Threads of this crate. They keep working while callers block theirs.

use std::{io, thread};

use redis::RedisResult;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::error::Unreachable;
use crate::link::host::Host;

/// A runtime on a thread of its own, for tasks that nothing may hold up: they transfer, claim, and
/// tell Redis which elements were handed over.
///
/// On a blocked caller's thread such tasks would stop. Leases would run out, and other clients
/// would get the elements again.
#[derive(Debug)]
pub(crate) struct Background {
    runtime: Handle,
    /// Each task holds a clone. The thread ends when all of them and this one are dropped.
    alive: mpsc::Sender<()>,
}

impl Background {
    /// Starts a thread called `name`. It ends when this is dropped and all tasks have ended. A host
    /// without threads has the caller's runtime run the tasks.
    pub(crate) fn start(host: &Host, name: &str) -> RedisResult<Self> {
        if !host.has_threads() {
            return Ok(Self {
                runtime: Handle::current(),
                alive: mpsc::channel(1).0,
            });
        }
        let started = Self::start_on(thread::Builder::new().name(name.to_owned()));
        started.map_err(|error| Unreachable::NoThread(error).into())
    }

    fn start_on(thread: thread::Builder) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (alive, mut gone) = mpsc::channel(1);
        let (give, given) = std::sync::mpsc::channel::<Runtime>();
        let started = thread.spawn(move || {
            let runtime = given.recv().ok()?;
            // Nothing is ever sent: this ends with the last sender.
            runtime.block_on(gone.recv())
        });
        // Hand the runtime over only to a thread that runs: the caller is a task, and a task must
        // not drop a runtime.
        if let Err(error) = started {
            runtime.shutdown_background();
            return Err(error);
        }
        give.send(runtime).map_err(io::Error::other)?;
        Ok(Self {
            runtime: handle,
            alive,
        })
    }

    /// For tasks that may end with the thread.
    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Runs a task. The thread lasts until the task has ended.
    pub(crate) fn spawn<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        let alive = self.alive.clone();
        self.runtime.spawn(async move {
            let _alive = alive;
            task.await
        })
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::time::Duration;

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn the_thread_lasts_as_long_as_its_last_task_and_no_longer() {
        let background = Background::start(&Host::System, "test").unwrap();
        let (kept, ended) = channel::<()>();
        background.runtime().spawn(async move {
            let _kept = kept;
            pending::<()>().await;
        });
        let (end, told) = oneshot::channel::<()>();
        let last = background.spawn(told);
        drop(background);
        let waited = ended.recv_timeout(Duration::from_millis(100));
        assert_eq!(waited, Err(RecvTimeoutError::Timeout), "a task still runs");
        end.send(()).unwrap();
        last.await.unwrap().unwrap();
        let waited = ended.recv_timeout(Duration::from_secs(30));
        assert_eq!(waited, Err(RecvTimeoutError::Disconnected));
    }

    /// The system limits how many threads a process may have.
    #[tokio::test]
    async fn a_thread_that_cannot_be_started_is_an_error() {
        let too_large = thread::Builder::new().stack_size(1 << 60);
        assert!(Background::start_on(too_large).is_err());
    }
}
