//! The Redis names of one queue, spelled here and nowhere else.
//!
//! Redisson names three keys and a channel after a queue, and this crate adds nine keys and a
//! channel of its own. All follow Redisson's brace rule: a name that contains `{` is appended as it
//! is, any other name in braces, so that all keys of a queue share a hash tag and with it a cluster
//! slot.
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
//! | [`moved`](QueueKeys::moved) | `rdq1_moved.0:{orders}`, a channel | this crate only |
//!
//! Pub/sub knows no databases: whoever subscribes to a channel hears what is published in any of
//! them. So the crate's own channel carries the number of the database. Redisson's does not, and
//! what is heard there only brings a look at the queue forward. (A Java client puts its next look
//! off when it hears a later due time of a queue of the same name in another database.)
//!
//! What becomes of this crate's own when Java deletes, clears, expires or renames the queue:
//! nothing, since Java does not know them. Leases survive, like elements that Java has already
//! popped. The others go as the next section says.
//!
//! # When keys go
//!
//! Redis deletes a list, set or hash with its last entry. That is all it takes for the target
//! queue, the ordering list, the timeout set and the leases. The leases of a killed process stay
//! until a Rust client that transfers the queue, or takes from it, comes after they have run out.
//! Periodic offers, a pause and a rate limit stay until somebody removes them. The rest goes by
//! itself, also if no client comes again:
//!
//! | Key | Goes |
//! |---|---|
//! | `rdq1_settled` | 61 s after the last call that had to be remembered; later after one with a [large payload](crate::MAX_PAYLOAD), and an hour after one that takes [at most once](crate::ClientBuilder::at_most_once) |
//! | `rdq1_keyed`, `rdq1_keyed_due` | 61 s after a client that transfers found nothing pending; without such a client, at most 8 days after the latest due time in the queue |
//! | `rdq1_counts` | 7 days after the last element that expired |
//! | `rdq1_state` | with the pause and the rate limit; while the ordering list is tidied, with the end of that |
//! | `rdq1_quarantine` | when somebody deletes it |
//!
//! The quarantine is for people, so only they empty it. It keeps the members that came first,
//! because a flood begins with its cause, and at most 10,000 of them. It takes another one only if
//! as many of its size as are in it then make up 64 MiB or less; the first one is kept whatever its
//! size. Members that do not fit are dropped. The score of the member `rdq1: so many more were
//! dropped` counts them, and [`Event::Quarantined`](crate::Event::Quarantined) reports them.
//!
//! # Calls about the whole queue
//!
//! The calls of this crate about a queue as a whole:
//!
//! | Call | Leaves as they are |
//! |---|---|
//! | [`clear`](crate::DelayedQueue::clear) | all but the timeout set, the ordering list, `rdq1_keyed` and `rdq1_keyed_due` |
//! | [`delete`](crate::DelayedQueue::delete), [`expire`](crate::DelayedQueue::expire) | `rdq1_settled` |
//! | [`clear_expire`](crate::DelayedQueue::clear_expire) | the keys that go by themselves: `rdq1_settled`, `rdq1_keyed`, `rdq1_keyed_due` and `rdq1_counts` |
//! | [`rename`](crate::DelayedQueue::rename) | `rdq1_settled` and `rdq1_leases` |
//! | [`copy_to`](crate::DelayedQueue::copy_to) copies no | `rdq1_settled`, `rdq1_leases`, `rdq1_periodic`, `rdq1_periodic_due` and `rdq1_counts` |
//!
//! The `1` in `rdq1` is the version of this crate's own layout. A version that lays its keys out
//! differently counts it up, so two versions can run side by side on one queue.

/// Every Redis name of one queue.
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
    target: String,
    ordering: String,
    timeouts: String,
    channel: String,
    leases: String,
    quarantine: String,
    settled: String,
    keyed: String,
    keyed_due: String,
    periodic: String,
    periodic_due: String,
    state: String,
    counts: String,
}

impl QueueKeys {
    /// Builds the names of the queue `name`.
    ///
    /// # Compatibility
    ///
    /// The rule is Redisson's `RedissonObject.prefixName`, which looks for `{` anywhere in the
    /// name. A Java name mapper runs before that rule, so pass the mapped name.
    ///
    /// # Errors
    ///
    /// - [`NameError::Empty`] if `name` is empty.
    pub fn new(name: impl Into<String>) -> Result<Self, NameError> {
        let target = name.into();
        if target.is_empty() {
            return Err(NameError::Empty);
        }

        Ok(Self {
            ordering: prefixed("redisson_delay_queue", &target),
            timeouts: prefixed("redisson_delay_queue_timeout", &target),
            channel: prefixed("redisson_delay_queue_channel", &target),
            leases: prefixed("rdq1_leases", &target),
            quarantine: prefixed("rdq1_quarantine", &target),
            settled: prefixed("rdq1_settled", &target),
            keyed: prefixed("rdq1_keyed", &target),
            keyed_due: prefixed("rdq1_keyed_due", &target),
            periodic: prefixed("rdq1_periodic", &target),
            periodic_due: prefixed("rdq1_periodic_due", &target),
            state: prefixed("rdq1_state", &target),
            counts: prefixed("rdq1_counts", &target),
            target,
        })
    }

    /// Checks that Redis Cluster keeps all names of this queue in one slot.
    ///
    /// Redis Cluster hashes what stands between the first `{` and the first `}` after it, or the
    /// whole key when there is no such pair or nothing in it. Names such as `a{b`, `a}b` and `{}q`
    /// get different hash tags from the brace rule, and a script that touches two slots is refused.
    ///
    /// # Compatibility
    ///
    /// Redisson does not check: it sends the command and fails with CROSSSLOT.
    ///
    /// # Errors
    ///
    /// - [`NameError::CrossesSlots`] if the hash tags differ. Such a name works without a cluster.
    pub fn check_cluster(&self) -> Result<(), NameError> {
        let names = [
            self.ordering(),
            self.timeouts(),
            self.channel(),
            self.leases(),
            self.quarantine(),
            self.settled(),
            self.keyed(),
            self.keyed_due(),
            self.periodic(),
            self.periodic_due(),
            self.state(),
            self.counts(),
        ];
        if names
            .iter()
            .any(|name| hash_tag(name) != hash_tag(&self.target))
        {
            return Err(NameError::CrossesSlots {
                name: self.target.clone(),
            });
        }

        Ok(())
    }

    /// The queue that has something scheduled under this key, a timeout set or periodic offers.
    ///
    /// Of the names `a` and `{a}`, whose keys are the same, it is the first.
    #[cfg(feature = "test-util")]
    pub(crate) fn of_scheduled(key: &str) -> Option<Self> {
        let (prefix, rest) = key.split_once(':')?;
        let bare = rest
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
            .filter(|bare| !bare.contains('{'));
        let keys = Self::new(bare.unwrap_or(rest)).ok()?;
        let is_ours = ["redisson_delay_queue_timeout", "rdq1_periodic_due"].contains(&prefix)
            && [keys.timeouts(), keys.periodic_due()].contains(&key);
        is_ours.then_some(keys)
    }

    /// The list of payloads that are due: the name of the queue itself.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.target
    }

    /// The list of packed members in offer order.
    #[must_use]
    pub fn ordering(&self) -> &str {
        &self.ordering
    }

    /// The sorted set of packed members by due time, in Unix milliseconds.
    #[must_use]
    pub fn timeouts(&self) -> &str {
        &self.timeouts
    }

    /// The pub/sub channel that hears the due time of a new head.
    #[must_use]
    pub fn channel(&self) -> &str {
        &self.channel
    }

    /// The sorted set of claimed payloads by the end of their lease. Redisson never touches it.
    #[must_use]
    pub fn leases(&self) -> &str {
        &self.leases
    }

    /// Where members go that neither Java nor this crate can unpack. Redisson never touches it.
    #[must_use]
    pub fn quarantine(&self) -> &str {
        &self.quarantine
    }

    /// What remembers settled elements, so a retry does not bring them back. Redisson never touches
    /// it.
    #[must_use]
    pub fn settled(&self) -> &str {
        &self.settled
    }

    /// The hash of the members that were offered under a key, by that key. Redisson never touches
    /// it.
    #[must_use]
    pub fn keyed(&self) -> &str {
        &self.keyed
    }

    /// The sorted set of those keys by when to see whether their members are still there. Redisson
    /// never touches it.
    #[must_use]
    pub fn keyed_due(&self) -> &str {
        &self.keyed_due
    }

    /// The hash of the periodic offers, by their names. Redisson never touches it.
    #[must_use]
    pub fn periodic(&self) -> &str {
        &self.periodic
    }

    /// The sorted set of the names of the periodic offers by the time of the next. Redisson never
    /// touches it.
    #[must_use]
    pub fn periodic_due(&self) -> &str {
        &self.periodic_due
    }

    /// The hash of what all processes know about the queue: whether delivery is paused, how fast it
    /// may be, and how much of the ordering list is still to be tidied. Redisson never touches it.
    #[must_use]
    pub fn state(&self) -> &str {
        &self.state
    }

    /// The hash that counts the elements that expired. Redisson never touches it.
    #[must_use]
    pub fn counts(&self) -> &str {
        &self.counts
    }

    /// The pub/sub channel on which the clients of this crate in one database tell each other what
    /// they moved and who waits for elements, so that not all of them move and claim. Redisson
    /// never hears it.
    #[must_use]
    pub fn moved(&self, database: i64) -> String {
        prefixed(&format!("rdq1_moved.{database}"), &self.target)
    }
}

/// Why a string cannot name a queue.
///
/// The caller chose the name, and nothing was sent to Redis.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// In Redis Cluster the keys of a queue called `name` would lie in several slots.
    ///
    /// The caller's fault: choose a name without braces, or with one pair around a part of it.
    /// Nothing was sent to Redis.
    #[error("queue name {name:?} puts its keys into several cluster slots")]
    CrossesSlots {
        /// The refused name.
        name: String,
    },

    /// The name is empty.
    ///
    /// The caller's fault. Nothing was sent to Redis.
    #[error("queue name is empty")]
    Empty,

    /// A queue called `name` would have keys in common with the queue that it is to be made of:
    /// `a` and `{a}` differ in their target queues only.
    ///
    /// The caller's fault: choose a name with another text in its braces. Nothing was sent to
    /// Redis.
    #[error("queue name {name:?} shares keys with the queue that it is to be made of")]
    SharesKeys {
        /// The refused name.
        name: String,
    },
}

fn prefixed(prefix: &str, name: &str) -> String {
    if name.contains('{') {
        format!("{prefix}:{name}")
    } else {
        format!("{prefix}:{{{name}}}")
    }
}

fn hash_tag(key: &str) -> &str {
    key.split_once('{')
        .and_then(|(_, rest)| rest.split_once('}'))
        .map(|(tag, _)| tag)
        .filter(|tag| !tag.is_empty())
        .unwrap_or(key)
}

#[cfg(test)]
mod tests;
