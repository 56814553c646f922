//! How much a script reads and writes.

use bytes::Bytes;

use crate::reply::Reply;

/// What commands take, besides the first key, and what they return.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Work {
    /// Texts and numbers, and the entries of what is removed at once.
    pub entries: u64,
    /// The bytes of the texts.
    pub bytes: u64,
}

impl Work {
    pub(crate) fn add(&mut self, words: &[Bytes], reply: &Reply) {
        for word in words.iter().skip(2) {
            self.add_text(word);
        }
        self.add_reply(reply);
        if let Reply::Integer(removed @ 1..) = reply
            && (words[0].starts_with(b"ZREMRANGE") || *words[0] == *b"UNLINK")
        {
            self.entries += removed.unsigned_abs();
        }
    }

    fn add_text(&mut self, text: &[u8]) {
        self.entries += 1;
        self.bytes += text.len() as u64;
    }

    fn add_reply(&mut self, reply: &Reply) {
        match reply {
            Reply::Status(text) | Reply::Error(text) | Reply::Bulk(text) => self.add_text(text),
            Reply::Integer(_) | Reply::Double(_) | Reply::Null | Reply::NullArray => {
                self.entries += 1;
            }
            Reply::Array(parts) | Reply::Push(parts) => {
                parts.iter().for_each(|it| self.add_reply(it));
            }
            Reply::Map(parts) => {
                for (name, value) in parts {
                    self.add_reply(name);
                    self.add_reply(value);
                }
            }
            Reply::Scored(members) => {
                for (member, _) in members {
                    self.add_text(member);
                    self.entries += 1;
                }
            }
        }
    }
}
