//! Where a private Redis lives: a port and a directory that no other test uses.

use std::{
    fs, io,
    net::{Ipv4Addr, TcpListener},
    path::PathBuf,
    process,
    sync::atomic::{AtomicUsize, Ordering},
};

/// A port that was free a moment ago.
///
/// It lies below the range from which systems choose the local port of outgoing connections. Otherwise another test's
/// socket, or a client reconnecting to itself, could take the port of a killed Redis before it restarts.
pub(super) fn free_port() -> u16 {
    loop {
        let port = rand::random_range(20_000..32_000);
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
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
