//! The transfer services of a client: one for each master that has some of its queues.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, Weak};
use std::thread;

use tokio::sync::{mpsc, watch};

use crate::delivery::alarm::Alarm;
use crate::delivery::transfer::{Request, Requests, Service};
use crate::event::{LastWord, Reporter};
use crate::link::connection::Push;
use crate::link::node::Node;
use crate::link::nodes::Nodes;
use crate::link::tasks::Tasks;
use crate::options::Options;
use crate::sync::lock;

/// Starts the services, and passes each request to the one whose master has the queue.
pub(crate) struct Services {
    nodes: Arc<Nodes>,
    tasks: Arc<Tasks>,
    closed: Arc<watch::Sender<bool>>,
    options: Options,
    reporter: Reporter,
    last_word: Weak<LastWord>,
    /// By the master's [`server`](crate::link::endpoint::Endpoint::server).
    running: Mutex<HashMap<Arc<str>, Requests>>,
}

impl Services {
    pub(crate) fn new(
        nodes: Arc<Nodes>,
        tasks: Arc<Tasks>,
        closed: Arc<watch::Sender<bool>>,
        options: Options,
        last_word: &Arc<LastWord>,
    ) -> Arc<Self> {
        Arc::new(Self {
            nodes,
            tasks,
            closed,
            options,
            reporter: last_word.0.clone(),
            last_word: Arc::downgrade(last_word),
            running: Mutex::default(),
        })
    }

    /// Starts the service of this node, if it does not run.
    pub(crate) fn start(self: &Arc<Self>, node: &Arc<Node>) {
        self.requests_of(node, &mut lock(&self.running));
    }

    /// Passes on a request about a queue with keys of `slot`.
    pub(crate) fn request(self: &Arc<Self>, slot: u16, request: Request) {
        let mut running = lock(&self.running);
        // Under the lock: the service of this node does not end before it has the request.
        let node = self.nodes.of(slot);
        if let Some(requests) = self.requests_of(&node, &mut running) {
            // Fails only after a shutdown, and then nothing is left to ask for.
            let _ = requests.send(request);
        }
    }

    pub(crate) fn is_at(&self, node: &Arc<Node>, slot: u16) -> bool {
        Arc::ptr_eq(&self.nodes.of(slot), node)
    }

    /// True if the service of this node may end: the node has no slot any more, and no request
    /// waits. Then forgets the service and the node.
    pub(crate) fn retire(
        &self,
        node: &Arc<Node>,
        requests: &mpsc::UnboundedReceiver<Request>,
    ) -> bool {
        let mut running = lock(&self.running);
        if !requests.is_empty() || !self.nodes.forget(node) {
            return false;
        }
        running.remove(node.endpoint().server());
        true
    }

    /// Where to send requests for this node. None if its service has ended.
    fn requests_of<'a>(
        self: &Arc<Self>,
        node: &Arc<Node>,
        running: &'a mut HashMap<Arc<str>, Requests>,
    ) -> Option<&'a Requests> {
        let server = node.endpoint().server();
        if let Some(pushes) = node.take_pushes() {
            let (requests, received) = mpsc::unbounded_channel();
            self.run(node, pushes, received);
            running.insert(Arc::clone(server), requests);
        }
        running.get(server)
    }

    /// Runs a service until the client closes or the node has no slot any more.
    fn run(
        self: &Arc<Self>,
        node: &Arc<Node>,
        pushes: mpsc::UnboundedReceiver<Push>,
        requests: mpsc::UnboundedReceiver<Request>,
    ) {
        let service = Service {
            alarm: Alarm::start(node.endpoint().host()),
            #[cfg(feature = "periodic")]
            ids: Arc::new(crate::wire::ids::IdSource::new(self.options.member_ids)),
            changes: self.nodes.changes(),
            is_denied: Arc::default(),
            link: Arc::clone(&node.delivery),
            node: Arc::clone(node),
            options: self.options.clone(),
            pushes,
            reporter: self.reporter.clone(),
            requests,
            services: Arc::downgrade(self),
            subscription: Arc::clone(&node.subscription),
        };
        let mut closed = self.closed.subscribe();
        let guards = (
            CloseOnPanic(Arc::downgrade(&self.closed)),
            self.last_word.upgrade(),
        );
        self.tasks.deliver(async move {
            let _guards = guards;
            // An error means that the session is gone, so the service should end, too.
            let stop = async move { drop(closed.wait_for(|closed| *closed).await) };
            service.run(stop).await;
            Ok(())
        });
    }
}

/// Closes the client if its service panics, since nothing is delivered then.
struct CloseOnPanic(Weak<watch::Sender<bool>>);

impl Drop for CloseOnPanic {
    fn drop(&mut self) {
        if thread::panicking()
            && let Some(closed) = self.0.upgrade()
        {
            closed.send_replace(true);
        }
    }
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Services").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use redis::{ConnectionAddr, IntoConnectionInfo};
    use tokio::runtime::Handle;
    use tokio::time::{Instant, sleep};

    use super::*;
    use crate::link::access::Access;
    use crate::link::background::Background;
    use crate::link::host::Host;
    use crate::link::topology::cluster::Cluster;

    /// Nobody listens at these ports.
    fn at(port: u16) -> ConnectionAddr {
        ConnectionAddr::Tcp("127.0.0.1".to_owned(), port)
    }

    fn services(cluster: &Arc<Cluster>, background: Background) -> Arc<Services> {
        let (callers, delivering) = (Handle::current(), background.runtime().clone());
        let nodes = Nodes::of_cluster(Arc::clone(cluster), callers.clone(), delivering);
        Services::new(
            Arc::new(nodes),
            Arc::new(Tasks::new(background, callers)),
            Arc::new(watch::Sender::new(false)),
            Options::default(),
            &Arc::new(LastWord(Reporter::new())),
        )
    }

    /// Producers tell a service of new heads at any moment.
    #[tokio::test]
    async fn the_service_of_a_node_without_slots_ends_though_requests_come_to_the_last() {
        let seed = "redis://127.0.0.1:1".into_connection_info().unwrap();
        let timeouts = Options::default().timeouts;
        let cluster = Cluster::new(vec![seed], Access::default(), timeouts);
        let background = Background::start(&Host::System, "test").unwrap();
        let delivering = background.runtime().clone();
        let services = services(&cluster, background);
        let head = || Request::NewHead {
            name: "orders".to_owned(),
            due: Instant::now(),
        };
        for port in 2..20 {
            services.request(0, head());
            let node = Arc::downgrade(&services.nodes.of(0));
            // While the service is held up, it gets a request and loses its slots.
            let (held_up, is_held_up) = std::sync::mpsc::channel();
            let (go, wait) = std::sync::mpsc::channel::<()>();
            delivering.spawn(async move {
                let _ = held_up.send(());
                let _ = wait.recv();
            });
            is_held_up.recv().unwrap();
            services.request(0, head());
            cluster.give_all_to(at(port));
            drop(go);
            let start = Instant::now();
            while node.strong_count() > 0 {
                assert!(start.elapsed() < Duration::from_secs(60), "{port}");
                sleep(Duration::from_millis(1)).await;
            }
        }
    }
}
