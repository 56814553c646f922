//! `rdq drain`

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use redisson_delayed_queue::{Listing, Offer};
use serde_json::Value;
use testbed::{Directory, Program, Server, signal};

use crate::fill::fill;
use crate::rdq::{Run, command, done, fed, queue, run};

const HOUR: Duration = Duration::from_secs(3_600);

/// How many elements are pending, in the ordering list, and in the target queue.
fn counts(server: &Server) -> [usize; 3] {
    [
        ["ZCARD", "redisson_delay_queue_timeout:{orders}"],
        ["LLEN", "redisson_delay_queue:{orders}"],
        ["LLEN", "orders"],
    ]
    .map(|command| server.run(&command))
}

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines().filter(|it| !it.trim().is_empty());
    lines.map(|it| serde_json::from_str(it).unwrap()).collect()
}

#[tokio::test]
async fn a_drained_queue_can_be_offered_again_to_the_byte() {
    let server = Server::start();
    let url = server.url();
    let orders = queue(&url, "orders").await;
    let due = SystemTime::now() + HOUR;
    let offers = (0..700).map(|i| (format!("v{i}"), Offer::at(due + Duration::from_millis(i))));
    orders.offer_all(offers).await.unwrap();
    let expiring = Offer::at(due).expires_at(UNIX_EPOCH + Duration::from_secs(4_102_488_000));
    let unlisted = orders.clone().with_listing(Listing::Unlisted);
    unlisted
        .offer_with(&"\u{7}bytes\u{0}".to_owned(), expiring)
        .await
        .unwrap();
    orders
        .destination()
        .offer(&"ready".to_owned())
        .await
        .unwrap();
    let before = crate::rdq::json(&url, &["ls", "orders", "-n", "0"]);
    let files = Directory::new();

    let file = files.path().join("again");
    let path = file.to_str().unwrap();
    assert_eq!(
        run(&url, &["drain", "orders", "-o", path]).code,
        4,
        "nobody confirmed"
    );
    assert_eq!(counts(&server), [701, 700, 1]);
    assert!(!file.exists());
    let said = done(&url, &["drain", "orders", "--yes", "-o", path]);
    assert_eq!(said, "taken out: 701 pending and 1 ready element\n");
    assert_eq!(counts(&server), [0, 0, 0]);
    assert_eq!(run(&url, &["drain", "orders", "--yes", "-o", "-"]).code, 3);

    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(lines(&text).len(), 702);
    // No codec is needed: the payloads are in the lines.
    let offered = fed(&url, &["offer", "orders", "--lines=elements"], &text);
    assert_eq!(offered.code, 0, "{offered:?}");
    let mut after = crate::rdq::json(&url, &["ls", "orders", "-n", "0"]);
    // What was ready is due, and nobody moved it.
    let ready = after.remove(0);
    assert_eq!(ready["value"], "ready");
    let known = |rows: &[Value]| -> Vec<_> {
        let fields = ["due_ms", "value", "payload", "listed", "expires_ms"];
        let of = |row: &Value| fields.map(|field| row[field].to_string());
        let mut rows: Vec<_> = rows.iter().map(of).collect();
        rows.sort();
        rows
    };
    assert_eq!(known(&before), known(&after));
}

#[test]
fn options_change_what_printed_elements_had() {
    let server = Server::start();
    let url = server.url();
    fill(&server, "orders", 1);
    let text = done(&url, &["drain", "orders", "--yes", "-o", "-"]);
    let offer = |options: &[&str]| {
        let arguments = [&["offer", "orders", "--lines=elements"], options].concat();
        fed(&url, &arguments, &text)
    };
    let refused = offer(&["--raw"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(
        refused.stderr.contains("--raw is for values"),
        "{refused:?}"
    );

    let offered = offer(&["--unlisted", "--expires-in", "1day"]);
    assert_eq!(offered.code, 0, "{offered:?}");
    let rows = crate::rdq::json(&url, &["ls", "orders", "-n", "0"]);
    assert_eq!(rows[0]["listed"], false);
    assert!(rows[0]["expires_ms"].is_u64(), "{rows:?}");
}

#[tokio::test]
async fn a_part_can_be_drained_to_stdout() {
    let server = Server::start();
    let url = server.url();
    fill(&server, "orders", 1_100);
    let orders = queue(&url, "orders").await;
    let values: Vec<_> = (0..1_100).map(|i| format!("v{}", i % 3)).collect();
    orders.destination().add_all(&values).await.unwrap();
    let rows = lines(&done(
        &url,
        &["drain", "orders", "--yes", "--ready", "-o", "-"],
    ));
    let read: Vec<_> = rows
        .iter()
        .map(|row| row["value"].as_str().unwrap())
        .collect();
    assert_eq!(read, values);
    assert_eq!(counts(&server), [1_100, 1_100, 0]);
    let rows = lines(&done(
        &url,
        &["drain", "orders", "--yes", "--pending", "-o", "-"],
    ));
    assert_eq!(rows.len(), 1_100);
    assert_eq!(counts(&server), [0, 0, 0]);
}

/// Nobody reads what it prints: only what the pipe holds can be removed.
#[tokio::test]
async fn no_element_is_removed_before_its_line_is_written() {
    let server = Server::start();
    fill(&server, "orders", 5_000);
    let mut rdq = command(&server.url(), &["drain", "orders", "--yes", "-o", "-"]);
    let mut rdq = Program::start(rdq.stdout(Stdio::piped()));
    let mut reader = BufReader::new(rdq.stdout.take().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert!(counts(&server)[0] > 0);
    drop(reader);
    assert_eq!(
        rdq.wait().unwrap().code(),
        Some(1),
        "most elements are left"
    );
    let left = counts(&server);
    assert!(left[0] > 3_000, "{left:?}");
    assert_eq!(left[0], left[1]);
}

/// Elements go to a consumer after they were read: here all of them, while the pipe is full.
#[tokio::test]
async fn lines_of_elements_that_went_elsewhere_are_told() {
    let server = Server::start();
    fill(&server, "orders", 3_000);
    let mut rdq = command(&server.url(), &["drain", "orders", "--yes", "-o", "-"]);
    let mut rdq = Program::start(rdq.stdout(Stdio::piped()).stderr(Stdio::piped()));
    let mut reader = BufReader::new(rdq.stdout.take().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    for key in [
        "redisson_delay_queue_timeout:{orders}",
        "redisson_delay_queue:{orders}",
    ] {
        server.run::<()>(&["DEL", key]);
    }
    while reader.read_line(&mut line).unwrap() > 0 {}
    let output = rdq.output();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("lines are too many"), "{stderr}");
}

/// Whoever empties a queue to delete it would lose them.
#[test]
fn members_that_nobody_can_read_stay_and_are_told() {
    let server = Server::start();
    fill(&server, "orders", 3);
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    server.run::<()>(&["ZADD", timeouts, "9e12", "junk", "9e12", "more junk"]);
    let drained = run(&server.url(), &["drain", "orders", "--yes", "-o", "-"]);
    assert_eq!((drained.code, lines(&drained.stdout).len()), (0, 3));
    let said = "2 members are left out, because nobody can read them. This explains it:\n    \
                rdq doctor orders\n";
    assert!(drained.stderr.contains(said), "{drained:?}");
    assert_eq!(counts(&server), [2, 0, 0]);
}

#[tokio::test]
async fn a_file_that_exists_is_not_written_over() {
    let server = Server::start();
    fill(&server, "orders", 3);
    let files = Directory::new();
    let file = files.path().join("exists");
    fs::write(&file, "mine").unwrap();
    let refused = run(
        &server.url(),
        &["drain", "orders", "--yes", "-o", file.to_str().unwrap()],
    );
    assert_eq!(refused.code, 1, "{refused:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(counts(&server)[0], 3);
}

/// A reader that stops early, a terminal and nothing at all keep no lines.
#[test]
fn a_place_that_could_lose_lines_is_refused_unless_it_is_named() {
    let server = Server::start();
    fill(&server, "orders", 3);
    let refused = run(&server.url(), &["drain", "orders", "--yes"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("--output FILE"), "{refused:?}");
    for output in [
        ">&-",
        ">/dev/null",
        "--output - >&-",
        "--output - >/dev/null",
    ] {
        let refused = shell(&server, output);
        assert_eq!(refused.code, 2, "{output}: {refused:?}");
    }
    assert_eq!(counts(&server), [3, 3, 0]);
    let files = Directory::new();
    let file = files.path().join("redirected");
    let drained = shell(&server, &format!(">{}", file.display()));
    assert_eq!(drained.code, 0, "{drained:?}");
    assert_eq!(lines(&fs::read_to_string(&file).unwrap()).len(), 3);
    assert_eq!(counts(&server), [0, 0, 0]);
}

/// The limit on the size of files stands for a disk that is full: a portion is written in part.
#[test]
fn what_does_not_fit_on_the_disk_stays_in_the_queue() {
    let server = Server::start();
    let url = server.url();
    for option in ["--output ", ">"] {
        fill(&server, "orders", 3_000);
        let files = Directory::new();
        let file = files.path().join("full");
        let output = format!("{option}{}", file.display());
        // In units of 512 bytes. Without the signal, the write fails as on a full disk.
        let limited = format!("trap '' XFSZ; ulimit -f 400; {}", drain(&server, &output));
        let full = in_shell(&limited);
        assert_eq!(full.code, 1, "{option}: {full:?}");
        assert!(full.stderr.contains("taken out before it"), "{full:?}");
        let text = fs::read_to_string(&file).unwrap();
        let written = lines(&text).len();
        assert!(written >= 500, "{option}: {written} lines were written");
        let left = 3_000 - written;
        assert_eq!(counts(&server), [left, left, 0], "{option}");
        let offered = fed(&url, &["offer", "orders", "--lines=elements"], &text);
        assert_eq!(offered.code, 0, "{offered:?}");
        let rows = crate::rdq::json(&url, &["ls", "orders", "-n", "0"]);
        let values = rows.iter().map(|it| it["value"].to_string());
        assert_eq!(values.collect::<BTreeSet<_>>().len(), 3_000, "{option}");
        server.run::<()>(&["FLUSHALL"]);
    }
}

/// The command that drains the queue into this place.
fn drain(server: &Server, output: &str) -> String {
    let program = env!("CARGO_BIN_EXE_rdq");
    format!(
        "{program} --server {} drain orders --yes {output}",
        server.url()
    )
}

fn shell(server: &Server, output: &str) -> Run {
    in_shell(&drain(server, output))
}

fn in_shell(line: &str) -> Run {
    let mut shell = Command::new("sh");
    Run::of(Program::run(shell.args(["-c", line])))
}

/// The elements whose removal was under way when the run was interrupted went to somebody else.
#[test]
fn an_interrupted_drain_leaves_no_line_of_what_it_did_not_take() {
    let server = Server::start();
    fill(&server, "orders", 500);
    let files = Directory::new();
    let path = files.path().join("interrupted");
    let output = path.to_str().unwrap();
    let mut rdq = command(
        &server.url(),
        &["drain", "orders", "--yes", "--output", output],
    );
    let mut rdq = Program::start(rdq.stdout(Stdio::null()).stderr(Stdio::null()));
    while fs::metadata(&path).map_or(0, |it| it.len()) == 0 {
        assert_eq!(rdq.try_wait().unwrap(), None, "it has written nothing");
        std::thread::sleep(Duration::from_millis(1));
    }
    let left: usize = server.run(&[
        "ZREMRANGEBYRANK",
        "redisson_delay_queue_timeout:{orders}",
        "0",
        "-1",
    ]);
    assert!(signal("INT", rdq.id().into()));
    rdq.wait().unwrap();
    let written = lines(&fs::read_to_string(&path).unwrap());
    assert_eq!(written.len(), 500 - left);
}
