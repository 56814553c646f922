//! `rdq repair --undo`

use std::fs;

use serde_json::Value;
use testbed::{Directory, Sentinels, Server, Settings};

use crate::broken::{Broken, new};
use crate::rdq::{json, run};
use crate::repair::{repair, undo};

#[test]
fn an_undo_says_what_is_taken_back_already_and_goes_on_with_the_rest() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(3);
    let broken = orders.contents();
    let files = Directory::new();
    let backup = files.path().join("already");
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
    let already = format!("All changes of {path} are taken back already.\n");
    assert_eq!(again.stderr, already);
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
        orders.offer(&new(2, b"order"), "9000000000000");
        orders.list(&new(1, b"ghost"));
        orders.offer(&new(3, b"order"), "9000000000000");
    }
    let files = Directory::new();
    let (file, moved) = (files.path().join("elsewhere"), files.path().join("moved"));
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
    assert_eq!(orders.contents().entries.len(), 3);
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
        orders.offer(&new(2, b"order"), "9000000000000");
        orders.list(&new(1, b"ghost"));
        orders.offer(&new(3, b"order"), "9000000000000");
        let files = Directory::new();
        let backup = files.path().join("failover");
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
        assert_eq!(Broken::at(&now, "orders").contents().entries.len(), 3);
    }
}

#[test]
fn what_was_delivered_since_is_not_brought_back() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(2);
    let files = Directory::new();
    let backup = files.path().join("delivered");
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
fn a_file_about_another_queue_and_one_that_exists_are_refused() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.break_all(1);
    let files = Directory::new();
    let backup = files.path().join("refused");
    repair(&server, &backup, &[]);
    let path = backup.to_str().unwrap();
    let other = run(
        &server.url(),
        &["repair", "others", "--undo", path, "--yes"],
    );
    assert_eq!(other.code, 2, "{other:?}");
    orders.list(&new(1 << 40, b"ghost"));
    orders.offer(&new(2 << 40, b"order"), "9000000000000");
    let args = ["repair", "orders", "--apply", "--yes", "--backup", path];
    let again = run(&server.url(), &args);
    assert_eq!(again.code, 1, "{again:?}");
    assert!(
        again.stderr.contains("exists already: name another"),
        "{again:?}"
    );
}

#[test]
fn an_undo_puts_back_each_entry_of_a_member_that_stood_in_many_places() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    for id in [1, 1, 2, 1, 1] {
        orders.offer(&new(id, b"order"), "9000000000000");
    }
    let before = orders.contents();
    let files = Directory::new();
    let backup = files.path().join("many");
    assert_eq!(repair(&server, &backup, &[])["repeats"], 3);
    let killed = files.path().join("many-killed");
    fs::copy(&backup, &killed).unwrap();
    for (file, done) in [(&backup, 3), (&killed, 0)] {
        assert_eq!(undo(&server, file)[0]["done"], done);
        assert_eq!(orders.contents(), before);
    }
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
    let files = Directory::new();
    let backup = files.path().join("again");
    let done = repair(&server, &backup, &["--ghosts", "drop"]);
    assert_eq!(done["ghosts"], 200);
    let killed = files.path().join("again-killed");
    fs::copy(&backup, &killed).unwrap();
    for file in [&backup, &killed] {
        undo(&server, file);
        assert_eq!(orders.contents(), before);
    }
}

#[test]
fn an_undo_that_comes_too_late_says_so() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    orders.offer(&new(1, b"order"), "-5");
    let files = Directory::new();
    let backup = files.path().join("late");
    repair(&server, &backup, &[]);
    let keys = orders.keys.clone();
    orders.run::<()>("DEL", (keys.timeouts(), keys.ordering()));
    let path = backup.to_str().unwrap();
    let late = run(
        &server.url(),
        &["repair", "orders", "--undo", path, "--yes"],
    );
    let said = "Nothing was taken back: the elements were moved since.\n";
    assert!(late.stderr.contains(said), "{late:?}");
}
