//! A reply of Redis, and how it travels in each protocol.

use bytes::Bytes;

use crate::number::spell;

/// The version of RESP that a connection speaks.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Protocol {
    #[default]
    Resp2,
    Resp3,
}

/// A reply, or a message that nobody asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    Status(Bytes),
    Error(Bytes),
    Integer(i64),
    Double(f64),
    Bulk(Bytes),
    Null,
    /// The null of commands that otherwise answer an array.
    NullArray,
    Array(Vec<Reply>),
    Map(Vec<(Reply, Reply)>),
    /// Members with their scores. RESP2 puts them side by side, RESP3 in pairs.
    Scored(Vec<(Bytes, f64)>),
    Push(Vec<Reply>),
}

impl Reply {
    pub(crate) const OK: Self = Self::Status(Bytes::from_static(b"OK"));

    pub(crate) fn text(text: impl AsRef<[u8]>) -> Self {
        Self::Bulk(Bytes::copy_from_slice(text.as_ref()))
    }

    pub(crate) fn count(count: usize) -> Self {
        Self::Integer(count.try_into().unwrap_or(i64::MAX))
    }

    pub(crate) fn yes(is_so: bool) -> Self {
        Self::Integer(is_so.into())
    }

    pub(crate) fn bulk_or_null(text: Option<Bytes>) -> Self {
        text.map_or(Self::Null, Self::Bulk)
    }

    pub(crate) fn bulks(texts: impl IntoIterator<Item = Bytes>) -> Self {
        Self::Array(texts.into_iter().map(Self::Bulk).collect())
    }

    /// Appends the reply as it travels.
    pub(crate) fn encode(&self, protocol: Protocol, out: &mut Vec<u8>) {
        let is_new = protocol == Protocol::Resp3;
        match self {
            Self::Status(text) => line(out, b'+', &one_line(text)),
            Self::Error(text) => line(out, b'-', &one_line(text)),
            Self::Integer(number) => line(out, b':', number.to_string().as_bytes()),
            Self::Double(number) if is_new => line(out, b',', spell(*number).as_bytes()),
            Self::Double(number) => bulk(out, spell(*number).as_bytes()),
            Self::Bulk(text) => bulk(out, text),
            Self::Null | Self::NullArray if is_new => line(out, b'_', b""),
            Self::Null => line(out, b'$', b"-1"),
            Self::NullArray => line(out, b'*', b"-1"),
            Self::Array(items) => aggregate(out, b'*', items, protocol),
            Self::Push(items) => aggregate(out, if is_new { b'>' } else { b'*' }, items, protocol),
            Self::Map(pairs) => {
                let (kind, size) = if is_new { (b'%', 1) } else { (b'*', 2) };
                line(out, kind, (size * pairs.len()).to_string().as_bytes());
                for (key, value) in pairs {
                    key.encode(protocol, out);
                    value.encode(protocol, out);
                }
            }
            Self::Scored(pairs) => {
                let size = if is_new { 1 } else { 2 };
                line(out, b'*', (size * pairs.len()).to_string().as_bytes());
                for (member, score) in pairs {
                    if is_new {
                        line(out, b'*', b"2");
                    }
                    bulk(out, member);
                    Self::Double(*score).encode(protocol, out);
                }
            }
        }
    }
}

fn aggregate(out: &mut Vec<u8>, kind: u8, items: &[Reply], protocol: Protocol) {
    line(out, kind, items.len().to_string().as_bytes());
    for item in items {
        item.encode(protocol, out);
    }
}

fn bulk(out: &mut Vec<u8>, text: &[u8]) {
    line(out, b'$', text.len().to_string().as_bytes());
    out.extend_from_slice(text);
    out.extend_from_slice(b"\r\n");
}

fn line(out: &mut Vec<u8>, kind: u8, text: &[u8]) {
    out.push(kind);
    out.extend_from_slice(text);
    out.extend_from_slice(b"\r\n");
}

/// Line ends would end the reply.
fn one_line(text: &[u8]) -> Vec<u8> {
    let space = |byte: &u8| {
        if matches!(byte, b'\r' | b'\n') {
            b' '
        } else {
            *byte
        }
    };
    text.iter().map(space).collect()
}
