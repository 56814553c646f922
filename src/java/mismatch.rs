use std::fmt;

use super::{JavaValue, Name, Path};

/// A Java value is not what a Rust type stands for.
///
/// Whoever offered the value has another class, or another version of it, than the Rust type was
/// written for.
#[derive(Clone, Debug)]
pub struct Mismatch {
    path: Path,
    expected: Name,
    found: String,
}

impl Mismatch {
    /// Makes an error for a `found` value that should have been an `expected` one.
    #[must_use]
    pub fn new(expected: impl Into<Name>, found: &JavaValue) -> Self {
        Self {
            path: Path::default(),
            expected: expected.into(),
            found: found.class_name().to_string(),
        }
    }

    /// Makes an error for a text, such as an unknown constant, that should have been an `expected`
    /// one.
    #[must_use]
    pub fn unknown(expected: impl Into<Name>, found: impl Into<String>) -> Self {
        Self {
            path: Path::default(),
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// Says in which field, or at which place of a list, the value stands.
    #[must_use]
    pub fn within(mut self, place: impl Into<String>) -> Self {
        self.path.push(place);
        self
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            expected,
            found,
        } = self;
        write!(f, "{path}expected {expected}, found {found}")
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
    }
}
