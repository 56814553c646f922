//! `rdq repair`

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use redis::cmd;
use redisson_delayed_queue::Client;
use redisson_delayed_queue::codec::StringCodec;
use serde_json::Value;
use testbed::{Sentinels, Server, Settings, until};

use crate::broken::{Broken, Contents, new, old};
use crate::rdq::{json, run};

/// A file that no other test has, and that does not exist yet.
fn file(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.jsonl"));
    let _ = fs::remove_file(&path);
    path
}

/// Repairs the queue `orders`, and returns how many of each kind were done.
fn repair(server: &Server, backup: &Path, args: &[&str]) -> BTreeMap<String, u64> {
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

fn undo(server: &Server, backup: &Path) -> Vec<Value> {
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

    let backup = file("all");
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
    let killed = file("killed");
    fs::copy(&backup, &killed).unwrap();
    for (file, done) in [(&backup, 30), (&killed, 0)] {
        let rows = undo(&server, file);
        assert!(rows.iter().all(|it| it["done"] == done), "{rows:?}");
        assert_eq!(orders.contents(), broken);
    }
}

#[test]
fn an_undo_says_what_is_taken_back_already_and_goes_on_with_the_rest() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(3);
    let broken = orders.contents();
    let backup = file("already");
    repair(&server, &backup, &[]);
    // A repair that was killed in the middle of a line.
    let written = fs::read_to_string(&backup).unwrap();
    fs::write(&backup, format!("{written}{{\"change\":{{\"num")).unwrap();
    let path = backup.to_str().unwrap();
    let args = ["repair", "orders", "--undo", path, "--yes"];
    let first = run(&server.url(), &args);
    assert_eq!(first.code, 0, "{first:?}");
    assert!(!first.stderr.contains("already"), "{first:?}");
    assert_eq!(orders.contents(), broken);

    let again = run(&server.url(), &args);
    assert_eq!(again.code, 0, "{again:?}");
    let already = "15 changes of ";
    assert!(again.stderr.contains(already), "{again:?}");
    assert!(
        again.stderr.contains("taken back already, 0 are not"),
        "{again:?}"
    );
    assert!(!again.stderr.contains("not found"), "{again:?}");
    assert_eq!(again.stdout, "");
    assert_eq!(orders.contents(), broken);

    // As if the first had been killed between its last step and the line about it.
    let undone = fs::read_to_string(&backup).unwrap();
    let (rest, last) = undone.trim_end().rsplit_once('\n').unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    let left = last["undone"]["numbers"].as_array().unwrap().len();
    fs::write(&backup, format!("{rest}\n")).unwrap();
    let rest = run(&server.url(), &args);
    let expected = format!("taken back already, {left} are not");
    assert!(rest.stderr.contains(&expected), "{rest:?}");
    assert_eq!(orders.contents(), broken);
}

#[test]
fn the_changes_of_another_server_are_not_taken_back_unless_somebody_insists() {
    let (server, other) = (Server::start(), Server::start());
    for server in [&server, &other] {
        let mut orders = Broken::at(server, "orders");
        orders.list(&new(1, b"ghost"));
        orders.offer(&new(2, b"order"), "9000000000000");
    }
    let (file, moved) = (file("elsewhere"), file("moved"));
    repair(&server, &file, &[]);
    repair(&other, &moved, &[]);
    let mut orders = Broken::at(&other, "orders");
    let before = orders.contents();
    let path = file.to_str().unwrap();
    let args = ["repair", "orders", "--undo", path, "--yes"];
    for url in [other.url(), format!("redis://{}/1", server.address())] {
        let refused = run(&url, &args);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.stderr.contains(&server.address()), "{refused:?}");
        assert!(refused.stderr.contains("--other-server"), "{refused:?}");
    }
    assert_eq!(orders.contents(), before);
    let insisted = run(&other.url(), &[&args[..], &["--other-server"]].concat());
    assert_eq!(insisted.code, 0, "{insisted:?}");
    assert_eq!(orders.contents().entries.len(), 2);
}

#[test]
fn an_undo_finds_its_server_after_a_restart_and_after_a_failover() {
    let server = Server::with(&Settings::new().set("appendonly", "yes"));
    let sentinels = Sentinels::start();
    for (master, url) in [
        (server.clone(), server.url()),
        (sentinels.master(), sentinels.url()),
    ] {
        let mut orders = Broken::at(&master, "orders");
        orders.list(&new(1, b"ghost"));
        orders.offer(&new(2, b"order"), "9000000000000");
        let backup = file("failover");
        let path = backup.to_str().unwrap();
        let args = ["repair", "orders", "--apply", "--yes", "--backup", path];
        json(&url, &args);
        let now = match url == server.url() {
            true => {
                server.restart();
                server.clone()
            }
            false => sentinels.failover(),
        };
        let rows = json(&url, &["repair", "orders", "--undo", path, "--yes"]);
        assert_eq!(rows[0]["done"], 1, "{rows:?}");
        assert_eq!(Broken::at(&now, "orders").contents().entries.len(), 2);
    }
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn what_was_delivered_since_is_not_brought_back() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(2);
    let backup = file("delivered");
    repair(&server, &backup, &[]);
    let keys = orders.keys.clone();
    // As a transfer does, for everything.
    orders.run::<()>("DEL", (keys.timeouts(), keys.ordering()));
    let rows = undo(&server, &backup);
    let done: u64 = rows.iter().map(|it| it["done"].as_u64().unwrap()).sum();
    // The ghosts, which nobody delivers, and what nobody can read.
    assert_eq!(done, 4, "{rows:?}");
    let contents = orders.contents();
    assert_eq!(contents.scores.len(), 2);
    assert_eq!(contents.entries.len(), 4);
}

#[test]
fn only_some_are_repaired_if_only_they_are_named() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(3);
    let done = repair(&server, &file("only"), &["--only", "ghosts,scores"]);
    assert_eq!(done.keys().collect::<Vec<_>>(), ["ghosts", "scores"]);
    assert_eq!(orders.contents().quarantine.len(), 0);
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
    let ghosts = found.iter().find(|it| it["check"] == "ghosts").unwrap();
    assert_eq!(ghosts["severity"], "critical");
    let unsaid = run(&server.url(), &["repair", "orders", "--apply", "--yes"]);
    assert_eq!(unsaid.code, 2, "{unsaid:?}");
    assert_eq!(orders.contents(), before);
    repair(&server, &file("lost"), &["--ghosts", "deliver"]);
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

#[test]
fn elements_that_a_retain_all_forgot_can_be_removed() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(3);
    repair(
        &server,
        &file("retained"),
        &["--only", "unlisted", "--unlisted", "drop"],
    );
    let contents = orders.contents();
    assert!((0..3).all(|i| !contents.scores.contains_key(&new(300 + i, b"missing")[..])));
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

    repair(&server, &file("huge"), &[]);
    orders.list(&new(2, b"ghost"));
    orders.offer(b"\x08no member", "1700000000000");
    orders.schedule(&new(3, b"missing"), &later);
    repair(&server, &file("nothing"), &[]);
    orders.offer(&new(4, b"negative"), "-5");
    repair(&server, &file("negative"), &[]);
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
    let backup = file("full");
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
    let backup = file("type");
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

#[test]
fn a_file_about_another_queue_and_one_that_exists_are_refused() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(1);
    let backup = file("refused");
    repair(&server, &backup, &[]);
    let path = backup.to_str().unwrap();
    let other = run(
        &server.url(),
        &["repair", "others", "--undo", path, "--yes"],
    );
    assert_eq!(other.code, 2, "{other:?}");
    orders.list(&new(1 << 40, b"ghost"));
    let args = ["repair", "orders", "--apply", "--yes", "--backup", path];
    let again = run(&server.url(), &args);
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.stderr.contains("cannot write"), "{again:?}");
}

/// Old members are left to `rdq migrate`.
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
    let backup = file("live");
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

/// A killed undo is run again. The entries that it has put back stand far from both ends of the list.
#[test]
fn an_undo_that_runs_again_puts_nothing_back_twice() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    for i in 0..8_000 {
        orders.list(&new(i, b"order"));
        // Two hundred ghosts in the middle.
        if !(3_900..4_100).contains(&i) {
            orders.schedule(&new(i, b"order"), &later);
        }
    }
    let before = orders.contents();
    let backup = file("again");
    let done = repair(&server, &backup, &["--ghosts", "drop"]);
    assert_eq!(done["ghosts"], 200);
    let killed = file("again-killed");
    fs::copy(&backup, &killed).unwrap();
    for file in [&backup, &killed] {
        undo(&server, file);
        assert_eq!(orders.contents(), before);
    }
}
