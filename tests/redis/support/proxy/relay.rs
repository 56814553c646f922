//! One connection through the proxy: four loops between two sockets.

use std::{
    future::pending,
    net::Ipv4Addr,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{
        mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
        watch,
    },
    time::{Instant, sleep, sleep_until},
};

use super::shared::{Controls, Fate, Shared};
use crate::support::resp::{expects_reply, frame_len, is_push};

/// A connection. Reading never waits for writing, so a client that closes while its requests are held is not missed.
pub(super) struct Relay {
    /// Its place in the order of acceptance.
    pub(super) number: usize,
    pub(super) shared: Arc<Shared>,
}

impl Relay {
    /// Forwards until Redis closes or a reply is lost, and then waits for the client to close; or until the cut.
    pub(super) async fn run(self, client: TcpStream, upstream_port: u16) {
        tokio::select! {
            // The test cut this connection.
            () = self.until(|controls| self.number < controls.cut_before) => {}
            // The connection came to its own end.
            () = self.forward(client, upstream_port) => {}
        }
    }

    async fn forward(&self, client: TcpStream, upstream_port: u16) {
        self.until(|controls| !self.is_silent(controls)).await;
        let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, upstream_port)).await else {
            return;
        };
        for socket in [&client, &server] {
            socket
                .set_nodelay(true)
                .expect("an open socket has options");
        }
        let (from_client, mut to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        let (request, requests) = unbounded_channel();
        let (fate, fates) = unbounded_channel();
        let (reply, replies) = unbounded_channel();

        // What can no longer be forwarded is discarded.
        let receive_requests = read_frames(from_client, move |frame| {
            let _ = request.send(frame);
            true
        });
        let exchange = async {
            let others = async {
                tokio::join!(
                    self.send_requests(requests, fate, to_server),
                    self.receive_replies(from_server, fates, reply),
                )
            };
            tokio::select! {
                // All that Redis sent before it closed, or before the reply to be lost, is delivered.
                () = self.deliver_replies(replies, &mut to_client) => {}
                // Never: these loops may end, but only the delivery of the last reply ends the exchange.
                () = async { others.await; pending().await } => {}
            }
            // Only this direction, until the client closes too. With requests unread, the kernel would reset the
            // connection, and a client that is writing then never reads the replies that were delivered to it.
            let _ = to_client.shutdown().await;
        };
        tokio::join!(receive_requests, exchange);
    }

    /// Forwards requests, telling `receive_replies` first what to do with each answer.
    ///
    /// The end of the client's stream is forwarded by dropping `server`.
    async fn send_requests(
        &self,
        mut requests: UnboundedReceiver<Bytes>,
        fates: UnboundedSender<Fate>,
        mut server: OwnedWriteHalf,
    ) {
        while let Some(request) = requests.recv().await {
            let request = self.shared.rewrite(request);
            self.until(|controls| !self.is_silent(controls) && !controls.hold_requests)
                .await;
            self.shared.keep_script(&request);
            let mut last = false;
            if expects_reply(&request) {
                let fate = self.shared.fate_of(&request);
                last = matches!(fate, Fate::Lose);
                // Fails when Redis has closed, and then so does the write.
                let _ = fates.send(fate);
            }
            let passage = self.shared.controls.borrow().passage(request.len());
            if !passage.is_zero() {
                sleep(passage).await;
            }
            if server.write_all(&request).await.is_err() {
                return;
            }
            if last {
                // Keeps the socket open until the answer proves that the request was executed.
                pending().await
            }
        }
        self.until(|controls| !self.is_silent(controls) && !controls.hold_requests)
            .await;
    }

    /// Pairs each reply with the fate of its request, until the one that is to be lost.
    async fn receive_replies(
        &self,
        server: OwnedReadHalf,
        mut fates: UnboundedReceiver<Fate>,
        replies: UnboundedSender<Reply>,
    ) {
        let mut index = 0_u64;
        read_frames(server, move |frame| {
            // No fate is left in RESP2 when a subscription's message arrives.
            let fate = if is_push(&frame) {
                None
            } else {
                fates.try_recv().ok()
            };
            let released = match fate {
                None | Some(Fate::Deliver) => None,
                Some(Fate::Lose) => {
                    self.shared.lost_replies.fetch_add(1, Ordering::SeqCst);
                    return false;
                }
                Some(Fate::Hold { reached, released }) => {
                    reached.send_replace(true);
                    Some(released)
                }
            };
            let passage = self.shared.controls.borrow().passage(frame.len());
            let due = Instant::now() + passage + self.delay(index);
            index += 1;
            replies
                .send(Reply {
                    frame,
                    due,
                    released,
                })
                .is_ok()
        })
        .await;
    }

    /// Writes replies when they are due and not held.
    async fn deliver_replies(
        &self,
        mut replies: UnboundedReceiver<Reply>,
        client: &mut OwnedWriteHalf,
    ) {
        while let Some(reply) = replies.recv().await {
            // The timer rounds up to a millisecond, even what is due already.
            if reply.due > Instant::now() {
                sleep_until(reply.due).await;
            }
            if let Some(mut released) = reply.released {
                // An error means that the test dropped the gate, which releases too.
                let _ = released.wait_for(|released| *released).await;
            }
            self.until(|controls| !self.is_silent(controls) && !controls.hold_replies)
                .await;
            // A client that is gone must not end the connection: its held requests have still to arrive.
            let _ = client.write_all(&reply.frame).await;
        }
        self.until(|controls| !self.is_silent(controls) && !controls.hold_replies)
            .await;
    }

    fn is_silent(&self, controls: &Controls) -> bool {
        controls.black_hole || self.number < controls.stranded_before
    }

    /// The delay of this connection's frame number `index`.
    fn delay(&self, index: u64) -> Duration {
        let controls = self.shared.controls.borrow();
        controls.delay + controls.jitter.of_frame(self.number, index)
    }

    async fn until(&self, condition: impl Fn(&Controls) -> bool) {
        let mut controls = self.shared.controls.subscribe();
        controls
            .wait_for(condition)
            .await
            .expect("`shared` owns the sender");
    }
}

/// A reply or push on its way to the client.
struct Reply {
    frame: Bytes,
    due: Instant,
    /// The gate that holds it, if any.
    released: Option<watch::Receiver<bool>>,
}

/// Passes every frame to `take` until the stream ends or `take` wants no more. An incomplete last frame counts as one.
async fn read_frames(mut socket: OwnedReadHalf, mut take: impl FnMut(Bytes) -> bool) {
    let mut buffer = BytesMut::new();
    loop {
        while let Some(length) = frame_len(&buffer) {
            if !take(buffer.split_to(length).freeze()) {
                return;
            }
        }
        buffer.reserve(64 * 1024);
        // A reset ends the stream as well: the kernel hands out what arrived before it first.
        if !matches!(socket.read_buf(&mut buffer).await, Ok(1..)) {
            break;
        }
    }
    if !buffer.is_empty() {
        take(buffer.freeze());
    }
}
