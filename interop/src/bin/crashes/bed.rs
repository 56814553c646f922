//! The servers of a row.

use std::{
    thread,
    time::{Duration, Instant},
};

use interop::{keyspace, proxy::Proxy};
use redis::RedisResult;
use testbed::{Sentinels, Server, Settings};

use crate::{QUEUE, Result, fault::Fault};

pub(crate) struct Bed {
    servers: Servers,
    /// Before a single server.
    proxy: Option<Proxy>,
    /// The master that was killed last, until it is back.
    killed: Option<Server>,
}

enum Servers {
    Single(Server),
    Sentinels(Sentinels),
}

impl Bed {
    pub(crate) fn start(fault: Fault) -> Result<Self> {
        let servers = match fault {
            Fault::Nothing | Fault::Cut => Servers::Single(Server::start()),
            Fault::Restart => {
                let settings = Settings::new().set("appendonly", "yes");
                Servers::Single(Server::with(&settings.set("appendfsync", "always")))
            }
            Fault::Failover => Servers::Sentinels(Sentinels::start()),
        };
        let proxy = match &servers {
            Servers::Single(server) if fault == Fault::Cut => {
                let proxy = Proxy::to(server.port(), Duration::ZERO);
                Some(proxy.map_err(|error| error.to_string())?)
            }
            _ => None,
        };
        Ok(Self {
            servers,
            proxy,
            killed: None,
        })
    }

    /// The URL for consumers.
    pub(crate) fn url(&self) -> String {
        match (&self.proxy, &self.servers) {
            (Some(proxy), _) => proxy.url(),
            (None, Servers::Single(server)) => server.url(),
            (None, Servers::Sentinels(group)) => group.url(),
        }
    }

    pub(crate) fn server(&self) -> Result<&Server> {
        match &self.servers {
            Servers::Single(server) => Ok(server),
            Servers::Sentinels(_) => Err("there is more than one server".into()),
        }
    }

    pub(crate) fn proxy(&self) -> Result<&Proxy> {
        self.proxy
            .as_ref()
            .ok_or_else(|| "there is no proxy".into())
    }

    /// Puts values into the target queue, and waits until every replica has them.
    pub(crate) fn fill(&self, values: &[String]) -> Result<()> {
        let mut connection = self.master().connection();
        let pushed = redis::cmd("RPUSH")
            .arg(QUEUE)
            .arg(values)
            .exec(&mut connection);
        pushed.map_err(|error| error.to_string())?;
        let replicas = match &self.servers {
            Servers::Single(_) => 0,
            Servers::Sentinels(group) => group.replicas().len(),
        };
        let confirmed: RedisResult<usize> = redis::cmd("WAIT")
            .arg(replicas)
            .arg(PATIENCE.as_millis() as u64)
            .query(&mut connection);
        match confirmed {
            Ok(confirmed) if confirmed >= replicas => Ok(()),
            other => Err(format!(
                "the replicas did not confirm the elements: {other:?}"
            )),
        }
    }

    /// Waits until nothing of the queue is left for a consumer.
    pub(crate) fn await_empty(&self) -> Result<()> {
        let mut connection = self.master().connection();
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if keyspace::is_empty(&mut connection, QUEUE).unwrap_or(false) {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(format!("elements are left after {PATIENCE:?}"))
    }

    /// How many elements were given up.
    pub(crate) fn dead_letters(&self) -> Result<usize> {
        let list = format!("{{{QUEUE}}}-dead");
        let dead = self.master().try_run(&["LLEN", &list]);
        dead.map_err(|error| error.to_string())
    }

    pub(crate) fn kill_master(&mut self) -> Result<()> {
        let master = self.sentinels()?.kill_master();
        self.killed = Some(master);
        Ok(())
    }

    /// Waits until a replica is the master, and the former one follows it.
    pub(crate) fn await_another_master(&mut self) -> Result<()> {
        let former = self.killed.take().ok_or("no master was killed")?;
        let deadline = Instant::now() + PATIENCE;
        while self.sentinels()?.master() == former {
            if Instant::now() > deadline {
                return Err(format!("no replica takes over within {PATIENCE:?}"));
            }
            thread::sleep(Duration::from_millis(20));
        }
        former.restart();
        self.sentinels()?.wait_until_ok();
        Ok(())
    }

    fn sentinels(&self) -> Result<&Sentinels> {
        match &self.servers {
            Servers::Sentinels(group) => Ok(group),
            Servers::Single(_) => Err("there are no sentinels".into()),
        }
    }

    /// The only server, or the present master.
    fn master(&self) -> Server {
        match &self.servers {
            Servers::Single(server) => server.clone(),
            Servers::Sentinels(group) => group.master(),
        }
    }
}

/// For a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(60);
