//! Lengths of time that must not be zero.

use std::time::Duration;

/// Reads a time between two looks: without a rest, they would keep Redis busy.
pub(crate) fn positive(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(Duration::ZERO) => Err("more than 0".to_owned()),
        Ok(length) => Ok(length),
        Err(error) => Err(error.to_string()),
    }
}
