//! Times as keys of maps: their `toString`.

use super::iso;
use crate::jackson::tape::Token;
use crate::java::{LocalDateTime, LocalTime, Mismatch, OffsetDateTime, Temporal, zone};

pub(in crate::jackson) fn write(time: &Temporal) -> Result<String, Mismatch> {
    Ok(match time {
        Temporal::LocalDateTime(it) => local_date_time(it),
        Temporal::LocalTime(it) => local_time(it),
        Temporal::OffsetDateTime(OffsetDateTime { local, offset }) => {
            local_date_time(local) + &zone::id(*offset)
        }
        Temporal::Year(it) => it.to_string(),
        // Jackson writes a zoned time with its offset, as it writes the value.
        other => match iso::write(other)? {
            Token::String(text) => text.into_owned(),
            token => return Err(Mismatch::unknown("a time with a text", token.kind())),
        },
    })
}

fn local_date_time(at: &LocalDateTime) -> String {
    format!("{}T{}", iso::local_date(&at.date), local_time(&at.time))
}

/// Seconds stand there only if they or the fraction are not zero. The fraction has three, six or
/// nine digits.
fn local_time(time: &LocalTime) -> String {
    let minutes = format!("{:02}:{:02}", time.hour, time.minute);
    match (time.second, time.nano) {
        (0, 0) => minutes,
        (second, nano) => format!("{minutes}:{second:02}{}", iso::thousands(nano)),
    }
}
