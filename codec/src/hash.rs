//! Maps of names, with a hash that is quicker than the default one. Users choose the names in them:
//! what a payload names is only looked up.

pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, rustc_hash::FxBuildHasher>;
