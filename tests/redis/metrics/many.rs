//! What many queues cost a scrape.

use redisson_delayed_queue::codec::StringCodec;

use super::*;
use crate::fixture::client_with;

/// `docs/monitoring.md` has the numbers.
#[tokio::test]
async fn queues_that_share_their_histograms_make_fewer_lines() {
    for (each, of_queue, of_all) in [(true, 99, 0), (false, 15, 84)] {
        let recorder = Recorder::install();
        let redis = RedisServer::start().await;
        let client = Client::builder().queue_histograms(each).transfer(false);
        let client = client_with(client, &redis.url()).await;
        for name in ["a", "b", "c"] {
            let queue = client.delayed_queue(name, StringCodec).unwrap();
            let consumer = queue.consumer().build().unwrap();
            queue.destination().offer(&name.to_owned()).await.unwrap();
            consumer.recv().await.unwrap().ack().await.unwrap();
        }
        let scrape = recorder.handle.render();
        let lines: Vec<&str> = scrape.lines().filter(|it| it.starts_with(PREFIX)).collect();
        let labelled = lines.iter().filter(|it| it.contains("queue=\"")).count();
        assert_eq!(labelled, 3 * of_queue, "{scrape}");
        let of_histograms = lines
            .iter()
            .filter(|it| it.contains("_seconds") && !it.contains("queue=\""));
        let shared = of_histograms.count();
        // What nobody has recorded yet has no line.
        assert!(
            shared <= of_all && (shared > 0) != each,
            "{shared} lines\n{scrape}"
        );
    }
}
