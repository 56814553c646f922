//! How many rows to show.

/// Reads the most rows; 0 stands for all.
pub(crate) fn most(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Ok(usize::MAX),
        Ok(count) => Ok(count),
        Err(_) => Err("a number of rows, or 0 for all".to_owned()),
    }
}

/// Tells that there are more than these rows.
pub(crate) fn has_more(shown: usize) -> String {
    format!("{shown} shown, and there are more: -n 0 shows all")
}
