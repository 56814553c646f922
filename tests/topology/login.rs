//! Logins that do not stand in the address, and that change.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use redisson_delayed_queue::{Client, ClientBuilder, Credentials, DelayedQueue, Error, Event};
use testbed::{Cluster, Sentinels, Server, Settings};
use tokio::time::timeout;

use crate::fixture::{LONG, SHORT, blocking, client, queue};

/// Knows the password that is valid now.
#[derive(Clone)]
struct Vault {
    user: &'static str,
    password: Arc<Mutex<String>>,
    asked: Arc<AtomicUsize>,
    /// How many more questions it does not answer.
    sealed: Arc<AtomicUsize>,
}

impl Vault {
    /// Makes the user on these servers.
    fn new(user: &'static str, servers: &[Server]) -> Self {
        let vault = Self {
            user,
            password: Arc::default(),
            asked: Arc::default(),
            sealed: Arc::default(),
        };
        vault.rotate("first", servers);
        vault
    }

    /// Gives the user another password, and ends the connections that still have the former one.
    fn rotate(&self, password: &str, servers: &[Server]) {
        let rules = format!("reset on >{password} ~* &* +@all");
        let rules: Vec<&str> = rules.split(' ').collect();
        for server in servers {
            server.run::<()>(&[&["ACL", "SETUSER", self.user][..], &rules].concat());
        }
        *self.password.lock().unwrap() = password.to_owned();
        for server in servers {
            server.run::<u64>(&["CLIENT", "KILL", "USER", self.user]);
        }
    }

    /// Does not answer the next question.
    fn seal(&self, questions: usize) {
        self.sealed.store(questions, SeqCst);
    }

    fn asked(&self) -> usize {
        self.asked.load(SeqCst)
    }

    async fn credentials(self) -> Result<Credentials, Box<dyn std::error::Error + Send + Sync>> {
        self.asked.fetch_add(1, SeqCst);
        let is_sealed = self
            .sealed
            .fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
        if is_sealed.is_ok() {
            return Err("the vault is sealed".into());
        }
        let password = self.password.lock().unwrap().clone();
        Ok(Credentials::new(self.user, password))
    }

    fn builder(&self) -> ClientBuilder {
        let vault = self.clone();
        client().credentials_provider(move || vault.clone().credentials())
    }
}

/// Asserts that an element that is offered comes to a caller who waits.
async fn assert_works(queue: &DelayedQueue<String>, value: &str) {
    queue.offer(&value.to_owned(), SHORT).await.unwrap();
    assert_eq!(timeout(LONG, queue.take()).await.unwrap().unwrap(), value);
}

/// Asserts that all connections that have a name have this user, and that there are some.
fn assert_logged_in(servers: &[Server], user: &str) {
    let lists = servers.iter().map(|it| it.run(&["CLIENT", "LIST"]));
    let lists: String = lists.collect::<Vec<String>>().join("\n");
    let named = || lists.lines().filter(|it| it.contains(" name=rdq:"));
    assert!(named().count() > 0);
    let user = format!(" user={user} ");
    assert!(named().all(|line| line.contains(&user)), "{lists}");
}

/// A password that is rotated while callers wait and while the provider fails at times.
async fn assert_survives_a_rotation(settings: Settings) {
    let server = blocking(move || Server::with(&settings)).await;
    let servers = [server.clone()];
    let vault = Vault::new("orders", &servers);
    let client = vault.builder().connect(server.url()).await.unwrap();
    let queue = queue(&client, "orders");
    assert_works(&queue, "before").await;
    assert_logged_in(&servers, "orders");

    let waiting = tokio::spawn({
        let queue = queue.clone();
        async move { queue.take().await }
    });
    let asked = vault.asked();
    vault.seal(3);
    vault.rotate("second", &servers);
    queue.offer(&"after".to_owned(), SHORT).await.unwrap();
    let taken = timeout(LONG, waiting).await.unwrap().unwrap();
    assert_eq!(taken.unwrap(), "after");
    // Three times in vain, and then for each of the sockets.
    assert!(vault.asked() >= asked + 3 + 2, "{asked}, {}", vault.asked());
    assert_logged_in(&servers, "orders");
}

/// A consumer that waits has no call that could fail.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_fails_is_reported_once_until_it_answers() {
    let server = blocking(Server::start).await;
    let servers = [server.clone()];
    let vault = Vault::new("orders", &servers);
    let client = vault.builder().connect(server.url()).await.unwrap();
    let queue = queue(&client, "orders");
    assert_works(&queue, "before").await;
    let mut events = client.events();
    for round in 0..2 {
        vault.seal(usize::MAX);
        let asked = vault.asked();
        vault.rotate(&format!("password {round}").replace(' ', "-"), &servers);
        let mut denied = 0;
        let count = async {
            // Each of the two sockets of the service asks in vain, again and again.
            while vault.asked() < asked + 8 || denied == 0 {
                if let Ok(event) = timeout(SHORT, events.next()).await
                    && let Some(Event::Denied { error, .. }) = event
                {
                    assert!(
                        error.to_string().contains("provider of credentials"),
                        "{error}"
                    );
                    denied += 1;
                }
            }
        };
        timeout(LONG, count).await.unwrap();
        assert_eq!(denied, 1);
        vault.seal(0);
        assert_works(&queue, "after").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_that_changes_is_asked_for_at_each_connect() {
    assert_survives_a_rotation(Settings::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_resp3_gets_the_password_of_the_provider_too() {
    assert_survives_a_rotation(Settings::new().set("rename-command", "HELLO \"\"")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_node_of_a_cluster_gets_the_password_of_the_provider() {
    let cluster = blocking(Cluster::without_replicas).await;
    let nodes = cluster.nodes();
    let vault = Vault::new("orders", &nodes);
    let client = vault.builder().connect(cluster.url()).await.unwrap();
    // The slots were asked for, and no queue has a connection yet.
    assert!(vault.asked() > 0);
    let queues = ["orders-0", "orders-1", "orders-2", "orders-3"].map(|it| queue(&client, it));
    for queue in &queues {
        assert_works(queue, "before").await;
    }
    vault.seal(3);
    vault.rotate("second", &nodes);
    for queue in &queues {
        assert_works(queue, "after").await;
    }
    assert_logged_in(&nodes, "orders");
}

/// Neither knows the user of the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sentinels_have_a_provider_of_their_own() {
    let bed = blocking(Sentinels::start).await;
    let vault = Vault::new("orders", bed.data());
    let watch = Vault::new("watch", bed.sentinels());
    let provider = watch.clone();
    let builder = vault.builder();
    let builder = builder.sentinel_credentials_provider(move || provider.clone().credentials());
    let client = builder.connect(bed.url()).await.unwrap();
    let queue = queue(&client, "orders");
    assert_works(&queue, "before").await;
    let asked = watch.asked();
    watch.seal(3);
    watch.rotate("second", bed.sentinels());
    vault.rotate("second", bed.data());
    assert_works(&queue, "after").await;
    assert!(watch.asked() > asked + 3, "{asked}, {}", watch.asked());
}

#[tokio::test]
async fn a_provider_that_fails_is_named_in_the_error() {
    let server = Server::start();
    let vault = Vault::new("orders", std::slice::from_ref(&server));
    vault.seal(usize::MAX);
    let error = vault.builder().connect(server.url()).await.unwrap_err();
    let Error::Connect { source, .. } = &error else {
        panic!("{error:?}");
    };
    assert!(
        error.to_string().contains("provider of credentials"),
        "{error}"
    );
    assert_eq!(source.to_string(), "the vault is sealed");
}

/// A URL would have to escape them.
#[tokio::test]
async fn a_password_may_have_any_characters() {
    let server = Server::start();
    let vault = Vault::new("orders", std::slice::from_ref(&server));
    let password = "p:s@/?#%";
    vault.rotate(password, std::slice::from_ref(&server));
    for (address, credentials) in [
        (server.url(), Credentials::new("orders", password)),
        // The name alone may stand in the address. Credentials win over a password there.
        (
            server.url().replace("://", "://orders:wrong@"),
            Credentials::password(password),
        ),
    ] {
        let client = client().credentials(credentials).connect(address).await;
        assert_works(&queue(&client.unwrap(), "orders"), "17").await;
    }
    let wrong = client()
        .retry_window(Duration::ZERO)
        .credentials(Credentials::new("orders", "wrong"));
    let refused: Result<Client, _> = wrong.connect(server.url()).await;
    assert!(matches!(refused, Err(Error::Denied { .. })), "{refused:?}");
}
