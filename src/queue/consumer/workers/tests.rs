//! Which queue is next, while all answer at once. How long to wait for one that does not is tested with Redis.

use super::*;

/// The queues of the elements that handlers have seen, in order.
type Seen = Arc<Mutex<Vec<&'static str>>>;

/// A queue with so many elements at hand.
struct Stock {
    queue: &'static str,
    left: Mutex<usize>,
    seen: Seen,
}

impl Source for Stock {
    fn next(&self) -> BoxFuture<'_, Result<Job>> {
        pending().boxed()
    }

    fn next_known(&self) -> BoxFuture<'_, Result<Option<Job>>> {
        let mut left = lock(&self.left);
        let is_there = *left > 0;
        *left = left.saturating_sub(1);
        let (queue, seen) = (self.queue, Arc::clone(&self.seen));
        let handled = async move {
            lock(&seen).push(queue);
            None
        };
        futures::future::ok(is_there.then(|| handled.boxed())).boxed()
    }

    fn queue(&self) -> &str {
        self.queue
    }
}

/// The queues in the order in which 200 elements of each are handled, one at a time.
async fn order(workers: Workers) -> Vec<&'static str> {
    let seen = Seen::default();
    let mut workers = workers.concurrency(1);
    for (weight, queue) in [(9, "high"), (1, "low")] {
        let stock = Stock {
            queue,
            left: Mutex::new(200),
            seen: Arc::clone(&seen),
        };
        workers = workers.add(weight, 4, pending().boxed(), stock);
    }
    let all = async {
        while lock(&seen).len() < 400 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = workers.into_future() => panic!("it never ends by itself"),
        () = all => {}
    }
    lock(&seen).clone()
}

fn of_high(seen: &[&str]) -> usize {
    seen.iter().filter(|it| **it == "high").count()
}

#[tokio::test]
async fn a_queue_with_more_weight_is_served_more_often_and_the_other_does_not_starve() {
    let seen = order(Workers::new()).await;
    let of_high = of_high(&seen[..200]);
    assert!(of_high > 150 && of_high < 200, "{of_high}");
}

/// Both have elements, and the second waits until the first has none.
#[tokio::test]
async fn a_strict_order_serves_the_first_queue_first() {
    let seen = order(Workers::new().strict()).await;
    assert_eq!(of_high(&seen[..200]), 200);
}
