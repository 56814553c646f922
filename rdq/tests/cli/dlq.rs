//! `rdq dlq`

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use redisson_delayed_queue::ConsumerBuilder;
use testbed::{Cluster, Program, Server, signal};

use crate::fill::costs;
use crate::rdq::{command, done, fed, json, queue, run};
use crate::terminal::Terminal;

const DEAD: &str = "{orders}-dead";
const NOTES: &str = "rdq1_dead_notes:{orders}-dead";

/// Has a consumer of a queue reject these elements, for the reasons behind them.
async fn reject(
    url: &str,
    server: &Server,
    name: &str,
    letters: &[(&str, &str)],
    settings: impl FnOnce(ConsumerBuilder<String>) -> ConsumerBuilder<String>,
) {
    for (value, _) in letters {
        let _: () = server.run(&["RPUSH", name, value]);
    }
    let consumer = queue(url, name)
        .await
        .consumer()
        .visibility(Duration::from_secs(60));
    let consumer = settings(consumer).build().unwrap();
    for (_, reason) in letters {
        consumer
            .recv()
            .await
            .unwrap()
            .reject(*reason)
            .await
            .unwrap();
    }
}

fn list(server: &Server, key: &str) -> Vec<String> {
    server.run(&["LRANGE", key, "0", "-1"])
}

fn notes(server: &Server) -> Vec<Vec<u8>> {
    server.run(&["LRANGE", NOTES, "0", "-1"])
}

#[tokio::test]
async fn letters_are_listed_with_their_notes_and_offered_again_one_by_one() {
    let server = Server::start();
    let url = server.url();
    let letters = [("a", "no network"), ("b", "bad order"), ("a", "no network")];
    reject(&url, &server, "orders", &letters, |it| it).await;
    let _: () = server.run(&["RPUSH", DEAD, "by hand"]);

    let rows = json(&url, &["dlq", "ls", "orders"]);
    assert_eq!(json(&url, &["dlq", "orders"]), rows);
    assert_eq!(json(&url, &["dlq", "orders", "-n", "1"]), rows[..1]);
    assert_eq!(json(&url, &["dlq", "orders", "-n", "0"]), rows);
    let some = run(&url, &["dlq", "orders", "-n", "3"]);
    assert_eq!(some.stderr, "3 shown, and there are more: -n 0 shows all\n");
    let values: Vec<_> = rows
        .iter()
        .map(|it| it["value"].as_str().unwrap())
        .collect();
    assert_eq!(values, ["by hand", "a", "b", "a"]);
    assert_eq!(rows[0].get("reason"), None);
    assert_eq!(rows[2]["reason"], "bad order");
    assert_eq!(
        (&rows[2]["attempts"], &rows[2]["queue"]),
        (&1.into(), &"orders".into())
    );
    assert!(rows[2]["died_ms"].as_u64().unwrap() >= rows[2]["first_claimed_ms"].as_u64().unwrap());
    assert_eq!(
        json(&url, &["dlq", "ls", "orders", "--match", "network"]).len(),
        2
    );

    let name = rows[2]["letter"].as_str().unwrap();
    let requeued = fed(
        &url,
        &["dlq", "requeue", "orders", "-"],
        &format!("{name}\n"),
    );
    assert_eq!((requeued.code, &*requeued.stdout), (0, "1 offered again\n"));
    assert_eq!(list(&server, "orders"), ["b"]);
    assert_eq!(list(&server, DEAD), ["a", "a", "by hand"]);
    assert_eq!(run(&url, &["dlq", "requeue", "orders", name]).code, 3);
    let network = ["dlq", "requeue", "orders", "--matching", "network"];
    assert_eq!(run(&url, &network).code, 4);
    done(&url, &[&network[..], &["-y"]].concat());
    assert_eq!(list(&server, "orders"), ["b", "a", "a"]);
    assert_eq!(list(&server, DEAD), ["by hand"]);
    assert!(list(&server, NOTES).is_empty());

    // Logs of consumers have ids.
    reject(&url, &server, "mails", &letters[..1], |it| it).await;
    let rows = json(&url, &["dlq", "ls", "mails"]);
    let id = rows[0]["id"].as_str().unwrap();
    done(&url, &["dlq", "requeue", "mails", id]);
    assert_eq!(list(&server, "mails"), ["a"]);
}

#[tokio::test]
async fn all_letters_are_offered_again_in_their_order() {
    let server = Server::start();
    let url = server.url();
    let values: Vec<_> = (0..250).map(|i| i.to_string()).collect();
    let letters: Vec<_> = values.iter().map(|it| (it.as_str(), "no")).collect();
    reject(&url, &server, "orders", &letters, |it| it).await;
    assert_eq!(run(&url, &["dlq", "requeue", "orders", "--all"]).code, 4);
    let nobody = run(&url, &["dlq", "requeue", "orders"]);
    assert_eq!(nobody.code, 2);
    assert!(nobody.stderr.contains("requeue <QUEUE>"), "{nobody:?}");
    done(&url, &["dlq", "requeue", "orders", "--all", "--yes"]);
    assert_eq!(list(&server, "orders"), values);
    assert_eq!(
        run(&url, &["dlq", "requeue", "orders", "--all", "--yes"]).code,
        3
    );
}

/// Each goes home, also with `--all`.
#[tokio::test]
async fn letters_of_several_queues_with_one_dead_letter_queue_go_home() {
    let cluster = Cluster::without_replicas();
    let (url, server) = (cluster.url(), cluster.master_of("{shop}-orders"));
    let dead = |it: ConsumerBuilder<String>| it.dead_letter("{shop}-lost");
    reject(&url, &server, "{shop}-orders", &[("o", "r")], dead).await;
    reject(&url, &server, "{shop}-mails", &[("m", "r")], dead).await;
    let requeue = [
        "dlq",
        "requeue",
        "{shop}-orders",
        "--dead",
        "{shop}-lost",
        "--all",
        "-y",
    ];
    assert_eq!(json(&url, &requeue)[0]["done"], 2);
    assert_eq!(list(&server, "{shop}-orders"), ["o"]);
    assert_eq!(list(&server, "{shop}-mails"), ["m"]);
    let other_slot = run(&url, &["dlq", "ls", "{shop}-orders", "--dead", "elsewhere"]);
    assert_eq!(other_slot.code, 2, "{other_slot:?}");
}

#[tokio::test]
async fn purged_letters_are_printed_and_can_be_imported() {
    let server = Server::start();
    let url = server.url();
    let letters = [("a", "no network"), ("b", "bad order")];
    reject(&url, &server, "orders", &letters, |it| it).await;
    let purge = ["dlq", "purge", "orders", "--matching", "bad"];
    assert_eq!(run(&url, &purge).code, 4);
    let kept = notes(&server);
    let printed = done(&url, &[&purge[..], &["--yes"]].concat());
    assert!(
        printed.contains("{\"kind\":\"dead\",\"payload\":\"Yg==\"}\n"),
        "{printed}"
    );
    assert_eq!(list(&server, DEAD), ["a"]);
    let imported = fed(&url, &["import", "orders", "-"], &printed);
    assert_eq!(imported.code, 0, "{imported:?}");
    assert_eq!(list(&server, DEAD), ["a", "b"]);

    let printed = done(&url, &["dlq", "purge", "orders", "--all", "--yes"]);
    assert!(list(&server, DEAD).is_empty() && !server.run::<bool>(&["EXISTS", NOTES]));
    let imported = fed(&url, &["import", "orders", "-"], &printed);
    assert_eq!(imported.code, 0, "{imported:?}");
    assert_eq!(list(&server, DEAD), ["a", "b"]);
    assert_eq!(notes(&server), kept);
    let rows = json(&url, &["dlq", "ls", "orders"]);
    assert_eq!(rows[0]["reason"], "bad order");
}

/// Columns for notes would leave no room for values.
#[test]
fn letters_without_notes_need_no_columns_for_them() {
    let server = Server::start();
    let _: () = server.run(&["RPUSH", DEAD, "by hand"]);
    let mut terminal = Terminal::run(&server.url(), &["dlq", "orders"], 40, 10);
    terminal.shows(&["LETTER VALUE", "\"by hand\""]);
    assert_eq!(terminal.ends(), 0);
}

/// A reason says why a letter is there, and a value which one it is: neither cuts off the other.
#[tokio::test]
async fn letters_with_notes_are_readable_on_narrow_terminals() {
    let server = Server::start();
    let url = server.url();
    let reason = "cannot reach the warehouse at 10.0.0.7:5432 within 5 s: connection refused";
    reject(&url, &server, "orders", &[("order 17", reason)], |it| it).await;
    let _: () = server.run(&["RPUSH", DEAD, "by hand"]);
    for columns in [60, 80] {
        let mut terminal = Terminal::run(&url, &["dlq", "orders"], columns, 10);
        assert_eq!(terminal.ends(), 0);
        terminal.shows(&[
            "LETTER DIED ATTEMPTS VALUE",
            "1 \"order 17\"\ncannot reach the warehouse",
            "connection refused",
            "\"by hand\"",
        ]);
    }
    let mut terminal = Terminal::run(&url, &["dlq", "orders"], 40, 10);
    terminal.shows(&["DIED ATTEMPTS\n", "\n\"order 17\"\ncannot reach the"]);
    assert_eq!(terminal.ends(), 0);
    let mut terminal = Terminal::run(&url, &["dlq", "orders"], 150, 10);
    terminal.shows(&["ATTEMPTS QUEUE REASON VALUE", "refused \"order 17\""]);
    assert_eq!(terminal.ends(), 0);
    // Letters of several queues may share a list, and a reason may be a stack trace.
    let long = "word ".repeat(100);
    reject(&url, &server, "mails", &[("mail", &long)], |it| {
        it.dead_letter(DEAD)
    })
    .await;
    let mut terminal = Terminal::run(&url, &["dlq", "orders"], 60, 10);
    terminal.shows(&["\"mail\"\nfrom mails: word word", "word …"]);
    assert_eq!(terminal.ends(), 0);
}

/// A script for each letter would search the whole list and all notes each time.
#[tokio::test]
async fn all_letters_are_purged_in_few_scripts_and_each_is_printed_before() {
    let server = Server::start();
    let url = server.url();
    let values: Vec<_> = (0..250).map(|i| (i % 100).to_string()).collect();
    let letters: Vec<_> = values.iter().map(|it| (it.as_str(), "no")).collect();
    reject(&url, &server, "orders", &letters[..120], |it| it).await;
    let _: () = server.run(&["RPUSH", DEAD, "by hand"]);
    reject(&url, &server, "orders", &letters[120..], |it| it).await;
    let before = (list(&server, DEAD), notes(&server));
    assert_eq!((before.0.len(), before.1.len()), (251, 250));

    let _: () = server.run(&["CONFIG", "RESETSTAT"]);
    let printed = done(&url, &["dlq", "purge", "orders", "--all", "--yes"]);
    let costs = costs(&server);
    let evalsha = costs.iter().find(|(name, ..)| name == "evalsha");
    let (_, scripts, _) = evalsha.expect("scripts ran");
    assert!(*scripts < 20, "{scripts} scripts");
    assert_eq!((list(&server, DEAD).len(), notes(&server).len()), (0, 0));
    let imported = fed(&url, &["import", "orders", "-"], &printed);
    assert_eq!(imported.code, 0, "{imported:?}");
    assert_eq!((list(&server, DEAD), notes(&server)), before);
}

/// Whoever imports what an interrupted run has printed would double what it left there.
#[test]
fn an_interrupted_purge_deletes_each_letter_that_it_has_printed() {
    let server = Server::start();
    let letter = "x".repeat(2_000);
    let letters = [&["RPUSH", DEAD][..], &[&*letter; 300]].concat();
    server.run::<()>(&letters);
    let purge = ["dlq", "purge", "orders", "--all", "--yes"];
    let printed = interrupted(&server, &purge, 100);
    let left: usize = server.run(&["LLEN", DEAD]);
    let printed = printed.matches("\"dead\"").count();
    assert!(printed >= 100);
    assert_eq!(printed, 300 - left);
}

/// What a verb prints that deletes after it prints, if it is interrupted when so many lines stand behind the
/// first. Until then these do not fit into the pipe.
pub(crate) fn interrupted(server: &Server, args: &[&str], lines: usize) -> String {
    // Redis answers as late as this test wants.
    let args = [args, &["--timeout", "1min"]].concat();
    let mut rdq = command(&server.url(), &args);
    let mut rdq = Program::start(rdq.stdout(Stdio::piped()).stderr(Stdio::null()));
    let mut stdout = BufReader::new(rdq.stdout.take().unwrap());
    let mut printed = String::new();
    stdout.read_line(&mut printed).unwrap();
    server.run::<()>(&["CLIENT", "PAUSE", "120000", "WRITE"]);
    for _ in 0..lines {
        stdout.read_line(&mut printed).unwrap();
    }
    assert!(signal("INT", rdq.id().into()));
    // One that does not wait for Redis ends meanwhile. Of one that waits, nothing can be seen.
    for _ in 0..50 {
        if rdq.try_wait().unwrap().is_some() {
            break;
        }
        sleep(Duration::from_millis(10));
    }
    server.run::<()>(&["CLIENT", "UNPAUSE"]);
    stdout.read_to_string(&mut printed).unwrap();
    rdq.wait().unwrap();
    printed
}

/// Java may put something before the letters, and a note may have lost its letter.
#[tokio::test]
async fn no_note_stays_when_all_letters_are_purged() {
    let server = Server::start();
    let url = server.url();
    let letters = [("a", "no"), ("b", "no"), ("c", "no"), ("b", "again")];
    reject(&url, &server, "orders", &letters, |it| it).await;
    let _: () = server.run(&["LMOVE", NOTES, NOTES, "LEFT", "RIGHT"]);
    let _: () = server.run(&["LPUSH", DEAD, "by hand"]);
    let printed = done(&url, &["dlq", "purge", "orders", "--all", "--yes"]);
    assert_eq!(printed.matches("\"dead\"").count(), 5, "{printed}");
    assert_eq!((list(&server, DEAD).len(), notes(&server).len()), (0, 0));
}
