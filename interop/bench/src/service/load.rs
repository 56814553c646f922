//! The work that a measured process does, the same for each library and for Java's `BenchQueue`.

use std::{
    future::Future,
    str::Split,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use redisson_delayed_queue::packed::Packed;

use super::{Delays, Outcome, Queue};
use crate::value::{number, value};

/// How many elements since when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    count: usize,
    time: Duration,
}

impl Rate {
    pub(crate) fn since(start: Instant, count: usize) -> Self {
        let time = start.elapsed();
        Self { count, time }
    }

    pub(super) fn reply(self) -> Outcome<String> {
        Ok(format!("ok {} {}", self.count, self.time.as_micros()))
    }
}

/// When each element was in hand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen(Arc<Mutex<Vec<(String, u128)>>>);

impl Seen {
    pub(crate) fn add(&self, value: String) -> Outcome<()> {
        let micros = now_micros()?;
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.push((value, micros));
        Ok(())
    }

    pub(super) fn reply(&self) -> Outcome<String> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut reply = "ok".to_owned();
        for (value, micros) in seen.iter() {
            let number = number(value).ok_or("not a value")?;
            reply += &format!(" {number}:{micros}");
        }
        Ok(reply)
    }
}

/// Offers from so many tasks until the time is over.
pub(crate) async fn offer(
    queue: &impl Queue,
    window: Duration,
    tasks: usize,
    delays: Delays,
) -> Outcome<String> {
    let offered = Arc::new(AtomicUsize::new(0));
    let start = Instant::now();
    at_once(tasks, || {
        let (queue, offered) = (queue.clone(), Arc::clone(&offered));
        async move {
            while start.elapsed() < window {
                let i = offered.fetch_add(1, Ordering::Relaxed);
                queue.offer(value(i), delays.random()).await?;
            }
            Ok(())
        }
    })
    .await?;
    Rate::since(start, offered.load(Ordering::Relaxed)).reply()
}

pub(crate) async fn offer_all(queue: &impl Queue, count: usize, delays: Delays) -> Outcome<String> {
    let values = (0..count).map(|i| (value(i), delays.random())).collect();
    let start = Instant::now();
    queue.offer_all(values).await?;
    Rate::since(start, count).reply()
}

/// Offers an element that is due now, and says when.
pub(crate) async fn offer_one(queue: &impl Queue, number: usize) -> Outcome<String> {
    let micros = now_micros()?;
    queue.offer(value(number), Duration::ZERO).await?;
    Ok(format!("ok {micros}"))
}

/// Makes a call in so many tasks, until it was made so often or the time is over.
pub(crate) async fn repeat<F>(
    count: usize,
    tasks: usize,
    window: Duration,
    call: impl Fn() -> F + Clone + Send + 'static,
) -> Outcome<Rate>
where
    F: Future<Output = Outcome<()>> + Send + 'static,
{
    let started = Arc::new(AtomicUsize::new(0));
    let done = Arc::new(AtomicUsize::new(0));
    let start = Instant::now();
    at_once(tasks, || {
        let (started, done, call) = (Arc::clone(&started), Arc::clone(&done), call.clone());
        async move {
            while start.elapsed() < window && started.fetch_add(1, Ordering::Relaxed) < count {
                call().await?;
                done.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        }
    })
    .await?;
    Ok(Rate::since(start, done.load(Ordering::Relaxed)))
}

/// Takes up to `limit` with each call.
pub(crate) async fn take_many(
    queue: &impl Queue,
    count: usize,
    limit: usize,
    window: Duration,
) -> Outcome<String> {
    let mut taken = 0;
    let start = Instant::now();
    while taken < count && start.elapsed() < window {
        taken += queue.take_many(limit).await?;
    }
    Rate::since(start, taken).reply()
}

/// Takes so many in so many tasks, and says when each was in hand.
pub(crate) async fn collect(queue: &impl Queue, count: usize, tasks: usize) -> Outcome<String> {
    let started = Arc::new(AtomicUsize::new(0));
    let seen = Seen::default();
    at_once(tasks, || {
        let (queue, started, seen) = (queue.clone(), Arc::clone(&started), seen.clone());
        async move {
            while started.fetch_add(1, Ordering::Relaxed) < count {
                seen.add(queue.take().await?)?;
            }
            Ok(())
        }
    })
    .await?;
    seen.reply()
}

/// Offers so many a second, or at once if that is 0, and collects them meanwhile.
pub(crate) async fn deliver(
    queue: &impl Queue,
    count: usize,
    tasks: usize,
    per_second: u32,
    delays: Delays,
) -> Outcome<String> {
    let collector = queue.clone();
    let collected = tokio::spawn(async move { collect(&collector, count, tasks).await });
    let start = Instant::now();
    for i in 0..count {
        if let Some(step) = Duration::from_secs(1).checked_div(per_second) {
            let next = start + step * u32::try_from(i)?;
            tokio::time::sleep_until(next.into()).await;
        }
        queue.offer(value(i), delays.random()).await?;
    }
    collected.await?
}

/// Leaves so many tasks waiting for elements, which they forget.
pub(crate) fn start_waiting(queue: &impl Queue, tasks: usize) {
    for _ in 0..tasks {
        let queue = queue.clone();
        tokio::spawn(async move { while queue.take().await.is_ok() {} });
    }
}

/// Makes one call about each of the members, one after the other; how many microseconds each took.
pub(crate) async fn each(
    queue: &impl Queue,
    call: &str,
    members: &mut Split<'_, char>,
) -> Outcome<String> {
    let mut reply = "ok".to_owned();
    for member in members {
        let member = interop::value::decode(&format!("x{member}")).ok_or("not a member")?;
        let payload = Packed::parse(Bytes::from(member.clone()))?.payload;
        let value = String::from_utf8(payload.to_vec())?;
        let start = Instant::now();
        queue.call(call, member, value).await?;
        reply += &format!(" {}", start.elapsed().as_micros());
    }
    Ok(reply)
}

/// Has so many tasks do the same, and waits for all.
async fn at_once<F>(tasks: usize, work: impl Fn() -> F) -> Outcome<()>
where
    F: Future<Output = Outcome<()>> + Send + 'static,
{
    let tasks: Vec<_> = (0..tasks).map(|_| tokio::spawn(work())).collect();
    for task in tasks {
        task.await??;
    }
    Ok(())
}

fn now_micros() -> Outcome<u128> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros())
}
