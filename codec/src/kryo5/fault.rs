use std::fmt;

use crate::java::Path;

/// Why a payload cannot be read or a value cannot be written, with the place.
///
/// It is boxed: the readers call each other for each level of a value, and every result stands on
/// their stack.
#[derive(Debug)]
pub(super) struct Fault(Box<Place>);

#[derive(Debug)]
struct Place {
    path: Path,
    what: String,
    /// The byte at which reading went wrong.
    offset: Option<usize>,
}

pub(super) type Result<T> = std::result::Result<T, Fault>;

impl Fault {
    /// Makes a fault of a value that is being written.
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self(Box::new(Place {
            path: Path::default(),
            what: what.into(),
            offset: None,
        }))
    }

    /// Makes a fault at the byte `offset` of a payload.
    pub(super) fn at(offset: usize, what: impl Into<String>) -> Self {
        let mut fault = Self::new(what);
        fault.0.offset = Some(offset);
        fault
    }

    /// Says in which field the value stands.
    pub(super) fn within(mut self, field: &str) -> Self {
        self.0.path.push(field);
        self
    }

    /// Says at which place of a collection, an array or a map the value stands.
    pub(super) fn at_place(mut self, place: usize) -> Self {
        self.0.path.push(format!("[{place}]"));
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0.path, self.0.what)?;
        match self.0.offset {
            Some(offset) => write!(f, ", at byte {offset}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}
