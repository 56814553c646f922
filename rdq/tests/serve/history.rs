//! What was counted before somebody opened a page.

use std::time::SystemTime;

use testbed::{Server, until};

use crate::dashboard::Dashboard;
use crate::http::get;
use crate::{HOUR, queue};

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
