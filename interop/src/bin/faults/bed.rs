//! The servers of a run.

use std::{
    thread,
    time::{Duration, Instant},
};

use interop::{keyspace, proxy::Proxy};
use redis::{Connection, RedisResult};
use testbed::{Cluster, Sentinels, Server, Settings};

use crate::{QUEUE, Result};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    /// One server, whose data is gone with its process.
    Single,
    /// One server with `appendfsync always`.
    Durable,
    Sentinels,
    Cluster,
    /// A cluster whose nodes may be given addresses of their own.
    OpenCluster,
}

pub(crate) struct Bed {
    servers: Servers,
    /// Before a single server.
    pub(crate) proxy: Option<Proxy>,
}

enum Servers {
    Single(Server),
    Sentinels(Sentinels),
    Cluster(Cluster),
}

impl Bed {
    pub(crate) fn start(kind: Kind) -> Result<Self> {
        let servers = match kind {
            Kind::Single => Servers::Single(Server::start()),
            Kind::Durable => Servers::Single(Server::with(
                &Settings::new()
                    .set("appendonly", "yes")
                    .set("appendfsync", "always"),
            )),
            Kind::Sentinels => Servers::Sentinels(Sentinels::start()),
            Kind::Cluster => Servers::Cluster(Cluster::start()),
            Kind::OpenCluster => {
                let open = Settings::new()
                    .set("bind", "0.0.0.0")
                    .set("protected-mode", "no");
                Servers::Cluster(Cluster::with(&open, 1))
            }
        };
        let proxy = match &servers {
            Servers::Single(server) => {
                let proxy = Proxy::to(server.port(), Duration::ZERO);
                Some(proxy.map_err(|error| error.to_string())?)
            }
            _ => None,
        };
        Ok(Self { servers, proxy })
    }

    /// The URL for clients of both languages.
    pub(crate) fn url(&self) -> String {
        match &self.servers {
            Servers::Single(server) => server.url(),
            Servers::Sentinels(group) => group.url(),
            Servers::Cluster(cluster) => cluster.url(),
        }
    }

    /// The only server, or the present master of the queue.
    pub(crate) fn master(&self) -> Server {
        match &self.servers {
            Servers::Single(server) => server.clone(),
            Servers::Sentinels(group) => group.master(),
            Servers::Cluster(cluster) => cluster.master_of(QUEUE),
        }
    }

    /// All that may become the master of the queue by a failover, and the master.
    pub(crate) fn group(&self) -> Vec<Server> {
        match &self.servers {
            Servers::Single(server) => vec![server.clone()],
            Servers::Sentinels(group) => group.data().to_vec(),
            Servers::Cluster(cluster) => vec![cluster.master_of(QUEUE), cluster.replica_of(QUEUE)],
        }
    }

    pub(crate) fn sentinels(&self) -> Result<&Sentinels> {
        match &self.servers {
            Servers::Sentinels(group) => Ok(group),
            _ => Err("this fault needs sentinels".into()),
        }
    }

    pub(crate) fn cluster(&self) -> Result<&Cluster> {
        match &self.servers {
            Servers::Cluster(cluster) => Ok(cluster),
            _ => Err("this fault needs a cluster".into()),
        }
    }

    pub(crate) fn proxy(&self) -> Result<&Proxy> {
        let proxy = self.proxy.as_ref();
        proxy.ok_or_else(|| "this fault needs a single server".into())
    }

    /// Waits until another server than `former` answers as the master of the queue, and a Sentinel
    /// names it if there are any.
    pub(crate) fn await_master_after(&self, former: &Server, group: &[Server]) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let mut others = group.iter().filter(|it| *it != former);
            if let Some(master) = others.find(|it| is_master(it))
                && self.is_named(master)
            {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(5));
        }
        Err(format!("no replica takes over within {PATIENCE:?}"))
    }

    fn is_named(&self, master: &Server) -> bool {
        let Servers::Sentinels(group) = &self.servers else {
            return true;
        };
        group.sentinels().iter().any(|it| {
            let named: RedisResult<(String, u16)> =
                it.try_run(&["SENTINEL", "GET-MASTER-ADDR-BY-NAME", Sentinels::MASTER]);
            named.is_ok_and(|(_, port)| port == master.port())
        })
    }

    /// Waits until all running servers agree.
    pub(crate) fn await_whole(&self) {
        match &self.servers {
            Servers::Single(_) => {}
            Servers::Sentinels(group) => group.wait_until_ok(),
            Servers::Cluster(cluster) => cluster.wait_until_ok(),
        }
    }

    /// True if nothing of the queue is left.
    pub(crate) fn is_empty(&self, connection: &mut Option<Connection>) -> bool {
        let connection = connection.get_or_insert_with(|| self.master().connection());
        keyspace::is_empty(connection, QUEUE).unwrap_or(false)
    }
}

fn is_master(server: &Server) -> bool {
    let role = server.info("replication", "role");
    role.is_ok_and(|it| it.as_deref() == Some("master"))
}

/// For a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(30);
