//! What was counted before somebody opened a page.

use std::time::SystemTime;

use testbed::{Server, until};

use crate::dashboard::Dashboard;
use crate::http::get;
use crate::{HOUR, queue};

/// What is remembered of each would fill the memory.
#[test]
fn nothing_is_remembered_of_names_that_somebody_makes_up() {
    let server = Server::start();
    let dashboard = Dashboard::start(&server.url(), &[]);
    for path in ["/api/queues/typo", "/api/queues/typo/findings"] {
        // Twice: the first request must not make it known.
        for _ in 0..2 {
            assert_eq!(get(&dashboard, path).status, 404, "{path}");
        }
    }
}

#[tokio::test]
async fn queues_are_counted_before_somebody_looks() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    orders.offer(&"a".to_owned(), HOUR).await.unwrap();
    server.run::<()>(&["CONFIG", "RESETSTAT"]);
    let dashboard = Dashboard::start(&server.url(), &[]);
    until("the queue is counted", || {
        let stats: String = server.run(&["INFO", "commandstats"]);
        match stats.contains("cmdstat_zcount") {
            true => Ok(()),
            false => Err(stats),
        }
    });
    let opened = SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let page = get(&dashboard, "/api/queues/orders").json();
    let minutes = page["minutes"].as_array().unwrap();
    assert_eq!(minutes[0]["pending"], 1);
    assert!(u128::from(minutes[0]["at_ms"].as_u64().unwrap()) <= opened.as_millis());
}
