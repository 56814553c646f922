//! What is offered: the same text whoever offers it.

/// Text of 60 bytes that starts with a number.
pub(crate) fn value(number: usize) -> String {
    format!("{number:08}-{:x<51}", "")
}

/// The number in it.
pub(crate) fn number(value: &str) -> Option<usize> {
    value.split('-').next()?.parse().ok()
}
