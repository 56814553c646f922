//! Threads on which this crate goes on with its work, whatever the threads of callers do.

use std::{io, thread};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// A runtime on a thread of its own, for the tasks that nothing may hold up: those that move what is
/// due, claim it, and tell Redis what was handed over. On the thread of a caller that blocks they
/// would stand still, and what the caller took would in the end be taken again by others.
#[derive(Debug)]
pub(crate) struct Background {
    runtime: Handle,
    /// The thread lasts until this and its clones, of which each task holds one, are dropped.
    alive: mpsc::Sender<()>,
}

impl Background {
    /// Starts a thread of this name; it ends when this is dropped and all tasks have ended.
    pub(crate) fn start(name: &str) -> io::Result<Self> {
        Self::start_on(thread::Builder::new().name(name.to_owned()))
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
        // Given only to a thread that runs, for the caller is a task and may not drop it.
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

    /// For what need not outlast the tasks.
    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Runs a task; the thread lasts until it has ended.
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
        let background = Background::start("test").unwrap();
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

    /// A process may have as many threads as it is let.
    #[tokio::test]
    async fn a_thread_that_cannot_be_started_is_an_error() {
        let too_large = thread::Builder::new().stack_size(1 << 60);
        assert!(Background::start_on(too_large).is_err());
    }
}
