//! Requests that pages of other sites make browsers send, and what answers tell browsers.

use serde_json::json;
use testbed::Server;

use crate::dashboard::{Dashboard, WRITE};
use crate::http::{get, host, send};
use crate::{HOUR, queue};

/// DNS rebinding: the name of a foreign page resolves to this machine.
#[test]
fn requests_for_other_hosts_are_refused() {
    let server = Server::start();
    let dashboard = Dashboard::start(&server.url(), &["--host", "queues.example.com"]);
    let port = host(&dashboard).split_once(':').unwrap().1;
    let status =
        |headers: &[(&str, &str)]| send(&dashboard, "GET", "/api/queues", headers, "").status;
    for host in ["127.0.0.1", "localhost", "queues.example.com"] {
        assert_eq!(
            status(&[("host", &format!("{host}:{port}"))]),
            200,
            "{host}"
        );
    }
    assert_eq!(status(&[("host", "queues.example.com")]), 200);
    for host in [
        "evil.example",
        "evil.example:6390",
        "127.0.0.1.evil.example",
        "queues.example.com.evil.example",
    ] {
        assert_eq!(status(&[("host", host)]), 421, "{host}");
    }
    assert_eq!(status(&[]), 400);
    assert_eq!(
        status(&[("host", "localhost"), ("host", "evil.example")]),
        400
    );
    // The name may stand in the first line, too.
    let host = [("host", "localhost")];
    let absolute = send(
        &dashboard,
        "GET",
        "http://evil.example/api/queues",
        &host,
        "",
    );
    assert_eq!(absolute.status, 421);
}

/// CSRF: each of these could be sent with the cookie of somebody who may write.
#[tokio::test]
async fn changes_from_other_sites_are_refused() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    let ticket = orders.offer(&"a".to_owned(), HOUR).await.unwrap();
    let dashboard = Dashboard::with_writers(&server.url());
    let host = host(&dashboard).to_owned();
    let (ours, theirs) = (format!("http://{host}"), "http://evil.example".to_owned());
    let neighbor = "http://127.0.0.1:1".to_owned();

    let login = json!({ "token": WRITE }).to_string();
    let from_page = [("host", host.as_str()), ("origin", &ours), ("x-rdq", "1")];
    let logged_in = send(&dashboard, "POST", "/api/login", &from_page, &login);
    let cookie = logged_in.header("set-cookie").to_owned();
    let cookie = cookie.split(';').next().unwrap();
    let body = json!({ "ticket": ticket }).to_string();
    let cancel = |more: &[(&str, &str)]| {
        let headers = [&[("host", host.as_str()), ("cookie", cookie)], more].concat();
        send(
            &dashboard,
            "POST",
            "/api/queues/orders/cancel",
            &headers,
            &body,
        )
        .status
    };
    let refused: [&[(&str, &str)]; 7] = [
        &[],
        &[("origin", &ours)],
        &[("origin", &theirs), ("x-rdq", "1")],
        &[("origin", &neighbor), ("x-rdq", "1")],
        &[("origin", "null"), ("x-rdq", "1")],
        &[("sec-fetch-site", "cross-site"), ("x-rdq", "1")],
        &[("sec-fetch-site", "same-site"), ("x-rdq", "1")],
    ];
    for headers in refused {
        assert_eq!(cancel(headers), 403, "{headers:?}");
    }
    // Nobody is logged in by another site either.
    let from_there = [("host", host.as_str()), ("origin", &theirs), ("x-rdq", "1")];
    let login = send(&dashboard, "POST", "/api/login", &from_there, &login);
    assert_eq!((login.status, login.all("set-cookie").len()), (403, 0));
    assert_eq!(orders.pending().len().await.unwrap(), 1);

    let page = [
        ("origin", &*ours),
        ("sec-fetch-site", "same-origin"),
        ("x-rdq", "1"),
    ];
    assert_eq!(cancel(&page), 200);
    assert!(orders.pending().is_empty().await.unwrap());
}

#[test]
fn every_answer_tells_browsers_what_they_may_do() {
    let server = Server::start();
    let dashboard = Dashboard::start(&server.url(), &[]);
    for path in [
        "/",
        "/app.js",
        "/style.css",
        "/api/queues",
        "/api/queues/%20",
        "/nowhere",
        "/metrics",
        "/healthz",
    ] {
        let answer = get(&dashboard, path);
        let policy = answer.header("content-security-policy");
        for rule in [
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
        ] {
            assert!(policy.contains(rule), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        assert!(
            answer.all("access-control-allow-origin").is_empty(),
            "{path}"
        );
    }
    let page = get(&dashboard, "/").body;
    for inline in ["<style", "<script>", " style=", "onclick"] {
        assert!(!page.contains(inline), "{inline}");
    }
}
