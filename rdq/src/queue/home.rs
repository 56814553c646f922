//! Which of two queues some keys belong to: `orders` and `{orders}` have the same keys.

use std::iter::once;

use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::{Client, Error, Result};

/// The queue or the queues to which keys may belong. Only the target queues differ, so a target queue
/// tells, if it is there.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Home {
    /// No other queue can have these keys, or only the target queue of this one is there.
    Sure(String),
    /// Both target queues are there.
    Both([String; 2]),
    /// Neither target queue is there, so nothing tells. The first name has no braces.
    Unknown([String; 2]),
}

impl Home {
    /// # Redis
    ///
    /// `TYPE` of the two target queues.
    pub(crate) async fn find(client: &Client, keys: &QueueKeys) -> Result<Self> {
        let name = keys.target().to_owned();
        let Some(twin) = keys.twin() else {
            return Ok(Self::Sure(name));
        };
        let is_there = [is_list(client, &name).await?, is_list(client, &twin).await?];
        Ok(match is_there {
            [true, false] => Self::Sure(name),
            [false, true] => Self::Sure(twin),
            [true, true] => Self::Both([name, twin]),
            [false, false] => Self::Unknown([name, twin]),
        })
    }

    /// The names by which to look at the queue, or at both. Looking does no harm.
    pub(crate) fn names(self) -> impl Iterator<Item = String> {
        let (first, second) = match self {
            Self::Sure(name) | Self::Unknown([name, _]) => (name, None),
            Self::Both([name, twin]) => (name, Some(twin)),
        };
        once(first).chain(second)
    }
}

/// True if the server that has this key has a list there.
async fn is_list(client: &Client, key: &str) -> Result<bool> {
    let Ok(master) = client.master_of(key) else {
        // A cluster has no queue of this name.
        return Ok(false);
    };
    match master.query::<String>(cmd("TYPE").arg(key)).await {
        Ok(held) => Ok(held == "list"),
        // Without the right to look, nothing tells.
        Err(Error::Denied { .. } | Error::Refused { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
