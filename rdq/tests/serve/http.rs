//! Requests as they go over the wire, so that tests can send what no client would.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use crate::dashboard::Dashboard;

/// What the server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// In lower case.
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    /// The values of a header.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        let headers = self.headers.iter().filter(|(key, _)| key == name);
        headers.map(|(_, value)| value.as_str()).collect()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        let all = self.all(name);
        assert_eq!(all.len(), 1, "{name}: {self:?}");
        all[0]
    }

    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        serde_json::from_str(&self.body).expect("the answer is JSON")
    }
}

/// `host:port` of the dashboard.
pub(crate) fn host(dashboard: &Dashboard) -> &str {
    dashboard
        .url
        .trim_start_matches("http://")
        .trim_end_matches('/')
}

/// A page of the dashboard asks for this path.
pub(crate) fn get(dashboard: &Dashboard, path: &str) -> Answer {
    send(dashboard, "GET", path, &[("host", host(dashboard))], "")
}

/// A script with a token sends this.
pub(crate) fn post_with(dashboard: &Dashboard, token: &str, path: &str, body: &Value) -> Answer {
    let bearer = format!("Bearer {token}");
    let headers = [("host", host(dashboard)), ("authorization", &bearer)];
    send(dashboard, "POST", path, &headers, &body.to_string())
}

/// Sends a request with exactly these headers and those of its body.
pub(crate) fn send(
    dashboard: &Dashboard,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Answer {
    let stream = TcpStream::connect(host(dashboard)).expect("rdq listens");
    send_on(stream, method, path, headers, body)
}

/// Sends the same on this connection, which ends with it.
pub(crate) fn send_on(
    mut stream: TcpStream,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Answer {
    let mut request = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
    for (name, value) in headers {
        request += &format!("{name}: {value}\r\n");
    }
    if !body.is_empty() {
        let length = body.len();
        request += &format!("content-type: application/json\r\ncontent-length: {length}\r\n");
    }
    request += &format!("\r\n{body}");
    let patience = Some(Duration::from_secs(30));
    stream.set_read_timeout(patience).expect("a timeout");
    stream.write_all(request.as_bytes()).expect("rdq reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("rdq answers");

    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    let mut lines = head.lines();
    let status = lines.next().and_then(|it| it.split(' ').nth(1));
    let header = |line: &str| {
        let (name, value) = line.split_once(": ")?;
        Some((name.to_lowercase(), value.to_owned()))
    };
    Answer {
        status: status.and_then(|it| it.parse().ok()).expect("a status"),
        headers: lines.filter_map(header).collect(),
        body: body.to_owned(),
    }
}
