//! A file of `lua/`, as the driver sends it.

use redis::{Script, ScriptInvocation};

use super::library::compose;
use crate::wire::keys::{QueueKeys, names};

/// A script that names its keys.
pub(super) struct Lua {
    pub(super) script: Script,
    /// The names of its keys, in the order of KEYS.
    names: Vec<&'static str>,
}

impl Lua {
    /// Composes a script of these parts. The last one names all keys.
    pub(super) fn new(parts: &[&'static str]) -> Self {
        let header = parts.last().copied().unwrap_or_default();
        Self {
            script: Script::new(&compose(parts)),
            names: names(header).map(|(_, name)| name).collect(),
        }
    }

    /// Begins a call about a queue.
    pub(super) fn of(&self, keys: &QueueKeys) -> ScriptInvocation<'_> {
        self.with(|name| keys.named(name))
    }

    /// Begins a call about a queue and its dead letters.
    pub(super) fn of_both(&self, keys: &QueueKeys, dead: &QueueKeys) -> ScriptInvocation<'_> {
        self.with(|name| match name {
            "dead" => Some(dead.target()),
            "dead_notes" => Some(dead.dead_notes()),
            name => keys.named(name),
        })
    }

    /// Begins a call with the keys that have these names.
    pub(super) fn with<'k>(
        &self,
        key: impl Fn(&'static str) -> Option<&'k str>,
    ) -> ScriptInvocation<'_> {
        let mut invocation = self.script.prepare_invoke();
        for key in self.keys(key) {
            invocation.key(key);
        }
        invocation
    }

    /// The keys that have these names, in the order of KEYS, up to the first that the caller does
    /// without. If it does without one that the script needs, the first call fails; each script is
    /// called by a test.
    pub(super) fn keys<'k>(
        &self,
        key: impl Fn(&'static str) -> Option<&'k str>,
    ) -> impl Iterator<Item = &'k str> {
        self.names.iter().map_while(move |name| key(name))
    }
}
