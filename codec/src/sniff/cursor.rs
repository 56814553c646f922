/// Reads bytes from the front.
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    pub(super) fn take(&mut self, count: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(usize::try_from(count).ok()?)?;
        self.rest = rest;
        Some(taken)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    /// A big-endian number of `width` bytes, eight at most.
    pub(super) fn number(&mut self, width: u64) -> Option<u64> {
        let bytes = self.take(width)?.iter();
        Some(bytes.fold(0, |n, byte| n << 8 | u64::from(*byte)))
    }

    /// Text of `count` bytes.
    pub(super) fn text(&mut self, count: u64) -> Option<&'a str> {
        str::from_utf8(self.take(count)?).ok()
    }

    /// Reads past `count` UTF-16 units of up to three bytes each.
    pub(super) fn skip_units(&mut self, count: u64) -> Option<()> {
        for _ in 0..count {
            match self.byte()? >> 4 {
                0..8 => {}
                12 | 13 => drop(self.take(1)?),
                14 => drop(self.take(2)?),
                _ => return None,
            }
        }
        Some(())
    }
}
