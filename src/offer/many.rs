//! Offers of several elements in one script.

use super::attempts::{Attempts, Failed};
use super::{Element, Stored};
use crate::delivery::session::Session;
use crate::link::durability::Durable;
use crate::wire::keys::QueueKeys;
use crate::wire::script;

/// The most elements that one script stores. With more, it would hold up other clients of Redis.
pub(crate) const MOST: usize = 500;

/// Stores all of these elements or none.
pub(crate) async fn store_all<'a>(
    session: &Session,
    keys: &QueueKeys,
    elements: impl Iterator<Item = &'a Element> + Clone,
    durable: Option<Durable>,
) -> Result<Stored<()>, Failed> {
    let due = elements.clone().map(|element| element.when);
    let bytes = elements.clone().map(Element::size).sum();
    let mut attempts = Attempts::new(session, keys, due, bytes).durably(durable);
    let attempt = |connection, attempt| {
        let elements = elements.clone().map(Element::parts);
        async move { script::offer(connection, keys, elements, &attempt).await }
    };
    Ok(attempts.run(attempt).await?.map(drop))
}
