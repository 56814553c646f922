use super::DelayedQueue;
use crate::error::Result;
use crate::periodic::{Periodic, Schedule, Scheduled};

/// Offers that repeat.
impl<T: 'static> DelayedQueue<T> {
    /// Offers `value` at every occurrence of `schedule`, until [`unschedule`](Self::unschedule) is
    /// called with the same `name`. Behind the feature `periodic`.
    ///
    /// Every process may call this when it starts: the same schedule with the same value under the
    /// same name changes nothing. Another value replaces the old one. The next occurrence stays in
    /// both cases. Another schedule, or another [listing](crate::Listing) of this handle, begins
    /// anew from now, or from the last occurrence that was offered ahead under this name, if that is
    /// later. While the clock goes forward, no occurrence is offered twice, even if old and new
    /// processes schedule by turns, or a schedule ends and begins again. Values are compared as the
    /// codec writes them, so a codec that writes maps in random order replaces the value each time.
    ///
    /// One client fires each occurrence: the first to reach it of those with this feature, a handle
    /// to the queue and [`transfer`](crate::ClientBuilder::transfer) on. It needs no callers that
    /// take. Up to 5 s ahead, it offers an ordinary element that is due at the exact millisecond by
    /// the queue's [clock](crate::ClientBuilder::clock). Any client then delivers it on time, and
    /// [`len`](crate::Pending::len) counts it until then. The element is listed or not, like the
    /// handle that scheduled it. [`Missed`](crate::Missed) decides what happens if no such client
    /// runs.
    ///
    /// # Redis
    ///
    /// `TIME`, and one `EVALSHA` of `lua/schedule.lua`: `HSET` into `rdq1_periodic:{name}`, `ZADD`
    /// into `rdq1_periodic_due:{name}`, `ZSCORE` on `rdq1_settled:{name}`. Again if something was
    /// offered ahead. O(log S): S schedules of the queue. A queue without
    /// schedules costs clients one `ZRANGE` in a script they run anyway, once a [safety
    /// poll](crate::ClientBuilder::safety_poll). One with schedules costs two `EVALSHA`, of
    /// `lua/upcoming.lua` and `lua/fire.lua`, for each time that one of them fires. When a client
    /// begins, and when the clock goes back, it reads all of them with `lua/upcoming.lua`, a hundred at
    /// a time.
    ///
    /// # Compatibility
    ///
    /// Redisson's delayed queue has no such call. Its clients see the elements that were fired, and
    /// transfer and take them like others (checked by `interop/tests`); they fire nothing. If Java
    /// deletes or clears the queue, it removes only elements that were already offered. Schedules
    /// go on, as they do after [`clear`](crate::Pending::clear).
    ///
    /// # Errors
    ///
    /// - [`Error::Schedule`](crate::Error::Schedule) if the schedule has no occurrence; nothing was
    ///   written.
    /// - A reply that was lost once can make the result [`Scheduled::Unchanged`] although this call
    ///   wrote.
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
        let payload = self.core.encode(value)?;
        self.core
            .schedule(name, &payload, schedule, self.listing)
            .await
    }

    /// Ends the periodic offer `name`; false if there is none.
    ///
    /// An occurrence in the next 5 s may have been offered already. Then it is an element like any
    /// other, which stays until it is due or [removed](crate::Pending::remove). The client does not
    /// repeat this call after a lost reply; calling again is safe.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/unschedule.lua`: `HDEL` and `ZREM`. O(log S): S schedules of the
    /// queue.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// // End the schedules that this program no longer uses.
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
    /// One `EVALSHA` of `lua/schedules.lua` for up to 2,000 schedules, or some 256 KiB of them:
    /// `ZRANGE`, and `HGET` for each. O(S log S): S schedules of the queue.
    pub async fn schedules(&self) -> Result<Vec<Periodic<T>>> {
        let found = self.core.schedules().await?;
        let decode = |found: Periodic<_>| {
            Ok(Periodic {
                name: found.name,
                schedule: found.schedule,
                listing: found.listing,
                value: self.core.decode(found.value)?,
                next: found.next,
            })
        };
        found.into_iter().map(decode).collect()
    }
}
