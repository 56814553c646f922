//! Members that real Redisson wrote, see `interop/vectors/README.md`.

use bytes::Bytes;
use redisson_delayed_queue::packed::{Format, Packed, pack};
use serde::Deserialize;

const VECTORS: &str = include_str!("../interop/vectors/redisson.jsonl");

/// Every member that Redisson 3.21.1 and later wrote, whatever the codec.
#[test]
fn members_parse_and_pack_again_matches_redisson() {
    let mut members = 0;
    for vector in vectors() {
        let packed = Packed::parse(vector.packed.clone()).unwrap();
        assert_eq!(packed.payload, vector.payload, "{}", vector.id);
        assert_eq!(packed.format, Format::Bc0Lc0, "{}", vector.id);
        assert_eq!(packed.trailing, 0, "{}", vector.id);
        assert_eq!(packed.id.as_bytes().len(), 8, "{}", vector.id);
        assert_eq!(
            pack(&packed.id, &packed.payload),
            vector.packed,
            "{}",
            vector.id
        );
        members += 1;
    }
    assert_eq!(members, 276);
}

/// Every member that Redisson 3.21.0 and earlier left behind must come out whole.
#[test]
fn old_members_parse_matches_redisson() {
    let mut members = 0;
    for vector in vectors() {
        let Some(member) = vector.packed_old else {
            continue;
        };
        let packed = Packed::parse(member).unwrap();
        assert_eq!(packed.payload, vector.payload, "{}", vector.id);
        assert_eq!(packed.format, Format::DLc0, "{}", vector.id);
        assert_eq!(packed.trailing, 0, "{}", vector.id);
        members += 1;
    }
    assert_eq!(members, 40);
}

struct Vector {
    id: String,
    payload: Bytes,
    packed: Bytes,
    packed_old: Option<Bytes>,
}

fn vectors() -> impl Iterator<Item = Vector> {
    #[derive(Deserialize)]
    struct Line {
        id: String,
        payload_hex: String,
        packed_hex: String,
        #[serde(rename = "packed_dLc0_hex")]
        packed_old_hex: Option<String>,
    }

    VECTORS.lines().map(|line| {
        let read: Line = serde_json::from_str(line).expect("line is a vector");
        Vector {
            id: read.id,
            payload: hex(&read.payload_hex),
            packed: hex(&read.packed_hex),
            packed_old: read.packed_old_hex.as_deref().map(hex),
        }
    })
}

fn hex(digits: &str) -> Bytes {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("two hex digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}
