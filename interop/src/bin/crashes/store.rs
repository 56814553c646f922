//! Where consumers write what they handled.

use redis::{Client, Connection, Script};

use crate::Result;

/// A store that refuses a write with a lower fence than it has seen, as users are asked to have.
pub(crate) struct Store {
    connection: Connection,
    write: Script,
}

impl Store {
    pub(crate) fn open(url: &str) -> Result<Self> {
        let connection = Client::open(url).and_then(|it| it.get_connection());
        Ok(Self {
            connection: connection.map_err(|error| error.to_string())?,
            write: Script::new(WRITE),
        })
    }

    /// False if it was refused.
    pub(crate) fn write(&mut self, group: &str, element: &str, fence: u64) -> Result<bool> {
        let mut call = self.write.key(FENCES);
        call.key(WRITTEN).arg(group).arg(element).arg(fence);
        let written = call.invoke(&mut self.connection);
        written.map_err(|error| error.to_string())
    }

    /// All elements that it took, in order.
    pub(crate) fn written(&mut self) -> Result<Vec<String>> {
        let written = redis::cmd("LRANGE")
            .arg(WRITTEN)
            .arg(0)
            .arg(-1)
            .query(&mut self.connection);
        written.map_err(|error| error.to_string())
    }
}

const WRITE: &str = "
if tonumber(ARGV[3]) < tonumber(redis.call('hget', KEYS[1], ARGV[1]) or '0') then
  return false
end
redis.call('hset', KEYS[1], ARGV[1], ARGV[3])
redis.call('rpush', KEYS[2], ARGV[2])
return true
";
const FENCES: &str = "fences";
const WRITTEN: &str = "written";
