//! All servers: subscribers may be connected to any of them.

use std::time::Duration;

use futures::future::{join, join_all, try_join_all};
use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::{Client, Master, Result};
use tokio::time::timeout;

use crate::queue::listeners::listeners;
use crate::queue::programs::{self, Kind, Program};
use crate::screen::number::count_of;
use crate::session::Session;

/// All masters, and their replicas.
pub(crate) struct Nodes {
    masters: Vec<Master>,
    replicas: Vec<Client>,
    /// The replicas that did not answer.
    pub(crate) silent: Vec<String>,
}

impl Nodes {
    /// Asks each of these masters for its replicas, and connects to them with the login of the session.
    pub(crate) async fn find(session: &Session, masters: Vec<Master>) -> Self {
        let replicas = join_all(masters.iter().map(replicas_of)).await.concat();
        let connecting = replicas.iter().map(|it| session.beside(it));
        let tried = join_all(connecting.map(|it| timeout(PATIENCE, it))).await;
        let (mut found, mut silent) = (Vec::new(), Vec::new());
        for (address, tried) in replicas.into_iter().zip(tried) {
            match tried {
                Ok(Ok(client)) => found.push(client),
                _ => silent.push(address),
            }
        }
        Self {
            masters,
            replicas: found,
            silent,
        }
    }

    /// Says who listens to a channel, and which replicas did not tell.
    pub(crate) async fn listening(&self, channel: &str) -> Result<Listening> {
        let listeners = self.listeners(channel).await?;
        let silent = match &self.silent[..] {
            [] => String::new(),
            silent => format!(" These replicas did not answer: {}.", silent.join(", ")),
        };
        let listen = count_of(listeners, "client listens", "clients listen");
        let programs = self.programs().await;
        let programs = programs.filter(|it| listeners > 0 && it.len() as u64 >= listeners);
        let named = programs.as_ref().map(|it| named(it, listeners));
        let named = named.unwrap_or_default();
        let is_rust = |it: Vec<Program>| it.iter().all(|it| it.kind == Kind::Rust);
        Ok(Listening {
            text: format!("{listen} to the channel{named}.{silent}"),
            is_rust: programs.is_some_and(is_rust),
        })
    }

    /// The programs that listen to any channel of the servers that answer; `None` if one does not list
    /// them.
    async fn programs(&self) -> Option<Vec<Program>> {
        let replicas = self.replicas.iter().flat_map(Client::masters);
        let servers = self.masters.iter().cloned().chain(replicas);
        let listed = join_all(servers.map(|it| async move { programs::read(&it).await })).await;
        let listed: Option<Vec<_>> = listed.into_iter().map(|it| it.ok().flatten()).collect();
        Some(listed?.concat())
    }

    /// How many connections listen to a channel, on all servers that answer.
    pub(crate) async fn listeners(&self, channel: &str) -> Result<u64> {
        let masters = self.masters.iter().map(|it| async move {
            let counts = listeners(it, &[channel]).await;
            counts.map(|it| it.into_iter().sum::<u64>())
        });
        let replicas = self.replicas.iter().flat_map(Client::masters);
        let counts = join_all(replicas.map(|replica| async move {
            // A replica that fails now counts as one without subscribers.
            let counts = listeners(&replica, &[channel]).await;
            counts.unwrap_or_default().into_iter().sum::<u64>()
        }));
        let (of_masters, of_replicas) = join(try_join_all(masters), counts).await;
        Ok(of_masters?.into_iter().chain(of_replicas).sum())
    }
}

/// Who listens to a channel.
pub(crate) struct Listening {
    /// As people read it.
    pub(crate) text: String,
    /// All are Rust clients.
    pub(crate) is_rust: bool,
}

/// Names programs. Redis does not tell which of them listen to this channel.
fn named(programs: &[Program], listeners: u64) -> String {
    let among = match programs.len() as u64 == listeners {
        true => "",
        false => ", among these that listen to some channel",
    };
    let shown = programs.iter().take(SHOWN).map(Program::to_string);
    let shown: Vec<_> = shown.collect();
    let more = if programs.len() > SHOWN { ", …" } else { "" };
    format!("{among}: {}{more}", shown.join(", "))
}

/// The addresses of a master's replicas, as it knows them. Without the right to `ROLE`, none.
async fn replicas_of(master: &Master) -> Vec<String> {
    /// Host, port and offset.
    type Replica = (String, String, String);

    let role: Result<(String, u64, Vec<Replica>)> = master.query(&cmd("ROLE")).await;
    let Ok((_, _, replicas)) = role else {
        return Vec::new();
    };
    let address = |(host, port, _): Replica| format!("{host}:{port}");
    replicas.into_iter().map(address).collect()
}

/// How many programs to name.
const SHOWN: usize = 5;

/// How long a replica may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);
