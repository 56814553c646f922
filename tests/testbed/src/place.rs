//! Where a server lives: ports and a directory that nothing else uses.

use std::{
    env, fs, io,
    net::{Ipv4Addr, TcpListener, UdpSocket},
    ops::Range,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// A TCP port for one server, which keeps it while the server is down.
#[derive(Debug)]
pub(crate) struct Port {
    pub(crate) number: u16,
    /// Tells other tests, also of other processes, that the port is taken. Redis uses no UDP.
    _claim: UdpSocket,
}

impl Port {
    /// A free port.
    ///
    /// It lies below the range from which systems choose the local ports of outgoing connections:
    /// no other socket takes it before a killed server starts again.
    pub(crate) fn free() -> Self {
        loop {
            if let Some(port) = Self::claim(rand::random_range(PORTS)) {
                return port;
            }
        }
    }

    /// A free port of a cluster's node, and its bus port, which is 10,000 higher.
    ///
    /// `cluster-port` would allow any bus port, but Redis 6.2 does not have it.
    pub(crate) fn with_bus() -> (Self, Self) {
        loop {
            let number = rand::random_range(PORTS.start - BUS..PORTS.end - BUS);
            if let (Some(port), Some(bus)) = (Self::claim(number), Self::claim(number + BUS)) {
                return (port, bus);
            }
        }
    }

    /// `None` if the port is taken.
    fn claim(number: u16) -> Option<Self> {
        let address = (Ipv4Addr::LOCALHOST, number);
        let claim = UdpSocket::bind(address).ok()?;
        TcpListener::bind(address).ok()?;
        Some(Self {
            number,
            _claim: claim,
        })
    }
}

/// A new directory among the temporary files. Dropping it removes it with all that is in it.
#[derive(Debug)]
pub struct Directory(PathBuf);

impl Directory {
    /// Makes a directory under an unused name.
    ///
    /// # Panics
    ///
    /// If it cannot be made.
    #[expect(clippy::new_without_default, reason = "it makes a directory")]
    pub fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        loop {
            let name = format!("testbed-{}-{}", process::id(), NEXT.fetch_add(1, Relaxed));
            let path = env::temp_dir().join(name);
            match fs::create_dir(&path) {
                Ok(()) => return Self(path),
                // A killed process has left it behind.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => panic!("cannot create {}: {error}", path.display()),
            }
        }
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in it, as text.
    ///
    /// # Panics
    ///
    /// If the path is not UTF-8.
    pub fn file(&self, name: &str) -> String {
        let path = self.0.join(name).into_os_string();
        path.into_string()
            .expect("paths of temporary files are text")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // A directory that stays behind is not worth a panic.
        let _ = fs::remove_dir_all(&self.0);
    }
}

const PORTS: Range<u16> = 20_000..32_000;
const BUS: u16 = 10_000;
