//! What a server has refused to its users.

use std::collections::BTreeMap;

use redisson_delayed_queue::redis::{Value, cmd, from_redis_value};
use redisson_delayed_queue::{Master, Result};

/// Something that Redis refused to a user.
pub(crate) struct Refusal {
    pub(crate) user: String,
    /// `command`, `key` or `channel`.
    pub(crate) reason: String,
    /// The command, the key or the channel itself.
    pub(crate) object: String,
    pub(crate) count: u64,
}

/// The refusals of the last day in `ACL LOG`. Those of rdq itself do not count.
///
/// # Redis
///
/// One `ACL LOG`, of 128 entries at most.
pub(crate) async fn of_last_day(master: &Master) -> Vec<Refusal> {
    let log: Result<Vec<Value>> = master.query(cmd("ACL").arg("LOG").arg(128)).await;
    let entries = log.unwrap_or_default().into_iter();
    let fields =
        entries.filter_map(|entry| from_redis_value::<BTreeMap<String, Value>>(entry).ok());
    let mut refused: BTreeMap<(String, String, String), u64> = BTreeMap::new();
    for entry in fields {
        let text = |name: &str| {
            let value = entry.get(name).cloned().unwrap_or(Value::Nil);
            from_redis_value::<String>(value).unwrap_or_default()
        };
        let age: f64 = text("age-seconds").parse().unwrap_or(0.0);
        if age > DAY_S || text("client-info").contains("name=rdq-cli") || text("reason") == "auth" {
            continue;
        }
        let count = text("count").parse().unwrap_or(1);
        *refused
            .entry((text("username"), text("reason"), text("object")))
            .or_default() += count;
    }
    let refusal = |((user, reason, object), count)| Refusal {
        user,
        reason,
        object,
        count,
    };
    refused.into_iter().map(refusal).collect()
}

const DAY_S: f64 = 86_400.0;
