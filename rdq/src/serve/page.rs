//! A page of a long list, read in a bounded time.

use std::pin::pin;
use std::time::{Duration, Instant};

use futures::stream::{Stream, TryStreamExt};
use serde::Serialize;

use crate::failure::Result;

/// Some rows of a list, and where to read on.
#[derive(Debug, Serialize)]
pub(super) struct Page<T> {
    pub(super) rows: Vec<T>,
    /// The place to ask for next; none behind the last page.
    pub(super) next: Option<String>,
    /// How many rows were read, whether they matched or not.
    pub(super) examined: usize,
}

/// What ends a page besides its rows.
struct Limits {
    rows: usize,
    examined: usize,
    bytes: usize,
    time: Duration,
}

/// A page fills a screen or two. It ends earlier in a search that finds little, and where elements
/// are large.
const LIMITS: Limits = Limits {
    rows: 50,
    examined: 10_000,
    bytes: 8 << 20,
    time: Duration::from_millis(400),
};

impl<T> Page<T> {
    /// Reads rows from a place on, and keeps those that match. `size` is how many bytes a row has,
    /// and `behind` the place behind a row, which is asked for each row in turn.
    pub(super) async fn read(
        rows: impl Stream<Item = Result<T>>,
        matches: impl Fn(&T) -> bool,
        size: impl Fn(&T) -> usize,
        behind: impl FnMut(&T) -> String,
    ) -> Result<Self> {
        Self::read_within(&LIMITS, rows, matches, size, behind).await
    }

    async fn read_within(
        limits: &Limits,
        rows: impl Stream<Item = Result<T>>,
        matches: impl Fn(&T) -> bool,
        size: impl Fn(&T) -> usize,
        mut behind: impl FnMut(&T) -> String,
    ) -> Result<Self> {
        let begin = Instant::now();
        let mut rows = pin!(rows);
        let mut page = Self {
            rows: Vec::new(),
            next: None,
            examined: 0,
        };
        let mut bytes = 0;
        while let Some(row) = rows.try_next().await? {
            page.examined += 1;
            bytes += size(&row);
            let place = behind(&row);
            if matches(&row) {
                page.rows.push(row);
            }
            let is_long = page.examined >= limits.examined
                || bytes >= limits.bytes
                || begin.elapsed() >= limits.time;
            if is_long || page.rows.len() >= limits.rows {
                // Nobody wants a last page without rows.
                page.next = rows.try_next().await?.map(|_| place);
                break;
            }
        }
        Ok(page)
    }

    /// The same page of other rows.
    pub(super) fn map<U>(self, row: impl FnMut(T) -> U) -> Page<U> {
        Page {
            rows: self.rows.into_iter().map(row).collect(),
            next: self.next,
            examined: self.examined,
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::stream::iter;

    use super::*;

    async fn read(limits: Limits, count: u32, matches: fn(&u32) -> bool) -> Page<u32> {
        let rows = iter((0..count).map(Ok));
        let behind = |row: &u32| (row + 1).to_string();
        Page::read_within(&limits, rows, matches, |_| 10, behind)
            .await
            .unwrap()
    }

    fn limits() -> Limits {
        Limits {
            rows: 3,
            examined: 100,
            bytes: usize::MAX,
            time: Duration::from_secs(3_600),
        }
    }

    #[tokio::test]
    async fn a_page_ends_with_its_rows_or_with_the_list() {
        let page = read(limits(), 9, |row| row % 2 == 1).await;
        assert_eq!(page.rows, [1, 3, 5]);
        assert_eq!((page.next.as_deref(), page.examined), (Some("6"), 6));
        let page = read(limits(), 3, |_| true).await;
        assert_eq!((page.rows.len(), page.next), (3, None));
    }

    #[tokio::test]
    async fn a_search_that_finds_nothing_ends_too() {
        let page = read(limits(), 1_000, |_| false).await;
        assert_eq!((page.rows.len(), page.next.as_deref()), (0, Some("100")));
        let few_bytes = Limits {
            bytes: 25,
            ..limits()
        };
        assert_eq!(read(few_bytes, 1_000, |_| false).await.examined, 3);
        let no_time = Limits {
            time: Duration::ZERO,
            ..limits()
        };
        assert_eq!(read(no_time, 1_000, |_| false).await.examined, 1);
    }
}
