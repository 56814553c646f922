//! Who is connected to a server.

use std::collections::{BTreeMap, BTreeSet};

use redisson_delayed_queue::Master;
use redisson_delayed_queue::redis::cmd;

/// A connection, as `CLIENT LIST` shows it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connected {
    pub(crate) name: String,
    pub(crate) user: String,
    /// The last command, in lower case.
    pub(crate) command: String,
}

/// The connections of a server; `None` if they are not known.
pub(crate) type Clients = Option<Vec<Connected>>;

/// Lists the connections of a server, unless they are too many or the user lacks the right.
pub(crate) async fn list(server: &Master, connected: u64) -> Clients {
    if connected > MOST {
        return None;
    }
    let list: String = server.query(cmd("CLIENT").arg("LIST")).await.ok()?;
    Some(list.lines().map(read).collect())
}

fn read(line: &str) -> Connected {
    let fields: BTreeMap<&str, &str> = line
        .split(' ')
        .filter_map(|field| field.split_once('='))
        .collect();
    let text = |name| fields.get(name).copied().unwrap_or_default().to_owned();
    Connected {
        name: text("name"),
        user: text("user"),
        command: text("cmd"),
    }
}

/// How often a server has taken elements from lists so far, for all its clients; `None` if it does not say.
pub(crate) async fn takes(server: &Master) -> Option<u64> {
    let stats: String = server.query(cmd("INFO").arg("commandstats")).await.ok()?;
    Some(stats.lines().filter_map(calls).sum())
}

/// The number in `cmdstat_blpop:calls=7,usec=…` if that command takes from a list.
fn calls(line: &str) -> Option<u64> {
    let (command, rest) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
    // With LTRIM, a script takes many.
    let takes = TAKES.contains(&command) || command == "ltrim";
    takes.then_some(())?;
    rest.split(',').next()?.parse().ok()
}

impl Connected {
    /// True if its last command took from a list, or waits for an element of one.
    pub(crate) fn takes(&self) -> bool {
        TAKES.contains(&&*self.command)
    }

    /// True for a connection of the queue crate, whose name ends in its purpose.
    pub(crate) fn is_rust(&self) -> bool {
        let purpose = self.name.rsplit(':').next().unwrap_or_default();
        self.name.contains(':') && PURPOSES.contains(&purpose)
    }
}

/// The users of other programs than this crate.
pub(crate) fn users_of_others(clients: &[Connected]) -> BTreeSet<&str> {
    let others = clients.iter().filter(|it| !it.is_rust());
    others
        .map(|it| &*it.user)
        .filter(|it| !it.is_empty())
        .collect()
}

/// With more connections, `CLIENT LIST` would keep Redis busy for too long.
const MOST: u64 = 5_000;

const TAKES: [&str; 11] = [
    "blmove",
    "blmovem",
    "blmpop",
    "blpop",
    "brpop",
    "brpoplpush",
    "lmove",
    "lmpop",
    "lpop",
    "rpop",
    "rpoplpush",
];

const PURPOSES: [&str; 5] = ["calls", "delivery", "durable", "large", "subscription"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_who_is_connected() {
        let line = "id=3 addr=127.0.0.1:5 name= age=2 flags=b cmd=blpop user=app lib-name=x";
        let consumer = read(line);
        assert!(consumer.takes() && !consumer.is_rust());
        assert_eq!(consumer.user, "app");
        let mover = read("id=4 name=orders:delivery cmd=evalsha user=default");
        assert!(mover.is_rust() && !mover.takes());
        assert_eq!(users_of_others(&[consumer, mover]), BTreeSet::from(["app"]));
    }

    #[test]
    fn commands_that_take_are_counted() {
        assert_eq!(calls("cmdstat_blpop:calls=7,usec=5"), Some(7));
        assert_eq!(calls("cmdstat_ltrim:calls=8,usec=5"), Some(8));
        assert_eq!(calls("cmdstat_lpush:calls=9,usec=5"), None);
        assert_eq!(calls("# Commandstats"), None);
    }
}
