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
    Ok(rate(offered.load(Ordering::Relaxed), start))
}

pub(crate) async fn offer_all(queue: &impl Queue, count: usize, delays: Delays) -> Outcome<String> {
    let values = (0..count).map(|i| (value(i), delays.random())).collect();
    let start = Instant::now();
    queue.offer_all(values).await?;
    Ok(rate(count, start))
}

/// Takes in so many tasks, until so many are taken or the time is over.
pub(crate) async fn take(
    queue: &impl Queue,
    count: usize,
    tasks: usize,
    window: Duration,
) -> Outcome<String> {
    let started = Arc::new(AtomicUsize::new(0));
    let taken = Arc::new(AtomicUsize::new(0));
    let start = Instant::now();
    at_once(tasks, || {
        let (queue, started, taken) = (queue.clone(), Arc::clone(&started), Arc::clone(&taken));
        async move {
            while start.elapsed() < window && started.fetch_add(1, Ordering::Relaxed) < count {
                queue.take().await?;
                taken.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        }
    })
    .await?;
    Ok(rate(taken.load(Ordering::Relaxed), start))
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
    Ok(rate(taken, start))
}

/// Takes so many in so many tasks, and says when each was in hand.
pub(crate) async fn collect(queue: &impl Queue, count: usize, tasks: usize) -> Outcome<String> {
    let started = Arc::new(AtomicUsize::new(0));
    let seen = Arc::new(Mutex::new(Vec::new()));
    at_once(tasks, || {
        let (queue, started, seen) = (queue.clone(), Arc::clone(&started), Arc::clone(&seen));
        async move {
            while started.fetch_add(1, Ordering::Relaxed) < count {
                let value = queue.take().await?;
                let micros = SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros();
                let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                seen.push((value, micros));
            }
            Ok(())
        }
    })
    .await?;
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    let mut reply = "ok".to_owned();
    for (value, micros) in seen.iter() {
        let number = number(value).ok_or("not a value")?;
        reply += &format!(" {number}:{micros}");
    }
    Ok(reply)
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
        if !queue.call(call, member, value).await? {
            return Ok("err unsupported".to_owned());
        }
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

fn rate(count: usize, start: Instant) -> String {
    format!("ok {count} {}", start.elapsed().as_micros())
}
