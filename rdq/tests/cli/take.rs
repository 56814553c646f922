//! `rdq take`

use std::fs::OpenOptions;
use std::process::{Command, Stdio};
use std::time::Duration;

use testbed::{Program, Server, signal, until};

use crate::rdq::{Run, command, done, json, queue, run};

/// The target queue, and what clients have claimed from it.
fn target(server: &Server) -> (Vec<String>, usize) {
    let list = server.run(&["LRANGE", "orders", "0", "-1"]);
    (list, server.run(&["ZCARD", "rdq1_leases:{orders}"]))
}

async fn ready(server: &Server, values: &[&str]) {
    let orders = queue(&server.url(), "orders").await;
    let values: Vec<_> = values.iter().map(|it| (*it).to_owned()).collect();
    orders.destination().add_all(&values).await.unwrap();
}

#[tokio::test]
async fn take_prints_what_is_due_and_leaves_the_rest() {
    let server = Server::start();
    ready(&server, &["va", "vb", "vc", "vd"]).await;
    let url = server.url();
    assert_eq!(done(&url, &["take", "orders"]), "\"va\"\n");
    let rows = json(&url, &["take", "orders", "-n", "2"]);
    assert_eq!(
        (&rows[0]["value"], &rows[1]["value"]),
        (&"vb".into(), &"vc".into())
    );
    assert_eq!(target(&server), (vec!["vd".to_owned()], 0));
}

#[tokio::test]
async fn nothing_due_is_an_exit_code_of_its_own() {
    let server = Server::start();
    let url = server.url();
    let nothing = run(&url, &["take", "orders"]);
    assert_eq!((nothing.code, &*nothing.stdout), (3, ""));

    // A stalled queue: the element is due, and nobody moves it.
    let orders = queue(&url, "orders").await;
    orders
        .offer(&"late".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    let nothing = run(&url, &["take", "orders"]);
    assert_eq!(nothing.code, 3);
    assert!(nothing.stderr.contains("--transfer"), "{nothing:?}");
    assert_eq!(
        done(&url, &["take", "orders", "--transfer", "--wait", "30s"]),
        "\"late\"\n"
    );

    // A replica goes on with what the master has sent.
    let port = server.port().to_string();
    let replica = Server::start();
    replica.run::<()>(&["REPLICAOF", "127.0.0.1", &port]);
    until("the replica has it", || {
        match replica.info("replication", "master_link_status") {
            Ok(Some(up)) if up == "up" => Ok(()),
            other => Err(format!("{other:?}")),
        }
    });
    let refused = run(
        &replica.url(),
        &["take", "orders", "--transfer", "--wait", "1s"],
    );
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("READONLY"), "{refused:?}");

    orders.pause().await.unwrap();
    ready(&server, &["held"]).await;
    let held = run(&url, &["take", "orders"]);
    assert_eq!(held.code, 3);
    assert!(held.stderr.contains("paused"), "{held:?}");
    assert_eq!(target(&server), (vec!["held".to_owned()], 0));
}

#[tokio::test]
async fn take_waits_for_what_is_not_there_yet() {
    let server = Server::start();
    let mut rdq = command(&server.url(), &["take", "orders", "--wait", "60s"]);
    let rdq = Program::start(rdq.stdout(Stdio::piped()));
    wait_for_taker(&server);
    ready(&server, &["order"]).await;
    let output = rdq.output();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "\"order\"\n");
}

/// The reader is gone before the first line.
#[tokio::test]
async fn what_cannot_be_printed_goes_back_to_the_head() {
    let server = Server::start();
    ready(&server, &["va", "vb", "vc", "vd"]).await;
    let mut rdq = command(&server.url(), &["take", "orders", "-n", "3"]);
    let mut rdq = Program::start(rdq.stdout(Stdio::piped()).stderr(Stdio::piped()));
    drop(rdq.stdout.take());
    let output = rdq.output();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("3 elements were not printed"), "{stderr}");
    let all = ["va", "vb", "vc", "vd"].map(str::to_owned).to_vec();
    assert_eq!(target(&server), (all, 0));
}

/// Rust's runtime opens `/dev/null` in the place of a stdout that is closed.
#[tokio::test]
async fn nothing_is_taken_into_nowhere_unless_somebody_insists() {
    let server = Server::start();
    ready(&server, &["va", "vb"]).await;
    let taken = |redirection: &str| {
        let program = env!("CARGO_BIN_EXE_rdq");
        let line = format!(
            "{program} --server {} take orders {redirection}",
            server.url()
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]);
        Run::of(Program::run(&mut shell))
    };
    for nowhere in [">&-", ">/dev/null"] {
        let refused = taken(nowhere);
        assert_eq!(refused.code, 4, "{nowhere}: {refused:?}");
        assert!(refused.stderr.contains("/dev/null"), "{refused:?}");
    }
    let both = ["va", "vb"].map(str::to_owned).to_vec();
    assert_eq!(target(&server), (both, 0));
    assert_eq!(taken("--yes >/dev/null").code, 0);
    assert_eq!(target(&server), (vec!["vb".to_owned()], 0));
}

#[tokio::test]
async fn what_does_not_fit_on_the_disk_goes_back_to_the_head() {
    let server = Server::start();
    ready(&server, &["va", "vb", "vc"]).await;
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut rdq = command(&server.url(), &["take", "orders", "-n", "2"]);
    let failed = Run::of(Program::start(rdq.stdout(full).stderr(Stdio::piped())).output());
    assert_eq!(failed.code, 1, "{failed:?}");
    let all = ["va", "vb", "vc"].map(str::to_owned).to_vec();
    assert_eq!(target(&server), (all, 0));
}

#[tokio::test]
async fn ctrl_c_ends_the_wait_and_leaves_nothing_claimed() {
    let server = Server::start();
    let mut rdq = command(
        &server.url(),
        &["take", "orders", "-n", "9", "--wait", "1h"],
    );
    let mut rdq = Program::start(rdq.stdout(Stdio::piped()));
    wait_for_taker(&server);
    assert!(signal("INT", i64::from(rdq.id())));
    assert_eq!(rdq.wait().unwrap().code(), Some(130));
    ready(&server, &["order"]).await;
    assert_eq!(target(&server), (vec!["order".to_owned()], 0));
}

/// Waits until the program listens for elements.
fn wait_for_taker(server: &Server) {
    until("rdq waits", || {
        let clients: String = server.run(&["CLIENT", "LIST"]);
        let is_taker = |line: &str| line.contains("rdq-cli:delivery");
        clients.lines().any(is_taker).then_some(()).ok_or(clients)
    });
}
