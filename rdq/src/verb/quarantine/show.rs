//! `rdq quarantine show`

use bytes::Bytes;
use clap::Args;

use super::find;
use super::row::{Row, due};
use crate::failure::Result;
use crate::payload::Payloads;
use crate::payload::digest::hex_dump;
use crate::screen::number::count_of;
use crate::session::Session;

/// Show one member byte by byte, and what could be its payload.
///
/// Redis: as `ls`.
#[derive(Args, Debug)]
pub(super) struct Show {
    /// The queue's name in Redis.
    queue: String,
    /// The member's name in `ls`, or its beginning.
    member: String,
    /// The most bytes to show.
    #[arg(long, default_value_t = 4_096)]
    bytes: usize,
}

impl Show {
    pub(super) async fn run(&self, session: &Session) -> Result {
        let member = find(session, &self.queue, &self.member).await?;
        let row = Row::of(&member);
        if session.screen.is_json() {
            return session.screen.say("", &row);
        }
        let payloads = session.payloads(&self.queue)?;
        let mut lines = vec![
            format!(
                "member {}, {}, due {}",
                row.member.member,
                count_of(row.member.size as u64, "byte", "bytes"),
                due(row.member.due_ms)
            ),
            hex_dump(member.bytes(), self.bytes),
        ];
        match member.fault() {
            None => lines.push("can be read: release makes it pending again".to_owned()),
            Some(fault) => {
                lines.push(fault.to_string());
                let places = [("--as-payload".to_owned(), 0)].into_iter();
                let cut = (fault.offset > 0).then_some(fault.offset);
                let places = places.chain(cut.map(|it| (format!("--from {it}"), it)));
                let seen = places.filter_map(|(option, place)| {
                    let value = value_from(&payloads, member.bytes(), place)?;
                    Some(format!("release {option} would deliver: {value}"))
                });
                lines.extend(seen);
            }
        }
        session.screen.say(&lines.join("\n"), &row)
    }
}

/// The value in these bytes from a place on. None if there is none.
fn value_from(payloads: &Payloads, bytes: &Bytes, place: usize) -> Option<String> {
    let payload = bytes.slice(place.min(bytes.len())..);
    let value = payloads.show(&payload).ok()?;
    Some(value.get().to_owned())
}
