//! What processes hold, and what nobody could read.

use std::time::Duration;

use redis::Commands;
use redisson_delayed_queue::Client;
use redisson_delayed_queue::codec::StringCodec;
use serde_json::json;
use testbed::Server;

use crate::dashboard::Dashboard;
use crate::http::get;

#[test]
fn claimed_elements_without_leases_are_counted_and_noted() {
    let server = Server::start();
    let origin = [&[7; 18][..], &1_000_u64.to_be_bytes()].concat();
    let mut connection = server.connection();
    let deliveries = "rdq1_deliveries:{orders}";
    let () = connection.hset(deliveries, origin, "order").unwrap();
    let dashboard = Dashboard::start(&server.url(), &[]);
    let listed = get(&dashboard, "/api/queues").json()["queues"][0].clone();
    assert_eq!(listed["unleased"], 1, "{listed}");
    let note = "claimed elements without leases: see rdq doctor";
    assert_eq!(listed["note"], note);
}

#[tokio::test]
async fn leases_say_who_holds_what_until_when() {
    let server = Server::start();
    let client = Client::connect(server.url().as_str()).await.unwrap();
    let orders = client.delayed_queue::<String, _>("orders", StringCodec);
    let orders = orders.unwrap();
    let values = (0..60).map(|i| (format!("order {i}"), Duration::ZERO));
    orders.offer_all(values).await.unwrap();
    let consumer = orders.consumer().build().unwrap();
    let mut held = Vec::new();
    for _ in 0..60 {
        held.push(consumer.recv().await.unwrap());
    }
    let dashboard = Dashboard::start(&server.url(), &[]);
    let leases = "/api/queues/orders/leases";
    let page = get(&dashboard, leases).json();
    assert_eq!(page["rows"].as_array().unwrap().len(), 50);
    let row = &page["rows"][0];
    assert_eq!(
        (&row["kind"], &row["attempt"]),
        (&json!("in flight"), &json!(1))
    );
    assert_eq!(
        (&row["expired"], &row["cut"]),
        (&json!(false), &json!(false))
    );
    assert!(
        row["until_ms"].is_u64() && row["lease"].is_string(),
        "{row}"
    );
    let next = page["next"].as_str().unwrap();
    let rest = get(&dashboard, &format!("{leases}?place={next}")).json();
    assert_eq!(rest["rows"].as_array().unwrap().len(), 10);
    let found = get(&dashboard, &format!("{leases}?text=order%2037")).json();
    assert_eq!(found["rows"].as_array().unwrap().len(), 1);
    assert_eq!(found["rows"][0]["value"], "\"order 37\"");
    assert_eq!(get(&dashboard, &format!("{leases}?place=x")).status, 400);
    drop(held);
}

#[test]
fn the_quarantine_says_why_nobody_can_read_its_members() {
    let server = Server::start();
    let quarantine = "rdq1_quarantine:{orders}";
    server.run::<()>(&[
        "ZADD",
        quarantine,
        "4102444800000",
        "x\u{1}<b>",
        "5",
        &"y".repeat(300),
    ]);
    let dashboard = Dashboard::start(&server.url(), &[]);
    let path = "/api/queues/orders/quarantine";
    let rows = get(&dashboard, path).json()["rows"].clone();
    assert_eq!(rows.as_array().unwrap().len(), 2);
    assert_eq!(rows[0]["bytes"], "y".repeat(100));
    assert_eq!(rows[0]["size"], 300);
    assert_eq!(rows[1]["bytes"], "x\\x01<b>");
    assert_eq!(rows[1]["due_ms"], 4_102_444_800_000_u64);
    assert!(
        rows[1]["fault"].as_str().unwrap().contains("at byte"),
        "{rows}"
    );
    let found = get(&dashboard, &format!("{path}?text=%3Cb%3E")).json();
    assert_eq!(found["rows"].as_array().unwrap().len(), 1);
}
