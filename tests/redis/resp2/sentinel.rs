//! Sentinels behind proxies, and servers, that refuse `HELLO`.

use testbed::{Sentinels, Settings};

use super::*;

/// In RESP2 a sentinel cannot be listened to beside being asked. It is asked often enough.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_master_is_found_and_left_after_a_failover_without_resp3() {
    let settings = Settings::new().set("rename-command", "HELLO \"\"");
    let bed = tokio::task::spawn_blocking(move || Sentinels::with(&settings, None));
    let bed = bed.await.unwrap();
    let mut proxies = Vec::new();
    for sentinel in bed.sentinels() {
        let proxy = Proxy::start(sentinel.port()).await;
        // A sentinel knows no scripts either, which is refusal enough.
        proxy.refuse(&["HELLO"], UNKNOWN);
        proxies.push(proxy);
    }
    let addresses: Vec<_> = proxies.iter().map(Proxy::url).collect();
    let addresses: Vec<_> = addresses
        .iter()
        .map(|it| it.trim_start_matches("redis://").trim_end_matches('/'))
        .collect();
    let url = format!(
        "redis+sentinel://{}/{}",
        addresses.join(","),
        Sentinels::MASTER
    );
    let builder = polling()
        .response_timeout(Duration::from_secs(1))
        .retry_window(SOON)
        .remember_offers(true);
    let queue = orders_with(builder, &url).await;
    queue
        .offer(&"before".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["before"]);

    let taker = tokio::spawn({
        let queue = queue.clone();
        async move { queue.take().await }
    });
    let failover = tokio::task::spawn_blocking(move || {
        bed.failover();
        bed
    });
    let _bed = failover.await.unwrap();
    queue
        .offer(&"after".to_owned(), Duration::ZERO)
        .await
        .unwrap();
    let taken = tokio::time::timeout(SOON, taker).await;
    assert_eq!(taken.expect("it comes").unwrap().unwrap(), "after");
}
