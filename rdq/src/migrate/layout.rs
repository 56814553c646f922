//! The new member of an old one.

use bytes::Bytes;
use redisson_delayed_queue::packed::{Format, MemberId, Packed, pack};

/// The same element in the layout of Redisson 3.21.1 and later; `None` unless the member is in the
/// older layout. The 8 bytes of the number that served as its id stay its id, so the new member is
/// always the same, and nothing takes it for an old one.
pub(crate) fn modern(member: &Bytes) -> Option<Bytes> {
    let packed = Packed::parse(member.clone()).ok()?;
    if packed.format != Format::DLc0 {
        return None;
    }
    let id: [u8; 8] = packed.id.as_bytes().try_into().ok()?;
    Some(pack(&MemberId::from(id), &packed.payload))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn old(id: f64, payload: &[u8]) -> Bytes {
        let length = (payload.len() as u64).to_le_bytes();
        [&id.to_le_bytes()[..], &length, payload].concat().into()
    }

    #[test]
    fn an_old_member_becomes_a_new_one_with_its_payload() {
        // Even where the payload makes an old member fit both layouts.
        for payload in [&b""[..], b"x", b"orders", &[0; 1], &[0; 8], &[0; 300]] {
            for id in [-4.6e18, 4.6e18, 1.1e17] {
                let new = modern(&old(id, payload)).unwrap();
                assert_eq!(new[0], 8);
                let packed = Packed::parse(new.clone()).unwrap();
                assert_eq!(packed.format, Format::Bc0Lc0, "{id} {payload:?}");
                assert_eq!(packed.payload, payload);
                assert_eq!(packed.id.as_bytes(), id.to_le_bytes());
                assert_eq!(modern(&new), None);
            }
        }
    }

    #[test]
    fn nothing_else_is_touched() {
        let new = pack(&MemberId::from(*b"randomId"), b"orders");
        assert_eq!(modern(&new), None);
        assert_eq!(modern(&Bytes::from_static(b"garbage")), None);
    }
}
