//! `rdq ls`

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use redisson_delayed_queue::script::Script;
use redisson_delayed_queue::{Listing, Offer};
use serde_json::Value;
use testbed::{Program, Server};

use crate::broken::{Broken, new};
use crate::fill::{costs, fill};
use crate::rdq::{command, done, json, queue, run};

const HOUR: Duration = Duration::from_secs(3_600);

fn values(rows: &[Value]) -> Vec<&str> {
    rows.iter()
        .map(|row| row["value"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn pending_elements_come_by_due_time_or_by_offer() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    let mut tickets = Vec::new();
    for (value, hours) in [("c", 3), ("a", 1), ("d", 4), ("b", 2)] {
        let ticket = orders.offer(&value.to_owned(), HOUR * hours).await.unwrap();
        tickets.push(ticket.to_string());
    }
    let url = server.url();
    let by_due = json(&url, &["ls", "orders"]);
    assert_eq!(values(&by_due), ["a", "b", "c", "d"]);
    let by_offer = json(&url, &["ls", "orders", "--offered"]);
    assert_eq!(values(&by_offer), ["c", "a", "d", "b"]);
    let shown: Vec<_> = by_offer
        .iter()
        .map(|row| row["ticket"].as_str().unwrap())
        .collect();
    assert_eq!(shown, tickets);

    // Pages, and ranges of time. The due time of one row is the beginning of the next range.
    let page = |args: &[&str]| json(&url, &[&["ls", "orders"], args].concat());
    assert_eq!(
        values(&page(&["--limit", "2", "--offset", "1"])),
        ["b", "c"]
    );
    assert_eq!(values(&page(&["--offered", "-n1", "--offset", "2"])), ["d"]);
    let due = by_due[2]["due_ms"].to_string();
    assert_eq!(values(&page(&["--after", &due])), ["c", "d"]);
    assert_eq!(values(&page(&["--before", &due])), ["a", "b"]);
    assert_eq!(values(&page(&["--after", &due, "--offset", "1"])), ["d"]);
    assert_eq!(
        values(&page(&["--after=-1h", "--before", "+150m"])),
        ["a", "b"]
    );
    assert!(page(&["--offset", "4"]).is_empty());

    // Searches.
    assert_eq!(values(&page(&["--match", "c"])), ["c"]);
    assert_eq!(values(&page(&["--match", "\"", "--offset", "3"])), ["d"]);
    let ids = done(&url, &["ls", "orders", "--id-only"]);
    let quoted = json(&url, &["ls", "orders", "--id-only"]);
    let quoted = quoted.iter().map(|it| it.as_str().unwrap());
    assert!(quoted.eq(ids.lines()));
    let whole: Vec<_> = by_due
        .iter()
        .map(|row| row["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.lines().collect::<Vec<_>>(), whole);
}

#[tokio::test]
async fn a_table_shows_the_due_time_and_a_piece_of_the_id() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    let noon = UNIX_EPOCH + Duration::from_secs(4_102_488_000);
    let offer = Offer::at(noon);
    let ticket = orders
        .offer_with(&"order 17".to_owned(), offer)
        .await
        .unwrap()
        .ticket;
    let table = done(&server.url(), &["ls", "orders"]);
    let [heading, row] = table.lines().collect::<Vec<_>>().try_into().unwrap();
    assert!(heading.starts_with("ID  "), "{heading}");
    let id: String = ticket.id()[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert!(row.starts_with(&id), "{row}");
    assert!(row.contains("2100-01-01T12:00:00Z"), "{row}");
    assert!(row.ends_with("\"order 17\""), "{row}");
}

/// Many elements are due in one millisecond, and a page ends among them.
#[tokio::test]
async fn pages_neither_repeat_nor_leave_out_elements_of_one_millisecond() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    let due = SystemTime::now() + HOUR;
    let offers = (0..20).map(|i| (format!("v{i:02}"), Offer::at(due)));
    orders.offer_all(offers).await.unwrap();
    orders
        .offer(&"first".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    let mut read = Vec::new();
    for offset in (0..21).step_by(4) {
        let offset = offset.to_string();
        let rows = json(
            &server.url(),
            &["ls", "orders", "-n", "4", "--offset", &offset],
        );
        read.extend(values(&rows).into_iter().map(str::to_owned));
    }
    assert_eq!(read.len(), 21, "{read:?}");
    assert_eq!(read[0], "first");
    assert!(read[1..].is_sorted(), "{read:?}");
}

#[tokio::test]
async fn what_no_codec_reads_is_shown_with_its_bytes() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    orders.offer(&"no number".to_owned(), HOUR).await.unwrap();
    let [row] = json(&server.url(), &["ls", "orders", "--codec", "kryo5"])
        .try_into()
        .unwrap();
    assert_eq!(row["value"], Value::Null, "{row}");
    assert_eq!(row["payload"], "bm8gbnVtYmVy");
    assert_eq!(row["size"], 9);
    let table = done(&server.url(), &["ls", "orders", "--codec", "kryo5"]);
    assert!(table.contains("(unreadable: "), "{table}");
}

/// A payload that is JSON may have several lines.
#[tokio::test]
async fn json_of_several_lines_is_one_line() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    let pretty = "{\n  \"id\": 17\n}".to_owned();
    orders.offer(&pretty, HOUR).await.unwrap();
    let [row] = json(&server.url(), &["ls", "orders", "--codec", "json"])
        .try_into()
        .unwrap();
    assert_eq!(row["value"]["id"], 17);
    let table = done(&server.url(), &["ls", "orders", "--codec", "json"]);
    assert_eq!(table.lines().count(), 2, "{table}");
}

#[tokio::test]
async fn ready_elements_have_places() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    let values = ["a", "b", "c"].map(str::to_owned);
    orders.destination().add_all(&values).await.unwrap();
    let rows = json(&server.url(), &["ls", "orders", "--ready", "--offset", "1"]);
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row["place"].as_u64().unwrap(),
                row["value"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(rows, [(1, "b"), (2, "c")]);
}

#[tokio::test]
async fn an_unlisted_element_and_its_expiry_are_told() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    let orders = orders.with_listing(Listing::Unlisted);
    let expires = UNIX_EPOCH + Duration::from_secs(4_102_488_000);
    let offer = Offer::after(HOUR).expires_at(expires);
    orders.offer_with(&"17".to_owned(), offer).await.unwrap();
    let [row] = json(&server.url(), &["ls", "orders"]).try_into().unwrap();
    assert_eq!(row["listed"], false);
    assert_eq!(row["expires_ms"], 4_102_488_000_000_u64);
    assert!(json(&server.url(), &["ls", "orders", "--offered"]).is_empty());
}

/// The reader takes one line, and so `rdq` cannot write, nor read, them all.
#[tokio::test]
async fn the_first_rows_of_many_come_before_the_others_are_read() {
    let server = Server::start();
    fill(&server, "orders", 100_000);
    for order in [&[][..], &["--offered"]] {
        server.run::<()>(&["CONFIG", "RESETSTAT"]);
        let args = [&["ls", "orders", "--limit", "0"], order].concat();
        let mut rdq = command(&server.url(), &args);
        let mut rdq = Program::start(rdq.stdout(Stdio::piped()));
        let mut lines = BufReader::new(rdq.stdout.take().unwrap()).lines();
        assert!(lines.next().unwrap().unwrap().starts_with("ID"));
        assert!(lines.next().is_some());
        let scripts = costs(&server)
            .into_iter()
            .filter(|it| it.0.starts_with("eval"));
        let scripts: u64 = scripts.map(|it| it.1).sum();
        assert!(scripts < 100, "{scripts} scripts; all elements take 200");
        assert!(rdq.try_wait().unwrap().is_none(), "it has read everything");
        // `rdq ls | head` is no failure.
        drop(lines);
        assert_eq!(rdq.wait().unwrap().code(), Some(0));
    }
}

#[tokio::test]
async fn many_elements_are_read_in_short_steps() {
    let server = Server::start();
    let url = server.url();
    fill(&server, "orders", 100_000);
    server.run::<()>(&["CONFIG", "RESETSTAT"]);
    for order in [
        &[][..],
        &["--offered"],
        &["--match", "99999"],
        &["--offset", "99990"],
    ] {
        let args = [&["ls", "orders", "--limit", "0", "--id-only"], order].concat();
        let rows = done(&url, &args).lines().count();
        let expected = match order.first() {
            Some(&"--match") => 1,
            Some(&"--offset") => 10,
            _ => 100_000,
        };
        assert_eq!(rows, expected, "{order:?}");
    }
    for (name, _, mean) in costs(&server) {
        assert!(mean < 25_000.0, "{name} takes {mean} us");
    }
}

/// Each row was there all the time, and comes once, while those before it leave.
#[tokio::test]
async fn elements_that_leave_while_the_list_is_read_hide_no_others() {
    let server = Server::start();
    fill(&server, "orders", 20_000);
    let mut rdq = command(
        &server.url(),
        &["ls", "orders", "--offered", "-n0", "--json"],
    );
    let mut rdq = Program::start(rdq.stdout(Stdio::piped()));
    let mut lines = BufReader::new(rdq.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    // It has read a portion at least, and waits for its reader far before the end.
    let list = "redisson_delay_queue:{orders}";
    server.run::<()>(&["LTRIM", list, "200", "-1"]);
    let rows = [Ok(first)].into_iter().chain(lines);
    let rows = rows.map(|row| serde_json::from_str::<Value>(&row.unwrap()).unwrap());
    let ids: Vec<_> = rows
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect();
    assert!(rdq.wait().unwrap().success());
    assert!(ids.is_sorted_by(|a, b| a < b), "an element came twice");
    assert_eq!(ids.len(), 20_000);
}

/// How often `LRANGE` ran since the statistics began.
fn ranges(server: &Server) -> u64 {
    let costs = costs(server);
    let cost = costs.iter().find(|(name, ..)| name == "lrange");
    cost.map_or(0, |(_, calls, _)| *calls)
}

#[test]
fn no_step_reads_more_large_entries_than_it_returns() {
    let server = Server::start();
    let script = "
        for i = 1, 20 do
            local payload = string.rep('x', 300000)
            local member = struct.pack('Bc0Lc0', 8, string.format('%08d', i), #payload, payload)
            redis.call('ZADD', KEYS[1], 4102488000000 + i, member)
            redis.call('RPUSH', KEYS[2], member)
        end";
    let keys = [
        "redisson_delay_queue_timeout:{orders}",
        "redisson_delay_queue:{orders}",
    ];
    server.run::<()>(&["EVAL", script, "2", keys[0], keys[1]]);
    server.run::<()>(&["CONFIG", "RESETSTAT"]);
    let listed = done(&server.url(), &["ls", "orders", "--offered", "--id-only"]);
    assert_eq!(listed.lines().count(), 20);
    assert_eq!(ranges(&server), 20);
}

/// The entry that was read last has moved far, and Redis must not copy all entries to find it.
#[test]
fn a_large_entry_that_moved_is_found_without_reading_those_behind_it() {
    let server = Server::start();
    let script = "for i = 0, 99 do redis.call('RPUSH', KEYS[1], i .. string.rep('x', 300000)) end";
    server.run::<()>(&["EVAL", script, "1", "orders"]);
    server.run::<()>(&["CONFIG", "RESETSTAT"]);
    let list = Script::new(include_str!("../../lua/list.lua"));
    let before = format!("10{}", "x".repeat(300_000));
    let args = [
        "EVAL",
        list.text(),
        "2",
        "orders",
        "timeouts",
        "90",
        &before,
        "1",
        "262144",
    ];
    let (place, entries): (u64, Vec<String>) = server.run(&args);
    assert_eq!((place, &entries[0][..3]), (12, "11x"));
    // One to see that it has moved, and one for the entry behind it.
    assert_eq!(ranges(&server), 2);
}

#[tokio::test]
async fn a_wrong_time_is_refused_before_anything_is_sent() {
    let refused = run("redis://127.0.0.1:1", &["ls", "orders", "--after", "noon"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("not a time"), "{refused:?}");
}

#[test]
fn a_list_that_ends_early_says_so() {
    let server = Server::start();
    fill(&server, "orders", 101);
    let url = server.url();
    for args in [&["ls", "orders"][..], &["ls", "orders", "--json"]] {
        let listed = run(&url, args);
        let rows = listed.stdout.lines().filter(|it| !it.starts_with("ID"));
        assert_eq!(rows.count(), 100, "{args:?}");
        let said = "100 shown, and there are more: -n 0 shows all, --offset 100";
        assert!(listed.stderr.contains(said), "{args:?}: {}", listed.stderr);
    }
    // Who names the limit knows it, and there are no more than all.
    for limit in ["100", "0"] {
        assert_eq!(run(&url, &["ls", "orders", "-n", limit]).stderr, "");
    }
    server.run::<()>(&["ZPOPMAX", "redisson_delay_queue_timeout:{orders}"]);
    assert_eq!(run(&url, &["ls", "orders"]).stderr, "");
}

#[test]
fn an_empty_list_says_what_is_not_there() {
    let server = Server::start();
    fill(&server, "orders", 1);
    let url = server.url();
    server.run::<()>(&["RPUSH", "mails", "ready"]);
    for (args, said) in [
        (&["ls", "mails"][..], "mails has no pending elements\n"),
        (
            &["ls", "orders", "--ready"],
            "orders has no ready elements\n",
        ),
        (
            &["ls", "orders", "--match", "absent"],
            "orders has no such pending elements\n",
        ),
    ] {
        let listed = run(&url, args);
        assert_eq!((listed.code, &*listed.stdout), (0, ""), "{args:?}");
        assert_eq!(listed.stderr, said, "{args:?}");
    }
}

#[test]
fn members_that_nobody_can_read_are_counted() {
    let server = Server::start();
    fill(&server, "orders", 2);
    for key in ["a", "b"] {
        let timeouts = "redisson_delay_queue_timeout:{orders}";
        server.run::<()>(&["ZADD", timeouts, "4102488000000", key]);
        server.run::<()>(&["RPUSH", "redisson_delay_queue:{orders}", key]);
    }
    server.run::<()>(&["RPUSH", "redisson_delay_queue:{orders}", "ghost"]);
    for args in [
        &["ls", "orders", "--json"][..],
        &["ls", "orders", "--offered"],
    ] {
        let listed = run(&server.url(), args);
        let said = "2 members are left out, because nobody can read them. This explains it:\n    \
                    rdq doctor orders\n";
        assert_eq!((listed.code, &*listed.stderr), (0, said), "{args:?}");
    }
}

#[tokio::test]
async fn get_names_the_key_that_has_another_type() {
    let server = Server::start();
    let url = server.url();
    let orders = queue(&url, "orders").await;
    let ticket = orders
        .offer(&"a".to_owned(), Duration::from_secs(3_600))
        .await;
    let ticket = ticket.unwrap().to_string();
    for key in ["redisson_delay_queue:{orders}", "rdq1_keyed:{orders}"] {
        server.run::<()>(&["DEL", key]);
        server.run::<()>(&["SET", key, "foreign"]);
        let failed = run(&url, &["get", "orders", &ticket]);
        assert_eq!(failed.code, 1, "{failed:?}");
        assert!(failed.stderr.contains(key), "{failed:?}");
        assert!(failed.stderr.contains("rdq doctor orders"), "{failed:?}");
        server.run::<()>(&["DEL", key]);
    }
}

/// A repair keeps the first one, and the list has more entries than one step looks at.
#[test]
fn the_place_of_an_element_that_is_listed_twice_is_the_first() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    (0..2_000).for_each(|id| orders.offer(&new(id, b"one"), &later));
    orders.list(&new(3, b"one"));
    let element = format!("{:016x}", 3);
    let found = json(&server.url(), &["get", "orders", &element]);
    assert_eq!(found[0]["place"], 3);
    orders.list(&new(1_999, b"one"));
    let element = format!("{:016x}", 1_999);
    let found = json(&server.url(), &["get", "orders", &element]);
    assert_eq!(found[0]["place"], 1_999);
}

#[test]
fn columns_stay_in_line_whenever_an_element_is_due() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    for (id, score) in [(1, "1"), (2, &*later), (3, "4000000000000")] {
        orders.offer(&new(id, b"value"), score);
    }
    let table = done(&server.url(), &["ls", "orders"]);
    let places: Vec<_> = table.lines().skip(1).map(|it| it.find("value")).collect();
    assert!(places.iter().all(|it| *it == places[0]), "{table}");
}

/// Other programs choose them, and a terminal obeys some characters.
#[tokio::test]
async fn no_key_and_no_value_makes_up_a_line_or_moves_the_cursor() {
    let server = Server::start();
    let url = server.url();
    let orders = queue(&url, "orders").await;
    let offer = Offer::after(HOUR).key("17\u{1b}[2J\nsize 0");
    let value = "v\u{9b}2J\u{202e}".to_owned();
    orders.offer_with(&value, offer).await.unwrap();
    let id = done(&url, &["ls", "orders", "--id-only"]);
    let shown = done(&url, &["get", "orders", id.trim()]);
    assert!(
        !shown.contains(['\u{1b}', '\u{9b}', '\u{202e}']),
        "{shown:?}"
    );
    let sizes = shown.lines().filter(|it| it.starts_with("size"));
    assert_eq!(sizes.count(), 1, "{shown}");
    // The value is the same, as JSON has it.
    assert!(shown.ends_with("\"v\\u009b2J\\u202e\"\n"), "{shown}");
}
