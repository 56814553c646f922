//! Which shard a key belongs to: the one whose name scores highest with the key.
//!
//! `docs/sharded.md` has the same function in Java.

/// `java.util.zip.CRC32`.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0xEDB8_8320;
    let shift = |crc: u32, _| (crc >> 1) ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 };
    let add = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), shift);
    !bytes.iter().fold(!0, add)
}

/// The score of a name with a key, from the CRC-32 of each.
///
/// A CRC alone is too regular: the bits of two CRCs differ alike whatever the key. The steps of
/// SplitMix64 mix them. They map no two numbers to one, so two names with different CRCs never have
/// the same score.
pub(super) fn score(name: u32, key: u32) -> i64 {
    let mut mixed = (u64::from(key) << 32) | u64::from(name);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of CRC-32/ISO-HDLC, and bytes above 127.
    #[test]
    fn the_crc_is_that_of_java_util_zip() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32("Bestellung Ü".as_bytes()), 0xDDAF_B802);
    }
}
