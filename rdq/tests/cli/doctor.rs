//! `rdq doctor`

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use redis::cmd;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue};
use serde_json::Value;
use testbed::{ClockOffset, Cluster, Server, Settings, until};

use crate::broken::{Broken, new, old};
use crate::rdq::{Run, done, run};

/// The findings by the names of their checks, and the exit code.
fn findings(url: &str, args: &[&str]) -> (BTreeMap<String, Value>, i32) {
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
fn healthy() -> Server {
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
            assert!(found[check]["example"].is_string(), "{found:#?}");
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
    orders.offer(b"\x08no member", "1");
    let (found, _) = findings(&server.url(), &["orders"]);
    // The sizes of the two keys prove that there is another.
    assert_eq!(found["ghosts"]["count"], 2);
    assert_eq!(found["malformed"]["count"], 1);
}

#[test]
fn an_overdue_queue_without_listeners_is_critical_and_one_that_waits_a_warning() {
    let server = healthy();
    let mut orders = Broken::at(&server, "orders");
    let (later, now) = (orders.later(), orders.now_ms());
    orders.offer(&new(1, b"later"), &later);
    let (found, code) = findings(&server.url(), &[]);
    assert_eq!((severity(&found, "stall"), code), ("warning", 5));
    orders.offer(&new(2, b"overdue"), &(now - 60_000).to_string());
    let (found, code) = findings(&server.url(), &[]);
    assert_eq!((severity(&found, "stall"), code), ("critical", 6));
    assert_eq!(found["stall"]["count"], 1);
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
    assert_eq!((severity(&found, "role"), code), ("critical", 6));
    assert!(found["role"]["advice"].as_str().unwrap().contains(&port));
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
    let types = found["types"]["what"].as_str().unwrap();
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
fn settings_that_hurt_are_named() {
    let settings = [
        ("maxmemory", "500mb"),
        ("maxmemory-policy", "allkeys-lru"),
        ("timeout", "30"),
        ("tcp-keepalive", "0"),
        ("client-output-buffer-limit", "pubsub 64kb 32kb 60"),
        ("min-replicas-to-write", "1"),
    ];
    let settings = settings
        .iter()
        .fold(Settings::new(), |all, (name, value)| all.set(name, value));
    let server = Server::with(&settings);
    let (found, code) = findings(&server.url(), &[]);
    assert_eq!(code, 6);
    assert_eq!(severity(&found, "eviction"), "critical");
    assert_eq!(severity(&found, "role"), "critical");
    for check in ["persistence", "buffers", "idle"] {
        assert_eq!(severity(&found, check), "warning");
    }
    server.run::<()>(&["CONFIG", "SET", "maxmemory", "1mb"]);
    let (found, _) = findings(&server.url(), &[]);
    assert_eq!(severity(&found, "memory"), "critical");
}

#[test]
fn a_clock_that_is_wrong_is_noticed() {
    let server = healthy();
    server.set_clock(ClockOffset::ahead(60));
    server.restart();
    let (found, code) = findings(&server.url(), &[]);
    assert_eq!((severity(&found, "clock"), code), ("critical", 6));
    let ahead_ms = found["clock"]["count"].as_u64().unwrap();
    assert!((50_000..70_000).contains(&ahead_ms), "{ahead_ms}");
}

#[test]
fn a_name_that_crosses_slots_is_critical_in_a_cluster() {
    let cluster = Cluster::without_replicas();
    let (found, code) = findings(&cluster.url(), &["a{b"]);
    assert_eq!((severity(&found, "slots"), code), ("critical", 6));
    let server = healthy();
    let (found, code) = findings(&server.url(), &["a{b"]);
    assert_eq!((severity(&found, "slots"), code), ("note", 0));
}

#[test]
fn a_java_user_without_the_channel_is_found_before_it_fails_and_after() {
    let server = healthy();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.offer(&new(1, b"later"), &later);
    let rule = "ACL SETUSER java on nopass ~orders ~redisson_delay_queue:{orders} \
                ~redisson_delay_queue_timeout:{orders} +@all resetchannels";
    server.run::<()>(&rule.split_whitespace().collect::<Vec<_>>());
    let client = redis::Client::open(format!("redis://java:x@127.0.0.1:{}", server.port()));
    let mut java = client.unwrap().get_connection().unwrap();
    cmd("PING").exec(&mut java).unwrap();
    let (found, _) = findings(&server.url(), &[]);
    assert_eq!(severity(&found, "rights"), "warning");
    let example = found["rights"]["example"].as_str().unwrap();
    assert!(
        example.contains("~redisson_delay_queue_channel:{orders}"),
        "{example}"
    );
    assert!(
        example.contains("&redisson_delay_queue_channel:{orders}"),
        "{example}"
    );
    assert!(
        !example.contains("~redisson_delay_queue_timeout"),
        "{example}"
    );

    drop(java);
    let mut java = redis::Client::open(format!("redis://java:x@127.0.0.1:{}", server.port()))
        .unwrap()
        .get_connection()
        .unwrap();
    let refused = cmd("PUBLISH")
        .arg(orders.keys.channel())
        .arg("1")
        .exec(&mut java);
    assert!(refused.is_err());
    drop(java);
    let said = run(&server.url(), &["doctor"]).stdout;
    let refusal = "Redis refused java the channel redisson_delay_queue_channel:{orders}, 1 time.";
    assert!(said.contains(refusal), "{said}");
}

#[test]
fn an_operator_without_rights_sees_what_it_may() {
    let server = healthy();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(1);
    let rule = "ACL SETUSER poor on >poor ~* &* +@all -lrange -config -acl";
    server.run::<()>(&rule.split_whitespace().collect::<Vec<_>>());
    let url = format!("redis://poor:poor@127.0.0.1:{}", server.port());
    let (found, code) = findings(&url, &["orders"]);
    assert_eq!(severity(&found, "stall"), "critical");
    assert_eq!(severity(&found, "unread"), "note");
    let example = found["rights"]["example"].as_str().unwrap();
    assert!(example.contains("lrange"), "{example}");
    assert_eq!(code, 6);
}

#[test]
fn elements_that_nobody_takes_or_gives_back_are_counted() {
    let server = healthy();
    let mut orders = Broken::at(&server, "orders");
    let keys = orders.keys.clone();
    let past = (orders.now_ms() - 60_000).to_string();
    for i in 0..3 {
        orders.run::<()>("RPUSH", ("orders", "ready"));
        orders.run::<()>("ZADD", (keys.leases(), &past, format!("lease {i}")));
        orders.run::<()>("ZADD", (keys.quarantine(), &past, format!("bad {i}")));
        orders.run::<()>("RPUSH", (keys.default_dead_letters(), "dead"));
    }
    let (found, code) = findings(&server.url(), &[]);
    assert_eq!(code, 5);
    for check in ["consumers", "leases", "quarantine", "dead"] {
        assert_eq!(severity(&found, check), "warning");
        assert_eq!(found[check]["count"], 3, "{found:#?}");
    }
    // A client that waits for some list may be the consumer.
    let mut waiting = server.connection();
    let waits = std::thread::spawn(move || {
        let nothing: Option<(String, String)> = cmd("BLPOP")
            .arg("no")
            .arg(0)
            .query(&mut waiting)
            .unwrap_or(None);
        nothing
    });
    until("the client waits", || {
        let list: String = server.run(&["CLIENT", "LIST"]);
        list.contains("cmd=blpop").then_some(()).ok_or(list)
    });
    let (found, _) = findings(&server.url(), &[]);
    assert!(!found.contains_key("consumers"), "{found:#?}");
    server.run::<()>(&["RPUSH", "no", "more"]);
    waits.join().unwrap();
}

#[test]
fn a_key_that_will_vanish_is_named() {
    let server = healthy();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.offer(&new(1, b"later"), &later);
    let key = orders.keys.timeouts().to_owned();
    orders.run::<()>("PEXPIRE", (key, 3_600_000));
    let (found, _) = findings(&server.url(), &[]);
    assert_eq!(severity(&found, "expiry"), "warning");
}

#[test]
fn the_page_about_it_has_every_check_with_its_severity_and_issues() {
    let listed = done("redis://127.0.0.1:1", &["doctor", "--checks", "--json"]);
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/operating/doctor.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, page) = page.split_once("### The checks").unwrap();
    let (page, _) = page.split_once("\n## ").unwrap();
    let mut count = 0;
    for line in listed.lines() {
        let about: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| about[name].as_str().unwrap().to_owned();
        let row = format!("| `{}` | {} |", text("check"), text("severity"));
        let row = page.lines().find(|it| it.starts_with(&row));
        let row = row.unwrap_or_else(|| panic!("no row for {line}"));
        for issue in about["issues"].as_array().unwrap() {
            assert!(
                row.contains(issue.as_str().unwrap()),
                "{issue} is not in {row}"
            );
        }
        count += 1;
    }
    assert_eq!(
        page.lines().filter(|it| it.starts_with("| `")).count(),
        count
    );
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
    assert!(stdout.contains("`rdq repair orders`"), "{stdout}");
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
