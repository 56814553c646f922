//! How much to read at a time, where nobody knows how large the entries are.

use bytes::Bytes;

use super::RawQueue;
use crate::error::Result;

/// How many entries the next page has: few at first, then more while entries are not large.
#[derive(Debug)]
pub(crate) struct PageSize {
    next: usize,
    most: usize,
}

impl PageSize {
    const FIRST: usize = 4;
    /// A page may have this many times the entries of the last.
    const GROWTH: usize = 16;
    /// The most bytes that a page should have.
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

/// Pages of the ordering list, from the newest entry down.
///
/// Entries that leave the list meanwhile move the rest towards the places still to be read. So the
/// pages miss no entry that stays, but can have an entry twice.
#[derive(Debug)]
pub(crate) struct PagesDown {
    end: usize,
    pub(crate) size: PageSize,
}

impl PagesDown {
    /// Pages of a list with `len` entries, at most `most` in each.
    pub(crate) fn new(len: usize, most: usize) -> Self {
        Self {
            end: len,
            size: PageSize::new(most),
        }
    }

    /// The first and the last place of the next page; `None` once all were read.
    pub(crate) fn next(&mut self) -> Option<(usize, usize)> {
        let last = self.end.checked_sub(1)?;
        self.end = self.end.saturating_sub(self.size.next());
        Some((self.end, last))
    }
}

impl RawQueue {
    /// The entries of a list from one place to another, both included, in one command.
    pub(super) async fn list_page(
        &self,
        key: &str,
        first: i64,
        last: i64,
        size: &mut PageSize,
    ) -> Result<Vec<Bytes>> {
        let mut command = redis::cmd("LRANGE");
        command.arg(key).arg(first).arg(last);
        let entries: Vec<Vec<u8>> = self.read_command(&command).await?;
        size.learn(entries.len(), entries.iter().map(Vec::len).sum());
        Ok(entries.into_iter().map(Bytes::from).collect())
    }
}

/// A place, or a count, as Redis takes it.
pub(super) fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_grow_while_entries_are_small_and_hold_one_large_entry() {
        let mut size = PageSize::new(1_000);
        let mut sizes = vec![size.next()];
        for bytes in [60, 60, 60, 64 << 20, 64 << 20, 60, 60, 60] {
            size.learn(size.next(), size.next() * bytes);
            sizes.push(size.next());
        }
        assert_eq!(sizes, [4, 64, 1_000, 1_000, 1, 1, 16, 256, 1_000]);
    }

    #[test]
    fn pages_go_down_to_the_first_place_without_a_gap() {
        let mut pages = PagesDown::new(100, 1_000);
        let mut places = Vec::new();
        while let Some((first, last)) = pages.next() {
            places.push((first, last));
            pages.size.learn(last - first + 1, 60);
        }
        assert_eq!(places, [(96, 99), (32, 95), (0, 31)]);
        assert_eq!(PagesDown::new(0, 1_000).next(), None);
    }

    #[test]
    fn an_empty_page_says_nothing() {
        let mut size = PageSize::new(1_000);
        size.learn(0, 0);
        assert_eq!(size.next(), 4);
    }
}
