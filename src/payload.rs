//! Turns values into payloads and back, with the errors that calls return.

use bytes::Bytes;

use crate::codec::{self, Codec};
use crate::error::{Error, Result};

/// The largest payload that can be offered, or searched for by value: 512 MiB - 1 KiB.
///
/// Redis takes 512 MiB in one argument (`proto-max-bulk-len`). The 1 KiB leaves room for the bytes
/// around a payload: up to 35 in a member, 29 in a lease. Calls refuse a larger payload with
/// [`Error::TooLarge`] before they send anything. The limit holds for Redis's default settings; a
/// server with a lower `proto-max-bulk-len` closes the connection instead.
///
/// # Large payloads
///
/// - Redis copies a payload several times in each step, and serves nobody else while it does. An
///   offer of 256 MB keeps it busy for seconds: `docs/performance.md` has the table. Redis holds
///   the payload in the timeout set and in the ordering list, and for some time in the memory of
///   its scripts.
/// - Small elements wait while Redis is busy, and their offers may end in
///   [`Error::OutcomeUnknown`](crate::Error::OutcomeUnknown).
/// - Calls of 1 MiB and more use a socket and a thread of their own, which close 5 s after the last
///   such call. Small calls of the client do not wait for that socket, but they wait while Redis is
///   busy.
/// - A call gets one second more for each 4 MiB that it sends. That second is added to its
///   [response timeout](crate::ClientBuilder::response_timeout), to its
///   [retry window](crate::ClientBuilder::retry_window), and to the 61 s for which Redis remembers
///   the ids that the call settles.
/// - So an offer of a large payload needs a network of about 4 MiB/s, or a longer
///   [response timeout](crate::ClientBuilder::response_timeout). To take one, a client gives itself
///   more time after each attempt that was cut off, but never more than two thirds of the
///   [lease](crate::ClientBuilder::claim_lease): by default about 60 MB at 2 MB/s. A payload that
///   takes longer goes back to the head of its queue again and again, until a client with a longer
///   lease or a faster network takes it.
/// - Calls that move elements inside Redis, such as [`move_to`](crate::BlockingQueue::move_to) and
///   [`take_last_and_offer_first_to`](crate::BlockingQueue::take_last_and_offer_first_to), do not
///   know the size beforehand. Redis leaves an element of more than 1 MiB where it is and answers
///   with its size, and the client sends the call again as a large one.
/// - While a large element is pending, each client reads it once. A pending element of 64 MB then
///   costs an idle Redis no more than a small one. A client remembers one large element of a queue.
///   So it reads an element again if another large one came before it in the meantime.
/// - Calls that read elements, such as [`Pending::peek`](crate::Pending::peek),
///   [`read_all`](crate::Pending::read_all) and [`iter`](crate::Pending::iter), learn how
///   large elements are while they read. The first command reads 1 to 4 elements, and each later one
///   about 1 MiB, at most 1,000 elements. These calls read on the socket for small calls, so other
///   calls of the client wait while a large reply passes: an element of 100 MB takes 0.8 s on a
///   network of 1 Gbit/s. If a reply does not arrive within the response timeout, the client asks
///   once more, on the socket for large calls and with up to 128 s more time.
/// - A [`Ticket`](crate::Ticket) holds the payload, so `cancel`, `reschedule` and `promote` send it
///   again. The process holds some five copies of it while an offer is under way, and two while it
///   is taken.
/// - All arguments of a command together may have 1,008 MiB, below `client-query-buffer-limit`:
///   an offer that is [unique in the queue](crate::Offer::unique_in_queue) sends both elements.
pub const MAX_PAYLOAD: usize = MAX_ARGUMENT - 1024;

/// The most bytes that Redis takes in one argument, by its default `proto-max-bulk-len`.
const MAX_ARGUMENT: usize = 512 * 1024 * 1024;

/// The most bytes that one command may have: below Redis's default `client-query-buffer-limit` of
/// 1 GiB, past which it cuts the connection.
const MAX_COMMAND: usize = 2 * MAX_ARGUMENT - 16 * 1024 * 1024;

pub(crate) fn encode<T: 'static>(codec: &dyn Codec<T>, value: &T) -> Result<Bytes> {
    let payload = codec.encode(value).map_err(|error| Error::Encode {
        reason: error.of_codec(codec.name()),
    })?;
    check(payload.len(), MAX_PAYLOAD)?;
    Ok(payload)
}

/// Decodes `payload`; every call decodes here. A codec that panics makes an error like any other:
/// the element may have left Redis, so the caller must get its bytes.
pub(crate) fn decode<T: 'static>(codec: &dyn Codec<T>, payload: Bytes) -> Result<T> {
    codec::decode_caught(codec, payload.clone()).map_err(|reason| Error::Decode {
        payload: payload.into(),
        reason,
    })
}

/// Refuses an argument other than a payload, such as a key or a foreign ticket, if it is so large
/// that Redis would cut the connection.
pub(crate) fn check_argument(size: usize) -> Result<()> {
    check(size, MAX_ARGUMENT)
}

/// The same for all arguments of a command together.
pub(crate) fn check_command(size: usize) -> Result<()> {
    check(size, MAX_COMMAND)
}

fn check(size: usize, limit: usize) -> Result<()> {
    if size > limit {
        return Err(Error::TooLarge { size, limit });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec;

    /// Encodes a number as that many zeros, whose pages cost no memory.
    struct Zeros;

    impl Codec<usize> for Zeros {
        fn encode(&self, value: &usize) -> Result<Bytes, codec::Error> {
            Ok(Bytes::from(vec![0; *value]))
        }

        fn decode(&self, payload: Bytes) -> Result<usize, codec::Error> {
            Ok(payload.len())
        }
    }

    /// A lease adds bytes to a payload. Redis cuts the connection if an argument exceeds its own
    /// limit.
    #[test]
    fn payloads_up_to_the_limit_are_encoded_and_larger_ones_refused() {
        let payload = encode(&Zeros, &MAX_PAYLOAD).unwrap();
        assert_eq!(payload.len(), MAX_PAYLOAD);
        let refused = encode(&Zeros, &(MAX_PAYLOAD + 1)).unwrap_err();
        let Error::TooLarge { size, limit } = refused else {
            panic!("{refused:?}");
        };
        assert_eq!((size, limit), (MAX_PAYLOAD + 1, MAX_PAYLOAD));
        assert!(!refused.may_have_changed_redis());
    }

    #[test]
    fn members_and_leases_of_the_largest_payload_fit_into_an_argument() {
        // The longest id that this crate makes has 26 bytes.
        assert!(check_argument(MAX_PAYLOAD + 1 + 26 + 8).is_ok());
        assert!(check_argument(MAX_PAYLOAD + 29).is_ok());
        assert!(check_argument(MAX_ARGUMENT + 1).is_err());
    }
}
