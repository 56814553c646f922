//! A queue that Redis does not know: its name is misspelt.

use std::collections::BTreeSet;
use std::fs;

use testbed::{Directory, Server};

use crate::rdq::{done, run};

/// Each verb that is about queues that are there, with arguments. A pause of a misspelt name, for example,
/// would hold nothing back, and leave a key.
const REFUSED: [&str; 32] = [
    "cancel typo 0000",
    "dlq typo",
    "dlq ls typo",
    "dlq purge typo --all",
    "dlq requeue typo --all",
    "doctor typo",
    "drain typo --output -",
    "export typo",
    "export typo --pause",
    "get typo 0000",
    "hand-back typo",
    "keys typo",
    "leases typo",
    "leases ls typo",
    "leases release typo --all",
    "ls typo",
    "migrate typo",
    "pause typo",
    "promote typo 0000",
    "quarantine typo",
    "quarantine drop typo --all",
    "quarantine ls typo",
    "quarantine release typo 0000",
    "quarantine show typo 0000",
    "rate typo",
    "rate typo 5/s",
    "repair typo --apply",
    "reschedule typo 0000 --delay 1h",
    "resume typo",
    "sniff typo",
    "stats typo",
    "take typo",
];

/// Those that only look, and go on looking.
const WATCHING: [&str; 2] = ["tail typo", "watch typo --json"];

/// Verbs that name no queue, or make it, or wait for it.
const OTHERS: [&str; 10] = [
    "bench",
    "completions",
    "import",
    "man",
    "offer",
    "queues",
    "schema",
    "serve",
    "top",
    "transfer",
];

#[test]
fn each_verb_refuses_a_queue_that_redis_does_not_know() {
    let server = Server::start();
    let refused = REFUSED.iter().chain(&WATCHING);
    for line in refused.clone() {
        let args: Vec<_> = line.split(' ').chain(["--yes"]).collect();
        let run = run(&server.url(), &args);
        assert_eq!((run.code, &*run.stdout), (3, ""), "{line}: {run:?}");
        assert!(run.stderr.contains("typo"), "{line}: {run:?}");
        assert_eq!(server.run::<u64>(&["DBSIZE"]), 0, "{line}");
    }
    let pages = Directory::new();
    done(
        &server.url(),
        &["man", "--dir", pages.path().to_str().unwrap()],
    );
    let named = |line: &str| line.split(" typo").next().unwrap().replace(' ', "-");
    let tried: BTreeSet<_> = refused.chain(&OTHERS).map(|it| named(it)).collect();
    for page in fs::read_dir(pages.path()).unwrap() {
        let page = page.unwrap().file_name().into_string().unwrap();
        if let Some(verb) = page.strip_prefix("rdq-") {
            let verb = verb.strip_suffix(".1").unwrap();
            assert!(tried.contains(verb), "{verb} is not tried");
        }
    }
}
