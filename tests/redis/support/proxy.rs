//! A TCP proxy that holds, delays, loses, refuses or cuts what passes between a client and Redis.

use std::{
    net::Ipv4Addr,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use tokio::{
    io::AsyncWriteExt,
    net::TcpListener,
    sync::watch,
    task::{AbortHandle, JoinSet},
    time::timeout,
};

use relay::Relay;
use shared::{Fate, Jitter, Shared};

mod relay;
mod shared;

/// A proxy in front of a Redis, for the faults that Redis itself cannot show.
///
/// It forwards whole requests and replies, and acts at their boundaries. Every control may be used at any time, also
/// several at once; what is held stays in order within its connection. A held end of stream is held like bytes are.
/// Dropping the proxy closes everything.
pub(crate) struct Proxy {
    port: u16,
    shared: Arc<Shared>,
    accepting: AbortHandle,
}

impl Proxy {
    /// Listens on a free port in front of the Redis on `upstream_port`.
    ///
    /// Redis need not be up: a client then finds its connection closed at once, not refused.
    pub(crate) async fn start(upstream_port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .expect("the system has a free port");
        let port = listener
            .local_addr()
            .expect("a bound listener has an address")
            .port();
        let shared = Arc::new(Shared::default());
        shared.upstream_port.store(upstream_port, Ordering::Relaxed);
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared))).abort_handle();
        Self {
            port,
            shared,
            accepting,
        }
    }

    /// The URL to give to the client under test, in RESP2; append `?protocol=resp3` for pushes.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// New connections lead to the Redis on this port from now on.
    pub(crate) fn lead_to(&self, upstream_port: u16) {
        self.shared
            .upstream_port
            .store(upstream_port, Ordering::Relaxed);
    }

    /// How many connections were opened so far, to prove that a client reconnected or that it needs few sockets.
    pub(crate) fn connections(&self) -> usize {
        self.shared.controls.borrow().opened
    }

    /// How many replies [`cut_after_request`](Self::cut_after_request) has lost so far, to prove that the fault happened.
    pub(crate) fn lost_replies(&self) -> usize {
        self.shared.lost_replies.load(Ordering::SeqCst)
    }

    /// The text of `lua/<name>.lua` with all that stands in front of it, as a client has loaded it.
    pub(crate) fn script(&self, name: &str) -> String {
        let script = self.shared.script(&format!("\n-- {name}\n"));
        script.expect("a client has loaded it through this proxy")
    }

    /// Holds what Redis sends, or releases it: the client waits although its commands were executed.
    pub(crate) fn hold_replies(&self, hold: bool) {
        self.shared
            .controls
            .send_modify(|controls| controls.hold_replies = hold);
    }

    /// Delivers what Redis sends from now on `delay` after it arrived: a distant Redis. Zero ends it.
    pub(crate) fn delay_replies(&self, delay: Duration) {
        self.shared
            .controls
            .send_modify(|controls| controls.delay = delay);
    }

    /// Adds a delay of up to `max` to each reply and push, to vary what overtakes what. Zero ends it.
    ///
    /// The n-th frame of the m-th connection is delayed alike in every run with the same `seed`.
    pub(crate) fn jitter_replies(&self, max: Duration, seed: u64) {
        self.shared
            .controls
            .send_modify(|controls| controls.jitter = Jitter { max, seed });
    }

    /// Lets each connection pass so many bytes a second, either way: a slow network.
    pub(crate) fn limit_rate(&self, bytes_per_second: u32) {
        self.shared
            .controls
            .send_modify(|controls| controls.rate = Some(bytes_per_second));
    }

    /// Holds what clients send, or releases it: a command that is executed late.
    ///
    /// It is delivered even when the client has given up and closed its socket meanwhile.
    pub(crate) fn hold_requests(&self, hold: bool) {
        self.shared
            .controls
            .send_modify(|controls| controls.hold_requests = hold);
    }

    /// Stops both directions without closing anything, or lets them flow again: a network that is gone for a while.
    ///
    /// New connections are accepted and reach Redis only afterwards. Nothing is lost, as TCP would send it again.
    pub(crate) fn black_hole(&self, on: bool) {
        self.shared
            .controls
            .send_modify(|controls| controls.black_hole = on);
    }

    /// Silences all current connections for ever without closing them, while new ones work: a forgotten NAT entry.
    ///
    /// Neither side is told when the other closes; Redis still counts these clients.
    pub(crate) fn strand(&self) {
        self.shared
            .controls
            .send_modify(|controls| controls.stranded_before = controls.opened);
    }

    /// Closes all current connections, stranded ones too, and discards what they hold: a proxy or NAT that restarts.
    pub(crate) fn cut(&self) {
        self.shared
            .controls
            .send_modify(|controls| controls.cut_before = controls.opened);
    }

    /// Loses the replies to the next `times` requests that contain `pattern`: executed, but the client cannot know.
    ///
    /// Such a request is forwarded and those behind it on its connection are not. Once Redis has answered it, earlier
    /// replies are delivered, this one is discarded and the connection is closed. `pattern` is compared with the raw
    /// bytes of one request, so `b"EVALSHA"` also matches the attempt that Redis answers with NOSCRIPT. Requests to
    /// subscribe never match: in RESP3 they have no reply.
    pub(crate) fn cut_after_request(&self, pattern: &[u8], times: usize) {
        let fates = (0..times).map(|_| Fate::Lose);
        self.shared.add_rules(pattern, fates);
    }

    /// Has each request that begins with these words answered with this error, as by a proxy that does not know it.
    ///
    /// The words are compared with the request as it is sent. Redis makes the reply, to keep the order of replies.
    pub(crate) fn refuse(&self, words: &[&str], error: &str) {
        self.shared.refuse(words, error);
    }

    /// Passes each request that begins with these words on, although a later call refuses others of its kind.
    pub(crate) fn pass(&self, words: &[&str]) {
        self.shared.pass(words);
    }

    /// Lets at most so many connections be open, as Redis does: it closes the others with an error.
    pub(crate) fn limit_connections(&self, most: usize) {
        self.shared
            .controls
            .send_modify(|controls| controls.most_open = Some(most));
    }

    /// Refuses nothing any more.
    pub(crate) fn refuse_nothing(&self) {
        self.shared.refuse_nothing();
    }

    /// Holds the reply to the next request that contains `pattern`, and all that follows it on that connection.
    ///
    /// Other connections flow. This puts a test between the execution of a command and the client's knowledge of it.
    /// Patterns are those of [`cut_after_request`](Self::cut_after_request).
    #[must_use = "dropping the gate releases the reply"]
    pub(crate) fn hold_reply_to(&self, pattern: &[u8]) -> Gate {
        let (reached, is_reached) = watch::channel(false);
        let (release, released) = watch::channel(false);
        self.shared
            .add_rules(pattern, [Fate::Hold { reached, released }]);
        Gate {
            is_reached,
            release,
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// One reply held by [`Proxy::hold_reply_to`]. Dropping it releases the reply.
pub(crate) struct Gate {
    is_reached: watch::Receiver<bool>,
    release: watch::Sender<bool>,
}

impl Gate {
    /// Waits until the proxy has the reply, which means that Redis has executed the command.
    ///
    /// Fails the test after half a minute, or when the connection closed first: a fault that never happens proves nothing.
    pub(crate) async fn reached(&self) {
        let mut reached = self.is_reached.clone();
        timeout(
            Duration::from_secs(30),
            reached.wait_for(|reached| *reached),
        )
        .await
        .expect("a request that contains the pattern is answered within half a minute")
        .expect("the connection stays open until Redis has answered");
    }

    /// Lets the reply and all that waits behind it go.
    pub(crate) fn release(self) {
        self.release.send_replace(true);
    }
}

/// Owns the connections' tasks, so that aborting this one ends them all.
async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        let (mut client, _) = listener.accept().await.expect("a bound listener accepts");
        while connections.try_join_next().is_some() {}
        let most_open = shared.controls.borrow().most_open;
        if most_open.is_some_and(|most| connections.len() >= most) {
            // The client may have gone.
            let _ = client
                .write_all(b"-ERR max number of clients reached\r\n")
                .await;
            continue;
        }
        let mut number = 0;
        shared.controls.send_modify(|controls| {
            number = controls.opened;
            controls.opened += 1;
        });
        let upstream_port = shared.upstream_port.load(Ordering::Relaxed);
        connections.spawn(
            Relay {
                number,
                shared: Arc::clone(&shared),
            }
            .run(client, upstream_port),
        );
    }
}

mod tests;
