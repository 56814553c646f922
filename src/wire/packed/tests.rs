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

fn dlc0(id: [u8; 8], payload: &[u8]) -> Vec<u8> {
    let mut member = id.to_vec();
    member.extend((payload.len() as u64).to_le_bytes());
    member.extend(payload);
    member
}

proptest! {
    /// Every id of up to 255 bytes and every payload survive.
    #[test]
    fn packed_member_parses_back(id in vec(any::<u8>(), 0..=255), payload in vec(any::<u8>(), 0..300)) {
        let id = MemberId(id.into());
        let packed = Packed::parse(pack(&id, &payload)).unwrap();

        prop_assert_eq!(packed.id, id);
        prop_assert_eq!(packed.payload, payload);
        prop_assert_eq!(packed.format, Format::Bc0Lc0);
        prop_assert_eq!(packed.trailing, 0);
    }

    /// Redisson until 3.21.0 took a random integer as id, so its lower bytes can look like a length.
    #[test]
    fn old_member_parses(id: i64, payload in vec(any::<u8>(), 0..300)) {
        prop_assume!(id.unsigned_abs() >= 1 << 49);
        let id = (id as f64).to_le_bytes();
        let packed = parse(&dlc0(id, &payload)).unwrap();

        prop_assert_eq!(packed.payload, payload);
        prop_assert_eq!(packed.trailing, 0);
        if id[0] != 7 {
            prop_assert_eq!(packed.id.as_bytes(), id);
            prop_assert_eq!(packed.format, Format::DLc0);
        }
    }

    /// Java delivers such a payload and ignores the rest, so this crate must not quarantine it.
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

    /// Anybody who can write to the key chooses these bytes. None of them may stop the process.
    #[test]
    fn random_bytes_never_panic(member in vec(any::<u8>(), 0..300)) {
        let total = member.len();
        match parse(&member) {
            Ok(packed) => prop_assert!(packed.payload.len() + packed.trailing <= total),
            Err(error) => prop_assert!(error.offset <= total),
        }
    }
}

/// If both layouts fit, the byte that holds the upper exponent of an old id decides.
#[test]
fn a_member_that_fits_both_layouts_is_old_if_its_id_is_a_random_integer() {
    let tails = [0, 1, 2, 255, 256, 65_536].map(|length| vec![0x5a; length]);
    let mut count = 0;
    for id_len in 7..=255 {
        for tail in &tails {
            for eighth in 0..=255 {
                let Some(member) = ambiguous(id_len, eighth, tail) else {
                    continue;
                };
                count += 1;
                let packed = parse(&member).unwrap();
                let is_old = id_len != 7 && matches!(eighth, 0x43 | 0xc3);
                let (format, id, payload) = match is_old {
                    true => (Format::DLc0, &member[..8], &member[16..]),
                    false => (Format::Bc0Lc0, &member[1..=id_len], &tail[..]),
                };
                assert_eq!(packed.format, format, "{member:x?}");
                assert_eq!(packed.id.as_bytes(), id);
                assert_eq!(packed.payload, payload);
                assert_eq!(packed.trailing, 0);
            }
        }
    }
    // New ids of 7 bytes or more with nothing behind them, of 15 or more with anything behind them,
    // and three more: of 7 bytes with anything behind them, of 13 with 65,536 bytes, of 14 with 256
    // and 65,536.
    assert_eq!(count, 256 * (249 + 241 * 5 + 5 + 1 + 2));
}

/// Counters and flags are zeros in many codecs, so these are the members that meet the rule.
#[test]
fn an_old_member_whose_payload_is_zeros_is_old_whatever_its_id_begins_with() {
    for length in 0..=248 {
        for top in [0x43, 0xc3] {
            let payload = vec![0; length];
            let member = dlc0([7 + length as u8, 1, 2, 3, 4, 5, 0xd6, top], &payload);
            let new = Layout::of_bc0lc0(&member).unwrap();
            assert_eq!(new.end, member.len(), "both layouts fit");
            assert_eq!(parse(&member).unwrap().payload, payload);
        }
    }
}

/// A random id must not make a member that this crate or Java writes today look old.
#[test]
fn a_new_member_with_an_empty_payload_is_new_whatever_its_id_holds() {
    for seventh in [0x43, 0xc3] {
        for eighth in 0..=255 {
            for id_len in [8, 16, 17, 25, 26] {
                let mut id = vec![0; id_len];
                id[6] = seventh;
                id[7] = eighth;
                // A nonce of 1 is as unlikely as any other, and comes closest to the rule.
                id[id_len - 1] |= u8::from(id_len > 8);
                let member = pack(&MemberId(id.into()), b"");
                let packed = parse(&member).unwrap();
                let is_misread = match id_len {
                    // The probability that the documentation states.
                    8 => eighth == 1,
                    // Only where 7 bytes of a nonce are zero.
                    _ => usize::from(eighth) == id_len - 7,
                };
                assert_eq!(packed.format == Format::DLc0, is_misread, "{member:x?}");
            }
        }
    }
}

/// A member that fits both layouts. Read as a new one, it has an id of `id_len` bytes, with
/// `eighth` in the eighth place of the member, and this payload. `None` if nothing fits both.
fn ambiguous(id_len: usize, eighth: u8, payload: &[u8]) -> Option<Vec<u8>> {
    let mut member = pack(&MemberId(vec![0xa5; id_len].into()), payload).to_vec();
    member[7] = eighth;
    let old_length = (member.len() - DOUBLE - LENGTH) as u64;
    for (place, byte) in (DOUBLE..).zip(old_length.to_le_bytes()) {
        if place <= id_len {
            member[place] = byte;
        } else if member[place] != byte {
            return None;
        }
    }
    Some(member)
}

/// Read as new, this old member has an empty id, an empty payload and seven trailing bytes.
#[test]
fn exactly_old_wins_over_new_with_trailing_bytes() {
    let member = dlc0([0; 8], b"");
    assert!(Layout::of_bc0lc0(&member).is_ok_and(|new| new.end == 9));

    assert_eq!(parse(&member).unwrap().format, Format::DLc0);
}

/// An empty string can be a member of a sorted set.
#[test]
fn empty_member_is_malformed() {
    assert_malformed(b"", "no id length", 0);
}

/// The first byte announces more bytes than there are.
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

/// However large the payload is, parsing shares the buffer that the connection read.
#[test]
fn parsing_copies_nothing() {
    let member = pack(&MemberId::from([0; 16]), b"payload");
    let packed = Packed::parse(member.clone()).unwrap();

    assert_eq!(packed.payload.as_ptr(), member[25..].as_ptr());
}
