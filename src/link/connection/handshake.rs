//! The first commands of a new connection. They follow the login, which the driver does.

use std::collections::HashMap;

use redis::{ErrorKind, RedisResult, Value, from_redis_value};

use super::{Connection, Purpose};

/// The answers of the server to the first commands of a connection.
pub(super) struct Introduced {
    /// What its clock shows, as Unix time.
    pub(super) time_us: i64,
    /// Whether it tells of changes, for a connection that asked for that.
    pub(super) tracking: RedisResult<()>,
    pub(super) role: Role,
}

/// What part a server plays among others.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Role {
    /// A master on its own, or nobody asked.
    #[default]
    Alone,
    /// A node of a cluster.
    Node,
    Replica,
}

impl Introduced {
    /// Introduces a connection for this purpose, in one round trip.
    pub(super) async fn begin(
        connection: &mut Connection,
        database: i64,
        purpose: &Purpose,
    ) -> RedisResult<Self> {
        let delivers = matches!(purpose, Purpose::Delivery(_));
        let mut pipeline = redis::pipe();
        pipeline.ignore_errors();
        // The driver would do this as well, and keep to itself that a right is missing.
        if database != 0 {
            pipeline.cmd("SELECT").arg(database);
        }
        // For people who look at `CLIENT LIST`. Without the right it stays without a name.
        pipeline
            .cmd("CLIENT")
            .arg("SETNAME")
            .arg(format!("rdq:{}", purpose.name()))
            .ignore();
        if delivers {
            // The driver keeps the reply to its own.
            pipeline.cmd("HELLO");
            add_tracking(&mut pipeline);
        }
        pipeline.cmd("TIME");
        let replies: Vec<RedisResult<Value>> = pipeline.query_async(connection).await?;
        let mut replies = replies.into_iter();
        let mut reply = || {
            let missing = "a pipeline was answered without a reply";
            let missing = (ErrorKind::UnexpectedReturnType, missing);
            replies.next().unwrap_or_else(|| Err(missing.into()))
        };
        if database != 0 {
            reply()?;
        }
        let (mut role, mut tracking) = (Role::default(), Ok(()));
        if delivers {
            role = reply().map(Role::from_hello).unwrap_or_default();
            tracking = reply().and(reply()).map(drop);
        }
        let (seconds, us): (i64, i64) = from_redis_value(reply()?)?;
        Ok(Self {
            time_us: seconds * 1_000_000 + us,
            tracking,
            role,
        })
    }
}

impl Role {
    fn from_hello(reply: Value) -> Self {
        let said: HashMap<String, Value> = from_redis_value(reply).unwrap_or_default();
        let text = |name| {
            let text: Option<String> = from_redis_value(said.get(name)?.clone()).ok();
            text
        };
        match (text("mode").as_deref(), text("role").as_deref()) {
            (_, Some("replica" | "slave")) => Self::Replica,
            (Some("cluster"), _) => Self::Node,
            _ => Self::Alone,
        }
    }
}

/// Has the server track keys for the connection.
///
/// Only those keys whose reads are permitted one by one: otherwise it would remember all keys of
/// every script, for each queue that ever was, until they change.
fn add_tracking(pipeline: &mut redis::Pipeline) {
    pipeline
        // NOLOOP: what this client itself moves, its own tasks tell each other.
        .cmd("CLIENT")
        .arg(&["TRACKING", "ON", "OPTIN", "NOLOOP"])
        // Tried before it is needed. It holds for the next command, which reads no key.
        .cmd("CLIENT")
        .arg(&["CACHING", "YES"]);
}
