//! Users who may claim, but may not look for a claim whose reply was lost: its lease runs out, and all else goes on.

use super::*;

/// What a claim of `take` has in it.
pub(super) const CLAIM: &[u8] = b"rdq1_quarantine:{orders}";
/// What a claim of a consumer has in it.
pub(super) const CONSUME: &[u8] = b"$2\r\n11\r\n$6\r\norders";

/// Long enough for some calls after the claim whose reply is lost.
const LEASE: Duration = Duration::from_secs(3);

const ALL_BUT: [&str; 3] = ["~*", "&*", "+@all"];

/// A client of the service that does not transfer, behind a proxy that can lose replies.
pub(super) struct Unlucky {
    pub(super) proxy: Proxy,
    pub(super) client: Client,
    events: Events,
    pub(super) queue: DelayedQueue<String>,
}

impl Unlucky {
    pub(super) async fn start(redis: &RedisServer, lease: Duration) -> Self {
        let proxy = Proxy::start(redis.port()).await;
        let url = proxy.url().replace("redis://", "redis://service:secret@");
        let builder = Client::builder().transfer(false).claim_lease(lease);
        let client = builder.connect(url).await.unwrap();
        Self {
            events: client.events(),
            queue: client.delayed_queue("orders", StringCodec).unwrap(),
            client,
            proxy,
        }
    }

    /// What [`Event::Degraded`] has said of the queue since the last call.
    pub(super) fn complaints(&mut self) -> Vec<String> {
        let told = all_events(&mut self.events).into_iter();
        let causes = told.filter_map(|it| match it {
            Event::Degraded { queue, cause, .. } => queue.and(Some(cause.to_string())),
            _ => None,
        });
        causes.collect()
    }
}

/// Consumers of both kinds stood still for as long as the right was missing, and failed in the end.
#[tokio::test]
async fn a_taker_goes_on_and_gets_the_element_when_the_lease_runs_out() {
    let redis = RedisServer::start().await;
    allow(&redis, &[&ALL_BUT[..], &["-hstrlen"]].concat()).await;
    let mut unlucky = Unlucky::start(&redis, LEASE).await;
    let (proxy, queue) = (&unlucky.proxy, &unlucky.queue);
    push(&redis, &["run the script once"]).await;
    take_all(queue, 1).await.unwrap();

    push(&redis, &["lost"]).await;
    proxy.cut_after_request(CLAIM, 1);
    let waiting = queue.clone();
    let waiting = tokio::spawn(async move { take_all(&waiting, 2).await });
    eventually(SOON, "the reply is lost", async || {
        proxy.lost_replies() == 1
    })
    .await;
    push(&redis, &["next"]).await;
    let taken = waiting.await.unwrap();
    assert_eq!(taken.unwrap(), ["next", "lost"]);
    assert_told(&unlucky.complaints());
    shut_down(unlucky.client).await;
}

#[tokio::test]
async fn a_consumer_goes_on_and_gets_the_element_when_the_lease_runs_out() {
    let redis = RedisServer::start().await;
    allow(&redis, &[&ALL_BUT[..], &["-zcount"]].concat()).await;
    let mut unlucky = Unlucky::start(&redis, LEASE).await;
    let proxy = &unlucky.proxy;
    let consumer = unlucky.queue.consumer().prefetch(0).visibility(LEASE);
    let consumer = consumer.build().unwrap();
    push(&redis, &["run the scripts once"]).await;
    let delivery = consumer.recv().await.unwrap();
    delivery.ack().await.unwrap();

    push(&redis, &["lost"]).await;
    proxy.cut_after_request(CONSUME, 1);
    for (value, attempt) in [("next", 1), ("lost", 2)] {
        let mut waiting = tokio::spawn({
            let consumer = consumer.clone();
            async move { consumer.recv().await }
        });
        eventually(SOON, "the reply is lost", async || {
            proxy.lost_replies() == 1
        })
        .await;
        if value == "next" {
            push(&redis, &[value]).await;
        }
        let delivery = timeout(SOON, &mut waiting).await.unwrap().unwrap().unwrap();
        assert_eq!(
            (delivery.value().as_str(), delivery.attempt()),
            (value, attempt)
        );
        delivery.ack().await.unwrap();
    }
    assert_told(&unlucky.complaints());
    shut_down(unlucky.client).await;
}

/// For some time the client says that it does not know all that it has claimed.
async fn shut_down(client: Client) {
    if let Err(error) = client.shutdown().await {
        let step = Step::GiveBack;
        assert!(
            matches!(error, Error::Denied { step: it, .. } if it == step),
            "{error:?}"
        );
    }
}

/// Once, although the client may have looked again.
#[track_caller]
fn assert_told(complaints: &[String]) {
    assert!(
        matches!(complaints, [cause] if cause.contains("NOPERM")),
        "{complaints:?}"
    );
}
