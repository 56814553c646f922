//! The replica that is about to become the master.

use std::time::Duration;

use redis::ConnectionAddr;
use tokio::time::Instant;

use super::address::at;

/// A replica that a sentinel has chosen to be the next master.
///
/// The sentinel promotes it some 0.1 s later, and names it as the master up to a second after that.
/// Meanwhile the former master takes writes that are going to be lost.
#[derive(Debug)]
pub(super) struct Successor {
    pub(super) address: ConnectionAddr,
    chosen_at: Instant,
    /// A connection has met it as a master.
    pub(super) is_promoted: bool,
}

impl Successor {
    /// How long it may remain a replica. If the sentinel cannot reach it, it remains one for
    /// minutes.
    const PROMOTED_WITHIN: Duration = Duration::from_secs(1);
    /// Until when the sentinels must name it as the master. If the sentinel that chose it fails
    /// before the others know, they make it a replica again, 8 s after it was promoted.
    const NAMED_WITHIN: Duration = Duration::from_secs(5);

    pub(super) fn new(address: ConnectionAddr, now: Instant) -> Self {
        Self {
            address,
            chosen_at: now,
            is_promoted: false,
        }
    }

    /// True if it will not be the master, as far as anybody can tell.
    pub(super) fn is_over(&self, now: Instant) -> bool {
        let limit = if self.is_promoted {
            Self::NAMED_WITHIN
        } else {
            Self::PROMOTED_WITHIN
        };
        now.saturating_duration_since(self.chosen_at) >= limit
    }
}

/// Reads an announcement: the addresses of the chosen replica and of the master that it replaces.
/// `None` if that master has another name. The servers are reached as the sentinel at `from` is.
pub(super) fn chosen(
    announced: &[u8],
    name: &str,
    from: &ConnectionAddr,
) -> Option<(ConnectionAddr, ConnectionAddr)> {
    let text = std::str::from_utf8(announced).ok()?;
    let words: Vec<&str> = text.split(' ').collect();
    let [_, _, host, port, "@", of, former_host, former_port] = words[..] else {
        return None;
    };
    let address = |host, port: &str| at(host, port.parse().ok()?, from);
    let chosen = (address(host, port)?, address(former_host, former_port)?);
    (of == name).then_some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tcp(port: u16) -> ConnectionAddr {
        ConnectionAddr::Tcp("10.0.0.1".to_owned(), port)
    }

    #[test]
    fn an_announcement_names_the_replica_and_its_master() {
        let said = b"slave 10.0.0.1:2 10.0.0.1 2 @ orders 10.0.0.1 1";
        let chosen = |name| chosen(said, name, &tcp(9));
        assert_eq!(chosen("orders"), Some((tcp(2), tcp(1))));
        assert_eq!(chosen("bills"), None, "it is about another master");
        let other = super::chosen(b"master orders 10.0.0.1 1", "orders", &tcp(9));
        assert_eq!(other, None);
    }

    #[test]
    fn a_replica_that_is_not_promoted_is_given_up_first() {
        let now = Instant::now();
        let mut successor = Successor::new(tcp(2), now);
        let later = now + Successor::PROMOTED_WITHIN;
        assert!(!successor.is_over(now));
        assert!(successor.is_over(later));
        successor.is_promoted = true;
        assert!(!successor.is_over(later));
        assert!(successor.is_over(now + Successor::NAMED_WITHIN));
    }
}
