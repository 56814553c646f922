use std::collections::HashMap;

use redis::{Value, from_redis_value};

/// The part that a server plays among others.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Role {
    /// A master without a cluster, or a server whose role is unknown.
    #[default]
    Alone,
    Node,
    Replica,
    Sentinel,
}

impl Role {
    pub(super) fn from_hello(reply: Value) -> Self {
        let said: HashMap<String, Value> = from_redis_value(reply).unwrap_or_default();
        let text = |name| {
            let text: Option<String> = from_redis_value(said.get(name)?.clone()).ok();
            text
        };
        match (text("mode").as_deref(), text("role").as_deref()) {
            (_, Some("replica" | "slave")) => Self::Replica,
            (Some("cluster"), _) => Self::Node,
            (Some("sentinel"), _) => Self::Sentinel,
            _ => Self::Alone,
        }
    }

    /// Reads the reply to `ROLE`, which does not say whether a server belongs to a cluster.
    pub(super) fn from_role(reply: Value) -> Self {
        let said: Vec<Value> = from_redis_value(reply).unwrap_or_default();
        let text = said.into_iter().next().map(from_redis_value::<String>);
        match text {
            Some(Ok(text)) if text == "slave" => Self::Replica,
            Some(Ok(text)) if text == "sentinel" => Self::Sentinel,
            _ => Self::Alone,
        }
    }
}
