//! Users of Redis and their rights.

use redis::{Connection, cmd};
use testbed::Server;

use crate::broken::Broken;
use crate::room::Effect::{Begins, Mends};
use crate::room::{Room, Visit};

pub(super) static ROOMS: [Room; 6] = [
    Room {
        name: "settings that rdq may not read",
        finding: "settings",
        build: || poor("-config"),
        advice: &[("+config|get", Mends)],
    },
    Room {
        name: "connections that rdq may not list",
        finding: "connections",
        build: || poor("-client|list"),
        advice: &[("+client|list", Mends)],
    },
    Room {
        name: "a list that rdq may not read",
        finding: "unread",
        build: || poor("-lrange"),
        advice: &[("+lrange", Mends)],
    },
    Room {
        name: "a command that was refused",
        finding: "refused-commands",
        build: || {
            let (visit, _) = Visit::to_deaf();
            let mut java = java(&visit.server, "~* &* +@all -get");
            assert!(cmd("GET").arg("key").exec(&mut java).is_err());
            visit
        },
        advice: &[("+get", Begins), ("ACL LOG RESET", Mends)],
    },
    Room {
        name: "a channel that was refused",
        finding: "refused",
        build: || {
            let (visit, queue) = Visit::to_deaf();
            let mut java = java(&visit.server, "~* +@all resetchannels");
            let mut publish = cmd("PUBLISH");
            publish.arg(queue.keys.channel()).arg("1");
            assert!(publish.exec(&mut java).is_err());
            visit
        },
        advice: &[("&redisson", Begins), ("ACL LOG RESET", Mends)],
    },
    Room {
        name: "a service without the channel",
        finding: "rights",
        build: || {
            let (mut visit, queue) = Visit::to_deaf();
            let mut java = service(&visit.server, &queue);
            cmd("PING").exec(&mut java).unwrap();
            visit.keep(java);
            visit
        },
        advice: &[("+subscribe", Mends)],
    },
];

/// A user for rdq, without some right.
fn poor(without: &str) -> Visit {
    let (mut visit, _) = Visit::to_deaf();
    let rule = [
        "ACL", "SETUSER", "poor", "on", ">poor", "~*", "&*", "+@all", without,
    ];
    visit.server.run::<()>(&rule);
    visit.url = format!("redis://poor:poor@{}", visit.server.address());
    visit
}

/// A connection of a user with these rights.
fn java(server: &Server, rights: &str) -> Connection {
    let rights = rights.split(' ');
    let rule = ["ACL", "SETUSER", "java", "on", "nopass"].into_iter();
    server.run::<()>(&rule.chain(rights).collect::<Vec<_>>());
    let url = format!("redis://java:x@{}", server.address());
    redis::Client::open(url).unwrap().get_connection().unwrap()
}

/// A user that has the keys of the queue, and not its channel.
fn service(server: &Server, queue: &Broken) -> Connection {
    let keys = [
        queue.keys.target(),
        queue.keys.ordering(),
        queue.keys.timeouts(),
    ];
    // A rule has no blanks.
    let keys = keys.iter().map(|it| format!("~{}", it.replace(' ', "?")));
    let keys: Vec<_> = keys.collect();
    let mut rule = vec![
        "ACL",
        "SETUSER",
        "java",
        "on",
        "nopass",
        "+@all",
        "resetchannels",
    ];
    rule.extend(keys.iter().map(String::as_str));
    server.run::<()>(&rule);
    let url = format!("redis://java:x@{}", server.address());
    redis::Client::open(url).unwrap().get_connection().unwrap()
}
