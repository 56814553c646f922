//! One master of several hangs: the queues of the others are served, and what is missing is named.

use serde_json::Value;
use testbed::{Cluster, Settings, until};

use crate::dashboard::Dashboard;
use crate::http::{Answer, get};
use crate::{HOUR, queue};

/// The row of a queue in the list of all.
fn row<'a>(all: &'a Value, name: &str) -> Option<&'a Value> {
    let rows = all["queues"].as_array().unwrap();
    rows.iter().find(|it| it["queue"] == name)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_queues_of_other_masters_are_served_and_what_is_missing_is_named() {
    let settings = Settings::new().set("cluster-node-timeout", "60000");
    let cluster = Cluster::with(&settings, 0);
    let names: Vec<_> = (0..48).map(|i| format!("orders-{i:02}")).collect();
    for name in &names {
        let queue = queue(&cluster.url(), name).await;
        queue.offer(&"order".to_owned(), HOUR).await.unwrap();
    }
    let hung = cluster.master_of(&names[0]);
    let address = hung.address();
    let (gone, there): (Vec<_>, Vec<_>) = names
        .iter()
        .partition(|it| cluster.master_of(it).address() == address);
    let url = format!("redis+cluster://{}", cluster.master_of(there[0]).address());
    let before = Dashboard::start(&url, &[]);
    until("all queues are found", || {
        let all = get(&before, "/api/queues").json();
        match (all["queues"].as_array().unwrap().len(), &all["searching"]) {
            (48, searching) if *searching == false => Ok(()),
            (count, _) => Err(count.to_string()),
        }
    });
    hung.pause();
    let silent = until("the silent master is named", || {
        let all = get(&before, "/api/queues").json();
        match all["silent"][0]["server"] == address.as_str() {
            true => Ok(all),
            false => Err(all.to_string()),
        }
    });
    // Whoever opens the pages only now finds the others.
    let after = Dashboard::start(&url, &[]);
    let first = until("the others are found", || {
        let all = get(&after, "/api/queues").json();
        match there.iter().all(|it| row(&all, it).is_some()) {
            true => Ok(all),
            false => Err(all.to_string()),
        }
    });
    let of = |name: &str, what: &str| get(&before, &format!("/api/queues/{name}{what}"));
    let refused: Vec<Answer> = ["", "/findings"].map(|it| of(gone[0], it)).into();
    let (counts, findings) = (of(there[0], ""), of(there[0], "/findings"));
    let metrics = get(&before, "/metrics").body;
    hung.resume();

    for name in &there {
        assert_eq!(row(&silent, name).unwrap()["pending"], 1, "{silent}");
        assert_eq!(row(&first, name).unwrap()["pending"], 1, "{first}");
    }
    for name in &gone {
        let error = row(&silent, name).unwrap()["error"].as_str().unwrap();
        assert!(error.contains(&address), "{error}");
    }
    assert_eq!(first["silent"][0]["server"], address.as_str(), "{first}");
    for answer in refused {
        assert_eq!(answer.status, 502, "{answer:?}");
        assert!(answer.body.contains(&address), "{answer:?}");
    }
    assert_eq!(counts.json()["pending"], 1);
    let findings = findings.json();
    let found = findings["findings"].as_array().unwrap();
    assert!(found.iter().any(|it| it["check"] == "waiting"), "{found:?}");
    for (name, readable) in [(gone[0], 0), (there[0], 1)] {
        let line = format!("readable{{queue=\"{name}\"}} {readable}");
        assert!(metrics.contains(&line), "{metrics}");
    }
}
