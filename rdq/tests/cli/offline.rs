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
