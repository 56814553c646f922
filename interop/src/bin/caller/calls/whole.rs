//! Calls about a queue as a whole.

use super::{Queue, unfit};
use crate::{Result, arguments::*};

pub(crate) const NAMES: &[&str] = &[
    "clear_expire",
    "copy_replacing",
    "copy_to",
    "delete",
    "exists",
    "expire",
    "expire_at",
    "remaining_ttl",
    "rename",
    "rename_if_absent",
    "size_in_memory",
    "touch",
];

pub(crate) async fn run(queue: &Queue, name: &str, arguments: &[&str]) -> Result<String> {
    let reply = match (name, arguments) {
        ("clear_expire", []) => queue.clear_expire().await?.to_string(),
        ("copy_replacing", [other]) => queue.copy_replacing(other).await?.to_string(),
        ("copy_to", [other]) => queue.copy_to(other).await?.to_string(),
        ("delete", []) => queue.delete().await?.to_string(),
        ("exists", []) => queue.exists().await?.to_string(),
        ("expire", [after]) => queue.expire(millis(after)?).await?.to_string(),
        ("expire_at", [from_now]) => queue.expire_at(moment(from_now)?).await?.to_string(),
        ("remaining_ttl", []) => {
            let left = queue.remaining_ttl().await?;
            maybe(left.map(|left| left.as_millis()))
        }
        ("rename", [other]) => queue.rename(other).await?.to_string(),
        ("rename_if_absent", [other]) => queue.rename_if_absent(other).await?.to_string(),
        ("size_in_memory", []) => queue.size_in_memory().await?.to_string(),
        ("touch", []) => queue.touch().await?.to_string(),
        _ => return unfit(name),
    };
    Ok(reply)
}
