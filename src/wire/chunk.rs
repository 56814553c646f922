//! How much goes into one command.

/// Bytes of payload in one command or reply: a slow network still carries them in time, and more
/// would not be faster.
pub(crate) const MOST_BYTES: usize = 256 * 1024;

/// Splits off what goes into one command: at most `most` items, until they reach [`MOST_BYTES`], and
/// at least one. An item of `MOST_BYTES` travels alone, so that small ones need not wait for it.
pub(crate) fn split<T>(items: &[T], most: usize, size: impl Fn(&T) -> usize) -> (&[T], &[T]) {
    let mut bytes = 0;
    let fitting = items.iter().take(most).take_while(|item| {
        let before = bytes;
        bytes += size(item);
        before == 0 || before < MOST_BYTES && size(item) < MOST_BYTES
    });
    items.split_at(fitting.count())
}

/// Splits `items`, in order, into pieces for one command each.
pub(crate) fn chunks<T>(
    items: &[T],
    most: usize,
    size: impl Fn(&T) -> usize,
) -> impl Iterator<Item = &[T]> {
    let mut rest = items;
    std::iter::from_fn(move || {
        let (chunk, later) = split(rest, most, &size);
        rest = later;
        (!chunk.is_empty()).then_some(chunk)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_holds_so_many_and_so_much_and_one_at_least() {
        let first = |sizes: &[usize], most| split(sizes, most, |size| *size).0.len();
        assert_eq!(first(&[], 3), 0);
        assert_eq!(first(&[1, 1, 1, 1], 3), 3);
        assert_eq!(first(&[2 * MOST_BYTES, 1], 3), 1);
        assert_eq!(first(&[1, MOST_BYTES - 1, 1, 1], 3), 2);
        assert_eq!(first(&[1, MOST_BYTES, 1], 3), 1);
    }

    #[test]
    fn chunks_hold_everything_once_and_in_order() {
        let lengths = |sizes: &[usize]| -> Vec<usize> {
            let chunks: Vec<&[usize]> = chunks(sizes, 500, |size| *size).collect();
            assert_eq!(chunks.concat(), sizes);
            chunks.into_iter().map(<[usize]>::len).collect()
        };
        assert!(lengths(&[]).is_empty());
        assert_eq!(lengths(&[1; 500]), [500]);
        assert_eq!(lengths(&[1; 1_001]), [500, 500, 1]);
        assert_eq!(lengths(&[100_000; 5]), [3, 2]);
        assert_eq!(lengths(&[1, 1_000_000, 1]), [1, 1, 1]);
    }
}
