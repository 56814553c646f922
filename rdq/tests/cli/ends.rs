//! How runs end: exit codes, what was done before a failure, and outputs that fail.

use std::fs::{self, OpenOptions};
use std::io::pipe;
use std::process::Stdio;
use std::time::Duration;

use redisson_delayed_queue::Ticket;
use testbed::{Cluster, Directory, Program, Server, signal, until};

use crate::fill::fill;
use crate::rdq::{Run, command, done, fed, queue, run};

const HOUR: Duration = Duration::from_secs(3_600);

/// The keys that the server has.
fn keys(server: &Server) -> u64 {
    server.run(&["DBSIZE"])
}

#[test]
fn what_the_caller_wrote_wrongly_ends_with_2_and_changes_nothing() {
    let server = Server::start();
    let url = server.url();
    for address in ["http://127.0.0.1", "redis://127.0.0.1:99999", "redis:/x"] {
        let refused = run(address, &["queues"]);
        assert_eq!(refused.code, 2, "{address}: {refused:?}");
    }
    let offer = ["offer", "orders", "{}", "--codec", "json"];
    done(&url, &[&offer[..], &["--delay", "1h"]].concat());
    let before = keys(&server);
    for (args, more) in [
        (&["ls", ""][..], &[][..]),
        (&["offer", "", "1", "--codec", "json"], &["--delay", "1h"]),
        (
            &["offer", "orders", "{no", "--codec", "json"],
            &["--delay", "1h"],
        ),
        (&offer, &["--delay", "1000000years"]),
        (&offer, &["--delay", "1h", "--expires-in", "1s"]),
        (&offer, &["--at", "noon"]),
        (&["cancel", "orders", "no id"], &[]),
    ] {
        let args = [args, more].concat();
        let refused = run(&url, &args);
        assert_eq!(refused.code, 2, "{args:?}: {refused:?}");
        assert_eq!(keys(&server), before, "{args:?}");
    }
}

#[test]
fn a_name_that_a_cluster_refuses_ends_with_2() {
    let cluster = Cluster::without_replicas();
    for args in [&["ls", "a{b"][..], &["stats", "a{b"], &["pause", "a{b"]] {
        let refused = run(&cluster.url(), args);
        assert_eq!(refused.code, 2, "{args:?}: {refused:?}");
    }
}

#[tokio::test]
async fn a_line_that_is_wrong_ends_with_2_only_if_none_was_offered_before() {
    let server = Server::start();
    let args = [
        "offer",
        "orders",
        "--lines=elements",
        "--codec",
        "string",
        "--delay",
        "1h",
    ];
    let good = "{\"value\":\"order\"}\n";
    let first = fed(&server.url(), &args, &format!("\nno JSON\n{good}"));
    assert_eq!(first.code, 2, "{first:?}");
    assert!(first.stderr.contains("line 2: "), "{first:?}");
    assert_eq!(keys(&server), 0);
    let later = fed(&server.url(), &args, &format!("{good}{good}no JSON\n"));
    assert_eq!(later.code, 1, "{later:?}");
    let said = "2 lines were offered before it failed: line 3: not an element";
    assert!(later.stderr.contains(said), "{later:?}");
    let orders = queue(&server.url(), "orders").await;
    assert_eq!(orders.pending().len().await.unwrap(), 2);
}

#[test]
fn an_import_that_stops_tells_how_many_records_it_has_written() {
    let (from, to) = (Server::start(), Server::start());
    fill(&from, "orders", 1_200);
    let exported = run(&from.url(), &["export", "orders"]).stdout;
    let mut lines: Vec<_> = exported.lines().collect();
    lines[1_101] = "no JSON";
    let import = ["import", "orders", "-"];
    let stopped = fed(&to.url(), &import, &lines.join("\n"));
    assert_eq!(stopped.code, 1, "{stopped:?}");
    let said = "1,000 records were written before it failed";
    assert!(stopped.stderr.contains(said), "{stopped:?}");
    assert!(stopped.stderr.contains("line 1102: "), "{stopped:?}");
    let pending = ["ZCARD", "redisson_delay_queue_timeout:{orders}"];
    assert_eq!(to.run::<u64>(&pending), 1_000);
    let rest = fed(&to.url(), &import, &exported);
    assert_eq!(rest.code, 0, "{rest:?}");
    assert_eq!(to.run::<u64>(&pending), 1_200);
}

/// It waits for stdin, which may be a terminal.
#[test]
fn an_import_that_waits_for_its_lines_can_be_interrupted() {
    let server = Server::start();
    let mut import = command(&server.url(), &["import", "orders", "-"]);
    import.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut import = Program::start(&mut import);
    let stdin = import.stdin.take();
    until("rdq is connected", || {
        let clients: String = server.run(&["CLIENT", "LIST"]);
        let is_there = clients.contains("name=rdq-cli");
        is_there.then_some(()).ok_or(clients)
    });
    assert!(signal("INT", import.id().into()));
    let code = until("rdq ends", || {
        let ended = import.try_wait().unwrap();
        ended.map(|it| it.code()).ok_or("it waits".to_owned())
    });
    assert_eq!(code, Some(130));
    drop(stdin);
}

/// Runs the program, and kills the server as soon as `changed` says so.
fn killed_meanwhile(server: &Server, args: &[&str], changed: impl Fn() -> bool) -> Run {
    let mut rdq = command(&server.url(), args);
    let rdq = Program::start(rdq.stdout(Stdio::piped()).stderr(Stdio::piped()));
    until("something has changed", || {
        changed().then_some(()).ok_or("nothing".to_owned())
    });
    server.kill();
    let ended = Run::of(rdq.output());
    assert_eq!(ended.code, 1, "{ended:?}");
    ended
}

#[test]
fn a_repair_that_stops_tells_what_it_has_changed_and_how_to_take_it_back() {
    let server = Server::start();
    fill(&server, "orders", 50_000);
    server.run::<()>(&["DEL", "redisson_delay_queue_timeout:{orders}"]);
    let files = Directory::new();
    let backup = files.file("backup");
    let args = [
        "repair", "orders", "--apply", "--yes", "--ghosts", "drop", "--backup", &backup,
    ];
    let ghosts = || server.run::<u64>(&["LLEN", "redisson_delay_queue:{orders}"]);
    let ended = killed_meanwhile(&server, &args, || ghosts() < 50_000);
    assert!(ended.stderr.contains("made before it failed"), "{ended:?}");
    let advice = format!("    rdq repair orders --undo {backup}");
    assert!(ended.stderr.lines().any(|it| it == advice), "{ended:?}");
}

#[test]
fn a_migration_that_stops_tells_how_many_members_are_new() {
    let server = Server::start();
    let script = "
        for i = 1, 30000 do
            local member = struct.pack('<dLc0', 1e17 + i * 64, 5, 'order')
            redis.call('ZADD', KEYS[1], 4102444800000, member)
            redis.call('RPUSH', KEYS[2], member)
        end";
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    let ordering = "redisson_delay_queue:{orders}";
    server.run::<()>(&["EVAL", script, "2", timeouts, ordering]);
    let first = || server.run::<Vec<Vec<u8>>>(&["ZRANGE", timeouts, "0", "0"]);
    let before = first();
    let args = ["migrate", "orders", "--yes"];
    let ended = killed_meanwhile(&server, &args, || first() != before);
    let said = "migrated before it failed: run this again";
    assert!(ended.stderr.contains(said), "{ended:?}");
}

/// The disk behind stdout is full.
#[tokio::test]
async fn what_was_cancelled_and_not_printed_is_told_on_stderr() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    let mut tickets = Vec::new();
    for i in 0..3 {
        tickets.push(orders.offer(&format!("v{i}"), HOUR).await.unwrap());
    }
    let ids = tickets.iter().map(|it| {
        let id = it.id().iter().map(|byte| format!("{byte:02x}"));
        id.collect::<String>()
    });
    let ids: Vec<_> = ids.collect();
    let ids = ids.iter().map(String::as_str);
    let args: Vec<_> = ["cancel", "orders", "--json"]
        .into_iter()
        .chain(ids)
        .collect();
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut cancel = command(&server.url(), &args);
    let ended = Run::of(Program::start(cancel.stdout(full).stderr(Stdio::piped())).output());
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(orders.pending().is_empty().await.unwrap());
    let rows = ended.stderr.lines().filter(|it| it.starts_with('{'));
    let told: Vec<Ticket> = rows
        .map(|it| {
            let row: serde_json::Value = serde_json::from_str(it).unwrap();
            row["ticket"].as_str().unwrap().parse().unwrap()
        })
        .collect();
    assert_eq!(told, tickets);
    let said = "3 elements were cancelled before it failed: cannot write to stdout";
    assert!(ended.stderr.contains(said), "{ended:?}");
}

#[test]
fn what_was_found_and_what_is_missing_is_told_even_if_nobody_reads_it() {
    let server = Server::start();
    fill(&server, "orders", 1);
    let id = "0".repeat(32);
    for args in [&["doctor"][..], &["cancel", "orders", &id]] {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let mut unread = command(&server.url(), args);
        let code = unread.stdout(writer).status().unwrap().code();
        let read = run(&server.url(), args);
        assert!(read.code >= 3, "{read:?}");
        assert_eq!(code, Some(read.code), "{read:?}");
    }
}

#[tokio::test]
async fn offers_that_nobody_could_read_are_a_failure() {
    let server = Server::start();
    let args = [
        "offer", "orders", "--lines", "--codec", "string", "--delay", "1h",
    ];
    let mut offer = command(&server.url(), &args);
    offer.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut offer = Program::start(offer.stderr(Stdio::piped()));
    drop(offer.stdout.take());
    let text = "\"order\"\n".repeat(3);
    let mut stdin = offer.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, text.as_bytes()).unwrap();
    drop(stdin);
    let output = offer.output();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("offered before it failed"), "{stderr}");
}

/// What the failure of the last portion says is about that portion alone.
#[test]
fn an_offer_to_a_server_that_hangs_tells_once_how_many_lines_were_offered() {
    let server = Server::start();
    let args = [
        "offer",
        "orders",
        "--lines",
        "--codec",
        "string",
        "--delay",
        "1h",
        "--timeout",
        "1s",
    ];
    let mut offer = command(&server.url(), &args);
    offer.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut offer = Program::start(offer.stderr(Stdio::piped()));
    let mut stdin = offer.stdin.take().unwrap();
    let text = "\"order\"\n";
    std::io::Write::write_all(&mut stdin, text.repeat(3).as_bytes()).unwrap();
    until("three are offered", || {
        match server.run(&["ZCARD", "redisson_delay_queue_timeout:{orders}"]) {
            3_u64 => Ok(()),
            count => Err(count.to_string()),
        }
    });
    server.pause();
    std::io::Write::write_all(&mut stdin, text.repeat(2).as_bytes()).unwrap();
    drop(stdin);
    let stderr = String::from_utf8(offer.output().stderr).unwrap();
    // A busy machine may read the two lines one by one.
    let said =
        [1, 2].map(|it| format!("3 lines were offered before it failed, and perhaps {it} more: "));
    assert!(said.iter().any(|it| stderr.contains(it)), "{stderr}");
    assert!(!stderr.contains("certainly"), "{stderr}");
}

#[test]
fn files_of_payloads_belong_to_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::start();
    fill(&server, "orders", 3);
    let files = Directory::new();
    // Something to repair: an entry without a due time.
    let ghost = "\u{8}randomId\u{5}\0\0\0\0\0\0\0hello";
    server.run::<()>(&["RPUSH", "redisson_delay_queue:{orders}", ghost]);
    for args in [
        &[
            "repair",
            "orders",
            "--ghosts=drop",
            "--apply",
            "--yes",
            "--backup",
        ][..],
        &["export", "orders", "--output"],
        &["drain", "orders", "--yes", "--output"],
    ] {
        let file = files.file(args[0]);
        let args = [args, &[&*file]].concat();
        let written = run(&server.url(), &args);
        assert_eq!(written.code, 0, "{args:?}: {written:?}");
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{args:?}");
    }
}

/// Redis says no more than that some key has another type, or that some command is not allowed.
#[test]
fn a_key_of_another_type_and_a_missing_right_are_named_with_advice() {
    let server = Server::start();
    let url = server.url();
    server.run::<()>(&["SET", "redisson_delay_queue_timeout:{orders}", "x"]);
    server.run::<()>(&["SET", "redisson_delay_queue:{mails}", "x"]);
    server.run::<()>(&["SET", "{mails}-dead", "x"]);
    let timeouts = "key redisson_delay_queue_timeout:{orders} holds a string, not a zset";
    let ordering = "key redisson_delay_queue:{mails} holds a string, not a list";
    for (args, key) in [
        (&["stats", "orders"][..], timeouts),
        (&["ls", "orders"], timeouts),
        (&["get", "orders", "abcd"], timeouts),
        // It looks at least once.
        (&["tail", "orders", "--for", "0s"], timeouts),
        (&["stats", "mails"], ordering),
        (&["ls", "mails", "--offered"], ordering),
    ] {
        let failed = run(&url, args);
        assert_eq!(failed.code, 1, "{args:?}: {failed:?}");
        assert!(failed.stderr.contains(key), "{args:?}: {failed:?}");
        let advice = format!("    rdq doctor {}", args[1]);
        let is_said = failed.stderr.lines().any(|it| it == advice);
        assert!(is_said, "{args:?}: {failed:?}");
    }
    let rows = run(&url, &["queues"]).stdout;
    assert!(rows.contains(timeouts) && rows.contains(ordering), "{rows}");

    server.run::<()>(&[
        "ACL", "SETUSER", "low", "on", ">low", "~*", "&*", "+time", "+evalsha", "+eval",
    ]);
    let low = url.replace("redis://", "redis://low:low@");
    let wrong = url.replace("redis://", "redis://low:wrong@");
    for (address, advice) in [(low, "ACL SETUSER grants it"), (wrong, "password-env")] {
        for args in [&["stats", "orders"][..], &["queues"], &["ls", "orders"]] {
            let denied = run(&address, args);
            assert_eq!(denied.code, 1, "{args:?}: {denied:?}");
            assert!(denied.stderr.contains(advice), "{args:?}: {denied:?}");
            assert!(!denied.stderr.contains("user_script"), "{denied:?}");
        }
    }
}
