//! A connection for a question or two, without the first commands that others send.

use redis::{AsyncConnectionConfig, RedisResult};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::timeout;

use super::failure::timed_out;
use super::protocol::{in_resp2, refuses_resp3};
use super::push::Push;
use super::socket::Connection;
use crate::link::endpoint::{Endpoint, Located};

/// Connects to a server. Messages that nobody asked for go to `pushes`; in RESP2 there are none.
pub(crate) async fn plain(
    endpoint: &Endpoint,
    pushes: Option<UnboundedSender<Push>>,
) -> RedisResult<Connection> {
    let timeouts = endpoint.timeouts();
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(timeouts.connect))
        .set_response_timeout(Some(timeouts.response));
    let mut full = config.clone();
    if let Some(pushes) = pushes {
        full = full.set_push_sender(move |push| match Push::from_info(push) {
            Some(push) => pushes.send(push).map_err(drop),
            None => Ok(()),
        });
    }
    let connecting = async {
        let Located { client, server, .. } = endpoint.locate().await?;
        let host = endpoint.host();
        match host.multiplexed(&client, &full).await {
            Err(error) if refuses_resp3(&client, &error) => {
                let client = in_resp2(&client)?;
                let socket = host.multiplexed(&client, &config);
                Ok(Connection::in_resp2(socket.await?, server))
            }
            socket => Ok(Connection::in_resp3(socket?, server)),
        }
    };
    let connected = timeout(timeouts.connect, connecting).await;
    connected.unwrap_or_else(|_| Err(timed_out()))
}
