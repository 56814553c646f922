//! `rdq watch` and `rdq top`, in a terminal.

use std::time::Duration;

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::{Client, DelayedQueue};
use testbed::{Program, Server, until};

use crate::rdq::{command, run};
use crate::terminal::Terminal;

const HOUR: Duration = Duration::from_secs(3_600);

async fn queue(server: &Server, name: &str, transfer: bool) -> DelayedQueue<String> {
    let client = Client::builder().transfer(transfer).client_name("tester");
    let client = client.connect(server.url()).await.unwrap();
    client.delayed_queue(name, StringCodec).unwrap()
}

async fn offer(queue: &DelayedQueue<String>, value: &str, delay: Duration) {
    queue.offer(&value.to_owned(), delay).await.unwrap();
}

/// Waits until the program listens to what Rust clients say about this queue.
fn wait_until_it_listens(server: &Server, name: &str) {
    let channel = QueueKeys::new(name).unwrap().moved(0);
    until("it listens", || {
        let (_, count): (String, u64) = server.run(&["PUBSUB", "NUMSUB", &channel]);
        (count == 1).then_some(()).ok_or(count.to_string())
    });
}

/// What a person sees: numbers follow the queue, the values are there, and so is who moves them.
#[tokio::test(flavor = "multi_thread")]
async fn a_queue_is_shown_live() {
    let server = Server::start();
    let orders = queue(&server, "orders", false).await;
    offer(&orders, "far", HOUR).await;
    offer(&orders, "first", Duration::ZERO).await;
    offer(&orders, "second", Duration::ZERO).await;
    let watch = ["watch", "orders", "--every", "200ms"];
    let mut terminal = Terminal::run(&server.url(), &watch, 110, 24);
    terminal.shows(&["live, every 200ms", "stalled: elements are due"]);
    terminal.shows(&["pending 3", "overdue 2", "10m - 1h 1", "far"]);

    // Somebody moves them, and nobody takes them.
    wait_until_it_listens(&server, "orders");
    let mover = queue(&server, "orders", true).await;
    terminal.shows(&["pending 1", "ready 2"]);
    terminal.shows(&["moved last", "2 moved", "Rust clients 1"]);
    terminal.lacks("stalled");
    mover.try_take().await.unwrap().unwrap();
    terminal.shows(&["ready 1"]);
    offer(&mover, "sooner", HOUR / 2).await;
    terminal.shows(&["pending 2", "10m - 1h 2", "sooner"]);

    terminal.press("\t\t");
    terminal.shows(&["tester (Rust) x1"]);
    terminal.press("q");
    assert_eq!(terminal.ends(), 0);
    terminal.assert_is_restored();
}

/// A number that is cut is a wrong one, also on a small screen.
#[tokio::test(flavor = "multi_thread")]
async fn numbers_have_all_their_digits_at_any_width() {
    let server = Server::start();
    let orders = queue(&server, "orders", false).await;
    for i in 0..1_094 {
        let delay = if i < 94 { HOUR / 2 } else { HOUR * 12 };
        offer(&orders, &i.to_string(), delay).await;
    }
    for columns in [40, 44, 80] {
        let mut terminal = Terminal::run(&server.url(), &["watch", "orders"], columns, 12);
        terminal.shows(&["pending 1,094", "10m - 1h 94", "1h - 1d 1,000"]);
        terminal.press("q");
        assert_eq!(terminal.ends(), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_queues_are_shown_filtered_and_opened() {
    let server = Server::start();
    for name in ["mail", "orders", "refunds"] {
        let queue = queue(&server, name, false).await;
        offer(&queue, name, HOUR).await;
    }
    let late = queue(&server, "orders", false).await;
    offer(&late, "late", Duration::ZERO).await;
    let mut terminal = Terminal::run(&server.url(), &["top", "--every", "200ms"], 100, 16);
    terminal.shows(&["3 queues", "▸orders", "stalled, nobody listens", "refunds"]);
    terminal.press("/MAI");
    terminal.shows(&["/MAI", "1 of 3", "▸mail"]);
    terminal.lacks("orders");
    terminal.press("\r\r");
    terminal.shows(&["pending 1", "in 59m"]);
    terminal.press("\x1b");
    terminal.shows(&["1 of 3", "▸mail"]);
    terminal.press("\x1b");
    terminal.shows(&["▸mail", "orders"]);
    terminal.press("\x1b");
    assert_eq!(terminal.ends(), 0);
    terminal.assert_is_restored();
}

/// An operator leaves it open over night.
#[tokio::test(flavor = "multi_thread")]
async fn it_goes_on_when_redis_is_back() {
    let server = Server::start();
    let orders = queue(&server, "orders", false).await;
    offer(&orders, "far", HOUR).await;
    let watch = ["watch", "orders", "--every", "100ms"];
    let mut terminal = Terminal::run(&server.url(), &watch, 80, 24);
    terminal.shows(&["pending 1"]);
    server.kill();
    terminal.shows(&["not live", "connection lost, since", "pending 1"]);
    // The time goes on.
    terminal.lacks("since 0s");
    server.restart();
    terminal.shows(&["pending 0", "live, every 100ms"]);
    terminal.lacks("connection lost");
    terminal.press("q");
    assert_eq!(terminal.ends(), 0);
}

/// Has the program end.
type End = fn(&mut Terminal);

/// A shell that gets no echo any more is what people remember.
#[tokio::test(flavor = "multi_thread")]
async fn the_terminal_is_given_back_however_it_ends() {
    let server = Server::start();
    server.run::<()>(&["RPUSH", "orders", "ready"]);
    let endings: [(&str, End, i32); 4] = [
        ("q", |it| it.press("q"), 0),
        ("Ctrl-C", |it| it.press("\x03"), 0),
        ("SIGTERM", |it| it.signal("TERM"), 130),
        ("SIGINT", |it| it.signal("INT"), 130),
    ];
    for (how, end, code) in endings {
        for verb in [&["watch", "orders"][..], &["top"]] {
            let mut terminal = Terminal::run(&server.url(), verb, 60, 15);
            terminal.shows(&["live, every"]);
            terminal.assert_is_taken();
            end(&mut terminal);
            assert_eq!(terminal.ends(), code, "{how}");
            terminal.assert_is_restored();
        }
    }
}

/// Also at Redis: a forgotten dashboard should cost nothing.
#[tokio::test(flavor = "multi_thread")]
async fn pausing_stops_reading() {
    let server = Server::start();
    let orders = queue(&server, "orders", false).await;
    server.run::<()>(&["RPUSH", "orders", "ready"]);
    let watch = ["watch", "orders", "--every", "100ms"];
    let mut terminal = Terminal::run(&server.url(), &watch, 80, 24);
    terminal.shows(&["pending 0"]);
    terminal.press("p");
    terminal.shows(&["display paused"]);
    until("no command comes for a second", || {
        let clients: String = server.run(&["CLIENT", "LIST"]);
        let calls = clients.lines().find(|it| it.contains("name=rdq-cli:calls"));
        let is_idle = calls.is_some_and(|it| !it.contains(" idle=0 "));
        is_idle.then_some(()).ok_or(clients)
    });
    offer(&orders, "far", HOUR).await;
    terminal.press("p");
    terminal.shows(&["pending 1"]);
    terminal.press("q");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn without_a_terminal_it_says_so() {
    let server = Server::start();
    server.run::<()>(&["RPUSH", "orders", "ready"]);
    let refused = run(&server.url(), &["watch", "orders"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("--json"), "{refused:?}");
    let refused = run(&server.url(), &["top", "--every", "1ms"]);
    assert_eq!(refused.code, 2);
}

/// One key that another program uses hides neither the other queues nor what is wrong.
#[tokio::test(flavor = "multi_thread")]
async fn a_queue_that_cannot_be_counted_says_why_and_the_others_are_shown() {
    let server = Server::start();
    for name in ["broken", "orders"] {
        offer(&queue(&server, name, false).await, "far", HOUR).await;
    }
    server.run::<()>(&["SET", "broken", "a text"]);
    let mut terminal = Terminal::run(&server.url(), &["top", "--every", "200ms"], 160, 16);
    terminal.shows(&["2 queues", "live, every", "▸orders 1", "broken redis at"]);
    terminal.press("q");
    assert_eq!(terminal.ends(), 0);
    let mut terminal = Terminal::run(&server.url(), &["watch", "broken"], 160, 16);
    terminal.shows(&["not live", "nothing to show, since", "holds a string"]);
    terminal.press("q");
    assert_eq!(terminal.ends(), 0);
}

/// Scripts get a line each time, with rates from the second on.
#[tokio::test(flavor = "multi_thread")]
async fn lines_of_json_come_with_rates() {
    use std::io::{BufRead, BufReader};
    let server = Server::start();
    let orders = queue(&server, "orders", false).await;
    offer(&orders, "far", HOUR).await;
    for verb in [&["watch", "orders"][..], &["top"]] {
        let args = [verb, &["--json", "--every", "100ms"]].concat();
        let mut command = command(&server.url(), &args);
        command.stdout(std::process::Stdio::piped());
        let mut rdq = Program::start(&mut command);
        let mut lines = BufReader::new(rdq.stdout.take().unwrap()).lines();
        let mut next = || -> serde_json::Value {
            serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap()
        };
        let (first, second) = (next(), next());
        assert_eq!(
            (&first["queue"], &first["pending"]),
            (&"orders".into(), &1.into())
        );
        assert_eq!(first.get("moved_per_s"), None);
        assert_eq!(second["moved_per_s"], 0.0, "{second}");
        assert_eq!(second["late_ms"], 0);
    }
}
