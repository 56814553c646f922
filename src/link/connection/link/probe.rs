//! Looking whether the server still answers.

use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::sleep;

use super::{Link, while_answered};
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
    let mut seen = connection.shared().replied();
    drop(connection);
    drop(this);
    loop {
        sleep(pause).await;
        let Some(this) = link.upgrade() else {
            return;
        };
        let Some((mut connection, _)) = this.current().filter(|(_, it)| *it == generation) else {
            return;
        };
        let answering = Arc::clone(connection.shared());
        let replied = answering.replied();
        if replied != std::mem::replace(&mut seen, replied) {
            continue;
        }
        connection.set_response_timeout(Duration::MAX);
        let probe = pin!(connection.probe());
        if let Err(error) = while_answered(&answering, timeout_of_reply, probe).await
            && is_loss(&error)
        {
            this.endpoint.note(&error);
            this.discard(generation, &error);
        }
    }
}
