//! One offer: its attempts, and the line in which offers stand that are made at the same time.

pub(crate) mod attempt;
