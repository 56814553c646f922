//! `rdq transfer`

use std::time::Duration;

use clap::Args;
use redisson_delayed_queue::{Client, ClientBuilder};

use crate::argument::length::positive;
use crate::failure::Result;
use crate::session::Session;
use crate::session::interrupt::interrupted;
use crate::transfer::{Health, HealthSign, Mover, Report};

/// Move due elements to the lists from which your services pop: a mover of its own.
///
/// For services that offer and pop without a Redisson or Rust client that moves elements, and for
/// queues whose last client may end while elements are pending. Any number may run, also beside Java
/// clients: each element is moved once.
///
/// Prints what happens as lines, and at the end how many elements it moved. Ends in order on SIGTERM and
/// Ctrl-C.
///
/// Redis: as any Rust client that moves. With --all, SCAN of all keys each --every.
#[derive(Args, Debug)]
pub(crate) struct Transfer {
    /// The queues' names in Redis.
    #[arg(required_unless_present = "all", value_name = "QUEUE")]
    queues: Vec<String>,
    /// All delayed queues of the server or cluster, including those that are made later.
    #[arg(long, conflicts_with = "queues")]
    all: bool,
    /// With --all: no queue has a name such as {orders}, with braces around all of it.
    ///
    /// The queues orders and {orders} have the same keys: only their target queues differ. While
    /// neither list is there, nothing tells which queue is meant, and --all moves nothing.
    #[arg(long, requires = "all")]
    no_braces: bool,
    /// How often to look for queues that are new.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = positive)]
    every: Duration,
    /// How often to look at each queue even if nothing is known to be due.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = positive)]
    safety_poll: Duration,
    /// Where others see whether this works: a file, which is there as long as it does, or an IP
    /// address with a port, such as 0.0.0.0:8080, which answers HTTP requests with 200 or 503.
    #[arg(long, value_name = "FILE|ADDRESS")]
    health: Option<HealthSign>,
}

impl Transfer {
    /// The settings of the client, which moves elements.
    pub(crate) fn settings(&self) -> ClientBuilder {
        Client::builder()
            .client_name("rdq-transfer")
            .safety_poll(self.safety_poll)
    }

    pub(crate) async fn run(&self, session: &Session) -> Result {
        let health = Health::new();
        let report = Report::new(session.screen);
        // First, so that no report is missed.
        let events = session.client.events();
        let mut mover = Mover::new(session);
        // Before it tells its health: it may not move anything.
        tokio::select! {
            added = mover.add_named(&self.queues) => added?,
            () = interrupted() => return report.end(0),
        }
        let done = tokio::select! {
            done = self.work(mover, report) => done,
            done = report.follow(events, &health) => done,
            done = health.serve(&session.client, self.health.clone(), report) => done,
            () = interrupted() => Ok(()),
        };
        health.end(self.health.as_ref());
        // The first failure is the one to report.
        done.and(report.end(session.client.moved()))
    }

    /// Moves elements until it is dropped.
    async fn work(&self, mut mover: Mover<'_>, report: Report) -> Result {
        for name in &self.queues {
            report.say("queue", Some(name), "moves its elements")?;
        }
        match self.all {
            true => mover.find(self.every, self.no_braces, report).await,
            false => std::future::pending().await,
        }
    }
}
