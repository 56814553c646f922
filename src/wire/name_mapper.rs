//! The names of queues: as users call them, and as they stand in Redis.

use std::fmt;
use std::sync::Arc;

use crate::wire::keys::{NameError, QueueKeys};

/// Translates between the names that a program uses for its queues and their names in Redis;
/// Redisson's `NameMapper`.
///
/// Set by [`ClientBuilder::name_mapper`](crate::ClientBuilder::name_mapper). [`PrefixMapper`] is the
/// one that most programs need.
///
/// # Where it applies
///
/// - [`map`](Self::map) applies to every queue name that a call takes, such as those of
///   [`delayed_queue`](crate::Client::delayed_queue), [`rename`](crate::QueueObject::rename),
///   [`move_to`](crate::BlockingQueue::move_to) and
///   [`poll_from_any`](crate::BlockingQueue::poll_from_any), and to the names of
///   [`Shards`](crate::Shards). All keys and channels of the queue follow from its mapped name, by
///   the rules in [`keys`](crate::keys).
/// - [`unmap`](Self::unmap) applies to every queue name that the crate shows: the `name()` of a
///   handle, the results of a [`Selector`](crate::Selector), errors, events and log lines. A
///   [`ShardTicket`](crate::ShardTicket) has the program's name of its shard.
/// - Neither applies to keys: [`QueueKeys::new`](crate::keys::QueueKeys::new) takes a mapped name,
///   [`Error::WrongType`](crate::Error::WrongType) says which key has the wrong type, and the rules
///   of an ACL name the keys of mapped names.
///
/// # What it must keep to
///
/// - The same argument must always give the same result, in every process that uses the queue, in
///   Java too. Otherwise one name leads to different queues.
/// - `unmap` must turn each result of `map` back into the name. If it does not, all calls still
///   reach the queue that `map` names, but the crate shows the name that `unmap` returns.
/// - `map` must return different results for different names. Names with one result are one queue.
/// - Both must return quickly. A call runs them on its caller's thread, before it sends anything. No
///   background task runs them.
///
/// If one of them panics, the panic reaches the caller. Nothing was sent, and the client and its
/// other queues go on.
///
/// # Compatibility
///
/// As `NameMapper` in `config.useSingleServer().setNameMapper(mapper)`, or `config.setNameMapper`
/// in recent versions. These methods of Redisson do not map the name that they take, so give them
/// the mapped name:
///
/// - `RDelayedQueue.pollLastAndOfferFirstTo(name)` and `RQueue.pollLastAndOfferFirstTo(name)`.
///   `RBlockingQueue.pollLastAndOfferFirstTo(name, timeout, unit)` does map it.
/// - `RDeque.move(args)` and `RBlockingDeque.move(timeout, args)`.
/// - `rename(name)` in older versions, such as 3.23.4.
///
/// # Examples
///
/// One Redis for several tenants:
///
/// ```
/// use redisson_delayed_queue::{Client, NameMapper};
///
/// struct Tenant {
///     id: u32,
/// }
///
/// impl NameMapper for Tenant {
///     fn map(&self, name: &str) -> String {
///         format!("tenant-{}:{name}", self.id)
///     }
///
///     fn unmap(&self, mapped: &str) -> String {
///         let prefix = format!("tenant-{}:", self.id);
///         mapped.strip_prefix(&prefix).unwrap_or(mapped).to_owned()
///     }
/// }
///
/// let tenant = Tenant { id: 7 };
/// assert_eq!(tenant.map("orders"), "tenant-7:orders");
/// assert_eq!(tenant.unmap("tenant-7:orders"), "orders");
/// let builder = Client::builder().name_mapper(tenant);
/// ```
pub trait NameMapper: Send + Sync + 'static {
    /// Returns the name in Redis, which is the key of the target queue, of the queue that the
    /// program calls `name`.
    ///
    /// `name` is never empty. If the result is empty, the call fails with
    /// [`Error::Name`](crate::Error::Name).
    fn map(&self, name: &str) -> String;

    /// Returns the program's name for the queue that is called `mapped` in Redis.
    fn unmap(&self, mapped: &str) -> String;
}

/// A mapper that several clients share.
impl<M: NameMapper + ?Sized> NameMapper for Arc<M> {
    fn map(&self, name: &str) -> String {
        M::map(self, name)
    }

    fn unmap(&self, mapped: &str) -> String {
        M::unmap(self, mapped)
    }
}

/// Puts a prefix before the names of all queues.
///
/// # Redis
///
/// The prefix counts in Redis Cluster like the rest of the name. With braces in it, as in
/// `{shop}:`, all queues lie in one slot, including the shards of a
/// [`ShardedQueue`](crate::ShardedQueue).
///
/// # Compatibility
///
/// Redisson has no such class. This one does the same:
///
/// ```java
/// NameMapper mapper = new NameMapper() {
///     public String map(String name) { return "shop:" + name; }
///     public String unmap(String name) { return name.substring("shop:".length()); }
/// };
/// config.useSingleServer().setNameMapper(mapper);
/// ```
///
/// # Examples
///
/// ```no_run
/// use redisson_delayed_queue::{Client, PrefixMapper, codec::StringCodec};
///
/// # async fn run() -> redisson_delayed_queue::Result<()> {
/// let client = Client::builder()
///     .name_mapper(PrefixMapper::new("shop:"))
///     .connect("redis://127.0.0.1/")
///     .await?;
/// // Its ready elements are in the list `shop:orders`.
/// let orders = client.delayed_queue::<String, _>("orders", StringCodec)?;
/// assert_eq!(orders.name(), "orders");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PrefixMapper {
    prefix: String,
}

impl PrefixMapper {
    /// A mapper that puts `prefix` before each name, without anything in between.
    #[must_use]
    pub fn new(prefix: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
        }
    }
}

impl NameMapper for PrefixMapper {
    fn map(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Removes the prefix. A name without it stays as it is.
    fn unmap(&self, mapped: &str) -> String {
        mapped
            .strip_prefix(&self.prefix)
            .unwrap_or(mapped)
            .to_owned()
    }
}

/// The name mapper of a client, if it has one. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Mapper(Option<Arc<dyn NameMapper>>);

impl Mapper {
    pub(crate) fn new(mapper: impl NameMapper) -> Self {
        Self(Some(Arc::new(mapper)))
    }

    /// The keys of the queue that users call `name`. They know how to show its name.
    ///
    /// Every name that a user gives goes through here, and through nothing else.
    pub(crate) fn keys(&self, name: &str) -> Result<QueueKeys, NameError> {
        let Some(mapper) = &self.0 else {
            return QueueKeys::new(name);
        };
        if name.is_empty() {
            return Err(NameError::Empty);
        }
        self.keys_in_redis(mapper.map(name))
    }

    /// The keys of the queue that is called `mapped` in Redis. They know how to show its name.
    pub(crate) fn keys_in_redis(&self, mapped: String) -> Result<QueueKeys, NameError> {
        let keys = QueueKeys::new(mapped)?;
        Ok(match &self.0 {
            None => keys,
            Some(mapper) => {
                let shown = mapper.unmap(keys.target());
                keys.shown_as(shown)
            }
        })
    }
}

impl fmt::Debug for Mapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Mapper" } else { "None" })
    }
}
