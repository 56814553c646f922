//! A proxy that plays a managed cluster: it refuses scripts as Tair and ApsaraDB do.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

mod rule;

/// A proxy in front of a Redis. It answers a script that breaks the rule of managed clusters with
/// their error, and forwards everything else.
///
/// The rule: the first argument of `redis.call` and `redis.pcall` is a text, each key that the command
/// gets is `KEYS[n]` with a number, and no call stands in the arguments of another.
///
/// Dropping it ends new connections; open ones end with one of their sides.
#[derive(Debug)]
pub struct Tair {
    port: u16,
    is_over: Arc<AtomicBool>,
}

impl Tair {
    /// Listens on a free port in front of the Redis on `upstream_port`.
    ///
    /// # Panics
    ///
    /// If the system has no free port.
    #[must_use]
    pub fn start(upstream_port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a free port");
        let address = listener
            .local_addr()
            .expect("a bound listener has an address");
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                // A client whose server is down finds its connection closed.
                if let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, upstream_port)) {
                    // What one side closed, the other finds closed.
                    let _ = join(&client, &server);
                }
            }
        });
        Self {
            port: address.port(),
            is_over,
        }
    }

    /// The URL to give to a client, in RESP2; append `?protocol=resp3` for pushes.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// What a managed cluster has against a script, or nothing.
    #[must_use]
    pub fn objection(script: &str) -> Option<String> {
        rule::objection(script)
    }
}

impl Drop for Tair {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

/// Forwards in both directions, each on a thread of its own.
fn join(client: &TcpStream, server: &TcpStream) -> io::Result<()> {
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_server) = (client.try_clone()?, server.try_clone()?);
    thread::spawn(move || {
        let _ = forward_requests(&from_client, &to_server);
        let _ = to_server.shutdown(Shutdown::Write);
    });
    let (mut from_server, mut to_client) = (server.try_clone()?, client.try_clone()?);
    thread::spawn(move || {
        let _ = io::copy(&mut from_server, &mut to_client);
        let _ = to_client.shutdown(Shutdown::Both);
    });
    Ok(())
}

fn forward_requests(client: &TcpStream, mut server: &TcpStream) -> io::Result<()> {
    let mut client = BufReader::new(client);
    while let Some(request) = read_request(&mut client)? {
        let script = match &request[..] {
            [eval, script, ..] if eval.eq_ignore_ascii_case(b"EVAL") => Some(script),
            [_, load, script] if load.eq_ignore_ascii_case(b"LOAD") => Some(script),
            _ => None,
        };
        let objection = script.and_then(|it| Tair::objection(&String::from_utf8_lossy(it)));
        let request = match objection {
            // Redis makes the reply, so that replies keep their order.
            Some(error) => {
                let reply = format!(
                    "return redis.error_reply('ERR bad lua script for redis cluster, {error}')"
                );
                vec![b"EVAL".to_vec(), reply.into_bytes(), b"0".to_vec()]
            }
            None => request,
        };
        let mut bytes = format!("*{}\r\n", request.len()).into_bytes();
        for word in request {
            bytes.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
            bytes.extend_from_slice(&word);
            bytes.extend_from_slice(b"\r\n");
        }
        server.write_all(&bytes)?;
    }
    Ok(())
}

/// Reads an array of texts, as every client sends requests. Nothing at the end of the stream.
fn read_request(client: &mut impl BufRead) -> io::Result<Option<Vec<Vec<u8>>>> {
    let Some(count) = read_number(client)? else {
        return Ok(None);
    };
    let mut words = Vec::new();
    for _ in 0..count {
        let size = read_number(client)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut word = vec![0; size + 2];
        client.read_exact(&mut word)?;
        word.truncate(size);
        words.push(word);
    }
    Ok(Some(words))
}

/// The number in a line that begins with `*` or `$`.
fn read_number(client: &mut impl BufRead) -> io::Result<Option<usize>> {
    let mut line = String::new();
    client.take(32).read_line(&mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    let number = line.trim_end().get(1..).and_then(|it| it.parse().ok());
    number
        .map(Some)
        .ok_or_else(|| io::ErrorKind::InvalidData.into())
}
