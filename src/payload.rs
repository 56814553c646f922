//! Values as payloads and back, with the errors of calls.

use bytes::Bytes;

use crate::codec::{self, Codec};
use crate::error::{Error, Result};

/// The largest payload that can be offered, or searched for by value: 512 MiB - 1 KiB.
///
/// Redis takes 512 MiB in one argument (`proto-max-bulk-len`). The 1 KiB leaves room for what is
/// packed around a payload: up to 35 bytes in a member, 29 in a lease. Calls refuse a larger payload
/// with [`Error::TooLarge`] before they send anything.
///
/// A payload of this size costs several seconds of Redis's time in each step of its way; see
/// `docs/performance.md`.
pub const MAX_PAYLOAD: usize = MAX_ARGUMENT - 1024;

/// The most bytes that Redis takes in one argument, by its default `proto-max-bulk-len`.
const MAX_ARGUMENT: usize = 512 * 1024 * 1024;

/// The most bytes that one command may have: below Redis's default `client-query-buffer-limit` of
/// 1 GiB, past which it cuts the connection.
const MAX_COMMAND: usize = 2 * MAX_ARGUMENT - 16 * 1024 * 1024;

pub(crate) fn encode<T: 'static>(codec: &dyn Codec<T>, value: &T) -> Result<Bytes> {
    let payload = codec
        .encode(value)
        .map_err(|source| Error::Encode { source })?;
    check(payload.len(), MAX_PAYLOAD)?;
    Ok(payload)
}

/// Reads `payload`, in the one place where calls do. A codec that panics there answers with an
/// error: the element may have left Redis, and its bytes must reach the caller all the same.
pub(crate) fn decode<T: 'static>(codec: &dyn Codec<T>, payload: Bytes) -> Result<T> {
    codec::decode_caught(codec, payload.clone()).map_err(|source| Error::Decode { payload, source })
}

/// Refuses an argument that is no payload, such as a key or a ticket from elsewhere, if Redis would
/// cut the connection instead of taking it.
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

    /// Encodes a number as so many zeros, whose pages cost no memory.
    struct Zeros;

    impl Codec<usize> for Zeros {
        fn encode(&self, value: &usize) -> Result<Bytes, codec::Error> {
            Ok(Bytes::from(vec![0; *value]))
        }

        fn decode(&self, payload: Bytes) -> Result<usize, codec::Error> {
            Ok(payload.len())
        }
    }

    /// One byte more would reach Redis's own limit in a lease, for which the connection is cut.
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
