//! One server, as the links to it see it.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use redis::ConnectionAddr;
use redis::io::tcp::socket2::TcpKeepalive;
use redis::{ConnectionInfo, ErrorKind, ProtocolVersion, RedisError, RedisResult};

use crate::link::access::Access;
use crate::link::clock::RemoteClock;
use crate::link::connection::Timeouts;
use crate::link::host::Host;
use crate::link::topology::cluster::Cluster;
use crate::link::topology::sentinels::Sentinels;

/// One server: where it is, how to log in, how long to wait for it, and its clock.
///
/// All links to a server share its endpoint, so that each knows the time that any of them has seen.
/// Clones share everything.
#[derive(Clone)]
pub(crate) struct Endpoint {
    shared: Arc<Shared>,
}

struct Shared {
    site: Site,
    /// The address without credentials. While only Sentinels know it, how they name the master.
    server: Arc<str>,
    /// The settings of every connection. Their address is that of the server, if it is fixed.
    info: ConnectionInfo,
    database: i64,
    access: Access,
    timeouts: Timeouts,
    clock: RemoteClock,
}

/// How to find the server.
#[derive(Clone)]
pub(crate) enum Site {
    /// At one address, always.
    Fixed,
    /// At one address of a cluster, which hears of what the server refuses.
    Node(Weak<Cluster>),
    /// Wherever the sentinels say that the master is.
    Master(Arc<Sentinels>),
}

/// A server that can be connected to now.
pub(crate) struct Located {
    pub(crate) client: redis::Client,
    /// The address, without credentials.
    pub(crate) server: Arc<str>,
    /// It is about to become the master, and may still be a replica.
    pub(crate) is_successor: bool,
}

impl Endpoint {
    /// How long a connection may be idle before the system checks it.
    const KEEPALIVE: Duration = Duration::from_secs(30);

    /// A server whose clock no link has seen yet.
    pub(crate) fn new(
        site: Site,
        info: ConnectionInfo,
        access: Access,
        timeouts: Timeouts,
    ) -> Self {
        let database = info.redis_settings().db();
        // The handshake selects the database, because the driver would hide a missing right.
        let settings = info.redis_settings().clone().set_db(0);
        // Without keepalive a NAT router may forget the idle connection, and the next offer ends in
        // `OutcomeUnknown`.
        let keepalive = TcpKeepalive::new().with_time(Self::KEEPALIVE);
        let tcp = info
            .tcp_settings()
            .clone()
            .set_nodelay(true)
            .set_keepalive(keepalive);
        // Bytes that nobody acknowledges for 30 s, or for as long as a reply may take if that is
        // longer, end the connection.
        #[cfg(any(target_os = "linux", target_os = "android"))]
        let tcp = tcp.set_user_timeout(timeouts.response.max(Self::KEEPALIVE));
        let info = info.set_redis_settings(settings).set_tcp_settings(tcp);
        let server = match &site {
            Site::Master(sentinels) => sentinels.name(),
            _ => info.addr().to_string(),
        };
        let shared = Shared {
            site,
            server: server.into(),
            info,
            database,
            access,
            timeouts,
            clock: RemoteClock::default(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// The same login and settings at another address.
    pub(crate) fn at(&self, site: Site, address: ConnectionAddr) -> Self {
        let info = self.shared.info.clone().set_addr(address);
        let settings = info.redis_settings().clone().set_db(self.shared.database);
        let info = info.set_redis_settings(settings);
        let (access, timeouts) = (self.shared.access.clone(), self.shared.timeouts);
        Self::new(site, info, access, timeouts)
    }

    /// Finds the server, and asks for the login that is valid now.
    pub(crate) async fn locate(&self) -> RedisResult<Located> {
        let info = self.shared.info.clone();
        let (info, server, is_successor) = match &self.shared.site {
            Site::Master(sentinels) => {
                let (address, is_successor) = match sentinels.successor() {
                    Some(address) => (address, true),
                    None => (sentinels.master().await?, false),
                };
                let server = address.to_string().into();
                (info.set_addr(address), server, is_successor)
            }
            _ => (info, Arc::clone(self.server()), false),
        };
        // RESP3 brings replies and what the server sends unasked on one socket.
        let protocol = ProtocolVersion::RESP3;
        let settings = info.redis_settings().clone().set_protocol(protocol);
        let settings = self.shared.access.log_in(settings).await?;
        let client = redis::Client::open(info.set_redis_settings(settings))?;
        Ok(Located {
            client,
            server,
            is_successor,
        })
    }

    /// Notes that the successor of the master has taken over.
    pub(crate) fn note_promotion(&self) {
        if let Site::Master(sentinels) = &self.shared.site {
            sentinels.note_promotion();
        }
    }

    /// The address of a server that is always at the same one.
    pub(crate) fn fixed_address(&self) -> &ConnectionAddr {
        debug_assert!(!self.is_located_anew());
        self.shared.info.addr()
    }

    pub(crate) fn has_tls(&self) -> bool {
        matches!(self.shared.info.addr(), ConnectionAddr::TcpTls { .. })
    }

    /// The address without credentials, or how Sentinels name the master. No other server of a
    /// client has the same.
    pub(crate) fn server(&self) -> &Arc<str> {
        &self.shared.server
    }

    pub(crate) fn site(&self) -> &Site {
        &self.shared.site
    }

    /// Tells the topology what the server answered, if that may mean that its part has changed.
    pub(crate) fn note(&self, error: &RedisError) {
        match &self.shared.site {
            Site::Node(cluster) => {
                if let Some(cluster) = cluster.upgrade() {
                    cluster.note(error, self.fixed_address());
                }
            }
            Site::Fixed | Site::Master(_) => {}
        }
    }

    /// Says what to do about an answer that only a client of another topology understands.
    pub(crate) fn explain(&self, error: RedisError) -> RedisError {
        let is_redirect = matches!(error.code(), Some("MOVED" | "ASK"));
        if !is_redirect || !matches!(self.shared.site, Site::Fixed) {
            return error;
        }
        let hint = "the server is a node of a cluster and does not have this queue: connect with \
                    redis+cluster://";
        let answer = error.to_string();
        (ErrorKind::InvalidClientConfig, hint, answer).into()
    }

    /// True if only a master is of use, and another server may be the master.
    pub(crate) fn must_be_master(&self) -> bool {
        !matches!(self.shared.site, Site::Fixed)
    }

    /// True if the next connection may go to another server.
    pub(crate) fn is_located_anew(&self) -> bool {
        matches!(self.shared.site, Site::Master(_))
    }

    pub(crate) fn database(&self) -> i64 {
        self.shared.database
    }

    /// How `CLIENT LIST` names this client.
    pub(crate) fn client_name(&self) -> &str {
        &self.shared.access.client_name
    }

    pub(crate) fn host(&self) -> &Host {
        &self.shared.access.host
    }

    pub(crate) fn timeouts(&self) -> Timeouts {
        self.shared.timeouts
    }

    /// The clock of the server, as far as any link to it has seen it.
    pub(crate) fn clock(&self) -> &RemoteClock {
        &self.shared.clock
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Hides the login.
        f.debug_tuple("Endpoint").field(self.server()).finish()
    }
}
