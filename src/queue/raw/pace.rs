//! How much to read at a time, where nobody knows how large the entries are.

/// How many entries the next page has: few at first, and as many as are not large.
#[derive(Debug)]
pub(crate) struct Pace {
    next: usize,
    most: usize,
}

impl Pace {
    const FIRST: usize = 4;
    /// How many times as many entries as in the last page to read, if those were small.
    const GROWTH: usize = 16;
    /// How many bytes a page should have at the most.
    const BYTES: usize = 1024 * 1024;

    /// Pages of at most `most` entries.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            next: Self::FIRST.min(most),
            most,
        }
    }

    /// How many entries to read next.
    pub(crate) fn next(&self) -> usize {
        self.next
    }

    /// Learns from a page how large entries are.
    pub(crate) fn learn(&mut self, entries: usize, bytes: usize) {
        if entries == 0 {
            return;
        }
        let fits = (Self::BYTES * entries / bytes.max(1)).max(1);
        self.next = fits.min(self.next * Self::GROWTH).min(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_grow_while_entries_are_small_and_hold_one_large_entry() {
        let mut pace = Pace::new(1_000);
        let mut sizes = vec![pace.next()];
        for bytes in [60, 60, 60, 64 << 20, 64 << 20, 60, 60, 60] {
            pace.learn(pace.next(), pace.next() * bytes);
            sizes.push(pace.next());
        }
        assert_eq!(sizes, [4, 64, 1_000, 1_000, 1, 1, 16, 256, 1_000]);
    }

    #[test]
    fn an_empty_page_says_nothing() {
        let mut pace = Pace::new(1_000);
        pace.learn(0, 0);
        assert_eq!(pace.next(), 4);
    }
}
