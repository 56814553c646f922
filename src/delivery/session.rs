//! One client at work: its calls, its deliveries and its background tasks.
//!
//! A session knows no queues. Each queue has the session of its client; the service of the queue's
//! master, which the session starts, hears of the queue by [requests](Request).

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::delivery::services::Services;
use crate::delivery::transfer::Request;
use crate::error::{Cause, Error, Result, Step};
use crate::event::{LastWord, Reporter};
use crate::link::access::Access;
use crate::link::address::Address;
use crate::link::background::Background;
use crate::link::calls::Calls;
use crate::link::clock::{after_us, midpoint};
use crate::link::connection::{Failure, timed_out};
use crate::link::node::Node;
use crate::link::nodes::{Nodes, Route};
use crate::link::tasks::Tasks;
use crate::options::Options;
use crate::wire::ids::IdSource;
use crate::wire::keys::{NameError, QueueKeys};
use crate::wire::script::When;

/// Everything that the queues of a client share.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) calls: Calls,
    pub(crate) nodes: Arc<Nodes>,
    services: Arc<Services>,
    pub(crate) ids: IdSource,
    pub(crate) options: Options,
    pub(crate) tasks: Arc<Tasks>,
    closed: Arc<watch::Sender<bool>>,
    pub(crate) reporter: Reporter,
}

impl Session {
    /// Tasks give up when the offer window ends. This is the time they then have to return their
    /// error.
    const MOMENT: Duration = Duration::from_millis(200);

    /// Connects for calls. The services, which are still to be [run](Self::run), connect for
    /// deliveries and messages.
    pub(crate) async fn connect(
        address: Address,
        access: Access,
        options: Options,
    ) -> Result<(Self, Arc<LastWord>)> {
        let server = address.to_string();
        let background =
            Background::start(&access.host, "rdq-delivery").map_err(|error| Error::Connect {
                server,
                source: Cause::of(error),
            })?;
        let runtime = Handle::current();
        let delivering = background.runtime().clone();
        let nodes = Nodes::find(
            address,
            access,
            options.timeouts,
            runtime.clone(),
            delivering.clone(),
        );
        let nodes = Arc::new(nodes.await?);
        if !nodes.have_slots() {
            let connected = nodes.any().calls.connection().await;
            connected.map_err(|failure| failure.into_error(Step::Connect))?;
        }
        nodes.keep_up(&delivering);

        let last_word = Arc::new(LastWord(Reporter::new()));
        let reporter = last_word.0.clone();
        let tasks = Arc::new(Tasks::new(background, runtime));
        let (closed, is_closed) = watch::channel(false);
        let closed = Arc::new(closed);
        let services = Services::new(
            Arc::clone(&nodes),
            Arc::clone(&tasks),
            Arc::clone(&closed),
            options.clone(),
            &last_word,
        );
        let session = Self {
            calls: Calls::new(Arc::clone(&nodes), is_closed, options.clone()),
            nodes,
            services,
            ids: IdSource::new(options.member_ids),
            options,
            tasks,
            closed,
            reporter,
        };
        Ok((session, last_word))
    }

    /// Delivers until the session closes. Creates two `ending`s: one is dropped when the runtime of
    /// the services ends, one when the callers' runtime ends.
    pub(crate) fn run<E: Send + 'static>(&self, last_word: Arc<LastWord>, ending: impl Fn() -> E) {
        if !self.nodes.have_slots() {
            self.services.start(&self.nodes.any());
        }
        // Nobody waits for these tasks: a runtime may stand still while a shutdown runs on another.
        self.tasks
            .detach_delivery(self.until_closed((last_word, ending())));
        self.tasks.detach(self.until_closed(ending()));
    }

    /// Waits until the session is closed or dropped. Owns `ending`, so it ends with this future.
    fn until_closed<E>(&self, ending: E) -> impl Future<Output = ()> + use<E> {
        let mut closed = self.closed.subscribe();
        async move {
            let _ending = ending;
            // An error means that the session is gone.
            let _ = closed.wait_for(|closed| *closed).await;
        }
    }

    /// The node that has the keys of a queue, as far as this client knows.
    pub(crate) fn node(&self, keys: &QueueKeys) -> Arc<Node> {
        self.nodes.of(keys.slot())
    }

    /// A lower bound for the time until an element of a queue is due.
    pub(crate) fn delay_until(&self, keys: &QueueKeys, when: When) -> Duration {
        match when {
            When::After(ms) => Duration::from_millis(ms),
            When::At(ms) => {
                let (now, node) = (Instant::now(), self.node(keys));
                let ms = i64::try_from(ms).unwrap_or(i64::MAX);
                let due = self.options.clock.instant_of_ms(ms, node.clock(), now);
                due.map_or(Duration::ZERO, |due| due - now)
            }
        }
    }

    /// Fails if the keys of a queue lie in several slots of a cluster.
    pub(crate) fn check_name(&self, keys: &QueueKeys) -> Result<()> {
        if self.nodes.have_slots() {
            keys.check_cluster()?;
        }
        Ok(())
    }

    /// Fails if two queues lie in different slots of a cluster.
    pub(crate) fn check_pair(&self, keys: &QueueKeys, other: &QueueKeys) -> Result<()> {
        self.check_name(other)?;
        if self.nodes.have_slots() && keys.slot() != other.slot() {
            return Err(Error::Name(NameError::OtherSlot {
                name: keys.name().to_owned(),
                other: other.name().to_owned(),
            }));
        }
        Ok(())
    }

    /// The way to the node of a queue, wherever that is later.
    pub(crate) fn route(&self, keys: &QueueKeys) -> Route {
        Route::new(Arc::clone(&self.nodes), keys.slot())
    }

    /// Fails once the session is closed.
    pub(crate) fn ensure_open(&self) -> Result<()> {
        self.calls.ensure_open()
    }

    /// Learns from a reply what Redis's clock showed, and, if the queue has another head, in how many us it
    /// is due.
    pub(crate) fn learn(
        &self,
        keys: &QueueKeys,
        sent: Instant,
        server_us: i64,
        head_due_us: Option<i64>,
    ) {
        let received = Instant::now();
        self.node(keys).clock().observe(sent, received, server_us);
        if let Some(due_us) = head_due_us {
            self.tell_new_head(keys, after_us(midpoint(sent, received), due_us));
        }
    }

    /// Tells the service that a queue has another head, due at this moment.
    pub(crate) fn tell_new_head(&self, keys: &QueueKeys, due: Instant) {
        let name = keys.target().to_owned();
        self.request(keys, Request::NewHead { name, due });
    }

    /// Tells the service of a queue something.
    pub(crate) fn request(&self, keys: &QueueKeys, request: Request) {
        self.services.request(keys.slot(), request);
    }

    /// Becomes true when the session is closed.
    pub(crate) fn closed(&self) -> watch::Receiver<bool> {
        self.closed.subscribe()
    }

    /// Refuses new calls.
    pub(crate) fn close(&self) {
        self.closed.send_replace(true);
    }

    /// Waits for the tasks of a closed session, and ends its connections.
    ///
    /// Waits for the offer window and [`MOMENT`](Self::MOMENT) at most. A task that still waits for
    /// a frozen server then goes on alone, until its own timeouts end it.
    pub(crate) async fn end(&self) -> Result<()> {
        let give_up = Instant::now() + self.options.offer_window() + Self::MOMENT;
        let late =
            || Failure::Lost(self.nodes.any().delivery.met(timed_out())).into_error(Step::GiveBack);
        let result = self.tasks.end(give_up, late).await;
        self.nodes.close();
        result
    }
}
