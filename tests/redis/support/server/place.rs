//! Where a private Redis lives: a port and a directory that no other test uses.

use std::{
    fs, io,
    net::{Ipv4Addr, TcpListener, UdpSocket},
    path::PathBuf,
    process,
    sync::atomic::{AtomicUsize, Ordering},
};

/// A TCP port for one server, which keeps it while it is down.
#[derive(Debug)]
pub(super) struct Port {
    pub(super) number: u16,
    /// Tells the tests of all processes that the port is taken. Redis itself uses no UDP.
    _claim: UdpSocket,
}

impl Port {
    /// A port that is free.
    ///
    /// It lies below the range from which systems choose the local port of outgoing connections. Otherwise another
    /// program's socket, or a client reconnecting to itself, could take the port of a killed Redis before it restarts.
    pub(super) fn free() -> Self {
        loop {
            let number = rand::random_range(20_000..32_000);
            let address = (Ipv4Addr::LOCALHOST, number);
            if let (Ok(claim), Ok(_)) = (UdpSocket::bind(address), TcpListener::bind(address)) {
                return Self {
                    number,
                    _claim: claim,
                };
            }
        }
    }
}

/// A new directory; the name of one that an earlier process left behind is skipped.
pub(super) fn new_directory() -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    loop {
        let name = format!(
            "redisson-delayed-queue-{}-{}",
            process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let dir = std::env::temp_dir().join(name);
        match fs::create_dir(&dir) {
            Ok(()) => return dir,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => panic!("cannot create {}: {error}", dir.display()),
        }
    }
}
