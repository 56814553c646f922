//! What needs no server: completions, manual pages, and arguments that are wrong

use std::fs;

use testbed::Directory;

use crate::rdq::{done, run};

/// A server that is not there: these verbs ask none.
const NOWHERE: &str = "redis://127.0.0.1:1";

#[test]
fn completions_need_no_server() {
    for shell in ["bash", "fish", "zsh"] {
        let script = done(NOWHERE, &["completions", shell]);
        assert!(script.contains("queues"), "{shell}: {script}");
    }
}

#[test]
fn each_verb_has_a_manual_page() {
    let pages = Directory::new();
    let folder = pages.path();
    let whole = done(NOWHERE, &["man"]);
    done(NOWHERE, &["man", "--dir", folder.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(folder.join("rdq.1")).unwrap(), whole);
    let page = fs::read_to_string(folder.join("rdq-ls.1")).unwrap();
    assert!(
        page.contains(".TH rdq-ls 1") && page.contains("\\-\\-offered"),
        "{page}"
    );
}

/// That is where a stranger looks for how to name a server.
#[test]
fn usage_lines_name_the_server_where_there_is_one() {
    let help = |verb: &str| {
        let words: Vec<_> = ["help"].into_iter().chain(verb.split(' ')).collect();
        done(NOWHERE, &words)
    };
    for verb in [
        "queues",
        "hand-back",
        "dlq ls",
        "dlq purge",
        "leases release",
        "sniff",
    ] {
        let help = help(verb);
        let usage = help.lines().find(|it| it.starts_with("Usage: ")).unwrap();
        assert!(usage.contains("[--server <SERVER>]"), "{usage}");
    }
    for verb in ["completions", "man", "schema"] {
        let help = help(verb);
        assert!(
            !help.contains("--server") && !help.contains("RDQ_"),
            "{help}"
        );
    }
    let short = run(NOWHERE, &["get", "orders"]).stderr;
    let usage = "Usage: rdq get [--server <SERVER>] [OPTIONS] <QUEUE> <ELEMENT>\n";
    assert!(short.contains(usage), "{short}");
}

#[test]
fn numbers_that_would_do_nothing_or_never_rest_are_refused() {
    for line in [
        "bench -n 0",
        "bench --offers 0",
        "bench --batch 0",
        "rate orders 1/0s",
        "rate orders 99999999/1us",
        "tail orders --interval 0",
        "transfer orders --every 0s",
        "transfer orders --safety-poll 0s",
        "take orders -n 0",
    ] {
        let args: Vec<_> = line.split(' ').collect();
        let refused = run(NOWHERE, &args);
        assert_eq!(refused.code, 2, "{line}: {refused:?}");
    }
}
