//! What every error owes to those who read it and to those who act on it.

use std::error::Error as _;
use std::io;

use redisson_delayed_queue::{Cause, MAX_PAYLOAD, ShardError};

use super::*;

/// An operator reads the chain of messages; a caller asks what may have happened.
#[tokio::test]
async fn every_error_is_well_worded_and_knows_whether_redis_changed_and_may_do_it_later() {
    let source = Cause::from(io::Error::from(io::ErrorKind::ConnectionReset));
    let (server, queue) = ("127.0.0.1:6379".to_owned(), Some("orders".to_owned()));
    let codec = codec::Error::with_source("payload is no number", "x is no digit");
    let ticket = Ticket::from_bytes(&b"\x01i\x01\0\0\0\0\0\0\0p"[..]).unwrap();
    let step = Step::Claim;
    let errors = [
        (
            Error::ClientName {
                name: "orders service".to_owned(),
            },
            (false, false),
        ),
        (Error::Closed, (false, false)),
        (
            Error::Connect {
                server: server.clone(),
                source: source.clone(),
            },
            (false, true),
        ),
        (
            Error::Decode {
                payload: Bytes::new().into(),
                reason: codec.clone(),
            },
            (true, false),
        ),
        (
            Error::DelayTooLong {
                delay: Duration::MAX,
            },
            (false, false),
        ),
        (
            Error::Denied {
                server: server.clone(),
                queue: queue.clone(),
                step,
                source: source.clone(),
            },
            (false, false),
        ),
        (
            Error::Element {
                index: 3,
                source: Box::new(Error::Encode {
                    reason: codec.clone(),
                }),
            },
            (false, false),
        ),
        (Error::Encode { reason: codec }, (false, false)),
        (Error::ExpiresBeforeDue, (false, false)),
        (
            Error::Late {
                queue: queue.clone(),
            },
            (false, false),
        ),
        (
            Error::Lost {
                server: server.clone(),
                queue: queue.clone(),
                step,
                source: source.clone(),
            },
            (true, true),
        ),
        (
            Error::Name(NameError::SharesKeys {
                name: "{orders}".to_owned(),
            }),
            (false, false),
        ),
        (Error::Name(NameError::Empty), (false, false)),
        (
            Error::Name(NameError::CrossesSlots {
                name: "a{b".to_owned(),
            }),
            (false, false),
        ),
        (
            Error::OfferedInPart {
                offered: BTreeMap::new(),
                unknown: BTreeMap::from([(0, ticket.clone())]),
                source: Box::new(Error::Closed),
            },
            (true, false),
        ),
        (
            Error::OutcomeUnknown {
                server: server.clone(),
                queue: None,
                ticket,
                source: Some(source.clone()),
            },
            (true, true),
        ),
        (
            Error::Unfinished {
                step,
                done: 2,
                source: Box::new(Error::Closed),
            },
            (true, false),
        ),
        (
            Error::Refused {
                server: server.clone(),
                queue: queue.clone(),
                step,
                source: source.clone(),
            },
            (false, true),
        ),
        (
            Error::Settings {
                reason: "the list of servers is empty".to_owned(),
                source: Some(source),
            },
            (false, false),
        ),
        (
            Error::from("no ticket".parse::<Ticket>().unwrap_err()),
            (false, false),
        ),
        (
            Error::from("AAAA".parse::<Ticket>().unwrap_err()),
            (false, false),
        ),
        (
            Error::TooLate {
                server: server.clone(),
                queue: queue.clone(),
            },
            (false, true),
        ),
        (
            Error::TooLarge {
                size: usize::MAX,
                limit: MAX_PAYLOAD,
            },
            (false, false),
        ),
        (
            Error::Shard(ShardError::Braces {
                base: "{orders}".to_owned(),
            }),
            (false, false),
        ),
        (
            Error::ShardsOfferedInPart {
                offered: BTreeMap::new(),
                unknown: BTreeMap::new(),
                source: Box::new(Error::Closed),
            },
            (true, false),
        ),
        (
            Error::WrongType {
                server: server.clone(),
                queue: queue.clone(),
                step,
                detail: "key a holds a string".to_owned(),
            },
            (false, false),
        ),
    ];
    for (error, expected) in errors {
        assert_well_worded(&error);
        let known = (error.may_have_changed_redis(), error.is_transient());
        assert_eq!(known, expected, "{error:?}");
    }
    for step in [
        Step::Cancel,
        Step::Claim,
        Step::Clear,
        Step::Command,
        Step::Conclude,
        Step::Connect,
        Step::Copy,
        Step::Delete,
        Step::EndLeases,
        Step::Expire,
        Step::Fire,
        Step::GiveBack,
        Step::Limit,
        Step::Move,
        Step::Offer,
        Step::Pause,
        Step::PollPending,
        Step::Promote,
        Step::Read,
        Step::Relay,
        Step::Remove,
        Step::Rename,
        Step::Reschedule,
        Step::Schedule,
        Step::Subscribe,
        Step::Transfer,
        Step::Unschedule,
    ] {
        assert_eq!(step.to_string(), step.to_string().to_lowercase());
    }
}

/// What the parser of cron patterns says is worded otherwise.
#[cfg(feature = "periodic")]
#[test]
fn every_refusal_of_a_schedule_is_well_worded_and_nothing_was_sent() {
    use redisson_delayed_queue::{Schedule, ScheduleError};

    let daily = Schedule::cron("@daily").unwrap();
    let never = ScheduleError::Never {
        schedule: daily.to_string(),
    };
    for refusal in [
        Err(never),
        Schedule::cron(""),
        Schedule::cron("61 * * * * *"),
        Schedule::cron("* * *"),
        daily.in_zone("Europe/Atlantis"),
        Schedule::every(Duration::ZERO),
        Schedule::every(Duration::MAX),
    ] {
        assert_harmless(&Error::from(refusal.unwrap_err()));
    }
}

/// As [`assert_well_worded`], and that the error excludes any change.
#[track_caller]
pub(super) fn assert_harmless(error: &Error) {
    assert_well_worded(error);
    assert!(!error.may_have_changed_redis(), "{error:?}");
}

/// Lower case, no final period; each level of the chain of sources on one line, and nothing said
/// twice.
#[track_caller]
pub(super) fn assert_well_worded(error: &Error) {
    let message = error.to_string();
    assert!(!message.starts_with(char::is_uppercase), "{message}");
    assert!(!message.ends_with('.'), "{message}");
    let mut levels = vec![message];
    let mut source = error.source();
    while let Some(cause) = source {
        levels.push(cause.to_string());
        source = cause.source();
    }
    for (place, level) in levels.iter().enumerate() {
        assert!(!level.contains(char::is_control), "{levels:?}");
        for below in &levels[place + 1..] {
            assert!(!level.contains(below), "{levels:?}");
        }
    }
}
