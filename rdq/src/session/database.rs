//! The database of a connection.

use redisson_delayed_queue::Master;
use redisson_delayed_queue::redis::cmd;

/// The number of the database in which this master is used; 0 if it does not say.
pub(crate) async fn database(master: &Master) -> i64 {
    let info: String = master
        .query(cmd("CLIENT").arg("INFO"))
        .await
        .unwrap_or_default();
    let number = info.split(' ').find_map(|field| field.strip_prefix("db="));
    number.and_then(|it| it.parse().ok()).unwrap_or(0)
}
