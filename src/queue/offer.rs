//! The settings of an offer.

use std::time::{Duration, SystemTime};

use bytes::Bytes;

use crate::link::durability::Durability;
use crate::wire::script::Key;

/// When a value becomes due, when it expires, and what happens to a conflicting pending element.
///
/// [`DelayedQueue::offer_with`](crate::DelayedQueue::offer_with) and
/// [`offer_all`](crate::DelayedQueue::offer_all) take it. All settings combine. A [`Duration`] and
/// a [`SystemTime`] convert into an `Offer` without further settings.
///
/// # At most one pending element
///
/// An offer looks at pending elements only if one of these is set; of several, the last counts:
///
/// | Setting | At most one pending element | Cost of finding it |
/// |---|---|---|
/// | [`key`](Self::key) | for each key, among offers with a key | O(1) |
/// | [`keyed_by_value`](Self::keyed_by_value) | for each value, among offers with this setting | O(1) |
/// | [`unique_in_queue`](Self::unique_in_queue) | for each value, whoever offered it, in whatever language | a search through the queue |
///
/// An element is pending from its offer until it is moved to the target queue, removed, or past its
/// [`expires_at`](Self::expires_at). Two values are equal if the codec writes the same bytes for
/// them. An element that a dropped [`Pending::poll`](crate::Pending::poll) took is put back
/// even if another one was offered under its key meanwhile, because neither may be lost.
///
/// [`if_pending`](Self::if_pending) decides what becomes of the pending element.
///
/// # Examples
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use redisson_delayed_queue::{IfPending, Offer};
///
/// let (noon, one) = (SystemTime::now() + Duration::from_secs(600), SystemTime::now() + Duration::from_secs(4_200));
/// let lunch = Offer::at(noon).key("order 17").if_pending(IfPending::Replace).expires_at(one);
/// let plain = Offer::from(Duration::from_secs(10));
/// # drop((lunch, plain));
/// ```
#[derive(Clone, Debug)]
#[must_use = "an offer does nothing until it is passed to a queue"]
pub struct Offer {
    pub(crate) due: Moment,
    /// Leaves at most one element pending under this key. `None` if it looks at no pending element.
    pub(crate) key: Option<Key>,
    pub(crate) if_pending: IfPending,
    pub(crate) expires_at: Option<SystemTime>,
    /// `None` for the client's setting.
    pub(crate) durability: Option<(Durability, Duration)>,
}

/// When a value becomes due.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Moment {
    After(Duration),
    At(SystemTime),
}

impl Offer {
    /// The value becomes takeable `delay` after Redis stores it.
    ///
    /// The delay is rounded up to a millisecond, and so is Redis's clock.
    pub fn after(delay: Duration) -> Self {
        Self::due(Moment::After(delay))
    }

    /// The value becomes takeable at `moment`, rounded up to a millisecond, or at once if `moment`
    /// has passed.
    ///
    /// The clock is the one that dates this client's offers: Redis's, unless
    /// [`Clock::Local`](crate::Clock::Local) was chosen.
    pub fn at(moment: SystemTime) -> Self {
        Self::due(Moment::At(moment))
    }

    fn due(due: Moment) -> Self {
        Self {
            due,
            key: None,
            if_pending: IfPending::default(),
            expires_at: None,
            durability: None,
        }
    }

    /// Allows one pending element under `key`.
    ///
    /// Keys are any bytes and belong to one queue. They never meet the values of
    /// [`keyed_by_value`](Self::keyed_by_value), nor elements that were offered without a key.
    pub fn key(mut self, key: impl AsRef<[u8]>) -> Self {
        self.key = Some(Key::Chosen(Bytes::copy_from_slice(key.as_ref())));
        self
    }

    /// Allows one pending element with this value, among those that were offered with this setting.
    ///
    /// The value acts as the key. Equal elements of Java clients and of other offers do not count;
    /// [`unique_in_queue`](Self::unique_in_queue) finds those too.
    pub fn keyed_by_value(mut self) -> Self {
        self.key = Some(Key::Payload);
        self
    }

    /// Allows one pending element with this value in the whole queue, whoever offered it.
    ///
    /// With [`IfPending::Replace`] the oldest equal element is removed; other equal ones stay. With
    /// [`IfPending::Keep`] the offer stores nothing if an equal element is pending.
    ///
    /// Several such offers at once leave one element pending if their handles have the same
    /// [`Listing`](crate::Listing). A listed handle finds listed elements only. An unlisted
    /// handle finds all: first the element that such an offer handled last, then the one that is
    /// due first. It can miss an element that is rescheduled at this moment.
    pub fn unique_in_queue(mut self) -> Self {
        self.key = Some(Key::InQueue);
        self
    }

    /// Chooses what becomes of the pending element. Default: [`IfPending::Keep`].
    ///
    /// Has no effect on an offer that looks at no pending element.
    pub fn if_pending(mut self, if_pending: IfPending) -> Self {
        self.if_pending = if_pending;
        self
    }

    /// Drops the element if it is due and nobody has moved it to the target queue by `expires_at`.
    ///
    /// A Rust client then removes the element instead of moving it,
    /// [counts](crate::DelayedQueue::expired) it, and reports
    /// [`Event::Expired`](crate::Event::Expired). `expires_at` is rounded down to a millisecond. It
    /// is compared with the clock that dates the offers of the client that moves elements: Redis's,
    /// unless [`Clock::Local`](crate::Clock::Local) was chosen.
    ///
    /// Expiry is best effort. A Java client that moves the element first delivers it however late
    /// it is, and an element in the target queue waits for a taker as long as it takes. Among
    /// elements of one due millisecond, those that never expire come first.
    pub fn expires_at(mut self, expires_at: SystemTime) -> Self {
        self.expires_at = Some(expires_at);
        self
    }

    /// Makes the offer wait until the element is as durable as `wanted`, but no longer than `within`
    /// (at most an hour) from the moment at which the master has it. Default: that of the
    /// [client](crate::ClientBuilder::durability).
    ///
    /// If the time is over first, the offer fails with
    /// [`Error::NotDurable`](crate::Error::NotDurable). The element is stored all the same, and
    /// becomes due like any other. [`Durability::Master`] makes the offer wait for nothing. An offer
    /// that keeps or reschedules a pending element waits until that element is durable.
    ///
    /// [`Durability`] says which failures an element survives then.
    ///
    /// # Redis
    ///
    /// The script of the offer, and then `WAIT` or `WAITAOF`: one more round trip, and the one from
    /// the master to its replicas. If the script had nothing to write, `lua/mark.lua` comes in
    /// between. Redis answers nothing else on a connection that waits, so these offers use a socket
    /// of their own, `rdq:durable` in `CLIENT LIST`. It is closed after 5 s without such an offer.
    ///
    /// Offers at the same time share a `WAIT`: a hundred take hardly longer than one. They do not
    /// share a script, as other offers do. A `WAIT` ends after 50 ms and is sent again. An idle Redis
    /// notices the end up to 100 ms later (`hz`). So while one offer waits in vain, others take some
    /// 0.15 s each, at most twice as long.
    ///
    /// The user needs `+wait` or `+waitaof`. Without it, the error is
    /// [`Error::NotDurable`](crate::Error::NotDurable), and its source is what Redis answered.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::{Durability, Error, Offer};
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let offer = Offer::after(Duration::from_secs(3_600));
    /// let offer = offer.durability(Durability::Replicas(1), Duration::from_secs(1));
    /// match queue.offer_with(&"pay".to_owned(), offer).await {
    ///     Err(Error::NotDurable { offered, got, .. }) => {
    ///         println!("stored, but only on {got}; it may be cancelled: {}", offered.ticket);
    ///     }
    ///     offered => drop(offered?),
    /// }
    /// # Ok(()) }
    /// ```
    pub fn durability(mut self, wanted: Durability, within: Duration) -> Self {
        self.durability = Some((wanted, within));
        self
    }
}

impl From<Duration> for Offer {
    /// Due after this delay: [`Offer::after`].
    fn from(delay: Duration) -> Self {
        Self::after(delay)
    }
}

impl From<SystemTime> for Offer {
    /// Due at this moment: [`Offer::at`].
    fn from(moment: SystemTime) -> Self {
        Self::at(moment)
    }
}

/// What an offer does when it finds a conflicting pending element.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum IfPending {
    /// Leaves the pending element as it is, and stores nothing. The default.
    #[default]
    Keep,
    /// Lets the offer win.
    ///
    /// Under a key, a pending element with the same value and the same
    /// [`expires_at`](Offer::expires_at) stays and becomes due when the offer says: it keeps its
    /// ticket, and stays listed or unlisted. In all other cases the pending element is removed and
    /// the new one stored, in one step.
    Replace,
}
