//! What `rdq` says while servers are busy, frozen or half gone: all that can be known, and the true reason.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::thread;

use redis::cmd;
use serde_json::Value;
use testbed::{Cluster, Program, Server, Settings, until};

use crate::broken::{Broken, new};
use crate::rdq::{Run, command, json, run};

/// Puts an element into each of these queues of a cluster.
fn fill(cluster: &Cluster, names: &[String]) {
    for name in names {
        let mut queue = Broken::at(&cluster.master_of(name), name);
        let later = queue.later();
        queue.offer(&new(1, b"order"), &later);
    }
}

fn names() -> Vec<String> {
    (0..12).map(|i| format!("orders-{i:02}")).collect()
}

/// A cluster whose nodes go on if a slot has no node.
fn cluster() -> Cluster {
    let settings = Settings::new()
        .set("cluster-require-full-coverage", "no")
        .set("cluster-node-timeout", "60000");
    Cluster::with(&settings, 0)
}

fn lines(run: &Run) -> Vec<Value> {
    let read = |line: &str| serde_json::from_str(line).unwrap();
    run.stdout.lines().map(read).collect()
}

/// The finding of this check about a queue or a server.
fn finding<'a>(found: &'a [Value], check: &str, place: &str) -> Option<&'a Value> {
    let is_there = |it: &&Value| it["queue"] == place || it["server"] == place;
    found
        .iter()
        .filter(is_there)
        .find(|it| it["check"] == check)
}

#[test]
fn no_queue_is_ruled_out_while_a_master_hangs() {
    let cluster = cluster();
    let names = names();
    let hung = cluster.master_of(&names[0]);
    let others = names.iter().map(|it| cluster.master_of(it).address());
    let other = others.into_iter().find(|it| *it != hung.address()).unwrap();
    hung.pause();
    let url = format!("redis+cluster://{other}");
    let examined = run(&url, &["doctor", "--timeout", "2s"]);
    hung.resume();
    assert!(
        examined.stdout.contains("0 queues examined. Servers"),
        "{examined:?}"
    );
    assert!(!examined.stdout.contains("no sign"), "{examined:?}");
    // Two thirds of a second, as people read it.
    assert!(
        examined.stdout.contains("no answer within 667ms"),
        "{examined:?}"
    );
}

#[test]
fn a_master_that_hangs_is_named_and_the_others_are_examined() {
    let cluster = cluster();
    let names = names();
    fill(&cluster, &names);
    let hung = cluster.master_of(&names[0]);
    let address = hung.address();
    let (gone, there): (Vec<_>, Vec<_>) = names
        .iter()
        .partition(|it| cluster.master_of(it).address() == address);
    assert!(!gone.is_empty() && !there.is_empty());
    let url = format!("redis+cluster://{}", cluster.master_of(there[0]).address());
    hung.pause();
    let listed = run(&url, &["queues", "--json", "--timeout", "2s"]);
    let examined = run(&url, &["doctor", "--json", "--timeout", "2s"]);
    let named = run(
        &url,
        &["doctor", gone[0], there[0], "--json", "--timeout", "2s"],
    );
    hung.resume();
    let rows = lines(&listed);
    let found: Vec<_> = rows
        .iter()
        .map(|it| it["queue"].as_str().unwrap())
        .collect();
    assert_eq!(found, there, "{listed:?}");
    assert_eq!(listed.code, 1, "{listed:?}");
    assert!(listed.stderr.contains(&address), "{listed:?}");
    assert!(!listed.stderr.contains("tls"), "{listed:?}");

    let found = lines(&examined);
    assert!(
        finding(&found, "silent", &address).is_some(),
        "{examined:?}"
    );
    for name in &there {
        assert!(
            finding(&found, "waiting", name).is_some(),
            "{name}: {examined:?}"
        );
    }
    assert_eq!(examined.code, 6);
    let found = lines(&named);
    assert!(
        finding(&found, "unexamined", gone[0]).is_some(),
        "{named:?}"
    );
    assert!(finding(&found, "waiting", there[0]).is_some(), "{named:?}");
}

#[test]
fn a_slot_without_a_node_and_a_slot_that_moves_do_not_hide_other_queues() {
    let cluster = cluster();
    let names = names();
    fill(&cluster, &names);
    let (lost, moving) = (&names[0], &names[1]);
    let from = cluster.master_of(moving);
    let masters = cluster.masters();
    let to = masters.iter().find(|it| it.address() != from.address());
    let slot_move = cluster.begin_move(cluster.slot_of(moving), to.unwrap());
    slot_move.move_keys(1);
    let slot = cluster.slot_of(lost).to_string();
    for node in cluster.nodes() {
        let _: redis::RedisResult<()> = node.try_run(&["CLUSTER", "DELSLOTS", &slot]);
    }
    let listed = run(&cluster.url(), &["queues", "--json"]);
    let examined = run(&cluster.url(), &["doctor", "--json"]);
    let rows = lines(&listed);
    let found: Vec<_> = rows
        .iter()
        .map(|it| it["queue"].as_str().unwrap())
        .collect();
    for name in &names[1..] {
        assert!(found.contains(&name.as_str()), "{name}: {listed:?}");
    }
    let found = lines(&examined);
    for name in &names[2..] {
        assert!(
            finding(&found, "waiting", name).is_some(),
            "{name}: {examined:?}"
        );
    }
    assert!(
        finding(&found, "unexamined", moving).is_some(),
        "{examined:?}"
    );
    assert_eq!(examined.code, 6);
}

/// Keeps a server busy until somebody kills the script.
fn keep_busy(server: &Server) -> thread::JoinHandle<()> {
    let mut connection = server.connection();
    let script = thread::spawn(move || {
        let killed: redis::RedisResult<()> = cmd("EVAL")
            .arg("while true do end")
            .arg(0)
            .query(&mut connection);
        assert!(killed.is_err());
    });
    until("the script keeps it busy", || {
        match server.try_run::<()>(&["TIME"]) {
            Err(error) if error.code() == Some("BUSY") => Ok(()),
            other => Err(format!("{other:?}")),
        }
    });
    script
}

#[test]
fn a_script_that_takes_long_is_waited_for_and_named() {
    let server = Server::with(&Settings::new().set("lua-time-limit", "50"));
    let url = server.url();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.offer(&new(1, b"order"), &later);
    for args in [&["queues"][..], &["doctor"], &["stats", "orders"]] {
        let script = keep_busy(&server);
        let given_up = run(&url, &[args, &["--timeout", "300ms"]].concat());
        assert_eq!(given_up.code, 1, "{given_up:?}");
        let reason = "a script keeps it busy";
        assert!(given_up.stderr.contains(reason), "{given_up:?}");
        assert!(!given_up.stderr.contains("sentinel"), "{given_up:?}");
        let patient = {
            let (url, args) = (url.clone(), args.iter().map(|it| (*it).to_owned()));
            let args: Vec<String> = args.chain(["--timeout".into(), "1m".into()]).collect();
            thread::spawn(move || {
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                run(&url, &args)
            })
        };
        server.run::<()>(&["SCRIPT", "KILL"]);
        script.join().unwrap();
        let patient = patient.join().unwrap();
        assert!(patient.stdout.contains("orders"), "{patient:?}");
    }
    assert_eq!(json(&url, &["queues"]).len(), 1);
}

#[test]
fn a_master_that_begins_to_hang_does_not_hide_the_queues_of_others_from_who_watches() {
    let cluster = cluster();
    let names = names();
    fill(&cluster, &names);
    let hung = cluster.master_of(&names[0]);
    let there = names
        .iter()
        .find(|it| cluster.master_of(it).address() != hung.address());
    let there = there.unwrap().as_str();
    let url = format!("redis+cluster://{}", cluster.master_of(there).address());
    let top = ["top", "--json", "--every", "200ms", "--timeout", "1s"];
    let mut rdq = command(&url, &top);
    rdq.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut rdq = Program::start(&mut rdq);
    let lines = BufReader::new(rdq.stdout.take().unwrap()).lines();
    let mut rows = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let mut row_of = |name: &str| rows.find(|it| it["queue"] == name).unwrap();
    row_of(&names[0]);
    hung.pause();
    let paused_ms = row_of(there)["at_ms"].as_u64().unwrap();
    // Long enough for a search of all masters to fail at this one.
    while row_of(there)["at_ms"].as_u64().unwrap() < paused_ms + 5_000 {}
    rdq.kill().unwrap();
    let ended = rdq.output();
    hung.resume();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(said.contains(&format!("{}: ", names[0])), "{said}");
}

#[test]
fn who_watches_a_busy_server_is_told_so_and_goes_on() {
    let server = Server::with(&Settings::new().set("lua-time-limit", "50"));
    let url = server.url();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.offer(&new(1, b"order"), &later);
    for verb in [&["top"][..], &["watch", "orders"]] {
        let args = [verb, &["--json", "--every", "200ms", "--timeout", "300ms"]].concat();
        let mut rdq = command(&url, &args);
        rdq.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut rdq = Program::start(&mut rdq);
        let mut rows = BufReader::new(rdq.stdout.take().unwrap()).lines();
        let mut said = BufReader::new(rdq.stderr.take().unwrap()).lines();
        rows.next().unwrap().unwrap();
        let script = keep_busy(&server);
        let told = said.next().unwrap().unwrap();
        server.run::<()>(&["SCRIPT", "KILL"]);
        script.join().unwrap();
        let killed: u64 = server.run::<(u64, u64)>(&["TIME"]).0;
        let row = rows.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
        let mut later = row.filter(|it| it["at_ms"].as_u64().unwrap() / 1_000 > killed);
        assert!(later.next().is_some(), "{verb:?}: {told}");
    }
}

/// Most of an examination of an odd queue is a pause before a second look at it.
#[test]
fn hundreds_of_odd_queues_wait_for_their_second_look_together() {
    let server = Server::start();
    let names: Vec<_> = (0..200).map(|i| format!("odd-{i:03}")).collect();
    for name in &names {
        let mut queue = Broken::at(&server, name);
        let later = queue.later();
        queue.offer(&new(1, b"order"), &later);
        queue.list(&new(1, b"order"));
    }
    let mut monitor = TcpStream::connect(server.address()).unwrap();
    monitor.write_all(b"MONITOR\r\n").unwrap();
    let mut seen = BufReader::new(monitor).lines().map(|it| it.unwrap());
    assert_eq!(seen.next().unwrap(), "+OK");
    let examined = run(&server.url(), &["doctor", "--json", "--timeout", "1m"]);
    let repeats = lines(&examined);
    let repeats = repeats.iter().filter(|it| it["check"] == "repeats");
    assert_eq!(repeats.count(), names.len(), "{examined:?}");
    server.run::<String>(&["ECHO", "the end"]);
    let seen: Vec<_> = seen.take_while(|it| !it.contains("the end")).collect();
    // Only an examination sends these.
    let sent = |command: &str, name: &str| {
        let start = format!("\"{command}\" \"redisson_delay_queue_timeout:{{{name}}}\"");
        let sent = seen
            .iter()
            .enumerate()
            .filter(|(_, it)| it.contains(&start));
        sent.map(|(at, _)| at).collect::<Vec<_>>()
    };
    let looks = sent("ZSCAN", &names[0]);
    let begun = sent("ZCARD", &names[199])[0];
    assert_eq!(looks.len(), 2);
    assert!(begun < looks[1], "{begun} {looks:?}");
}
