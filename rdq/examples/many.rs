//! Measures `rdq queues` and `rdq doctor` with many queues, and prints the table of
//! `docs/operating/doctor.md`.
//!
//! ```text
//! cargo build --release -p rdq
//! cargo run --release -p rdq --example many          500 queues
//! cargo run --release -p rdq --example many -- 50
//! ```

#![allow(clippy::unwrap_used, reason = "it is a part of the tests")]

use std::env;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue};
use testbed::{Cluster, Program, Server, eventually, variables_of_rdq};

#[tokio::main]
async fn main() {
    let count = env::args().nth(1).map_or(500, |it| it.parse().unwrap());
    println!("| What | `queues` | `doctor` |\n|---|---|---|");

    let server = Server::start();
    let url = server.url();
    let queues = fill(&url, count).await;
    row("one server", &url, &[], 5);
    beside_scripts(&[&server], || {
        row(
            "one server, with a script of 0.6 to 1 s every 2 s",
            &url,
            &[],
            8,
        );
    });
    drop(queues);

    let cluster = Cluster::without_replicas();
    let masters = cluster.masters();
    let url = cluster.url();
    let _queues = fill(&url, count).await;
    row("cluster of three masters", &url, &[], 5);
    masters[2].pause();
    for timeout in ["3s", "1500ms"] {
        let what = format!("one of the three hangs, `--timeout {timeout}`");
        row(&what, &url, &["--timeout", timeout], 5);
    }
    masters[2].resume();
    eventually("the master answers", || {
        masters[2].try_run::<()>(&["PING"]).is_ok()
    });
    beside_scripts(&[&masters[1]], || {
        row("the three with such scripts on one", &url, &[], 8);
    });
    beside_scripts(&masters.iter().collect::<Vec<_>>(), || {
        row("the three with such scripts on each", &url, &[], 8);
    });
}

/// Offers 20 elements to each of so many queues, and listens for each.
async fn fill(url: &str, count: usize) -> Vec<DelayedQueue<String>> {
    let client = Client::connect(url).await.unwrap();
    let mut queues = Vec::new();
    for number in 0..count {
        let name = format!("queue-{number}");
        let queue = client.delayed_queue(name, StringCodec).unwrap();
        let hour = Duration::from_secs(3_600);
        let elements = (0..20).map(|it| (format!("element {it}"), hour));
        queue.offer_all(elements).await.unwrap();
        queues.push(queue);
    }
    queues
}

/// Runs something while another client sends long scripts to each of these servers.
fn beside_scripts(servers: &[&Server], run: impl FnOnce()) {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for server in servers {
            scope.spawn(|| {
                let mut connection = server.connection();
                let mut turns = |count: f64| {
                    let mut command = redis::cmd("EVAL");
                    let command = command.arg("for turn = 1, ARGV[1] do end").arg(0);
                    let begin = Instant::now();
                    command.arg(count).query::<()>(&mut connection).unwrap();
                    begin.elapsed()
                };
                let in_a_second = 1e7 / turns(1e7).as_secs_f64();
                for seconds in [0.6, 0.8, 1.0].iter().cycle() {
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                    let lasted = turns(in_a_second * seconds);
                    thread::sleep(Duration::from_secs(2).saturating_sub(lasted));
                }
            });
        }
        run();
        is_over.store(true, Ordering::Relaxed);
    });
}

/// Prints the median and the longest of so many runs.
fn row(what: &str, url: &str, arguments: &[&str], runs: usize) {
    let cells = ["queues", "doctor"].map(|verb| {
        let runs = (0..runs).map(|_| seconds(url, verb, arguments));
        let mut runs: Vec<f64> = runs.collect();
        runs.sort_by(f64::total_cmp);
        let (median, longest) = (runs[runs.len() / 2], runs[runs.len() - 1]);
        format!("{median:.2} s, {longest:.2} s")
    });
    println!("| {what} | {} | {} |", cells[0], cells[1]);
}

/// How long `rdq` took.
fn seconds(url: &str, verb: &str, arguments: &[&str]) -> f64 {
    let program = env::current_exe().unwrap().with_file_name("../rdq");
    let mut command = Command::new(program);
    command.args(["--server", url, verb]).args(arguments);
    command.env("XDG_CONFIG_HOME", "/nonexistent");
    for variable in variables_of_rdq() {
        command.env_remove(variable);
    }
    let begin = Instant::now();
    let output = Program::run(command.stdin(Stdio::null()));
    let seconds = begin.elapsed().as_secs_f64();
    let (lines, code) = (
        output.stdout.split(|it| *it == b'\n').count(),
        output.status,
    );
    eprintln!("{seconds:.2} s, {verb} {arguments:?}: {lines} lines, {code}");
    seconds
}
