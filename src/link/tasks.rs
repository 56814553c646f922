//! The tasks of a client, which its shutdown waits for.

use std::sync::Mutex;

use tokio::runtime::Handle;
use tokio::sync::Mutex as AsyncMutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::error::{Error, Result};
use crate::link::background::Background;
use crate::sync::lock;

/// The tasks of a client, and where they run.
#[derive(Debug)]
pub(crate) struct Tasks {
    /// The runtime of the tasks that deliver.
    background: Background,
    /// The runtime of all other tasks, also of those that a call on another runtime starts.
    runtime: Handle,
    running: Mutex<Vec<JoinHandle<Result<()>>>>,
    /// The tasks that a call of [`end`](Self::end) waits for.
    ending: AsyncMutex<Vec<JoinHandle<Result<()>>>>,
}

impl Tasks {
    /// No tasks yet. Those that deliver will run in the `background`, others on this `runtime`.
    pub(crate) fn new(background: Background, runtime: Handle) -> Self {
        Self {
            background,
            runtime,
            running: Mutex::default(),
            ending: AsyncMutex::default(),
        }
    }

    /// The runtime of the tasks that do not deliver.
    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Runs a task that [`end`](Self::end) waits for.
    pub(crate) fn spawn(&self, task: impl Future<Output = Result<()>> + Send + 'static) {
        self.keep(self.runtime.spawn(task));
    }

    /// The same for a task that delivers, and goes on while callers block their threads.
    pub(crate) fn deliver(&self, task: impl Future<Output = Result<()>> + Send + 'static) {
        self.keep(self.background.spawn(task));
    }

    /// Runs a task that nobody waits for. The end of the runtime drops it.
    pub(crate) fn detach(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(task);
    }

    /// The same on the runtime of the deliveries.
    pub(crate) fn detach_delivery(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.background.runtime().spawn(task);
    }

    fn keep(&self, task: JoinHandle<Result<()>>) {
        let mut running = lock(&self.running);
        running.retain(|task| !task.is_finished());
        running.push(task);
    }

    /// Waits for all tasks, also for tasks that others start, and returns the first error. If one runs
    /// past `give_up`, the error is `late()`. A second call waits for the tasks that are left, and gets
    /// the errors that the first has not met.
    pub(crate) async fn end(&self, give_up: Instant, late: impl Fn() -> Error) -> Result<()> {
        let Ok(mut ending) = timeout_at(give_up, self.ending.lock()).await else {
            return Err(late());
        };
        let mut result = Ok(());
        loop {
            ending.append(&mut lock(&self.running));
            let Some(task) = ending.last_mut() else {
                return result;
            };
            // It stays there while it is waited for: this call may be dropped or give up, and another
            // one go on.
            let Ok(ended) = timeout_at(give_up, task).await else {
                return result.and(Err(late()));
            };
            ending.pop();
            // A panic has been printed. Wait for the others all the same.
            result = result.and(ended.unwrap_or(Ok(())));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::time::Duration;

    use futures::FutureExt;
    use tokio::sync::oneshot;

    use super::*;
    use crate::link::host::Host;

    #[tokio::test(start_paused = true)]
    async fn a_second_end_waits_for_what_the_first_gave_up() {
        let background = Background::start(&Host::System, "test").unwrap();
        let tasks = Tasks::new(background, Handle::current());
        let (end, told) = oneshot::channel::<()>();
        tasks.spawn(told.map(|_| Ok(())));
        let late = || Error::Closed;
        let soon = Instant::now() + Duration::from_secs(1);
        assert!(tasks.end(soon, late).await.is_err());
        let mut second = pin!(tasks.end(soon + Duration::from_secs(1), late));
        assert!(second.as_mut().now_or_never().is_none());
        end.send(()).unwrap();
        second.await.unwrap();
    }
}
