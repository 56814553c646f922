use std::time::Duration;

use super::DelayedQueue;
use crate::error::Result;
use crate::queue::stream::QueueStream;
use crate::side::Side;

/// Taking due elements.
impl<T: 'static> DelayedQueue<T> {
    /// Waits for the next due element, and takes it.
    ///
    /// Keeps waiting while Redis is unreachable, frozen or restarting. Callers are served in the
    /// order in which they came.
    ///
    /// # Redis
    ///
    /// When elements may have come, one `EVALSHA` of `lua/claim.lua` claims them for all waiting
    /// callers together, and an `LLEN` follows if there were not enough. The hand-over sends one
    /// `EVALSHA` of `lua/end_leases.lua`, which ends the leases of all elements handed over by then:
    /// usually O(M + log L), M ended and L leases. While the queue is empty, the client looks once
    /// per [safety poll](crate::ClientBuilder::safety_poll), and sends nothing else.
    ///
    /// A payload of more than 1 MiB does not come with its claim. An `HGET` fetches it, on the socket for
    /// [large payloads](crate::MAX_PAYLOAD). Smaller elements that follow it in the queue may be handed over before it.
    ///
    /// If callers come back within two round trips, as a tight loop does, the client claims ahead as
    /// many elements as they ask for in that time, at most 500. Elements that they do not take go
    /// back to their places after 20 ms, and a payload of more than 1 MiB when a third of its lease
    /// is left; until then no other client can have them. The client claims
    /// nothing ahead if a round trip takes longer than that, while the rate is limited, or once it
    /// also takes from the last side.
    ///
    /// If callers wait in many clients, one client moves the due elements, with one `EVALSHA` of
    /// `lua/transfer.lua`, and a `TIME` behind it after a round trip of more than 80 ms. It claims as
    /// many as its own callers wait for, and calls other clients for the rest. A client says that
    /// its callers wait by a `PUBLISH` when a claim finds nothing after such a call. An element that
    /// Java or anybody else pushes wakes all clients, some milliseconds later.
    ///
    /// # Compatibility
    ///
    /// Competes with `RBlockingQueue.take()` and `poll()` for the same elements; one of them gets
    /// each. An element that is claimed and not yet handed over is not in the target queue.
    ///
    /// # Errors
    ///
    /// - [`Error::Decode`](crate::Error::Decode) if the codec does not understand the payload,
    ///   which the error carries: the element was taken.
    /// - [`Error::Denied`](crate::Error::Denied), [`Error::Refused`](crate::Error::Refused),
    ///   [`Error::WrongType`](crate::Error::WrongType) if Redis refuses to claim; nothing was
    ///   taken. Call again to wait for the cause to pass.
    ///
    /// # Cancel safety
    ///
    /// A future that is kept and not polled keeps its place in the line, and may keep an element
    /// from others for two thirds of a [lease](crate::ClientBuilder::claim_lease).
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// loop {
    ///     println!("{}", queue.take().await?);
    /// }
    /// # }
    /// ```
    pub async fn take(&self) -> Result<T> {
        self.core.take_value(Side::First).await
    }

    /// Waits up to `timeout` for a due element, and takes it as [`take`](Self::take) does; `None`
    /// if none came.
    ///
    /// The timeout counts to the millisecond; Redisson cuts it to whole seconds. A timeout of zero
    /// asks Redis once, as [`try_take`](Self::try_take).
    ///
    /// # Errors
    ///
    /// If the time is up and the client knows that it cannot reach Redis,
    /// [`Error::Connect`](crate::Error::Connect) or [`Error::Lost`](crate::Error::Lost); nothing
    /// was taken.
    ///
    /// A client notices a frozen server or a broken network one [response
    /// timeout](crate::ClientBuilder::response_timeout) after it has sent something. A client that
    /// only waits sends nothing until its next [safety poll](crate::ClientBuilder::safety_poll). A
    /// timeout that is up before then returns `None`. A timeout of zero always waits for an answer.
    pub async fn poll(&self, timeout: Duration) -> Result<Option<T>> {
        self.core.poll_value(Side::First, timeout).await
    }

    /// Takes an element if there is one in the target queue, as a [`poll`](Self::poll) with a
    /// timeout of zero; `None` otherwise.
    ///
    /// Callers that wait already come first.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/claim.lua`. None if this process holds an element that nobody waits for.
    /// More than one if other callers of this process get all elements that the first brings.
    pub async fn try_take(&self) -> Result<Option<T>> {
        self.poll(Duration::ZERO).await
    }

    /// Waits up to `wait` for a due element, and takes it together with the other elements in the
    /// target queue by then, up to `max`; an empty list if none came.
    ///
    /// Takes at most 500 elements, or some 256 KiB. For a tight loop the client claims as many ahead;
    /// see [`take`](Self::take). With a `wait` of zero it does not wait, as
    /// [`BlockingQueue::poll_many`](crate::BlockingQueue::poll_many).
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/claim.lua` and one of `lua/end_leases.lua` for all of them. A claim that
    /// also brings elements ahead serves two calls. A payload of more than 1 MiB is fetched by
    /// itself, as in [`take`](Self::take), and can come in a later batch than smaller elements behind
    /// it.
    ///
    /// # Compatibility
    ///
    /// As `RBlockingDeque.pollFirst(duration, count)`, which loses the whole batch with its reply.
    ///
    /// # Errors
    ///
    /// The errors of [`poll`](Self::poll). The batch ends before an element that the codec does not
    /// understand, which stays for the next call. If that element comes first, the call returns it
    /// in an [`Error::Decode`](crate::Error::Decode), and takes nothing else.
    pub async fn take_many(&self, max: usize, wait: Duration) -> Result<Vec<T>> {
        self.core.take_values(Side::First, max, wait).await
    }

    /// The elements as they become due, without end: each item is a [`take`](Self::take).
    pub fn stream(&self) -> QueueStream<T> {
        self.destination().stream()
    }
}
