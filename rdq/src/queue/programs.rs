//! Lists the programs that listen on a server.

use std::fmt;

use redisson_delayed_queue::Master;
use redisson_delayed_queue::redis::cmd;

use crate::failure::Result;

/// Describes a connection of a program that subscribes to any channel of a server.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Program {
    pub(crate) kind: Kind,
    /// Many have none.
    name: String,
    address: String,
}

/// Says which kind of client a program uses.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Kind {
    Rust,
    /// Redisson, as most others do, gives its connections no name that tells.
    Other,
}

/// The name of a connection of this crate that listens ends so, behind the name of its client.
const LISTENING: &str = ":subscription";
/// The names of this program's connections.
const OURS: &str = "rdq-cli";
/// `CLIENT LIST` looks at all connections. With more than these, it costs the server too much.
const MOST: u64 = 5_000;

/// Returns the programs that listen on this server, or `None` if it has too many connections.
///
/// # Redis
///
/// `INFO clients`, and `CLIENT LIST TYPE pubsub` unless there are more than 5,000 connections.
pub(crate) async fn read(master: &Master) -> Result<Option<Vec<Program>>> {
    let info: String = master.query(cmd("INFO").arg("clients")).await?;
    let count = info
        .lines()
        .find_map(|line| line.strip_prefix("connected_clients:"));
    if count.and_then(|it| it.trim().parse().ok()).unwrap_or(0) > MOST {
        return Ok(None);
    }
    let mut list = cmd("CLIENT");
    list.arg("LIST").arg("TYPE").arg("pubsub");
    let list: String = master.query(&list).await?;
    Ok(Some(parse(&list)))
}

pub(crate) fn parse(list: &str) -> Vec<Program> {
    let program = |line: &str| {
        let word = |key: &str| {
            let mut words = line.split(' ').filter_map(|word| word.split_once('='));
            words.find(|it| it.0 == key).map_or("", |it| it.1)
        };
        let (kind, name) = match word("name").strip_suffix(LISTENING) {
            Some(OURS) => return None,
            Some(name) => (Kind::Rust, name),
            None => (Kind::Other, word("name")),
        };
        Some(Program {
            kind,
            name: name.to_owned(),
            address: word("addr").to_owned(),
        })
    };
    list.lines().filter_map(program).collect()
}

impl Program {
    /// Its name, or its address if it has none, and whether it is a Rust client.
    pub(crate) fn title(&self) -> String {
        match (self.kind, &*self.name) {
            (Kind::Rust, name) => format!("{name} (Rust)"),
            (Kind::Other, "") => self.address.clone(),
            (Kind::Other, name) => name.to_owned(),
        }
    }
}

/// Who it is, and where.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, &*self.name) {
            (Kind::Rust, name) => write!(f, "{name} (Rust)")?,
            (Kind::Other, "") => f.write_str("one without a name (Java or another)")?,
            (Kind::Other, name) => write!(f, "{name} (Java or another)")?,
        }
        write!(f, " at {}", self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_by_name_or_else_by_address() {
        let list = "id=3 addr=10.0.0.1:50 laddr=10.0.0.9:6379 name=orders:subscription sub=2\n\
                    id=5 addr=10.0.0.3:52 name= sub=1\n\
                    id=6 addr=10.0.0.4:53 name=billing sub=1\n\
                    id=7 addr=10.0.0.5:54 name=rdq-cli:subscription sub=1\n";
        let programs = parse(list);
        let titles: Vec<_> = programs.iter().map(Program::title).collect();
        assert_eq!(titles, ["orders (Rust)", "10.0.0.3:52", "billing"]);
        let said: Vec<_> = programs.iter().map(Program::to_string).collect();
        let expected = [
            "orders (Rust) at 10.0.0.1:50",
            "one without a name (Java or another) at 10.0.0.3:52",
            "billing (Java or another) at 10.0.0.4:53",
        ];
        assert_eq!(said, expected);
    }
}
