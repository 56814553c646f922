//! Waking a task at an exact moment.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

use crate::link::host::Host;
use crate::sync::lock;

/// Rings at one moment, to within some 0.1 ms.
///
/// Tokio's timers tick in whole milliseconds and round up. A task that sleeps on them wakes 1.2 ms
/// late at the median and 2.0 ms at the 99th percentile; this alarm is 0.13 and 0.26 ms late (400
/// waits of 3 to 8 ms on two idle cores, Linux 6.18, Tokio 1.54). Every element would be late by
/// that, before Redis is even asked. So each transfer service has a thread that waits on the
/// system's timer.
#[derive(Debug)]
pub(crate) struct Alarm {
    /// None if the host gave no thread. A task then rings.
    times: Option<Sender<Instant>>,
    task: Mutex<Option<AbortHandle>>,
    bell: Arc<Notify>,
}

impl Alarm {
    /// Starts the thread; it ends when the alarm is dropped.
    pub(crate) fn start(host: &Host) -> Self {
        if host.has_threads() {
            Self::start_on(thread::Builder::new().name("rdq-alarm".to_owned()))
        } else {
            Self::new(None, Arc::default())
        }
    }

    fn new(times: Option<Sender<Instant>>, bell: Arc<Notify>) -> Self {
        Self {
            times,
            task: Mutex::default(),
            bell,
        }
    }

    fn start_on(thread: thread::Builder) -> Self {
        let (times, set) = channel();
        let bell = Arc::new(Notify::new());
        let ring = Arc::clone(&bell);
        let started = thread.spawn(move || keep_time(&set, &ring));
        if let Err(error) = &started {
            tracing::warn!(%error, "no thread for exact times: elements are some ms late");
        }
        Self::new(started.is_ok().then_some(times), bell)
    }

    /// Sets the moment at which to ring. It replaces the one set before.
    pub(crate) fn set(&self, at: Instant) {
        match &self.times {
            // The thread ends only after this sender is gone.
            Some(times) => drop(times.send(at)),
            None => {
                let bell = Arc::clone(&self.bell);
                let ringing = tokio::spawn(async move {
                    sleep_until(at).await;
                    bell.notify_one();
                });
                let before = lock(&self.task).replace(ringing.abort_handle());
                before.inspect(AbortHandle::abort);
            }
        }
    }

    /// Waits for the next ring.
    ///
    /// Cancel safe: a ring that nobody waits for is kept. It may belong to a moment that was
    /// replaced since.
    pub(crate) async fn ring(&self) {
        self.bell.notified().await;
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        lock(&self.task).take().inspect(AbortHandle::abort);
    }
}

fn keep_time(set: &Receiver<Instant>, bell: &Notify) {
    let mut next: Option<Instant> = None;
    loop {
        let heard = match next {
            None => set.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(at) => set.recv_timeout(at.saturating_duration_since(Instant::now())),
        };
        match heard {
            Ok(at) => next = Some(at),
            Err(RecvTimeoutError::Timeout) => {
                next = None;
                bell.notify_one();
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn rings_at_the_moment_set_last_and_not_before() {
        let alarm = Alarm::start(&Host::System);
        let start = Instant::now();
        alarm.set(start + Duration::from_secs(60));
        alarm.set(start + Duration::from_millis(20));
        alarm.ring().await;
        assert!(start.elapsed() >= Duration::from_millis(20));
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    /// The system limits how many threads a process may have.
    #[tokio::test]
    async fn rings_without_a_thread_too() {
        let alarm = Alarm::start_on(thread::Builder::new().stack_size(1 << 60));
        assert!(alarm.times.is_none());
        let start = Instant::now();
        alarm.set(start + Duration::from_millis(20));
        alarm.ring().await;
        assert!(start.elapsed() >= Duration::from_millis(20));
    }

    #[test]
    fn the_thread_ends_with_the_alarm_before_it_rings() {
        let alarm = Alarm::start(&Host::System);
        let start = Instant::now();
        alarm.set(start + Duration::from_secs(3_600));
        let bell = Arc::downgrade(&alarm.bell);
        drop(alarm);
        while bell.strong_count() > 0 {
            assert!(start.elapsed() < Duration::from_secs(30));
            thread::sleep(Duration::from_millis(1));
        }
    }
}
