//! What is offered: the same text whoever offers it.

/// Text of [`SIZE`] bytes that starts with a number of at most eight digits.
pub(crate) fn value(number: usize) -> String {
    format!("{number:08}-{:x<1$}", "", SIZE - 9)
}

/// The number in it.
pub(crate) fn number(value: &str) -> Option<usize> {
    value.split('-').next()?.parse().ok()
}

/// How many bytes a value has.
pub(crate) const SIZE: usize = 60;
