//! The elements that nobody could handle.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use futures::stream::StreamExt;

use crate::codec::Codec;
use crate::delivery_id::DeliveryId;
use crate::error::Result;
use crate::payload::decode;
use crate::queue::raw::RawLetter;
use crate::queue::stream::QueueStream;
use crate::queue::typed::Typed;
use crate::wire::keys::QueueKeys;

/// The dead letters of a queue; made by [`Consumer::dead_letters`](crate::Consumer::dead_letters)
/// and [`DelayedQueue::dead_letters`](crate::DelayedQueue::dead_letters).
///
/// They stand in an ordinary Redisson queue, so Java and this crate can also take them from there,
/// under its [`name`](Self::name). Beside that queue are notes: why each is there, since when, and
/// how often it was tried. When somebody takes an element at the head, its note goes with the next
/// claim of a consumer.
///
/// Errors, repeats after a lost reply and cancel safety are those of a
/// [`DelayedQueue`](crate::DelayedQueue#errors). After a lost reply, a number may be too low. A
/// dropped [`requeue_all`](Self::requeue_all) may have put back some letters.
///
/// # Examples
///
/// ```no_run
/// use futures::TryStreamExt;
/// use redisson_delayed_queue::{Consumer, DeadLetter, Result};
///
/// # async fn run(consumer: Consumer<String>) -> Result<()> {
/// let dead = consumer.dead_letters();
/// // Collected first, because what is removed moves the letters that follow.
/// let letters: Vec<DeadLetter<String>> = dead.iter().try_collect().await?;
/// for letter in letters {
///     println!("{:?}: {}", letter.value(), letter.reason().unwrap_or("?"));
///     if letter.reason().is_some_and(|it| it.contains("no network")) {
///         dead.requeue(&letter).await?;
///     }
/// }
/// # Ok(()) }
/// ```
pub struct DeadLetters<T> {
    core: Typed<T>,
    dead: Arc<QueueKeys>,
}

impl<T: 'static> DeadLetters<T> {
    pub(crate) fn new(core: Typed<T>, dead: Arc<QueueKeys>) -> Self {
        Self { core, dead }
    }

    /// The name of the queue in which they stand.
    #[must_use]
    pub fn name(&self) -> &str {
        self.dead.name()
    }

    /// How many there are. Sends `LLEN`, which is O(1).
    pub async fn len(&self) -> Result<usize> {
        self.core.count_letters(&self.dead).await
    }

    /// True if there are none; see [`len`](Self::len).
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.len().await? == 0)
    }

    /// The dead letters, the newest first.
    ///
    /// Collect them first if you remove some: a letter that comes or goes meanwhile moves the
    /// others, so one may come twice or be missing. An element that the codec does not understand
    /// is an item like any other: [`DeadLetter::value`] says so.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/letters.lua` for each 100 elements, or 256 KiB if that is fewer. O(P + M)
    /// each: P letters passed over, M returned.
    pub fn iter(&self) -> QueueStream<DeadLetter<T>> {
        let codec = Arc::clone(&self.core.codec);
        let letters = Arc::clone(&self.core.raw).letters(Arc::clone(&self.dead));
        let letters = letters.map(move |letter| {
            let codec = Arc::clone(&codec);
            letter.map(|raw| DeadLetter { raw, codec })
        });
        QueueStream::new(self.dead.name(), letters)
    }

    /// Puts a dead letter back to the end of the queue that it came from, where it is due and
    /// starts again with its first attempt. False if it is not there any more.
    ///
    /// A letter without a note goes to the consumer's queue. Calling again after an error is safe
    /// for a letter with a note. [`Error::Name`](crate::Error::Name) if the queue that it came from
    /// is in another slot of a cluster; nothing was sent then.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/remove_letter.lua`. O(N), N dead letters.
    pub async fn requeue(&self, letter: &DeadLetter<T>) -> Result<bool> {
        self.core.remove_letter(&self.dead, &letter.raw, true).await
    }

    /// Puts all dead letters that there are now back to the end of the consumer's queue, the oldest
    /// first. Returns how many.
    ///
    /// Letters of other queues go there, too: if several share these dead letters, call
    /// [`requeue`](Self::requeue) for each. If it fails after it put some back, the error is
    /// [`Error::Unfinished`](crate::Error::Unfinished), and calling again goes on.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/requeue_letters.lua` for each 100, or 256 KiB if that is fewer.
    pub async fn requeue_all(&self) -> Result<usize> {
        self.core.requeue_letters(&self.dead).await
    }

    /// Deletes a dead letter, by the script of [`requeue`](Self::requeue). False if it is not there
    /// any more.
    pub async fn purge(&self, letter: &DeadLetter<T>) -> Result<bool> {
        self.core
            .remove_letter(&self.dead, &letter.raw, false)
            .await
    }

    /// Deletes all dead letters, by `LLEN` and `UNLINK`. O(1), and O(N) in the background. Returns
    /// how many.
    pub async fn purge_all(&self) -> Result<usize> {
        self.core.purge_letters(&self.dead).await
    }
}

impl<T> fmt::Debug for DeadLetters<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeadLetters")
            .field("name", &self.dead.name())
            .finish_non_exhaustive()
    }
}

/// An element that nobody could handle.
///
/// If somebody else put it into the queue of dead letters, its id, reason, times and the like are
/// `None`.
pub struct DeadLetter<T> {
    raw: RawLetter,
    codec: Arc<dyn Codec<T>>,
}

impl<T: 'static> DeadLetter<T> {
    /// The value, or [`Error::Decode`](crate::Error::Decode) if the codec does not understand the
    /// payload.
    pub fn value(&self) -> Result<T> {
        decode(&*self.codec, self.raw.payload.clone())
    }
}

impl<T> DeadLetter<T> {
    /// The bytes as they stand in Redis.
    #[must_use]
    pub fn payload(&self) -> &Bytes {
        &self.raw.payload
    }

    /// The note about it as it stands in Redis, for a backup. The other methods read it.
    #[must_use]
    pub fn note(&self) -> Option<&Bytes> {
        Some(&self.raw.note).filter(|it| !it.is_empty())
    }

    /// The id of its delivery in all attempts, as [`Receipt::id`](super::Receipt::id). If it is
    /// put back, its next delivery has another id.
    #[must_use]
    pub fn id(&self) -> Option<DeliveryId> {
        let about = self.raw.about.as_ref()?;
        Some(DeliveryId::new(about.origin))
    }

    /// Why it is here, in at most 1,024 bytes: what the handler of the last attempt said, or that its
    /// lease ended.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.raw.about.as_ref().map(|it| it.reason.as_str())
    }

    /// How many attempts were made.
    #[must_use]
    pub fn attempts(&self) -> Option<u16> {
        self.raw.about.as_ref().map(|it| it.attempts)
    }

    /// When it came here, by Redis's clock.
    #[must_use]
    pub fn died_at(&self) -> Option<SystemTime> {
        self.raw.about.as_ref().map(|it| it.died_at)
    }

    /// When a consumer claimed it first, by Redis's clock.
    #[must_use]
    pub fn first_claimed(&self) -> Option<SystemTime> {
        self.raw.about.as_ref().map(|it| it.first_claimed)
    }

    /// The queue that it came from, by the name that its consumer used.
    #[must_use]
    pub fn queue(&self) -> Option<&str> {
        self.raw.about.as_ref().map(|it| it.queue.as_str())
    }
}

impl<T> fmt::Debug for DeadLetter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The payload may be private.
        f.debug_struct("DeadLetter")
            .field("bytes", &self.raw.payload.len())
            .field("reason", &self.reason())
            .field("attempts", &self.attempts())
            .finish_non_exhaustive()
    }
}
