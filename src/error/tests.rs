use std::fmt::Debug;

use bytes::Bytes;

use super::*;
use crate::event::Event;
use crate::offered::Outcome;
use crate::wire::packed::Packed;

const MEMBER: &[u8] = b"\x01i\x06\0\0\0\0\0\0\0SECRET";

fn ticket() -> Ticket {
    Ticket::from_bytes(MEMBER).unwrap()
}

fn offered() -> Offered {
    Offered {
        ticket: ticket(),
        outcome: Outcome::Added,
    }
}

/// Fails if this shows the payload: as a text, in hex, in Base64, or as numbers.
fn assert_private(shown: &impl Debug) {
    for text in [format!("{shown:?}"), format!("{shown:#?}")] {
        let text: String = text.split_whitespace().collect();
        for payload in ["SECRET", "534543524554", "U0VDUkVU", "83,69,67"] {
            assert!(!text.contains(payload), "{text}");
        }
    }
}

/// Every variant that has bytes or tickets. Programs log `?error`, and a payload is a customer's.
#[test]
fn no_error_shows_a_payload() {
    let source = || Box::new(Error::Closed);
    let (server, queue) = ("redis:6379".to_owned(), Some("orders".to_owned()));
    let decode = Error::Decode {
        payload: Bytes::from("SECRET").into(),
        reason: codec::Error::new("payload is no number"),
    };
    let text = format!("{decode:?}");
    assert!(text.contains("payload: 6 bytes"), "{text}");
    assert!(text.contains("payload is no number"), "{text}");
    let errors = [
        Error::Unfinished {
            step: Step::Claim,
            done: 1,
            source: Box::new(decode.clone()),
        },
        decode,
        Error::NotDurable {
            server: server.clone(),
            queue: queue.clone(),
            offered: Box::new(offered()),
            wanted: Durability::Master,
            got: Acknowledged::default(),
            source: None,
        },
        Error::OfferedInPart {
            offered: BTreeMap::from([(0, offered())]),
            unknown: BTreeMap::from([(1, ticket())]),
            source: source(),
        },
        Error::OutcomeUnknown {
            server,
            queue,
            ticket: ticket(),
            source: None,
        },
        Error::ShardsOfferedInPart {
            offered: BTreeMap::new(),
            unknown: BTreeMap::from([(1, ShardTicket::new("orders:1", ticket()))]),
            source: source(),
        },
    ];
    for error in errors {
        assert_private(&error);
    }
}

#[test]
fn no_event_and_no_member_shows_a_payload() {
    let members = vec![Bytes::from("SECRET").into()];
    let queue = "orders".to_owned();
    assert_private(&Event::Quarantined {
        queue: queue.clone(),
        count: 1,
        dropped: 0,
        members,
    });
    let ticket = ticket();
    assert_private(&Event::Expired { queue, ticket });
    assert_private(&Packed::parse(Bytes::from_static(MEMBER)).unwrap());
}

/// As in a program that reads tickets from elsewhere.
#[test]
fn a_text_that_is_no_ticket_becomes_an_error_by_a_question_mark() {
    fn read(text: &str) -> Result<Ticket> {
        Ok(text.parse::<Ticket>()?)
    }
    let error = read("not a ticket").unwrap_err();
    assert!(matches!(error, Error::Ticket(_)), "{error:?}");
    assert!(!error.may_have_changed_redis());
    assert_eq!(error.to_string(), "text is not base64url without padding");
}

/// A service that tries again must not do so for ever.
#[test]
fn redis_says_by_a_code_whether_to_try_again() {
    let refused = |answer: &str| {
        let reply = redis::parse_redis_value(format!("-{answer}\r\n").as_bytes()).unwrap();
        let error = reply.extract_error().unwrap_err();
        Error::Refused {
            server: "127.0.0.1:6379".to_owned(),
            queue: None,
            step: Step::Offer,
            source: Cause::of(error),
        }
    };
    for answer in [
        "BUSY Redis is busy running a script",
        "CLUSTERDOWN The cluster is down",
        "LOADING Redis is loading the dataset in memory",
        "MASTERDOWN Link with MASTER is down",
        "NOREPLICAS Not enough good replicas to write",
        "OOM command not allowed when used memory > 'maxmemory'",
        "READONLY You can't write against a read only replica",
        "TRYAGAIN Multiple keys request during rehashing of slot",
    ] {
        assert!(refused(answer).is_transient(), "{answer}");
    }
    for answer in [
        "ERR unknown command 'EVALSHA'",
        "CROSSSLOT Keys in request don't hash to the same slot",
        "MISCONF Redis is configured to save RDB snapshots, but is unable to persist to disk",
    ] {
        assert!(!refused(answer).is_transient(), "{answer}");
    }
    let later = Error::OfferedInPart {
        offered: BTreeMap::new(),
        unknown: BTreeMap::new(),
        source: Box::new(refused("LOADING")),
    };
    assert!(later.is_transient());
}
