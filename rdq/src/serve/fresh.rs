//! Values that are read again when somebody asks for them after they became old.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

/// A value that all callers share. Nothing is read while nobody asks.
#[derive(Debug)]
pub(super) struct Fresh<T> {
    reading: Mutex<Option<Reading<T>>>,
}

#[derive(Debug)]
struct Reading<T> {
    value: Arc<T>,
    done: Instant,
    took: Duration,
}

impl<T> Fresh<T> {
    /// The value, if it was read within `lifetime`. Otherwise reads it.
    ///
    /// A value that takes long to read lives longer: reading takes at most a tenth of the time.
    /// Callers that ask meanwhile wait for the same reading. If its future is dropped or fails, the
    /// next caller reads.
    pub(super) async fn value<E>(
        &self,
        lifetime: Duration,
        read: impl Future<Output = Result<T, E>>,
    ) -> Result<Arc<T>, E> {
        let mut reading = self.reading.lock().await;
        let is_young = |it: &&Reading<T>| it.done.elapsed() < lifetime.max(it.took * 9);
        if let Some(young) = reading.as_ref().filter(is_young) {
            return Ok(Arc::clone(&young.value));
        }
        let begin = Instant::now();
        let value = Arc::new(read.await?);
        *reading = Some(Reading {
            value: Arc::clone(&value),
            done: Instant::now(),
            took: begin.elapsed(),
        });
        Ok(value)
    }

    /// The value that was read last, however old it is. None while it is being read.
    pub(super) fn last(&self) -> Option<Arc<T>> {
        let reading = self.reading.try_lock().ok()?;
        reading.as_ref().map(|it| Arc::clone(&it.value))
    }

    /// Makes the next caller read the value again, because it has changed.
    pub(super) async fn forget(&self) {
        *self.reading.lock().await = None;
    }
}

impl<T> Default for Fresh<T> {
    fn default() -> Self {
        Self {
            reading: Mutex::new(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::future::join_all;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);

    #[tokio::test]
    async fn who_asks_at_the_same_time_shares_one_reading() {
        let (fresh, reads) = (Fresh::default(), AtomicUsize::new(0));
        let read = || async {
            tokio::task::yield_now().await;
            Ok::<_, ()>(reads.fetch_add(1, Ordering::Relaxed))
        };
        let values = join_all((0..9).map(|_| fresh.value(HOUR, read()))).await;
        assert!(values.iter().all(|it| **it.as_ref().unwrap() == 0));
        fresh.forget().await;
        assert_eq!(*fresh.value(HOUR, read()).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn a_failure_is_not_kept() {
        let fresh = Fresh::default();
        let failed = fresh.value(HOUR, async { Err::<u8, _>("lost") }).await;
        assert_eq!(failed, Err("lost"));
        assert_eq!(
            *fresh.value(HOUR, async { Ok::<_, ()>(1) }).await.unwrap(),
            1
        );
    }
}
