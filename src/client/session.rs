//! What a client and all its queues share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use redis::{ConnectionInfo, RedisError, RedisResult};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout_at};

use crate::delivery::alarm::Alarm;
use crate::delivery::transfer::{Request, Requests, Service};
use crate::error::{Error, Result, Step};
use crate::event::{Events, Reporter};
use crate::link::background::Background;
use crate::link::backoff::Backoff;
use crate::link::clock::RemoteClock;
use crate::link::connection::{Connection, Failure, LARGE, LargeLink, Link, Purpose, timed_out};
use crate::options::Options;
use crate::payload::{MAX_PAYLOAD, check_command};
use crate::queue::raw::RawQueue;
use crate::sync::lock;
use crate::wire::ids::IdSource;
use crate::wire::keys::QueueKeys;
use crate::wire::script::Fitting;

/// What every queue of a client uses.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) clock: Arc<RemoteClock>,
    /// For calls, so that none that takes long holds up a delivery.
    pub(crate) commands: Link,
    /// For what brings elements to callers: transfers, claims and hints.
    pub(crate) delivery: Arc<Link>,
    /// For messages.
    subscription: Arc<Link>,
    pub(crate) ids: IdSource,
    /// For what is large, in either direction, so that it holds up nothing else.
    pub(crate) large: Arc<LargeLink>,
    pub(crate) options: Options,
    closed: watch::Sender<bool>,
    /// The queues that have handles, by name.
    queues: Mutex<HashMap<String, Weak<RawQueue>>>,
    reporter: Reporter,
    requests: Requests,
    /// Where the tasks run that deliver.
    background: Background,
    /// Where other tasks run, also those that a call on another runtime starts.
    runtime: Handle,
    tasks: Mutex<Vec<JoinHandle<Result<()>>>>,
}

impl Shared {
    /// What tasks that give up by themselves have to say so.
    const MOMENT: Duration = Duration::from_millis(200);

    /// Connects for calls, and starts the service, which connects for deliveries and messages.
    pub(crate) async fn connect(info: ConnectionInfo, options: Options) -> Result<Arc<Self>> {
        let clock = Arc::new(RemoteClock::default());
        let (push_sender, pushes) = mpsc::unbounded_channel();
        let server = info.addr().to_string();
        let failed = |error: std::io::Error| Error::Connect {
            server: server.clone(),
            source: RedisError::from(error).into(),
        };
        let background = Background::start("rdq-delivery").map_err(failed)?;
        let runtime = Handle::current();
        let link = |purpose, runtime: &Handle| {
            let clock = Arc::clone(&clock);
            Link::new(
                info.clone(),
                options.timeouts,
                clock,
                purpose,
                runtime.clone(),
            )
            .map_err(|error| Error::Connect {
                server: server.clone(),
                source: error.into(),
            })
        };
        let commands = link(Purpose::Calls, &runtime)?;
        let delivery = Purpose::Delivery(push_sender.clone());
        let delivery = Arc::new(link(delivery, background.runtime())?);
        let subscription = Purpose::Subscription(push_sender);
        let subscription = Arc::new(link(subscription, background.runtime())?);
        let large = LargeLink::new(info.clone(), options.timeouts, Arc::clone(&clock));
        commands
            .connection()
            .await
            .map_err(|failure| failure.into_error(Step::Connect))?;

        let (requests, received) = mpsc::unbounded_channel();
        let reporter = Reporter::new();
        let service = Service {
            alarm: Alarm::start().map_err(failed)?,
            clock: Arc::clone(&clock),
            #[cfg(feature = "periodic")]
            ids: Arc::new(IdSource::new(options.member_ids)),
            link: Arc::clone(&delivery),
            options: options.clone(),
            pushes,
            reporter: reporter.clone(),
            requests: received,
            subscription: Arc::clone(&subscription),
        };
        let shared = Arc::new(Self {
            clock,
            commands,
            delivery,
            subscription,
            ids: IdSource::new(options.member_ids),
            large: Arc::new(large),
            options,
            closed: watch::Sender::new(false),
            queues: Mutex::default(),
            reporter,
            requests,
            background,
            runtime,
            tasks: Mutex::default(),
        });
        shared.start(service);
        Ok(shared)
    }

    /// Starts the service. The client is closed when that ends, and when the runtime of the calls
    /// does.
    fn start(self: &Arc<Self>, service: Service) {
        let stop = self.until_closed();
        self.deliver(async move {
            service.run(stop).await;
            Ok(())
        });
        // Not waited for: that runtime may stand still while a shutdown runs on another.
        self.runtime.spawn(self.until_closed());
    }

    /// Waits until the client is closed, and closes it if dropped before.
    fn until_closed(self: &Arc<Self>) -> impl Future<Output = ()> + Send + use<> {
        let mut closed = self.closed.subscribe();
        let ending = Ending(Arc::downgrade(self));
        async move {
            let _ending = ending;
            // An error means that the client is gone, and then the service hears so, too.
            let _ = closed.wait_for(|closed| *closed).await;
        }
    }

    pub(crate) fn ensure_open(&self) -> Result<()> {
        if *self.closed.borrow() {
            return Err(Error::Closed);
        }
        Ok(())
    }

    /// Tells the service that something else has become the head of a queue, due then.
    pub(crate) fn has_new_head(&self, keys: &QueueKeys, due: Instant) {
        self.request(Request::NewHead {
            name: keys.target().to_owned(),
            due,
        });
    }

    /// Says that this client has written the state of a queue where it is told of changes: Redis
    /// tells it nothing of what it writes itself, and forgets that it asked.
    pub(crate) fn wrote_state(&self, keys: &QueueKeys) {
        let queue = lock(&self.queues)
            .get(keys.target())
            .and_then(Weak::upgrade);
        // Not dropped under the lock: it may be the last handle by now.
        if let Some(queue) = queue {
            queue.ends().release();
        }
    }

    pub(crate) fn request(&self, request: Request) {
        // The service ends only by shutdown, and then nothing is left to ask for.
        let _ = self.requests.send(request);
    }

    /// Runs a task that [`end`](Self::end) waits for.
    pub(crate) fn spawn(&self, task: impl Future<Output = Result<()>> + Send + 'static) {
        self.keep(self.runtime.spawn(task));
    }

    /// The same for a task that delivers, and goes on while callers block their threads.
    pub(crate) fn deliver(&self, task: impl Future<Output = Result<()>> + Send + 'static) {
        self.keep(self.background.spawn(task));
    }

    fn keep(&self, task: JoinHandle<Result<()>>) {
        let mut tasks = lock(&self.tasks);
        tasks.retain(|task| !task.is_finished());
        tasks.push(task);
    }

    /// Runs `work`, which sends so many bytes, on the connection for calls of that size.
    pub(crate) async fn send<T, F>(
        &self,
        bytes: usize,
        work: impl FnOnce(Connection) -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = RedisResult<T>>,
    {
        if bytes < LARGE {
            self.commands.call(work).await
        } else {
            self.large.call(bytes, work).await
        }
    }

    /// Sends a command of so many bytes, and sends it again within the retry window if it was
    /// certainly not applied, or if it is `repeatable` even when it was.
    pub(crate) async fn call_sized<T, F>(
        &self,
        step: Step,
        repeatable: bool,
        bytes: usize,
        work: impl Fn(Connection) -> F,
    ) -> Result<T>
    where
        F: Future<Output = RedisResult<T>>,
    {
        self.repeat(step, bytes, |_| repeatable, work).await
    }

    /// Has a script move something of unknown size. `work` says how many bytes that may have at the
    /// most; what has more is left, and moved by another attempt that has the time for it.
    pub(crate) async fn call_fitting<T, F>(
        &self,
        step: Step,
        work: impl Fn(Connection, usize) -> F,
    ) -> Result<T>
    where
        F: Future<Output = RedisResult<Fitting<T>>>,
    {
        let mut bytes = 0;
        loop {
            let most = bytes.max(LARGE);
            let script = |connection| work(connection, most);
            match self.call_sized(step, false, bytes, script).await? {
                Fitting::Done(done) => return Ok(done),
                Fitting::Left(left) => bytes = left,
            }
        }
    }

    /// Reads something of unknown size, by a command of so many bytes.
    ///
    /// A reply that does not come in time, of a server that answers others, is taken for a large
    /// one: it is asked for once more, on the connection for what is large, and with time enough.
    pub(crate) async fn fetch<T, F>(
        &self,
        bytes: usize,
        work: impl Fn(Connection) -> F,
    ) -> Result<T>
    where
        F: Future<Output = RedisResult<T>>,
    {
        let in_time = |error: &RedisError| !error.is_timeout();
        let error = match self.repeat(Step::Read, bytes, in_time, &work).await {
            Err(Error::Lost { source, .. }) if source.is_timeout() => source,
            other => return other,
        };
        tracing::debug!(%error, "a reply may be too large for the response timeout");
        if self.commands.connection().await.is_err() {
            return self.call_sized(Step::Read, true, bytes, work).await;
        }
        self.ensure_open()?;
        let fetched = self.large.call(MAX_PAYLOAD, work).await;
        fetched.map_err(|failure| failure.into_error(Step::Read))
    }

    /// Sends a command of so many bytes, and sends it again within the retry window if it was
    /// certainly not applied, or if it `may_repeat` after that error even when it was.
    async fn repeat<T, F>(
        &self,
        step: Step,
        bytes: usize,
        may_repeat: impl Fn(&RedisError) -> bool,
        work: impl Fn(Connection) -> F,
    ) -> Result<T>
    where
        F: Future<Output = RedisResult<T>>,
    {
        self.ensure_open()?;
        check_command(bytes)?;
        let give_up = Instant::now() + self.options.retry_window(bytes);
        let mut backoff = Backoff::new(self.options.longest_pause());
        // Why it is not known whether the call took effect, whatever later attempts met.
        let mut lost = None;
        loop {
            let failure = match self.send(bytes, &work).await {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            let again = failure.is_passing()
                || matches!(&failure, Failure::Lost(error) if may_repeat(error));
            let wait = backoff.next();
            if !again || Instant::now() + wait >= give_up {
                return Err(lost.unwrap_or(failure).into_error(step));
            }
            // What only reads takes no effect.
            if matches!(failure, Failure::Lost(_)) && step != Step::Read {
                lost = Some(failure);
            }
            sleep(wait).await;
            if let Err(closed) = self.ensure_open() {
                return Err(lost.map_or(closed, |lost| lost.into_error(step)));
            }
        }
    }

    pub(crate) fn events(&self) -> Events {
        self.reporter.subscribe()
    }

    /// The queue of these names, made if no handle to it lives. What is due in it is moved from now
    /// on if `transfer` says so.
    pub(crate) fn queue(
        self: &Arc<Self>,
        keys: QueueKeys,
        transfer: bool,
    ) -> Result<Arc<RawQueue>> {
        let mut queues = lock(&self.queues);
        // Under the lock, so that a shutdown either sees the queue or is seen here.
        self.ensure_open()?;
        let known = queues.get(keys.target()).and_then(Weak::upgrade);
        let is_new = known.is_none();
        let queue = known.unwrap_or_else(|| {
            queues.retain(|_, queue| queue.strong_count() > 0);
            let queue = Arc::new(RawQueue::new(Arc::clone(self), Arc::new(keys)));
            let name = queue.keys().target().to_owned();
            queues.insert(name, Arc::downgrade(&queue));
            queue
        });
        let begins = transfer && self.options.transfer && queue.ends().set_transferred();
        if is_new || begins {
            self.request(Request::Watch {
                keys: Arc::clone(queue.keys()),
                ends: Arc::downgrade(queue.ends()),
                transfer: begins,
            });
        }
        Ok(queue)
    }

    /// Lets no call and no queue begin any more.
    pub(crate) fn close(&self) {
        self.closed.send_replace(true);
        // Not dropped under the lock: the last handle of a queue may be gone by now.
        let queues = std::mem::take(&mut *lock(&self.queues));
        for queue in queues.into_values().filter_map(|it| it.upgrade()) {
            queue.close();
        }
    }

    /// Waits for the tasks of a closed client, and ends its connections.
    ///
    /// No longer than an offer may take: what waits for a frozen server until then goes on by
    /// itself, for as long as its timeouts allow.
    pub(crate) async fn end(&self) -> Result<()> {
        let give_up = Instant::now() + self.options.offer_window() + Self::MOMENT;
        let mut result = Ok(());
        // Also for what the end of a task has started.
        loop {
            let tasks = std::mem::take(&mut *lock(&self.tasks));
            if tasks.is_empty() {
                break;
            }
            for task in tasks {
                let ended = match timeout_at(give_up.into(), task).await {
                    Ok(Ok(ended)) => ended,
                    // A task that panicked has printed so; the others are waited for all the same.
                    Ok(Err(_)) => Ok(()),
                    Err(_) => {
                        let lost = Failure::Lost(self.delivery.met(timed_out()));
                        Err(lost.into_error(Step::GiveBack))
                    }
                };
                result = result.and(ended);
            }
        }
        self.commands.close();
        self.large.close();
        self.delivery.close();
        self.subscription.close();
        result
    }
}

/// Closes the client when dropped: with its service, for nothing is delivered without it, and with
/// the runtime on which the client was made, for its connection for calls ends with that.
struct Ending(Weak<Shared>);

impl Drop for Ending {
    fn drop(&mut self) {
        // Of a client without handles nobody asks anything.
        if let Some(client) = self.0.upgrade() {
            client.close();
        }
    }
}
