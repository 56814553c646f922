//! `rdq export` and `rdq import`

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use redis::Commands;
use redisson_delayed_queue::{IfPending, Listing, Offer};
use testbed::{Cluster, Directory, Program, Server, Settings, signal, until};

use crate::broken::{Broken, new};
use crate::rdq::{command, done, json, queue, run};

const HOUR: Duration = Duration::from_secs(3_600);

/// A file in a folder of its own, which is removed in the end.
struct File {
    path: String,
    _folder: Directory,
}

impl File {
    fn new() -> Self {
        let folder = Directory::new();
        Self {
            path: folder.file("queue.jsonl"),
            _folder: folder,
        }
    }
}

type Scored = Vec<(Vec<u8>, String)>;

/// Everything that an export holds, as it stands in Redis.
#[derive(Debug, PartialEq)]
struct Contents {
    timeouts: Scored,
    ordering: Vec<Vec<u8>>,
    target: Vec<Vec<u8>>,
    quarantine: Scored,
    keyed: Vec<(Vec<u8>, Vec<u8>)>,
    keyed_due: Scored,
    dead: Vec<Vec<u8>>,
    notes: Vec<Vec<u8>>,
}

impl Contents {
    fn of(server: &Server, name: &str) -> Self {
        let mut connection = server.connection();
        let key = |prefix: &str| format!("{prefix}:{{{name}}}");
        let mut scored =
            |prefix: &str| -> Scored { connection.zrange_withscores(key(prefix), 0, -1).unwrap() };
        let timeouts = scored("redisson_delay_queue_timeout");
        let quarantine = scored("rdq1_quarantine");
        let keyed_due = scored("rdq1_keyed_due");
        let mut list = |key: String| -> Vec<Vec<u8>> { connection.lrange(key, 0, -1).unwrap() };
        let ordering = list(key("redisson_delay_queue"));
        let target = list(name.to_owned());
        let dead = list(format!("{{{name}}}-dead"));
        let notes = list(format!("rdq1_dead_notes:{{{name}}}-dead"));
        let mut keyed: Vec<_> = connection.hgetall(key("rdq1_keyed")).unwrap();
        keyed.sort();
        Self {
            timeouts,
            ordering,
            target,
            quarantine,
            keyed,
            keyed_due,
            dead,
            notes,
        }
    }
}

/// A queue with everything in it: more of each than one portion holds.
async fn fill(url: &str, server: &Server, name: &str) {
    let orders = queue(url, name).await;
    let offers = (0..1_200_u32).map(|i| {
        // Delays in another order than the offers, many of them equal.
        let delay = HOUR + Duration::from_secs(u64::from(i * 7_919 % 400));
        (i.to_string(), Offer::after(delay))
    });
    orders.offer_all(offers).await.unwrap();
    let unlisted = orders.clone().with_listing(Listing::Unlisted);
    for i in 0..5 {
        unlisted
            .offer(&format!("unlisted {i}"), HOUR)
            .await
            .unwrap();
        let keyed = Offer::after(HOUR * 24 * 30).key(format!("key {i}"));
        let keyed = keyed.if_pending(IfPending::Keep);
        orders
            .offer_with(&format!("keyed {i}"), keyed)
            .await
            .unwrap();
    }
    orders.offer(&"x".repeat(600_000), HOUR).await.unwrap();
    for i in 0..700 {
        let _: () = server.run(&["RPUSH", name, &format!("ready {}", i % 3)]);
    }
    // One of Redisson 3.21.0, and a score that only another program writes.
    let mut connection = server.connection();
    let old = b"\x01\x02\x03\x04\x05\x06\x07\x43\x03\0\0\0\0\0\0\0old";
    let timeouts = format!("redisson_delay_queue_timeout:{{{name}}}");
    let _: () = connection.zadd(&timeouts, &old[..], 9e12 + 0.5).unwrap();
    let _: () = connection
        .rpush(format!("redisson_delay_queue:{{{name}}}"), &old[..])
        .unwrap();
    let quarantine = format!("rdq1_quarantine:{{{name}}}");
    let _: () = connection.zadd(quarantine, b"\xff\0bad", 1.5).unwrap();
    // Dead letters with and without notes.
    let consumer = orders.consumer().prefetch(0).build().unwrap();
    for _ in 0..3 {
        let delivery = consumer.recv().await.unwrap();
        delivery.reject("no network").await.unwrap();
    }
    let _: () = server.run(&["RPUSH", &format!("{{{name}}}-dead"), "by hand"]);
}

#[tokio::test]
async fn a_queue_is_the_same_on_another_server_and_a_second_import_changes_nothing() {
    let (from, to) = (Server::start(), Server::start());
    fill(&from.url(), &from, "orders").await;
    let file = File::new();
    done(&from.url(), &["export", "orders", "-o", &file.path]);
    let exists = run(&from.url(), &["export", "orders", "-o", &file.path]);
    assert_eq!(exists.code, 1, "a file is overwritten: {exists:?}");
    let said = format!("rdq: {} exists already: name another file\n", file.path);
    assert_eq!(exists.stderr, said);

    let [imported] = json(&to.url(), &["import", "orders", &file.path])
        .try_into()
        .unwrap();
    assert_eq!(imported["known"], 0);
    let expected = Contents::of(&from, "orders");
    assert_eq!(expected.timeouts.len(), 1_200 + 5 + 5 + 1 + 1);
    assert_eq!(expected.ordering.len(), 1_200 + 5 + 1 + 1);
    assert_eq!((expected.target.len(), expected.notes.len()), (697, 3));
    assert!(Contents::of(&to, "orders") == expected, "they differ");
    for key in ["rdq1_keyed:{orders}", "rdq1_keyed_due:{orders}"] {
        let [from, to] = [&from, &to].map(|it| it.run::<i64>(&["PTTL", key]));
        assert!((from - to).abs() < 60_000, "{key}: {from} {to}");
    }

    let [again] = json(&to.url(), &["import", "orders", &file.path])
        .try_into()
        .unwrap();
    assert_eq!(again["written"], 0);
    assert!(Contents::of(&to, "orders") == expected, "they differ");

    // Not even when elements were taken since.
    let _: () = to.run(&["DEL", "orders"]);
    done(&to.url(), &["import", "orders", &file.path]);
    assert_eq!(to.run::<u64>(&["LLEN", "orders"]), 0);
    // Unless somebody wants that.
    let _: () = to.run(&["FLUSHALL"]);
    done(&to.url(), &["import", "orders", &file.path, "--again"]);
    assert!(Contents::of(&to, "orders") == expected, "they differ");
}

#[tokio::test]
async fn a_queue_moves_from_a_cluster_to_a_server_and_to_another_name() {
    let (cluster, to) = (Cluster::without_replicas(), Server::start());
    let from = cluster.master_of("orders");
    fill(&cluster.url(), &from, "orders").await;
    let file = File::new();
    let text = done(&cluster.url(), &["export", "orders"]);
    fs::write(&file.path, &text).unwrap();
    done(&to.url(), &["import", "renamed", &file.path]);
    let mut expected = Contents::of(&from, "orders");
    // A dead letter goes home to the queue that its note names.
    for note in &mut expected.notes {
        let old = note.splice(94..102, *b"\0\x07renamed");
        assert_eq!(old.collect::<Vec<_>>(), b"\0\x06orders");
    }
    assert!(Contents::of(&to, "renamed") == expected, "they differ");
    let elements = json(&to.url(), &["ls", "renamed", "-n", "3"]);
    assert_eq!(elements.len(), 3);
    done(&to.url(), &["dlq", "requeue", "renamed", "--all", "--yes"]);
    let lengths = ["orders", "renamed"].map(|it| to.run::<u64>(&["LLEN", it]));
    assert_eq!(lengths, [0, expected.target.len() as u64 + 4]);
}

/// The file stops in the middle, as if the disk had been full when it was written.
#[tokio::test]
async fn an_import_that_was_cut_off_goes_on_and_doubles_nothing() {
    let from = Server::start();
    fill(&from.url(), &from, "orders").await;
    let file = File::new();
    let text = done(&from.url(), &["export", "orders"]);
    let lines: Vec<_> = text.lines().collect();
    let half = lines[..lines.len() / 2].join("\n");
    fs::write(&file.path, half).unwrap();
    let to = Server::with(&Settings::new());
    let cut = run(&to.url(), &["import", "orders", &file.path]);
    assert_eq!(cut.code, 1, "{cut:?}");
    assert!(cut.stderr.contains("ends early"), "{cut:?}");
    let written = "records were written before it failed";
    assert!(cut.stderr.contains(written), "{cut:?}");

    fs::write(&file.path, &text).unwrap();
    let [rest] = json(&to.url(), &["import", "orders", &file.path])
        .try_into()
        .unwrap();
    assert_eq!(
        rest["known"].as_u64().unwrap() as usize,
        lines.len() / 2 - 1
    );
    assert!(
        Contents::of(&to, "orders") == Contents::of(&from, "orders"),
        "they differ"
    );
}

/// Java sleeps until the head that it knows.
#[tokio::test]
async fn clients_hear_of_the_new_head_once() {
    let (from, to) = (Server::start(), Server::start());
    let orders = queue(&from.url(), "orders").await;
    for i in 0..3 {
        orders.offer(&i.to_string(), HOUR * (i + 1)).await.unwrap();
    }
    let file = File::new();
    done(&from.url(), &["export", "orders", "-o", &file.path]);
    let later = queue(&to.url(), "orders").await;
    later.offer(&"later".to_owned(), HOUR * 9).await.unwrap();
    let mut connection = to.connection();
    let mut channel = connection.as_pubsub();
    channel
        .subscribe("redisson_delay_queue_channel:{orders}")
        .unwrap();
    done(&to.url(), &["import", "orders", &file.path]);
    let message: String = channel.get_message().unwrap().get_payload().unwrap();
    let head = json(&to.url(), &["ls", "orders", "-n", "1"]);
    assert_eq!(message, head[0]["due_ms"].to_string());
    channel
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    assert!(channel.get_message().is_err(), "a second message");
}

#[tokio::test]
async fn a_paused_queue_stays_paused_and_a_wrong_file_is_refused() {
    let server = Server::start();
    let url = server.url();
    let orders = queue(&url, "orders").await;
    orders.offer(&"a".to_owned(), HOUR).await.unwrap();
    let is_paused = || server.run::<bool>(&["HEXISTS", "rdq1_state:{orders}", "paused"]);
    let file = File::new();
    fs::write(&file.path, "mine").unwrap();
    let refused = run(&url, &["export", "orders", "--pause", "-o", &file.path]);
    assert_eq!((refused.code, is_paused()), (1, false), "{refused:?}");
    let exported = run(&url, &["export", "orders", "--pause"]);
    assert_eq!((exported.code, is_paused()), (0, true), "{exported:?}");
    let said = "    rdq resume orders\n";
    assert!(exported.stderr.contains(said), "{exported:?}");
    for text in [
        "",
        "no JSON\n",
        "{\"kind\":\"ready\",\"payload\":\"YQ==\"}\n",
    ] {
        fs::write(&file.path, text).unwrap();
        let refused = run(&url, &["import", "orders", &file.path]);
        assert_eq!(refused.code, 2, "{text:?}: {refused:?}");
    }
    let missing = run(&url, &["import", "orders", "/nonexistent/file"]);
    assert_eq!(missing.code, 1, "{missing:?}");
}

/// Redis takes back nothing of a script that fails in the middle.
#[tokio::test]
async fn an_import_that_redis_refused_halfway_leaves_out_nothing_when_it_runs_again() {
    let from = Server::start();
    fill(&from.url(), &from, "orders").await;
    let file = File::new();
    done(&from.url(), &["export", "orders", "-o", &file.path]);

    let to = Server::start();
    let user = [
        "ACL", "SETUSER", "clumsy", "on", ">secret", "~*", "&*", "+@all", "-rpush",
    ];
    to.run::<()>(&user);
    let clumsy = to.url().replace("redis://", "redis://clumsy:secret@");
    let refused = run(&clumsy, &["import", "orders", &file.path]);
    assert_eq!(refused.code, 1, "{refused:?}");
    done(&to.url(), &["import", "orders", &file.path]);
    assert_eq!(Contents::of(&to, "orders"), Contents::of(&from, "orders"));
}

#[tokio::test]
async fn a_score_that_is_no_number_is_named_by_its_line() {
    let from = Server::start();
    let orders = queue(&from.url(), "orders").await;
    orders.offer(&"a".to_owned(), HOUR).await.unwrap();
    let file = File::new();
    done(&from.url(), &["export", "orders", "-o", &file.path]);
    let text = fs::read_to_string(&file.path).unwrap();
    let number = text.split("\"score\":\"").nth(1).unwrap();
    let number = number.split('"').next().unwrap();
    fs::write(&file.path, text.replace(number, "nan")).unwrap();

    let to = Server::start();
    let wrong = run(&to.url(), &["import", "orders", &file.path]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert!(wrong.stderr.contains("line 2: the score"), "{wrong:?}");
    assert_eq!(to.run::<u64>(&["DBSIZE"]), 0);
}

/// Its number, when it began, how long it took, the command, and who sent it.
type Logged = (u64, u64, u64, Vec<Vec<u8>>, String, String);

/// Redis is busy with a script until it has copied all of its payloads.
#[tokio::test]
async fn each_large_payload_is_imported_by_a_script_of_its_own() {
    let (from, to) = (Server::start(), Server::start());
    let orders = queue(&from.url(), "orders").await;
    let small = "s".repeat(100_000);
    let large = [20, 40].map(|mb| "x".repeat(mb << 20));
    for value in [&small, &large[0], &small, &small, &large[1], &small] {
        orders.offer(value, HOUR).await.unwrap();
    }
    let _: () = from.connection().rpush("orders", &large[0]).unwrap();
    // 40 MB may take a busy machine longer than the program waits by default.
    let patient = ["--timeout", "60s"];
    let file = File::new();
    let export = ["export", "orders", "-o", &file.path];
    done(&from.url(), &[&patient[..], &export].concat());
    for (name, value) in [
        ("slowlog-log-slower-than", "0"),
        ("slowlog-max-len", "1000"),
    ] {
        to.run::<()>(&["CONFIG", "SET", name, value]);
    }
    let import = ["import", "orders", &file.path];
    let [imported] = json(&to.url(), &[&patient[..], &import].concat())
        .try_into()
        .unwrap();
    assert_eq!(imported["written"], 7, "{imported}");
    assert!(Contents::of(&to, "orders") == Contents::of(&from, "orders"));

    // Redis logs 11 keys, 4 arguments, and 4 for each record, behind 3 words.
    let mut connection = to.connection();
    let log: Vec<Logged> = redis::cmd("SLOWLOG")
        .arg(&["GET", "1000"])
        .query(&mut connection)
        .unwrap();
    let scripts = log.into_iter().map(|(_, _, _, words, _, _)| words);
    let imports = scripts.filter(|words| words[0].starts_with(b"EVAL") && words[2] == b"11");
    let records = imports
        .map(|words| (words.len() - 18) / 4)
        .collect::<Vec<_>>();
    // The first was sent twice, as the server did not know the script.
    assert_eq!(records, [1, 1, 1, 2, 1, 1, 1]);
}

#[test]
fn a_failed_export_or_drain_leaves_no_file_without_elements_in_the_way() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.offer(&new(1, b"later"), &later);
    let poor = [
        "ACL", "SETUSER", "poor", "on", ">secret", "~*", "&*", "+@all",
    ];
    let refused = ["-lrange", "-zrange", "-zrangebyscore", "-zscan"];
    server.run::<()>(&[&poor[..], &refused].concat());
    let poor = format!("redis://poor:secret@{}", server.address());
    for verb in ["export", "drain"] {
        let file = File::new();
        let args = [verb, "orders", "--yes", "-o", &file.path];
        let failed = run(&poor, &args);
        assert_eq!(failed.code, 1, "{failed:?}");
        let has_begun = failed.stderr.contains("before it took an element");
        assert!(verb == "export" || has_begun, "{failed:?}");
        assert!(fs::metadata(&file.path).is_err(), "{failed:?}");
        done(&server.url(), &args);
        assert!(fs::metadata(&file.path).unwrap().len() > 0);
    }
}

/// The server stops while rdq reads entries that are no elements: a file is there, and nothing is in it.
#[test]
fn an_interrupted_export_or_drain_leaves_no_file_without_elements_in_the_way() {
    let server = Server::start();
    for (add, key) in [
        ("'RPUSH', KEYS[1]", "redisson_delay_queue:{orders}"),
        (
            "'ZADD', KEYS[1], 9e12",
            "redisson_delay_queue_timeout:{mails}",
        ),
    ] {
        let script = format!("for i = 1, 200000 do redis.call({add}, 'bare' .. i) end");
        server.run::<()>(&["EVAL", &script, "1", key]);
    }
    for (verb, queue) in [("export", "orders"), ("drain", "mails")] {
        let file = File::new();
        let args = [verb, queue, "--yes", "-o", &file.path, "--timeout", "1m"];
        let mut rdq = command(&server.url(), &args);
        let mut rdq = Program::start(rdq.stderr(Stdio::null()));
        until("the file is there", || {
            fs::metadata(&file.path)
                .map(drop)
                .map_err(|it| it.to_string())
        });
        server.pause();
        assert!(signal("INT", rdq.id().into()));
        let code = until("rdq ends", || {
            let ended = rdq.try_wait().unwrap();
            ended.map(|it| it.code()).ok_or("it waits".to_owned())
        });
        server.resume();
        assert_eq!(code, Some(130), "{verb}");
        assert!(fs::metadata(&file.path).is_err(), "{verb}");
    }
}
