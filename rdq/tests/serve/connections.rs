//! Clients that keep connections open and send, or read, next to nothing.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

use testbed::{Server, until};

use crate::dashboard::Dashboard;
use crate::http::{get, host, send};

fn connect(dashboard: &Dashboard) -> TcpStream {
    let stream = TcpStream::connect(host(dashboard)).unwrap();
    stream.set_nonblocking(true).unwrap();
    stream
}

/// True if the other end has closed the connection. Passes over what came before.
fn is_closed(stream: &mut TcpStream) -> bool {
    let mut bytes = [0; 4_096];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != ErrorKind::WouldBlock,
        }
    }
}

/// Slow loris: each client sends a byte from time to time and never a whole head. The others are
/// served meanwhile.
#[test]
fn heads_that_never_end_are_cut_off() {
    let server = Server::start();
    let dashboard = Dashboard::start(&server.url(), &[]);
    let mut slow: Vec<_> = (0..50).map(|_| connect(&dashboard)).collect();
    for stream in &mut slow {
        stream.write_all(b"GET / HTTP/1.1\r\nx: ").unwrap();
    }
    until("rdq closes the slow connections", || {
        assert_eq!(get(&dashboard, "/healthz").status, 200);
        for stream in &mut slow {
            // It may be closed already.
            _ = stream.write(b"x");
        }
        slow.retain_mut(|it| !is_closed(it));
        match slow.len() {
            0 => Ok(()),
            count => Err(format!("{count} are open")),
        }
    });
}

/// With all places taken, the next client waits, and is served as soon as one is free.
#[test]
fn no_more_connections_are_served_than_there_are_places() {
    let server = Server::start();
    let dashboard = Dashboard::start(&server.url(), &["--connections", "2"]);
    let mut silent = [connect(&dashboard), connect(&dashboard)];
    // Rdq takes connections in their order, so the silent ones have both places.
    assert_eq!(get(&dashboard, "/healthz").status, 200);
    assert!(silent.iter_mut().any(is_closed));
}

/// A body that stops in the middle is refused, and says so.
#[test]
fn bodies_that_never_end_are_refused() {
    let server = Server::start();
    let dashboard = Dashboard::start(&server.url(), &[]);
    let page = [
        ("host", host(&dashboard)),
        ("x-rdq", "1"),
        ("content-type", "application/json"),
        ("content-length", "100"),
    ];
    let answer = send(&dashboard, "POST", "/api/login", &page, "");
    assert_eq!(answer.status, 408);
    assert!(
        answer.body.starts_with(r#"{"error":"the body did not"#),
        "{answer:?}"
    );
}

/// A client that asks and asks and reads nothing loses its place.
#[test]
fn answers_that_nobody_reads_are_given_up() {
    let server = Server::start();
    let dashboard = Dashboard::start(&server.url(), &["--connections", "1"]);
    let mut deaf = TcpStream::connect(host(&dashboard)).unwrap();
    let request = format!(
        "GET /style.css HTTP/1.1\r\nhost: {}\r\n\r\n",
        host(&dashboard)
    );
    // So many answers fit into no buffer of the system. Nor do the requests, as soon as rdq waits.
    deaf.set_nonblocking(true).unwrap();
    for _ in 0..10_000 {
        if deaf.write_all(request.as_bytes()).is_err() {
            break;
        }
    }
    assert_eq!(get(&dashboard, "/healthz").status, 200);
    drop(deaf);
}
