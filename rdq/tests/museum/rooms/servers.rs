//! Servers and clusters.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::thread;

use redis::RedisResult;
use testbed::{ClockOffset, Cluster, Server, Settings, until};

use crate::broken::{Broken, new};
use crate::room::Effect::{Begins, Mends, Shows};
use crate::room::{NAME, Room, Visit, durable};

pub(super) static ROOMS: [Room; 20] = [
    Room {
        name: "a master that hangs",
        finding: "silent",
        build: || {
            let cluster = Cluster::with(&durable(), 0);
            let url = cluster.url();
            let hung = cluster.masters().pop().unwrap();
            hung.pause();
            let mut visit = Visit::at(&hung, url).argument("--timeout").argument("2s");
            visit.keep(cluster);
            visit
        },
        advice: &[],
    },
    Room {
        name: "one node of a cluster",
        finding: "cluster-node",
        build: || {
            let cluster = Cluster::with(&durable(), 0);
            let node = cluster.masters().pop().unwrap();
            let mut visit = Visit::to(&node);
            visit.keep(cluster);
            visit
        },
        advice: &[("redis+cluster://", Shows)],
    },
    Room {
        name: "a slot that was given away without its keys",
        finding: "stray",
        build: || {
            let cluster = Cluster::with(&durable(), 0);
            let holder = cluster.master_of(NAME);
            let owner = cluster.masters().into_iter();
            let owner = owner.filter(|it| it.address() != holder.address());
            let owner = owner.last().unwrap();
            let mut queue = Broken::at(&holder, NAME);
            let later = queue.later();
            (1..=3).for_each(|id| queue.offer(&new(id, b"good"), &later));
            cluster.give_away(NAME, &owner);
            let mut visit = Visit::at(&holder, cluster.url());
            visit.listen(&owner);
            visit.keep(cluster);
            visit
        },
        advice: &[
            ("IMPORTING", Begins),
            ("MIGRATE", Begins),
            ("STABLE", Mends),
        ],
    },
    Room {
        name: "a slot on its way to another node",
        finding: "unexamined",
        build: || {
            let cluster = Cluster::with(&durable(), 0);
            let from = cluster.master_of(NAME);
            let mut queue = Broken::at(&from, NAME);
            let later = queue.later();
            queue.offer(&new(1, b"good"), &later);
            let masters = cluster.masters();
            let to = masters.iter().find(|it| it.address() != from.address());
            let slot_move = cluster.begin_move(cluster.slot_of(NAME), to.unwrap());
            slot_move.move_keys(1);
            let mut visit = Visit::at(&from, cluster.url());
            visit.keep(cluster);
            visit
        },
        advice: &[],
    },
    Room {
        name: "another slot that no master has",
        finding: "unexamined",
        build: || {
            let cluster = Cluster::with(&durable(), 0);
            let holder = cluster.master_of(NAME);
            let mut queue = Broken::at(&holder, NAME);
            let later = queue.later();
            queue.offer(&new(1, b"good"), &later);
            let slot = cluster.slot_of("another queue").to_string();
            for node in cluster.masters() {
                // A node that knows no owner refuses it.
                let _: RedisResult<()> = node.try_run(&["CLUSTER", "DELSLOTS", &slot]);
            }
            until("the cluster is down", || {
                let asked: RedisResult<u64> = holder.try_run(&["EXISTS", NAME]);
                match asked {
                    Err(error) if error.code() == Some("CLUSTERDOWN") => Ok(()),
                    asked => Err(format!("{asked:?}")),
                }
            });
            let mut visit = Visit::at(&holder, cluster.url());
            visit.keep(cluster);
            visit
        },
        advice: &[],
    },
    Room {
        name: "a name that is not UTF-8",
        finding: "names",
        build: || {
            let server = Server::with(&durable());
            let key = b"redisson_delay_queue:{\xff\xfe}";
            redis::cmd("RPUSH")
                .arg(&key[..])
                .arg("order")
                .exec(&mut server.connection())
                .unwrap();
            Visit::to(&server)
        },
        advice: &[],
    },
    Room {
        name: "ready elements whose services are gone",
        finding: "lists",
        build: || {
            let server = Server::with(&durable());
            server.run::<()>(&["RPUSH", NAME, "ready"]);
            Visit::to(&server)
        },
        advice: &[("rdq doctor", Shows)],
    },
    Room {
        name: "the address of a replica",
        finding: "replica",
        build: || {
            let (master, replica) = pair();
            let mut visit = Visit::to(&replica);
            visit.keep(master);
            visit
        },
        advice: &[],
    },
    Room {
        name: "too few replicas",
        finding: "few-replicas",
        build: || Visit::to(&Server::with(&durable().set("min-replicas-to-write", "1"))),
        advice: &[("CONFIG SET min-replicas-to-write", Mends)],
    },
    Room {
        name: "a replica that hangs",
        finding: "replica-lag",
        build: || {
            let (master, replica) = pair();
            replica.pause();
            until("the replica is behind", || {
                let line = master.info("replication", "slave0").unwrap();
                let lag = line.as_deref().and_then(|it| it.rsplit_once("lag="));
                let lag = lag.and_then(|it| it.1.trim_end().parse::<u64>().ok());
                lag.is_some_and(|it| it >= 10)
                    .then_some(())
                    .ok_or(format!("{line:?}"))
            });
            let mut visit = Visit::to(&master);
            visit.keep(replica);
            visit
        },
        advice: &[],
    },
    Room {
        name: "an old server",
        finding: "version",
        build: || {
            let server = Server::with(&durable());
            Visit::at(&server, old(&server))
        },
        advice: &[],
    },
    Room {
        name: "a clock that is wrong",
        finding: "clock",
        build: || {
            let server = Server::with(&durable());
            server.set_clock(ClockOffset::ahead(60));
            server.restart();
            Visit::to(&server)
        },
        advice: &[],
    },
    Room {
        name: "a policy that drops keys",
        finding: "eviction",
        build: || {
            Visit::to(&Server::with(
                &durable().set("maxmemory-policy", "allkeys-lru"),
            ))
        },
        advice: &[("CONFIG SET maxmemory-policy", Mends)],
    },
    Room {
        name: "a memory that is full",
        finding: "memory",
        build: || {
            let (visit, _) = Visit::to_deaf();
            visit
                .server
                .run::<()>(&["CONFIG", "SET", "maxmemory", "512kb"]);
            visit
        },
        advice: &[("CONFIG SET maxmemory", Mends), ("rdq queues", Shows)],
    },
    Room {
        name: "a disk that takes nothing",
        finding: "disk",
        build: || {
            let server = Server::with(&durable());
            let (_, directory): (String, String) = server.run(&["CONFIG", "GET", "dir"]);
            // Redis cannot put its file in the place of a directory.
            fs::create_dir_all(Path::new(&directory).join("dump.rdb/full")).unwrap();
            server.run::<()>(&["BGSAVE"]);
            until("the snapshot has failed", || {
                let status = server.info("persistence", "rdb_last_bgsave_status");
                let status = status.unwrap().unwrap_or_default();
                (status.trim_end() == "err").then_some(()).ok_or(status)
            });
            Visit::to(&server)
        },
        advice: &[],
    },
    Room {
        name: "nothing on disk",
        finding: "persistence",
        build: || Visit::to(&Server::with(&Settings::new())),
        advice: &[("CONFIG SET appendonly", Mends)],
    },
    Room {
        name: "a small buffer for subscribers",
        finding: "buffers",
        build: || with_buffer_limit("pubsub 64kb 32kb 60"),
        advice: &[("CONFIG SET client-output-buffer-limit", Mends)],
    },
    Room {
        name: "a small buffer for clients",
        finding: "buffers",
        build: || with_buffer_limit("normal 0 1mb 60"),
        advice: &[("client-output-buffer-limit 'normal 0 0 0'", Mends)],
    },
    Room {
        name: "connections that are closed",
        finding: "idle",
        build: || Visit::to(&Server::with(&durable().set("timeout", "30"))),
        advice: &[("CONFIG SET timeout", Mends)],
    },
    Room {
        name: "connections of hosts that vanished",
        finding: "keepalive",
        build: || Visit::to(&Server::with(&durable().set("tcp-keepalive", "0"))),
        advice: &[("CONFIG SET tcp-keepalive", Mends)],
    },
];

/// A durable server that cuts off clients with so much to read.
fn with_buffer_limit(limit: &str) -> Visit {
    Visit::to(&Server::with(
        &durable().set("client-output-buffer-limit", limit),
    ))
}

/// A master and its replica.
fn pair() -> (Server, Server) {
    let (master, replica) = (Server::with(&durable()), Server::with(&durable()));
    let port = master.port().to_string();
    replica.run::<()>(&["REPLICAOF", "127.0.0.1", &port]);
    until("the master knows the replica", || {
        let line = master.info("replication", "slave0").unwrap();
        line.as_deref()
            .is_some_and(|it| it.contains("state=online"))
            .then_some(())
            .ok_or(format!("{line:?}"))
    });
    (master, replica)
}

/// The address of a proxy that lets a server look old.
fn old(server: &Server) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let upstream = server.port();
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, upstream)) else {
                return;
            };
            let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            thread::spawn(move || forward(from, to, |_| {}));
            thread::spawn(move || forward(server, client, age));
        }
    });
    format!("redis://{address}")
}

fn forward(mut from: TcpStream, mut to: TcpStream, change: fn(&mut [u8])) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        change(&mut bytes[..read]);
        if to.write_all(&bytes[..read]).is_err() {
            return;
        }
    }
}

/// Turns the version in an answer to `INFO` into 6.0, if it stands in one piece.
fn age(bytes: &mut [u8]) {
    const FIELD: &[u8] = b"redis_version:";
    let at = bytes.windows(FIELD.len()).position(|it| it == FIELD);
    if let Some(version) = at.map(|it| it + FIELD.len())
        && let Some(version) = bytes.get_mut(version..version + 3)
    {
        version.copy_from_slice(b"6.0");
    }
}
