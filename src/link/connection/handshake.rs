//! The first commands of a new connection. They follow the login, which the driver does.

use redis::{RedisResult, Value, from_redis_value};

use super::failure::missing_reply;
use super::purpose::Purpose;
use super::role::Role;
use super::socket::Connection;
use crate::error::Unreachable;

/// The answers of the server to the first commands of a connection.
pub(super) struct Introduced {
    /// The time of its clock, unix us.
    pub(super) time_us: i64,
    /// An error if the connection asked for reports of changed keys and does not get them.
    pub(super) tracking: RedisResult<()>,
    pub(super) role: Role,
}

/// What a new connection says and asks, in one round trip.
struct Introduction<'a> {
    database: i64,
    name: &'a str,
    /// The server tells more in RESP3.
    hears: bool,
    /// The connection asks for reports of changed keys.
    tracks: bool,
}

impl Introduced {
    /// Introduces a connection of this name for this purpose, in one round trip.
    pub(super) async fn begin(
        connection: &mut Connection,
        database: i64,
        name: &str,
        purpose: &Purpose,
    ) -> RedisResult<Self> {
        let hears = connection.hears();
        let introduction = Introduction {
            database,
            name,
            hears,
            tracks: hears && matches!(purpose, Purpose::Delivery(_)),
        };
        let replies = introduction.pipeline().query_async(connection).await?;
        introduction.read(replies)
    }
}

impl Introduction<'_> {
    fn pipeline(&self) -> redis::Pipeline {
        let mut pipeline = redis::pipe();
        pipeline.ignore_errors();
        // The driver could do this, but it hides a missing right.
        if self.database != 0 {
            pipeline.cmd("SELECT").arg(self.database);
        }
        // For people who look at `CLIENT LIST`. A user without the right has no name there.
        let client = pipeline.cmd("CLIENT");
        client.arg("SETNAME").arg(self.name).ignore();
        if self.hears {
            // The driver sends one as well, but does not show the reply.
            pipeline.cmd("HELLO");
        } else {
            pipeline.cmd("ROLE");
        }
        if self.tracks {
            add_tracking(&mut pipeline);
        }
        pipeline.cmd("TIME");
        pipeline
    }

    /// Reads the replies to [`pipeline`](Self::pipeline).
    fn read(&self, replies: Vec<RedisResult<Value>>) -> RedisResult<Introduced> {
        let mut replies = replies.into_iter();
        let mut reply = || replies.next().unwrap_or_else(|| Err(missing_reply()));
        if self.database != 0 {
            reply()?;
        }
        let read_role = if self.hears {
            Role::from_hello
        } else {
            Role::from_role
        };
        // A user without the right, or a proxy, leaves it unknown.
        let role = reply().map(read_role).unwrap_or_default();
        if role == Role::Sentinel {
            return Err(Unreachable::Sentinel.into());
        }
        let tracking = if self.tracks {
            reply().and(reply()).map(drop)
        } else {
            Ok(())
        };
        let (seconds, us): (i64, i64) = from_redis_value(reply()?)?;
        Ok(Introduced {
            time_us: seconds * 1_000_000 + us,
            tracking,
            role,
        })
    }
}

/// Makes the server track keys for the connection.
///
/// It tracks only keys whose reads are announced one by one (`OPTIN`). Otherwise it would remember
/// all keys of every script, of each queue that ever was, until they change.
fn add_tracking(pipeline: &mut redis::Pipeline) {
    pipeline
        // NOLOOP: this client's tasks tell each other what it moves itself.
        .cmd("CLIENT")
        .arg(&["TRACKING", "ON", "OPTIN", "NOLOOP"])
        // Only tries whether the user has the right: the next command reads no key.
        .cmd("CLIENT")
        .arg(&["CACHING", "YES"]);
}
