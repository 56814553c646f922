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
    let object = queue.object();
    let reply = match (name, arguments) {
        ("clear_expire", []) => object.clear_expire().await?.to_string(),
        ("copy_replacing", [other]) => object.copy_replacing(other).await?.to_string(),
        ("copy_to", [other]) => object.copy_to(other).await?.to_string(),
        ("delete", []) => object.delete().await?.to_string(),
        ("exists", []) => object.exists().await?.to_string(),
        ("expire", [after]) => object.expire(millis(after)?).await?.to_string(),
        ("expire_at", [from_now]) => object.expire_at(moment(from_now)?).await?.to_string(),
        ("remaining_ttl", []) => {
            let left = object.remaining_ttl().await?;
            maybe(left.map(|left| left.as_millis()))
        }
        ("rename", [other]) => object.rename(other).await?.to_string(),
        ("rename_if_absent", [other]) => object.rename_if_absent(other).await?.to_string(),
        ("size_in_memory", []) => object.size_in_memory().await?.to_string(),
        ("touch", []) => object.touch().await?.to_string(),
        _ => return unfit(name),
    };
    Ok(reply)
}
