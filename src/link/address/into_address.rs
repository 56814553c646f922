//! The forms in which users have an address.

use redis::{ConnectionAddr, ConnectionInfo};
use url::Url;

use super::Address;
use crate::error::Result;

/// Everything that [`Client::connect`](crate::Client::connect) and
/// [`ClientBuilder::connect`](crate::ClientBuilder::connect) accept as the address of a Redis.
///
/// | Form | Example |
/// |---|---|
/// | text (`&str`, `String`, `&String`) or `url::Url` | `redis://user:password@host:6379/2` |
/// | the same, with TLS | `rediss://host:6379` |
/// | the same, for a Unix socket | `unix:///run/redis.sock?db=2` |
/// | text, for a cluster | `redis+cluster://user:password@host:7000,host:7001` |
/// | text, for sentinels | `redis+sentinel://user:password@host:26379,host:26379/master/2` |
/// | several texts for nodes of a cluster or sentinels, in a slice, an array, a `Vec` or a reference to one | `["redis+cluster://host-1", "redis+cluster://host-2"]` |
/// | host and port | `("host", 6379)` |
/// | a configuration of the driver | [`redis::ConnectionInfo`], [`redis::ConnectionAddr`] |
/// | an [`Address`] | [`Address::cluster`], [`Address::sentinel`] |
///
/// In a URL the user, the password, the port (6379, or 26379 for a sentinel) and the database (0)
/// can be left out. Several texts must have the same user, password and database. `rediss://`,
/// `rediss+cluster://` and `rediss+sentinel://` have TLS, and need the feature `tls-rustls` or
/// `tls-native-tls`.
///
/// An application can implement this for a configuration of its own.
pub trait IntoAddress {
    /// Reads the address. Connects to nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Settings`](crate::Error::Settings) if this is not the address of a Redis, if it
    /// needs a feature that this build lacks, or if several addresses do not go together.
    fn into_address(self) -> Result<Address>;
}

impl IntoAddress for Address {
    fn into_address(self) -> Result<Address> {
        Ok(self)
    }
}

impl IntoAddress for &Address {
    fn into_address(self) -> Result<Address> {
        Ok(self.clone())
    }
}

impl IntoAddress for &str {
    fn into_address(self) -> Result<Address> {
        self.parse()
    }
}

impl IntoAddress for String {
    fn into_address(self) -> Result<Address> {
        self.as_str().parse()
    }
}

impl IntoAddress for &String {
    fn into_address(self) -> Result<Address> {
        self.as_str().parse()
    }
}

impl IntoAddress for Url {
    fn into_address(self) -> Result<Address> {
        self.as_str().parse()
    }
}

impl IntoAddress for &Url {
    fn into_address(self) -> Result<Address> {
        self.as_str().parse()
    }
}

impl<A: IntoAddress> IntoAddress for Vec<A> {
    fn into_address(self) -> Result<Address> {
        Address::join(self.into_iter().map(A::into_address))
    }
}

impl<A: IntoAddress, const N: usize> IntoAddress for [A; N] {
    fn into_address(self) -> Result<Address> {
        Address::join(self.into_iter().map(A::into_address))
    }
}

impl<'a, A> IntoAddress for &'a [A]
where
    &'a A: IntoAddress,
{
    fn into_address(self) -> Result<Address> {
        Address::join(self.iter().map(IntoAddress::into_address))
    }
}

impl<'a, A> IntoAddress for &'a Vec<A>
where
    &'a A: IntoAddress,
{
    fn into_address(self) -> Result<Address> {
        self.as_slice().into_address()
    }
}

impl<'a, A, const N: usize> IntoAddress for &'a [A; N]
where
    &'a A: IntoAddress,
{
    fn into_address(self) -> Result<Address> {
        self.as_slice().into_address()
    }
}

impl IntoAddress for &&str {
    fn into_address(self) -> Result<Address> {
        (*self).into_address()
    }
}

impl<H: Into<String>> IntoAddress for (H, u16) {
    fn into_address(self) -> Result<Address> {
        Address::from_driver(self)
    }
}

impl IntoAddress for ConnectionAddr {
    fn into_address(self) -> Result<Address> {
        Address::from_driver(self)
    }
}

impl IntoAddress for ConnectionInfo {
    fn into_address(self) -> Result<Address> {
        Address::from_driver(self)
    }
}

impl IntoAddress for &ConnectionInfo {
    fn into_address(self) -> Result<Address> {
        Address::from_driver(self.clone())
    }
}
