//! A Redis that is far away.

use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// A proxy before a Redis that delivers what either side sends some time later, in order and however
/// the sender has ended. It lasts as long as this process.
pub(crate) struct Distance {
    port: u16,
}

impl Distance {
    /// Listens before the Redis on `port`, `one_way` from it.
    pub(crate) fn to(port: u16, one_way: Duration) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let near = listener.local_addr()?.port();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // Without a Redis the client finds its connection closed.
                let _ = connect(client, port, one_way);
            }
        });
        Ok(Self { port: near })
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }
}

fn connect(client: TcpStream, port: u16, one_way: Duration) -> io::Result<()> {
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    for socket in [&client, &server] {
        socket.set_nodelay(true)?;
    }
    carry(client.try_clone()?, server.try_clone()?, one_way);
    carry(server, client, one_way);
    Ok(())
}

/// Carries what comes from one socket to the other, and its end.
fn carry(mut from: TcpStream, mut to: TcpStream, delay: Duration) {
    let (sender, receiver) = mpsc::channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            let sent = sender.send((Instant::now() + delay, buffer[..length].to_vec()));
            if sent.is_err() {
                break;
            }
        }
    });
    thread::spawn(move || {
        for (due, bytes) in receiver {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if to.write_all(&bytes).is_err() {
                break;
            }
        }
        // The other side may have closed.
        let _ = to.shutdown(Shutdown::Write);
    });
}
