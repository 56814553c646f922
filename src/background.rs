//! The thread on which deliveries are made ready, whatever the threads of callers do.

use std::{io, thread};

use tokio::runtime::{Builder, Handle};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// A runtime of its own for the tasks that a client must not be kept from: those that move what is
/// due, claim it, and tell Redis what was handed over. A caller that blocks its thread would hold
/// them up if they shared that, and then what it took would be taken again by others.
#[derive(Debug)]
pub(crate) struct Background {
    runtime: Handle,
    /// The thread lasts as long as this, and what the tasks hold of it.
    alive: mpsc::Sender<()>,
}

impl Background {
    /// Starts the thread; it ends when this is dropped and all tasks have ended.
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (alive, mut gone) = mpsc::channel(1);
        thread::Builder::new()
            .name("rdq-delivery".to_owned())
            // Nothing is ever sent: this ends with the last sender.
            .spawn(move || runtime.block_on(gone.recv()))?;
        Ok(Self {
            runtime: handle,
            alive,
        })
    }

    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }

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
