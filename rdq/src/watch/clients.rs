//! Lists the programs that listen on a server.

use std::collections::BTreeMap;

use redisson_delayed_queue::Master;
use redisson_delayed_queue::redis::cmd;

use crate::failure::Result;

/// Describes a program that subscribes to any channel of a server.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Program {
    pub(crate) kind: Kind,
    /// Holds its name, or its address if it has none.
    pub(crate) name: String,
}

/// Says which kind of client a program uses.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Kind {
    Rust,
    /// Redisson, as most others do, gives its connections no name that tells.
    Other,
}

/// Counts the connections of each program.
pub(crate) type Programs = Vec<(Program, usize)>;

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
pub(crate) async fn read(master: &Master) -> Result<Option<Programs>> {
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

fn parse(list: &str) -> Programs {
    let mut programs = BTreeMap::new();
    for line in list.lines() {
        let word = |key: &str| {
            let words = line.split(' ').filter_map(|word| word.split_once('='));
            words.into_iter().find(|it| it.0 == key).map(|it| it.1)
        };
        let name = word("name").unwrap_or_default();
        let program = match name.strip_suffix(LISTENING) {
            Some(OURS) => continue,
            Some(name) => Program {
                kind: Kind::Rust,
                name: name.to_owned(),
            },
            None => Program {
                kind: Kind::Other,
                name: match name {
                    "" => word("addr").unwrap_or("?").to_owned(),
                    name => name.to_owned(),
                },
            },
        };
        *programs.entry(program).or_insert(0) += 1;
    }
    programs.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_by_name_or_else_by_address() {
        let list = "id=3 addr=10.0.0.1:50 laddr=10.0.0.9:6379 name=orders:subscription sub=2\n\
                    id=4 addr=10.0.0.2:51 name=orders:subscription sub=2\n\
                    id=5 addr=10.0.0.3:52 name= sub=1\n\
                    id=6 addr=10.0.0.4:53 name=billing sub=1\n\
                    id=7 addr=10.0.0.5:54 name=rdq-cli:subscription sub=1\n";
        let program = |kind, name: &str| Program {
            kind,
            name: name.to_owned(),
        };
        let expected = vec![
            (program(Kind::Rust, "orders"), 2),
            (program(Kind::Other, "10.0.0.3:52"), 1),
            (program(Kind::Other, "billing"), 1),
        ];
        assert_eq!(parse(list), expected);
    }
}
