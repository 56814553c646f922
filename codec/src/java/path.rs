use std::fmt;

/// The place of a value: the fields and positions around it, innermost first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path(Vec<String>);

impl Path {
    /// Says in which field, or at which place `[1]`, all so far stands.
    pub(crate) fn push(&mut self, place: impl Into<String>) {
        self.0.push(place.into());
    }
}

/// From the outside in, with a colon behind it if there is anything: `addresses[1].city: `.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, place) in self.0.iter().rev().enumerate() {
            let is_first = i == 0 || place.starts_with('[');
            let dot = if is_first { "" } else { "." };
            write!(f, "{dot}{place}")?;
        }
        match self.0.is_empty() {
            true => Ok(()),
            false => f.write_str(": "),
        }
    }
}
