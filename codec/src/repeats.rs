//! Texts that a payload has already, to refer to them.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// The numbers of texts, which are found where they stand in the payload.
#[derive(Debug)]
pub(crate) struct Repeats {
    known: HashTable<Known>,
    state: DefaultHashBuilder,
}

#[derive(Debug)]
struct Known {
    hash: u64,
    start: usize,
    length: usize,
    number: u32,
}

impl Repeats {
    pub(crate) fn new() -> Self {
        Self {
            known: HashTable::new(),
            state: DefaultHashBuilder::default(),
        }
    }

    /// The number of a text that stands in `out`.
    pub(crate) fn number(&self, out: &[u8], text: &[u8]) -> Option<u32> {
        let is_same = |it: &Known| out.get(it.start..it.start + it.length) == Some(text);
        let found = self.known.find(self.state.hash_one(text), is_same);
        found.map(|it| it.number)
    }

    /// Gives a number to the text at the end of `out`, in place of an earlier one.
    pub(crate) fn add(&mut self, out: &[u8], text: &[u8], number: u32) {
        let known = Known {
            hash: self.state.hash_one(text),
            start: out.len() - text.len(),
            length: text.len(),
            number,
        };
        if self.known.capacity() == 0 {
            self.known.reserve(28, |it| it.hash);
        }
        let is_same = |it: &Known| out.get(it.start..it.start + it.length) == Some(text);
        match self.known.find_mut(known.hash, is_same) {
            Some(earlier) => *earlier = known,
            None => _ = self.known.insert_unique(known.hash, known, |it| it.hash),
        }
    }

    #[cfg(feature = "smile")]
    pub(crate) fn clear(&mut self) {
        self.known.clear();
    }
}
