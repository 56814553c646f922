//! A private Redis with a peer of each language on it, and the roles that they can have.

use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use interop::peer::{Peer, Taken};
use testbed::Server;

use crate::raw::Raw;

/// Where a scenario takes place. The peers come first, so that they end before Redis does.
pub(crate) struct Stage {
    pub(crate) rust: Peer,
    pub(crate) java: Peer,
    pub(crate) raw: Raw,
    pub(crate) version: &'static str,
    server: Server,
}

/// The language of a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    Java,
}

/// Who does what on one queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Roles {
    pub(crate) producer: Language,
    pub(crate) mover: Language,
    pub(crate) consumer: Language,
}

/// A queue with its roles, open in the peers that have one.
pub(crate) struct Queue {
    pub(crate) name: String,
    roles: Roles,
}

impl Stage {
    pub(crate) fn new(version: &'static str) -> Self {
        let server = Server::start();
        Self {
            rust: rust_peer(&server.url()),
            java: Peer::java(version, &server.url()),
            raw: Raw::new(server.connection()),
            version,
            server,
        }
    }

    /// For more peers.
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    pub(crate) fn peer(&mut self, language: Language) -> &mut Peer {
        match language {
            Language::Rust => &mut self.rust,
            Language::Java => &mut self.java,
        }
    }

    /// Opens a queue as its roles would use it: the producer's own handle transfers if the producer
    /// is the mover, and the consumer takes from that if it is the mover too. Returns once exactly
    /// one process transfers.
    pub(crate) fn open(&mut self, roles: Roles, name: &str, codec: &str) -> Queue {
        let queue = Queue {
            name: name.to_owned(),
            roles,
        };
        if roles.producer != roles.mover {
            self.peer(roles.producer)
                .open_offering(&queue.offering(), name, codec);
        }
        self.peer(roles.mover).open(&queue.moving(), name, codec);
        if roles.consumer != roles.mover {
            self.peer(roles.consumer)
                .open_target(&queue.taking(), name, codec);
        }
        self.raw.await_movers(name, 1);
        queue
    }

    pub(crate) fn offer(&mut self, queue: &Queue, delay: Duration, value: impl AsRef<[u8]>) {
        let handle = queue.offering();
        self.peer(queue.roles.producer).offer(&handle, delay, value);
    }

    pub(crate) fn poll(&mut self, queue: &Queue, timeout: Duration) -> Option<Taken> {
        let handle = queue.taking();
        self.peer(queue.roles.consumer).poll(&handle, timeout)
    }

    /// Takes the next element and checks that it is `value`, not before it is due at `due_ms`, and
    /// soon after.
    #[track_caller]
    pub(crate) fn take_on_time(&mut self, queue: &Queue, value: &[u8], due_ms: u64) {
        let (version, roles) = (self.version, queue.roles);
        let value_text = value.escape_ascii();
        let what = format!("{version}, {roles}, queue {}, \"{value_text}\"", queue.name);
        let patience = until(due_ms) + ON_TIME;
        // In whole seconds, for Java truncates.
        let patience = Duration::from_secs(patience.as_secs() + 1);
        let taken = self.poll(queue, patience);
        let taken = taken.unwrap_or_else(|| panic!("{what}: not within {patience:?}"));
        assert_eq!(taken.value, value, "{what}: took another");
        assert!(
            taken.micros >= due_ms * 1000,
            "{what}: early by {} us",
            due_ms * 1000 - taken.micros
        );
        let late = Duration::from_micros(taken.micros - due_ms * 1000);
        assert!(late < ON_TIME, "{what}: late by {late:?}");
    }
}

impl Queue {
    fn offering(&self) -> String {
        if self.roles.producer == self.roles.mover {
            self.moving()
        } else {
            format!("{}-offering", self.name)
        }
    }

    fn moving(&self) -> String {
        self.name.clone()
    }

    fn taking(&self) -> String {
        if self.roles.consumer == self.roles.mover {
            self.moving()
        } else {
            format!("{}-taking", self.name)
        }
    }
}

impl Roles {
    /// Every way to share the work.
    pub(crate) const ALL: [Self; 8] = {
        use Language::{Java, Rust};
        [
            Self::new(Rust, Rust, Rust),
            Self::new(Rust, Rust, Java),
            Self::new(Rust, Java, Rust),
            Self::new(Rust, Java, Java),
            Self::new(Java, Rust, Rust),
            Self::new(Java, Rust, Java),
            Self::new(Java, Java, Rust),
            Self::new(Java, Java, Java),
        ]
    };

    const fn new(producer: Language, mover: Language, consumer: Language) -> Self {
        Self {
            producer,
            mover,
            consumer,
        }
    }

    /// A short word for names of queues.
    pub(crate) fn initials(self) -> String {
        let all = [self.producer, self.mover, self.consumer];
        all.iter()
            .map(|language| match language {
                Language::Rust => 'r',
                Language::Java => 'j',
            })
            .collect()
    }
}

impl fmt::Display for Roles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            producer,
            mover,
            consumer,
        } = self;
        write!(
            f,
            "{producer:?} offers, {mover:?} transfers, {consumer:?} takes"
        )
    }
}

pub(crate) fn rust_peer(url: &str) -> Peer {
    Peer::rust(env!("CARGO_BIN_EXE_peer"), url)
}

/// How long it is until a moment in Unix milliseconds, or nothing if it has passed.
pub(crate) fn until(unix_ms: u64) -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    Duration::from_millis(unix_ms).saturating_sub(now.expect("it is after 1970"))
}

/// How late an element may be on a busy machine. A mover that missed its wake-up is later by far:
/// Redisson's has no other before the next element is due, and that is a minute later.
pub(crate) const ON_TIME: Duration = Duration::from_secs(20);
