//! `rdq leases`

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use redisson_delayed_queue::{Consumer, Error};
use serde_json::Value;
use testbed::{Cluster, Program, Sentinels, Server};

use crate::broken::Broken;
use crate::doctor::findings;
use crate::rdq::{command, done, json, queue, run};

const HOUR: Duration = Duration::from_secs(3_600);

/// Leaves what a killed process does: claims of `take()`, which run out at this moment.
pub(crate) fn claim(server: &Server, claim: u8, payloads: &[&str], until_ms: i64) {
    Broken::at(server, "orders").lease(claim, payloads, until_ms);
}

pub(crate) fn target(server: &Server) -> Vec<String> {
    server.run(&["LRANGE", "orders", "0", "-1"])
}

/// A consumer that has these elements.
async fn consumer(url: &str, server: &Server, payloads: &[&str]) -> Consumer<String> {
    let _: () = server.run(&[&["RPUSH", "orders"], payloads].concat());
    let orders = queue(url, "orders").await;
    orders
        .consumer()
        .visibility(HOUR)
        .prefetch(0)
        .build()
        .unwrap()
}

const LATER_MS: i64 = 9_000_000_000_000;

#[tokio::test]
async fn expired_leases_go_back_to_the_head_in_order_and_others_stay() {
    let server = Server::start();
    claim(&server, 1, &["a", "b"], 1_000);
    claim(&server, 2, &["running"], LATER_MS);
    let _: () = server.run(&["RPUSH", "orders", "due"]);
    let url = server.url();

    let rows = json(&url, &["leases", "ls", "orders"]);
    let values: Vec<_> = rows
        .iter()
        .map(|it| it["value"].as_str().unwrap())
        .collect();
    assert_eq!(values, ["a", "b", "running"]);
    assert_eq!(json(&url, &["leases", "ls", "orders", "-n", "0"]).len(), 3);
    assert_eq!(json(&url, &["leases", "orders", "-n", "2"]), rows[..2]);
    assert_eq!(rows[0]["kind"], "claimed");
    assert_eq!(rows[0]["holder"], "0707070707070707");
    assert_eq!(
        (&rows[0]["expired"], &rows[2]["expired"]),
        (&true.into(), &false.into())
    );
    assert_eq!(rows[2]["until_ms"], LATER_MS);
    let table = done(&url, &["leases", "ls", "orders", "--expired"]);
    assert_eq!(table.lines().count(), 3, "{table}");

    let released = json(&url, &["leases", "release", "orders", "--expired"]);
    assert_eq!(released[0]["released"], 2);
    assert_eq!(target(&server), ["a", "b", "due"]);
    let again = run(&url, &["leases", "release", "orders", "--expired"]);
    assert_eq!(again.code, 3, "{again:?}");
    assert_eq!(server.run::<u64>(&["ZCARD", "rdq1_leases:{orders}"]), 1);
}

#[tokio::test]
async fn elements_whose_leases_somebody_deleted_come_back_in_order_and_others_stay() {
    let server = Server::start();
    let url = server.url();
    claim(&server, 1, &["a", "b"], LATER_MS);
    claim(&server, 2, &["c"], LATER_MS);
    let _: () = server.run(&["DEL", "rdq1_leases:{orders}"]);
    claim(&server, 3, &["running"], LATER_MS);
    let lost = consumer(&url, &server, &["d"]).await;
    let _lost = lost.recv().await.unwrap();
    let _: () = server.run(&["DEL", "rdq1_delivery_leases:{orders}"]);
    let kept = consumer(&url, &server, &["kept"]).await;
    let kept = kept.recv().await.unwrap();
    // The hash also counts the claims that came too late.
    let late = [&[7; 15][..], b"\x03\0\0\0\0\0\0\0\0\0\x01-"].concat();
    let mut count_late = redis::cmd("HSET");
    let count_late = count_late.arg("rdq1_deliveries:{orders}").arg(late).arg(1);
    let _: () = count_late.query(&mut server.connection()).unwrap();
    let _: () = server.run(&["RPUSH", "orders", "due"]);

    let release = ["leases", "release", "orders", "--unleased"];
    let asked = run(&url, &release);
    assert_eq!((asked.code, target(&server).len()), (4, 1), "{asked:?}");
    let release = [&release[..], &["--yes"]].concat();
    assert_eq!(json(&url, &release)[0]["released"], 4);
    assert_eq!(target(&server), ["a", "b", "c", "d", "due"]);
    assert_eq!(run(&url, &release).code, 3);
    assert_eq!(server.run::<u64>(&["ZCARD", "rdq1_leases:{orders}"]), 1);
    kept.ack().await.unwrap();
}

/// Somebody deleted the payloads, and there is nothing to bring home.
#[test]
fn leases_without_payloads_do_not_count_as_released() {
    let server = Server::start();
    let url = server.url();
    claim(&server, 1, &["a", "b"], 1_000);
    let _: () = server.run(&["DEL", "rdq1_deliveries:{orders}"]);
    claim(&server, 2, &["c"], 1_000);
    let released = json(&url, &["leases", "release", "orders", "--expired"]);
    assert_eq!(
        (&released[0]["released"], &released[0]["found"]),
        (&1.into(), &3.into())
    );
    assert_eq!(target(&server), ["c"]);
}

#[tokio::test]
async fn a_lease_that_runs_is_taken_only_if_somebody_confirms() {
    let server = Server::start();
    claim(&server, 1, &["a", "b"], LATER_MS);
    let url = server.url();
    let rows = json(&url, &["leases", "ls", "orders"]);
    let second = rows[1]["lease"].as_str().unwrap();
    let refused = run(&url, &["leases", "release", "orders", second]);
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(target(&server).is_empty());
    done(&url, &["leases", "release", "orders", second, "--yes"]);
    assert_eq!(target(&server), ["b"]);
    let gone = run(&url, &["leases", "release", "orders", second, "--yes"]);
    assert_eq!(gone.code, 3, "{gone:?}");
    let nothing = run(&url, &["leases", "release", "orders"]);
    assert_eq!(nothing.code, 2, "{nothing:?}");
}

#[tokio::test]
async fn a_delivery_is_due_for_its_next_attempt_and_a_late_ack_changes_nothing() {
    let server = Server::start();
    let url = server.url();
    let consumer = consumer(&url, &server, &["a", "b"]).await;
    let held = consumer.recv().await.unwrap();
    let other = consumer.recv().await.unwrap();
    let rows = json(&url, &["leases", "ls", "orders"]);
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["kind"], "in flight");
    assert_eq!(rows[0]["attempt"], 1);

    let lease = rows[0]["lease"].as_str().unwrap();
    done(&url, &["leases", "release", "orders", lease, "--yes"]);
    // Its time is now, so this live consumer gets it again.
    let again = consumer.recv().await.unwrap();
    assert_eq!((again.value().as_str(), again.attempt()), ("a", 2));
    let late = held.ack().await;
    assert!(matches!(late, Err(Error::Late { .. })), "{late:?}");
    again.ack().await.unwrap();
    other.ack().await.unwrap();
    assert!(target(&server).is_empty());
    assert!(!server.run::<bool>(&["EXISTS", "rdq1_deliveries:{orders}"]));
    assert!(json(&url, &["leases", "ls", "orders"]).is_empty());
}

#[tokio::test]
async fn all_deliveries_can_go_back_to_where_java_pops() {
    let server = Server::start();
    let url = server.url();
    let consumer = consumer(&url, &server, &["a", "b", "c", "d"]).await;
    let first = consumer.recv().await.unwrap();
    let second = consumer.recv().await.unwrap();
    second.nack(HOUR).await.unwrap();
    let rows = json(&url, &["leases", "ls", "orders"]);
    let kinds: Vec<_> = rows.iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["in flight", "retrying"]);

    let release = ["leases", "release", "orders", "--all", "--to-target"];
    assert_eq!(run(&url, &release).code, 4);
    done(&url, &[&release[..], &["--yes"]].concat());
    // What waits was later.
    assert_eq!(target(&server), ["a", "b", "c", "d"]);
    assert!(!server.run::<bool>(&["EXISTS", "rdq1_deliveries:{orders}"]));
    let late = first.ack().await;
    assert!(matches!(late, Err(Error::Late { .. })), "{late:?}");
    assert_eq!(target(&server).len(), 4);
}

#[tokio::test]
async fn attempts_that_are_due_can_go_back_to_where_java_pops() {
    let server = Server::start();
    let url = server.url();
    let consumer = consumer(&url, &server, &["a", "b"]).await;
    let (first, second) = (
        consumer.recv().await.unwrap(),
        consumer.recv().await.unwrap(),
    );
    first.nack(HOUR).await.unwrap();
    second.nack(HOUR).await.unwrap();
    drop(consumer);
    let retries: Vec<Vec<u8>> = server.run(&["ZRANGE", "rdq1_retries:{orders}", "0", "0"]);
    redis::cmd("ZADD")
        .arg("rdq1_retries:{orders}")
        .arg(1)
        .arg(&retries[0])
        .exec(&mut server.connection())
        .unwrap();
    let release = ["leases", "release", "orders", "--expired", "--to-target"];
    done(&url, &[&release[..], &["--yes"]].concat());
    assert_eq!(target(&server).len(), 1);
    assert_eq!(server.run::<usize>(&["ZCARD", "rdq1_retries:{orders}"]), 1);
}

#[test]
fn leases_are_found_on_a_cluster_and_behind_sentinels() {
    let cluster = Cluster::without_replicas();
    let sentinels = Sentinels::start();
    for (server, url) in [
        (cluster.master_of("orders"), cluster.url()),
        (sentinels.master(), sentinels.url()),
    ] {
        claim(&server, 1, &["a"], 1_000);
        done(&url, &["leases", "release", "orders", "--expired"]);
        assert_eq!(target(&server), ["a"]);
    }
}

/// Whoever moves a queue and deletes the old one would lose them.
#[test]
fn every_verb_that_leaves_out_unleased_elements_says_so() {
    let server = Server::start();
    let url = server.url();
    claim(&server, 1, &["a", "b"], LATER_MS);
    let _: () = server.run(&["DEL", "rdq1_leases:{orders}"]);
    let listed = run(&url, &["leases", "ls", "orders"]);
    let said = "2 elements were claimed in orders without a lease, and not shown:\n    \
                rdq doctor orders\n";
    assert_eq!((&*listed.stdout, &*listed.stderr), ("", said));
    let exported = run(&url, &["export", "orders"]);
    let said =
        "not in the file: 2 elements that were claimed without a lease:\n    rdq doctor orders\n";
    assert!(exported.stderr.contains(said), "{exported:?}");
    assert_eq!(json(&url, &["stats", "orders"])[0]["unleased"], 2);
    assert_eq!(json(&url, &["queues"])[0]["unleased"], 2);
    for dashboard in [&["top", "--json"][..], &["watch", "orders", "--json"]] {
        let mut rdq = command(&url, dashboard);
        let mut rdq = Program::start(rdq.stdout(Stdio::piped()));
        let mut line = String::new();
        let mut stdout = BufReader::new(rdq.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let sample: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(sample["unleased"], 2, "{dashboard:?}");
    }
}

/// Other clients would wait for a script that reads all of them.
#[test]
fn of_many_claimed_elements_those_without_a_lease_are_estimated() {
    let server = Server::start();
    let fill = "
        for i = 1, 10001 do
            local origin = string.rep('o', 10) .. struct.pack('>LL', i, 1)
            redis.call('HSET', KEYS[1], origin, i)
            if i > 2 then redis.call('ZADD', KEYS[2], 9e12, origin) end
        end";
    let keys = ["rdq1_deliveries:{orders}", "rdq1_leases:{orders}"];
    server.run::<()>(&["EVAL", fill, "2", keys[0], keys[1]]);
    let url = server.url();
    let (found, _) = findings(&url, &["orders"]);
    assert_eq!(found["unleased"]["count"], 2);
    assert_eq!(found["unleased"]["severity"], "warning");
    for verb in [&["leases", "ls", "-n", "1"][..], &["export"]] {
        let said = run(&url, &[verb, &["orders"]].concat()).stderr;
        assert!(said.contains("about 2 elements"), "{said}");
    }
    let reads = server.info("commandstats", "cmdstat_hkeys").unwrap();
    assert_eq!(reads, None);

    let released = ["leases", "release", "orders", "--unleased", "--yes"];
    assert_eq!(done(&url, &released), "released 2 of 2\n");
    assert!(!findings(&url, &["orders"]).0.contains_key("unleased"));
}
