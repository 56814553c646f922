//! Looking whether the server still answers.

use std::sync::Weak;
use std::sync::atomic::Ordering::Relaxed;

use tokio::time::sleep;

use super::Link;
use crate::link::connection::failure::is_loss;

/// Checks regularly that the server still answers on the connection of this number, while it is
/// idle: a frozen server, or a network that drops everything, never ends a socket. Ends with the
/// connection.
pub(super) async fn probe(link: Weak<Link>, generation: u64) {
    let Some(this) = link.upgrade() else {
        return;
    };
    let timeout_of_reply = this.endpoint.timeouts().response;
    let Some((connection, _)) = this.current() else {
        return;
    };
    let pause = this.purpose.idles_for(timeout_of_reply, connection.hears());
    drop(connection);
    let mut seen = this.replies.load(Relaxed);
    drop(this);
    loop {
        sleep(pause).await;
        let Some(this) = link.upgrade() else {
            return;
        };
        let Some((mut connection, _)) = this.current().filter(|(_, it)| *it == generation) else {
            return;
        };
        let replies = this.replies.load(Relaxed);
        if replies != std::mem::replace(&mut seen, replies) {
            continue;
        }
        connection.set_response_timeout(timeout_of_reply);
        if let Err(error) = connection.probe().await
            && is_loss(&error)
        {
            this.endpoint.note(&error);
            this.discard(generation, &error);
        }
    }
}
