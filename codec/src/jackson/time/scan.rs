//! Digits and marks of a text, one after the other.

/// Reads a text of digits and marks from its start.
pub(super) struct Scan<'a> {
    rest: &'a str,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// The part of the text that is not read yet.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// Reads past a mark. Fails if another character comes next.
    pub(super) fn mark(&mut self, mark: char) -> Option<()> {
        self.rest = self.rest.strip_prefix(mark)?;
        Some(())
    }

    /// Reads past a mark if it comes next.
    pub(super) fn skip(&mut self, mark: char) -> bool {
        self.mark(mark).is_some()
    }

    /// Reads a number of `least` to `most` digits, as many as there are.
    pub(super) fn digits(&mut self, least: usize, most: usize) -> Option<i64> {
        let text = self.run(most);
        if text.len() < least {
            return None;
        }
        text.parse().ok()
    }

    /// Reads a point and up to nine digits as nanoseconds. Zero if there is no point.
    pub(super) fn fraction(&mut self) -> Option<i32> {
        if !self.skip('.') {
            return Some(0);
        }
        let text = self.run(9);
        if text.is_empty() {
            return Some(0);
        }
        format!("{text:0<9}").parse().ok()
    }

    fn run(&mut self, most: usize) -> &'a str {
        let digits = self.rest.bytes().take(most);
        let count = digits.take_while(u8::is_ascii_digit).count();
        let (run, rest) = self.rest.split_at(count);
        self.rest = rest;
        run
    }
}
