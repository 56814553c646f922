//! Offers that repeat.

use super::DelayedQueue;
use crate::error::Result;
use crate::periodic::{Periodic, Schedule, Scheduled};

/// Offers that repeat.
impl<T: 'static> DelayedQueue<T> {
    /// Offers `value` at every occurrence of `schedule`, until [`unschedule`](Self::unschedule) is
    /// called with the same `name`. Behind the feature `periodic`.
    ///
    /// Every process may call this when it starts: the same schedule with the same value under the
    /// same name changes nothing, and the next occurrence stays what it was. Another value replaces
    /// the one that stood there, and the next occurrence stays as well. Another schedule, or
    /// another [ordering](crate::Ordering) of this handle, begins anew from now. Values are
    /// compared as the codec writes them, so one that writes a map in random order replaces the
    /// value each time.
    ///
    /// Each occurrence is fired once among all processes, by whichever comes first of the clients
    /// that have this feature, a handle to the queue, and
    /// [`transfer`](crate::ClientBuilder::transfer) switched on; nobody needs to take. Up to 5 s
    /// ahead it becomes an ordinary offer that is due at the exact millisecond of the occurrence
    /// by the queue's [clock](crate::ClientBuilder::clock), listed or not as the handle that
    /// scheduled it offers. So it is delivered on time by whatever client transfers then, and it
    /// counts before in the [`len`](Self::len) of handles that see it. What happens when no such
    /// client runs is up to [`Missed`](crate::Missed).
    ///
    /// # Redis
    ///
    /// `TIME`, and one `EVALSHA` of `lua/schedule.lua`: `HSET` into `rdq1_periodic:{name}`, `ZADD`
    /// into `rdq1_periodic_due:{name}`. O(log S): S schedules of the queue. A queue without
    /// schedules costs clients one `ZRANGE` in a script they run anyway, once a [safety
    /// poll](crate::ClientBuilder::safety_poll). One with schedules costs two `EVALSHA`, of
    /// `lua/upcoming.lua` and `lua/fire.lua`, for each time that one of them fires.
    ///
    /// # Compatibility
    ///
    /// Redisson's delayed queue has no such thing. Its clients see the elements that were fired,
    /// and transfer and take them as others (checked by `interop/tests`); they fire nothing. What
    /// they delete or clear is what was offered: schedules go on, as they do after
    /// [`clear`](Self::clear).
    ///
    /// # Errors
    ///
    /// - [`Error::Encode`](crate::Error::Encode) if the codec refuses `value`,
    ///   [`Error::TooLarge`](crate::Error::TooLarge) if its payload exceeds
    ///   [`MAX_PAYLOAD`](crate::MAX_PAYLOAD); nothing was sent.
    /// - [`Error::Schedule`](crate::Error::Schedule) if the schedule has no occurrence; nothing was
    ///   written.
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost throughout the retry window;
    ///   calling again is safe. A reply that was lost once can make the result
    ///   [`Scheduled::Unchanged`] although this call wrote.
    /// - What keeps Redis from answering; nothing was changed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the schedule stored or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use redisson_delayed_queue::Schedule;
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let mornings = Schedule::cron("0 30 9 * * Mon-Fri")?.in_zone("Europe/Berlin")?;
    /// queue.schedule("open", &"open the shop".to_owned(), &mornings).await?;
    /// # Ok(()) }
    /// ```
    pub async fn schedule(&self, name: &str, value: &T, schedule: &Schedule) -> Result<Scheduled> {
        let payload = self.encode(value)?;
        self.core
            .schedule(name, &payload, schedule, self.ordering)
            .await
    }

    /// Ends the periodic offer `name`; false if there is none.
    ///
    /// An occurrence in the next 5 s may have been offered already. Then it is an element like any
    /// other, which stays until it is due or [removed](Self::remove).
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/unschedule.lua`: `HDEL` and `ZREM`. O(log S): S schedules of the
    /// queue.
    ///
    /// # Errors
    ///
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost. Calling again is safe; false
    ///   may then mean that the first call ended it.
    /// - What keeps Redis from answering; nothing was changed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the periodic offer ended or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// // What no version of this program schedules any more.
    /// for found in queue.schedules().await? {
    ///     if found.name.starts_with("report-") {
    ///         println!("{}, next at {:?}", found.schedule, found.next);
    ///         queue.unschedule(&found.name).await?;
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn unschedule(&self, name: &str) -> Result<bool> {
        self.core.unschedule(name).await
    }

    /// The periodic offers of this queue, the next to occur first.
    ///
    /// One that this version cannot read is left out; it is reported as
    /// [`Event::ScheduleUnreadable`](crate::Event::ScheduleUnreadable) when it occurs.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/schedules.lua`: `ZRANGE`, and `HGET` for each. O(S log S): S schedules
    /// of the queue.
    ///
    /// # Errors
    ///
    /// - [`Error::Decode`](crate::Error::Decode) if the codec does not understand a value, which
    ///   stays scheduled.
    /// - What keeps Redis from answering; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn schedules(&self) -> Result<Vec<Periodic<T>>> {
        let found = self.core.schedules().await?;
        let decode = |found: Periodic<_>| {
            Ok(Periodic {
                name: found.name,
                schedule: found.schedule,
                ordering: found.ordering,
                value: self.decode(found.value)?,
                next: found.next,
            })
        };
        found.into_iter().map(decode).collect()
    }
}
