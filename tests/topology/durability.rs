//! Offers that wait for replicas or the disk.

use std::future::Future;
use std::time::{Duration, Instant};

use futures::future::join_all;
use redisson_delayed_queue::{
    Client, DelayedQueue, Durability, Error, IfPending, Offer, Outcome, Ticket,
};
use testbed::{Cluster, Sentinels, Server, Settings};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::fixture::{LONG, blocking, client, connect, queue};

/// Longer than a replica needs.
pub(crate) const PLENTY: Duration = Duration::from_secs(30);

/// Shorter than any test waits for a replica that cannot answer.
pub(crate) const SOON: Duration = Duration::from_millis(300);

/// Long enough for the one replica that there is, and shorter than a test.
const A_WHILE: Duration = Duration::from_secs(3);

/// No element becomes due during a test.
const LATE: Duration = Duration::from_secs(3_600);

const ONE: Durability = Durability::Replicas(1);

pub(crate) fn lasting(wanted: Durability, within: Duration) -> Offer {
    Offer::after(LATE).durability(wanted, within)
}

/// Waits for a fact.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < LONG, "{what}");
        sleep(Duration::from_millis(5)).await;
    }
}

/// A master with these settings and one replica.
pub(crate) async fn pair(settings: &Settings) -> (Server, Server) {
    let (master, replica) = (Server::with(settings), Server::with(settings));
    replica.run::<()>(&["REPLICAOF", "127.0.0.1", &master.port().to_string()]);
    until("the replica follows", || {
        master.run::<()>(&["SET", "follow", "1"]);
        replica.try_run::<Option<u8>>(&["GET", "follow"]) == Ok(Some(1))
    })
    .await;
    (master, replica)
}

/// The number of the connection on which the client waits at this moment.
fn waiting(server: &Server) -> Option<String> {
    let list: String = server.run(&["CLIENT", "LIST"]);
    let line = list
        .lines()
        .find(|it| it.contains("name=rdq:durable") && it.contains(" cmd=wait "))?;
    Some(line.split([' ', '=']).nth(1)?.to_owned())
}

/// How often the server was told to wait.
fn waits(server: &Server) -> u64 {
    let line = server.info("commandstats", "cmdstat_wait").unwrap();
    let calls = line.and_then(|it| it.split(['=', ',']).nth(1)?.parse().ok());
    calls.unwrap_or_default()
}

/// The server closes the links to its replicas, which are frozen and so do not come back. What it
/// writes from then on does not even wait in their sockets.
fn cut_off(master: &Server, replicas: &[Server]) {
    for replica in replicas {
        replica.pause();
    }
    master.run::<u64>(&["CLIENT", "KILL", "TYPE", "replica"]);
}

fn offering(
    queue: &DelayedQueue<String>,
    value: &str,
    offer: Offer,
) -> JoinHandle<redisson_delayed_queue::Result<redisson_delayed_queue::Offered>> {
    let (queue, value) = (queue.clone(), value.to_owned());
    tokio::spawn(async move { queue.offer_with(&value, offer).await })
}

/// The ticket, the outcome and the number of replicas of an offer that fell short.
#[track_caller]
pub(crate) fn short<T: std::fmt::Debug>(result: Result<T, Error>) -> (Ticket, Outcome, usize) {
    let error = result.unwrap_err();
    assert!(error.may_have_changed_redis());
    match error {
        Error::NotDurable {
            offered,
            got,
            source: None,
            ..
        } => (offered.ticket, offered.outcome, got.replicas),
        other => panic!("{other:?}"),
    }
}

async fn in_time<T>(work: impl Future<Output = T>) -> T {
    timeout(LONG, work).await.unwrap()
}

#[tokio::test]
async fn an_offer_succeeds_once_replicas_have_the_element_and_else_says_who_has_it() {
    let (master, replica) = pair(&Settings::new()).await;
    let client = connect(master.url()).await;
    let queue = queue(&client, "orders");
    queue
        .offer_with(&"17".to_owned(), lasting(ONE, PLENTY))
        .await
        .unwrap();
    let there: u64 = replica.run(&["ZCARD", "redisson_delay_queue_timeout:{orders}"]);
    assert_eq!(there, 1);

    let start = Instant::now();
    let two = lasting(Durability::Replicas(2), A_WHILE);
    let result = queue.offer_with(&"18".to_owned(), two).await;
    let text = result.as_ref().unwrap_err().to_string();
    assert!(
        text.contains("1 replica confirmed it instead of 2 replicas"),
        "{text}"
    );
    assert_eq!(short(result).2, 1);
    assert!(start.elapsed() >= A_WHILE);

    replica.pause();
    let result = queue.offer_with(&"19".to_owned(), lasting(ONE, SOON)).await;
    let (ticket, outcome, replicas) = short(result);
    assert_eq!((outcome, replicas), (Outcome::Added, 0));
    assert!(queue.cancel(&ticket).await.unwrap());
    assert_eq!(queue.pending().read_all().await.unwrap(), ["17", "18"]);
}

#[tokio::test]
async fn the_client_has_a_default_that_an_offer_can_set_aside() {
    let server = Server::start();
    let builder = client().durability(ONE, SOON);
    let client = builder.connect(server.url()).await.unwrap();
    let queue = queue(&client, "orders");
    let value = "17".to_owned();
    short(queue.offer(&value, LATE).await);
    short(queue.offer_with(&value, Offer::after(LATE)).await);
    let asked = lasting(Durability::Master, SOON);
    queue.offer_with(&value, asked).await.unwrap();
}

/// On a new connection, `WAIT` answers at once as long as nothing was written there.
#[tokio::test]
async fn an_offer_whose_wait_was_cut_off_waits_again_without_storing_the_element_twice() {
    let (master, replica) = pair(&Settings::new()).await;
    let client = connect(master.url()).await;
    let queue = queue(&client, "orders");
    for (index, offer) in [lasting(ONE, PLENTY), lasting(ONE, PLENTY).key("17")]
        .into_iter()
        .enumerate()
    {
        replica.pause();
        let offering = offering(&queue, "17", offer);
        let mut first = None;
        until("the offer waits", || {
            first = waiting(&master);
            first.is_some()
        })
        .await;
        let first = first.unwrap();
        master.run::<()>(&["CLIENT", "KILL", "ID", &first]);
        until("the offer waits again or is over", || {
            offering.is_finished() || waiting(&master).is_some_and(|it| it != first)
        })
        .await;
        assert!(!offering.is_finished(), "{:?}", offering.await.unwrap());
        replica.resume();
        in_time(offering).await.unwrap().unwrap();
        assert_eq!(queue.pending().len().await.unwrap(), index + 1);
    }
}

#[tokio::test]
async fn an_offer_that_keeps_an_element_waits_for_that_element() {
    let (master, replica) = pair(&Settings::new()).await;
    let client = connect(master.url()).await;
    let queue = queue(&client, "orders");
    replica.pause();
    let kept = Offer::after(LATE).key("17");
    let kept = queue.offer_with(&"a".to_owned(), kept).await.unwrap();
    let offer = || lasting(ONE, SOON).key("17").if_pending(IfPending::Keep);
    let result = queue.offer_with(&"b".to_owned(), offer()).await;
    let (ticket, outcome, _) = short(result);
    assert_eq!((ticket, outcome), (kept.ticket, Outcome::Kept));
    let unique = lasting(ONE, SOON).unique_in_queue();
    let result = queue.offer_with(&"a".to_owned(), unique).await;
    assert_eq!(short(result).1, Outcome::Kept);

    replica.resume();
    let offer = offer().durability(ONE, PLENTY);
    let offered = queue.offer_with(&"b".to_owned(), offer).await.unwrap();
    assert_eq!(offered.outcome, Outcome::Kept);
}

#[tokio::test]
async fn offers_at_the_same_time_share_a_wait() {
    let (master, _replica) = pair(&Settings::new()).await;
    let client = connect(master.url()).await;
    let queue = queue(&client, "orders");
    let offer = async |value: String| queue.offer_with(&value, lasting(ONE, PLENTY)).await;
    offer("first".to_owned()).await.unwrap();
    let start = Instant::now();
    offer("alone".to_owned()).await.unwrap();
    let alone = start.elapsed();
    let (before, start) = (waits(&master), Instant::now());
    let offered = join_all((0..100).map(|it| offer(it.to_string()))).await;
    let (together, waited) = (start.elapsed(), waits(&master) - before);
    assert!(offered.iter().all(Result::is_ok));
    println!("one {alone:?}; 100 at once {together:?} with {waited} waits");
    assert!(waited <= 50, "{waited}");

    let before = waits(&master);
    let many = (0..200).map(|it| (it.to_string(), lasting(ONE, PLENTY)));
    assert_eq!(queue.offer_all(many).await.unwrap().len(), 200);
    let waited = waits(&master) - before;
    println!("offer_all of 200 with {waited} waits");
    assert!(waited <= 20, "{waited}");
}

#[tokio::test]
async fn an_offer_that_waits_in_vain_does_not_hold_up_others() {
    let (master, _replica) = pair(&Settings::new()).await;
    let client = connect(master.url()).await;
    let queue = queue(&client, "orders");
    let in_vain: Vec<_> = (0..10)
        .map(|_| offering(&queue, "17", lasting(Durability::Replicas(5), LONG)))
        .collect();
    until("they wait", || waiting(&master).is_some()).await;
    let start = Instant::now();
    for _ in 0..20 {
        let offer = lasting(ONE, Duration::MAX);
        queue.offer_with(&"18".to_owned(), offer).await.unwrap();
    }
    println!("20 one after the other in {:?}", start.elapsed());
    for offering in in_vain {
        assert!(!offering.is_finished());
        offering.abort();
    }
    until("nobody waits", || waiting(&master).is_none()).await;
}

#[tokio::test]
async fn values_that_are_offered_together_and_fall_short_are_named() {
    let server = Server::start();
    let client = connect(server.url()).await;
    let queue = queue(&client, "orders");
    let many = (0..3).map(|it| (it.to_string(), lasting(ONE, SOON)));
    let error = queue.offer_all(many).await.unwrap_err();
    let Error::OfferedInPart {
        offered,
        unknown,
        source,
    } = error
    else {
        panic!("{error:?}");
    };
    assert!(offered.is_empty());
    assert!(matches!(*source, Error::NotDurable { .. }), "{source:?}");
    assert_eq!(unknown.keys().copied().collect::<Vec<_>>(), [0, 1, 2]);
    for ticket in unknown.values() {
        assert!(queue.cancel(ticket).await.unwrap());
    }
}

#[tokio::test]
async fn a_server_that_refuses_to_wait_says_why_and_has_the_element() {
    let server = Server::start();
    let refused = async |user: &Client, wanted| {
        let queue = queue(user, "orders");
        let offer = lasting(wanted, PLENTY);
        match queue.offer_with(&"17".to_owned(), offer).await {
            Err(Error::NotDurable {
                offered,
                source: Some(source),
                ..
            }) => {
                assert!(queue.cancel(&offered.ticket).await.unwrap());
                source.to_string()
            }
            other => panic!("{other:?}"),
        }
    };
    // Too old, or without an append-only file.
    let text = refused(
        &connect(server.url()).await,
        Durability::Aof { replicas: 0 },
    )
    .await;
    println!("{text}");
    assert!(text.to_lowercase().contains("waitaof"), "{text}");

    server.run::<()>(&[
        "ACL", "SETUSER", "shy", "on", "nopass", "~*", "&*", "+@all", "-wait",
    ]);
    let url = server.url().replace("redis://", "redis://shy:x@");
    let text = refused(&connect(url).await, ONE).await;
    assert!(text.contains("NOPERM"), "{text}");
}

#[tokio::test]
async fn an_offer_waits_for_the_disk() {
    let server = Server::with(&Settings::new().set("appendonly", "yes"));
    let version = server.info("server", "redis_version").unwrap().unwrap();
    let numbers: Vec<u32> = version
        .split('.')
        .take(2)
        .map(|it| it.parse().unwrap())
        .collect();
    if numbers < vec![7, 2] {
        eprintln!("left out: WAITAOF takes Redis 7.2, and this is {version}");
        return;
    }
    let client = connect(server.url()).await;
    let queue = queue(&client, "orders");
    let offer = lasting(Durability::Aof { replicas: 0 }, PLENTY);
    queue.offer_with(&"17".to_owned(), offer).await.unwrap();
    let result = queue
        .offer_with(
            &"18".to_owned(),
            lasting(Durability::Aof { replicas: 1 }, SOON),
        )
        .await;
    assert_eq!(short(result).2, 0);
    blocking({
        let server = server.clone();
        move || server.restart()
    })
    .await;
    let pending = queue.pending().read_all().await.unwrap();
    assert!(pending.contains(&"17".to_owned()), "{pending:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_replicas_have_survives_the_death_of_the_master() {
    let bed = Sentinels::start();
    // Sentinels that have seen the replicas down may need two rounds.
    let patient = client().retry_window(LONG);
    let client = patient.connect(bed.url()).await.unwrap();
    let queue = queue(&client, "orders");
    let all = Durability::Replicas(2);
    for value in ["1", "2", "3"] {
        let offer = lasting(all, PLENTY);
        queue.offer_with(&value.to_owned(), offer).await.unwrap();
    }
    cut_off(&bed.master(), &bed.replicas());
    queue.offer(&"plain".to_owned(), LATE).await.unwrap();
    let result = queue
        .offer_with(&"short".to_owned(), lasting(all, SOON))
        .await;
    assert_eq!(short(result).2, 0);

    // The client waits on the master when that dies, and goes on at the next one.
    let waits_on = offering(&queue, "waits on", lasting(ONE, PLENTY));
    let master = bed.master();
    until("the offer waits", || waiting(&master).is_some()).await;
    let bed = blocking(move || {
        let replicas = bed.replicas();
        bed.kill_master();
        for replica in replicas {
            replica.resume();
        }
        bed.wait_until_ok();
        bed
    })
    .await;
    in_time(waits_on).await.unwrap().unwrap();
    // All calls since were durable offers.
    let in_vain = lasting(Durability::Replicas(5), SOON);
    let result = queue.offer_with(&"in vain".to_owned(), in_vain).await;
    let Err(Error::NotDurable {
        server, offered, ..
    }) = result
    else {
        panic!("{result:?}");
    };
    assert_eq!(server, bed.master().address());
    assert!(queue.cancel(&offered.ticket).await.unwrap());
    let pending = queue.pending().read_all().await.unwrap();
    println!(
        "acknowledged: 1, 2, 3, plain, waits on; not durable: short; on the new master: {pending:?}"
    );
    assert_eq!(pending, ["1", "2", "3", "waits on"]);
    assert_ne!(bed.master().port(), master.port());
}

#[tokio::test]
async fn an_offer_waits_for_the_replicas_of_its_shard() {
    let cluster = Cluster::start();
    let client = connect(cluster.url()).await;
    let names = ["orders-0", "orders-1", "orders-2", "orders-3"];
    join_all(names.map(async |name: &str| {
        let queue = queue(&client, name);
        let value = name.to_owned();
        queue
            .offer_with(&value, lasting(ONE, PLENTY))
            .await
            .unwrap();
        let two = lasting(Durability::Replicas(2), A_WHILE);
        assert_eq!(short(queue.offer_with(&value, two).await).2, 1);
    }))
    .await;
}
