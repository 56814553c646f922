//! What every error owes to those who read it and to those who act on it.

use std::error::Error as _;
use std::io;

use redis::RedisError;

use super::*;

/// An operator reads the chain of messages; a caller asks what may have happened.
#[tokio::test]
async fn every_error_is_well_worded_and_knows_whether_redis_changed() {
    let source = RedisError::from(io::Error::from(io::ErrorKind::ConnectionReset));
    let codec = codec::Error::with_source("payload is no number", "x is no digit");
    let ticket = Ticket::from_bytes(&b"\x01i\x01\0\0\0\0\0\0\0p"[..]).unwrap();
    let step = Step::Claim;
    let errors = [
        (Error::Closed, false),
        (
            Error::Connect {
                server: "127.0.0.1:6379".to_owned(),
                source: source.clone(),
            },
            false,
        ),
        (
            Error::Decode {
                payload: Bytes::new(),
                source: codec.clone(),
            },
            true,
        ),
        (
            Error::DelayTooLong {
                delay: Duration::MAX,
            },
            false,
        ),
        (
            Error::Denied {
                step,
                source: source.clone(),
            },
            false,
        ),
        (
            Error::Element {
                index: 3,
                source: Box::new(Error::Encode {
                    source: codec.clone(),
                }),
            },
            false,
        ),
        (Error::Encode { source: codec }, false),
        (Error::ExpiresBeforeDue, false),
        (
            Error::Lost {
                step,
                source: source.clone(),
            },
            true,
        ),
        (
            Error::Name(NameError::SharesKeys {
                name: "{orders}".to_owned(),
            }),
            false,
        ),
        (Error::Name(NameError::Empty), false),
        (
            Error::Name(NameError::CrossesSlots {
                name: "a{b".to_owned(),
            }),
            false,
        ),
        (
            Error::OfferedInPart {
                stored: vec![ticket.clone()],
                unknown: Vec::new(),
                source: Box::new(Error::Closed),
            },
            true,
        ),
        (
            Error::OutcomeUnknown {
                ticket,
                source: Some(source.clone()),
            },
            true,
        ),
        (
            Error::Unfinished {
                step,
                done: 2,
                source: Box::new(Error::Closed),
            },
            true,
        ),
        (Error::Refused { step, source }, false),
        (
            Error::WrongType {
                step,
                detail: "key a holds a string".to_owned(),
            },
            false,
        ),
    ];
    for (error, may_have_changed) in errors {
        assert_well_worded(&error);
        assert_eq!(
            error.may_have_changed_redis(),
            may_have_changed,
            "{error:?}"
        );
    }
    for step in [
        Step::Cancel,
        Step::Claim,
        Step::Clear,
        Step::Connect,
        Step::Fire,
        Step::GiveBack,
        Step::Offer,
        Step::Read,
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

/// Lower case, no final period, and nothing that the chain of sources says again.
#[track_caller]
pub(super) fn assert_well_worded(error: &Error) {
    let message = error.to_string();
    assert!(message.starts_with(char::is_lowercase), "{message}");
    assert!(!message.ends_with('.'), "{message}");
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        assert!(!message.contains(&text), "{message} contains {text}");
        source = cause.source();
    }
}
