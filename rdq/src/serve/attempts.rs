//! How many wrong tokens an address may show.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::peer::network;

/// The wrong tokens that each address showed during the last minute.
///
/// An address that showed [`MOST`] of them must wait, even with the right token: it could go on
/// guessing if only that one were accepted. Each of the first [`ADDRESSES`] has its own count, so
/// one of them locks out nobody at another. The wait ends a minute after the oldest of the last
/// [`MOST`] wrong tokens, whatever the address sends meanwhile.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    hasher: RandomState,
    wrong: Mutex<HashMap<IpAddr, VecDeque<Wrong>>>,
}

/// A wrong token.
#[derive(Debug)]
struct Wrong {
    at: Instant,
    /// A hash, because a token with a typing error is almost a secret.
    token: u64,
}

impl Attempts {
    /// How long this address must wait before it may show a token. None if it may now.
    pub(super) fn wait(&self, address: IpAddr, now: Instant) -> Option<Duration> {
        let wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = wrong.get(&place(&wrong, network(address)))?;
        let first = shown.iter().rev().nth(MOST - 1)?;
        let wait = (first.at + WINDOW).saturating_duration_since(now);
        (!wait.is_zero()).then_some(wait)
    }

    /// Counts a wrong token. A token that the address showed before is no new guess: a script with
    /// an old token must not lock out people who share its address.
    pub(super) fn count(&self, address: IpAddr, token: &str, now: Instant) {
        let token = self.hasher.hash_one(token);
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        if wrong.len() >= ADDRESSES {
            wrong.retain(|_, shown| shown.back().is_some_and(|it| now < it.at + WINDOW));
        }
        let place = place(&wrong, network(address));
        let shown = wrong.entry(place).or_default();
        while shown.front().is_some_and(|it| it.at + WINDOW <= now) {
            shown.pop_front();
        }
        if shown.iter().all(|it| it.token != token) {
            shown.push_back(Wrong { at: now, token });
        }
    }
}

/// The key under which an address is counted. Addresses beyond [`ADDRESSES`] share one.
fn place(wrong: &HashMap<IpAddr, VecDeque<Wrong>>, address: IpAddr) -> IpAddr {
    match wrong.len() < ADDRESSES || wrong.contains_key(&address) {
        true => address,
        false => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    }
}

/// How many different wrong tokens an address may show in a minute.
const MOST: usize = 10;

const WINDOW: Duration = Duration::from_secs(60);

/// How many addresses have a count of their own. This bounds the memory.
const ADDRESSES: usize = 1_024;

#[cfg(test)]
mod tests {
    use super::*;

    const A: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
    const B: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));
    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn an_address_waits_after_ten_wrong_tokens_and_no_other_does() {
        let (attempts, begin) = (Attempts::default(), Instant::now());
        for i in 0..10 {
            let now = begin + SECOND * i;
            assert_eq!(attempts.wait(A, now), None, "{i}");
            attempts.count(A, &format!("guess {i}"), now);
        }
        let now = begin + SECOND * 20;
        assert_eq!(attempts.wait(A, now), Some(SECOND * 40));
        assert_eq!(attempts.wait(B, now), None);
        // One more guess each time that one of the ten is a minute old.
        let now = begin + SECOND * 60;
        assert_eq!(attempts.wait(A, now), None);
        attempts.count(A, "guess 10", now);
        assert_eq!(attempts.wait(A, now), Some(SECOND));
    }

    #[test]
    fn the_same_wrong_token_counts_once() {
        let (attempts, begin) = (Attempts::default(), Instant::now());
        for i in 0..100 {
            attempts.count(A, "old token", begin + SECOND * i);
            assert_eq!(attempts.wait(A, begin + SECOND * i), None);
        }
    }

    #[test]
    fn addresses_of_one_network_count_together_and_too_many_share_a_place() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        let six = |network: u16, host| IpAddr::V6(Ipv6Addr::new(1, 2, 3, network, 0, 0, 0, host));
        for host in 0..10 {
            attempts.count(six(1, host), &host.to_string(), now);
        }
        assert!(attempts.wait(six(1, 77), now).is_some());
        assert_eq!(attempts.wait(six(2, 0), now), None);
        for network in 2..5_000 {
            attempts.count(six(network, 0), &network.to_string(), now);
        }
        assert!(attempts.wrong.lock().unwrap().len() <= ADDRESSES + 1);
        assert!(attempts.wait(six(6_000, 0), now).is_some());
        // A minute later all are forgotten.
        attempts.count(A, "guess", now + WINDOW);
        assert_eq!(attempts.wrong.lock().unwrap().len(), 1);
    }
}
