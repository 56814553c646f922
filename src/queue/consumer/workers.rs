//! Handlers for many queues, run together.

use std::fmt;
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, select_all};
use futures::stream::{FuturesUnordered, StreamExt};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use super::handling::handle;
use super::{Consumer, DeliveryInfo, HandlerError, Receipt, Run};
use crate::delivery::intake::Patience;
use crate::error::{Error, Result};
use crate::link::pauses::Pauses;
use crate::sync::lock;

/// Handlers for many queues, run together: await it to run them.
///
/// Each queue has its own consumer, handler and limit, made by [`Consumer::run`]. All share one
/// limit and one end. When several queues have elements and one more handler may run, the
/// [weights](Self::with_weight) decide which queue is next, or their [order](Self::strict).
///
/// For each queue it costs as much as [`Consumer::run`]. If it is dropped, all its [`Run`]s are.
/// Java services write this loop by hand, with a thread for each queue.
///
/// # End
///
/// It ends as a [`Run`] does: when [`until`](Self::until) is ready, or when every queue has ended,
/// because its own [`Run::until`] is ready or its client is shut down.
///
/// # Examples
///
/// ```no_run
/// use std::time::Duration;
/// use redisson_delayed_queue::{DelayedQueue, DeliveryInfo, HandlerError, Result, Workers};
///
/// async fn cancel(order: String, _: DeliveryInfo) -> Result<(), HandlerError> { Ok(()) }
/// async fn remind(user: u64, _: DeliveryInfo) -> Result<(), HandlerError> { Ok(()) }
///
/// # async fn run(
/// #     orders: DelayedQueue<String>, reminders: DelayedQueue<u64>,
/// #     stop: impl Future<Output = ()> + Send + 'static,
/// # ) -> Result<()> {
/// Workers::new()
///     .with_weight(3, orders.consumer().build()?.run(16, cancel))
///     .with(reminders.consumer().build()?.run(4, remind).timeout(Duration::from_secs(10)))
///     .concurrency(16)
///     .until(stop)
///     .await;
/// # Ok(()) }
/// ```
#[must_use = "handlers run only while this is awaited"]
pub struct Workers {
    queues: Vec<ServedQueue>,
    /// The numbers of the queues that take no further elements.
    ended: FuturesUnordered<BoxFuture<'static, usize>>,
    concurrency: usize,
    is_strict: bool,
    grace: Duration,
    until: BoxFuture<'static, ()>,
}

/// The work on one element. What it returns is left to do when its handler has ended.
type Job = BoxFuture<'static, Option<BoxFuture<'static, ()>>>;

/// Where elements come from. Both calls are cancel safe.
trait Source: Send + Sync {
    /// Waits for the next element.
    fn next(&self) -> BoxFuture<'_, Result<Job>>;

    /// The next element if one may be there, as far as this client knows.
    fn next_known(&self) -> BoxFuture<'_, Result<Option<Job>>>;

    fn queue(&self) -> &str;
}

struct ConsumerSource<T, H> {
    consumer: Consumer<T>,
    handler: Arc<H>,
    timeout: Option<Duration>,
    /// Dropped when no further elements are taken, which handlers see that have not begun.
    running: watch::Sender<()>,
}

impl<T, H, F> ConsumerSource<T, H>
where
    T: Send + 'static,
    H: Fn(T, DeliveryInfo) -> F + Send + Sync + 'static,
    F: Future<Output = Result<(), HandlerError>> + Send + 'static,
{
    fn job(&self, (value, receipt): (T, Receipt)) -> Job {
        receipt.trial().announce();
        let running = self.running.subscribe();
        handle(
            value,
            receipt,
            Arc::clone(&self.handler),
            self.timeout,
            running,
        )
        .boxed()
    }
}

impl<T, H, F> Source for ConsumerSource<T, H>
where
    T: Send + 'static,
    H: Fn(T, DeliveryInfo) -> F + Send + Sync + 'static,
    F: Future<Output = Result<(), HandlerError>> + Send + 'static,
{
    fn next(&self) -> BoxFuture<'_, Result<Job>> {
        let received = async {
            let leased = Patience::forever(|patience| self.consumer.lease(patience)).await?;
            Ok(self.job(leased))
        };
        received.boxed()
    }

    fn next_known(&self) -> BoxFuture<'_, Result<Option<Job>>> {
        let received = async {
            let leased = self.consumer.lease(Patience::Known).await?;
            Ok(leased.map(|it| self.job(it)))
        };
        received.boxed()
    }

    fn queue(&self) -> &str {
        self.consumer.name()
    }
}

/// One queue and its handler.
struct ServedQueue {
    /// Its number among those that were added.
    number: usize,
    source: Arc<dyn Source>,
    weight: u32,
    /// One permit for each handler that may run.
    handlers: Arc<Semaphore>,
    pauses: Pauses,
    /// After an error of the consumer: no call before this moment.
    paused_until: Option<Instant>,
    /// For how long it has been asked, in all, since its last answer.
    asked_for: Mutex<Duration>,
    /// The queue did not answer in time. The others do not wait for it before this moment.
    silent_until: Mutex<Option<Instant>>,
}

impl Workers {
    pub(super) const GRACE: Duration = Duration::from_secs(30);
    /// The longest pause after an error of a consumer.
    const LONGEST_PAUSE: Duration = Duration::from_secs(1);

    /// Workers without queues, which end at once.
    pub fn new() -> Self {
        Self {
            queues: Vec::new(),
            ended: FuturesUnordered::new(),
            concurrency: usize::MAX,
            is_strict: false,
            grace: Self::GRACE,
            until: pending().boxed(),
        }
    }

    /// Adds a queue and its handler, with the weight 1.
    pub fn with<T, H, F>(self, run: Run<T, H>) -> Self
    where
        T: Send + 'static,
        H: Fn(T, DeliveryInfo) -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), HandlerError>> + Send + 'static,
    {
        self.with_weight(1, run)
    }

    /// Adds a queue and its handler. Among queues that have elements, it is `weight` times as likely to
    /// be next as one of weight 1. Zero counts as 1.
    pub fn with_weight<T, H, F>(self, weight: u32, run: Run<T, H>) -> Self
    where
        T: Send + 'static,
        H: Fn(T, DeliveryInfo) -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), HandlerError>> + Send + 'static,
    {
        let source = ConsumerSource {
            consumer: run.consumer,
            handler: Arc::new(run.handler),
            timeout: run.timeout,
            running: watch::Sender::new(()),
        };
        self.add(weight, run.concurrency, run.until, source)
    }

    /// Adds a source, which ends with `until`.
    fn add(
        mut self,
        weight: u32,
        concurrency: usize,
        until: BoxFuture<'static, ()>,
        source: impl Source + 'static,
    ) -> Self {
        let number = self.ended.len();
        self.ended.push(until.map(move |()| number).boxed());
        self.queues.push(ServedQueue {
            number,
            weight: weight.max(1),
            handlers: Arc::new(Semaphore::new(concurrency.min(Semaphore::MAX_PERMITS))),
            pauses: Pauses::new(Self::LONGEST_PAUSE),
            paused_until: None,
            asked_for: Mutex::default(),
            silent_until: Mutex::default(),
            source: Arc::new(source),
        });
        self
    }

    /// How many handlers may run at a time, of all queues together. At least 1. Default: as many as
    /// the limits of the queues allow.
    pub fn concurrency(mut self, handlers: usize) -> Self {
        self.concurrency = handlers.max(1);
        self
    }

    /// The queue that was added first is always next if it has an element, as far as this client knows;
    /// then the second, and so on. Weights do not count. While a queue is busy, those behind it wait.
    pub fn strict(mut self) -> Self {
        self.is_strict = true;
        self
    }

    /// How long to wait in the end for handlers that still run. Default: 30 s.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// When to stop taking elements. Default: never.
    pub fn until(mut self, stop: impl Future<Output = ()> + Send + 'static) -> Self {
        self.until = stop.boxed();
        self
    }

    async fn run(mut self) {
        let permits = Permits::new(self.concurrency);
        // Dropping the set ends the tasks.
        let mut running = JoinSet::new();
        while !self.queues.is_empty() {
            while running.try_join_next().is_some() {}
            let order = self.order();
            let (index, received) = tokio::select! {
                biased;
                () = &mut self.until => break,
                Some(number) = self.ended.next() => {
                    self.queues.retain(|it| it.number != number);
                    continue;
                }
                received = next(&self.queues, &order), if permits.are_free() => received,
                () = permits.freed.notified() => continue,
            };
            match received {
                Ok((job, permit)) => {
                    self.queues[index].resume();
                    running.spawn(work(
                        job,
                        permits.take(permit),
                        Arc::clone(&permits.unconfirmed),
                    ));
                }
                Err(Error::Closed) => drop(self.queues.remove(index)),
                Err(error) => self.queues[index].pause(&error),
            }
        }
        // Elements that were claimed for the next handlers go back.
        self.queues.clear();
        let finish = async { while running.join_next().await.is_some() {} };
        if timeout(self.grace, finish).await.is_err() {
            running.shutdown().await;
        }
    }

    /// The indices of the queues, the one to ask first in front.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.queues.len()).collect();
        if !self.is_strict && order.len() > 1 {
            let times: Vec<f64> = self.queues.iter().map(ServedQueue::time).collect();
            order.sort_by(|a, b| times[*a].total_cmp(&times[*b]));
        }
        order
    }
}

/// Says how many handlers may run.
struct Permits {
    /// One permit for each handler that may run, of all queues.
    handlers: Arc<Semaphore>,
    /// One permit for each element whose handler has given its permit back while the decision is on its way.
    unconfirmed: Arc<Semaphore>,
    /// A handler has given its permit back.
    freed: Arc<Notify>,
}

/// Lets one handler run, and is given back when dropped.
struct Permit {
    /// That of the queue, and that of all queues together.
    permits: Option<[OwnedSemaphorePermit; 2]>,
    freed: Arc<Notify>,
}

impl Permits {
    /// How many decisions may be on their way to Redis while further handlers begin.
    const UNCONFIRMED: usize = 64;

    fn new(concurrency: usize) -> Self {
        Self {
            handlers: Arc::new(Semaphore::new(concurrency.min(Semaphore::MAX_PERMITS))),
            unconfirmed: Arc::new(Semaphore::new(Self::UNCONFIRMED)),
            freed: Arc::default(),
        }
    }

    fn are_free(&self) -> bool {
        self.handlers.available_permits() > 0
    }

    /// Takes a free permit, and adds the one of its queue.
    fn take(&self, of_queue: OwnedSemaphorePermit) -> Permit {
        let permit = Arc::clone(&self.handlers).try_acquire_owned();
        let permit = permit.expect("nobody else takes permits");
        Permit {
            permits: Some([of_queue, permit]),
            freed: Arc::clone(&self.freed),
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.permits = None;
        self.freed.notify_one();
    }
}

/// Does the work on one element. The next handler may run as soon as the decision
/// is on its way, unless too many are.
async fn work(job: Job, permit: Permit, unconfirmed: Arc<Semaphore>) {
    if let Some(confirmed) = job.await {
        // Nobody closes the semaphore.
        let _confirming = unconfirmed.acquire().await;
        drop(permit);
        confirmed.await;
    }
}

/// The job of a delivery, and the permit to do it.
type Received = Result<(Job, OwnedSemaphorePermit)>;

/// Asks the queues in this order for an element, and then waits for the first that any of them gets.
/// Returns its index. Cancel safe.
async fn next(queues: &[ServedQueue], order: &[usize]) -> (usize, Received) {
    let mut waiting = Vec::new();
    for index in order.iter().copied() {
        let queue = &queues[index];
        // A task that ends gives its permit back, and then this is called again.
        let Ok(permit) = Arc::clone(&queue.handlers).try_acquire_owned() else {
            continue;
        };
        // After an error, asking could take long.
        if queue.paused_until.is_none() {
            match queue.known().await {
                Some(Ok(Some(job))) => return (index, Ok((job, permit))),
                Some(Err(error)) => return (index, Err(error)),
                Some(Ok(None)) | None => {}
            }
        }
        let wait = async move {
            if let Some(until) = queue.paused_until {
                sleep_until(until).await;
            }
            let received = queue.source.next().await;
            (index, received.map(|job| (job, permit)))
        };
        waiting.push(wait.boxed());
    }
    if waiting.is_empty() {
        return pending().await;
    }
    select_all(waiting).await.0
}

/// Adds the time since then, also if the call is dropped.
struct Asking<'a> {
    since: Instant,
    asked_for: &'a Mutex<Duration>,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        *lock(self.asked_for) += self.since.elapsed();
    }
}

impl ServedQueue {
    /// How long to wait for what a queue knows: more than a round trip, unless Redis does not answer.
    const PATIENCE: Duration = Duration::from_millis(100);
    /// For how long not to wait again for a queue that did not answer in time, so that it takes a small
    /// part of the others' time. It may be well again after that.
    const SILENCE: Duration = Duration::from_secs(1);

    /// What the queue knows of, or `None` if it does not answer in time. Cancel safe.
    async fn known(&self) -> Option<Result<Option<Job>>> {
        let now = Instant::now();
        if lock(&self.silent_until).is_some_and(|until| now < until) {
            // A claim that was answered late may have brought something.
            return self.source.next_known().now_or_never();
        }
        // Each handler that ends drops this call and makes another one, to which the time so far counts.
        let left = Self::PATIENCE.saturating_sub(*lock(&self.asked_for));
        let asking = Asking {
            since: now,
            asked_for: &self.asked_for,
        };
        let known = timeout(left, self.source.next_known()).await.ok();
        drop(asking);
        *lock(&self.asked_for) = Duration::ZERO;
        *lock(&self.silent_until) = match known {
            Some(_) => None,
            None => Some(Instant::now() + Self::SILENCE),
        };
        known
    }

    /// A random time, drawn from the exponential distribution with the weight as its rate: among several
    /// queues, each has the shortest time as often as its share of the weights says.
    fn time(&self) -> f64 {
        let uniform: f64 = rand::random_range(f64::MIN_POSITIVE..1.0);
        -uniform.ln() / f64::from(self.weight)
    }

    /// Notes that the consumer received something.
    fn resume(&mut self) {
        self.paused_until = None;
        self.pauses.reset();
    }

    /// Notes an error of the consumer.
    fn pause(&mut self, error: &Error) {
        let queue = self.source.queue();
        if matches!(error, Error::Decode { .. }) {
            tracing::warn!(queue, %error, "an element is a dead letter");
            return;
        }
        tracing::warn!(queue, %error, "cannot receive");
        self.paused_until = Some(Instant::now() + self.pauses.next());
    }
}

impl IntoFuture for Workers {
    type Output = ();
    type IntoFuture = BoxFuture<'static, ()>;

    fn into_future(self) -> Self::IntoFuture {
        self.run().boxed()
    }
}

impl Default for Workers {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let queues: Vec<&str> = self.queues.iter().map(|it| it.source.queue()).collect();
        f.debug_struct("Workers")
            .field("queues", &queues)
            .field("concurrency", &self.concurrency)
            .field("is_strict", &self.is_strict)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
