//! `rdq tail`

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, Offer};
use serde_json::Value;
use testbed::{Program, Server, until};

use crate::rdq::{command, done, queue};

const SOON: Duration = Duration::from_millis(1_500);

/// Waits until rdq looks at the queue.
fn wait_for_looks(server: &Server) {
    until("rdq looks at the queue", || {
        let clients: String = server.run(&["CLIENT", "LIST"]);
        let is_looking = |line: &str| line.contains("name=rdq-cli") && line.contains("cmd=eval");
        clients.lines().any(is_looking).then_some(()).ok_or(clients)
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn elements_are_shown_when_they_are_moved_with_how_late_that_was() {
    let server = Server::start();
    let url = server.url();
    let mover = Client::connect(&*url).await.unwrap();
    let orders = mover
        .delayed_queue::<String, _>("orders", StringCodec)
        .unwrap();
    until("the queue is known by its listener", || {
        let channel = "redisson_delay_queue_channel:{orders}";
        let (_, count): (String, u64) = server.run(&["PUBSUB", "NUMSUB", channel]);
        (count > 0).then_some(()).ok_or("nobody".to_owned())
    });
    let tail = ["tail", "orders", "-n", "2", "--withdrawn", "--json"];
    let mut tail = Program::start(command(&url, &tail).stdout(Stdio::piped()));
    wait_for_looks(&server);

    let withdrawn = "withdrawn".to_owned();
    let ticket = orders.offer(&withdrawn, SOON / 3).await.unwrap();
    let ticket_text = ticket.to_string();
    orders.offer(&"moved".to_owned(), SOON).await.unwrap();
    // Later than the second is not looked at yet.
    until("the element was seen", || {
        let stats: String = server.run(&["INFO", "commandstats"]);
        let seen = stats.contains("cmdstat_zrangebyscore");
        seen.then_some(()).ok_or(stats)
    });
    let seen_after = Instant::now() + Duration::from_millis(250);
    until("two looks have passed", || {
        (Instant::now() >= seen_after)
            .then_some(())
            .ok_or_else(String::new)
    });
    orders.cancel(&ticket).await.unwrap();

    let out = BufReader::new(tail.stdout.take().unwrap());
    let rows: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect();
    assert_eq!(tail.wait().unwrap().code(), Some(0));
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!(rows[0]["value"], "withdrawn");
    assert_eq!(rows[0]["withdrawn"], true);
    assert_eq!(rows[0]["ticket"], ticket_text.as_str());
    assert_eq!(rows[0].get("late_ms"), None);
    assert_eq!(rows[1]["value"], "moved");
    assert_eq!(rows[1]["withdrawn"], false);
    let late = |field: &str| rows[1][field].as_f64().unwrap();
    assert!(late("late_at_least_ms") <= late("late_ms"), "{rows:?}");
    assert_eq!(rows[1]["queue"], "orders");
    // It took none.
    assert_eq!(orders.take().await.unwrap(), "moved");
    mover.shutdown().await.unwrap();
}

/// An element that nobody moves is due, and is not shown until somebody does.
#[tokio::test(flavor = "multi_thread")]
async fn a_stalled_element_is_late_by_the_time_that_it_stood_there() {
    let server = Server::start();
    let url = server.url();
    let stalled = queue(&url, "orders").await;
    stalled
        .offer(&"late".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    let stood = Duration::from_millis(300);
    let tail = ["tail", "orders", "-n", "1", "--json"];
    let tail = Program::start(command(&url, &tail).stdout(Stdio::piped()));
    wait_for_looks(&server);
    let begin = Instant::now();
    until("it stood there for a while", || {
        (begin.elapsed() >= stood)
            .then_some(())
            .ok_or_else(String::new)
    });
    let mover = Client::connect(&*url).await.unwrap();
    let orders = mover
        .delayed_queue::<String, _>("orders", StringCodec)
        .unwrap();
    let output = tail.output();
    let row: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(row["late_ms"].as_f64().unwrap() >= 300.0, "{row}");
    assert_eq!(orders.take().await.unwrap(), "late");
    mover.shutdown().await.unwrap();
}

#[tokio::test]
async fn it_ends_after_its_time_and_shows_nothing_that_stays() {
    let server = Server::start();
    let url = server.url();
    let orders = queue(&url, "orders").await;
    let hour = Duration::from_secs(3_600);
    orders
        .offer_with(&"later".to_owned(), Offer::after(hour))
        .await
        .unwrap();
    orders
        .offer(&"overdue".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    let shown = done(&url, &["tail", "orders", "--for", "300ms"]);
    assert_eq!(shown, "");
}
