use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn parse(member: &[u8]) -> Result<Packed, Malformed> {
    Packed::parse(Bytes::copy_from_slice(member))
}

fn assert_malformed(member: &[u8], reason: &str, offset: usize) {
    let error = parse(member).unwrap_err();
    assert_eq!((error.reason, error.offset), (reason, offset));
}

fn dlc0(id: f64, payload: &[u8]) -> Vec<u8> {
    let mut member = id.to_le_bytes().to_vec();
    member.extend((payload.len() as u64).to_le_bytes());
    member.extend(payload);
    member
}

proptest! {
    /// Every id that the first byte can count and every payload survive.
    #[test]
    fn packed_member_parses_back(id in vec(any::<u8>(), 0..=255), payload in vec(any::<u8>(), 0..300)) {
        let id = MemberId(id.into());
        let packed = Packed::parse(pack(&id, &payload)).unwrap();

        prop_assert_eq!(packed.id, id);
        prop_assert_eq!(packed.payload, payload);
        prop_assert_eq!(packed.format, Format::Bc0Lc0);
        prop_assert_eq!(packed.trailing, 0);
    }

    /// Redisson until 3.21.0 took a random double as id, so any of its bytes can look like a length.
    #[test]
    fn old_member_parses(id: f64, payload in vec(any::<u8>(), 0..300)) {
        let member = dlc0(id, &payload);
        // One in very many old members is a whole new one by chance, and is taken as that.
        prop_assume!(!Layout::of_bc0lc0(&member).is_ok_and(|new| new.end == member.len()));
        let packed = parse(&member).unwrap();

        prop_assert_eq!(packed.id.as_bytes(), id.to_le_bytes());
        prop_assert_eq!(packed.payload, payload);
        prop_assert_eq!(packed.format, Format::DLc0);
        prop_assert_eq!(packed.trailing, 0);
    }

    /// Java delivers such a payload and ignores the rest, so it must not be quarantined.
    #[test]
    fn new_member_with_trailing_bytes_parses(id: [u8; 16], payload in vec(any::<u8>(), 0..300), extra in 1..40usize) {
        let mut member = pack(&id.into(), &payload).to_vec();
        member.resize(member.len() + extra, 0xff);
        prop_assume!(Layout::of_exact_dlc0(&member).is_none());
        let packed = parse(&member).unwrap();

        prop_assert_eq!(packed.payload, payload);
        prop_assert_eq!(packed.format, Format::Bc0Lc0);
        prop_assert_eq!(packed.trailing, extra);
    }

    /// Whoever can write to the key chooses these bytes; none may stop the process.
    #[test]
    fn random_bytes_never_panic(member in vec(any::<u8>(), 0..300)) {
        let total = member.len();
        match parse(&member) {
            Ok(packed) => prop_assert!(packed.payload.len() + packed.trailing <= total),
            Err(error) => prop_assert!(error.offset <= total),
        }
    }
}

/// An id that starts with byte 7 makes an empty old member a new one with a zero-length payload.
#[test]
fn exactly_new_wins_over_exactly_old() {
    let member = dlc0(f64::from_le_bytes([7, 1, 2, 3, 4, 5, 6, 7]), b"");

    assert_eq!(parse(&member).unwrap().format, Format::Bc0Lc0);
}

/// Read as new, this old member has an empty id, an empty payload and seven trailing bytes.
#[test]
fn exactly_old_wins_over_new_with_trailing_bytes() {
    let member = dlc0(0.0, b"");
    assert!(Layout::of_bc0lc0(&member).is_ok_and(|new| new.end == 9));

    assert_eq!(parse(&member).unwrap().format, Format::DLc0);
}

/// An empty string can be a member of a sorted set.
#[test]
fn empty_member_is_malformed() {
    assert_malformed(b"", "no id length", 0);
}

/// The first byte announces more than there is.
#[test]
fn cut_id_is_malformed() {
    assert_malformed(b"\x08short", "id is cut short", 1);
}

/// The id is whole, the length behind it is not.
#[test]
fn cut_payload_length_is_malformed() {
    assert_malformed(b"\x02id\x05\0\0", "payload length is cut short", 3);
}

/// One byte of the payload is missing.
#[test]
fn cut_payload_is_malformed() {
    assert_malformed(b"\x02id\x05\0\0\0\0\0\0\0hell", "payload is cut short", 11);
}

/// A length near 2^64 must not wrap round to one that fits.
#[test]
fn payload_length_that_overflows_is_malformed() {
    for length in [u64::MAX, u64::MAX - 10, i64::MAX as u64, 1 << 53] {
        let mut member = b"\x02id".to_vec();
        member.extend(length.to_le_bytes());
        member.extend(b"payload");
        assert_malformed(&member, "payload is cut short", 11);
    }
}

/// Parsing shares the buffer that the connection read, however large the payload.
#[test]
fn parsing_copies_nothing() {
    let member = pack(&MemberId::from([0; 16]), b"payload");
    let packed = Packed::parse(member.clone()).unwrap();

    assert_eq!(packed.payload.as_ptr(), member[25..].as_ptr());
}
