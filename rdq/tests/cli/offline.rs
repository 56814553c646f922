//! `rdq completions` and `rdq man`

use std::fs;

use testbed::Directory;

use crate::rdq::done;

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
