//! `rdq repair`

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use redis::cmd;
use redisson_delayed_queue::Client;
use redisson_delayed_queue::codec::StringCodec;
use serde_json::Value;
use testbed::{Directory, Program, Server, until};

use crate::broken::{Broken, Contents, new, old};
use crate::rdq::{Run, command, json, run};

/// Repairs the queue `orders`, and returns how many of each kind were done.
pub(crate) fn repair(server: &Server, backup: &Path, args: &[&str]) -> BTreeMap<String, u64> {
    let backup = backup.to_str().unwrap();
    let all = [
        &["repair", "orders", "--apply", "--yes", "--backup", backup],
        args,
    ]
    .concat();
    let rows = json(&server.url(), &all);
    let is_whole = |it: &Value| it["not_found"] == 0 && it["changed_meanwhile"] == 0;
    assert!(rows.iter().all(is_whole), "{rows:?}");
    let done = |row: &Value| {
        (
            row["fix"].as_str().unwrap().to_owned(),
            row["done"].as_u64().unwrap(),
        )
    };
    rows.iter().map(done).collect()
}

pub(crate) fn undo(server: &Server, backup: &Path) -> Vec<Value> {
    let backup = backup.to_str().unwrap();
    json(
        &server.url(),
        &["repair", "orders", "--undo", backup, "--yes"],
    )
}

/// Members that stand anywhere: each as often as it is a different element.
fn elements(contents: &Contents) -> BTreeMap<Vec<u8>, bool> {
    let entries = contents.entries.iter().cloned();
    let set = contents.scores.keys().cloned();
    let aside = contents.quarantine.keys().cloned();
    entries
        .chain(set)
        .chain(aside)
        .map(|it| (it, true))
        .collect()
}

#[test]
fn a_dry_run_changes_nothing_and_a_repair_loses_nothing_and_can_be_taken_back() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(30);
    let broken = orders.contents();
    let planned = json(&server.url(), &["repair", "orders"]);
    assert_eq!(planned.len(), 5, "{planned:?}");
    assert!(planned.iter().all(|it| it["count"] == 30), "{planned:?}");
    let refused = run(&server.url(), &["repair", "orders", "--apply"]);
    assert_eq!(refused.code, 4, "{refused:?}");
    assert_eq!(orders.contents(), broken);
    let files = Directory::new();

    let backup = files.path().join("all");
    let done = repair(&server, &backup, &[]);
    let kinds = ["ghosts", "malformed", "repeats", "scores", "unlisted"];
    assert_eq!(done, kinds.map(|it| (it.to_owned(), 30)).into());
    let whole = orders.contents();
    let listed: BTreeMap<_, _> = whole.entries.iter().map(|it| (it, ())).collect();
    assert_eq!(listed.len(), whole.entries.len(), "no entry comes twice");
    assert!(whole.entries.iter().all(|it| whole.scores.contains_key(it)));
    // Those that are unlisted by their ids stay so.
    assert_eq!(whole.scores.len(), whole.entries.len() + 30);
    assert_eq!(whole.quarantine.len(), 30);
    for score in whole.scores.values() {
        let due: u64 = score.parse().unwrap_or_else(|_| panic!("{score}"));
        assert!(due <= 1 << 53);
    }
    let mut expected = elements(&broken);
    for i in 0..30 {
        expected.remove(&new(100 + i, b"ghost")[..]);
    }
    assert_eq!(elements(&whole), expected);
    let checks = json_lines(&run(&server.url(), &["doctor", "orders", "--json"]).stdout);
    // Those that were huge are now due in 2^53 ms, which deserves a warning.
    let is_left = |it: &&Value| it["check"] != "scores" || it["severity"] == "critical";
    let left: Vec<_> = checks
        .iter()
        .filter(is_left)
        .map(|it| it["check"].as_str().unwrap())
        .collect();
    assert!(kinds.iter().all(|it| !left.contains(it)), "{left:?}");

    // Twice, because the first may have been killed before it noted in the file what it did.
    let killed = files.path().join("killed");
    fs::copy(&backup, &killed).unwrap();
    for (file, done) in [(&backup, 30), (&killed, 0)] {
        let rows = undo(&server, file);
        assert!(rows.iter().all(|it| it["done"] == done), "{rows:?}");
        assert_eq!(orders.contents(), broken);
    }
}

/// What a repair would drop or deliver can be read before.
#[test]
fn each_member_that_a_repair_is_about_can_be_listed() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.list(&new(1, b"\"orphan 1\""));
    orders.list(&new(2, b"\"orphan 2\""));
    let (url, before) = (server.url(), orders.contents());
    let list = [
        "repair", "orders", "--only", "ghosts", "--codec", "json", "-n",
    ];
    let rows = json(&url, &[&list[..], &["0"]].concat());
    let values: Vec<_> = rows.iter().map(|it| &it["value"]).collect();
    assert_eq!(values, ["orphan 1", "orphan 2"]);
    assert_eq!(rows[1]["id"], "0000000000000002");
    assert!(rows[1]["ticket"].is_string(), "{rows:?}");
    assert_eq!(
        (&rows[1]["check"], &rows[1]["place"]),
        (&"orphans".into(), &1.into())
    );
    let one = run(&url, &[&list[..], &["1"]].concat());
    assert!(one.stdout.ends_with("\"orphan 1\"\n"), "{one:?}");
    assert!(one.stdout.contains("  0000000000000001  "), "{one:?}");
    assert!(
        one.stderr.starts_with("1 shown, and there are more"),
        "{one:?}"
    );
    orders.schedule(b"malformed", "1000");
    let rows = json(
        &url,
        &["repair", "orders", "--only", "malformed", "-n", "9"],
    );
    assert_eq!(rows[0]["bytes"], "bWFsZm9ybWVk");
    server.run::<()>(&["ZREM", orders.keys.timeouts(), "malformed"]);
    assert_eq!(orders.contents(), before);
    let exported = run(&url, &["export", "orders"]);
    assert!(
        exported.stderr.contains("0 records written\n"),
        "{exported:?}"
    );
    assert!(
        exported.stderr.contains("2 entries of the ordering list"),
        "{exported:?}"
    );
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn only_some_are_repaired_if_only_they_are_named() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(3);
    let files = Directory::new();
    let done = repair(
        &server,
        &files.path().join("only"),
        &["--only", "ghosts,scores"],
    );
    assert_eq!(done.keys().collect::<Vec<_>>(), ["ghosts", "scores"]);
    assert_eq!(orders.contents().quarantine.len(), 0);
}

/// The timeout set was lost, and Java has offered once more.
#[test]
fn an_entry_that_may_be_all_that_is_left_of_an_element_stays_until_somebody_chooses() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    for i in 0..40 {
        orders.list(&new(i, b"order"));
    }
    orders.offer(&new(40, b"offered since"), &later);
    // This one was delivered: an older and a newer element are pending.
    orders.list(&new(41, b"delivered"));
    orders.offer(&new(42, b"offered since"), &later);
    let before = orders.contents();
    let found = json_lines(&run(&server.url(), &["doctor", "orders", "--json"]).stdout);
    let ghosts = found.iter().find(|it| it["check"] == "orphans").unwrap();
    assert_eq!(ghosts["severity"], "critical");
    assert_eq!(ghosts["count"], 41);
    let what = ghosts["what"].as_str().unwrap();
    assert!(what.contains("whether 40 of their elements were"), "{what}");
    let files = Directory::new();

    let done = repair(&server, &files.path().join("unchosen"), &[]);
    assert_eq!(done, BTreeMap::from([("ghosts".to_owned(), 1)]));
    let mut expected = before.clone();
    expected.entries.remove(41);
    assert_eq!(orders.contents(), expected);
    let backup = files.path().join("delivered-since");
    let done = repair(&server, &backup, &["--ghosts", "deliver"]);
    assert_eq!(done, BTreeMap::from([("ghosts".to_owned(), 40)]));
    let after = orders.contents();
    assert_eq!(
        (after.scores.len(), &after.entries),
        (42, &expected.entries)
    );
    undo(&server, &backup);
    assert_eq!(orders.contents(), expected);
}

/// A repair that was killed has made some of the lost elements due. They prove nothing.
#[test]
fn an_older_element_that_is_due_does_not_prove_that_others_were_delivered() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    let now = orders.now_ms();
    orders.offer(&new(1, b"brought back"), &now.to_string());
    orders.list(&new(2, b"lost"));
    let before = orders.contents();
    let unsaid = run(&server.url(), &["repair", "orders", "--apply", "--yes"]);
    assert_eq!(unsaid.code, 2, "{unsaid:?}");
    assert!(unsaid.stderr.contains("--ghosts deliver"), "{unsaid:?}");
    assert_eq!(orders.contents(), before);
}

#[test]
fn a_lost_timeout_set_is_brought_back_as_elements_that_are_due() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    // Neither the order of their ids nor the opposite.
    for i in 0..20 {
        orders.list(&new(i * 7 % 20, b"order"));
    }
    let before = orders.contents();
    let found = json_lines(&run(&server.url(), &["doctor", "orders", "--json"]).stdout);
    let ghosts = found.iter().find(|it| it["check"] == "orphans").unwrap();
    assert_eq!(ghosts["severity"], "critical");
    let unsaid = run(&server.url(), &["repair", "orders", "--apply", "--yes"]);
    assert_eq!(unsaid.code, 2, "{unsaid:?}");
    assert_eq!(orders.contents(), before);
    let files = Directory::new();
    repair(
        &server,
        &files.path().join("lost"),
        &["--ghosts", "deliver"],
    );
    let after = orders.contents();
    assert_eq!(after.entries, before.entries);
    assert_eq!(after.scores.len(), 20);
    let now = orders.now_ms();
    assert!(
        after
            .scores
            .values()
            .all(|it| it.parse::<u64>().unwrap() <= now)
    );
    let keys = orders.keys.clone();
    let by_due: Vec<Vec<u8>> = orders.run("ZRANGE", (keys.timeouts(), 0, -1));
    assert_eq!(by_due, before.entries, "they come in the order of the list");
}

/// Movers would deliver it as often as it became due.
#[test]
fn a_lost_element_that_is_listed_several_times_is_delivered_once() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    for id in [1, 2, 1, 1, 3, 3] {
        orders.list(&new(id, b"order"));
    }
    let before = orders.contents();
    let found = json_lines(&run(&server.url(), &["doctor", "orders", "--json"]).stdout);
    let orphans = found.iter().find(|it| it["check"] == "orphans").unwrap();
    let what = orphans["what"].as_str().unwrap();
    assert!(what.contains("6 entries"), "{what}");
    assert!(what.contains("whether their 3 elements were"), "{what}");
    let advice = orphans["advice"].as_str().unwrap();
    assert!(advice.contains("Stop all movers first"), "{advice}");
    // Nobody listens, so there is nothing to pause.
    assert!(!advice.contains("rdq pause"), "{advice}");
    let unsaid = run(&server.url(), &["repair", "orders"]);
    assert!(unsaid.stderr.contains("3 elements"), "{unsaid:?}");
    let asked = run(
        &server.url(),
        &["repair", "orders", "--ghosts", "deliver", "--apply"],
    );
    assert!(
        asked.stderr.contains("Are all movers stopped?"),
        "{asked:?}"
    );
    assert_eq!(orders.contents(), before);

    let files = Directory::new();
    let backup = files.path().join("several");
    let done = repair(&server, &backup, &["--ghosts", "deliver"]);
    assert_eq!(done["ghosts"], 3);
    let members = [1, 2, 3].map(|id| new(id, b"order").to_vec());
    assert_eq!(orders.contents().entries, members);
    let keys = orders.keys.clone();
    let by_due: Vec<Vec<u8>> = orders.run("ZRANGE", (keys.timeouts(), 0, -1));
    assert_eq!(by_due, members);
    undo(&server, &backup);
    assert_eq!(orders.contents(), before);
}

/// Nobody who has only Rust clients needs to read about Java.
#[tokio::test(flavor = "multi_thread")]
async fn the_question_before_a_delivery_says_who_listens_and_names_java_only_where_it_may_be() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.list(&new(1, b"order"));
    let client = Client::connect(server.url().as_str()).await.unwrap();
    let _moved = client.delayed_queue("orders", StringCodec).unwrap();
    let deliver = ["repair", "orders", "--ghosts", "deliver", "--apply"];
    until("the question names the Rust client", || {
        let asked = run(&server.url(), &deliver).stderr;
        let rust = "1 client listens to the channel: rdq (Rust) at 127.0.0.1:";
        let is_told = asked.contains(rust) && !asked.contains("Java");
        is_told.then_some(()).ok_or(asked)
    });
    let mut listener = server.connection();
    let mut listener = listener.as_pubsub();
    listener.subscribe(orders.keys.channel()).unwrap();
    let asked = run(&server.url(), &deliver).stderr;
    let other = "one without a name (Java or another) at 127.0.0.1:";
    assert!(asked.contains("2 clients listen"), "{asked}");
    assert!(asked.contains(other), "{asked}");
    assert!(asked.contains("does not stop Java"), "{asked}");
}

/// The copy has nothing of what was offered after it was made.
#[test]
fn what_is_newer_than_a_restored_timeout_set_may_not_have_been_delivered() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.offer(&new(1, b"in the copy"), &later);
    orders.list(&new(2, b"newer"));
    orders.list(&new(3, b"newer"));
    let before = orders.contents();
    let found = json_lines(&run(&server.url(), &["doctor", "orders", "--json"]).stdout);
    let orphans = found.iter().find(|it| it["check"] == "orphans").unwrap();
    assert_eq!(orphans["count"], 2);
    let unsaid = run(&server.url(), &["repair", "orders", "--apply", "--yes"]);
    assert_eq!(unsaid.code, 2, "{unsaid:?}");
    assert_eq!(orders.contents(), before);
}

#[test]
fn elements_that_a_retain_all_forgot_can_be_removed() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(3);
    let files = Directory::new();
    repair(
        &server,
        &files.path().join("retained"),
        &["--only", "unlisted", "--unlisted", "drop"],
    );
    let contents = orders.contents();
    assert!((0..3).all(|i| !contents.scores.contains_key(&new(300 + i, b"missing")[..])));
}

/// Somebody offered Unix seconds. A mover would deliver the elements at once.
#[test]
fn due_times_in_seconds_become_ms_and_can_be_taken_back() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.offer(&new(1, b"good"), &later);
    orders.offer(&new(2, b"in seconds"), "1700000000");
    orders.offer(&new(3, b"in seconds"), "1700000000.5");
    let before = orders.contents();
    let only = ["repair", "orders", "--only", "seconds"];
    let planned = run(&server.url(), &only).stdout;
    let becomes = "becomes due 2023-11-14T22:13:20.000Z (score 1700000000000)";
    assert!(planned.contains(becomes), "{planned}");
    let listed = run(&server.url(), &[&only[..], &["-n", "9"]].concat()).stdout;
    assert!(listed.contains("1700000000 -> 1700000000000"), "{listed}");
    assert_eq!(orders.contents(), before);

    let files = Directory::new();
    let backup = files.path().join("seconds");
    let done = repair(&server, &backup, &[]);
    assert_eq!(done, BTreeMap::from([("seconds".to_owned(), 2)]));
    let scores = orders.contents().scores;
    assert_eq!(scores[&new(1, b"good")[..]], later);
    assert_eq!(scores[&new(2, b"in seconds")[..]], "1700000000000");
    assert_eq!(scores[&new(3, b"in seconds")[..]], "1700000000500");
    undo(&server, &backup);
    assert_eq!(orders.contents(), before);
}

/// A later time would make Redisson sleep past the head.
#[test]
fn movers_hear_of_a_head_that_is_due_earlier_and_of_nothing_else() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.offer(&new(1, b"huge"), "4.6e+18");
    let mut listener = server.connection();
    listener
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    let mut listener = listener.as_pubsub();
    listener.subscribe(orders.keys.channel()).unwrap();
    let files = Directory::new();

    repair(&server, &files.path().join("huge"), &[]);
    orders.list(&new(2, b"ghost"));
    orders.offer(&new(5, b"good"), &later);
    orders.offer(b"\x08no member", "1700000000000");
    orders.schedule(&new(3, b"missing"), &later);
    repair(&server, &files.path().join("nothing"), &[]);
    orders.offer(&new(4, b"negative"), "-5");
    repair(&server, &files.path().join("negative"), &[]);
    let mut heard = || -> String { listener.get_message().unwrap().get_payload().unwrap() };
    assert_eq!(heard(), "9007199254740992");
    assert_eq!(heard(), "0");
    server.run::<()>(&["PUBLISH", orders.keys.channel(), "last"]);
    assert_eq!(heard(), "last");
}

#[test]
fn a_full_quarantine_keeps_what_is_in_it_and_the_members_stay() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.offer(b"\x08no member", &later);
    let keys = orders.keys.clone();
    for start in (0..10_000).step_by(1_000) {
        let mut add = cmd("ZADD");
        add.arg(keys.quarantine());
        (start..start + 1_000).for_each(|i: u32| _ = add.arg(1).arg(format!("bad {i}")));
        add.exec(&mut server.connection()).unwrap();
    }
    let before = orders.contents();
    let files = Directory::new();
    let backup = files.path().join("full");
    let args = [
        "repair",
        "orders",
        "--apply",
        "--yes",
        "--backup",
        backup.to_str().unwrap(),
    ];
    let full = run(&server.url(), &args);
    assert!(full.stderr.contains("The quarantine is full"), "{full:?}");
    assert_eq!(orders.contents(), before);
}

#[test]
fn a_key_of_another_type_stops_a_repair_before_it_changes_anything() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(2);
    orders.run::<()>("SET", ("rdq1_state:{orders}", "foreign"));
    let before = orders.contents();
    let files = Directory::new();
    let backup = files.path().join("type");
    let args = [
        "repair",
        "orders",
        "--apply",
        "--yes",
        "--backup",
        backup.to_str().unwrap(),
    ];
    let failed = run(&server.url(), &args);
    assert_eq!(failed.code, 1);
    assert!(
        failed.stderr.contains("holds a string, not a hash"),
        "{failed:?}"
    );
    assert_eq!(orders.contents(), before);
    // What may not have run is taken back only where it ran.
    orders.run::<()>("DEL", "rdq1_state:{orders}");
    undo(&server, &backup);
    assert_eq!(orders.contents(), before);
}

/// Old members are left to `rdq migrate`.
/// Its name is a part of that of the file.
#[test]
fn a_queue_with_a_long_name_is_repaired() {
    let server = Server::start();
    let name = "\u{fc}".repeat(240);
    let mut queue = Broken::at(&server, &name);
    queue.schedule(b"junk", "9e12");
    let folder = Directory::new();
    let repair = ["repair", &name, "--only", "malformed", "--apply", "--yes"];
    let mut repair = command(&server.url(), &repair);
    let repaired = Run::of(Program::run(repair.current_dir(folder.path())));
    assert_eq!(repaired.code, 0, "{repaired:?}");
    assert_eq!(queue.contents().quarantine.len(), 1);
}

#[test]
fn old_members_are_no_defect_of_a_repair() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.offer(&old(1, b"old"), &later);
    let nothing = run(&server.url(), &["repair", "orders"]);
    assert!(nothing.stderr.contains("nothing to repair"), "{nothing:?}");
}

/// While Rust offers, moves and takes: each good element comes once, and the ghosts go.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_queue_is_repaired_while_it_works() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(200);
    let client = Client::connect(&*server.url()).await.unwrap();
    let queue = client.delayed_queue("orders", StringCodec).unwrap();
    let producer = queue.clone();
    let offers = tokio::spawn(async move {
        for i in 0..3_000 {
            let delay = Duration::from_millis(i % 97);
            producer.offer(&format!("live {i}"), delay).await.unwrap();
        }
    });
    let url = server.url();
    let files = Directory::new();
    let backup = files.path().join("live");
    let repairs = tokio::task::spawn_blocking(move || {
        let backup = backup.to_str().unwrap();
        let args = ["repair", "orders", "--apply", "--yes", "--backup", backup];
        json(&url, &args)
    });
    let mut taken = BTreeMap::<String, u32>::new();
    // The negative scores and the fractions are due as well, once each.
    while taken.len() < 3_000 || !repairs.is_finished() || !offers.is_finished() {
        if let Some(value) = queue.poll(Duration::from_millis(100)).await.unwrap() {
            *taken.entry(value).or_default() += 1;
        }
    }
    offers.await.unwrap();
    let rows = repairs.await.unwrap();
    assert!(
        rows.iter()
            .any(|it| it["fix"] == "ghosts" && it["done"] == 200),
        "{rows:?}"
    );
    while let Some(value) = queue.poll(Duration::from_millis(500)).await.unwrap() {
        *taken.entry(value).or_default() += 1;
    }
    let live = taken.iter().filter(|(value, _)| value.starts_with("live"));
    let odd: Vec<_> = live.clone().filter(|(_, count)| **count != 1).collect();
    assert!(odd.is_empty(), "{odd:?}");
    assert_eq!(live.count(), 3_000);
    until("nothing but what is due later is left", || {
        let contents = orders.contents();
        let whole = contents
            .entries
            .iter()
            .all(|it| contents.scores.contains_key(it));
        whole.then_some(()).ok_or_else(|| format!("{contents:?}"))
    });
    let contents = orders.contents();
    // 10 good, 200 repeated, 200 missing, 200 unlisted by their ids, 66 whose scores were huge.
    assert_eq!(contents.scores.len(), 10 + 3 * 200 + 66);
    assert_eq!(contents.entries.len(), 10 + 2 * 200 + 66);
    assert_eq!(contents.quarantine.len(), 200);
}
