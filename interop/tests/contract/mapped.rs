//! Both languages translate names by the same rule, and each program says `orders`.

use std::time::Duration;

use interop::peer::Peer;
use redisson_delayed_queue::{
    BlockingQueue, Client, DelayedQueue, PrefixMapper, Side, codec::StringCodec,
};
use testbed::Server;
use tokio::runtime::Runtime;

use crate::raw::Raw;

/// Elements pass in every direction under the user's names. All keys are those of the mapped names.
pub(crate) fn shared(version: &'static str) {
    let runtime = Runtime::new().expect("the system has threads");
    let server = Server::start();
    let mut scene = Scene {
        java: Peer::java_with_prefix(version, &server.url(), PREFIX),
        raw: Raw::new(server.connection()),
        version,
    };
    runtime.block_on(async {
        let builder = || Client::builder().name_mapper(PrefixMapper::new(PREFIX));
        let moving = builder().connect(server.url()).await;
        let moving = moving.expect("the private redis accepts connections");
        let idle = builder().transfer(false).connect(server.url()).await;
        let idle = idle.expect("the private redis accepts connections");
        for name in ["orders", "{\u{fc}}orders"] {
            scene.java_moves(&idle, name).await;
            scene.rust_moves(&moving, name).await;
            scene.second_names(&idle, name).await;
            scene.dead_letters(&idle, name).await;
        }
        scene.shows_names().await;
    });
}

struct Scene {
    java: Peer,
    raw: Raw,
    version: &'static str,
}

impl Scene {
    /// Rust offers and takes. Java moves, so it found the timeout set and heard the channel.
    async fn java_moves(&mut self, client: &Client, name: &str) {
        let queue = open(client, name);
        self.java.open("moving", name, "string");
        self.raw.await_movers(&mapped(name), 1);
        queue.offer(&"r".to_owned(), SOON).await.expect("offered");
        self.raw.due_ms(&mapped(name), b"r");
        self.only_mapped_keys();
        let taken = queue.poll(PATIENCE).await.expect("redis answers");
        assert_eq!(taken.as_deref(), Some("r"), "{}", self.version);
        self.java.offer("moving", SOON, "j");
        let taken = queue.poll(PATIENCE).await.expect("redis answers");
        assert_eq!(taken.as_deref(), Some("j"), "{}", self.version);
        self.java.destroy("moving");
        self.raw.await_movers(&mapped(name), 0);
    }

    /// Java offers and takes. Rust moves.
    async fn rust_moves(&mut self, client: &Client, name: &str) {
        let queue = open(client, name);
        assert_eq!(queue.name(), name);
        self.raw.await_movers(&mapped(name), 1);
        self.java.open_offering("offering", name, "string");
        self.java.offer("offering", SOON, "j");
        self.raw.due_ms(&mapped(name), b"j");
        self.only_mapped_keys();
        let taken = self.java.poll("offering", PATIENCE).expect("it is moved");
        assert_eq!(taken.value, b"j", "{}", self.version);
        queue.offer(&"r".to_owned(), SOON).await.expect("offered");
        let taken = self.java.poll("offering", PATIENCE).expect("it is moved");
        assert_eq!(taken.value, b"r", "{}", self.version);
    }

    /// Rust moves elements to other names, where Java finds them. Java does not map some of them.
    async fn second_names(&mut self, client: &Client, name: &str) {
        let queue = open(client, name);
        let target: BlockingQueue<String> = queue.destination();
        let other = format!("{name}-other");
        self.java.open_target("other", &other, "string");
        let (a, far) = ("a".to_owned(), Duration::from_secs(3_600));

        queue.offer(&a, far).await.expect("offered");
        let polled = queue.pending().poll_last_and_offer_first_to(&other).await;
        assert_eq!(polled.expect("redis moves it").as_ref(), Some(&a));
        self.java_finds_one("other");
        target.offer(&a).await.expect("offered");
        let polled = target.poll_last_and_offer_first_to(&other, SOON).await;
        assert_eq!(polled.expect("redis moves it").as_ref(), Some(&a));
        self.java_finds_one("other");
        target.offer(&a).await.expect("offered");
        let moved = target.move_to(&other, Side::First, Side::Last, 1).await;
        assert_eq!(moved.expect("redis moves it"), 1);
        self.java_finds_one("other");
        target.offer(&a).await.expect("offered");
        let renamed = queue.object().rename(&other).await;
        assert!(renamed.expect("redis renames"));
        self.java_finds_one("other");
        self.only_mapped_keys();

        // The same calls of Java, and the key to which each puts the element.
        let key = mapped(&other);
        for (call, maps) in [
            ("delayed pollLastAndOfferFirstTo :{other}", false),
            ("queue pollLastAndOfferFirstTo :{other}", false),
            ("queue pollLastAndOfferFirstTo :{other} 1 SECONDS", true),
            ("deque move >first,last,{other}", false),
            (
                "deque rename :{other}",
                !["3.21.1", "3.23.4"].contains(&self.version),
            ),
        ] {
            if call.starts_with("delayed") {
                queue.offer(&a, far).await.expect("offered");
            } else {
                target.offer(&a).await.expect("offered");
            }
            self.java.open_offering("one", name, "string");
            let call = call.replace("{other}", &other);
            let (object, rest) = call.split_once(' ').expect("object and method");
            let _ = self.java.send(&format!("call one {object} {rest}"));
            let key = if maps { &key } else { &other };
            let mut command = redis::cmd("LPOP");
            let popped: Option<String> = self.raw.query(command.arg(key));
            assert_eq!(popped.as_ref(), Some(&a), "{}: {call}", self.version);
        }
    }

    /// Java reads them under the name that the consumer shows.
    async fn dead_letters(&mut self, client: &Client, name: &str) {
        let queue = open(client, name);
        let consumer = queue.consumer().build().expect("it is open");
        let offered = queue.destination().offer(&"a".to_owned()).await;
        offered.expect("offered");
        let delivery = consumer.recv().await.expect("redis delivers");
        delivery.reject("no").await.expect("redis moves it");
        self.java
            .open_target("dead", consumer.dead_letter_name(), "string");
        self.java_finds_one("dead");
        self.only_mapped_keys();
    }

    /// What Java calls its queue.
    async fn shows_names(&mut self) {
        self.java.open_target("named", "orders", "string");
        let name = format!("{:?}", self.java.send("call named queue getName"));
        assert_eq!(name, "Ok(\"x6f7264657273\")", "{}", self.version);
    }

    fn java_finds_one(&mut self, handle: &str) {
        let taken = self.java.poll(handle, Duration::ZERO);
        let taken = taken.unwrap_or_else(|| panic!("{}: nothing is there", self.version));
        assert_eq!(taken.value, b"a", "{}", self.version);
    }

    fn only_mapped_keys(&mut self) {
        let mut keys: Vec<String> = self.raw.query(redis::cmd("KEYS").arg("*"));
        keys.retain(|key| !key.contains(PREFIX));
        assert_eq!(keys, [""; 0], "{}", self.version);
    }
}

fn open(client: &Client, name: &str) -> DelayedQueue<String> {
    client.delayed_queue(name, StringCodec).expect("it is open")
}

fn mapped(name: &str) -> String {
    format!("{PREFIX}{name}")
}

const PREFIX: &str = "shop:";

/// Long enough to look at Redis before anything moves.
const SOON: Duration = Duration::from_secs(1);

const PATIENCE: Duration = Duration::from_secs(30);
