use std::fmt;

use super::{JavaValue, Name};

/// A Java value is not what a Rust type stands for.
///
/// Whoever offered the value has another class, or another version of it, than the Rust type was
/// written for.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// From the innermost field out.
    path: Vec<String>,
    expected: Name,
    found: String,
}

impl Mismatch {
    /// Makes an error for a `found` value that should have been an `expected` one.
    #[must_use]
    pub fn new(expected: impl Into<Name>, found: &JavaValue) -> Self {
        Self {
            path: Vec::new(),
            expected: expected.into(),
            found: match found {
                JavaValue::Null => "null (make it an Option)".to_owned(),
                found => found.class_name().to_string(),
            },
        }
    }

    /// Makes an error for a text, such as an unknown constant, that should have been an `expected`
    /// one.
    #[must_use]
    pub fn unknown(expected: impl Into<Name>, found: impl Into<String>) -> Self {
        Self {
            path: Vec::new(),
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// Says in which field, or at which place of a list, the value stands.
    #[must_use]
    pub fn within(mut self, place: impl Into<String>) -> Self {
        self.path.push(place.into());
        self
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, place) in self.path.iter().rev().enumerate() {
            let dot = if i == 0 || place.starts_with('[') {
                ""
            } else {
                "."
            };
            write!(f, "{dot}{place}")?;
        }
        if !self.path.is_empty() {
            f.write_str(": ")?;
        }
        write!(f, "expected {}, found {}", self.expected, self.found)
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
