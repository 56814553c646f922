//! Clients that keep connections open and send, or read, next to nothing.

use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::time::{Duration, Instant};

use testbed::{Server, until};
use tokio::net::TcpSocket;

use crate::dashboard::Dashboard;
use crate::http::{get, host, send, send_on};

fn connect(dashboard: &Dashboard) -> TcpStream {
    let stream = TcpStream::connect(host(dashboard)).unwrap();
    stream.set_nonblocking(true).unwrap();
    stream
}

/// Connects from this address, which belongs to this machine.
async fn connect_from(address: &str, dashboard: &Dashboard) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket
        .bind((address.parse::<IpAddr>().unwrap(), 0).into())
        .unwrap();
    let stream = socket.connect(host(dashboard).parse().unwrap()).await;
    let stream = stream.unwrap().into_std().unwrap();
    stream.set_nonblocking(false).unwrap();
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

/// With all places taken, the address with the most connections gives up its oldest.
#[test]
fn no_more_connections_are_served_than_there_are_places() {
    let server = Server::start();
    let dashboard = Dashboard::start(&server.url(), &["--connections", "2"]);
    let [mut older, mut newer] = [connect(&dashboard), connect(&dashboard)];
    assert_eq!(get(&dashboard, "/healthz").status, 200);
    until("rdq closes the older connection", || {
        match is_closed(&mut older) {
            true => Ok(()),
            false => Err("it is open".to_owned()),
        }
    });
    assert!(!is_closed(&mut newer));
}

/// An address that takes all places, and all that become free, costs others nothing: neither a new
/// client, nor one that is connected already.
#[tokio::test]
async fn one_address_cannot_hold_out_others() {
    let server = Server::start();
    let dashboard = Dashboard::start(&server.url(), &[]);
    let connected = connect_from("127.0.0.2", &dashboard).await;
    let request = format!(
        "GET /style.css HTTP/1.1\r\nhost: {}\r\n\r\n",
        host(&dashboard)
    );
    let requests = request.repeat(5);
    let mut deaf = Vec::new();
    for _ in 0..300 {
        let mut stream = connect(&dashboard);
        // Nobody reads the answers.
        _ = stream.write(requests.as_bytes());
        deaf.push(stream);
    }
    let begin = Instant::now();
    let headers = [("host", host(&dashboard))];
    let new = connect_from("127.0.0.2", &dashboard).await;
    for stream in [new, connected] {
        let answer = send_on(stream, "GET", "/healthz", &headers, "");
        assert_eq!(answer.status, 200);
    }
    // Before rdq closes any because it is idle.
    let took = begin.elapsed();
    assert!(took < Duration::from_secs(8), "{took:?}");
    drop(deaf);
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

/// A client that asks and asks and reads nothing loses its connection, even if nobody needs its place.
#[test]
fn answers_that_nobody_reads_are_given_up() {
    let server = Server::start();
    let dashboard = Dashboard::start(&server.url(), &[]);
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
    until("rdq closes the connection", || match deaf.write(b"x") {
        Err(error) if error.kind() != ErrorKind::WouldBlock => Ok(()),
        _ => Err("it is open".to_owned()),
    });
}
