//! Who may read and write, and what is said about it.

use serde_json::json;
use testbed::{Directory, Program, Server, Settings};

use crate::dashboard::{Dashboard, WRITE, command};
use crate::http::{get, host, post_with, send};
use crate::{HOUR, queue};

#[tokio::test]
async fn nobody_writes_without_a_write_token() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    let ticket = orders.offer(&"a".to_owned(), HOUR).await.unwrap();
    let body = json!({ "ticket": ticket });
    let changes = [
        ("cancel", body.clone()),
        ("promote", body.clone()),
        ("reschedule", json!({ "element": body, "delay_ms": 1 })),
        ("requeue", json!({ "letter": "0" })),
        ("requeue-all", json!({})),
        ("purge", json!({ "letters": ["0"] })),
        ("pause", json!({})),
        ("resume", json!({})),
    ];
    let reader = Dashboard::start(&server.url(), &[]);
    let writer = Dashboard::with_writers(&server.url());
    for (change, body) in &changes {
        let path = format!("/api/queues/orders/{change}");
        assert_eq!(
            post_with(&reader, WRITE, &path, body).status,
            403,
            "{change}"
        );
        let wrong = post_with(&writer, "wrong-wrong-wrong-wrong-wrong", &path, body);
        assert_eq!(wrong.status, 401, "{change}");
    }
    assert_eq!(orders.pending().len().await.unwrap(), 1);
    assert!(!orders.is_paused().await.unwrap());
    let done = post_with(&writer, WRITE, "/api/queues/orders/cancel", &body);
    assert_eq!(done.json()["done"], true);
    assert!(orders.pending().is_empty().await.unwrap());
}

#[tokio::test]
async fn a_read_token_is_wanted_for_everything_that_tells_something() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    orders.offer(&"a".to_owned(), HOUR).await.unwrap();
    let token = "read-read-read-read-read";
    let files = Directory::new();
    let file = files.file("token");
    std::fs::write(&file, token).unwrap();
    let dashboard = Dashboard::start(&server.url(), &["--read-token-file", &file]);
    let host = ("host", host(&dashboard));
    for path in [
        "/api/findings",
        "/api/queues",
        "/api/queues/orders",
        "/api/queues/orders/pending",
        "/api/queues/orders/leases",
        "/api/queues/orders/quarantine",
        "/metrics",
    ] {
        assert_eq!(get(&dashboard, path).status, 401, "{path}");
        let bearer = format!("Bearer {token}");
        let shown = [host, ("authorization", bearer.as_str())];
        assert_eq!(
            send(&dashboard, "GET", path, &shown, "").status,
            200,
            "{path}"
        );
    }
    let about = get(&dashboard, "/api/server");
    assert_eq!(about.json()["right"], "nothing");
    assert_eq!(about.json()["servers"], json!([]));
    for path in ["/", "/app.js", "/healthz", "/readyz"] {
        assert_eq!(get(&dashboard, path).status, 200, "{path}");
    }
}

#[test]
fn a_session_is_a_cookie_that_scripts_and_other_sites_do_not_get() {
    let server = Server::start();
    let dashboard = Dashboard::with_writers(&server.url());
    let origins = [("http", false), ("https", true)];
    for (scheme, is_secure) in origins {
        let origin = format!("{scheme}://{}", host(&dashboard));
        let page = [
            ("host", host(&dashboard)),
            ("origin", &origin),
            ("x-rdq", "1"),
        ];
        let login = json!({ "token": WRITE }).to_string();
        let answer = send(&dashboard, "POST", "/api/login", &page, &login);
        let cookie = answer.header("set-cookie").to_owned();
        assert!(cookie.contains("; HttpOnly; SameSite=Strict"), "{cookie}");
        assert_eq!(cookie.contains("; Secure"), is_secure, "{cookie}");
        assert!(!cookie.contains(WRITE) && !answer.body.contains(WRITE));

        let cookie = cookie.split(';').next().unwrap().to_owned();
        let right = |cookie: &str| {
            let headers = [("host", host(&dashboard)), ("cookie", cookie)];
            send(&dashboard, "GET", "/api/server", &headers, "").json()["right"].clone()
        };
        assert_eq!(right(&cookie), "write");
        let page = [page.as_slice(), &[("cookie", &cookie)]].concat();
        let logged_out = send(&dashboard, "POST", "/api/logout", &page, "{}");
        assert!(logged_out.header("set-cookie").contains("Max-Age=0"));
        assert_eq!(right(&cookie), "read");
    }
}

/// Guessing is slow. Sessions go on, and so does whoever comes from another address.
#[test]
fn an_address_may_show_ten_wrong_tokens_a_minute() {
    let server = Server::start();
    let dashboard = Dashboard::with_writers(&server.url());
    let script = |token: &str| {
        let bearer = format!("Bearer {token}");
        let headers = [("host", host(&dashboard)), ("authorization", &*bearer)];
        send(&dashboard, "GET", "/api/server", &headers, "")
    };
    let page = [("host", host(&dashboard)), ("x-rdq", "1")];
    let login = |token: &str| {
        let body = json!({ "token": token }).to_string();
        send(&dashboard, "POST", "/api/login", &page, &body)
    };
    let cookie = login(WRITE).header("set-cookie").to_owned();
    let cookie = cookie.split(';').next().unwrap();

    // An old script that shows the same token again and again is no attack.
    for _ in 0..20 {
        assert_eq!(script("old-old-old-old-old-old").status, 200);
    }
    for i in 0..9 {
        let guess = format!("guess-guess-guess-guess-{i}");
        let status = match i % 2 {
            0 => login(&guess).status - 201,
            _ => script(&guess).status,
        };
        assert_eq!(status, 200, "{i}");
    }
    for refused in [login(WRITE), script(WRITE), login("guess"), script("guess")] {
        assert_eq!(refused.status, 429);
        let wait: u64 = refused.header("retry-after").parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        assert!(
            refused.body.contains("too many wrong tokens"),
            "{refused:?}"
        );
    }
    let headers = [("host", host(&dashboard)), ("cookie", cookie)];
    let about = send(&dashboard, "GET", "/api/server", &headers, "");
    assert_eq!(about.json()["right"], "write");
    assert_eq!(get(&dashboard, "/api/queues").status, 200);
}

/// The stranger writes an address of the script in front, as anybody can.
#[test]
fn a_stranger_behind_the_same_proxy_locks_out_nobody_but_itself() {
    let server = Server::start();
    let mut serving = command("127.0.0.1:0", &server.url(), &["--proxy", "127.0.0.1"]);
    serving.env("RDQ_WRITE_TOKEN", WRITE);
    let dashboard = Dashboard::run(serving);
    let ask = |forwarded: &str, token: &str| {
        let bearer = format!("Bearer {token}");
        let headers = [
            ("host", host(&dashboard)),
            ("authorization", &*bearer),
            ("x-forwarded-for", forwarded),
        ];
        send(&dashboard, "GET", "/api/server", &headers, "").status
    };
    let (stranger, script) = ("10.0.0.7, 203.0.113.9", "10.0.0.7");
    for i in 0..10 {
        assert_eq!(ask(stranger, &format!("guess-guess-guess-guess-{i}")), 200);
    }
    assert_eq!(ask(stranger, WRITE), 429);
    assert_eq!(ask(script, WRITE), 200);
}

#[test]
fn other_networks_need_a_read_token_or_a_word() {
    let server = Server::start();
    let mut alone = command("0.0.0.0:0", &server.url(), &[]);
    let refused = Program::run(&mut alone);
    assert_eq!(refused.status.code(), Some(2));
    let reason = String::from_utf8(refused.stderr).unwrap();
    assert!(
        reason.contains("--read-token-file") && reason.contains("--allow-remote"),
        "{reason}"
    );
    let dashboard = Dashboard::start_at("0.0.0.0:0", &server.url(), &["--allow-remote"]);
    let port = host(&dashboard).rsplit_once(':').unwrap().1;
    assert!(port.parse::<u16>().unwrap() > 0);
}

#[test]
fn a_token_that_can_be_guessed_is_refused() {
    let server = Server::start();
    let mut command = command("127.0.0.1:0", &server.url(), &[]);
    command.env("RDQ_WRITE_TOKEN", "secret");
    let refused = Program::run(&mut command);
    assert_eq!(refused.status.code(), Some(2));
    let reason = String::from_utf8(refused.stderr).unwrap();
    assert!(
        reason.contains("RDQ_WRITE_TOKEN") && !reason.contains("secret"),
        "{reason}"
    );
}

#[test]
fn passwords_of_redis_are_told_to_nobody() {
    let server = Server::with(&Settings::new().password("pass-word"));
    assert!(server.url().contains("pass-word"));
    let dashboard = Dashboard::start(&server.url(), &[]);
    server.kill();
    for path in [
        "/",
        "/api/server",
        "/api/queues",
        "/api/queues/orders",
        "/readyz",
        "/metrics",
    ] {
        let answer = get(&dashboard, path);
        assert!(!answer.body.contains("pass-word"), "{path}: {answer:?}");
    }
}
