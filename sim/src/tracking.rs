//! Client-side caching: which connections want to hear that a key changed.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use crate::session::SessionId;

/// What a connection asked for with `CLIENT TRACKING`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tracking {
    pub(crate) is_on: bool,
    /// Only the keys of the command behind `CLIENT CACHING YES` are tracked.
    pub(crate) opts_in: bool,
    /// The connection's own changes are left out.
    pub(crate) has_no_loop: bool,
    /// `CLIENT CACHING YES` stood in front of the next command.
    pub(crate) is_caching: bool,
}

impl Tracking {
    /// True if the keys that the present command reads are to be tracked.
    pub(crate) fn applies(&self) -> bool {
        self.is_on && (!self.opts_in || self.is_caching)
    }
}

/// Who read which key since it changed last. Databases do not count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readers(BTreeMap<Bytes, BTreeSet<SessionId>>);

impl Readers {
    pub(crate) fn add(&mut self, key: &Bytes, session: SessionId) {
        self.0.entry(key.clone()).or_default().insert(session);
    }

    /// Takes those out who read the key.
    pub(crate) fn take(&mut self, key: &Bytes) -> BTreeSet<SessionId> {
        self.0.remove(key).unwrap_or_default()
    }
}
