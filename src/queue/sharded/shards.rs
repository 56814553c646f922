//! The names of a sharded queue, and how they change.

use super::score::{crc32, score};
use crate::error::ShardError;
use crate::wire::keys::QueueKeys;

/// The Redis names of a [`ShardedQueue`](crate::ShardedQueue).
///
/// Every process of the queue must have the same names. Their order does not matter. Redis Cluster
/// hashes each name to a slot; names with the same text in braces share a slot, so they do not
/// spread. The guide [`docs/sharded.md`](crate::guide::sharded) says how many names to use, and how
/// they spread over the masters.
///
/// A key belongs to the name that scores highest with it, by the function that
/// [`shard_of`](Self::shard_of) has. Each name gets an equal share of the keys. A further name
/// takes its share from all others, and no key moves between the others.
///
/// # Changing the names
///
/// Processes cannot change their names all at once. Meanwhile two of them could offer under one key
/// to different shards. So a change takes three steps, and every process must have made one before
/// any process makes the next:
///
/// | Step | Names | Takes from | Offers to | Keys that move |
/// |---|---|---|---|---|
/// | 1 | `old.before(&new)` | both | old names | are refused |
/// | 2 | `new.after(&old)` | both | new names | are looked up in their old shard |
/// | 3 | `new` | new names | new names | belong to their new shard |
///
/// The guide says when the time for each step has come.
///
/// # Examples
///
/// ```
/// use redisson_delayed_queue::Shards;
///
/// let shards = Shards::numbered("orders", 3)?;
/// let names: Vec<&str> = shards.names().collect();
/// assert_eq!(names, ["orders:0", "orders:1", "orders:2"]);
/// assert_eq!(shards.shard_of("customer 17"), "orders:2");
/// # Ok::<(), redisson_delayed_queue::ShardError>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Shards {
    /// The names to offer to, and behind them those that are only taken from.
    names: Vec<Name>,
    /// How many names to offer to.
    current: usize,
    change: Option<Change>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
struct Name {
    text: String,
    /// One of its keys, which no other queue may have.
    key: String,
    hash: u32,
}

/// A change of names that is under way.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Change {
    stage: Stage,
    /// The places of the names on the other side of the change.
    others: Vec<usize>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Stage {
    Before,
    After,
}

/// Where the element of a key belongs, as places of names.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Home {
    /// In this shard.
    At(usize),
    /// In the first shard now, and in the second after the change.
    Leaving(usize, usize),
    /// In the second shard, unless an element is still pending in the first.
    Arriving(usize, usize),
}

impl Shards {
    /// Uses these names. No two may be equal or differ only in braces.
    ///
    /// Fails with [`ShardError::NoNames`], [`ShardError::Twice`], [`ShardError::SharesKeys`],
    /// [`ShardError::SameHash`], or [`ShardError::Name`] for an empty name.
    pub fn new(names: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, ShardError> {
        let mut shards = Self {
            names: Vec::new(),
            current: 0,
            change: None,
        };
        for name in names {
            let name = name.as_ref().to_owned();
            if shards.place_named(&name).is_some() {
                return Err(ShardError::Twice { name });
            }
            shards.add(name)?;
        }
        if shards.names.is_empty() {
            return Err(ShardError::NoNames);
        }
        shards.current = shards.names.len();
        Ok(shards)
    }

    /// Uses the names `BASE:0` to `BASE:(count - 1)`.
    ///
    /// Fails with [`ShardError::NoNames`] if `count` is 0, and with [`ShardError::Braces`] if
    /// `base` has braces.
    pub fn numbered(base: &str, count: usize) -> Result<Self, ShardError> {
        if base.contains(['{', '}']) {
            let base = base.to_owned();
            return Err(ShardError::Braces { base });
        }
        Self::new((0..count).map(|number| format!("{base}:{number}")))
    }

    /// Prepares the change to the names `next`: takes from them as well, and offers to these names.
    ///
    /// An offer under a key that `next` gives to another shard fails with [`ShardError::KeyMoves`].
    ///
    /// Fails as [`new`](Self::new) for all names together, and with [`ShardError::Unsettled`] if
    /// these names or `next` are changing already.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_delayed_queue::Shards;
    ///
    /// let (four, six) = (Shards::numbered("orders", 4)?, Shards::numbered("orders", 6)?);
    /// let shards = four.before(&six)?;
    /// assert_eq!(shards.len(), 4);
    /// assert_eq!(shards.drained_names().collect::<Vec<_>>(), ["orders:4", "orders:5"]);
    /// # Ok::<(), redisson_delayed_queue::ShardError>(())
    /// ```
    pub fn before(self, next: &Self) -> Result<Self, ShardError> {
        self.changing(Stage::Before, next)
    }

    /// Ends the change from the names `previous`: offers to these names, and takes from the
    /// previous ones as well. Fails as [`before`](Self::before).
    ///
    /// An offer under a key that `previous` gives to another shard first looks there. If an element
    /// is pending under the key, the offer keeps it with
    /// [`IfPending::Keep`](crate::IfPending::Keep), and fails with [`ShardError::KeyMoves`]
    /// otherwise.
    pub fn after(self, previous: &Self) -> Result<Self, ShardError> {
        self.changing(Stage::After, previous)
    }

    /// Also takes from these names, and never offers to them: for names that were removed while
    /// Java may still write there.
    ///
    /// Fails as [`new`](Self::new) for all names together, and with [`ShardError::Twice`] if
    /// elements are offered to one of the names.
    pub fn retired(
        mut self,
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, ShardError> {
        for name in names {
            let name = name.as_ref().to_owned();
            match self.place_named(&name) {
                Some(place) if place < self.current => return Err(ShardError::Twice { name }),
                Some(_) => {}
                None => drop(self.add(name)?),
            }
        }
        Ok(self)
    }

    /// The names to offer to.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all().take(self.current)
    }

    /// How many names there are to offer to; at least one.
    #[expect(clippy::len_without_is_empty, reason = "there is at least one name")]
    #[must_use]
    pub fn len(&self) -> usize {
        self.current
    }

    /// The names that are only taken from: retired ones, and those on the other side of a change.
    pub fn drained_names(&self) -> impl Iterator<Item = &str> {
        self.all().skip(self.current)
    }

    /// The name to which an offer under `key` goes, unless the key is [moving](ShardError::KeyMoves).
    ///
    /// The key is hashed by `java.util.zip.CRC32`, and so is each name in UTF-8. With `n` and `k` for
    /// the two hashes, the score of a name is the signed 64-bit number that comes out of these steps:
    ///
    /// ```text
    /// x = k << 32 | n
    /// x = (x ^ x >>> 30) * 0xbf58476d1ce4e5b9
    /// x = (x ^ x >>> 27) * 0x94d049bb133111eb
    /// x =  x ^ x >>> 31
    /// ```
    ///
    /// The name with the highest score has the key. This rule never changes.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_delayed_queue::Shards;
    ///
    /// let shards = Shards::numbered("orders", 8)?;
    /// assert_eq!(shards.shard_of("customer 17"), "orders:4");
    /// # Ok::<(), redisson_delayed_queue::ShardError>(())
    /// ```
    #[must_use]
    pub fn shard_of(&self, key: impl AsRef<[u8]>) -> &str {
        self.text(self.current_of(key.as_ref()))
    }

    /// Takes from the names of `other` as well, and notes them for the keys.
    fn changing(mut self, stage: Stage, other: &Self) -> Result<Self, ShardError> {
        if self.change.is_some() || other.change.is_some() {
            return Err(ShardError::Unsettled);
        }
        let mut others = Vec::new();
        for name in other.names() {
            others.push(self.place_or_add(name)?);
        }
        for name in other.drained_names() {
            self.place_or_add(name)?;
        }
        self.change = Some(Change { stage, others });
        Ok(self)
    }

    fn place_or_add(&mut self, name: &str) -> Result<usize, ShardError> {
        match self.place_named(name) {
            Some(place) => Ok(place),
            None => self.add(name.to_owned()),
        }
    }

    /// Adds a name that is not there yet, and returns its place.
    fn add(&mut self, text: String) -> Result<usize, ShardError> {
        let added = Name {
            key: QueueKeys::new(&*text)?.timeouts().to_owned(),
            hash: crc32(text.as_bytes()),
            text,
        };
        for known in &self.names {
            let (name, other) = (&added.text, &known.text);
            if added.key == known.key {
                let (name, other) = (name.clone(), other.clone());
                return Err(ShardError::SharesKeys { name, other });
            }
            if added.hash == known.hash {
                let (name, other) = (name.clone(), other.clone());
                return Err(ShardError::SameHash { name, other });
            }
        }
        self.names.push(added);
        Ok(self.names.len() - 1)
    }

    /// All names: those to offer to, and behind them those that are only taken from.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &*name.text)
    }

    pub(super) fn text(&self, place: usize) -> &str {
        &self.names[place].text
    }

    pub(super) fn place_named(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known.text == name)
    }

    /// Where the element of a key belongs.
    pub(super) fn home_of(&self, key: &[u8]) -> Home {
        let here = self.current_of(key);
        let Some(change) = &self.change else {
            return Home::At(here);
        };
        match (change.stage, self.best(key, change.others.iter().copied())) {
            (_, other) if other == here => Home::At(here),
            (Stage::Before, next) => Home::Leaving(here, next),
            (Stage::After, previous) => Home::Arriving(previous, here),
        }
    }

    /// The place of the name to offer to under this key.
    pub(super) fn current_of(&self, key: &[u8]) -> usize {
        self.best(key, 0..self.current)
    }

    /// Which of these places has the highest score. There must be one place at least.
    fn best(&self, key: &[u8], places: impl Iterator<Item = usize>) -> usize {
        let key = crc32(key);
        let best = places.max_by_key(|place| score(self.names[*place].hash, key));
        best.expect("a sharded queue has at least one name")
    }
}

#[cfg(test)]
mod tests;
