//! A client's session and its queues, and how both end.

use std::sync::{Arc, Weak};

use crate::client::master::Master;
use crate::client::moves::Moves;
use crate::delivery::session::Session;
use crate::error::Result;
use crate::event::Events;
use crate::link::access::Access;
use crate::link::address::Address;
use crate::metric;
use crate::options::Options;
use crate::queue::names::Names;
use crate::queue::raw::RawQueue;

/// A client's session and the queues that use it. Clones share both.
#[derive(Clone, Debug)]
pub(crate) struct Registry {
    session: Arc<Session>,
    queues: Arc<Names<RawQueue>>,
}

impl Registry {
    pub(crate) async fn connect(
        address: Address,
        access: Access,
        options: Options,
    ) -> Result<Self> {
        metric::describe();
        let (session, last_word) = Session::connect(address, access, options).await?;
        let registry = Self {
            session: Arc::new(session),
            queues: Arc::default(),
        };
        let ending = || Ending {
            session: Arc::downgrade(&registry.session),
            queues: Arc::clone(&registry.queues),
        };
        registry.session.run(last_word, ending);
        Ok(registry)
    }

    /// The queue that users call `name`. If `transfer` is true, this client moves its due elements
    /// from now on.
    pub(crate) fn queue(&self, name: &str, transfer: bool) -> Result<Arc<RawQueue>> {
        let keys = self.session.options.name_mapper.keys(name)?;
        RawQueue::open(&self.session, &self.queues, keys, transfer)
    }

    pub(crate) fn masters(&self) -> Vec<Master> {
        let nodes = self.session.nodes().into_iter();
        nodes
            .map(|node| Master::new(Arc::clone(&self.session), node))
            .collect()
    }

    pub(crate) fn master_of(&self, name: &str) -> Result<Master> {
        let keys = self.session.options.name_mapper.keys(name)?;
        self.session.check_name(&keys)?;
        let node = self.session.node(&keys);
        Ok(Master::new(Arc::clone(&self.session), node))
    }

    pub(crate) fn moves(&self, name: &str) -> Result<Moves> {
        let keys = self.session.options.name_mapper.keys(name)?;
        self.session.check_name(&keys)?;
        self.session.ensure_open()?;
        Ok(Moves::new(Arc::clone(&self.session), keys))
    }

    pub(crate) fn moved(&self) -> u64 {
        self.session.moved()
    }

    pub(crate) fn events(&self) -> Events {
        self.session.events()
    }

    /// Ends the session and its queues, and waits for their tasks; see [`Session::end`].
    pub(crate) async fn shut_down(&self) -> Result<()> {
        close(&self.session, &self.queues);
        self.session.end().await
    }
}

/// Refuses new calls and new queues, and has the queues give back the elements that they hold.
fn close(session: &Session, queues: &Names<RawQueue>) {
    session.close();
    for queue in queues.take_all() {
        queue.close();
    }
}

/// Closes the client when dropped: when its service ends, since nothing is delivered then, or when
/// the runtime that carries its calls ends.
struct Ending {
    session: Weak<Session>,
    queues: Arc<Names<RawQueue>>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        // A client without handles has nobody to tell.
        if let Some(session) = self.session.upgrade() {
            close(&session, &self.queues);
        }
    }
}
