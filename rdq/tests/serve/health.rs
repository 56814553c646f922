//! What managers of services and Prometheus ask, and how the process ends.

use std::io::{Read, Write};
use std::net::TcpStream;

use testbed::{Server, signal, until};

use crate::dashboard::Dashboard;
use crate::http::{get, host};
use crate::{HOUR, queue};

#[test]
fn the_process_lives_and_is_ready_as_long_as_redis_answers() {
    let server = Server::start();
    let mut dashboard = Dashboard::start(&server.url(), &[]);
    let status = |path: &str| get(&dashboard, path).status;
    assert_eq!((status("/healthz"), status("/readyz")), (200, 200));
    server.kill();
    assert_eq!((status("/healthz"), status("/readyz")), (200, 503));
    server.restart();
    until("rdq is ready again", || match status("/readyz") {
        200 => Ok(()),
        other => Err(other.to_string()),
    });
    assert_eq!(terminate(&mut dashboard), Some(0));
}

#[tokio::test]
async fn metrics_have_a_line_for_each_queue() {
    let server = Server::start();
    for (name, count) in [("orders", 3), ("mails", 1)] {
        let queue = queue(&server.url(), name).await;
        for _ in 0..count {
            queue.offer(&"a".to_owned(), HOUR).await.unwrap();
        }
    }
    // A queue that cannot be counted does not hide the others.
    let queue = queue(&server.url(), "broken").await;
    queue.offer(&"a".to_owned(), HOUR).await.unwrap();
    let _: () = server.run(&["SET", "broken", "a text"]);

    let dashboard = Dashboard::start(&server.url(), &[]);
    let answer = get(&dashboard, "/metrics");
    assert!(
        answer
            .header("content-type")
            .starts_with("text/plain; version=0.0.4")
    );
    let prefix = "redisson_delayed_queue";
    for line in [
        format!("{prefix}_pending_messages{{queue=\"orders\"}} 3"),
        format!("{prefix}_pending_messages{{queue=\"mails\"}} 1"),
        format!("{prefix}_readable{{queue=\"orders\"}} 1"),
        format!("{prefix}_readable{{queue=\"broken\"}} 0"),
    ] {
        assert!(
            answer.body.lines().any(|it| it == line),
            "{line} in\n{}",
            answer.body
        );
    }
}

/// An open request is answered, and a connection that sends nothing does not hold up the end.
#[test]
fn the_end_waits_for_requests_and_not_for_connections() {
    let server = Server::start();
    let mut dashboard = Dashboard::start(&server.url(), &[]);
    let host = host(&dashboard).to_owned();
    let connect = || TcpStream::connect(&host).unwrap();
    let (mut silent, mut open) = (connect(), connect());
    silent.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    let head = format!(
        "POST /api/login HTTP/1.1\r\nhost: {host}\r\nx-rdq: 1\r\nexpect: 100-continue\r\n\
         content-type: application/json\r\ncontent-length: 2\r\n\r\n"
    );
    open.write_all(head.as_bytes()).unwrap();
    // It waits for the body as soon as it says so.
    let mut go_on = [0; 25];
    open.read_exact(&mut go_on).unwrap();
    assert_eq!(go_on, *b"HTTP/1.1 100 Continue\r\n\r\n");
    stop(&dashboard);
    until("rdq takes no more connections", || {
        TcpStream::connect(&host).map_or(Ok(()), |_| Err("it does".to_owned()))
    });
    open.write_all(b"{}").unwrap();
    let mut answer = String::new();
    open.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 422 "), "{answer}");
    assert_eq!(ends(&mut dashboard), Some(0));
}

/// Sends SIGTERM, waits for the end, and returns the exit code.
fn terminate(dashboard: &mut Dashboard) -> Option<i32> {
    stop(dashboard);
    ends(dashboard)
}

fn stop(dashboard: &Dashboard) {
    assert!(signal("TERM", dashboard.child.id().into()));
}

fn ends(dashboard: &mut Dashboard) -> Option<i32> {
    until("rdq ends", || {
        let ended = dashboard.child.try_wait().unwrap();
        ended.map(|it| it.code()).ok_or("it runs".to_owned())
    })
}
