//! Which type each key of a queue has.

use futures::future::try_join_all;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::{Error, Master, Result};

use crate::failure::{self, Failure};

/// A key of a queue, and which type it has.
pub(crate) struct Held {
    pub(crate) key: String,
    /// `none` if it is not there.
    pub(crate) held: String,
    pub(crate) wanted: &'static str,
}

/// All keys of a queue and of its default dead-letter queue.
///
/// # Redis
///
/// `TYPE` of each key.
pub(crate) async fn held(master: &Master, keys: &QueueKeys) -> Result<Vec<Held>> {
    let dead = QueueKeys::new(keys.default_dead_letters())?;
    let own = keys.types().filter(|(key, _)| *key != keys.dead_notes());
    let of_letters = [dead.target(), dead.dead_notes()];
    let of_dead = dead.types().filter(|(key, _)| of_letters.contains(key));
    let types = own.chain(of_dead).map(|(key, wanted)| async move {
        let held = master.query(cmd("TYPE").arg(key)).await?;
        let key = key.to_owned();
        Ok(Held { key, held, wanted })
    });
    try_join_all(types).await
}

/// As [`held`], only those that hold another type than they should.
pub(crate) async fn wrong(master: &Master, keys: &QueueKeys) -> Result<Vec<Held>> {
    let mut held = held(master, keys).await?;
    held.retain(|it| it.held != it.wanted && it.held != "none");
    Ok(held)
}

/// True if one of these keys is there.
pub(crate) async fn is_any_there(master: &Master, keys: &QueueKeys) -> Result<bool> {
    let held = held(master, keys).await?;
    Ok(held.iter().any(|it| it.held != "none"))
}

/// The same error with the name of the queue. If a key has another type, and Redis did not say which,
/// also with the name of the key.
pub(crate) async fn named(mut error: Error, master: &Master, keys: &QueueKeys) -> Error {
    match &mut error {
        Error::Denied { queue, .. } => _ = queue.get_or_insert_with(|| keys.target().to_owned()),
        Error::WrongType { queue, detail, .. } if queue.is_none() => {
            *queue = Some(keys.target().to_owned());
            if let Some(it) = wrong(master, keys).await.unwrap_or_default().first() {
                *detail = format!("key {} holds a {}, not a {}", it.key, it.held, it.wanted);
            }
        }
        _ => {}
    }
    error
}

/// The same outcome; a failure is [`named`].
pub(crate) async fn named_in<T>(
    outcome: failure::Result<T>,
    master: &Master,
    keys: &QueueKeys,
) -> failure::Result<T> {
    match outcome {
        Err(Failure::Queue(error)) => Err(named(error, master, keys).await.into()),
        outcome => outcome,
    }
}
