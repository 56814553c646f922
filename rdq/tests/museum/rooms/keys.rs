//! Keys of a queue, and what else Redis has.

use testbed::Cluster;

use crate::broken::{Broken, new};
use crate::room::Effect::{Deletes, Mends, Shows};
use crate::room::{NAME, Room, Visit, client, durable, open};

pub(super) static ROOMS: [Room; 15] = [
    Room {
        name: "a name that a cluster refuses",
        finding: "slots",
        build: || {
            let cluster = Cluster::with(&durable(), 0);
            let node = cluster.masters().pop().unwrap();
            let mut visit = Visit::at(&node, cluster.url()).argument("a{b");
            visit.keep(cluster);
            visit
        },
        advice: &[],
    },
    Room {
        name: "the same queue in another database",
        finding: "databases",
        build: || {
            let (visit, mut queue) = Visit::to_deaf();
            queue.run::<()>("SELECT", 3);
            let later = queue.later();
            queue.offer(&new(9, b"good"), &later);
            visit
        },
        advice: &[],
    },
    Room {
        name: "a target queue of another type",
        finding: "types",
        build: || {
            let (visit, _) = Visit::to_deaf();
            visit.server.run::<()>(&["SET", NAME, "text"]);
            visit
        },
        advice: &[("RENAMENX", Mends)],
    },
    Room {
        name: "a key of Rust of another type",
        finding: "rust-types",
        build: || {
            let (visit, queue) = Visit::to_deaf();
            let key = queue.keys.quarantine();
            visit.server.run::<()>(&["SET", key, "text"]);
            visit
        },
        advice: &[("RENAMENX", Mends)],
    },
    Room {
        name: "a key that will vanish",
        finding: "expiry",
        build: || {
            let (visit, queue) = Visit::to_deaf();
            let key = queue.keys.timeouts();
            visit.server.run::<()>(&["EXPIRE", key, "1000"]);
            visit
        },
        advice: &[("PERSIST", Mends)],
    },
    Room {
        name: "ready elements that nobody takes",
        finding: "consumers",
        build: || {
            let (visit, _) = Visit::to_deaf();
            visit.server.run::<()>(&["RPUSH", NAME, "ready"]);
            visit
        },
        advice: &[("ls", Shows)],
    },
    Room {
        name: "a rate limit that somebody forgot",
        finding: "rate",
        build: || {
            let (visit, mut queue) = Visit::to_taken();
            visit.server.run::<()>(&["RPUSH", NAME, "a", "b", "c"]);
            let state = queue.keys.state().to_owned();
            // As `rdq rate NAME 1/10m` writes it.
            queue.run::<()>("HSET", (state, "interval_us", 600_000_000_u64, "burst", 1));
            visit
        },
        advice: &[("--off", Mends)],
    },
    Room {
        name: "leases of a killed process",
        finding: "leases",
        build: || {
            let (visit, mut queue) = Visit::to_taken();
            queue.lease(1, &["a", "b"], 1_000);
            visit
        },
        advice: &[("leases release", Mends), ("transfer", Mends)],
    },
    Room {
        name: "deliveries of a killed consumer",
        finding: "deliveries",
        build: || {
            let (visit, mut queue) = Visit::to_taken();
            visit.server.run::<()>(&["RPUSH", NAME, "a"]);
            let (runtime, client) = client(&visit.server, false);
            runtime.block_on(async {
                let orders = open(&client);
                let consumer = orders.consumer().prefetch(0).build().unwrap();
                // The lease of a process that is killed stays, and ends.
                std::mem::forget(consumer.recv().await.unwrap());
            });
            runtime.shutdown_background();
            let key = queue.keys.delivery_leases().to_owned();
            let tokens: Vec<Vec<u8>> = queue.run("ZRANGE", (&key, 0, -1));
            for token in tokens {
                queue.run::<()>("ZADD", (&key, 1_000, token));
            }
            visit
        },
        advice: &[("--to-target", Mends)],
    },
    Room {
        name: "leases that somebody deleted",
        finding: "unleased",
        build: || {
            let (visit, mut queue) = Visit::to_taken();
            queue.lease(1, &["a", "b"], 1_000);
            let key = queue.keys.leases();
            visit.server.run::<()>(&["DEL", key]);
            visit
        },
        advice: &[("--unleased", Mends)],
    },
    Room {
        name: "a quarantine with members",
        finding: "quarantine",
        build: || {
            let (visit, queue) = Visit::to_taken();
            let key = queue.keys.quarantine();
            visit.server.run::<()>(&["ZADD", key, "1", "bad"]);
            visit
        },
        advice: &[
            ("quarantine ls", Shows),
            ("--all --as-payload", Mends),
            ("quarantine drop", Deletes),
        ],
    },
    Room {
        name: "a quarantine with a member that can be read",
        finding: "quarantine",
        build: || {
            let (visit, mut queue) = Visit::to_deaf();
            let (key, later) = (queue.keys.quarantine().to_owned(), queue.later());
            queue.run::<()>("ZADD", (&key, later, &new(9, b"good")[..]));
            visit
        },
        advice: &[
            ("quarantine ls", Shows),
            ("quarantine release", Mends),
            ("quarantine drop", Deletes),
        ],
    },
    Room {
        name: "dead letters",
        finding: "dead",
        build: || {
            let (visit, queue) = Visit::to_taken();
            let key = queue.keys.default_dead_letters();
            visit.server.run::<()>(&["RPUSH", &key, "dead"]);
            visit
        },
        advice: &[("dlq ls", Shows), ("dlq requeue", Mends)],
    },
    Room {
        name: "dead letters of a queue that has nothing else",
        finding: "dead",
        build: || {
            let (visit, mut queue) = Visit::to_taken();
            let dead = queue.keys.default_dead_letters();
            let notes = Broken::at(&visit.server, &dead);
            let keys = queue.keys.clone();
            queue.run::<()>("DEL", (keys.timeouts(), keys.ordering()));
            visit.server.run::<()>(&["RPUSH", &dead, "dead"]);
            visit
                .server
                .run::<()>(&["RPUSH", notes.keys.dead_notes(), "note"]);
            visit
        },
        advice: &[("dlq ls", Shows), ("dlq requeue", Mends)],
    },
    Room {
        name: "payloads of two codecs",
        finding: "codecs",
        build: || {
            let (visit, mut queue) = Visit::to_deaf();
            let later = queue.later();
            // A text as Kryo 5 writes it.
            queue.offer(&new(9, b"\x03order-1\xb7"), &later);
            visit
        },
        advice: &[("sniff", Shows)],
    },
];
