//! What becomes of one payload.

use bytes::Bytes;
use interop::codecs::AnyCodec;
use interop::oracle::Oracle;
use interop::payload::Payload;

/// What became of a payload that this crate read and wrote again.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// Read, and written with the same bytes.
    Same,
    /// Read, and written with other bytes that Java reads as it reads its own.
    Accepted,
    /// Read, but not written, or written so that Java cannot read it; the reason.
    ReadOnly(String),
    /// Not read; the reason.
    Refused(String),
    /// Read only or not read, but Java itself reads it as another value or not at all.
    LostInJava,
}

/// Reads the payload of a row, writes it again, and asks Java about the result.
pub(crate) fn outcome(
    row: &Payload,
    codec: &dyn AnyCodec,
    oracles: &mut [(&str, Oracle)],
) -> Outcome {
    match rewritten(row, codec, oracles) {
        Outcome::ReadOnly(_) | Outcome::Refused(_) if !row.comes_back() => Outcome::LostInJava,
        outcome => outcome,
    }
}

fn rewritten(row: &Payload, codec: &dyn AnyCodec, oracles: &mut [(&str, Oracle)]) -> Outcome {
    let payload = Bytes::from(row.bytes());
    let written = match codec.read(payload.clone()).map(|read| read.written) {
        Err(error) => return Outcome::Refused(error),
        Ok(Err(error)) => return Outcome::ReadOnly(error),
        Ok(Ok(written)) if written == payload => return Outcome::Same,
        Ok(Ok(written)) => written,
    };
    let mut asked = 0;
    for (version, oracle) in oracles {
        if !row.redisson.iter().any(|it| it == version) {
            continue;
        }
        asked += 1;
        let own = oracle.decode(&row.codec(), &payload);
        let ours = oracle.decode(&row.codec(), &written);
        let is_same = match (&own, &ours) {
            (Ok(own), Ok(ours)) => own.class == ours.class && own.is(&ours.canonical),
            // Java can read ours, but not its own.
            (Err(_), Ok(ours)) => ours.is(row.canonical()),
            _ => false,
        };
        if !is_same {
            let why = ours.err().unwrap_or("another value in Java".to_owned());
            return Outcome::ReadOnly(why);
        }
    }
    if asked == 0 {
        return Outcome::ReadOnly("written with other bytes".to_owned());
    }
    Outcome::Accepted
}
