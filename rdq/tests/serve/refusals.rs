//! Requests that are wrong: the answer is JSON, says what is wrong, and tells nothing else.

use serde_json::{Value, json};
use testbed::{Directory, Server};

use crate::dashboard::{Dashboard, WRITE};
use crate::http::{Answer, get, host, post_with, send};
use crate::{HOUR, queue};

/// The reason that an answer with this status gives.
fn reason(answer: &Answer, status: u16) -> String {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("content-type"), "application/json");
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body.as_object().unwrap().len(), 1, "{body}");
    body["error"].as_str().unwrap().to_owned()
}

#[test]
fn every_refusal_is_json_and_says_what_is_wrong() {
    let server = Server::start();
    let dashboard = Dashboard::with_writers(&server.url());
    let bearer = format!("Bearer {WRITE}");
    let script = [("host", host(&dashboard)), ("authorization", &*bearer)];
    let cancel = "/api/queues/orders/cancel";
    let body = |body: &Value| post_with(&dashboard, WRITE, cancel, body);

    let gets = [
        ("/api/nothing", 404, "nothing here"),
        ("/api/queues/orders/cancel", 405, "Allow"),
        ("/api/queues/%FF", 400, "UTF-8"),
        ("/api/queues/orders?since_ms=soon", 400, "invalid digit"),
        (
            "/api/queues/orders/pending?from_ms=-1",
            400,
            "invalid digit",
        ),
        (
            "/api/queues/orders/pending?from_ms=9007199254740993",
            400,
            "too late",
        ),
        ("/api/queues/orders/pending?place=x", 400, "place"),
        ("/api/queues/orders/dead?place=x", 400, "place"),
    ];
    for (path, status, about) in gets {
        let reason = reason(&get(&dashboard, path), status);
        assert!(reason.contains(about), "{path}: {reason}");
    }
    assert_eq!(get(&dashboard, cancel).header("allow"), "POST");

    let no_type = send(
        &dashboard,
        "POST",
        cancel,
        &[&script[..], &[("content-length", "0")]].concat(),
        "",
    );
    assert!(reason(&no_type, 415).contains("content-type: application/json"));
    let cut = send(&dashboard, "POST", cancel, &script, "{");
    assert!(reason(&cut, 400).contains("no JSON"), "{cut:?}");
    let wrong = [
        (json!({}), "by its ticket, or by its id and due_ms"),
        (json!({ "ticket": "no ticket" }), "ticket"),
        (json!({ "id": "00", "due_ms": u64::MAX }), "too late"),
        (json!([1]), "Words"),
    ];
    for (wrong, about) in wrong {
        let reason = reason(&body(&wrong), 422);
        match about {
            // The names of types of the program tell users nothing.
            "Words" => assert!(!reason.contains("Words"), "{reason}"),
            about => assert!(reason.contains(about), "{wrong}: {reason}"),
        }
    }
    let long = json!({ "ticket": "x".repeat(3 << 20) });
    assert!(reason(&body(&long), 413).contains("too long"));
    let long = json!({ "token": "x".repeat(5_000) });
    let login = post_with(&dashboard, WRITE, "/api/login", &long);
    assert!(reason(&login, 413).contains("too long"));
}

/// Values that the page would round to another moment are refused.
#[tokio::test]
async fn moments_that_are_too_late_are_refused() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    let ticket = orders.offer(&"a".to_owned(), HOUR).await.unwrap();
    let due = |server: &Server| -> Vec<Vec<u8>> {
        let key = "redisson_delay_queue_timeout:{orders}";
        server
            .run::<Vec<Vec<u8>>>(&["ZRANGE", key, "0", "-1", "WITHSCORES"])
            .split_off(1)
    };
    let before = due(&server);
    let dashboard = Dashboard::with_writers(&server.url());
    let reschedule = |when: &str, ms: u64| {
        let body = json!({ "element": { "ticket": ticket }, when: ms });
        post_with(&dashboard, WRITE, "/api/queues/orders/reschedule", &body)
    };
    for ms in [u64::MAX, (1 << 53) + 1] {
        let reason = reason(&reschedule("due_ms", ms), 422);
        assert!(reason.contains("too late"), "{reason}");
    }
    for ms in [u64::MAX, 1 << 53] {
        let reason = reason(&reschedule("delay_ms", ms), 400);
        assert!(reason.contains("past 2^53 ms"), "{reason}");
    }
    assert_eq!(due(&server), before);
    assert_eq!(reschedule("due_ms", 1 << 53).status, 200);
    assert_eq!(due(&server), [b"9007199254740992"]);
}

/// What is wrong with the files of this machine stands in its log only.
#[tokio::test]
async fn no_path_of_a_file_is_told() {
    let server = Server::start();
    queue(&server.url(), "orders")
        .await
        .offer(&"a".to_owned(), HOUR)
        .await
        .unwrap();
    let folder = Directory::new();
    let schema = folder.path().join("schema.json");
    std::fs::write(&schema, "{}").unwrap();
    let mut command = crate::dashboard::command("127.0.0.1:0", &server.url(), &[]);
    command.env("RDQ_SCHEMA", &schema);
    let dashboard = Dashboard::run(command);
    std::fs::remove_file(&schema).unwrap();
    let paths = [
        ("pending", 500),
        ("ready", 500),
        ("dead", 500),
        ("findings", 200),
    ];
    for (path, status) in paths {
        let answer = get(&dashboard, &format!("/api/queues/orders/{path}"));
        let folder = folder.path().to_str().unwrap();
        assert!(!answer.body.contains(folder), "{path}: {answer:?}");
        assert_eq!(answer.status, status, "{path}: {answer:?}");
        if status == 500 {
            assert!(reason(&answer, 500).contains("its log says why"), "{path}");
        }
    }
}
