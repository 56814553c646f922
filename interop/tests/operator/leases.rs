//! What a killed Rust consumer held comes back to Java.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::Duration,
};

use crate::{
    queue::{Queue, each_once},
    rdq,
};

/// Its lease would run for another hour.
#[test]
fn the_released_lease_of_a_killed_consumer_goes_back_to_the_list_and_java_takes_it() {
    let queue = Queue::start();
    let mut java = queue.java("4.7.0");
    java.open_target("q", "orders", "string");
    for value in ["held", "left"] {
        java.target_offer("q", value);
    }
    let url = queue.server.url();
    let hour = "3600000";
    let mut consumer = Command::new(env!("CARGO_BIN_EXE_crashes"))
        .args([
            "consume",
            &*url,
            "in-handler",
            "0",
            "parallel",
            hour,
            hour,
            "no",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the consumer starts");
    let said = BufReader::new(consumer.stdout.take().expect("stdout is piped")).lines();
    let mut said = said.map_while(Result::ok);
    let began = said.find(|line| line.contains(" began "));
    consumer.kill().expect("a child can be killed");
    consumer.wait().expect("a child can be waited for");
    assert!(began.is_some(), "it had an element in its handler");
    each_once(java.drain("q", IDLE), ["left".to_owned()]);

    let held = rdq(&queue, &["leases", "ls", "orders", "--codec", "string"]);
    assert_eq!(held.rows.len(), 1, "{held:?}");
    assert_eq!(held.rows[0]["value"], "held");
    let release = ["leases", "release", "orders", "--all", "--to-target"];
    let refused = rdq(&queue, &release);
    assert_eq!(refused.code, 4, "{refused:?}");
    assert_eq!(java.target_size("q"), 0);
    let released = rdq(&queue, &[&release[..], &["--yes"]].concat());
    assert_eq!(released.code, 0, "{released:?}");
    each_once(java.drain("q", IDLE), ["held".to_owned()]);
    let left = rdq(&queue, &["leases", "ls", "orders"]);
    assert!(left.rows.is_empty(), "{left:?}");
}

/// Longer than elements stay away, also on a busy machine.
const IDLE: Duration = Duration::from_secs(4);
