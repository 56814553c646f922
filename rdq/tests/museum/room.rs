//! A room of the museum: servers with one defect.

use std::any::Any;

use redis::{Connection, cmd};
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue};
use testbed::{Server, Settings, until};
use tokio::runtime::Runtime;

use crate::broken::{Broken, new};

/// The name of the queue in each room, which a shell would take apart.
pub(crate) const NAME: &str = "it's a `$(queue)`";

/// A defect that `rdq doctor` knows.
pub(crate) struct Room {
    pub(crate) name: &'static str,
    /// The kind of finding that it is, and no other.
    pub(crate) finding: &'static str,
    pub(crate) build: fn() -> Visit,
    /// The commands that the doctor advises, in their order: a part of each, and what it does.
    pub(crate) advice: &'static [(&'static str, Effect)],
}

/// What an advised command does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Effect {
    /// Nothing is wrong any more, and no element is lost.
    Mends,
    /// As `Mends`, but another finding tells what became of the elements.
    Becomes(&'static str),
    /// As `Mends`, but elements are deleted. They are kept in a file, or printed.
    Deletes,
    /// It shows more about the defect, which stays.
    Shows,
    /// The next command goes on where this one has ended.
    Begins,
}

/// A room that was built.
pub(crate) struct Visit {
    /// The address for `rdq`.
    pub(crate) url: String,
    /// The server for which commands of Redis are meant.
    pub(crate) server: Server,
    /// What the doctor is called with, beside `--json`.
    pub(crate) arguments: Vec<String>,
    kept: Vec<Box<dyn Any>>,
}

/// A server that keeps what it has.
pub(crate) fn durable() -> Settings {
    Settings::new().set("appendonly", "yes")
}

impl Visit {
    pub(crate) fn to(server: &Server) -> Self {
        Self::at(server, server.url())
    }

    pub(crate) fn at(server: &Server, url: String) -> Self {
        Self {
            url,
            server: server.clone(),
            arguments: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// A queue with three elements that are due in an hour.
    pub(crate) fn to_quiet() -> (Self, Broken) {
        let server = Server::with(&durable());
        let mut queue = Broken::at(&server, NAME);
        let later = queue.later();
        (1..=3).for_each(|id| queue.offer(&new(id, b"good"), &later));
        (Self::to(&server), queue)
    }

    /// The same, and a client that listens and does nothing: nothing is wrong yet.
    pub(crate) fn to_deaf() -> (Self, Broken) {
        let (mut visit, queue) = Self::to_quiet();
        visit.listen(&visit.server.clone());
        (visit, queue)
    }

    /// As [`to_deaf`](Self::to_deaf), with a client that waits for elements of another list.
    pub(crate) fn to_taken() -> (Self, Broken) {
        let (mut visit, queue) = Self::to_deaf();
        let mut taker = visit.server.connection();
        send(&mut taker, &["BLPOP", "another list", "0"]);
        until("it waits", || {
            let clients: String = visit.server.run(&["CLIENT", "LIST"]);
            clients.contains("cmd=blpop").then_some(()).ok_or(clients)
        });
        visit.keep(taker);
        (visit, queue)
    }

    /// As [`to_quiet`](Self::to_quiet), with a Rust client that moves elements.
    pub(crate) fn to_moved() -> (Self, Broken) {
        let (mut visit, queue) = Self::to_quiet();
        let (runtime, client) = client(&visit.server, true);
        let moved = runtime.block_on(async { open(&client) });
        visit.keep((moved, client, runtime));
        visit.wait_for_listener(&visit.server);
        (visit, queue)
    }

    /// Lets a client listen to the channel of the queue at this server.
    pub(crate) fn listen(&mut self, server: &Server) {
        let mut listener = server.connection();
        let queue = Broken::at(server, NAME);
        send(&mut listener, &["SUBSCRIBE", queue.keys.channel()]);
        self.keep(listener);
        self.wait_for_listener(server);
    }

    /// Waits until a client listens to the channel of the queue at this server.
    pub(crate) fn wait_for_listener(&self, server: &Server) {
        let channel = Broken::at(server, NAME).keys.channel().to_owned();
        until("a client listens", || {
            let (_, count): (String, u64) = server.run(&["PUBSUB", "NUMSUB", &channel]);
            (count > 0).then_some(()).ok_or("nobody".to_owned())
        });
    }

    /// Keeps this as long as the room is visited.
    pub(crate) fn keep(&mut self, it: impl Any) {
        self.kept.push(Box::new(it));
    }

    /// Calls the doctor with this, too.
    pub(crate) fn argument(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }
}

/// A Rust client of a server, and where it runs.
pub(crate) fn client(server: &Server, moves: bool) -> (Runtime, Client) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let settings = Client::builder().transfer(moves);
    let client = runtime.block_on(settings.connect(&*server.url())).unwrap();
    (runtime, client)
}

/// The queue of the room.
pub(crate) fn open(client: &Client) -> DelayedQueue<String> {
    client.delayed_queue(NAME, StringCodec).unwrap()
}

/// Sends a command whose answer nobody reads.
fn send(connection: &mut Connection, words: &[&str]) {
    let command = cmd(words[0]).arg(&words[1..]).get_packed_command();
    connection.send_packed_command(&command).unwrap();
}
