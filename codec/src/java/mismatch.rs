use std::fmt;

use super::{JavaValue, Name, Path, View};

/// A Java value does not fit a Rust type, or a payload is malformed.
///
/// The writer of the value has another class, or another version of the class, than the Rust type.
#[derive(Clone, Debug)]
pub struct Mismatch(Box<Place>);

// Boxed, because the functions that read a value recurse for each level, with every result on the
// stack.
#[derive(Clone, Debug)]
struct Place {
    path: Path,
    what: String,
    /// The byte at which a payload is malformed.
    offset: Option<usize>,
}

impl Mismatch {
    /// Makes an error for a value of another class than the `expected` one.
    #[must_use]
    pub fn new(expected: impl Into<Name>, found: &JavaValue) -> Self {
        match found {
            JavaValue::Null => Self::unknown(expected, "null (make it an Option)"),
            found => Self::unknown(expected, found.class_name().as_str()),
        }
    }

    /// Makes an error for a value of another class than the `expected` one.
    pub(crate) fn found(expected: impl Into<Name>, found: &View<'_>) -> Self {
        Self::unknown(expected, found.class_name().as_str())
    }

    /// Makes an error for a text `found` where a text of the class `expected` should be.
    #[must_use]
    pub fn unknown(expected: impl Into<Name>, found: impl Into<String>) -> Self {
        Self::because(format!(
            "expected {}, found {}",
            expected.into(),
            found.into()
        ))
    }

    /// Makes an error for a name that no constant of the enum `class` has. It lists the constants.
    #[must_use]
    pub fn no_constant<N: AsRef<str>>(
        class: impl Into<Name>,
        found: &str,
        known: impl IntoIterator<Item = N>,
    ) -> Self {
        let known: Vec<N> = known.into_iter().collect();
        let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
        let known = known.join(", ");
        Self::because(format!(
            "{} has no constant {found}; it has {known}",
            class.into()
        ))
    }

    /// Makes an error with a text of its own.
    pub(crate) fn because(what: impl Into<String>) -> Self {
        Self(Box::new(Place {
            path: Path::default(),
            what: what.into(),
            offset: None,
        }))
    }

    /// Makes an error about the byte `offset` of a payload.
    pub(crate) fn at(offset: usize, what: impl Into<String>) -> Self {
        let mut error = Self::because(what);
        error.0.offset = Some(offset);
        error
    }

    /// True if the payload is malformed, rather than of another type.
    pub(crate) fn is_malformed(&self) -> bool {
        self.0.offset.is_some()
    }

    /// Adds the place in a map where the key is.
    pub(crate) fn at_key(self, place: usize) -> Self {
        self.within(format!("[key {place}]"))
    }

    /// Adds the place in a list where the value is.
    pub(crate) fn at_place(self, place: usize) -> Self {
        self.within(format!("[{place}]"))
    }

    /// Adds the field, or the place in a list, where the value is.
    #[must_use]
    pub fn within(mut self, place: impl Into<String>) -> Self {
        self.0.path.push(place);
        self
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0.path, self.0.what)?;
        match self.0.offset {
            Some(offset) => write!(f, ", at byte {offset}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Mismatch {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_names_the_place_from_the_outside_in() {
        let error = Mismatch::new("java.lang.String", &JavaValue::Long(5))
            .within("city")
            .within("[1]")
            .within("addresses");
        assert_eq!(
            error.to_string(),
            "addresses[1].city: expected java.lang.String, found java.lang.Long"
        );
        let error = Mismatch::new("long", &JavaValue::Null).within("id");
        let message = "id: expected long, found null (make it an Option)";
        assert_eq!(error.to_string(), message);
    }
}
