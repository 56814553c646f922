//! The places that connections take: how many there are, and who gives one up.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::peer::network;

/// A limited number of places.
///
/// A new connection always gets one. If all are taken, the address with the most connections, the new
/// one among them, gives up its oldest. So an address with few connections keeps them, however many
/// another one opens.
#[derive(Debug)]
pub(super) struct Places {
    most: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    /// Keyed by their age: the oldest has the lowest number.
    connections: BTreeMap<u64, Connection>,
    next: u64,
}

#[derive(Debug)]
struct Connection {
    /// Where it comes from.
    network: IpAddr,
    /// Tells the connection that its place is given up, by being dropped.
    _stays: oneshot::Sender<()>,
}

/// The place of one connection, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    number: u64,
    stays: oneshot::Receiver<()>,
}

impl Places {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            taken: Mutex::default(),
        })
    }

    /// Takes a place for a new connection from this address.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> Place {
        let (sender, stays) = oneshot::channel();
        let mut taken = self.taken();
        let number = taken.next;
        taken.next += 1;
        let connection = Connection {
            network: network(address),
            _stays: sender,
        };
        taken.connections.insert(number, connection);
        if taken.connections.len() > self.most {
            taken.give_up_one();
        }
        Place {
            places: Arc::clone(self),
            number,
            stays,
        }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        // No code that holds the lock leaves the map half changed.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// Removes the oldest connection from the network with the most, or from one of those.
    fn give_up_one(&mut self) {
        let mut counts = HashMap::<IpAddr, usize>::new();
        for it in self.connections.values() {
            *counts.entry(it.network).or_default() += 1;
        }
        let most = counts.values().max().copied();
        let mut connections = self.connections.iter();
        let oldest = connections.find(|(_, it)| counts.get(&it.network).copied() == most);
        if let Some((&number, _)) = oldest {
            self.connections.remove(&number);
        }
    }
}

impl Place {
    /// Waits until the place is given up, because a new connection needs it.
    pub(super) async fn given_up(&mut self) {
        // Nobody sends anything: the other end is dropped.
        _ = (&mut self.stays).await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.taken().connections.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use super::*;

    const A: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
    const B: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

    fn is_given_up(place: &mut Place) -> bool {
        place.stays.try_recv() == Err(oneshot::error::TryRecvError::Closed)
    }

    #[test]
    fn the_fullest_address_gives_up_its_oldest() {
        let places = Places::new(4);
        let mut all = [B, A, A, A].map(|it| places.take(it));
        let mut new = places.take(B);
        assert_eq!(all.each_mut().map(is_given_up), [false, true, false, false]);
        // Each has two now. The next one from A is its third.
        let mut third = places.take(A);
        assert_eq!(all.each_mut().map(is_given_up), [false, true, true, false]);
        assert!(!is_given_up(&mut new) && !is_given_up(&mut third));
    }

    #[test]
    fn a_place_that_is_free_again_is_taken_before_any_is_given_up() {
        let places = Places::new(2);
        let mut older = places.take(A);
        drop(places.take(A));
        let mut newer = places.take(A);
        assert!(!is_given_up(&mut older) && !is_given_up(&mut newer));
        // Of addresses with one connection each, the oldest one has to go.
        let mut new = places.take(B);
        assert!(is_given_up(&mut older));
        assert!(!is_given_up(&mut newer) && !is_given_up(&mut new));
    }

    /// Whoever has an address of IPv6 has the whole network.
    #[test]
    fn addresses_of_one_network_count_together() {
        let places = Places::new(3);
        let six = |network, host| IpAddr::V6(Ipv6Addr::new(1, 2, 3, network, 0, 0, 0, host));
        let mut other = places.take(six(1, 0));
        let mut many = [1, 2].map(|host| places.take(six(2, host)));
        let _new = places.take(six(2, 3));
        assert!(is_given_up(&mut many[0]));
        assert!(!is_given_up(&mut other));
    }
}
