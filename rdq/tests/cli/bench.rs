//! `rdq bench`

use std::process::Stdio;
use std::time::Duration;

use testbed::{Cluster, Program, Server, signal, until};

use crate::rdq::{Run, command, done, json, queue, run};

#[test]
fn each_element_comes_on_time_and_nothing_is_left() {
    let server = Server::start();
    let url = server.url();
    let short = [
        "bench", "-n", "500", "--delay", "300ms", "--spread", "300ms",
    ];
    let [row] = json(&url, &short).try_into().unwrap();
    assert_eq!((&row["elements"], &row["early"]), (&500.into(), &0.into()));
    for field in ["offers_per_s", "takes_per_s", "late_max_ms"] {
        assert!(row[field].as_f64().unwrap() > 0.0, "{row}");
    }
    assert!(row["queue"].as_str().unwrap().starts_with("rdq-bench-"));
    let table = done(&url, &short);
    assert!(table.contains("500 of 100 bytes"), "{table}");
    assert_eq!(server.run::<u64>(&["DBSIZE"]), 0);
}

/// Its client moves elements, and must not begin with those of somebody else.
#[tokio::test]
async fn a_queue_that_is_there_is_refused_and_left_alone() {
    let server = Server::start();
    let url = server.url();
    let orders = queue(&url, "orders").await;
    orders
        .offer(&"overdue".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    let refused = run(&url, &["bench", "orders", "-n", "1"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_eq!(orders.pending().len().await.unwrap(), 1);
    assert!(!server.run::<bool>(&["EXISTS", "orders"]));

    // Only a consumer has left something.
    server.run::<()>(&["ZADD", "rdq1_retries:{mails}", "1", "order"]);
    let refused = run(&url, &["bench", "mails", "-n", "1"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(server.run::<bool>(&["EXISTS", "rdq1_retries:{mails}"]));
}

/// An empty queue has no keys. The next element that a service offers is not there to be measured.
#[test]
fn a_queue_whose_services_only_listen_is_refused() {
    let server = Server::start();
    let mut connection = server.connection();
    let mut listener = connection.as_pubsub();
    listener
        .subscribe("redisson_delay_queue_channel:{orders}")
        .unwrap();
    let refused = run(&server.url(), &["bench", "orders", "-n", "1", "--yes"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_eq!(server.run::<u64>(&["DBSIZE"]), 0);
}

#[test]
fn a_queue_that_the_caller_names_is_used_only_if_somebody_confirms() {
    let server = Server::start();
    let refused = run(&server.url(), &["bench", "orders", "-n", "1"]);
    assert_eq!(refused.code, 4, "{refused:?}");
    assert_eq!(server.run::<u64>(&["DBSIZE"]), 0);
}

#[test]
fn an_interrupted_run_deletes_its_queue() {
    let cluster = Cluster::without_replicas();
    let (url, server) = (cluster.url(), cluster.master_of("mine"));
    let long = ["bench", "mine", "-n", "100", "--delay", "10min", "--yes"];
    let mut bench = command(&url, &long);
    let bench = Program::start(bench.stdout(Stdio::null()).stderr(Stdio::piped()));
    let timeouts = "redisson_delay_queue_timeout:{mine}";
    until("all is offered", || {
        match server.run(&["ZCARD", timeouts]) {
            100_u64 => Ok(()),
            count => Err(format!("{count} are")),
        }
    });
    assert!(signal("INT", bench.id().into()));
    let ended = Run::of(bench.output());
    assert_eq!(ended.code, 130, "{ended:?}");
    let said = "100 elements offered, 0 of them taken";
    assert!(ended.stderr.contains(said), "{ended:?}");
    assert_eq!(server.run::<u64>(&["DBSIZE"]), 0);
}
