//! What the codecs of real Redisson read from payloads and write for values.

use std::path::Path;

use serde_json::Value;

use crate::{
    peer::{Peer, Reply},
    value,
};

/// A running JVM with the codecs of one Redisson, and without a Redis; killed when dropped.
///
/// Codecs are named as in `README.md`, for example `Kryo5Codec` or
/// `TypedJsonJacksonCodec(com.example.orders.SimpleOrder)`. One that this Redisson does not have is
/// an error with `no such codec`.
#[derive(Debug)]
pub struct Oracle {
    process: Peer,
}

/// What Redisson read from a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decoded {
    /// The class of the object, as `Class.getName` spells it; `null` if there is none.
    pub class: String,
    /// The object as canonical JSON, in ASCII.
    pub canonical: String,
    /// What the same codec writes for the object.
    pub reencoded: Vec<u8>,
}

impl Oracle {
    /// Starts Redisson of `version`, after building its program if that is out of date.
    pub fn start(version: &str) -> Self {
        Self {
            process: Peer::oracle(version),
        }
    }

    /// Starts Redisson of `version` with classes of a folder, which may come there later.
    pub fn with_classes(version: &str, classes: &Path) -> Self {
        Self {
            process: Peer::oracle_with(version, classes),
        }
    }

    /// Reads `payload` and writes it again.
    ///
    /// # Errors
    ///
    /// - The class and the message of the Java exception.
    pub fn decode(&mut self, codec: &str, payload: impl AsRef<[u8]>) -> Result<Decoded, String> {
        decoded(self.process.send(&decode(codec, payload)))
    }

    /// Reads many payloads, each with its codec. Sends all before it waits, so this takes no longer
    /// than a few calls.
    pub fn decode_all<C: AsRef<str>, P: AsRef<[u8]>>(
        &mut self,
        payloads: impl IntoIterator<Item = (C, P)>,
    ) -> Vec<Result<Decoded, String>> {
        let payloads = payloads.into_iter();
        let lines: Vec<String> = payloads
            .map(|(codec, payload)| decode(codec.as_ref(), payload))
            .collect();
        let replies = self.process.send_all(&lines);
        replies.into_iter().map(decoded).collect()
    }

    /// Writes the value that is named `id` in `vectors/payloads.jsonl`.
    ///
    /// # Errors
    ///
    /// - The class and the message of the Java exception.
    pub fn encode(&mut self, codec: &str, id: &str) -> Result<Vec<u8>, String> {
        encoded(self.process.send(&encode(codec, id)))
    }

    /// Writes many values, each named by codec and id. Sends all before it waits, so this takes no
    /// longer than a few calls.
    pub fn encode_all<C: AsRef<str>, I: AsRef<str>>(
        &mut self,
        values: impl IntoIterator<Item = (C, I)>,
    ) -> Vec<Result<Vec<u8>, String>> {
        let values = values.into_iter();
        let lines: Vec<String> = values
            .map(|(codec, id)| encode(codec.as_ref(), id.as_ref()))
            .collect();
        let replies = self.process.send_all(&lines);
        replies.into_iter().map(encoded).collect()
    }

    /// The exact form of what the codec reads from each payload, or of the named value itself if the
    /// payload is `@ID`. Sends all before it waits.
    pub fn exact_all<C: AsRef<str>>(
        &mut self,
        values: impl IntoIterator<Item = (C, String)>,
    ) -> Vec<Result<String, String>> {
        let line = |(codec, value): (C, String)| format!("exact {} {value}", codec.as_ref());
        let lines: Vec<String> = values.into_iter().map(line).collect();
        self.process.send_all(&lines).into_iter().map(ok).collect()
    }

    /// Compiles all sources of a folder into the folder of [`with_classes`](Self::with_classes).
    ///
    /// # Errors
    ///
    /// - What the compiler says.
    pub fn compile(&mut self, classes: &Path, sources: &Path) -> Result<(), String> {
        let (classes, sources) = (classes.display(), sources.display());
        ok(self.process.send(&format!("compile {classes} {sources}"))).map(|_| ())
    }

    /// The names of the methods of `class`, but for the asynchronous twins.
    ///
    /// # Errors
    ///
    /// - The class and the message of the Java exception.
    pub fn methods(&mut self, class: &str) -> Result<Vec<String>, String> {
        let names = ok(self.process.send(&format!("methods of {class}")))?;
        Ok(names.split(' ').map(str::to_owned).collect())
    }
}

impl Decoded {
    /// True if the object has this canonical JSON. The order of members and the form of numbers do
    /// not matter.
    pub fn is(&self, canonical: &str) -> bool {
        // A text of Java may hold half a surrogate pair, which Rust cannot parse. So compare the
        // JSON itself first.
        self.canonical == canonical
            || match (parsed(&self.canonical), parsed(canonical)) {
                (Some(actual), Some(expected)) => actual == expected,
                _ => false,
            }
    }
}

fn parsed(json: &str) -> Option<Value> {
    serde_json::from_str(json).ok()
}

fn decode(codec: &str, payload: impl AsRef<[u8]>) -> String {
    format!("decode {codec} {}", value::encode(payload))
}

fn encode(codec: &str, id: &str) -> String {
    format!("encode {codec} {id}")
}

fn decoded(reply: Reply) -> Result<Decoded, String> {
    let reply = ok(reply)?;
    let tokens: Vec<&str> = reply.splitn(3, ' ').collect();
    let [class, reencoded, canonical] = tokens[..] else {
        panic!("not what was decoded: {reply:?}");
    };
    Ok(Decoded {
        class: class.to_owned(),
        canonical: canonical.to_owned(),
        reencoded: bytes(reencoded),
    })
}

fn encoded(reply: Reply) -> Result<Vec<u8>, String> {
    ok(reply).map(|token| bytes(&token))
}

fn ok(reply: Reply) -> Result<String, String> {
    match reply {
        Reply::Ok(rest) => Ok(rest),
        Reply::Err(message) => Err(message),
        Reply::Nil => panic!("an oracle has no nil"),
    }
}

fn bytes(token: &str) -> Vec<u8> {
    value::decode(token).unwrap_or_else(|| panic!("not a VALUE: {token:?}"))
}
