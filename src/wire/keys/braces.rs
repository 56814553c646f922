//! How braces in a name decide the names of keys and their slot.

/// The name of a key or a channel of a queue.
pub(super) fn prefixed(prefix: &str, name: &str) -> String {
    if name.contains('{') {
        format!("{prefix}:{name}")
    } else {
        format!("{prefix}:{{{name}}}")
    }
}

/// The part of a key that decides its slot.
pub(super) fn hash_tag(key: &str) -> &str {
    key.split_once('{')
        .and_then(|(_, rest)| rest.split_once('}'))
        .map(|(tag, _)| tag)
        .filter(|tag| !tag.is_empty())
        .unwrap_or(key)
}

/// The text in the pair of braces, if there is one pair around the whole name.
pub(super) fn bare(name: &str) -> Option<&str> {
    let bare = name.strip_prefix('{')?.strip_suffix('}')?;
    (!bare.is_empty() && !bare.contains('{')).then_some(bare)
}
