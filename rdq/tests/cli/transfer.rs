//! `rdq transfer`

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::process::{ChildStdout, Stdio};
use std::time::Duration;

use serde_json::Value;
use testbed::{Cluster, Directory, Program, Sentinels, Server, signal, until};

use crate::rdq::{command, queue, run};

/// A run of `rdq transfer`.
struct Mover {
    child: Program,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Mover {
    fn start(url: &str, args: &[&str]) -> Self {
        let args = [&["transfer", "--json"], args].concat();
        let mut command = command(url, &args);
        let mut child = Program::start(command.stdout(Stdio::piped()));
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    fn next_line(&mut self) -> Option<Value> {
        let line = self.lines.next()?.unwrap();
        Some(serde_json::from_str(&line).unwrap())
    }

    /// The next line about such an event. Waits for it, and passes over others.
    fn line_of(&mut self, event: &str) -> Value {
        loop {
            let line = self.next_line().expect("it goes on");
            if line["event"] == event {
                return line;
            }
        }
    }

    /// Waits for lines about these events, each with the name of its queue if it has one, in any order.
    fn lines_of(&mut self, events: &[&str]) {
        let mut missing = events.to_vec();
        while !missing.is_empty() {
            let line = self.next_line().expect("it goes on");
            let words = [line["event"].as_str(), line["queue"].as_str()];
            let words: Vec<_> = words.into_iter().flatten().collect();
            let text = words.join(" ");
            missing.retain(|it| *it != text);
        }
    }

    /// Where it tells its health.
    fn address(&mut self) -> String {
        let line = self.line_of("health");
        let text = line["text"].as_str().unwrap();
        text.rsplit(' ').next().unwrap().to_owned()
    }

    /// Ends it in order, and returns what it printed.
    fn end(mut self) -> Vec<Value> {
        assert!(signal("TERM", self.child.id().into()));
        let lines = std::iter::from_fn(|| self.next_line()).collect();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        lines
    }
}

fn wait_for_target(server: &Server, name: &str, expected: &[&str]) {
    until("the elements are moved", || {
        let target: Vec<String> = server.run(&["LRANGE", name, "0", "-1"]);
        (target == expected)
            .then_some(())
            .ok_or_else(|| format!("{target:?}"))
    });
}

async fn offer(url: &str, name: &str, value: &str, delay_ms: u64) {
    let queue = queue(url, name).await;
    let delay = Duration::from_millis(delay_ms);
    queue.offer(&value.to_owned(), delay).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn named_queues_are_moved_and_no_others() {
    let server = Server::start();
    let url = server.url();
    offer(&url, "orders", "overdue", 0).await;
    offer(&url, "other", "overdue", 0).await;
    let mut mover = Mover::start(&url, &["orders", "mails"]);
    // It moves before it hears messages.
    mover.lines_of(&["queue orders", "queue mails", "connected"]);
    wait_for_target(&server, "orders", &["overdue"]);
    offer(&url, "mails", "soon", 200).await;
    wait_for_target(&server, "mails", &["soon"]);
    assert_eq!(server.run::<u64>(&["LLEN", "other"]), 0);
    let lines = mover.end();
    let last = lines.last().unwrap();
    assert_eq!(
        (&last["event"], &last["moved"]),
        (&"ends".into(), &2.into())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn all_queues_of_a_cluster_are_moved_also_those_that_come_later() {
    let cluster = Cluster::without_replicas();
    let url = cluster.url();
    let names: Vec<_> = (0..6).map(|i| format!("orders-{i}")).collect();
    for name in &names[..3] {
        offer(&url, name, "first", 0).await;
    }
    let mover = Mover::start(&url, &["--all", "--no-braces", "--every", "100ms"]);
    for name in &names[..3] {
        wait_for_target(&cluster.master_of(name), name, &["first"]);
    }
    for name in &names[3..] {
        offer(&url, name, "later", 0).await;
        wait_for_target(&cluster.master_of(name), name, &["later"]);
    }
    mover.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn it_goes_on_at_the_new_master_after_a_failover() {
    let sentinels = Sentinels::start();
    let url = sentinels.url();
    offer(&url, "orders", "before", 0).await;
    let mover = Mover::start(&url, &["orders"]);
    wait_for_target(&sentinels.master(), "orders", &["before"]);
    // A failover may lose what no replica has heard of.
    for replica in sentinels.replicas() {
        wait_for_target(&replica, "orders", &["before"]);
    }
    let master = sentinels.failover();
    offer(&url, "orders", "after", 0).await;
    wait_for_target(&master, "orders", &["before", "after"]);
    mover.end();
}

fn status(address: &str) -> Result<String, String> {
    let answer = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    answer().map_err(|error| error.to_string())
}

#[test]
fn its_health_is_told_by_http() {
    let server = Server::start();
    let args = ["orders", "--health", "127.0.0.1:0"];
    let mut mover = Mover::start(&server.url(), &args);
    let address = mover.address();
    let expect = |status_line: &str| {
        until(status_line, || {
            let answer = status(&address)?;
            let begins = answer.starts_with(&format!("HTTP/1.1 {status_line}\r\n"));
            begins.then_some(()).ok_or(answer)
        });
    };
    expect("200 OK");
    server.kill();
    expect("503 Service Unavailable");
    server.restart();
    expect("200 OK");
    mover.end();
}

#[test]
fn a_host_name_is_no_place_for_its_health() {
    let server = Server::start();
    let args = ["transfer", "orders", "--health", "localhost:8080"];
    let refused = run(&server.url(), &args);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("127.0.0.1:8080"), "{refused:?}");
}

#[test]
fn its_health_is_a_file_that_goes_with_it() {
    let server = Server::start();
    let files = Directory::new();
    let file = files.path().join("healthy");
    let place = files.file("healthy");
    let mover = Mover::start(&server.url(), &["orders", "--health", &place]);
    let wait = |is_there: bool| {
        until("the file says so", || match file.exists() == is_there {
            true => Ok(()),
            false => Err(format!("there: {}", file.exists())),
        });
    };
    wait(true);
    let _: () = server.run(&["SET", "redisson_delay_queue_timeout:{orders}", "no set"]);
    wait(false);
    let _: () = server.run(&["DEL", "redisson_delay_queue_timeout:{orders}"]);
    wait(true);
    mover.end();
    assert!(!file.exists());
}

/// As a Java service does that calls its queue so.
async fn offer_braced(server: &Server, url: &str, due: &[&str]) {
    offer(url, "{orders}", "overdue", 0).await;
    let _: () = server.run(&[&["RPUSH", "{orders}"], due].concat());
}

/// `{orders}` and `orders` have the same keys: whoever guesses puts elements where nobody looks.
#[tokio::test(flavor = "multi_thread")]
async fn a_queue_with_braces_around_its_name_is_moved_to_the_list_that_is_there() {
    let server = Server::start();
    let url = server.url();
    offer_braced(&server, &url, &["due"]).await;
    let mut mover = Mover::start(&url, &["--all", "--every", "100ms"]);
    assert_eq!(mover.line_of("queue")["queue"], "{orders}");
    wait_for_target(&server, "{orders}", &["due", "overdue"]);
    mover.end();
    assert!(!server.run::<bool>(&["EXISTS", "orders"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_keys_cannot_tell_is_not_moved_until_a_list_tells_it() {
    let server = Server::start();
    let url = server.url();
    offer(&url, "{orders}", "overdue", 0).await;
    let mut mover = Mover::start(&url, &["--all", "--every", "100ms"]);
    let skipped = mover.line_of("skipped");
    assert_eq!(skipped["queue"], "orders");
    let text = skipped["text"].as_str().unwrap();
    assert!(text.contains("{orders}"), "{text}");
    assert!(text.contains("--no-braces"), "{text}");
    let pending: u64 = server.run(&["ZCARD", "redisson_delay_queue_timeout:{orders}"]);
    assert_eq!(pending, 1);
    let _: () = server.run(&["RPUSH", "{orders}", "due"]);
    wait_for_target(&server, "{orders}", &["due", "overdue"]);
    mover.end();
    assert!(!server.run::<bool>(&["EXISTS", "orders"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_moved_while_both_lists_are_there() {
    let server = Server::start();
    let url = server.url();
    offer_braced(&server, &url, &["due"]).await;
    let _: () = server.run(&["RPUSH", "orders", "due"]);
    let args = ["--all", "--no-braces", "--every", "100ms"];
    let mut mover = Mover::start(&url, &args);
    let skipped = mover.line_of("skipped");
    assert!(skipped["text"].as_str().unwrap().contains("both lists"));
    let lines = mover.end();
    assert_eq!(lines.last().unwrap()["moved"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_whose_twin_alone_has_a_list_is_moved_only_if_somebody_confirms() {
    let server = Server::start();
    let url = server.url();
    offer_braced(&server, &url, &["due"]).await;
    let refused = run(&url, &["transfer", "orders"]);
    assert_eq!(refused.code, 4, "{refused:?}");
    let expected = "only the list {orders} is there";
    assert!(refused.stderr.contains(expected), "{refused:?}");
    let both = run(&url, &["transfer", "{orders}", "orders", "--yes"]);
    assert_eq!(both.code, 2, "{both:?}");
    assert!(both.stderr.contains("same keys"), "{both:?}");
    assert!(!server.run::<bool>(&["EXISTS", "orders"]));
    let mover = Mover::start(&url, &["orders", "--yes"]);
    wait_for_target(&server, "orders", &["overdue"]);
    mover.end();
}

/// Other programs read a log line by line, and a terminal obeys some characters.
#[test]
fn an_event_is_one_line_whatever_a_queue_is_called() {
    let server = Server::start();
    let name = "orders\u{1b}[31m\nforged";
    let mut mover = command(&server.url(), &["transfer", name]);
    let mut mover = Program::start(mover.stdout(Stdio::piped()));
    let lines = BufReader::new(mover.stdout.take().unwrap()).lines();
    let mut lines = lines.map(Result::unwrap);
    let line = lines.find(|it| it.contains("orders")).unwrap();
    let said = " queue: orders [31m forged: moves its elements";
    assert!(line.ends_with(said), "{line:?}");
    assert!(signal("TERM", mover.id().into()));
    assert_eq!(mover.wait().unwrap().code(), Some(0));
}
