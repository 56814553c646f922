//! The ids of the elements that this crate writes.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::link::clock::LATEST_MS;
use crate::listing::Listing;
use crate::wire::packed::MemberId;

/// How the ids of offered elements are made.
///
/// Redisson takes ids of any length and compares none. An id decides which of two elements with one
/// due time comes first, because Redis breaks ties by the member's bytes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum MemberIds {
    /// 16 bytes: the time of the offer and a sequence, then a nonce of the client. Elements of one
    /// client that are due in the same millisecond come out in offer order. The default.
    #[default]
    Ordered,
    /// 8 random bytes, as Redisson writes. Ties come out in random order. Ids of elements that
    /// [expire](crate::Offer::expires_at) have 16 random bytes and the expiry time. Ids of
    /// [unlisted](crate::Listing::Unlisted) elements have 16, too, and a mark at the end.
    Random,
}

/// Makes the ids of one client.
#[derive(Debug)]
pub(crate) struct IdSource {
    kind: MemberIds,
    /// A clock that only goes forward and ticks once per id: unix ms in the upper 48 bits, a
    /// sequence in the lower 16.
    last: AtomicU64,
    nonce: u64,
}

impl IdSource {
    pub(crate) fn new(kind: MemberIds) -> Self {
        Self {
            kind,
            last: AtomicU64::new(0),
            nonce: rand::random(),
        }
    }

    /// Returns an id. An unlisted element's id has 16 bytes and a mark.
    pub(crate) fn next(&self, listing: Listing) -> MemberId {
        match (listing, self.kind) {
            (Listing::Listed, MemberIds::Random) => MemberId::from(random_8()),
            (Listing::Listed, MemberIds::Ordered) => MemberId::from(self.next_16()),
            (Listing::Unlisted, _) => unlisted::<16, 17>(self.next_16()),
        }
    }

    /// Returns an id that holds the expiry time: 16 bytes, a tag, unix ms in big-endian, and the
    /// mark if unlisted. `lua/lib/member.lua` reads it.
    pub(crate) fn next_expiring(&self, expires_at: SystemTime, listing: Listing) -> MemberId {
        let mut id = [0; 25];
        id[..16].copy_from_slice(&self.next_16());
        id[16] = b'x';
        // The latest due time there is: a larger number would not be exact in Lua.
        let expires_ms = unix_ms(expires_at).min(LATEST_MS);
        id[17..].copy_from_slice(&expires_ms.to_be_bytes());
        match listing {
            Listing::Listed => MemberId::from(id),
            Listing::Unlisted => unlisted::<25, 26>(id),
        }
    }

    /// 16 unique bytes: random, or in the order of the offers.
    fn next_16(&self) -> [u8; 16] {
        match self.kind {
            MemberIds::Ordered => {
                let stamp = self.stamp(unix_ms(SystemTime::now()));
                // Big-endian, because Redis compares members as bytes.
                (u128::from(stamp) << 64 | u128::from(self.nonce)).to_be_bytes()
            }
            MemberIds::Random => rand::random(),
        }
    }

    /// The next stamp: `now_ms`, or one more than the last stamp when the clock stood still or went
    /// back.
    fn stamp(&self, now_ms: u64) -> u64 {
        let now = now_ms << 16;
        let advance = |last: u64| now.max(last.wrapping_add(1));
        match self
            .last
            .fetch_update(Relaxed, Relaxed, |last| Some(advance(last)))
        {
            Ok(last) | Err(last) => advance(last),
        }
    }
}

/// When the element with this id expires, as `expires_of` in `lua/lib/member.lua` says.
pub(crate) fn expiry_of(id: &[u8]) -> Option<SystemTime> {
    let (25 | 26, Some(b'x')) = (id.len(), id.get(16)) else {
        return None;
    };
    let ms: [u8; 8] = id.get(17..25)?.try_into().ok()?;
    UNIX_EPOCH.checked_add(Duration::from_millis(u64::from_be_bytes(ms)))
}

/// 8 random bytes. The last is never 1, because a member without a payload could then look like one
/// of the old layout; see [`Packed::parse`](crate::wire::packed::Packed::parse).
fn random_8() -> [u8; 8] {
    loop {
        let id: [u8; 8] = rand::random();
        if id[7] != 1 {
            return id;
        }
    }
}

/// Appends the mark that `is_unlisted` in `lua/lib/member.lua` reads; `M` is `N` + 1.
fn unlisted<const N: usize, const M: usize>(id: [u8; N]) -> MemberId {
    let mut marked = [b'u'; M];
    marked[..N].copy_from_slice(&id);
    MemberId::from(marked)
}

fn unix_ms(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::Listing::{Listed, Unlisted};

    #[test]
    fn ordered_ids_ascend_when_the_clock_stands_still_or_goes_back() {
        let ids = IdSource::new(MemberIds::Ordered);
        let stamps: Vec<u64> = [1_000, 1_000, 999, 1_001, 5].map(|ms| ids.stamp(ms)).into();
        assert!(stamps.is_sorted_by(|a, b| a < b), "{stamps:?}");
        assert_eq!(stamps[3], 1_001 << 16);
    }

    #[test]
    fn ordered_ids_hold_the_time_in_big_endian_then_the_nonce() {
        let ids = IdSource::new(MemberIds::Ordered);
        let (a, b) = (ids.next(Listed), ids.next(Listed));
        let (a, b) = (a.as_bytes(), b.as_bytes());
        assert_eq!((a.len(), b.len()), (16, 16));
        assert!(a < b);
        assert_eq!(a[8..], b[8..]);
    }

    #[test]
    fn expiring_ids_end_in_a_tag_and_the_time_in_big_endian() {
        let expires_at = UNIX_EPOCH + Duration::from_micros(0x0123_4567 * 1_000 + 999);
        for kind in [MemberIds::Ordered, MemberIds::Random] {
            let ids = IdSource::new(kind);
            let next = || ids.next_expiring(expires_at, Listed);
            let (a, b) = (next(), next());
            assert_eq!(a.as_bytes()[16..], *b"x\0\0\0\0\x01\x23\x45\x67");
            assert_ne!(a, b);
        }
        let ids = IdSource::new(MemberIds::Ordered);
        let ordered = [
            ids.next(Listed),
            ids.next_expiring(expires_at, Listed),
            ids.next(Listed),
        ];
        assert!(ordered.is_sorted_by(|a, b| a.as_bytes()[..16] < b.as_bytes()[..16]));
    }

    /// No other ids have 17 or 26 bytes.
    #[test]
    fn unlisted_ids_are_those_of_16_and_25_bytes_with_a_mark_behind() {
        for kind in [MemberIds::Ordered, MemberIds::Random] {
            let ids = IdSource::new(kind);
            let (a, b) = (ids.next(Unlisted), ids.next(Unlisted));
            assert_eq!((a.as_bytes().len(), a.as_bytes()[16]), (17, b'u'));
            assert_ne!(a, b);
            let expiring = ids.next_expiring(UNIX_EPOCH, Unlisted);
            assert_eq!(expiring.as_bytes()[16..], *b"x\0\0\0\0\0\0\0\0u");
        }
        let ids = IdSource::new(MemberIds::Ordered);
        let ordered = [Unlisted, Listed, Unlisted].map(|listing| ids.next(listing));
        assert!(ordered.is_sorted_by(|a, b| a.as_bytes()[..16] < b.as_bytes()[..16]));
    }

    #[test]
    fn an_id_tells_its_listing_and_its_expiry() {
        let noon = UNIX_EPOCH + Duration::from_millis(1_234);
        for kind in [MemberIds::Ordered, MemberIds::Random] {
            let ids = IdSource::new(kind);
            for listing in [Listed, Unlisted] {
                let (plain, expiring) = (ids.next(listing), ids.next_expiring(noon, listing));
                assert_eq!(plain.listing(), listing);
                assert_eq!(expiring.listing(), listing);
                assert_eq!(expiry_of(plain.as_bytes()), None);
                assert_eq!(expiry_of(expiring.as_bytes()), Some(noon));
            }
        }
        assert_eq!(MemberId::from([]).listing(), Listed);
    }

    #[test]
    fn random_ids_have_the_length_that_redisson_writes() {
        let ids = IdSource::new(MemberIds::Random);
        assert_eq!(ids.next(Listed).as_bytes().len(), 8);
    }

    /// An id that ends in 1 behind 0x43 would make the member of an empty payload look like the old
    /// layout.
    #[test]
    fn no_random_id_of_8_bytes_ends_in_1() {
        let ids = IdSource::new(MemberIds::Random);
        assert!((0..10_000).all(|_| ids.next(Listed).as_bytes()[7] != 1));
    }
}
