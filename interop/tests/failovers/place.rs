//! The topologies, as scenarios see them.

use std::{
    collections::HashSet,
    fmt, fs,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use interop::address::Address;
use redisson_delayed_queue::{Client, ClientBuilder, Credentials, Tls};
use testbed::{Certificates, Cluster, PATIENCE, Sentinels, Server, Settings, eventually};

/// Where a scenario takes place.
#[derive(Debug)]
pub(crate) enum Place {
    /// 3 masters with a replica each.
    Cluster(Cluster),
    /// A master with 2 replicas and 3 Sentinels. All have passwords.
    Sentinels(Sentinels),
    /// One server with TLS.
    Tls(Server, Certificates),
}

impl Place {
    pub(crate) fn cluster() -> Self {
        Self::Cluster(Cluster::start())
    }

    pub(crate) fn sentinels() -> Self {
        let settings = Settings::new().password("of-the-data");
        Self::Sentinels(Sentinels::with(&settings, Some(SENTINEL_PASSWORD)))
    }

    pub(crate) fn tls() -> Self {
        let certificates = Certificates::new();
        let server = Server::with(&Settings::new().tls(&certificates));
        Self::Tls(server, certificates)
    }

    pub(crate) fn address(&self) -> Address {
        match self {
            Self::Cluster(cluster) => Address::new(cluster.url()),
            Self::Sentinels(sentinels) => {
                Address::new(sentinels.url()).sentinel_password(SENTINEL_PASSWORD)
            }
            Self::Tls(server, certificates) => {
                Address::new(server.tls_url()).ca(&certificates.ca_certificate())
            }
        }
    }

    /// Connects a client of this process.
    pub(crate) async fn connect(&self, builder: ClientBuilder) -> Client {
        let connected = match self {
            Self::Cluster(cluster) => builder.connect(cluster.url()).await,
            Self::Sentinels(sentinels) => {
                let login = Credentials::password(SENTINEL_PASSWORD);
                let builder = builder.sentinel_credentials(login);
                builder.connect(sentinels.url()).await
            }
            Self::Tls(server, certificates) => {
                let ca = fs::read(certificates.ca_certificate()).expect("the bed has made it");
                let builder = builder.tls(Tls::new().root_certificate(ca));
                builder.connect(server.tls_url()).await
            }
        };
        connected.expect("the private redis accepts connections")
    }

    /// The servers that hold data.
    pub(crate) fn data(&self) -> Vec<Server> {
        match self {
            Self::Cluster(cluster) => cluster.nodes(),
            Self::Sentinels(sentinels) => sentinels.data().to_vec(),
            Self::Tls(server, _) => vec![server.clone()],
        }
    }

    pub(crate) fn master_of(&self, key: &str) -> Server {
        match self {
            Self::Cluster(cluster) => cluster.master_of(key),
            Self::Sentinels(sentinels) => sentinels.master(),
            Self::Tls(server, _) => server.clone(),
        }
    }

    /// Another server becomes the master of this key, as planned work does it.
    pub(crate) fn fail_over(&self, key: &str) {
        match self {
            Self::Cluster(cluster) => drop(cluster.failover(key)),
            Self::Sentinels(sentinels) => drop(sentinels.failover()),
            Self::Tls(..) => panic!("one server cannot fail over"),
        }
    }

    /// True if the old master goes on for a while after a planned failover. Redis loses what it
    /// acknowledges meanwhile.
    pub(crate) fn has_stale_masters(&self) -> bool {
        matches!(self, Self::Sentinels(_))
    }

    /// Waits until the replicas of this key have all that its master had when this was called.
    pub(crate) fn await_replicated(&self, key: &str) {
        let master = self.master_of(key);
        let sent = offset(&master, "master_repl_offset");
        let follows = |it: &Server| {
            let port = it.info("replication", "master_port").ok().flatten();
            it.is_running() && port == Some(master.port().to_string())
        };
        for replica in self.data().iter().filter(|it| follows(it)) {
            eventually("replicas have all", || {
                offset(replica, "slave_repl_offset") >= sent
            });
        }
    }

    /// Waits like [`wait_until_ok`](Self::wait_until_ok), and counts the servers that were master
    /// meanwhile. On a busy machine, Sentinels may give up one failover and begin another: Redis loses
    /// what the first new master acknowledged.
    pub(crate) fn masters_until_ok(&self) -> usize {
        let Self::Sentinels(sentinels) = self else {
            self.wait_until_ok();
            return 1;
        };
        let is_ok = AtomicBool::new(false);
        let is_master = |it: &&Server| {
            it.info("replication", "role").ok().flatten().as_deref() == Some("master")
        };
        thread::scope(|scope| {
            let watching = scope.spawn(|| {
                let (mut masters, start) = (HashSet::new(), Instant::now());
                // The wait panics after this time.
                while !is_ok.load(Relaxed) && start.elapsed() < PATIENCE {
                    let now = sentinels.data().iter().filter(is_master);
                    masters.extend(now.map(Server::port));
                    thread::sleep(Duration::from_millis(5));
                }
                masters.len()
            });
            self.wait_until_ok();
            is_ok.store(true, Relaxed);
            watching.join().expect("it only looks")
        })
    }

    /// Waits until every key has a master that all know.
    pub(crate) fn wait_until_ok(&self) {
        match self {
            Self::Cluster(cluster) => cluster.wait_until_ok(),
            Self::Sentinels(sentinels) => sentinels.wait_until_ok(),
            Self::Tls(..) => {}
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cluster(_) => "cluster",
            Self::Sentinels(_) => "sentinels",
            Self::Tls(..) => "TLS",
        })
    }
}

fn offset(server: &Server, name: &str) -> u64 {
    let offset = server.info("replication", name).ok().flatten();
    let offset = offset.and_then(|it| it.parse().ok());
    offset.expect("a server tells its offset")
}

const SENTINEL_PASSWORD: &str = "of-the-sentinels";
