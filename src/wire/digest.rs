//! Digests of payloads, for the names of keys.

use sha1_smol::{Digest, Sha1};

/// A longer payload is digested in parts.
const DIGESTED: usize = 65_536;

/// The SHA-1 of the payload. If the payload has more than 64 KiB, the SHA-1 of its length in
/// decimal digits, its first and its last 32 KiB, so that a large payload costs no time.
pub(super) fn digest(payload: &[u8]) -> Digest {
    let mut digest = Sha1::new();
    if payload.len() > DIGESTED {
        let (first, rest) = payload.split_at(DIGESTED / 2);
        digest.update(payload.len().to_string().as_bytes());
        digest.update(first);
        digest.update(&rest[rest.len() - DIGESTED / 2..]);
    } else {
        digest.update(payload);
    }
    digest.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another version, or another program, must find what this one wrote.
    #[test]
    fn a_digest_is_that_of_every_other_program() {
        let text = digest(b"1").to_string();
        assert_eq!(text, "356a192b7913b04c54574d18c28d46e6395428ab");
        let whole = digest(&[b'x'; DIGESTED]).to_string();
        assert_eq!(whole, Sha1::from([b'x'; DIGESTED]).digest().to_string());
    }

    #[test]
    fn a_large_payload_is_told_by_its_length_its_beginning_and_its_end() {
        let large = vec![0; DIGESTED + 1];
        let longer = vec![0; DIGESTED + 2];
        let (mut begins, mut ends) = (large.clone(), large.clone());
        begins[0] = 1;
        ends[DIGESTED] = 1;
        let digests = [&large, &longer, &begins, &ends].map(|it| digest(it).to_string());
        for (place, one) in digests.iter().enumerate() {
            assert!(!digests[..place].contains(one), "{place}");
        }
    }
}
