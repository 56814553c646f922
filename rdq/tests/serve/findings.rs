//! What the doctor finds.

use redisson_delayed_queue::Client;
use redisson_delayed_queue::codec::StringCodec;
use serde_json::{Value, json};
use testbed::{Server, until};

use crate::HOUR;
use crate::dashboard::Dashboard;
use crate::http::get;

/// Nobody opens the queues: the list examines them.
#[tokio::test]
async fn the_list_says_which_queues_have_findings() {
    let server = Server::start();
    let client = Client::connect(server.url().as_str()).await.unwrap();
    let fine = client.delayed_queue("fine", StringCodec).unwrap();
    fine.offer(&"a".to_owned(), HOUR).await.unwrap();
    // No Redisson client can read this member.
    let add = [
        "ZADD",
        "redisson_delay_queue_timeout:{odd}",
        "4102444800000",
        "x",
    ];
    server.run::<()>(&add);
    let dashboard = Dashboard::start(&server.url(), &[]);
    until("the client listens", || {
        match &get(&dashboard, "/api/queues/fine").json()["subscribers"] {
            one if *one == 1 => Ok(()),
            count => Err(count.to_string()),
        }
    });
    let findings = |queue: &str| -> Value {
        let all = get(&dashboard, "/api/queues").json();
        let mut rows = all["queues"].as_array().unwrap().iter();
        let row = rows.find(|it| it["queue"] == queue);
        row.map_or(Value::Null, |it| it["findings"].clone())
    };
    until("both queues are examined", || {
        match (findings("fine"), findings("odd")) {
            (fine, odd) if fine.is_object() && odd.is_object() => Ok(()),
            others => Err(format!("{others:?}")),
        }
    });
    assert_eq!(findings("fine"), json!({ "critical": 0, "warnings": 0 }));
    assert_eq!(findings("odd")["critical"], 1);
}

/// Redis may evict elements.
#[test]
fn servers_have_findings_of_their_own() {
    let server = Server::start();
    let dashboard = Dashboard::start(&server.url(), &[]);
    server.run::<()>(&["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"]);
    server.run::<()>(&["CONFIG", "SET", "maxmemory", "100mb"]);
    let found = get(&dashboard, "/api/findings").json();
    let mut found = found["findings"].as_array().unwrap().iter();
    let eviction = found.find(|it| it["check"] == "eviction").unwrap();
    assert_eq!(eviction["severity"], "critical");
    assert_eq!(eviction["queue"], Value::Null);
    assert!(
        eviction["server"]
            .as_str()
            .unwrap()
            .ends_with(&server.port().to_string())
    );
}
