//! What users write: [`moment`]s and [`when`] something is to be due, [`count`]s of rows, and [`input`] on stdin.

pub(crate) mod count;
pub(crate) mod input;
pub(crate) mod length;
pub(crate) mod moment;
pub(crate) mod when;
