//! A key space: what a database holds.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt::Debug,
};

use bytes::Bytes;

use crate::{
    fault::{ErrorReply, WRONG_TYPE},
    sorted_set::SortedSet,
};

/// Keys with their values and when they expire.
#[derive(Clone, Debug, Default)]
pub struct Keyspace {
    entries: BTreeMap<Bytes, Entry>,
    /// The time by which keys expire, unix us.
    pub(crate) now_us: i64,
    /// The keys that were changed since somebody took these.
    pub(crate) changed: Vec<Bytes>,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) value: Value,
    pub(crate) expires_ms: Option<i64>,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(Bytes),
    List(List),
    Hash(Hash),
    SortedSet(SortedSet),
}

pub(crate) type List = VecDeque<Bytes>;
pub(crate) type Hash = BTreeMap<Bytes, Bytes>;

/// A type of values.
pub(crate) trait Kind: Default {
    fn of(value: &Value) -> Option<&Self>;
    fn of_mut(value: &mut Value) -> Option<&mut Self>;
    fn wrap(self) -> Value;
    fn is_empty(&self) -> bool;
}

macro_rules! kind {
    ($type:ty, $variant:ident, $is_empty:expr) => {
        impl Kind for $type {
            fn of(value: &Value) -> Option<&Self> {
                match value {
                    Value::$variant(it) => Some(it),
                    _ => None,
                }
            }

            fn of_mut(value: &mut Value) -> Option<&mut Self> {
                match value {
                    Value::$variant(it) => Some(it),
                    _ => None,
                }
            }

            fn wrap(self) -> Value {
                Value::$variant(self)
            }

            fn is_empty(&self) -> bool {
                $is_empty(self)
            }
        }
    };
}

kind!(Bytes, Text, |_: &Bytes| false);
kind!(List, List, List::is_empty);
kind!(Hash, Hash, Hash::is_empty);
kind!(SortedSet, SortedSet, |it: &SortedSet| it.len() == 0);

impl Value {
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "string",
            Self::List(_) => "list",
            Self::Hash(_) => "hash",
            Self::SortedSet(_) => "zset",
        }
    }
}

impl Keyspace {
    pub(crate) fn now_ms(&self) -> i64 {
        self.now_us.div_euclid(1000)
    }

    /// The entry of a key that has not expired.
    pub(crate) fn entry(&self, key: &[u8]) -> Option<&Entry> {
        self.entries.get(key).filter(|it| !self.has_expired(it))
    }

    pub(crate) fn entry_mut(&mut self, key: &Bytes) -> Option<&mut Entry> {
        self.entries.get_mut(key)
    }

    /// The keys that have not expired, in the order of their bytes.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Bytes> {
        let entries = self.entries.iter();
        entries.filter_map(|(key, it)| (!self.has_expired(it)).then_some(key))
    }

    /// The value of a key; an error if it has another type.
    pub(crate) fn get<K: Kind>(&self, key: &[u8]) -> Result<Option<&K>, ErrorReply> {
        let entry = self.entry(key);
        entry
            .map(|it| K::of(&it.value).ok_or(WRONG_TYPE.into()))
            .transpose()
    }

    /// Changes the value of a key that is there. Without a value afterwards, the key is gone.
    ///
    /// The change is noted if `change` says so.
    pub(crate) fn edit<K: Kind, R>(
        &mut self,
        key: &Bytes,
        change: impl FnOnce(&mut K) -> (R, bool),
    ) -> Result<Option<R>, ErrorReply> {
        let Some(entry) = self.entries.get_mut(key) else {
            return Ok(None);
        };
        let value = K::of_mut(&mut entry.value).ok_or(WRONG_TYPE)?;
        let (result, is_changed) = change(value);
        if value.is_empty() {
            self.entries.remove(key);
        }
        if is_changed {
            self.changed.push(key.clone());
        }
        Ok(Some(result))
    }

    /// As [`edit`](Self::edit), with a new value if the key is not there.
    pub(crate) fn edit_or_add<K: Kind, R>(
        &mut self,
        key: &Bytes,
        change: impl FnOnce(&mut K) -> (R, bool),
    ) -> Result<R, ErrorReply> {
        let new = || Entry {
            value: K::default().wrap(),
            expires_ms: None,
        };
        self.entries.entry(key.clone()).or_insert_with(new);
        let result = self.edit(key, change)?;
        Ok(result.expect("the key is there"))
    }

    /// Gives the key another value.
    pub(crate) fn put(&mut self, key: &Bytes, entry: Entry) {
        self.entries.insert(key.clone(), entry);
        self.changed.push(key.clone());
    }

    /// Takes a key out.
    pub(crate) fn remove(&mut self, key: &Bytes) -> Option<Entry> {
        let entry = self.entries.remove(key)?;
        self.changed.push(key.clone());
        Some(entry)
    }

    /// Adds what another one holds.
    pub(crate) fn extend(&mut self, other: Self) {
        self.entries.extend(other.entries);
    }

    /// Takes all keys out whose time is over.
    pub(crate) fn expire(&mut self) {
        let over = |(key, it): (&Bytes, &Entry)| self.has_expired(it).then(|| key.clone());
        let over: Vec<Bytes> = self.entries.iter().filter_map(over).collect();
        for key in over {
            self.entries.remove(&key);
            self.changed.push(key);
        }
    }

    fn has_expired(&self, entry: &Entry) -> bool {
        entry.expires_ms.is_some_and(|it| self.now_ms() > it)
    }
}
