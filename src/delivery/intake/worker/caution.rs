//! How carefully a worker claims where large payloads are.

/// Says whether a worker has met large payloads lately.
#[derive(Debug, Default)]
pub(super) struct Caution {
    /// The next element is large and stays in the target queue, since the intake holds a large one
    /// already.
    pub(super) left_large: bool,
    /// How many more claims read payloads one at a time.
    careful_claims: usize,
}

impl Caution {
    /// How many claims read payloads one at a time after a claim that met a large payload.
    const CAREFUL: usize = 15;

    /// True if the next claim reads payloads one at a time.
    pub(super) fn is_careful(&self) -> bool {
        self.careful_claims > 0
    }

    /// Notes whether a claim met a large payload.
    pub(super) fn claimed(&mut self, met_large: bool) {
        self.careful_claims = match met_large {
            true => Self::CAREFUL,
            false => self.careful_claims.saturating_sub(1),
        };
    }
}
