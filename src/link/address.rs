//! The address of a Redis.

use std::fmt;
use std::str::FromStr;

use redis::{ConnectionInfo, IntoConnectionInfo, RedisConnectionInfo, RedisError};

use crate::error::{Error, Result, advice};
use crate::link::access::Credentials;

mod into_address;
mod url;

pub use into_address::IntoAddress;

/// The address of a Redis, with the user and the database to use there.
///
/// [`Client::connect`](crate::Client::connect) takes an address in any of the forms that
/// [`IntoAddress`] lists, so few programs name this type. Its `Debug` form shows the server, never
/// the password.
///
/// Two addresses are equal if they name the same servers in the same order, with the same users,
/// passwords and databases. Other settings of the driver are not compared.
///
/// # Examples
///
/// An application's own type can hold an address that was checked when the application started.
/// `FromStr` and `TryFrom` read all texts that [`IntoAddress`] lists:
///
/// ```
/// use redisson_delayed_queue::{Address, Client, Result};
///
/// #[derive(Debug, PartialEq)]
/// struct Settings {
///     redis: Address,
/// }
///
/// fn read(url: &str) -> Result<Settings> {
///     Ok(Settings { redis: url.parse()? })
/// }
///
/// async fn connect(settings: &Settings) -> Result<Client> {
///     Client::connect(&settings.redis).await
/// }
///
/// assert!(read("redis://orders:secret@redis-1:6379/2").is_ok());
/// assert!(read("redis-1:6379").is_err());
/// ```
#[derive(Clone)]
pub struct Address {
    kind: Kind,
    /// At least one.
    servers: Vec<ConnectionInfo>,
}

/// What the servers of an address are.
#[derive(Clone)]
pub(crate) enum Kind {
    /// The server that has the queues.
    Single,
    /// Some nodes of a cluster.
    Cluster,
    /// Some sentinels.
    Sentinel {
        /// The name of the master, as they know it.
        name: String,
        /// How to log in to the master, and the database.
        master: RedisConnectionInfo,
    },
}

impl Address {
    /// The one server that the driver would connect to with this configuration.
    ///
    /// Use it for other crates' types that implement only the driver's trait.
    /// [`Client::connect`](crate::Client::connect) takes all forms that the driver itself knows as
    /// they are. A text is read with [`parse`](str::parse): the driver does not know clusters and
    /// sentinels.
    ///
    /// # Errors
    ///
    /// [`Error::Settings`] if `server` is not the address of a Redis, or if it asks for TLS
    /// (`rediss://`) in a build without the features `tls-rustls` and `tls-native-tls`.
    pub fn from_driver(server: impl IntoConnectionInfo) -> Result<Self> {
        let server = server.into_connection_info().map_err(unreadable)?;
        Ok(Self::of(Kind::Single, vec![server]))
    }

    /// A Redis Cluster, of which some nodes are known.
    ///
    /// The client asks these nodes for all others, and logs in everywhere with their user and
    /// password. As text: `redis+cluster://redis-1:7000,redis-2:7000`.
    ///
    /// # Errors
    ///
    /// [`Error::Settings`] if one of `nodes` is not the address of one server, if there are none, if
    /// their users or passwords differ, or if a database is not 0.
    pub fn cluster<A: IntoAddress>(nodes: impl IntoIterator<Item = A>) -> Result<Self> {
        let nodes = read_all(nodes)?;
        for node in &nodes {
            if node.redis_settings().db() != 0 {
                return Err(refused(advice::DATABASE));
            }
            check_login(nodes[0].redis_settings(), node.redis_settings())?;
        }
        Ok(Self::of(Kind::Cluster, nodes))
    }

    /// The master that these sentinels know as `name`.
    ///
    /// `login` and `database` are the master's. The user and the password of each sentinel are its
    /// own. As text:
    /// `redis+sentinel://sentinel-1:26379,sentinel-2:26379/mymaster`, where the user, the password
    /// and the database are the master's.
    ///
    /// # Errors
    ///
    /// [`Error::Settings`] if one of `sentinels` is not the address of one server, or if there are none.
    pub fn sentinel<A: IntoAddress>(
        name: impl Into<String>,
        sentinels: impl IntoIterator<Item = A>,
        login: Option<Credentials>,
        database: i64,
    ) -> Result<Self> {
        let master = RedisConnectionInfo::default().set_db(database);
        let kind = Kind::Sentinel {
            name: name.into(),
            master: match login {
                Some(login) => login.apply(master),
                None => master,
            },
        };
        Ok(Self::of(kind, read_all(sentinels)?))
    }

    fn of(kind: Kind, servers: Vec<ConnectionInfo>) -> Self {
        Self { kind, servers }
    }

    /// Joins the addresses of several nodes of a cluster, or of several sentinels.
    fn join(addresses: impl IntoIterator<Item = Result<Self>>) -> Result<Self> {
        let mut addresses = addresses.into_iter();
        let mut all = addresses.next().unwrap_or_else(|| Err(none()))?;
        for address in addresses {
            all.add(address?)?;
        }
        Ok(all)
    }

    /// Adds the servers of another address of the same cluster, or of the same master.
    fn add(&mut self, other: Self) -> Result<()> {
        let logins: Option<(&RedisConnectionInfo, &RedisConnectionInfo)> =
            match (&self.kind, &other.kind) {
                (Kind::Cluster, Kind::Cluster) => Some((
                    self.servers[0].redis_settings(),
                    other.servers[0].redis_settings(),
                )),
                (
                    Kind::Sentinel { name, master },
                    Kind::Sentinel {
                        name: other_name,
                        master: other_master,
                    },
                ) if name == other_name => Some((master, other_master)),
                _ => None,
            };
        let (own, others) = logins.ok_or_else(|| refused(advice::SERVERS))?;
        check_login(own, others)?;
        self.servers.extend(other.servers);
        Ok(())
    }

    pub(crate) fn into_parts(self) -> (Kind, Vec<ConnectionInfo>) {
        (self.kind, self.servers)
    }
}

fn read_all<A: IntoAddress>(servers: impl IntoIterator<Item = A>) -> Result<Vec<ConnectionInfo>> {
    let mut all = Vec::new();
    for server in servers {
        let address = server.into_address()?;
        if !matches!(address.kind, Kind::Single) {
            return Err(refused(advice::SERVERS));
        }
        all.extend(address.servers);
    }
    if all.is_empty() {
        return Err(none());
    }
    Ok(all)
}

/// The error of a list without servers.
fn none() -> Error {
    refused(advice::NO_SERVER)
}

fn refused(why: &str) -> Error {
    Error::of_settings(why, None)
}

/// The error of an address that the driver cannot read. The driver does not show the address, which
/// may hold a password.
fn unreadable(error: RedisError) -> Error {
    Error::of_settings(advice::URL, Some(error))
}

/// Fails if servers of one address have different logins: only one of them could be used.
fn check_login(one: &RedisConnectionInfo, other: &RedisConnectionInfo) -> Result<()> {
    if login(one) == login(other) {
        Ok(())
    } else {
        Err(refused(advice::LOGINS))
    }
}

/// The user, the password and the database.
fn login(settings: &RedisConnectionInfo) -> (Option<&str>, Option<&str>, i64) {
    (settings.username(), settings.password(), settings.db())
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        url::read(text)
    }
}

impl TryFrom<&str> for Address {
    type Error = Error;

    fn try_from(text: &str) -> Result<Self> {
        text.parse()
    }
}

impl TryFrom<&String> for Address {
    type Error = Error;

    fn try_from(text: &String) -> Result<Self> {
        text.parse()
    }
}

impl TryFrom<String> for Address {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl PartialEq for Address {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |(one, other): (&ConnectionInfo, &ConnectionInfo)| {
            one.addr() == other.addr()
                && login(one.redis_settings()) == login(other.redis_settings())
        };
        self.kind == other.kind
            && self.servers.len() == other.servers.len()
            && self.servers.iter().zip(&other.servers).all(is_same)
    }
}

impl Eq for Address {}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Single, Self::Single) => true,
            (Self::Cluster, Self::Cluster) => true,
            (
                Self::Sentinel { name, master },
                Self::Sentinel {
                    name: other_name,
                    master: other_master,
                },
            ) => name == other_name && login(master) == login(other_master),
            _ => false,
        }
    }
}

impl fmt::Display for Address {
    /// The servers, without credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, server) in self.servers.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}{}", server.addr())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The driver's own form shows the user's name.
        f.debug_tuple("Address").field(&self.to_string()).finish()
    }
}
