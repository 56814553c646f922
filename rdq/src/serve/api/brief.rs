//! Values as the pages show them: never more of one than a page can bear.

use serde::Serialize;

use crate::payload::Shown;

/// The text of a value, perhaps only its beginning.
#[derive(Serialize)]
pub(in crate::serve) struct Text {
    /// The size of the payload in bytes.
    size: usize,
    /// The value as JSON.
    value: Option<String>,
    /// The value is longer.
    cut: bool,
    /// Why the codec refuses the payload.
    error: Option<String>,
}

impl Text {
    /// For a row of a table.
    pub(super) fn brief(shown: &Shown) -> Self {
        Self::of(shown, 300)
    }

    /// For a page of its own.
    pub(super) fn long(shown: &Shown) -> Self {
        Self::of(shown, 256 << 10)
    }

    /// For a value that is too large to be read for a row.
    pub(super) fn unread(size: usize) -> Self {
        Self {
            size,
            value: None,
            cut: true,
            error: None,
        }
    }

    fn of(shown: &Shown, most: usize) -> Self {
        let value = shown.value.as_deref().map(|it| it.get());
        Self {
            size: shown.size,
            cut: value.is_some_and(|it| it.len() > most),
            value: value.map(|it| beginning(it, most).to_owned()),
            error: shown.error.clone(),
        }
    }
}

/// The first characters of a text, in at most `most` bytes.
fn beginning(text: &str, most: usize) -> &str {
    let mut ends = (0..=most).rev();
    ends.find_map(|end| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::beginning;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(beginning("größer", 3), "gr");
        assert_eq!(beginning("größer", 4), "grö");
        assert_eq!(beginning("größer", 300), "größer");
    }
}
