//! Offers in every way, and then cancels, moves or replaces what it offered.

use std::{thread, time::Duration};

use rand::{RngExt, seq::IndexedRandom};

use super::{Answer, OTHER, Part, QUEUE};
use crate::ledger::{GONE, MAYBE, MAYBE_GONE, ONCE};

/// A producer and what it remembers.
pub(crate) struct Producer<'a> {
    part: Part<'a>,
    count: usize,
    /// Values and tickets that may be pending.
    pending: Vec<(String, String)>,
    /// A key of its own and what was offered under it last; nothing once that is in doubt.
    key: Option<(String, String)>,
}

/// Prefixes of values: of unlisted ones, and of ones that may expire.
pub(crate) const UNLISTED: &str = "u";
pub(crate) const EXPIRING: &str = "x";
const LISTED: &str = "l";

impl<'a> Producer<'a> {
    pub(crate) fn new(part: Part<'a>) -> Self {
        Self {
            part,
            count: 0,
            pending: Vec::new(),
            key: None,
        }
    }

    /// Offers until all is done, and no faster than elements are taken.
    pub(crate) fn run(mut self) {
        while !self.part.is_done() {
            if self.part.ledger.open() > BACKLOG {
                thread::sleep(Duration::from_millis(2));
            }
            match self.part.random.random_range(0..18) {
                0..3 => self.offer(),
                3 => self.offer_all(),
                4 => self.offer_unique(),
                5..7 => self.offer_keyed(),
                7 => self.offer_expiring(),
                8 => self.replace(),
                9 => self.cancel(),
                10 => self.cancel_all(),
                11 => self.remove(),
                12 => self.remove_all(),
                13..15 => self.reschedule(),
                15..17 => self.put(),
                _ => self.remove_from_target(),
            }
        }
    }

    /// A new value, and the handle for it.
    fn value(&mut self) -> (String, String) {
        let kind = [LISTED, LISTED, UNLISTED].choose(&mut self.part.random);
        let kind = *kind.expect("there are some");
        let value = self.value_of(kind);
        let handle = handle(&value);
        (value, handle)
    }

    fn value_of(&mut self, kind: &str) -> String {
        self.count += 1;
        format!("{kind}{}-{}", self.part.number, self.count)
    }

    fn delay(&mut self) -> u64 {
        match self.part.random.random_range(0..10) {
            0 => 3_000,
            1..3 => 0,
            _ => self.part.random.random_range(0..400),
        }
    }

    /// Notes the outcome of an offer; `at` is the place of the ticket in the answer.
    fn offered(&mut self, value: String, answer: Answer, at: usize) {
        match answer {
            Answer::Tokens(tokens, _) => {
                self.part.ledger.note(&value, ONCE);
                if let Some(ticket) = tokens.get(at) {
                    self.pending.push((value, ticket.clone()));
                }
            }
            Answer::Unknown => self.part.ledger.note(&value, MAYBE),
            Answer::Nothing => {}
        }
    }

    fn offer(&mut self) {
        let ((value, handle), delay) = (self.value(), self.delay());
        let call = match self.part.random.random_range(0..3) {
            0 => format!("offer_at {handle} {delay} {value}"),
            1 => format!("offer_expiring {handle} {delay} 3600000 {value}"),
            _ => format!("offer {handle} {delay} {value}"),
        };
        let answer = self.part.call(&call);
        self.offered(value, answer, 0);
    }

    fn offer_all(&mut self) {
        let kind = *[LISTED, UNLISTED]
            .choose(&mut self.part.random)
            .expect("two");
        let values: Vec<String> = (0..5).map(|_| self.value_of(kind)).collect();
        let (handle, delay) = (handle(&values[0]), self.delay());
        match self
            .part
            .call(&format!("offer_all {handle} {delay} {}", values.join(" ")))
        {
            Answer::Tokens(tokens, _) => {
                for (value, ticket) in values.into_iter().zip(tokens.into_iter().skip(1)) {
                    self.part.ledger.note(&value, ONCE);
                    self.pending.push((value, ticket));
                }
            }
            Answer::Unknown => values
                .iter()
                .for_each(|it| self.part.ledger.note(it, MAYBE)),
            Answer::Nothing => {}
        }
    }

    /// Twice the same value: the second call may find the first pending.
    fn offer_unique(&mut self) {
        let (value, handle) = self.value();
        for if_pending in ["keep", "replace", "keep"] {
            let delay = self.delay();
            let call = format!("offer_unique {handle} {delay} {if_pending} {value}");
            match self.part.call(&call) {
                Answer::Tokens(tokens, _) if tokens[0] == "offered" => {
                    self.part.ledger.note(&value, ONCE);
                }
                Answer::Tokens(..) | Answer::Nothing => {}
                Answer::Unknown => return self.part.ledger.note(&value, MAYBE),
            }
        }
    }

    fn offer_keyed(&mut self) {
        let ((value, handle), delay) = (self.value(), self.delay());
        let (key, before) = match self.key.take() {
            Some((key, before)) => (key, Some(before)),
            None => (value.clone(), None),
        };
        let replace = self.part.random.random_bool(0.8);
        let if_pending = if replace { "replace" } else { "keep" };
        let call = format!("offer_keyed {handle} {key} {delay} {if_pending} {value}");
        match self.part.call(&call) {
            Answer::Tokens(tokens, _) => {
                self.part.ledger.note(
                    &value,
                    match &*tokens[0] {
                        "kept" => Default::default(),
                        _ => ONCE,
                    },
                );
                let pending = match (&*tokens[0], before) {
                    ("kept", Some(before)) => before,
                    ("replaced", Some(before)) => {
                        self.part.ledger.note(&before, GONE);
                        value
                    }
                    ("offered", _) => value,
                    // Nobody else knows the key.
                    (answer, before) => {
                        let failure = format!("offer_keyed answered {answer}, before {before:?}");
                        return self.part.fleet.complain(failure);
                    }
                };
                self.key = Some((key, pending));
            }
            Answer::Nothing => self.key = before.map(|before| (key, before)),
            Answer::Unknown => {
                self.part.ledger.note(&value, MAYBE);
                if let Some(before) = before {
                    self.part.ledger.note(&before, MAYBE_GONE);
                }
            }
        }
    }

    /// An element that may expire before somebody moves it.
    fn offer_expiring(&mut self) {
        let (value, delay) = (self.value_of(EXPIRING), self.delay() + 50);
        let call = format!("offer_expiring {QUEUE} {delay} {} {value}", delay + 2);
        // Refused if the clock passes the time on the way.
        if let Answer::Tokens(..) | Answer::Unknown = self.part.call(&call) {
            self.part.ledger.note(&value, MAYBE);
        }
    }

    fn replace(&mut self) {
        let Some((value, _)) = self.pending.pop() else {
            return;
        };
        let delay = self.delay();
        match self
            .part
            .call(&format!("replace {} {delay} {value}", handle(&value)))
        {
            Answer::Tokens(tokens, _) if tokens[0] == "offered" => {
                self.part.ledger.note(&value, ONCE);
                self.pending.push((value, tokens[1].clone()));
            }
            Answer::Tokens(tokens, _) => self.pending.push((value, tokens[1].clone())),
            Answer::Unknown => self.part.ledger.note(&value, MAYBE),
            Answer::Nothing => {}
        }
    }

    fn cancel(&mut self) {
        if let Some((value, ticket)) = self.pending.pop() {
            let answer = self.part.call(&format!("cancel {QUEUE} {ticket}"));
            self.removed(&[value], answer);
        }
    }

    fn cancel_all(&mut self) {
        let some = self.pending.split_off(self.pending.len().saturating_sub(3));
        let (values, tickets): (Vec<String>, Vec<String>) = some.into_iter().unzip();
        if !values.is_empty() {
            let answer = self
                .part
                .call(&format!("cancel_all {QUEUE} {}", tickets.join(" ")));
            self.removed(&values, answer);
        }
    }

    fn remove(&mut self) {
        if let Some((value, _)) = self.pending.pop() {
            let answer = self
                .part
                .call(&format!("remove {} {value}", handle(&value)));
            self.removed(&[value], answer);
        }
    }

    fn remove_all(&mut self) {
        let listed = |(value, _): &mut (String, String)| value.starts_with(LISTED);
        let values: Vec<String> = self.pending.extract_if(.., listed).map(|it| it.0).collect();
        let values = &values[values.len().saturating_sub(3)..];
        if !values.is_empty() {
            let answer = self
                .part
                .call(&format!("remove_all {QUEUE} {}", values.join(" ")));
            self.removed(values, answer);
        }
    }

    fn remove_from_target(&mut self) {
        let Some((value, _)) = self.pending.pop() else {
            return;
        };
        let call = match self.part.random.random_range(0..3) {
            0 => format!("target.remove {QUEUE} {value} 1"),
            1 => format!("target.remove_all {QUEUE} {value}"),
            _ => format!("target.remove_last_occurrence {QUEUE} {value}"),
        };
        let answer = self.part.call(&call);
        self.removed(&[value], answer);
    }

    /// Notes the answer to a removal of these values. It says whether or how many were removed, but
    /// not which.
    fn removed(&mut self, values: &[String], answer: Answer) {
        let due = match answer {
            Answer::Tokens(tokens, _) => match &*tokens[0] {
                "false" | "0" => return,
                "true" => GONE,
                count if count.parse() == Ok(values.len()) => GONE,
                _ => MAYBE_GONE,
            },
            Answer::Unknown => MAYBE_GONE,
            Answer::Nothing => return,
        };
        for value in values {
            self.part.ledger.note(value, due);
        }
    }

    fn reschedule(&mut self) {
        let Some((_, ticket)) = self.pending.choose(&mut self.part.random) else {
            return;
        };
        let ticket = ticket.clone();
        let delay = self.delay();
        let call = match self.part.random.random_range(0..3) {
            0 => format!("promote {QUEUE} {ticket}"),
            1 => format!("reschedule {QUEUE} {ticket} {delay}"),
            _ => format!("reschedule_at {QUEUE} {ticket} {delay}"),
        };
        self.part.call(&call);
    }

    /// Offers without a delay.
    fn put(&mut self) {
        let queue = *[QUEUE, OTHER].choose(&mut self.part.random).expect("two");
        let value = self.value_of(LISTED);
        let calls = ["offer", "offer_first", "add_all", "add_all_first"];
        let if_exists = ["add_first_if_exists", "add_last_if_exists"];
        let call = *[&calls[..], &if_exists]
            .concat()
            .choose(&mut self.part.random)
            .expect("some");
        match self.part.call(&format!("target.{call} {queue} {value}")) {
            Answer::Tokens(tokens, _) if if_exists.contains(&call) && tokens == ["0"] => {}
            answer => self.offered(value, answer, usize::MAX),
        }
    }
}

/// The handle of the queue for a value.
fn handle(value: &str) -> String {
    match value.starts_with(UNLISTED) {
        true => format!("{QUEUE}/unlisted"),
        false => QUEUE.to_owned(),
    }
}

/// How many elements may be under way.
const BACKLOG: i64 = 2_000;
