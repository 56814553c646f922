//! Addresses that a server names.

use redis::ConnectionAddr;

/// The host that a node reports for another node without an announced host.
pub(super) const UNKNOWN_HOST: &str = "?";

/// The address that a node names. If it has no host, it is the host of the node itself.
pub(super) fn address_of(text: &str, from: &ConnectionAddr) -> Option<ConnectionAddr> {
    let (host, port) = text.rsplit_once(':')?;
    if host == UNKNOWN_HOST {
        return None;
    }
    at(host, port.parse().ok()?, from)
}

/// This host and port, with TLS if `from` has it.
pub(super) fn at(host: &str, port: u16, from: &ConnectionAddr) -> Option<ConnectionAddr> {
    match from {
        ConnectionAddr::Tcp(own, _) => {
            let host = if host.is_empty() { own } else { host };
            Some(ConnectionAddr::Tcp(host.to_owned(), port))
        }
        ConnectionAddr::TcpTls {
            host: own,
            insecure,
            tls_params,
            ..
        } => Some(ConnectionAddr::TcpTls {
            host: if host.is_empty() { own } else { host }.to_owned(),
            port,
            insecure: *insecure,
            tls_params: tls_params.clone(),
        }),
        _ => None,
    }
}
