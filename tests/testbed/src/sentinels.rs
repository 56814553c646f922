//! A master with replicas, and its Sentinels.

use std::collections::HashMap;

use redis::RedisResult;

use crate::{Server, Settings, server::Role, wait::until};

/// One master, 2 replicas and the 3 Sentinels that watch them.
///
/// A master counts as down after 1 s of silence; a replica takes over about 1 s later. A former
/// master that comes back serves as a master for about 2 s until the Sentinels demote it. Their
/// clocks run faster than in production, where that takes some 10 s. Redis 6.2 has no way to speed
/// them up.
#[derive(Debug)]
pub struct Sentinels {
    data: Vec<Server>,
    sentinels: Vec<Server>,
}

impl Sentinels {
    /// What the Sentinels call the master.
    pub const MASTER: &str = "mymaster";

    /// Starts them all.
    ///
    /// # Panics
    ///
    /// If they do not start.
    #[must_use]
    pub fn start() -> Self {
        Self::with(&Settings::new(), None)
    }

    /// Starts them all; the settings are those of the master and its replicas.
    ///
    /// With TLS, the Sentinels have TLS ports and name the TLS port of the master. A Sentinel with
    /// a password asks everybody for it, but never names it.
    ///
    /// # Panics
    ///
    /// If they do not start.
    #[must_use]
    pub fn with(settings: &Settings, sentinel_password: Option<&str>) -> Self {
        let all = Settings::new()
            .set("repl-diskless-sync-delay", "0")
            .and(settings);
        let data: Vec<Server> = (0..1 + REPLICAS).map(|_| Server::with(&all)).collect();
        let port = data[0].met_port().to_string();
        for replica in &data[1..] {
            replica.run::<()>(&["REPLICAOF", "127.0.0.1", &port]);
            replica.run::<()>(&["CONFIG", "REWRITE"]);
        }
        for replica in &data[1..] {
            replica.wait_for_replication("master_link_status", "up");
        }
        let settings = sentinel_settings(settings, &data[0], sentinel_password);
        let start = |_| Server::start_as(Role::Sentinel, &settings);
        let sentinels = (0..SENTINELS).map(start).collect();
        let group = Self { data, sentinels };
        group.wait_until_ok();
        group
    }

    /// Where clients connect: `redis+sentinel://`, the password of the master if there is one, the
    /// addresses of all Sentinels with commas in between, and the name of the master.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_with("redis+sentinel", Server::port)
    }

    /// As [`url`](Self::url), with `rediss+sentinel://` and the TLS ports.
    ///
    /// # Panics
    ///
    /// If the settings have no TLS.
    #[must_use]
    pub fn tls_url(&self) -> String {
        self.url_with("rediss+sentinel", Server::tls_port)
    }

    /// The master and the replicas of the beginning, in that order.
    #[must_use]
    pub fn data(&self) -> &[Server] {
        &self.data
    }

    /// The Sentinels.
    #[must_use]
    pub fn sentinels(&self) -> &[Server] {
        &self.sentinels
    }

    /// The master by the word of the Sentinels, whether or not it is running.
    ///
    /// # Panics
    ///
    /// If the running Sentinels do not agree.
    #[must_use]
    pub fn master(&self) -> Server {
        until("the sentinels agree on the master", || self.agreed())
    }

    /// The others.
    ///
    /// # Panics
    ///
    /// As [`master`](Self::master).
    #[must_use]
    pub fn replicas(&self) -> Vec<Server> {
        let master = self.master();
        let others = self.data.iter().filter(|it| **it != master);
        others.cloned().collect()
    }

    /// Kills the master, and returns it. Does not wait for a replica to take over:
    /// [`wait_until_ok`](Self::wait_until_ok) does.
    ///
    /// # Panics
    ///
    /// As [`master`](Self::master).
    pub fn kill_master(&self) -> Server {
        let master = self.master();
        master.kill();
        master
    }

    /// Makes a replica the master, as planned work does: `SENTINEL FAILOVER`. Returns the new
    /// master when all Sentinels name it.
    ///
    /// # Panics
    ///
    /// If no replica takes over.
    pub fn failover(&self) -> Server {
        let former = self.master();
        until("a sentinel begins the failover", || {
            let running = self.sentinels.iter().find(|it| it.is_running());
            let sentinel = running.ok_or("no sentinel is running")?;
            let begun: RedisResult<()> = sentinel.try_run(&["SENTINEL", "FAILOVER", Self::MASTER]);
            begun.map_err(|error| error.to_string())
        });
        until("the sentinels name another master", || {
            let master = self.agreed()?;
            (master != former)
                .then_some(())
                .ok_or_else(|| master.address())
        });
        self.wait_until_ok();
        self.master()
    }

    /// Waits until the running Sentinels agree on a running master and know each other, and all
    /// other running servers follow that master.
    ///
    /// # Panics
    ///
    /// If they do not, within [`PATIENCE`](crate::PATIENCE).
    pub fn wait_until_ok(&self) {
        until("the sentinels are ok", || self.check());
    }

    fn url_with(&self, scheme: &str, port: fn(&Server) -> u16) -> String {
        let ports: Vec<u16> = self.sentinels.iter().map(port).collect();
        self.data[0].url_to(scheme, &ports) + "/" + Self::MASTER
    }

    fn check(&self) -> Result<(), String> {
        let master = self.agreed()?;
        let mut replicas = 0;
        for server in self.data.iter().filter(|it| it.is_running()) {
            let info = |name| server.info("replication", name).ok().flatten();
            let expected = if *server == master { "master" } else { "slave" };
            if info("role").as_deref() != Some(expected) {
                return Err(format!("{} is not yet {expected}", server.address()));
            }
            if *server != master {
                replicas += 1;
                let port = info("master_port");
                let up = info("master_link_status").as_deref() == Some("up");
                if port != Some(master.met_port().to_string()) || !up {
                    return Err(format!("{} has no link to the master", server.address()));
                }
            }
        }
        if !master.is_running() {
            return Err(format!("{} is down", master.address()));
        }
        let others = self.sentinels.iter().filter(|it| it.is_running()).count() - 1;
        for sentinel in self.sentinels.iter().filter(|it| it.is_running()) {
            self.check_view(sentinel, replicas, others)?;
        }
        Ok(())
    }

    /// Fails unless a Sentinel would fail over at this moment.
    fn check_view(&self, sentinel: &Server, replicas: usize, others: usize) -> Result<(), String> {
        let count = |list: &str| -> Result<usize, String> {
            let reply: RedisResult<Vec<HashMap<String, String>>> =
                sentinel.try_run(&["SENTINEL", list, Self::MASTER]);
            let seen = reply.map_err(|error| error.to_string())?;
            let down = ["s_down", "o_down", "disconnected", "failover_in_progress"];
            let is_up = |flags: &str| !flags.split(',').any(|flag| down.contains(&flag));
            let up = seen
                .iter()
                .filter(|it| it.get("flags").is_some_and(|it| is_up(it)));
            // A Sentinel does not promote a replica whose link it has not seen up.
            let known = up.filter(|it| {
                list != "REPLICAS" || it.get("master-link-status").is_some_and(|it| it == "ok")
            });
            Ok(known.count())
        };
        let state: Vec<String> = sentinel
            .try_run(&["SENTINEL", "MASTER", Self::MASTER])
            .map_err(|error| error.to_string())?;
        let busy = ["failover_in_progress", "s_down", "disconnected"];
        if let Some(flag) = busy
            .iter()
            .find(|flag| state.iter().any(|it| it.contains(*flag)))
        {
            return Err(format!("{}: the master is {flag}", sentinel.address()));
        }
        let seen = (count("REPLICAS")?, count("SENTINELS")?);
        if seen == (replicas, others) {
            return Ok(());
        }
        Err(format!(
            "{} sees {seen:?} replicas and sentinels, not {:?}",
            sentinel.address(),
            (replicas, others)
        ))
    }

    /// The master that all running Sentinels name.
    fn agreed(&self) -> Result<Server, String> {
        let mut named = Vec::new();
        for sentinel in self.sentinels.iter().filter(|it| it.is_running()) {
            let address: RedisResult<(String, u16)> =
                sentinel.try_run(&["SENTINEL", "GET-MASTER-ADDR-BY-NAME", Self::MASTER]);
            named.push(address.map_err(|error| error.to_string())?.1);
        }
        named.dedup();
        match named.as_slice() {
            [port] => {
                let master = self.data.iter().find(|it| it.met_port() == *port);
                master
                    .cloned()
                    .ok_or_else(|| format!("nobody is on port {port}"))
            }
            _ => Err(format!("they name {named:?}")),
        }
    }
}

fn sentinel_settings(data: &Settings, master: &Server, password: Option<&str>) -> Settings {
    let name = Sentinels::MASTER;
    let port = master.met_port();
    let mut settings = Settings::new();
    if let Some(certificates) = data.certificates() {
        settings = settings.tls(certificates);
    }
    settings = settings.set(
        "sentinel monitor",
        &format!("{name} 127.0.0.1 {port} {QUORUM}"),
    );
    if let Some(password) = data.its_password() {
        settings = settings.set("sentinel auth-pass", &format!("{name} {password}"));
    }
    if let Some(password) = password {
        settings = settings
            .guard(password)
            .set("sentinel sentinel-pass", password);
    }
    settings
        .set("sentinel down-after-milliseconds", &format!("{name} 1000"))
        .set("sentinel failover-timeout", &format!("{name} 3000"))
        .set("sentinel parallel-syncs", &format!("{name} {REPLICAS}"))
}

const REPLICAS: usize = 2;
const SENTINELS: usize = 3;
const QUORUM: usize = 2;
