//! The links to one master.

use std::sync::{Arc, Mutex};

use redis::RedisError;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{self, UnboundedReceiver};

use crate::link::clock::RemoteClock;
use crate::link::connection::{Leave, Link, Purpose, Push, SideLink};
use crate::link::endpoint::Endpoint;
use crate::sync::lock;

/// One master, and this client's links to it. They connect when they are used first.
#[derive(Debug)]
pub(crate) struct Node {
    endpoint: Endpoint,
    /// Only for calls, so that a long one holds up no delivery.
    pub(crate) calls: Arc<Link>,
    /// For large calls, so that they hold up nothing else.
    pub(crate) large: Arc<SideLink>,
    /// For offers that wait for replicas or the disk: Redis answers nothing else on it meanwhile.
    pub(crate) durable: SideLink,
    /// For transfers, claims and hints, which bring elements to callers.
    pub(crate) delivery: Arc<Link>,
    /// For messages.
    pub(crate) subscription: Arc<Link>,
    /// What the server says unasked, until somebody listens.
    pushes: Mutex<Option<UnboundedReceiver<Push>>>,
}

impl Node {
    /// Links to this server. Calls go through the runtime `callers`, everything else through
    /// `background`.
    pub(crate) fn new(endpoint: Endpoint, callers: &Handle, background: &Handle) -> Self {
        let (sender, pushes) = mpsc::unbounded_channel();
        let link =
            |purpose, runtime: &Handle| Link::new(endpoint.clone(), purpose, runtime.clone());
        let side = |purpose| SideLink::new(endpoint.clone(), purpose);
        Self {
            calls: link(Purpose::Calls, callers),
            large: Arc::new(side(Purpose::Large)),
            durable: side(Purpose::Durable),
            delivery: link(Purpose::Delivery(sender.clone()), background),
            subscription: link(Purpose::Subscription(sender), background),
            pushes: Mutex::new(Some(pushes)),
            endpoint,
        }
    }

    /// Identifies this node among those of the client.
    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// What the server says unasked. Only the first caller gets it.
    pub(crate) fn take_pushes(&self) -> Option<UnboundedReceiver<Push>> {
        lock(&self.pushes).take()
    }

    pub(crate) fn clock(&self) -> &RemoteClock {
        self.endpoint.clock()
    }

    /// Gives up all connections: another server is the master, or will be.
    pub(crate) fn leave(&self, how: Leave<'_>, cause: &RedisError) {
        self.calls.leave(how, cause);
        self.delivery.leave(how, cause);
        self.subscription.leave(how, cause);
        self.large.leave(how, cause);
        self.durable.leave(how, cause);
    }

    /// Closes the connections. A later call would make others.
    pub(crate) fn close(&self) {
        self.calls.close();
        self.large.close();
        self.durable.close();
        self.delivery.close();
        self.subscription.close();
    }
}
