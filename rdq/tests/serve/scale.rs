//! Many queues and many elements: Redis is never kept for long.

use redisson_delayed_queue::keys::QueueKeys;
use serde_json::json;
use testbed::{Server, until};

use crate::dashboard::Dashboard;
use crate::fill::{costs, fill};
use crate::http::get;

#[test]
fn five_hundred_queues_and_a_million_elements_keep_redis_for_no_long_command() {
    let server = Server::start();
    fill(&server, "orders", 1_000_000);
    for i in 0..499 {
        let keys = QueueKeys::new(format!("queue-{i:03}")).unwrap();
        let add = [
            "ZADD",
            keys.timeouts(),
            "4102444800000",
            "\u{1}a\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}",
        ];
        server.run::<()>(&add);
    }
    server.run::<()>(&["CONFIG", "RESETSTAT"]);
    let dashboard = Dashboard::start(&server.url(), &[]);
    until("all queues are found", || {
        let all = get(&dashboard, "/api/queues").json();
        match (all["queues"].as_array().unwrap().len(), &all["searching"]) {
            (500, searching) if *searching == false => Ok(()),
            (count, _) => Err(count.to_string()),
        }
    });
    let orders = get(&dashboard, "/api/queues/orders").json();
    assert_eq!(orders["pending"], 1_000_000);
    let pending = "/api/queues/orders/pending";
    assert_eq!(
        get(&dashboard, pending).json()["rows"]
            .as_array()
            .unwrap()
            .len(),
        50
    );
    // A search reads a bounded part, and says where to go on.
    let mut path = format!("{pending}?text=no-such-text");
    for _ in 0..3 {
        let page = get(&dashboard, &path).json();
        assert_eq!(page["rows"], json!([]));
        let (examined, next) = (page["examined"].as_u64().unwrap(), &page["next"]);
        assert!((1..=10_000).contains(&examined), "{examined}");
        path = format!(
            "{pending}?text=no-such-text&place={}",
            next.as_str().unwrap()
        );
    }
    for (name, calls, mean_us) in costs(&server) {
        assert!(mean_us < 25_000.0, "{calls} x {name}: {mean_us} us each");
    }
}

/// Whoever looks shares what is read: more viewers cost Redis no more.
#[test]
fn many_viewers_share_what_is_read() {
    let server = Server::start();
    fill(&server, "orders", 100);
    let dashboard = Dashboard::start(&server.url(), &[]);
    server.run::<()>(&["CONFIG", "RESETSTAT"]);
    let begin = std::time::Instant::now();
    for _ in 0..200 {
        assert_eq!(get(&dashboard, "/api/queues/orders").json()["pending"], 100);
    }
    let seconds = begin.elapsed().as_secs_f64();
    let scripts = costs(&server)
        .into_iter()
        .find(|(name, ..)| name == "evalsha");
    let (_, calls, _) = scripts.unwrap();
    // One in 0.9 s, and one more for a part of it.
    assert!(
        calls as f64 <= seconds / 0.9 + 2.0,
        "{calls} in {seconds} s"
    );
}
