//! Where an object has the fields that a class declares.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::Fields;

/// The places of the fields of a class in objects of the first Rust type that stood for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places(OnceLock<Known>);

/// For each field of a class, its place among the names of a Rust type.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    names: &'static [&'static str],
    places: Vec<Option<usize>>,
    /// The first place whose name the class does not have, or not as often.
    surplus: Option<usize>,
}

/// The places of the fields of a class in one object.
#[derive(Debug)]
pub(crate) enum Found<'p> {
    Same,
    Others(Cow<'p, Known>),
}

/// A field that the class of an object does not have, or not as often.
#[derive(Debug)]
pub(crate) struct Surplus(pub(crate) String);

impl Found<'_> {
    /// The place in the object of the field with this number in the class, if the object has it.
    pub(crate) fn get(&self, number: usize) -> Option<usize> {
        match self {
            Self::Same => Some(number),
            Self::Others(known) => known.places[number],
        }
    }
}

impl Places {
    /// Finds the fields of a class, whose `names` come in the order of the class. Of two with one
    /// name, the first in the object is the first in the class.
    pub(crate) fn of<'n>(
        &self,
        object: &dyn Fields,
        names: impl ExactSizeIterator<Item = &'n str> + Clone,
    ) -> Result<Found<'_>, Surplus> {
        let known = match object.names() {
            Some(known) => self.known(known, names),
            None => {
                // As the fields of objects that were read.
                let is_same = object.len() == names.len()
                    && names
                        .clone()
                        .enumerate()
                        .all(|(i, it)| object.name(i) == it);
                if is_same {
                    return Ok(Found::Same);
                }
                Cow::Owned(Known::new(
                    &[],
                    (0..object.len()).map(|it| object.name(it)),
                    names,
                ))
            }
        };
        match known.surplus {
            Some(place) => Err(Surplus(object.name(place).to_owned())),
            None => Ok(Found::Others(known)),
        }
    }

    /// Finds the fields of a class among the names that a Rust type has for them. The type may know
    /// others, too.
    pub(crate) fn among<'n>(
        &self,
        known: &'static [&'static str],
        names: impl Iterator<Item = &'n str>,
    ) -> Found<'_> {
        Found::Others(self.known(known, names))
    }

    fn known<'n>(
        &self,
        known: &'static [&'static str],
        names: impl Iterator<Item = &'n str>,
    ) -> Cow<'_, Known> {
        let is_of = |it: &&Known| std::ptr::eq(it.names, known);
        if let Some(first) = self.0.get().filter(is_of) {
            return Cow::Borrowed(first);
        }
        let made = Known::new(known, known.iter().copied(), names);
        match self.0.get() {
            None => {
                let first = self.0.get_or_init(|| made.clone());
                match is_of(&first) {
                    true => Cow::Borrowed(first),
                    false => Cow::Owned(made),
                }
            }
            Some(_) => Cow::Owned(made),
        }
    }
}

impl Known {
    fn new<'n, 'o>(
        known: &'static [&'static str],
        object: impl DoubleEndedIterator<Item = &'o str> + ExactSizeIterator,
        names: impl Iterator<Item = &'n str>,
    ) -> Self {
        let mut unused: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, name) in object.enumerate().rev() {
            unused.entry(name).or_default().push(place);
        }
        let places = names
            .map(|name| unused.get_mut(name).and_then(Vec::pop))
            .collect();
        Self {
            names: known,
            places,
            surplus: unused.values().filter_map(|it| it.last()).min().copied(),
        }
    }
}
