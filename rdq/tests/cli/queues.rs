//! `rdq queues` and `rdq stats`

use std::time::Duration;

use testbed::{Cluster, Server};

use crate::rdq::{json, queue, run};

const HOUR: Duration = Duration::from_secs(3_600);

#[tokio::test]
async fn queues_are_found_on_all_masters_with_what_is_in_them() {
    let cluster = Cluster::without_replicas();
    let url = cluster.url();
    let names: Vec<_> = (0..9).map(|i| format!("orders-{i}")).collect();
    for name in &names {
        let queue = queue(&url, name).await;
        queue.offer(&"a".to_owned(), HOUR).await.unwrap();
    }
    let rows = json(&url, &["queues"]);
    let found: Vec<_> = rows
        .iter()
        .map(|row| row["queue"].as_str().unwrap())
        .collect();
    assert_eq!(found, names);
    assert!(rows.iter().all(|row| row["pending"] == 1), "{rows:?}");
}

#[tokio::test]
async fn a_stalled_queue_is_called_so() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    orders
        .offer(&"late".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    orders.offer(&"soon".to_owned(), HOUR).await.unwrap();
    let [stats] = json(&server.url(), &["stats", "orders"])
        .try_into()
        .unwrap();
    assert_eq!(stats["pending"], 2);
    assert_eq!(stats["overdue"], 1);
    // Due within 1 s, 10 s, 1 min, 10 min, 1 h, 1 day, and later.
    let ahead = stats["due_ahead"].as_array().unwrap();
    assert_eq!(ahead.iter().map(|it| it.as_u64().unwrap()).sum::<u64>(), 1);
    let listed = run(&server.url(), &["queues"]);
    assert!(
        listed.stdout.contains("stalled: nobody listens"),
        "{listed:?}"
    );
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let gone = run("redis://127.0.0.1:1", &["queues"]);
    assert_eq!(gone.code, 1);
    assert!(gone.stderr.contains("127.0.0.1:1"), "{gone:?}");
}
