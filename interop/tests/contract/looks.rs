//! What is not yet due, as both languages see and change it.

use std::time::Duration;

use interop::keyspace::keys;
use testbed::eventually;

use crate::stage::{Language, Stage};
use Language::{Java, Rust};

/// Both languages offer, remove and clear; after every step both see what a plain list would hold.
pub(crate) fn agree(version: &'static str) {
    agree_when_offered_by(version, [Java, Rust]);
}

/// The same with other producers: the languages that offer in turn.
pub(crate) fn agree_when_offered_by(version: &'static str, producers: [Language; 2]) {
    let mut stage = Stage::new(version);
    for (codec, values) in VALUES {
        let name = format!("looks-{codec}");
        for language in [Rust, Java] {
            stage.peer(language).open_offering(&name, &name, codec);
        }
        let mut script = Script {
            stage: &mut stage,
            name,
            values,
            scheduled: Vec::new(),
        };
        script.run(producers);
    }
}

/// One queue and what should be in it.
struct Script<'a> {
    stage: &'a mut Stage,
    name: String,
    values: [&'static [u8]; 4],
    scheduled: Vec<&'static [u8]>,
}

impl Script<'_> {
    fn run(&mut self, [first, second]: [Language; 2]) {
        let [a, b, c, d] = self.values;
        self.check("nothing was offered");
        self.offer(first, a);
        self.offer(second, b);
        self.offer(first, c);
        // Equal values of both languages, so that a removal has to find the older one.
        self.offer(second, a);
        self.offer(first, b);

        // Each language removes what the other offered, and what it offered itself.
        self.remove(Rust, a, true);
        self.remove(Java, b, true);
        self.remove(Java, a, true);
        self.remove(Rust, a, false);
        self.remove(Java, a, false);
        self.remove(Rust, d, false);
        self.remove(Rust, b, true);

        self.offer(second, d);
        self.clear(Java);
        self.remove(Rust, c, false);
        self.offer(first, c);
        self.offer(second, d);
        self.clear(Rust);
        self.remove(Java, d, false);

        // What is due has left the delayed queue for both, and can no longer be removed.
        self.offer(first, b);
        self.move_soon(second, a);
        self.remove(Rust, a, false);
        self.remove(Java, a, false);
        self.clear(Java);
    }

    fn offer(&mut self, language: Language, value: &'static [u8]) {
        self.stage.peer(language).offer(&self.name, LONG, value);
        self.scheduled.push(value);
        self.check(&format!(
            "{language:?} offered \"{}\"",
            value.escape_ascii()
        ));
    }

    fn remove(&mut self, language: Language, value: &'static [u8], expected: bool) {
        let removed = self.stage.peer(language).remove(&self.name, value);
        let what = format!("{language:?} removed \"{}\"", value.escape_ascii());
        assert_eq!(removed, expected, "{}", self.after(&what));
        let oldest = self.scheduled.iter().position(|it| *it == value);
        if let Some(oldest) = oldest {
            self.scheduled.remove(oldest);
        }
        self.check(&what);
    }

    fn clear(&mut self, language: Language) {
        self.stage.peer(language).clear(&self.name);
        self.scheduled.clear();
        self.check(&format!("{language:?} cleared"));
    }

    /// Offers without a delay, lets a Rust process transfer, and takes the element away.
    fn move_soon(&mut self, language: Language, value: &'static [u8]) {
        let (stage, name) = (&mut self.stage, &self.name);
        stage.peer(language).offer(name, Duration::ZERO, value);
        stage.rust.open("mover", name, "bytes");
        eventually(
            &format!("{}: {name}: what was due moved", stage.version),
            || stage.rust.target_size(name) == 1,
        );
        assert_eq!(stage.java.target_size(name), 1, "{}: {name}", stage.version);
        self.check(&format!("what {language:?} offered was moved"));
    }

    /// Compares both languages and the raw keys with the list.
    fn check(&mut self, step: &str) {
        let what = self.after(step);
        let (stage, name) = (&mut self.stage, &self.name);
        for language in [Rust, Java] {
            let what = format!("{what}, seen by {language:?}");
            let peer = stage.peer(language);
            assert_eq!(peer.size(name), self.scheduled.len(), "size {what}");
            assert_eq!(peer.read_all(name), self.scheduled, "read-all {what}");
            let oldest = self.scheduled.first().map(|value| value.to_vec());
            assert_eq!(peer.peek(name), oldest, "peek {what}");
            for value in self.values {
                let expected = self.scheduled.contains(&value);
                let contains = peer.contains(name, value);
                assert_eq!(
                    contains,
                    expected,
                    "contains \"{}\" {what}",
                    value.escape_ascii()
                );
            }
        }
        let mut listed = stage.raw.ordering(name);
        let timeouts = stage.raw.timeouts(name).into_iter();
        let mut scheduled: Vec<Vec<u8>> = timeouts.map(|(member, _)| member).collect();
        listed.sort();
        scheduled.sort();
        assert_eq!(listed, scheduled, "{} {what}", keys(name).ordering());
    }

    fn after(&self, step: &str) -> String {
        format!("after {step} ({}, {})", self.stage.version, self.name)
    }
}

/// Codec, and four values of it in the form in which both languages store them.
const VALUES: [(&str, [&[u8]; 4]); 4] = [
    ("string", [b"a", "b ü \u{1f980}".as_bytes(), b"c\\\"", b""]),
    ("bytes", [b"\x00", b"\xff\x00\x08", b"\r\n", b""]),
    ("long", [b"0", b"-1", b"9223372036854775807", b"10"]),
    (
        "json",
        [
            br#"{"amountCents":1,"id":"A","quantity":2}"#,
            r#"{"amountCents":-5,"customer":"Zoë \"Z\" /\\\n","id":"B","quantity":0,"tags":[]}"#
                .as_bytes(),
            br#"{"amountCents":9007199254740993,"id":"C","quantity":-1,"tags":["x",""]}"#,
            br#"{"amountCents":0,"quantity":0}"#,
        ],
    ),
];

/// So long that nothing becomes due during a test.
const LONG: Duration = Duration::from_secs(3_600);
