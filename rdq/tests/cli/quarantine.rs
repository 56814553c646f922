//! `rdq quarantine`

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use redis::Commands;
use testbed::Server;

use crate::broken::new;
use crate::dlq::interrupted;
use crate::rdq::{command, done, fed, json, run};

const KEY: &str = "rdq1_quarantine:{orders}";

fn set_aside(server: &Server, members: &[(&[u8], f64)]) {
    let mut connection = server.connection();
    for (member, score) in members {
        let _: () = connection.zadd(KEY, *member, *score).unwrap();
    }
}

fn target(server: &Server) -> Vec<String> {
    server.run(&["LRANGE", "orders", "0", "-1"])
}

/// The names of the members that `ls` shows.
fn names(url: &str) -> Vec<String> {
    let rows = json(url, &["quarantine", "ls", "orders"]);
    let names = rows.iter().filter_map(|row| row["member"].as_str());
    names.map(str::to_owned).collect()
}

#[test]
fn members_are_shown_with_what_is_wrong_and_what_could_be_delivered() {
    let server = Server::start();
    // An id of 8 bytes, and a length that is longer than the payload.
    let cut = b"\x08randomId\x63\0\0\0\0\0\0\0\"order 17\"";
    let members: [(&[u8], f64); 3] = [
        (cut, 1_000.0),
        (b"bare", 2_000.5),
        (b"rdq1: so many more were dropped", 7.0),
    ];
    set_aside(&server, &members);
    let url = server.url();
    let rows = json(&url, &["quarantine", "ls", "orders"]);
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0]["fault"], "payload is cut short at byte 17");
    assert_eq!(rows[0]["bytes"], STANDARD.encode(cut));
    assert_eq!(rows[0]["due_ms"], 1_000);
    assert_eq!(rows[1]["due_ms"], 2_000.5);
    assert_eq!(rows[2]["dropped"], 7);
    assert_eq!(json(&url, &["quarantine", "orders", "-n", "0"]), rows);
    let one = run(&url, &["quarantine", "ls", "orders", "-n", "1"]);
    assert!(
        one.stderr.starts_with("1 shown, and there are more"),
        "{one:?}"
    );
    let table = done(&url, &["quarantine", "ls", "orders"]);
    assert!(table.ends_with("7 more were dropped because the quarantine was full\n"));

    let name = rows[0]["member"].as_str().unwrap();
    let shown = done(
        &url,
        &[
            "quarantine",
            "show",
            "orders",
            &name[..6],
            "--codec",
            "json",
        ],
    );
    assert!(shown.contains("08 72 61 6e 64 6f 6d 49 64"), "{shown}");
    assert!(
        shown.contains("release --from 17 would deliver: \"order 17\""),
        "{shown}"
    );
    assert!(!shown.contains("--as-payload"), "{shown}");
    let unknown = run(&url, &["quarantine", "show", "orders", "ffffff"]);
    assert_eq!(unknown.code, 3, "{unknown:?}");
}

#[test]
fn a_member_is_delivered_as_a_whole_or_in_part_or_as_another_value() {
    let server = Server::start();
    set_aside(
        &server,
        &[(b"bare", 1.0), (b"\x08head:tail", 2.0), (b"x", 3.0)],
    );
    let url = server.url();
    let [bare, head, x] = names(&url).try_into().unwrap();
    let release = |args: &[&str]| run(&url, &[&["quarantine", "release", "orders"], args].concat());
    assert_eq!(release(&[&bare]).code, 2, "nobody can read it");
    assert_eq!(release(&[&head, "--from", "99"]).code, 2);
    assert_eq!(server.run::<u64>(&["ZCARD", KEY]), 3);

    assert_eq!(release(&[&bare, "--as-payload"]).code, 0);
    assert_eq!(release(&[&bare, "--as-payload"]).code, 3);
    assert_eq!(release(&[&head, "--from", "6"]).code, 0);
    assert_eq!(
        release(&[&x, "--value", "\"new\"", "--codec", "string"]).code,
        0
    );
    assert_eq!(target(&server), ["bare", "tail", "new"]);
    assert!(!server.run::<bool>(&["EXISTS", KEY]));
}

#[test]
fn a_member_that_can_be_read_is_pending_again() {
    let server = Server::start();
    let member = b"\x08randomId\x05\0\0\0\0\0\0\0hello";
    set_aside(&server, &[(member, 9_000_000_000_000.0)]);
    let [name] = names(&server.url()).try_into().unwrap();
    done(&server.url(), &["quarantine", "release", "orders", &name]);
    let rows = json(&server.url(), &["ls", "orders"]);
    assert_eq!(rows[0]["value"], "hello");
    assert_eq!(rows[0]["due_ms"], 9_000_000_000_000_u64);
    assert_eq!(
        server.run::<u64>(&["LLEN", "redisson_delay_queue:{orders}"]),
        1
    );
    assert!(!server.run::<bool>(&["EXISTS", KEY]));
}

/// A program that does not pack leaves thousands of them.
#[test]
fn all_members_are_released_and_those_that_nobody_could_read_stay() {
    let server = Server::start();
    let readable = b"\x08randomId\x05\0\0\0\0\0\0\0hello";
    set_aside(&server, &[(b"bare", 1.0), (readable, 2.0), (b"bone", 3.0)]);
    let url = server.url();
    let release = |args: &[&str]| {
        let words = ["quarantine", "release", "orders", "--all", "--yes"];
        run(&url, &[&words, args].concat())
    };
    let released = release(&[]);
    assert_eq!(released.code, 0);
    assert!(released.stderr.contains("released 1 of 3"), "{released:?}");
    assert_eq!(server.run::<u64>(&["ZCARD", KEY]), 2);
    assert_eq!(release(&[]).code, 2, "nobody can read them");

    assert_eq!(release(&["--as-payload"]).code, 0);
    assert_eq!(target(&server), ["bare", "bone"]);
    assert_eq!(release(&["--as-payload"]).code, 3, "it is empty");
}

/// Such a revision had the payload within the lease; the changelog says what becomes of it.
#[test]
fn what_a_process_of_an_older_revision_had_claimed_comes_back() {
    let server = Server::start();
    let url = server.url();
    let lease = [&[20][..], &[7; 20], &5_u64.to_le_bytes(), b"older"].concat();
    let mut connection = server.connection();
    let () = connection
        .zadd("rdq1_leases:{orders}", lease, 1_000)
        .unwrap();
    // Whoever takes sets it aside.
    assert_eq!(run(&url, &["take", "orders"]).code, 3, "nothing came");
    let [name] = names(&url).try_into().unwrap();
    done(&url, &["quarantine", "release", "orders", &name]);
    assert_eq!(json(&url, &["ls", "orders"])[0]["value"], "older");
    assert!(!server.run::<bool>(&["EXISTS", "rdq1_leases:{orders}"]));
}

#[test]
fn deleted_members_are_printed_and_can_be_imported() {
    let server = Server::start();
    set_aside(
        &server,
        &[
            (b"one", 1.0),
            (b"\xff\0two", 2.5),
            (b"rdq1: so many more were dropped", 3.0),
        ],
    );
    let url = server.url();
    let [one, _] = names(&url).try_into().unwrap();
    assert_eq!(run(&url, &["quarantine", "drop", "orders", &one]).code, 4);
    assert_eq!(server.run::<u64>(&["ZCARD", KEY]), 3);
    let backup = done(&url, &["quarantine", "drop", "orders", "--all", "--yes"]);
    assert!(!server.run::<bool>(&["EXISTS", KEY]));
    let line = r#"{"kind":"quarantined","member":"/wB0d28=","score":"2.5"}"#;
    assert!(backup.lines().any(|it| it == line), "{backup}");
    let restored = fed(&url, &["import", "orders", "-"], &backup);
    assert_eq!(restored.code, 0, "{restored:?}");
    let members: Vec<Vec<u8>> = server.run(&["ZRANGE", KEY, "0", "-1", "WITHSCORES"]);
    let expected: [&[u8]; 4] = [b"one", b"1", b"\xff\0two", b"2.5"];
    assert_eq!(members, expected);

    // Without a count of members that did not fit, nobody needs the right to delete the key.
    let rules = [
        "ACL", "SETUSER", "low", "on", ">low", "~*", "&*", "+@all", "-unlink",
    ];
    server.run::<()>(&rules);
    let low = url.replace("redis://", "redis://low:low@");
    done(&low, &["quarantine", "drop", "orders", "--all", "--yes"]);
    let count = (b"rdq1: so many more were dropped", 3.0);
    set_aside(&server, &[(b"one", 1.0), (count.0, count.1)]);
    let denied = run(&low, &["quarantine", "drop", "orders", "--all", "--yes"]);
    assert_eq!(denied.code, 1, "{denied:?}");
    let said = "deleted before it failed: 1 member: the count of those that did not fit";
    assert!(denied.stderr.contains(said), "{denied:?}");
    done(&url, &["quarantine", "drop", "orders", "--all", "--yes"]);
    let empty = command(&url, &["quarantine", "drop", "orders", "--all", "--yes"]);
    assert_eq!({ empty }.status().unwrap().code(), Some(3));
}

#[test]
fn an_interrupted_drop_deletes_each_member_that_it_has_printed() {
    let server = Server::start();
    let members = [b"one", b"two", b"six"].map(|it| it.repeat(100_000));
    set_aside(&server, &members.each_ref().map(|it| (&it[..], 1.0)));
    let drop = ["quarantine", "drop", "orders", "--all", "--yes"];
    let printed = interrupted(&server, &drop, 1);
    let left: usize = server.run(&["ZCARD", KEY]);
    let printed = printed.matches("\"quarantined\"").count();
    assert!(printed >= 1);
    assert_eq!(printed, 3 - left);
}

#[test]
fn the_doctor_says_how_many_members_of_the_quarantine_can_be_read() {
    let server = Server::start();
    let said = || {
        let found = run(&server.url(), &["doctor", "orders", "--json"]).stdout;
        let mut lines = found.lines();
        let line = lines.find(|it| it.contains("\"check\":\"quarantine\""));
        line.unwrap().to_owned()
    };
    set_aside(&server, &[(b"bad", 1.0)]);
    assert!(said().contains("1 member is in the quarantine, and none can be read."));
    set_aside(&server, &[(&new(1, b"good"), 2.0)]);
    assert!(said().contains("2 members are in the quarantine, and 1 can be read."));
}
