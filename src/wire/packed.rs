//! The packed members of the ordering list and the timeout set: pure bytes, no Redis.
//!
//! A member is an id and a payload. The id keeps two equal payloads apart. Redisson packs both with
//! Lua's `struct.pack`, in one of two layouts. Only their lengths tell the layouts apart:
//!
//! ```text
//! Bc0Lc0: Redisson since 3.21.1, and this crate
//! 0      1           1+n                      9+n              9+n+len
//! +------+-----------+------------------------+----------------+ - - - - -+
//! | n u8 | id        | len u64 little endian  | payload        | trailing
//! +------+-----------+------------------------+----------------+ - - - - -+
//!
//! dLc0: Redisson until 3.21.0
//! 0                  8                        16               16+len
//! +------------------+------------------------+----------------+
//! | id, a double     | len u64 little endian  | payload        |
//! +------------------+------------------------+----------------+
//! ```
//!
//! Java writes an id of 8 bytes and reads one of any length, this crate writes 8, 16, 17,
//! 25 or 26.
//!
//! Some old members fit both layouts to the last byte, for example if the first byte is 7 plus the
//! payload's length, and the payload is all zeros or ends in 8 zeros. Byte 7 then decides. In an old
//! member it holds the sign and the upper exponent of the id, a random 64-bit integer as a double,
//! so it is 0x43 or 0xC3.

use std::fmt;

use byteorder::{ByteOrder, LittleEndian};
use bytes::{BufMut, Bytes, BytesMut};

use crate::listing::Listing;

/// A packed member, taken apart.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Packed {
    /// Keeps this member apart from others with the same payload.
    pub id: MemberId,
    /// The bytes that a codec wrote.
    pub payload: Bytes,
    /// The layout that the member is in.
    pub format: Format,
    /// How many bytes follow the payload: 0 in every member that Redisson and this crate write.
    pub trailing: usize,
}

impl Packed {
    /// Takes `member` apart without copying it.
    ///
    /// Its length decides which layout it has:
    ///
    /// - A member that fits one layout to the last byte has that layout.
    /// - A member that fits both is `dLc0` if its byte 7 is 0x43 or 0xC3, and `Bc0Lc0` otherwise.
    ///   If the first byte is 7, both have the same payload, and the member is `Bc0Lc0`.
    /// - A member that fits neither is `Bc0Lc0` if that leaves bytes over, which Java ignores.
    ///
    /// The second rule can err in two ways:
    ///
    /// - It takes a new member for an old one if an id of 8 bytes ends in 0x01 behind 0x43 or 0xC3,
    ///   and the payload is empty: 1 of 32,768 empty payloads that Java offers. The payload then
    ///   reads as one zero byte. This crate makes no such id of 8 bytes, and its longer ids meet
    ///   the rule once in 2^56 clients.
    /// - It takes an old member for a new one if the member fits both layouts and its id is within
    ///   2^49 of zero, as 1 of 16,384 old ids is: fewer than 1 of 4 million members whose payload
    ///   ends in zeros.
    ///
    /// # Compatibility
    ///
    /// Accepts what `struct.unpack('Bc0Lc0', …)` accepts in the script of Redisson 3.21.1 and
    /// later, with one exception: a length of 2^64 - 1, which Redisson takes for 0. Also accepts
    /// the members of 3.21.0 and earlier, which newer versions of Redisson cannot read (checked:
    /// `interop/vectors/redisson.jsonl`).
    ///
    /// # Errors
    ///
    /// - [`Malformed`] if no layout fits. Then Java cannot unpack the member either.
    ///
    /// # Examples
    ///
    /// ```
    /// use bytes::Bytes;
    /// use redisson_delayed_queue::packed::{Format, Packed};
    ///
    /// let member = Bytes::from_static(b"\x08randomId\x05\0\0\0\0\0\0\0hello");
    /// let packed = Packed::parse(member)?;
    /// assert_eq!(packed.payload, "hello");
    /// assert_eq!(packed.format, Format::Bc0Lc0);
    /// # Ok::<(), redisson_delayed_queue::packed::Malformed>(())
    /// ```
    pub fn parse(member: Bytes) -> Result<Self, Malformed> {
        let layouts = (Layout::of_bc0lc0(&member), Layout::of_exact_dlc0(&member));
        let layout = match layouts {
            (Ok(new), Some(old)) if new.end == member.len() => match has_old_id(&member) {
                true if new.payload != old.payload => old,
                _ => new,
            },
            (_, Some(old)) => old,
            (new, None) => new?,
        };

        Ok(Self {
            id: MemberId(member.slice(layout.id_start..layout.id_end)),
            payload: member.slice(layout.payload..layout.end),
            format: layout.format,
            trailing: member.len() - layout.end,
        })
    }
}

impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The payload may be private.
        f.debug_struct("Packed")
            .field("id", &self.id)
            .field("bytes", &self.payload.len())
            .field("format", &self.format)
            .field("trailing", &self.trailing)
            .finish()
    }
}

/// The id in front of a payload: at most 255 bytes that mean nothing to Redisson.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MemberId(Bytes);

impl MemberId {
    /// The bytes of the id, without their length.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether the element with this id belongs into the ordering list.
    ///
    /// Ids of 17 and 26 bytes that end in `u` mark [unlisted](Listing::Unlisted) elements. This crate
    /// makes them, and `is_unlisted` in `lua/lib/member.lua` reads them. All other elements are listed.
    #[must_use]
    pub fn listing(&self) -> Listing {
        match (self.0.len(), self.0.last()) {
            (17 | 26, Some(b'u')) => Listing::Unlisted,
            _ => Listing::Listed,
        }
    }
}

/// In hexadecimal.
impl fmt::Debug for MemberId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// An array of more than 255 bytes does not compile: its length would not fit the first byte.
impl<const N: usize> From<[u8; N]> for MemberId {
    fn from(id: [u8; N]) -> Self {
        const { assert!(N <= u8::MAX as usize, "an id has at most 255 bytes") };
        Self(Bytes::copy_from_slice(&id))
    }
}

/// A layout of packed members, named as the format string of Lua's `struct.pack`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Written by Redisson since 3.21.1 and by this crate.
    Bc0Lc0,
    /// Written by Redisson until 3.21.0.
    DLc0,
}

/// A value in Redis is not a packed member.
///
/// Something other than Redisson or this crate wrote it. Reading it changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed packed member: {reason} at byte {offset}")]
#[non_exhaustive]
pub struct Malformed {
    /// What is wrong if the value is read as `Bc0Lc0`.
    pub reason: &'static str,
    /// Where the unreadable part starts, counted from 0.
    pub offset: usize,
}

/// Packs `payload` behind `id` as `Bc0Lc0`.
///
/// # Compatibility
///
/// Writes the bytes of `struct.pack('Bc0Lc0', #id, id, #payload, payload)`, which is what Redisson
/// has written since 3.21.1 (checked: `interop/vectors/redisson.jsonl`).
///
/// # Examples
///
/// ```
/// use redisson_delayed_queue::packed::{MemberId, pack};
///
/// let member = pack(&MemberId::from(*b"randomId"), b"hello");
/// assert_eq!(member, &b"\x08randomId\x05\0\0\0\0\0\0\0hello"[..]);
/// ```
#[must_use]
pub fn pack(id: &MemberId, payload: &[u8]) -> Bytes {
    let id = id.as_bytes();
    let mut member = BytesMut::with_capacity(1 + id.len() + LENGTH + payload.len());
    // No id is longer than 255 bytes. It came from an array, whose length the compiler checks, or
    // from a member, where one byte holds its length.
    member.put_u8(id.len() as u8);
    member.put_slice(id);
    member.put_u64_le(payload.len() as u64);
    member.put_slice(payload);
    member.freeze()
}

/// Where the parts of a member lie. All ends are within the member.
struct Layout {
    format: Format,
    id_start: usize,
    id_end: usize,
    payload: usize,
    end: usize,
}

impl Layout {
    fn of_bc0lc0(member: &[u8]) -> Result<Self, Malformed> {
        let malformed = |reason, offset| Malformed { reason, offset };

        let Some(&id_len) = member.first() else {
            return Err(malformed("no id length", 0));
        };
        let id_end = 1 + usize::from(id_len);
        if member.len() < id_end {
            return Err(malformed("id is cut short", 1));
        }
        let payload = id_end + LENGTH;
        if member.len() < payload {
            return Err(malformed("payload length is cut short", id_end));
        }
        let Some(end) = payload_end(member, payload) else {
            return Err(malformed("payload is cut short", payload));
        };

        Ok(Self {
            format: Format::Bc0Lc0,
            id_start: 1,
            id_end,
            payload,
            end,
        })
    }

    fn of_exact_dlc0(member: &[u8]) -> Option<Self> {
        let payload = DOUBLE + LENGTH;
        if member.len() < payload || payload_end(member, payload)? != member.len() {
            return None;
        }

        Some(Self {
            format: Format::DLc0,
            id_start: 0,
            id_end: DOUBLE,
            payload,
            end: member.len(),
        })
    }
}

/// The end of the payload at `start`, from the length in front of it. `None` if that is beyond the
/// member, even for a length near 2^64.
fn payload_end(member: &[u8], start: usize) -> Option<usize> {
    let len = usize::try_from(LittleEndian::read_u64(&member[start - LENGTH..start])).ok()?;
    let end = start.checked_add(len)?;
    (end <= member.len()).then_some(end)
}

/// True if a member of at least 8 bytes begins like the random ids of old Redisson: with a double
/// between 2^49 and 2^65, or the negative of one.
fn has_old_id(member: &[u8]) -> bool {
    matches!(member[DOUBLE - 1], 0x43 | 0xc3)
}

/// Bytes of a payload's length.
const LENGTH: usize = 8;

/// Bytes of the id of a `dLc0` member.
const DOUBLE: usize = 8;

#[cfg(test)]
mod tests;
