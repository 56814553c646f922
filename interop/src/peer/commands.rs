//! The commands of the protocol as methods. Each writes a line and reads the reply that it expects.

use std::{any, str::FromStr, sync::mpsc, time::Duration};

use super::{Peer, Reply, Taken};
use crate::value;

impl Peer {
    /// Opens a delayed queue under `handle`; the peer now transfers for it.
    pub fn open(&mut self, handle: &str, name: &str, codec: &str) {
        self.done(&format!("open {handle} {} {codec}", spelt(name)));
    }

    /// Opens a delayed queue without transferring for it; a peer that does so already goes on.
    pub fn open_offering(&mut self, handle: &str, name: &str, codec: &str) {
        self.done(&format!("open-offering {handle} {} {codec}", spelt(name)));
    }

    /// Opens only the queue that elements arrive in; the peer does not transfer for it.
    pub fn open_target(&mut self, handle: &str, name: &str, codec: &str) {
        self.done(&format!("open-target {handle} {} {codec}", spelt(name)));
    }

    /// Offers one value.
    pub fn offer(&mut self, handle: &str, delay: Duration, value: impl AsRef<[u8]>) {
        let value = value::encode(value);
        self.done(&format!("offer {handle} {} {value}", delay.as_millis()));
    }

    /// Offers `prefix-0` to `prefix-(count - 1)` with random delays of at most `max_delay`.
    pub fn offer_many(
        &mut self,
        handle: &str,
        count: usize,
        max_delay: Duration,
        prefix: &str,
        seed: i64,
    ) {
        let max_delay = max_delay.as_millis();
        self.done(&format!(
            "offer-many {handle} {count} {max_delay} {prefix} {seed}"
        ));
    }

    /// Waits for one value, as long as the deadline of the reply lets it.
    pub fn take(&mut self, handle: &str) -> Taken {
        taken(&self.ok(&format!("take {handle}")), ' ')
    }

    /// Takes one value if one comes in time. Redisson truncates `timeout` to whole seconds.
    pub fn poll(&mut self, handle: &str, timeout: Duration) -> Option<Taken> {
        let reply = self.ok_or_nil(&format!("poll {handle} {}", timeout.as_millis()));
        reply.map(|reply| taken(&reply, ' '))
    }

    /// Takes values until none came for `idle`. Redisson truncates that to whole seconds.
    pub fn drain(&mut self, handle: &str, idle: Duration) -> Vec<Taken> {
        let reply = self.ok(&format!("drain {handle} {}", idle.as_millis()));
        listed(&reply, |token| taken(token, ':'))
    }

    /// Removes the first delayed element with this value; says whether there was one.
    pub fn remove(&mut self, handle: &str, value: impl AsRef<[u8]>) -> bool {
        parsed(&self.ok(&format!("remove {handle} {}", value::encode(value))))
    }

    /// True if a delayed element has this value.
    pub fn contains(&mut self, handle: &str, value: impl AsRef<[u8]>) -> bool {
        parsed(&self.ok(&format!("contains {handle} {}", value::encode(value))))
    }

    /// The number of delayed elements.
    pub fn size(&mut self, handle: &str) -> usize {
        parsed(&self.ok(&format!("size {handle}")))
    }

    /// All delayed elements in offer order.
    pub fn read_all(&mut self, handle: &str) -> Vec<Vec<u8>> {
        listed(&self.ok(&format!("read-all {handle}")), decoded)
    }

    /// The delayed element that was offered first.
    pub fn peek(&mut self, handle: &str) -> Option<Vec<u8>> {
        self.ok_or_nil(&format!("peek {handle}"))
            .map(|token| decoded(&token))
    }

    /// Has a Java peer offer an object of its own: `object` is `@` and the id of a named value, or
    /// the canonical JSON of an order.
    pub fn offer_object(&mut self, handle: &str, delay: Duration, object: &str) {
        let object = spaceless(object);
        self.done(&format!("offer {handle} {} {object}", delay.as_millis()));
    }

    /// As [`remove`](Self::remove), with an object as in [`offer_object`](Self::offer_object).
    pub fn remove_object(&mut self, handle: &str, object: &str) -> bool {
        parsed(&self.ok(&format!("remove {handle} {}", spaceless(object))))
    }

    /// As [`contains`](Self::contains), with an object as in [`offer_object`](Self::offer_object).
    pub fn contains_object(&mut self, handle: &str, object: &str) -> bool {
        parsed(&self.ok(&format!("contains {handle} {}", spaceless(object))))
    }

    /// Removes all delayed elements.
    pub fn clear(&mut self, handle: &str) {
        self.done(&format!("clear {handle}"));
    }

    /// The number of elements that arrived and were not taken.
    pub fn target_size(&mut self, handle: &str) -> usize {
        parsed(&self.ok(&format!("target-size {handle}")))
    }

    /// Puts a value where elements arrive, without a delay.
    pub fn target_offer(&mut self, handle: &str, value: impl AsRef<[u8]>) {
        self.done(&format!("target-offer {handle} {}", value::encode(value)));
    }

    /// Stops the transfer of a Java peer for this queue; elements stay. A Rust peer refuses.
    pub fn destroy(&mut self, handle: &str) {
        self.done(&format!("destroy {handle}"));
    }

    /// Which of `names` has the key in a sharded queue.
    pub fn shard(&mut self, key: impl AsRef<[u8]>, names: &[&str]) -> String {
        self.ok(&format!("shard {} {}", value::encode(key), names.join(" ")))
    }

    /// Shuts the peer down in good order.
    pub fn exit(mut self) {
        self.done("exit");
        // Its stdout ends with the peer and, unlike a process, can be awaited with a deadline.
        if self.replies.recv_timeout(self.deadline) != Err(mpsc::RecvTimeoutError::Disconnected) {
            self.fail("goes on after exit");
        }
        let status = self.process.wait().expect("a child can be waited for");
        assert!(status.success(), "{} ended with {status}", self.name);
    }

    fn done(&mut self, line: &str) {
        let rest = self.ok(line);
        assert_eq!(rest, "", "{} replied to {line:?}", self.name);
    }

    fn ok(&mut self, line: &str) -> String {
        match self.send(line) {
            Reply::Ok(rest) => rest,
            other => self.fail(&format!("replied {other:?} to {line:?}")),
        }
    }

    fn ok_or_nil(&mut self, line: &str) -> Option<String> {
        match self.send(line) {
            Reply::Ok(rest) => Some(rest),
            Reply::Nil => None,
            Reply::Err(message) => self.fail(&format!("replied an error to {line:?}: {message}")),
        }
    }
}

/// A name as one token.
fn spelt(name: &str) -> String {
    name.replace(' ', "%20")
}

/// Compact JSON has spaces only in its texts, where they can be escaped.
fn spaceless(json: &str) -> String {
    json.replace(' ', "\\u0020")
}

fn decoded(token: &str) -> Vec<u8> {
    value::decode(token).unwrap_or_else(|| panic!("not a VALUE: {token:?}"))
}

fn taken(token: &str, separator: char) -> Taken {
    let (micros, rest) = token
        .split_once(separator)
        .unwrap_or_else(|| panic!("not timed: {token:?}"));
    Taken {
        micros: parsed(micros),
        value: decoded(rest),
    }
}

fn parsed<T: FromStr>(text: &str) -> T {
    text.parse()
        .unwrap_or_else(|_| panic!("not a {}: {text:?}", any::type_name::<T>()))
}

/// Reads the tokens after the count that `drain` and `read-all` start with.
fn listed<T>(reply: &str, item: impl Fn(&str) -> T) -> Vec<T> {
    let (count, tokens) = reply.split_once(' ').unwrap_or((reply, ""));
    let items: Vec<T> = tokens.split_terminator(' ').map(item).collect();
    assert_eq!(items.len(), parsed::<usize>(count), "count of {reply:?}");
    items
}
