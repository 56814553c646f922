//! Which acknowledged offers a fault must not lose.

use redis::{Connection, RedisResult, Value};
use testbed::Server;

use crate::worker::Offered;

/// Which acknowledged offers of a caller must not be lost.
pub(crate) enum Guarantee {
    /// All of them: no other server takes over.
    All,
    /// None: another server may take over, and the caller waits for no replica.
    None,
    /// Those that so many replicas have by the word of this crate: `Offer::durability`.
    Replicas(usize),
    /// Those that all replicas have by a `WAIT` of this program, since Redisson's offers do not wait.
    Wait(Confirmer),
}

impl Guarantee {
    /// That of a caller of this number. One of the `group` is the master, and any may become it.
    ///
    /// Every other caller of this crate waits for no replica: that shows what durability is worth.
    pub(crate) fn of(number: usize, group: Option<&[Server]>, is_redisson: bool) -> Self {
        match group {
            None => Self::All,
            Some(group) if is_redisson => Self::Wait(Confirmer::of(group)),
            Some(group) if number.is_multiple_of(2) => Self::Replicas(group.len() - 1),
            Some(_) => Self::None,
        }
    }

    /// How many replicas an offer waits for.
    pub(crate) fn replicas(&self) -> Option<usize> {
        match self {
            Self::Replicas(replicas) => Some(*replicas),
            _ => None,
        }
    }

    /// True if an offer with this answer must not be lost.
    pub(crate) fn holds(&mut self, offered: &Offered) -> bool {
        match (self, offered) {
            (Self::All, Offered::Acknowledged) | (_, Offered::Confirmed) => true,
            (Self::Wait(confirmer), Offered::Acknowledged) => confirmer.confirm(),
            _ => false,
        }
    }
}

/// Confirms, by `WAIT`, that all replicas have what was offered.
///
/// A `WAIT` on another connection than that of the offer says something only if both went to the
/// same master. So an offer counts as confirmed only if one and the same server was the only master
/// before the offer and after its acknowledgement.
pub(crate) struct Confirmer {
    group: Vec<(Server, Option<Connection>)>,
    /// The only master, when last seen.
    seen: Option<usize>,
}

impl Confirmer {
    fn of(group: &[Server]) -> Self {
        let mut confirmer = Self {
            group: group.iter().map(|it| (it.clone(), None)).collect(),
            seen: None,
        };
        confirmer.look();
        confirmer
    }

    /// True if all replicas have what was offered since the last call.
    fn confirm(&mut self) -> bool {
        let before = self.seen;
        let running = self.look();
        match self.seen {
            Some(master) if before == self.seen => self.wait_for(master, running - 1),
            _ => false,
        }
    }

    /// Looks who is master. Returns how many servers answer.
    fn look(&mut self) -> usize {
        let roles: Vec<Option<bool>> = (0..self.group.len()).map(|it| self.role(it)).collect();
        let masters: Vec<usize> = (0..roles.len())
            .filter(|it| roles[*it] == Some(true))
            .collect();
        self.seen = match masters[..] {
            [master] => Some(master),
            _ => None,
        };
        roles.iter().flatten().count()
    }

    /// True if it is a master; nothing if it does not answer.
    fn role(&mut self, index: usize) -> Option<bool> {
        let mut role: RedisResult<Vec<Value>> = self.ask(index, &["ROLE"]);
        if role.is_err() {
            // Sentinels cut the connections of a server whose role they change.
            role = self.ask(index, &["ROLE"]);
        }
        let role = role.ok()?;
        let name: Option<String> = redis::from_redis_value(role.into_iter().next()?).ok();
        Some(name.as_deref() == Some("master"))
    }

    fn wait_for(&mut self, master: usize, replicas: usize) -> bool {
        // The write comes after the offer in the stream that replicas copy.
        let written: RedisResult<()> = self.ask(master, &["SET", PROBE, "1"]);
        let replicas = replicas.to_string();
        let copied: RedisResult<usize> = self.ask(master, &["WAIT", &replicas, PATIENCE_MS]);
        written.is_ok() && copied.is_ok_and(|it| it >= 1 && it.to_string() == replicas)
    }

    fn ask<T: redis::FromRedisValue>(&mut self, index: usize, command: &[&str]) -> RedisResult<T> {
        let (server, connection) = &mut self.group[index];
        if connection.is_none() {
            *connection = Some(connect(server)?);
        }
        let Some(open) = connection else {
            unreachable!("it was just opened")
        };
        let reply = redis::cmd(command[0]).arg(&command[1..]).query(open);
        if reply.is_err() {
            *connection = None;
        }
        reply
    }
}

fn connect(server: &Server) -> RedisResult<Connection> {
    let client = redis::Client::open(server.url())?;
    let deadline = std::time::Duration::from_millis(500);
    let connection = client.get_connection_with_timeout(deadline)?;
    connection.set_read_timeout(Some(deadline))?;
    Ok(connection)
}

/// In the slot of the queue.
const PROBE: &str = "faults:{orders}";
const PATIENCE_MS: &str = "300";
