//! `rdq queues` and `rdq stats`

use std::time::Duration;

use redis::cmd;
use testbed::{Cluster, Server, Settings, until};

use crate::broken::{Broken, new};
use crate::rdq::{json, queue, run};
use crate::terminal::Terminal;

const HOUR: Duration = Duration::from_secs(3_600);

#[tokio::test]
async fn queues_are_found_on_all_masters_with_what_is_in_them() {
    let cluster = Cluster::without_replicas();
    let url = cluster.url();
    let names: Vec<_> = (0..9).map(|i| format!("orders-{i}")).collect();
    for name in &names {
        let queue = queue(&url, name).await;
        queue.offer(&"a".to_owned(), HOUR).await.unwrap();
    }
    let rows = json(&url, &["queues"]);
    let found: Vec<_> = rows
        .iter()
        .map(|row| row["queue"].as_str().unwrap())
        .collect();
    assert_eq!(found, names);
    assert!(rows.iter().all(|row| row["pending"] == 1), "{rows:?}");

    let node = cluster.masters().pop().unwrap();
    let part = run(&node.url(), &["queues"]);
    assert_eq!(part.code, 0, "{part:?}");
    assert!(part.stderr.contains("one of 3 masters"), "{part:?}");
    assert!(!run(&url, &["queues"]).stderr.contains("masters"));
}

/// They have all keys in common but the target queues.
#[tokio::test]
async fn a_queue_with_braces_around_its_name_is_listed_by_the_list_that_is_there() {
    let server = Server::start();
    let url = server.url();
    let braced = queue(&url, "{orders}").await;
    braced.offer(&"a".to_owned(), HOUR).await.unwrap();
    let names = || -> Vec<String> {
        let rows = json(&url, &["queues"]);
        let name = |row: &serde_json::Value| row["queue"].as_str().unwrap().to_owned();
        rows.iter().map(name).collect()
    };
    assert_eq!(names(), ["orders"]);
    let _: () = server.run(&["RPUSH", "{orders}", "due"]);
    assert_eq!(names(), ["{orders}"]);
    let _: () = server.run(&["RPUSH", "orders", "due"]);
    assert_eq!(names(), ["orders", "{orders}"]);
}

#[tokio::test]
async fn a_stalled_queue_is_called_so() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    orders
        .offer(&"late".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    orders.offer(&"soon".to_owned(), HOUR).await.unwrap();
    let [stats] = json(&server.url(), &["stats", "orders"])
        .try_into()
        .unwrap();
    assert_eq!(stats["pending"], 2);
    assert_eq!(stats["overdue"], 1);
    // Due within 1 s, 10 s, 1 min, 10 min, 1 h, 1 day, and later.
    let ahead = stats["due_ahead"].as_array().unwrap();
    assert_eq!(ahead.iter().map(|it| it.as_u64().unwrap()).sum::<u64>(), 1);
    let listed = run(&server.url(), &["queues"]);
    assert!(
        listed.stdout.contains("stalled: nobody listens"),
        "{listed:?}"
    );
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let gone = run("redis://127.0.0.1:1", &["queues"]);
    assert_eq!(gone.code, 1);
    assert!(gone.stderr.contains("127.0.0.1:1"), "{gone:?}");
}

#[test]
fn the_keys_of_a_queue_are_shown_with_what_they_take() {
    let server = Server::start();
    let url = server.url();
    server.run::<()>(&["RPUSH", "orders", "a", "b"]);
    server.run::<()>(&["HSET", "rdq1_state:{orders}", "paused", "1"]);
    server.run::<()>(&["SET", "rdq1_clock:{orders}", "1 0"]);
    server.run::<()>(&["EXPIRE", "orders", "1000"]);
    let rows = json(&url, &["keys", "orders"]);
    let row = |row: &serde_json::Value| {
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        assert!(row["memory"].as_u64().unwrap() > 0, "{row}");
        (
            text("key"),
            text("type"),
            row["length"].as_u64(),
            row["ttl_ms"].is_u64(),
        )
    };
    let expected = [
        ("orders", "list", 2, true),
        ("rdq1_state:{orders}", "hash", 1, false),
        ("rdq1_clock:{orders}", "string", 3, false),
    ];
    let expected = expected.map(|(key, held, length, vanishes)| {
        (key.to_owned(), held.to_owned(), Some(length), vanishes)
    });
    assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), expected);
}

/// Nobody takes from the list of dead letters, and that is no defect of a queue.
#[test]
fn dead_letters_are_those_of_their_queue_and_no_queue() {
    let server = Server::start();
    let url = server.url();
    server.run::<()>(&["RPUSH", "{orders}-dead", "letter"]);
    server.run::<()>(&["RPUSH", "rdq1_dead_notes:{orders}-dead", "note"]);
    let rows = json(&url, &["queues"]);
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(
        (&rows[0]["queue"], &rows[0]["dead"]),
        (&"orders".into(), &1.into())
    );
    let examined = run(&url, &["doctor", "--json"]);
    assert!(
        examined.stdout.contains("\"check\":\"dead\""),
        "{examined:?}"
    );
    assert!(!examined.stdout.contains("consumers"), "{examined:?}");
}

/// Channels know no databases.
#[test]
fn a_queue_is_not_listed_in_an_empty_database_because_somebody_listens_in_another_one() {
    let server = Server::with(&Settings::new().set("appendonly", "yes"));
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.offer(&new(1, b"later"), &later);
    let mut listener = server.connection();
    let subscribe = cmd("SUBSCRIBE").arg(orders.keys.channel()).clone();
    let subscribe = subscribe.get_packed_command();
    listener.send_packed_command(&subscribe).unwrap();
    until("it listens", || {
        let channels: Vec<String> = server.run(&["PUBSUB", "CHANNELS"]);
        (!channels.is_empty())
            .then_some(())
            .ok_or("nobody".to_owned())
    });
    let other = format!("{}/7", server.url());
    let names = |url: &str| json(url, &["queues"]).len();
    assert_eq!((names(&server.url()), names(&other)), (1, 0));
    let examined = run(&other, &["doctor", "--json"]);
    assert_eq!((examined.code, &*examined.stdout), (0, ""), "{examined:?}");
    // Named, it is looked at, and it is nobody's twin.
    let examined = run(&other, &["doctor", "orders", "--json"]);
    assert!(!examined.stdout.contains("databases"), "{examined:?}");

    orders.run::<()>("SELECT", 7);
    orders.offer(&new(2, b"later"), &later);
    let examined = run(&other, &["doctor", "--json"]);
    assert!(examined.stdout.contains("databases"), "{examined:?}");

    // A queue without keys is that of its listener, wherever that is.
    orders.run::<()>("FLUSHALL", "SYNC");
    assert_eq!((names(&server.url()), names(&other)), (1, 1));
}

/// Some terminals do not tell their width, for example those of `docker exec`.
#[test]
fn a_terminal_that_does_not_know_its_width_has_80_columns() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.offer(&new(1, "long ".repeat(40).as_bytes()), &later);
    let mut terminal = Terminal::run(&server.url(), &["queues"], 0, 24);
    terminal.shows(&["QUEUE PENDING OVERDUE READY", "orders 1 0 0"]);
    assert_eq!(terminal.ends(), 0);
    let mut terminal = Terminal::run(&server.url(), &["ls", "orders"], 0, 24);
    terminal.shows(&["SIZE VALUE", "…"]);
    assert_eq!(terminal.ends(), 0);
}

/// A part of a name or of a number is another one, and a part of a command is none.
#[test]
fn a_terminal_of_80_columns_breaks_only_notes() {
    let server = Server::start();
    for name in ["orders-copy", "orders"] {
        Broken::at(&server, name).offer(&new(1, b"late"), "1000");
    }
    let mut terminal = Terminal::run(&server.url(), &["queues"], 80, 24);
    terminal.shows(&["READY IN FLIGHT DEAD", "orders-copy 1 1 0 0 0 0"]);
    terminal.shows(&["stalled: nobody listens"]);
    assert_eq!(terminal.ends(), 0);
    let mut terminal = Terminal::run(&server.url(), &["doctor", "--brief"], 60, 24);
    terminal.shows(&["CRITICAL 2 queues [stall] orders, orders-copy"]);
    assert_eq!(terminal.ends(), 6);
    let mut terminal = Terminal::run(&server.url(), &["doctor", "orders-copy"], 40, 60);
    terminal.shows(&["rdq transfer orders-copy"]);
    assert_eq!(terminal.ends(), 6);
}

#[test]
fn a_queue_that_has_lost_due_times_or_leases_is_not_listed_without_a_note() {
    let server = Server::start();
    let mut lost = Broken::at(&server, "lost");
    lost.list(&new(1, b"orphan"));
    let mut claimed = Broken::at(&server, "claimed");
    claimed.lease(1, &["a"], 1_000);
    let leases = claimed.keys.leases().to_owned();
    claimed.run::<()>("DEL", leases);
    let listed = run(&server.url(), &["queues"]);
    let lines: Vec<_> = listed.stdout.lines().skip(1).collect();
    let notes = [
        "claimed elements without leases: see rdq doctor",
        "more entries than elements: see rdq doctor",
    ];
    for (line, note) in lines.iter().zip(notes) {
        assert!(line.ends_with(note), "{listed:?}");
    }
    assert_eq!(lines.len(), 2, "{listed:?}");
}

/// A pause mends nothing, so the other notes stay.
#[test]
fn a_note_says_everything_that_is_odd_at_first_sight_also_of_a_paused_queue() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.offer(&new(1, b"late"), "1700000000000");
    orders.list(&new(2, b"orphan"));
    orders.lease(1, &["a"], 1_000);
    let quarantine = orders.keys.quarantine().to_owned();
    orders.run::<()>("ZADD", (quarantine, 1, "bad"));
    let noted = || {
        let listed = run(&server.url(), &["queues"]).stdout;
        listed.lines().nth(1).unwrap().to_owned()
    };
    let odd = "stalled: nobody listens; 1 lease ran out, more entries than elements, 1 in quarantine: see \
               rdq doctor";
    assert!(noted().ends_with(&format!("ago  {odd}")), "{}", noted());
    orders.run::<()>("HSET", (orders.keys.state().to_owned(), "paused", 1));
    assert!(noted().ends_with(&format!("paused; {odd}")), "{}", noted());
    let row = json(&server.url(), &["queues"]).remove(0);
    assert_eq!(
        (&row["expired"], &row["quarantined"]),
        (&1.into(), &1.into())
    );
}
