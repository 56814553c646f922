//! The connection of a process to one Redis, and what its queues share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::Instant;

use redis::{ConnectionInfo, IntoConnectionInfo, RedisResult};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::alarm::Alarm;
use crate::backoff::Backoff;
use crate::builder::ClientBuilder;
use crate::clock::RemoteClock;
use crate::codec::Codec;
use crate::connection::{Connection, Failure, Link};
use crate::error::{Error, Result, Step};
use crate::event::{Events, Reporter};
use crate::ids::IdSource;
use crate::keys::QueueKeys;
use crate::options::Options;
use crate::queue::DelayedQueue;
use crate::raw::RawQueue;
use crate::sync::lock;
use crate::transfer::{Request, Requests, Service};

/// A connection to one Redis, and the service that moves what is due in this client's queues.
///
/// Clones are cheap and share everything. The client lives as long as a clone of it or a handle of
/// one of its queues; when the last is gone, its tasks give back what they hold and end. Use
/// [`shutdown`](Self::shutdown) to wait for that.
///
/// # Examples
///
/// ```no_run
/// use std::time::Duration;
/// use redisson_delayed_queue::{Client, DelayedQueue, codec::StringCodec};
///
/// # async fn run() -> redisson_delayed_queue::Result<()> {
/// let client = Client::connect("redis://127.0.0.1/").await?;
/// let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec)?;
/// queue.offer(&"order-17".to_owned(), Duration::from_secs(30)).await?;
/// println!("{}", queue.take().await?);
/// client.shutdown().await
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    shared: Arc<Shared>,
}

/// What every queue of a client uses.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) clock: Arc<RemoteClock>,
    /// For calls: what a caller asks for at length never holds up a delivery.
    pub(crate) commands: Link,
    /// For what brings elements to callers: messages, hints, transfers and claims.
    pub(crate) delivery: Arc<Link>,
    pub(crate) ids: IdSource,
    pub(crate) options: Options,
    closed: watch::Sender<bool>,
    queues: Mutex<HashMap<String, Weak<RawQueue>>>,
    reporter: Reporter,
    requests: Requests,
    /// Where tasks run, also those that a call on another runtime starts.
    runtime: Handle,
    tasks: Mutex<Vec<JoinHandle<Result<()>>>>,
}

impl Client {
    /// Connects to `server`, a URL or a [`redis::ConnectionInfo`], with the default settings.
    ///
    /// See [`ClientBuilder::connect`] for what this costs, its errors and its cancel safety.
    pub async fn connect(server: impl IntoConnectionInfo) -> Result<Self> {
        Self::builder().connect(server).await
    }

    /// Settings to choose before connecting.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    pub(crate) async fn connect_to(info: ConnectionInfo, options: Options) -> Result<Self> {
        let clock = Arc::new(RemoteClock::default());
        let (push_sender, pushes) = mpsc::unbounded_channel();
        let link = |pushes| {
            Link::new(info.clone(), options.timeouts, Arc::clone(&clock), pushes)
                .map_err(|source| Error::Connect { source })
        };
        let commands = link(None)?;
        let delivery = Arc::new(link(Some(push_sender))?);
        commands
            .connection()
            .await
            .map_err(|error| Failure::NotSent(error).into_error(Step::Connect))?;

        let (requests, received) = mpsc::unbounded_channel();
        let reporter = Reporter::new();
        let service = Service {
            alarm: Alarm::start().map_err(|error| Error::Connect {
                source: error.into(),
            })?,
            clock: Arc::clone(&clock),
            link: Arc::clone(&delivery),
            options: options.clone(),
            pushes,
            reporter: reporter.clone(),
            requests: received,
        };
        let shared = Arc::new(Shared {
            clock,
            commands,
            delivery,
            ids: IdSource::new(options.member_ids),
            options,
            closed: watch::Sender::new(false),
            queues: Mutex::default(),
            reporter,
            requests,
            runtime: Handle::current(),
            tasks: Mutex::default(),
        });
        let mut closed = shared.closed.subscribe();
        let ending = Ending {
            closed: shared.closed.clone(),
            reporter: shared.reporter.clone(),
        };
        shared.spawn(async move {
            let _ending = ending;
            let stop = async move {
                // An error means that the client is gone, and then the service hears so, too.
                let _ = closed.wait_for(|closed| *closed).await;
            };
            service.run(stop).await;
            Ok(())
        });
        Ok(Self { shared })
    }

    /// A handle to the delayed queue `name`, as
    /// `redisson.getDelayedQueue(redisson.getBlockingQueue(name, codec))`.
    ///
    /// From now on this client moves what is due in the queue, for all its consumers in any
    /// language, unless that is [switched off](ClientBuilder::transfer). It goes on after the
    /// handle is dropped until nothing is scheduled.
    ///
    /// Handles of one name share their claimed elements, whatever their codecs.
    ///
    /// # Errors
    ///
    /// - [`Error::Name`] if `name` is empty.
    /// - [`Error::Closed`] after [`shutdown`](Self::shutdown).
    pub fn delayed_queue<T: 'static, C: Codec<T>>(
        &self,
        name: impl Into<String>,
        codec: C,
    ) -> Result<DelayedQueue<T>> {
        let core = self.shared.queue(QueueKeys::new(name)?)?;
        Ok(DelayedQueue::new(core, Arc::new(codec)))
    }

    /// What happens in the background from now on: quarantined members, refusals, lost connections.
    /// The connection that delivers is made in the background, so the first [`Event::Connected`](crate::Event::Connected) is
    /// usually still to come.
    #[must_use]
    pub fn events(&self) -> Events {
        self.shared.reporter.subscribe()
    }

    /// Ends this client, its clones and all handles of its queues.
    ///
    /// Callers that wait, and all later calls, get [`Error::Closed`]. Elements that were claimed
    /// and not handed over go back to the head of their queues, where a consumer in any
    /// language finds them. Calling it again waits for nothing more.
    ///
    /// # Errors
    ///
    /// - What kept elements from being given back within the [retry
    ///   window](ClientBuilder::retry_window). They are claimed again, by any Rust client, once
    ///   their leases run out.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the client ends by itself if dropped.
    pub async fn shutdown(&self) -> Result<()> {
        self.shared.closed.send_replace(true);
        for (_, queue) in lock(&self.shared.queues).drain() {
            if let Some(queue) = queue.upgrade() {
                queue.close();
            }
        }
        let tasks = std::mem::take(&mut *lock(&self.shared.tasks));
        let mut result = Ok(());
        for task in tasks {
            // A task that panicked has printed so; the others are waited for all the same.
            if let Ok(ended) = task.await {
                result = result.and(ended);
            }
        }
        self.shared.commands.close();
        self.shared.delivery.close();
        self.shared.reporter.close();
        result
    }
}

/// Closes the client when its service ends, also when that is because its runtime has gone: without
/// a service nothing would be delivered.
struct Ending {
    closed: watch::Sender<bool>,
    reporter: Reporter,
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.closed.send_replace(true);
        self.reporter.close();
    }
}

impl Shared {
    /// The queue of these names, made if no handle to it lives.
    fn queue(self: &Arc<Self>, keys: QueueKeys) -> Result<Arc<RawQueue>> {
        let mut queues = lock(&self.queues);
        // Under the lock, so that a shutdown either sees the queue or is seen here.
        self.ensure_open()?;
        if let Some(core) = queues.get(keys.target()).and_then(Weak::upgrade) {
            return Ok(core);
        }
        queues.retain(|_, core| core.strong_count() > 0);
        let core = Arc::new(RawQueue::new(Arc::clone(self), keys.clone()));
        queues.insert(keys.target().to_owned(), Arc::downgrade(&core));
        self.request(Request::Watch {
            keys,
            intake: core.intake(),
        });
        Ok(core)
    }

    pub(crate) fn ensure_open(&self) -> Result<()> {
        if *self.closed.borrow() {
            return Err(Error::Closed);
        }
        Ok(())
    }

    pub(crate) fn request(&self, request: Request) {
        // The service ends only by shutdown, and then nothing is left to ask for.
        let _ = self.requests.send(request);
    }

    /// Runs a task that [`Client::shutdown`] waits for.
    pub(crate) fn spawn(&self, task: impl Future<Output = Result<()>> + Send + 'static) {
        let mut tasks = lock(&self.tasks);
        tasks.retain(|task| !task.is_finished());
        tasks.push(self.runtime.spawn(task));
    }

    /// Sends a command, and sends it again within the retry window if it was certainly not applied,
    /// or if it is `repeatable` even when it was.
    pub(crate) async fn call<T, F>(
        &self,
        step: Step,
        repeatable: bool,
        work: impl Fn(Connection) -> F,
    ) -> Result<T>
    where
        F: Future<Output = RedisResult<T>>,
    {
        self.ensure_open()?;
        let give_up = Instant::now() + self.options.retry_window;
        let mut backoff = Backoff::new(self.options.longest_pause());
        loop {
            let failure = match self.commands.call(&work).await {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            let again = failure.is_passing() || repeatable && matches!(failure, Failure::Lost(_));
            let wait = backoff.next();
            if !again || Instant::now() + wait >= give_up {
                return Err(failure.into_error(step));
            }
            sleep(wait).await;
            self.ensure_open()?;
        }
    }
}
