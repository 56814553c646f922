//! The address that a request comes from.

use std::net::{IpAddr, Ipv6Addr};

/// A client, or a proxy that does not say for whom it asks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) IpAddr);

/// The network of an address that one owner has: in IPv6 the first 64 bits.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(it) => {
            let host = u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from_bits(it.to_bits() & !host))
        }
        IpAddr::V4(_) => address,
    }
}
