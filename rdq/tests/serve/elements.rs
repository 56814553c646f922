//! Elements: pages of them, searches, and changes.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;

use redisson_delayed_queue::Client;
use redisson_delayed_queue::codec::StringCodec;
use serde_json::{Value, json};
use testbed::{Directory, Server};

use crate::dashboard::{Dashboard, WRITE};
use crate::http::{get, post_with};
use crate::{HOUR, queue};

/// All rows of a list, and how many pages they came in.
fn pages(dashboard: &Dashboard, path: &str, query: &str) -> (Vec<Value>, usize) {
    let (mut rows, mut count, mut place) = (Vec::new(), 0, String::new());
    loop {
        let page = get(dashboard, &format!("{path}?{query}{place}")).json();
        rows.extend(page["rows"].as_array().unwrap().iter().cloned());
        count += 1;
        match page["next"].as_str() {
            Some(next) => place = format!("&place={next}"),
            None => return (rows, count),
        }
    }
}

#[tokio::test]
async fn pages_of_pending_elements_have_each_once_in_order() {
    let server = Server::start();
    let orders = queue(&server.url(), "a/b ?#").await;
    // 70 elements are due in the same millisecond.
    let at = std::time::SystemTime::now() + HOUR;
    let delay = |i: u64| if i < 70 { 0 } else { i };
    let values = (0..130).map(|i| (format!("order {i}"), at + Duration::from_millis(delay(i))));
    orders.offer_all(values).await.unwrap();
    let dashboard = Dashboard::start(&server.url(), &[]);
    let (rows, count) = pages(&dashboard, "/api/queues/a%2Fb%20%3F%23/pending", "");
    assert_eq!(count, 3);
    let values: Vec<_> = rows
        .iter()
        .map(|it| it["value"].as_str().unwrap())
        .collect();
    let expected: Vec<_> = (0..130).map(|i| format!("\"order {i}\"")).collect();
    assert_eq!(values, expected);
    let ids: BTreeSet<_> = rows.iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 130);
}

#[tokio::test]
async fn a_search_goes_on_where_it_stopped() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    let value = |i: u64| {
        if i % 9_000 == 8_999 {
            format!("needle {i}")
        } else {
            i.to_string()
        }
    };
    let values = (0..30_000).map(|i| (value(i), HOUR + Duration::from_millis(i)));
    orders.offer_all(values).await.unwrap();
    let dashboard = Dashboard::start(&server.url(), &[]);
    let (rows, count) = pages(&dashboard, "/api/queues/orders/pending", "text=needle");
    let values: Vec<_> = rows
        .iter()
        .map(|it| it["value"].as_str().unwrap())
        .collect();
    assert_eq!(
        values,
        ["\"needle 8999\"", "\"needle 17999\"", "\"needle 26999\""]
    );
    // No request looks at more than 10,000 elements.
    assert!(count >= 3, "{count}");
}

#[tokio::test]
async fn ready_elements_are_numbered_and_texts_are_not_markup() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    let evil = "<script>alert(1)</script>".to_owned();
    let values = (0..60).map(|i| if i == 59 { evil.clone() } else { i.to_string() });
    let values: Vec<_> = values.collect();
    orders.destination().add_all(&values).await.unwrap();
    let dashboard = Dashboard::start(&server.url(), &[]);
    let (rows, count) = pages(&dashboard, "/api/queues/orders/ready", "");
    assert_eq!((rows.len(), count), (60, 2));
    assert_eq!(rows[59]["place"], 59);
    assert_eq!(rows[59]["value"], json!(evil).to_string());
    // A browser that opens the answer as a page sees no page.
    let answer = get(&dashboard, "/api/queues/orders/ready?text=script");
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.json()["rows"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn elements_are_shown_rescheduled_promoted_and_cancelled() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    // The ticket of the second is too long to be sent about.
    let large = "x".repeat(100_000);
    for value in ["small", large.as_str()] {
        orders.offer(&value.to_owned(), HOUR).await.unwrap();
    }
    let dashboard = Dashboard::with_writers(&server.url());
    let post = |what: &str, body: &Value| {
        post_with(
            &dashboard,
            WRITE,
            &format!("/api/queues/orders/{what}"),
            body,
        )
    };
    let listed = || get(&dashboard, "/api/queues/orders/pending").json()["rows"].clone();
    let rows = listed();
    let small = json!({ "ticket": rows[0]["ticket"] });
    let large = json!({ "id": rows[1]["id"], "due_ms": rows[1]["due_ms"] });
    assert_eq!(rows[1]["ticket"], Value::Null);
    assert_eq!(rows[1]["cut"], true);
    assert!(rows[1].to_string().len() < 1_000);
    assert_eq!(post("element", &small).json()["value"], "\"small\"");
    let detail = post("element", &large).json();
    assert_eq!(detail["value"].as_str().unwrap().len(), 100_002);

    let later = json!({ "element": large, "due_ms": 4_102_444_800_000_u64 });
    post("reschedule", &later).json();
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    let counted = ["ZCOUNT", timeouts, "4102444800000", "4102444800000"];
    assert_eq!(server.run::<i64>(&counted), 1);
    // It is no longer due where the list had it.
    let missed = post("cancel", &large);
    assert_eq!(missed.status, 404);
    assert!(missed.body.contains("its due time is another one"));
    post("promote", &small).json();
    let stats = get(&dashboard, "/api/queues/orders").json();
    assert_eq!(
        (&stats["pending"], &stats["overdue"]),
        (&json!(2), &json!(1))
    );
    post("cancel", &small).json();
    assert_eq!(post("cancel", &small).status, 404);
    assert_eq!(post("element", &small).status, 404);
    assert_eq!(post("reschedule", &json!({ "element": small })).status, 400);
    assert_eq!(listed().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_queue_is_paused_and_resumed() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    orders.offer(&"a".to_owned(), HOUR).await.unwrap();
    let dashboard = Dashboard::with_writers(&server.url());
    // Each twice: whoever clicks second has what they want, too.
    for (change, is_paused) in [
        ("pause", true),
        ("pause", true),
        ("resume", false),
        ("resume", false),
    ] {
        let path = format!("/api/queues/orders/{change}");
        assert_eq!(
            post_with(&dashboard, WRITE, &path, &json!({})).json()["done"],
            true
        );
        assert_eq!(orders.is_paused().await.unwrap(), is_paused);
        assert_eq!(
            get(&dashboard, "/api/queues/orders").json()["paused"],
            is_paused
        );
    }
    for change in ["pause", "resume", "requeue-all"] {
        let path = format!("/api/queues/typo/{change}");
        let unknown = post_with(&dashboard, WRITE, &path, &json!({}));
        assert_eq!(unknown.status, 404);
    }
    assert!(!server.run::<bool>(&["EXISTS", "rdq1_state:{typo}"]));
}

/// Offers these values, rejects each, and leaves them as dead letters. The last one is the newest.
async fn reject(server: &Server, values: impl Iterator<Item = String>) {
    let client = Client::connect(server.url().as_str()).await.unwrap();
    let orders = client.delayed_queue::<String, _>("orders", StringCodec);
    let orders = orders.unwrap();
    let consumer = orders.consumer().build().unwrap();
    let values: Vec<_> = values.map(|it| (it, Duration::ZERO)).collect();
    let count = values.len();
    orders.offer_all(values).await.unwrap();
    for _ in 0..count {
        let delivery = consumer.recv().await.unwrap();
        delivery.reject("no <b>stock</b>").await.unwrap();
    }
    client.shutdown().await.unwrap();
}

#[tokio::test]
async fn dead_letters_are_listed_with_their_reasons_and_requeued() {
    let server = Server::start();
    reject(&server, (0..3).map(|i| format!("order {i}"))).await;
    let dashboard = Dashboard::with_writers(&server.url());
    let list = |query: &str| {
        get(&dashboard, &format!("/api/queues/orders/dead{query}")).json()["rows"].clone()
    };
    let rows = list("");
    assert_eq!(rows.as_array().unwrap().len(), 3);
    assert_eq!(rows[0]["value"], "\"order 2\"");
    assert_eq!(rows[0]["reason"], "no <b>stock</b>");
    assert_eq!(
        (&rows[0]["attempts"], &rows[0]["from"]),
        (&json!(1), &json!("orders"))
    );
    assert_eq!(list("?text=stock").as_array().unwrap().len(), 3);
    assert_eq!(list("?text=1").as_array().unwrap().len(), 1);

    let which = json!({ "letter": rows[1]["letter"] });
    let requeue = || post_with(&dashboard, WRITE, "/api/queues/orders/requeue", &which);
    requeue().json();
    assert_eq!(requeue().status, 404);
    let ready: Vec<String> = server.run(&["LRANGE", "orders", "0", "-1"]);
    assert_eq!(ready, ["order 1"]);
    post_with(
        &dashboard,
        WRITE,
        "/api/queues/orders/requeue-all",
        &json!({}),
    )
    .json();
    let ready: Vec<String> = server.run(&["LRANGE", "orders", "0", "-1"]);
    assert_eq!(ready, ["order 1", "order 0", "order 2"]);
    assert_eq!(list(""), json!([]));
}

/// Whoever purges has the letters first, in a form that `rdq import` reads. Only those go that are named.
#[tokio::test]
async fn dead_letters_are_saved_and_purged() {
    let server = Server::start();
    reject(&server, (0..120).map(|i| format!("order {}", i / 2))).await;
    let dashboard = Dashboard::with_writers(&server.url());
    let dead = "/api/queues/orders/dead";
    let (saved, _) = pages(&dashboard, dead, "records=true");
    assert_eq!(saved.len(), 120);
    let purge = |letters: &[&Value]| {
        let body = json!({ "letters": letters });
        post_with(&dashboard, WRITE, "/api/queues/orders/purge", &body)
    };
    // One of them, from the second page.
    let last = &saved[119];
    assert_eq!(last["value"], "\"order 0\"");
    let one = format!("records=true&letter={}", last["letter"].as_str().unwrap());
    let (found, _) = pages(&dashboard, dead, &one);
    assert_eq!(found.as_slice(), std::slice::from_ref(last));
    let payload = json!({ "kind": "dead", "payload": "b3JkZXIgMA==" });
    assert_eq!(last["records"][0], payload);
    assert_eq!(last["records"][1]["kind"], "dead_note");
    let header = get(&dashboard, &format!("{dead}?records=true")).json()["header"].clone();
    let old = |key: &str| -> Vec<Vec<u8>> { server.run(&["LRANGE", key, "0", "-1"]) };
    let keys = ["{orders}-dead", "rdq1_dead_notes:{orders}-dead"];
    let before = keys.map(old);
    assert_eq!(
        purge(&[&last["letter"]]).json(),
        json!({ "done": true, "purged": 1 })
    );
    assert_eq!(purge(&[&last["letter"]]).status, 404);
    let bodies: Vec<String> = server.run(&["LRANGE", "{orders}-dead", "0", "-1"]);
    assert_eq!(bodies.len(), 119);

    // A letter that comes after the others were saved stays.
    reject(&server, ["late".to_owned()].into_iter()).await;
    let all: Vec<_> = saved.iter().map(|it| &it["letter"]).collect();
    assert_eq!(purge(&all).json()["purged"], 119);
    let left: Vec<String> = server.run(&["LRANGE", "{orders}-dead", "0", "-1"]);
    assert_eq!(left, ["late"]);
    let (rows, _) = pages(&dashboard, dead, "");
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].get("records"), None);

    server.run::<()>(&["DEL", keys[0], keys[1]]);
    let oldest_first = saved.iter().rev();
    let records: Vec<_> = oldest_first
        .flat_map(|it| it["records"].as_array().unwrap())
        .collect();
    let end = json!({ "kind": "end", "records": records.len() });
    let lines = [&header].into_iter().chain(records).chain([&end]);
    let files = Directory::new();
    let file = files.file("letters.jsonl");
    let text: String = lines.map(|it| format!("{it}\n")).collect();
    std::fs::write(&file, text).unwrap();
    let mut import = Command::new(env!("CARGO_BIN_EXE_rdq"));
    import.args(["--server", &server.url(), "import", "orders"]);
    assert!(import.arg(&file).status().unwrap().success());
    assert_eq!(keys.map(old), before);
}
