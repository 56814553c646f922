//! What a consumer is to do.

use std::{str::Split, time::Duration};

use super::{Outcome, millis, number, word};

#[derive(Clone, Debug)]
pub(crate) struct Consumption {
    /// The way to consume, as the library understands it.
    pub(crate) how: String,
    pub(crate) count: usize,
    pub(crate) concurrency: usize,
    pub(crate) window: Duration,
}

impl Consumption {
    pub(super) fn parse(words: &mut Split<'_, char>) -> Outcome<Self> {
        Ok(Self {
            how: word(words)?.to_owned(),
            count: number(words)?,
            concurrency: number(words)?,
            window: millis(words)?,
        })
    }
}
