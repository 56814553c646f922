//! The sentinels that know which server is the master.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

use futures::stream::{FuturesUnordered, StreamExt};
use redis::{ConnectionAddr, ConnectionInfo, RedisError, RedisResult};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use super::address::at;
use super::answers::{Answers, Named};
use crate::error::{Cause, Unreachable};
use crate::link::access::Access;
use crate::link::connection::{Connection, Leave, Push, Timeouts, plain, timed_out};
use crate::link::endpoint::{Endpoint, Site};
use crate::link::node::Node;
use crate::link::pauses::Pauses;
use crate::sync::lock;

/// The sentinels of one master.
///
/// The client asks them at each connect, and [`Answers`] decides. It also listens to each of them,
/// and leaves a master as soon as one of them knows a later one, or has chosen one.
pub(crate) struct Sentinels {
    /// The name of the master, as the sentinels know it.
    name: String,
    sentinels: Vec<Endpoint>,
    answers: Mutex<Answers>,
    /// The links to the master, which leave it for the next one.
    node: OnceLock<Weak<Node>>,
}

impl Sentinels {
    /// How often to ask each sentinel, even if it announces nothing.
    const CHECK: Duration = Duration::from_secs(1);
    /// How long to wait for more answers after the first.
    const MORE: Duration = Duration::from_millis(100);
    const SWITCHED: &str = "+switch-master";
    /// The sentinel that leads a failover is about to promote a replica.
    const CHOSEN: &str = "+failover-state-send-slaveof-noone";

    /// The sentinels at these addresses, which know the master as `name`.
    pub(crate) fn new(
        name: String,
        servers: Vec<ConnectionInfo>,
        access: &Access,
        timeouts: Timeouts,
    ) -> Self {
        let access = access.of_sentinels();
        let endpoint = |info| Endpoint::new(Site::Fixed, info, access.clone(), timeouts);
        Self {
            name,
            answers: Mutex::new(Answers::new(servers.len())),
            sentinels: servers.into_iter().map(endpoint).collect(),
            node: OnceLock::new(),
        }
    }

    /// How errors name the master while nobody knows where it is.
    pub(crate) fn name(&self) -> String {
        let sentinels: Vec<_> = self.sentinels.iter().map(|it| &**it.server()).collect();
        format!("{} ({})", self.name, sentinels.join(","))
    }

    /// Asks where the master is. If no sentinel answers, it is where it was last.
    pub(crate) async fn master(&self) -> RedisResult<ConnectionAddr> {
        let questions = (0..self.sentinels.len()).map(|it| self.ask_once(it));
        let mut answers: FuturesUnordered<_> = questions.collect();
        let mut limit = self.sentinels[0].timeouts().connect;
        let mut failure = timed_out();
        while let Ok(Some((sentinel, answer))) = timeout(limit, answers.next()).await {
            match answer {
                Ok(named) => {
                    self.hear(sentinel, Some(named));
                    limit = Self::MORE;
                }
                Err(error) => {
                    self.hear(sentinel, None);
                    failure = error;
                }
            }
        }
        lock(&self.answers).master().ok_or(failure)
    }

    /// The replica that is to become the master, for as long as it may.
    pub(crate) fn successor(&self) -> Option<ConnectionAddr> {
        lock(&self.answers).successor(Instant::now())
    }

    /// Notes that a connection has met the successor as a master.
    pub(crate) fn note_promotion(&self) {
        lock(&self.answers).note_promotion();
    }

    /// Notes what a sentinel answered, whoever asked. If another server is the master now, all links
    /// leave the former one.
    fn hear(&self, sentinel: usize, answer: Option<Named>) {
        let moved = {
            let mut answers = lock(&self.answers);
            answers.hear(sentinel, answer);
            answers.moved(Instant::now())
        };
        if let Some(master) = moved
            && let Some(node) = self.node.get().and_then(Weak::upgrade)
        {
            let master = master.to_string();
            node.leave(Leave::For(&master), &switched(&master));
        }
    }

    /// Notes an announcement of a sentinel.
    fn expect(&self, announced: &[u8], sentinel: &Endpoint) {
        let from = sentinel.fixed_address();
        let is_news = lock(&self.answers).expect(announced, &self.name, from, Instant::now());
        if is_news && let Some(node) = self.node.get().and_then(Weak::upgrade) {
            node.leave(Leave::Later, &about_to_switch());
        }
    }

    async fn ask_once(&self, place: usize) -> (usize, RedisResult<Named>) {
        let sentinel = &self.sentinels[place];
        let answer = async { self.ask(&mut plain(sentinel, None).await?, sentinel).await };
        (place, answer.await)
    }

    async fn ask(&self, connection: &mut Connection, sentinel: &Endpoint) -> RedisResult<Named> {
        let command = |subcommand: &str| {
            let mut command = redis::cmd("SENTINEL");
            command.arg(subcommand).arg(&self.name);
            command
        };
        // While a sentinel leads a failover, its reply to MASTER has the new epoch and still the old
        // address. Its reply to the second command has the new address, and is never older than the
        // epoch, because it comes later.
        let master = command("MASTER");
        let fields: RedisResult<HashMap<String, String>> = master.query_async(connection).await;
        let fields = fields.map_err(unknown_master)?;
        let epoch = fields.get("config-epoch").and_then(|it| it.parse().ok());
        let place = command("GET-MASTER-ADDR-BY-NAME");
        let place: Option<(String, u16)> = place.query_async(connection).await?;
        let address = place.and_then(|(host, port)| at(&host, port, sentinel.fixed_address()));
        match address.zip(epoch) {
            Some((address, epoch)) => Ok(Named { epoch, address }),
            None => Err(Unreachable::SilentSentinel.into()),
        }
    }

    /// Listens to all sentinels, and makes `node` drop its connections when one of them names another
    /// master. Ends with the node.
    pub(crate) fn watch(self: &Arc<Self>, runtime: &Handle, node: &Arc<Node>) {
        // Set once: sentinels belong to one node.
        let _ = self.node.set(Arc::downgrade(node));
        for place in 0..self.sentinels.len() {
            let listening = Self::listen(Arc::clone(self), place, Arc::downgrade(node));
            runtime.spawn(listening);
        }
    }

    async fn listen(self: Arc<Self>, place: usize, node: Weak<Node>) {
        let mut pauses = Pauses::new(Self::CHECK);
        while node.strong_count() > 0 {
            if let Err(error) = self.follow(place, &node, &mut pauses).await {
                self.hear(place, None);
                let sentinel = self.sentinels[place].server();
                tracing::debug!(%sentinel, %error, "a sentinel is silent");
            }
            sleep(pauses.next()).await;
        }
    }

    /// Asks one sentinel again and again, and whenever it announces another master.
    async fn follow(
        &self,
        place: usize,
        node: &Weak<Node>,
        pauses: &mut Pauses,
    ) -> RedisResult<()> {
        let sentinel = &self.sentinels[place];
        let (sender, mut pushes) = mpsc::unbounded_channel();
        let mut connection = plain(sentinel, Some(sender)).await?;
        for event in [Self::SWITCHED, Self::CHOSEN] {
            // A user without the right, or a sentinel without RESP3, is asked all the same.
            let _ = connection.subscribe(event).await;
        }
        while node.strong_count() > 0 {
            let named = self.ask(&mut connection, sentinel).await?;
            pauses.reset();
            self.hear(place, Some(named));
            let push = timeout(Self::CHECK, pushes.recv()).await;
            if let Ok(Some(Push::Message { channel, payload })) = push
                && channel == Self::CHOSEN.as_bytes()
            {
                self.expect(&payload, sentinel);
            }
        }
        Ok(())
    }
}

/// Explains a sentinel's answer, if it is about the name of the master.
fn unknown_master(answer: RedisError) -> RedisError {
    let about_name = answer
        .detail()
        .is_some_and(|it| it.contains("No such master"));
    if about_name {
        Unreachable::UnknownMaster(Cause::of(answer)).into()
    } else {
        answer
    }
}

/// The error of calls that wait at a former master.
fn switched(to: &str) -> RedisError {
    let text = format!("the sentinels have made {to} the master");
    std::io::Error::new(std::io::ErrorKind::ConnectionReset, text).into()
}

/// The error of a connection to a master that another server replaces in a moment.
fn about_to_switch() -> RedisError {
    let text = "the sentinels are about to make another server the master";
    std::io::Error::new(std::io::ErrorKind::ConnectionReset, text).into()
}

impl fmt::Debug for Sentinels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sentinels")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use redis::IntoConnectionInfo;

    use super::*;

    /// No test takes that long.
    const LONG: Duration = Duration::from_secs(60);

    fn named(epoch: u64, port: u16) -> Option<Named> {
        Some(Named {
            epoch,
            address: ConnectionAddr::Tcp("redis".to_owned(), port),
        })
    }

    /// Connecting asks the sentinels, too, and may learn of a failover before the tasks that
    /// listen.
    #[tokio::test]
    async fn links_leave_the_former_master_whoever_hears_of_the_next_one_first() {
        // Takes connections and never answers.
        let former = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("redis://{}", former.local_addr().unwrap());
        let info = address.into_connection_info().unwrap();
        let timeouts = Timeouts {
            connect: LONG,
            response: LONG,
        };
        let endpoint = Endpoint::new(Site::Fixed, info, Access::default(), timeouts);
        let runtime = Handle::current();
        let node = Arc::new(Node::new(endpoint, &runtime, &runtime));
        let nowhere = "redis://127.0.0.1:1".into_connection_info().unwrap();
        let access = Access::default();
        let sentinels = Sentinels::new("orders".to_owned(), vec![nowhere], &access, timeouts);
        let _ = sentinels.node.set(Arc::downgrade(&node));
        sentinels.hear(0, named(3, 1));

        let waiting = Arc::clone(&node);
        let waiting = tokio::spawn(async move { waiting.calls.connection().await.map(drop) });
        let accepting = tokio::task::spawn_blocking(move || {
            former.accept().map(|(socket, _)| (former, socket))
        });
        let _open = timeout(LONG, accepting).await.unwrap().unwrap().unwrap();
        sentinels.hear(0, named(4, 2));
        sentinels.hear(0, named(4, 2));
        let left = timeout(LONG / 2, waiting).await.unwrap().unwrap();
        assert!(left.is_err());
    }
}
