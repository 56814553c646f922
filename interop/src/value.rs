//! VALUE tokens: bytes as the protocol writes them.

use std::iter;

/// Writes `value` as a VALUE token.
pub fn encode(value: impl AsRef<[u8]>) -> String {
    let digits = value
        .as_ref()
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15]);
    let digits = digits.filter_map(|digit| char::from_digit(digit.into(), 16));
    iter::once('x').chain(digits).collect()
}

/// Reads a VALUE token in either of its forms; `None` if it has neither.
pub fn decode(token: &str) -> Option<Vec<u8>> {
    if let Some(text) = token.strip_prefix('=') {
        return Some(text.as_bytes().to_vec());
    }
    let digits: Option<Vec<u32>> = token
        .strip_prefix('x')?
        .chars()
        .map(|c| c.to_digit(16))
        .collect();
    let byte = |pair: &[u32]| u8::try_from(pair.first()? << 4 | pair.get(1)?).ok();
    digits?.chunks(2).map(byte).collect()
}
