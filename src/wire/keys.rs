//! The Redis names of one queue. Nothing else spells them.
//!
//! Redisson names three keys and a channel after a queue, and this crate adds seventeen keys, a
//! channel, and a key for each trace that is carried. All follow Redisson's brace rule: a name that
//! contains `{` is appended as it is, any other name in braces. So all keys of a queue share a hash
//! tag and a cluster slot. If the client has a [name mapper](crate::NameMapper), the names follow
//! from the mapped name.
//!
//! | Accessor | Name for the queue `orders` | Written by |
//! |---|---|---|
//! | [`target`](QueueKeys::target) | `orders` | Redisson and this crate |
//! | [`ordering`](QueueKeys::ordering) | `redisson_delay_queue:{orders}` | Redisson and this crate |
//! | [`timeouts`](QueueKeys::timeouts) | `redisson_delay_queue_timeout:{orders}` | Redisson and this crate |
//! | [`channel`](QueueKeys::channel) | `redisson_delay_queue_channel:{orders}` | Redisson and this crate |
//! | [`leases`](QueueKeys::leases) | `rdq1_leases:{orders}` | this crate only |
//! | [`quarantine`](QueueKeys::quarantine) | `rdq1_quarantine:{orders}` | this crate only |
//! | [`settled`](QueueKeys::settled) | `rdq1_settled:{orders}` | this crate only |
//! | [`keyed`](QueueKeys::keyed) | `rdq1_keyed:{orders}` | this crate only |
//! | [`keyed_due`](QueueKeys::keyed_due) | `rdq1_keyed_due:{orders}` | this crate only |
//! | [`periodic`](QueueKeys::periodic) | `rdq1_periodic:{orders}` | this crate only |
//! | [`periodic_due`](QueueKeys::periodic_due) | `rdq1_periodic_due:{orders}` | this crate only |
//! | [`state`](QueueKeys::state) | `rdq1_state:{orders}` | this crate only |
//! | [`counts`](QueueKeys::counts) | `rdq1_counts:{orders}` | this crate only |
//! | [`deliveries`](QueueKeys::deliveries) | `rdq1_deliveries:{orders}` | this crate only |
//! | [`delivery_leases`](QueueKeys::delivery_leases) | `rdq1_delivery_leases:{orders}` | this crate only |
//! | [`retries`](QueueKeys::retries) | `rdq1_retries:{orders}` | this crate only |
//! | [`groups`](QueueKeys::groups) | `rdq1_groups:{orders}` | this crate only |
//! | [`grouped`](QueueKeys::grouped) | `rdq1_grouped:{orders}` | this crate only |
//! | [`fence`](QueueKeys::fence) | `rdq1_fence:{orders}` | this crate only |
//! | [`clock`](QueueKeys::clock) | `rdq1_clock:{orders}` | this crate only |
//! | [`dead_notes`](QueueKeys::dead_notes) | `rdq1_dead_notes:{orders}`, if `orders` is a dead-letter queue | this crate only |
//! | [`trace`](QueueKeys::trace) | `rdq1_trace:{orders}:` and a digest, for each offer that [carries a trace](crate::TraceCarrier) | this crate only |
//! | [`moved`](QueueKeys::moved) | `rdq1_moved.0:{orders}`, a channel | this crate only |
//!
//! Pub/sub ignores databases: a subscriber hears messages from all of them. So the crate's own
//! channel carries the number of the database. Redisson's channel does not. A message from
//! another database only makes this crate look at the queue earlier. (A Java client looks later if it hears a later due
//! time of a queue with the same name in another database.)
//!
//! Java does not know this crate's keys, so its delete, clear, expire and rename leave them as they
//! are. Leases survive, like elements that Java has already popped, and so do the deliveries of a
//! [`Consumer`](crate::Consumer). The other keys go as the next section says.
//!
//! # When keys go
//!
//! Redis deletes a list, set or hash with its last entry. The target queue, the ordering list, the
//! timeout set, the leases and their payloads go that way. Those of a killed process stay until the
//! leases have run out and a Rust client transfers the queue or takes from it. The deliveries of a
//! [`Consumer`](crate::Consumer) stay, with their leases, retries and groups, until a consumer of the queue
//! acknowledges them or gives them up; nothing else ends them. Periodic offers, a pause and a rate
//! limit stay until somebody removes them. The other keys go as follows; where the table names a time, even if no
//! client comes again:
//!
//! | Key | Goes |
//! |---|---|
//! | `rdq1_settled` | 61 s after the last call that had to be remembered; later after one with a [large payload](crate::MAX_PAYLOAD), and a week after an import by the program `rdq` |
//! | `rdq1_keyed`, `rdq1_keyed_due` | 61 s after a client that transfers found nothing pending; without such a client, at most 8 days after the latest due time in the queue |
//! | `rdq1_counts` | 7 days after the last element that expired |
//! | `rdq1_state` | when there is no pause and no rate limit, and the ordering list is tidy |
//! | `rdq1_quarantine` | when somebody deletes it |
//! | `rdq1_dead_notes` | with the dead letters that a call of this crate removes; if Java takes them, at the next claim of a consumer |
//! | `rdq1_trace` | when a handler has acknowledged the element, and at the latest an hour after the element is due |
//! | `rdq1_clock` | a week after the last lease or retry |
//! | `rdq1_fence` | a day after the last claim of a consumer whose [processing](crate::ConsumerBuilder::processing) is not parallel |
//!
//! The quarantine is for people to read, so only they empty it. It keeps the members that came
//! first, at most 10,000, because a flood begins with its cause. It takes another member only if
//! `count x size <= 64 MiB`, where `size` is that of the new member. The first always fits. Members
//! that do not fit are dropped. The score of the member `rdq1: so many more were dropped` counts
//! them, and [`Event::Quarantined`](crate::Event::Quarantined) reports them.
//!
//! # Calls about the whole queue
//!
//! The calls of this crate about a whole queue act on all its keys but `rdq1_trace` and these:
//!
//! | Call | Leaves alone |
//! |---|---|
//! | [`clear`](crate::Pending::clear) | all but the timeout set, the ordering list, `rdq1_keyed` and `rdq1_keyed_due` |
//! | [`delete`](crate::QueueObject::delete) | `rdq1_settled` |
//! | [`expire`](crate::QueueObject::expire), [`clear_expire`](crate::QueueObject::clear_expire) | the keys that go by themselves: `rdq1_settled`, `rdq1_keyed`, `rdq1_keyed_due`, `rdq1_counts`, `rdq1_fence` and `rdq1_clock` |
//! | [`rename`](crate::QueueObject::rename) | `rdq1_settled`, `rdq1_leases`, `rdq1_clock`, and the six keys of deliveries: `rdq1_deliveries`, `rdq1_delivery_leases`, `rdq1_retries`, `rdq1_groups`, `rdq1_grouped` and `rdq1_fence` |
//! | [`copy_to`](crate::QueueObject::copy_to) | the same, `rdq1_periodic`, `rdq1_periodic_due` and `rdq1_counts` |
//!
//! The `1` in `rdq1` is the version of this crate's own layout. A version with another layout
//! increments it, so two versions can run side by side on one queue.

mod braces;
mod name_error;
mod table;

use self::braces::{bare, hash_tag, prefixed};
pub use self::name_error::NameError;
use self::table::Keys;
pub(crate) use self::table::Life;
#[cfg(test)]
pub(crate) use self::table::{ROWS, Travel};
use super::digest::digest;

/// Every Redis name of one queue. Redisson never touches those that begin with `rdq1_`.
///
/// # Examples
///
/// ```
/// use redisson_delayed_queue::keys::QueueKeys;
///
/// let keys = QueueKeys::new("orders")?;
/// assert_eq!(keys.target(), "orders");
/// assert_eq!(keys.timeouts(), "redisson_delay_queue_timeout:{orders}");
/// # Ok::<(), redisson_delayed_queue::keys::NameError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QueueKeys {
    /// What users call the queue: the target queue's key, unless a name mapper says otherwise.
    name: String,
    keys: Keys,
    channel: String,
    slot: u16,
}

impl QueueKeys {
    /// Builds the names of the queue `name`, or [`NameError::Empty`] if it is empty.
    ///
    /// # Compatibility
    ///
    /// The rule is Redisson's `RedissonObject.prefixName`, which looks for `{` anywhere in the
    /// name. A [name mapper](crate::NameMapper) runs before that rule, so pass the mapped name.
    pub fn new(name: impl Into<String>) -> Result<Self, NameError> {
        let target = name.into();
        if target.is_empty() {
            return Err(NameError::Empty);
        }

        Ok(Self {
            channel: prefixed("redisson_delay_queue_channel", &target),
            keys: Keys::new(&target),
            slot: crc16::State::<crc16::XMODEM>::calculate(hash_tag(&target).as_bytes()) % 16_384,
            name: target,
        })
    }

    /// The same keys, of a queue that users call `name`.
    pub(crate) fn shown_as(mut self, name: String) -> Self {
        self.name = name;
        self
    }

    /// What users call the queue. It says nothing about keys.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Checks that Redis Cluster keeps all names of this queue in one slot.
    ///
    /// Redis Cluster hashes the text between the first `{` and the first `}` after it. If there is
    /// no such pair, or nothing in it, it hashes the whole key. Under the brace rule, the keys of
    /// names such as `a{b`, `a}b` and `{}q` get different hash tags, and a cluster refuses a script
    /// that touches two slots. Redisson does not check, and fails with CROSSSLOT.
    /// [`NameError::CrossesSlots`] if the hash tags differ; such a name works without a cluster.
    pub fn check_cluster(&self) -> Result<(), NameError> {
        let tag = hash_tag(self.target());
        let mut names = self.derived().chain([self.channel()]);
        if names.any(|name| hash_tag(name) != tag) {
            return Err(NameError::CrossesSlots {
                name: self.name.clone(),
            });
        }

        Ok(())
    }

    /// The queue that has this key, if it is one of the keys that follow from a queue's name.
    ///
    /// The target queue's own key says nothing: any list could be one. `a` and `{a}` share all other
    /// keys; this returns `a`, and [`twin`](Self::twin) the other.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_delayed_queue::keys::QueueKeys;
    ///
    /// let keys = QueueKeys::of_key("redisson_delay_queue_timeout:{orders}").unwrap();
    /// assert_eq!(keys.target(), "orders");
    /// assert_eq!(QueueKeys::of_key("orders"), None);
    /// ```
    #[must_use]
    pub fn of_key(key: &str) -> Option<Self> {
        let (_, rest) = key.split_once(':')?;
        let keys = Self::new(bare(rest).unwrap_or(rest)).ok()?;
        let has = keys.derived().any(|it| it == key) || keys.channel == key;
        has.then_some(keys)
    }

    /// The name of the other queue that has the same keys, if there can be one: `{orders}` for `orders`,
    /// and the other way round.
    ///
    /// Only the target queues differ. Whoever moves an element puts it into the one whose name it
    /// knows, so elements of the two queues get mixed up, in Java as well.
    #[must_use]
    pub fn twin(&self) -> Option<String> {
        match self.target().contains('{') {
            true => bare(self.target()).map(str::to_owned),
            false => Some(format!("{{{}}}", self.target())),
        }
    }

    /// All keys but the target queue's own, which is the name.
    fn derived(&self) -> impl Iterator<Item = &str> {
        self.rows().map(|(key, _)| key).skip(1)
    }

    /// The string with the trace context of the offers of this payload, under its digest.
    #[must_use]
    pub fn trace(&self, payload: &[u8]) -> String {
        format!(
            "{}:{}",
            prefixed("rdq1_trace", self.target()),
            digest(payload)
        )
    }

    /// The pub/sub channel on which clients publish the due time of a new head.
    #[must_use]
    pub fn channel(&self) -> &str {
        &self.channel
    }

    /// The name of the queue for dead letters that a [`Consumer`](crate::Consumer) of this queue uses
    /// unless told otherwise: `{orders}-dead` for `orders`, in the same slot of a cluster. A client with a
    /// [name mapper](crate::NameMapper) maps it, too: [`Consumer::dead_letter_name`] says what to open.
    ///
    /// [`Consumer::dead_letter_name`]: crate::Consumer::dead_letter_name
    #[must_use]
    pub fn default_dead_letters(&self) -> String {
        match self.target().contains('{') {
            true => format!("{}-dead", self.target()),
            false => format!("{{{}}}-dead", self.target()),
        }
    }

    /// The slot of a Redis Cluster in which the queue's keys lie, from 0 to 16,383, if
    /// [`check_cluster`](Self::check_cluster) does not refuse the name.
    #[must_use]
    pub fn slot(&self) -> u16 {
        self.slot
    }

    /// The pub/sub channel of this crate's clients in one database. They tell each other what they
    /// moved and who waits for elements, so that not all of them move and claim.
    #[must_use]
    pub fn moved(&self, database: i64) -> String {
        prefixed(&format!("rdq1_moved.{database}"), self.target())
    }
}

#[cfg(test)]
mod tests;
