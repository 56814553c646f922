//! Which queue is next, while all answer at once. How long to wait for one that does not is tested with Redis.

use tokio::time::sleep;

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

/// A queue whose Redis does not answer.
struct Hanging;

impl Source for Hanging {
    fn next(&self) -> BoxFuture<'_, Result<Job>> {
        pending().boxed()
    }

    fn next_known(&self) -> BoxFuture<'_, Result<Option<Job>>> {
        pending().boxed()
    }

    fn queue(&self) -> &str {
        "hanging"
    }
}

/// Elements whose handlers take some seconds.
struct Slow(Arc<Mutex<usize>>);

impl Source for Slow {
    fn next(&self) -> BoxFuture<'_, Result<Job>> {
        self.next_known().map(|job| job.map(Option::unwrap)).boxed()
    }

    fn next_known(&self) -> BoxFuture<'_, Result<Option<Job>>> {
        let begun = Arc::clone(&self.0);
        let handled = async move {
            let number = {
                let mut begun = lock(&begun);
                *begun += 1;
                *begun
            };
            // They end one after the other, less than the patience apart.
            sleep(Duration::from_millis(90 * (number as u64 % 50 + 1))).await;
            None
        };
        futures::future::ok(Some(handled.boxed())).boxed()
    }

    fn queue(&self) -> &str {
        "slow"
    }
}

/// Each handler that ends asks the queues anew, and must not begin the wait for the silent one anew.
#[tokio::test(start_paused = true)]
async fn a_silent_queue_holds_the_others_up_for_a_tenth_of_the_time() {
    let begun = Arc::new(Mutex::new(0));
    let workers = Workers::new().strict().concurrency(50);
    let workers = workers.add(1, 50, pending().boxed(), Hanging);
    let workers = workers.add(1, 50, pending().boxed(), Slow(Arc::clone(&begun)));
    let minute = Duration::from_secs(60);
    assert!(timeout(minute, workers.into_future()).await.is_err());
    // A handler takes 2.3 s on average, so fifty at a time begin 22 a second.
    let begun = *lock(&begun);
    assert!(begun > 60 * 22 * 8 / 10, "{begun}");
}
