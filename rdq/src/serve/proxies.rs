//! Proxies, and the clients behind them.

use std::net::IpAddr;

use axum::http::HeaderMap;

use super::peer::Peer;

/// The proxies that say truthfully for whom they ask.
#[derive(Debug)]
pub(crate) struct Proxies(Vec<IpAddr>);

impl Proxies {
    pub(crate) fn new(addresses: &[IpAddr]) -> Self {
        Self(addresses.to_vec())
    }

    /// The client that sent this request to `peer`, if that is a proxy, or else `peer`.
    ///
    /// Each proxy appends the address that it sees to `X-Forwarded-For`. So the last one that is no
    /// proxy is the client's. Clients can write what they like in front of it.
    pub(super) fn client(&self, peer: Peer, headers: &HeaderMap) -> Peer {
        if !self.has(peer.0) {
            return peer;
        }
        let lines = headers.get_all("x-forwarded-for").iter().rev();
        let lines = lines.map(|it| it.to_str().unwrap_or_default());
        let addresses = lines.flat_map(|it| it.rsplit(','));
        for text in addresses {
            match text.trim().parse() {
                Ok(address) if self.has(address) => {}
                Ok(address) => return Peer(address),
                Err(_) => break,
            }
        }
        peer
    }

    fn has(&self, address: IpAddr) -> bool {
        self.0.contains(&address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, forwarded: &[&str]) -> String {
        let proxies = ["10.0.0.1", "10.0.0.2"].map(|it| it.parse().unwrap());
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", line.parse().unwrap());
        }
        let peer = Peer(peer.parse().unwrap());
        Proxies::new(&proxies).client(peer, &headers).0.to_string()
    }

    #[test]
    fn only_what_a_proxy_appended_counts() {
        assert_eq!(client("10.0.0.1", &["1.1.1.1"]), "1.1.1.1");
        // The client wrote the first.
        assert_eq!(client("10.0.0.1", &["6.6.6.6, 1.1.1.1"]), "1.1.1.1");
        assert_eq!(
            client("10.0.0.1", &["6.6.6.6", "2001:db8::1"]),
            "2001:db8::1"
        );
        assert_eq!(client("10.0.0.1", &["1.1.1.1, 10.0.0.2"]), "1.1.1.1");
        // Nobody vouches for these.
        assert_eq!(client("9.9.9.9", &["1.1.1.1"]), "9.9.9.9");
        assert_eq!(client("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(client("10.0.0.1", &["1.1.1.1, unknown"]), "10.0.0.1");
    }
}
