//! `rdq doctor`

use std::collections::BTreeMap;
use std::time::Duration;

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue};
use serde_json::Value;
use testbed::{Server, Settings, until};

use crate::broken::{Broken, new, old};
use crate::fill::costs;
use crate::rdq::{Run, run};
use crate::terminal::Terminal;

/// The findings by the names of their checks, and the exit code.
pub(crate) fn findings(url: &str, args: &[&str]) -> (BTreeMap<String, Value>, i32) {
    let all = [&["doctor", "--json"], args].concat();
    let run = run(url, &all);
    let lines = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let named = lines.map(|it: Value| (it["check"].as_str().unwrap().to_owned(), it));
    (named.collect(), run.code)
}

fn severity<'a>(findings: &'a BTreeMap<String, Value>, check: &str) -> &'a str {
    let finding = findings.get(check);
    let finding = finding.unwrap_or_else(|| panic!("{check} is not among {findings:#?}"));
    finding["severity"].as_str().unwrap()
}

/// A server that keeps what it has, so that no check warns.
pub(crate) fn healthy() -> Server {
    Server::with(&Settings::new().set("appendonly", "yes"))
}

async fn moved(url: &str) -> DelayedQueue<String> {
    let client = Client::connect(url).await.unwrap();
    client.delayed_queue("orders", StringCodec).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_that_works_is_well() {
    let server = healthy();
    let orders = moved(&server.url()).await;
    for _ in 0..10 {
        orders
            .offer(&"later".to_owned(), Duration::from_secs(3_600))
            .await
            .unwrap();
    }
    until("the client listens", || {
        let of = ["PUBSUB", "NUMSUB", "redisson_delay_queue_channel:{orders}"];
        let (_, count): (String, u64) = server.run(&of);
        (count == 1)
            .then_some(())
            .ok_or_else(|| "nobody".to_owned())
    });
    let examined = run(&server.url(), &["doctor"]);
    assert_eq!(examined.code, 0, "{examined:?}");
    assert!(examined.stdout.contains("all is well"), "{examined:?}");
}

#[test]
fn each_defect_of_members_is_found_and_unlisted_ones_are_none() {
    let server = healthy();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(6);
    let later = orders.later();
    for i in 0..4 {
        orders.offer(&old(i, b"old"), &later);
    }
    for args in [&["orders"][..], &["orders", "--full"], &[]] {
        let (found, code) = findings(&server.url(), args);
        assert_eq!(code, 6, "{found:#?}");
        let expected = [
            ("ghosts", 6),
            ("repeats", 6),
            ("unlisted", 6),
            ("malformed", 6),
            ("scores", 6),
            ("format", 4),
        ];
        for (check, count) in expected {
            assert_eq!(found[check]["count"], count, "{check}: {found:#?}");
            assert_eq!(found[check]["queue"], "orders");
            let example = found[check]["example"].as_str().unwrap();
            // A number of ms tells people nothing. Ghosts have none.
            let has_score = example.contains("score");
            assert_eq!(has_score, example.contains(", due "), "{example}");
            assert!(found[check]["advice"].as_str().unwrap().contains("rdq"));
        }
        let scores = found["scores"]["what"].as_str().unwrap();
        assert!(
            scores.contains("2 negative, 2 above, 2 between two ms"),
            "{scores}"
        );
    }
}

#[test]
fn a_large_queue_is_sampled_unless_all_of_it_is_to_be_read() {
    let server = healthy();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    for i in 0..12_000 {
        orders.offer(&new(i, b"good"), &later);
        if i == 6_000 {
            orders.list(&new(1 << 40, b"ghost"));
        }
    }
    let quick = run(&server.url(), &["doctor", "orders"]);
    assert!(
        quick.stdout.contains("8,000 of 24,001 members"),
        "{quick:?}"
    );
    let (found, _) = findings(&server.url(), &["orders"]);
    assert!(!found.contains_key("ghosts"), "{found:#?}");
    let (found, _) = findings(&server.url(), &["orders", "--full"]);
    assert_eq!(found["ghosts"]["count"], 1);
    // At the ends, a quick look finds them as well.
    orders.list(&new(2 << 40, b"ghost"));
    orders.offer(&new(3 << 40, b"good"), &later);
    orders.offer(b"\x08no member", "1");
    let (found, _) = findings(&server.url(), &["orders"]);
    // The sizes of the two keys prove that there is another.
    assert_eq!(found["orphans"]["count"], 2);
    assert_eq!(found["malformed"]["count"], 1);
}

#[test]
fn listeners_that_move_nothing_are_noticed_wherever_they_listen() {
    let master = healthy();
    let replica = Server::with(&Settings::new().set("appendonly", "yes"));
    let port = master.port().to_string();
    replica.run::<()>(&["REPLICAOF", "127.0.0.1", &port]);
    // The replica says so earlier than the master, which is asked for its replicas.
    until("the master knows the replica", || {
        let replica = master.info("replication", "slave0").unwrap();
        replica
            .as_deref()
            .is_some_and(|it| it.contains("state=online"))
            .then_some(())
            .ok_or(format!("{replica:?}"))
    });
    let mut orders = Broken::at(&master, "orders");
    let now = orders.now_ms();
    orders.offer(&new(1, b"overdue"), &(now - 60_000).to_string());
    let mut listener = replica.connection();
    let mut listener = listener.as_pubsub();
    listener.subscribe(orders.keys.channel()).unwrap();
    let (found, code) = findings(&master.url(), &[]);
    assert_eq!((severity(&found, "stall"), code), ("critical", 6));
    let what = found["stall"]["what"].as_str().unwrap();
    assert!(
        what.contains("1 client listens, but nothing moves"),
        "{what}"
    );

    let (found, code) = findings(&replica.url(), &[]);
    assert_eq!((severity(&found, "replica"), code), ("critical", 6));
    assert!(found["replica"]["advice"].as_str().unwrap().contains(&port));
}

#[test]
fn a_key_of_another_type_is_named_and_the_rest_examined() {
    let server = healthy();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(1);
    orders.run::<()>("SET", ("orders", "foreign"));
    orders.run::<()>("SET", ("rdq1_quarantine:{orders}", "foreign"));
    let examined = run(&server.url(), &["doctor"]);
    let said = examined.stdout;
    assert!(
        said.contains("The key orders holds a string, and should hold a list."),
        "{said}"
    );
    assert!(
        said.contains("The key rdq1_quarantine:{orders} holds a string"),
        "{said}"
    );
    let (found, _) = findings(&server.url(), &[]);
    assert_eq!(found["ghosts"]["count"], 1);
}

/// Java reads them as a list of the same name.
#[test]
fn the_default_dead_letters_belong_to_the_queue() {
    let server = healthy();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.offer(&new(1, b"good"), &later);
    orders.run::<()>("RPUSH", ("{orders}-dead", "dead"));
    orders.run::<()>("EXPIRE", ("{orders}-dead", 3_600));
    orders.run::<()>("SET", ("rdq1_dead_notes:{orders}-dead", "foreign"));
    let (found, _) = findings(&server.url(), &[]);
    let expiry = found["expiry"]["what"].as_str().unwrap();
    assert!(
        expiry.contains("The key {orders}-dead vanishes in "),
        "{expiry}"
    );
    let types = found["rust-types"]["what"].as_str().unwrap();
    assert!(
        types.contains("The key rdq1_dead_notes:{orders}-dead holds a string"),
        "{types}"
    );
    orders.run::<()>("DEL", "rdq1_dead_notes:{orders}-dead");
    orders.run::<()>("SET", ("{orders}-dead", "foreign"));
    let (found, code) = findings(&server.url(), &[]);
    assert_eq!((severity(&found, "types"), code), ("critical", 6));
    let types = found["types"]["what"].as_str().unwrap();
    assert!(
        types.contains("The key {orders}-dead holds a string, and should hold a list"),
        "{types}"
    );
}

#[test]
fn a_name_that_crosses_slots_is_a_note_without_a_cluster() {
    let server = healthy();
    let (found, code) = findings(&server.url(), &["a{b"]);
    assert_eq!((severity(&found, "slots"), code), ("note", 0));
}

#[test]
fn leases_are_compared_with_the_clock_by_which_they_end() {
    let server = healthy();
    let mut orders = Broken::at(&server, "orders");
    let keys = orders.keys.clone();
    let now_ms = orders.now_ms();
    orders.run::<()>("ZADD", (keys.leases(), now_ms + 3_600_000, "lease"));
    let (found, _) = findings(&server.url(), &[]);
    assert!(!found.contains_key("leases"), "{found:#?}");
    // Redis's clock has gone back by two hours.
    let note = format!("{} 0", (now_ms + 7_200_000) * 1_000);
    orders.run::<()>("SET", (keys.clock(), note));
    let (found, _) = findings(&server.url(), &[]);
    assert_eq!(found["leases"]["count"], 1, "{found:#?}");
}

/// People see the worst first, and what to do.
#[test]
fn people_read_the_worst_first() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(1);
    let Run {
        stdout,
        stderr,
        code,
    } = run(&server.url(), &["doctor"]);
    assert_eq!(code, 6);
    let severities: Vec<_> = stdout
        .lines()
        .filter_map(|line| line.split_once("  ").map(|(first, _)| first.trim()))
        .filter(|it| ["CRITICAL", "WARNING", "NOTE"].contains(it))
        .collect();
    assert!(severities.is_sorted(), "{stdout}");
    // Commands are not broken between lines: people copy them.
    let repair = "              rdq repair orders --only malformed --apply";
    assert!(stdout.lines().any(|it| it == repair), "{stdout}");
    assert!(stderr.contains("critical"), "{stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_that_redis_does_not_know_is_not_called_well() {
    let server = healthy();
    let url = server.url();
    let unknown = run(&url, &["doctor", "nosuch"]);
    assert_eq!((unknown.code, &*unknown.stdout), (3, ""), "{unknown:?}");
    assert!(unknown.stderr.contains("nosuch"), "{unknown:?}");
    // It is empty, and a client waits for it.
    let _orders = moved(&url).await;
    until("the queue is known", || {
        let run = run(&url, &["doctor", "orders"]);
        (run.code == 0).then_some(()).ok_or(format!("{run:?}"))
    });
    let both = run(&url, &["doctor", "orders", "nosuch"]);
    assert_eq!(both.code, 3, "{both:?}");
    assert!(both.stdout.contains("1 queue examined"), "{both:?}");
}

#[test]
fn findings_of_one_kind_come_together_however_many_queues_have_them() {
    let server = healthy();
    for i in 0..40 {
        let mut queue = Broken::at(&server, &format!("orders-{i:02}"));
        let later = queue.later();
        queue.offer(&new(1, b"later"), &later);
    }
    let whole = run(&server.url(), &["doctor"]);
    assert!(whole.stdout.contains("40 queues  [waiting]"), "{whole:?}");
    assert!(whole.stdout.contains("orders-02: 1 element"), "{whole:?}");
    assert!(whole.stdout.contains("and 37 more"), "{whole:?}");
    assert!(whole.stdout.lines().count() < 40, "{whole:?}");
    let advice = whole.stdout.split_once("For orders-00:\n").unwrap().1;
    assert!(
        advice.contains("For orders-02:\n              rdq transfer orders-02\n"),
        "{whole:?}"
    );
    assert!(
        advice.contains("and 37 more: --json has each."),
        "{whole:?}"
    );
    let brief = run(&server.url(), &["doctor", "--brief"]);
    assert_eq!(brief.stdout.lines().count(), 2, "{brief:?}");
    let line = "WARNING   40 queues  [waiting]  orders-00, orders-01, orders-02, …\n";
    assert!(brief.stdout.starts_with(line), "{brief:?}");
    let (_, code) = findings(&server.url(), &[]);
    assert_eq!((code, brief.code), (5, 5));
    let mut terminal = Terminal::run(&server.url(), &["doctor", "--brief"], 100, 30);
    assert_eq!(terminal.ends(), 5);
    terminal.shows(&["WARNING 40 queues"]);
    assert!(terminal.has_colours());
    assert!(!whole.stdout.contains('\x1b'), "{whole:?}");
}

#[test]
fn an_element_that_is_just_due_is_not_called_overdue() {
    let server = healthy();
    let mut orders = Broken::at(&server, "orders");
    let (member, due) = (new(1, b"good"), orders.now_ms() + 500);
    orders.offer(&member, &due.to_string());
    until("it is just due", || {
        let (found, _) = findings(&server.url(), &["orders"]);
        let Some(waiting) = found.get("waiting") else {
            // A busy machine looks too late.
            let due = orders.now_ms() + 500;
            orders.schedule(&member, &due.to_string());
            return Err("it is overdue".to_owned());
        };
        let what = waiting["what"].as_str().unwrap();
        let example = waiting["example"].as_str().unwrap();
        assert_eq!(what.contains("none is due"), example.contains("is due in"));
        match what.contains("1 is just due") {
            true => Ok(()),
            false => Err(what.to_owned()),
        }
    });
}

/// The name may be misspelt. Only what is critical matters more.
#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_nobody_knows_is_an_error_and_the_others_are_examined() {
    let server = healthy();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.offer(&new(1, b"good"), &later);
    let examine = || run(&server.url(), &["doctor", "orders", "typo"]);
    let unknown = "rdq: there is no key and no client of a queue called typo\n";
    let examined = examine();
    assert_eq!(examined.code, 3, "{examined:?}");
    assert!(examined.stdout.contains("[waiting]"), "{examined:?}");
    let said = format!("rdq: findings: 0 critical, 1 warning\n{unknown}");
    assert_eq!(examined.stderr, said);

    orders.offer(&new(2, b"overdue"), "1700000000000");
    let examined = examine();
    assert_eq!(examined.code, 6, "{examined:?}");
    let said = format!("{unknown}rdq: findings: 1 critical, 0 warnings\n");
    assert_eq!(examined.stderr, said);

    let mover = moved(&server.url()).await;
    until("the element is moved and taken", || {
        let (found, _) = findings(&server.url(), &["orders"]);
        let stalls = found.contains_key("stall") || found.contains_key("waiting");
        (!stalls).then_some(()).ok_or(format!("{found:#?}"))
    });
    assert_eq!(mover.take().await.unwrap(), "overdue");
    let examined = examine();
    assert_eq!((examined.code, &*examined.stderr), (3, unknown));
    assert!(examined.stdout.contains("all is well"), "{examined:?}");
}

#[test]
fn an_ordering_list_that_is_gone_is_called_so() {
    let server = healthy();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.schedule(&new(1, b"good"), &later);
    let (found, _) = findings(&server.url(), &["orders"]);
    let what = found["unlisted"]["what"].as_str().unwrap();
    assert!(what.contains("there is none any more"), "{what}");
    let first = found["unlisted"]["commands"][0].as_str().unwrap();
    assert_eq!(first, "rdq repair orders --only unlisted --apply");
}

#[test]
fn findings_leave_out_counts_of_zero() {
    let server = healthy();
    let mut orders = Broken::at(&server, "orders");
    orders.offer(&new(1, b"early"), "-5");
    orders.list(&new(2, b"orphan"));
    orders.list(&new(3, b"orphan"));
    let token = [&[7_u8; 26][..], &[0; 8]].concat();
    orders.run::<()>("ZADD", (orders.keys.retries().to_owned(), 1_000, token));
    orders.run::<()>("SELECT", 3);
    orders.offer(&new(1, b"other"), "9000000000000");
    let strict = ["CONFIG", "SET", "min-replicas-to-write", "1"];
    let _: () = server.run(&strict);
    let (found, _) = findings(&server.url(), &["orders"]);
    for (check, what) in [
        ("databases", "Database 3 has a queue of this name, too."),
        (
            "few-replicas",
            "The master needs 1 replica to take a write, and has 0.",
        ),
        (
            "scores",
            "1 due time is no whole number of ms from 0 to 2^53: 1 negative.",
        ),
        (
            "deliveries",
            "1 element waits for a Consumer: 1 due for another attempt.",
        ),
        (
            "orphans",
            "2 entries of the ordering list have no due time. rdq cannot tell whether their \
             elements were delivered.",
        ),
    ] {
        assert_eq!(found[check]["what"], what);
    }
}

/// Each queue asked for the log of refusals, which may be long, and for the number of the database.
#[test]
fn what_all_queues_share_is_asked_once_a_server() {
    let server = Server::start();
    for i in 0..5 {
        let name = format!("orders {i}");
        let mut queue = Broken::at(&server, &name);
        let later = queue.later();
        queue.offer(&new(1, b"good"), &later);
        server.run::<()>(&["RPUSH", &name, "ready"]);
    }
    server.run::<()>(&["CONFIG", "RESETSTAT"]);
    run(&server.url(), &["doctor"]);
    // Redis 6.2 does not tell them apart.
    let shared = ["acl|log", "client|info", "client|list"];
    for (name, calls, _) in costs(&server) {
        assert!(calls == 1 || !shared.contains(&&*name), "{name}: {calls}");
    }
}
