//! Servers of a cluster, real and simulated, while a slot goes from one to another.

use bytes::Bytes;
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use redis::{RedisResult, Value};
use sim::{Server, SessionId, Slots};
use testbed::Cluster;

use crate::{frame::command, setting};

/// Keys of the slot that moves, and one of another.
const KEYS: [&str; 4] = ["{moved}1", "{moved}2", "{moved}3", "{other}1"];

struct Both<'a> {
    cluster: &'a Cluster,
    real: Vec<testbed::Server>,
    models: Vec<Server>,
    sessions: Vec<SessionId>,
}

impl<'a> Both<'a> {
    fn start(cluster: &'a Cluster) -> Self {
        let real = cluster.masters();
        let mut models: Vec<Server> = real.iter().map(|_| Server::new()).collect();
        let owners: Vec<(u16, usize)> = (KEYS.iter())
            .map(|key| {
                let owner = cluster.master_of(key).address();
                let place = real.iter().position(|it| it.address() == owner);
                (cluster.slot_of(key), place.expect("it is a master"))
            })
            .collect();
        for (place, model) in models.iter_mut().enumerate() {
            let mut slots = Slots::of(place);
            owners
                .iter()
                .for_each(|(slot, owner)| slots.settle(*slot, *owner));
            model.set_slots(Some(slots));
        }
        let sessions = models.iter_mut().map(Server::connect).collect();
        Self {
            cluster,
            real,
            models,
            sessions,
        }
    }

    /// Runs a command at a server of either kind, and compares the replies.
    fn run(&mut self, server: usize, words: &[&str]) {
        let real = self.real[server].try_run(words);
        let (model, session) = (&mut self.models[server], self.sessions[server]);
        model.receive(session, &command(words));
        let reply = redis::parse_redis_value(&model.take_output(session));
        let model = reply.and_then(Value::extract_error);
        assert_eq!(
            self.text(model),
            self.text(real),
            "{words:?} at server {server}"
        );
    }

    /// The reply, with the names that the simulated servers have.
    fn text(&self, reply: RedisResult<Value>) -> String {
        let text = match reply {
            Ok(value) => format!("{value:?}"),
            Err(error) => error.to_string(),
        };
        let servers = self.real.iter().enumerate();
        servers.fold(text, |text, (place, it)| {
            text.replace(&it.address(), &format!("redis-{place}:6379"))
        })
    }

    fn run_any(&mut self, random: &mut StdRng) {
        let server = random.random_range(0..self.real.len());
        let mut key = || *KEYS.choose(random).expect("there are some");
        let (one, two) = (key(), key());
        let script = "return #KEYS";
        let commands: [&[&str]; 9] = [
            &["SET", one, "value"],
            &["GET", one],
            &["DEL", one],
            &["EXISTS", one, two],
            &["DEL", one, two],
            &["EVAL", script, "1", one],
            &["EVAL", script, "2", one, two],
            &["EVAL", script, "0"],
            &["PING"],
        ];
        let words = commands.choose(random).expect("there are some");
        self.run(server, words);
    }

    /// Moves the slot from where it is to another server, with commands all the while.
    fn move_slot(&mut self, random: &mut StdRng) {
        let slot = self.cluster.slot_of(KEYS[0]);
        let owner = self.cluster.master_of(KEYS[0]).address();
        let from = self.real.iter().position(|it| it.address() == owner);
        let from = from.expect("it is a master");
        let to = (from + random.random_range(1..self.real.len())) % self.real.len();
        let moving = self.cluster.begin_move(slot, &self.real[to]);
        self.slots(from).leave(slot, to);
        loop {
            (0..20).for_each(|_| self.run_any(random));
            let keys: Vec<Bytes> = self.keys(from, slot);
            if moving.move_keys(1) == 0 {
                break;
            }
            let left = self.keys(from, slot);
            let moved = keys.iter().find(|it| !left.contains(it));
            let [source, target] = self.models.get_disjoint_mut([from, to]).expect("two");
            source.migrate(moved.expect("one has moved"), target);
        }
        moving.finish();
        for server in 0..self.models.len() {
            self.slots(server).settle(slot, to);
        }
        (0..20).for_each(|_| self.run_any(random));
    }

    /// The keys of a slot that a real server has.
    fn keys(&self, server: usize, slot: u16) -> Vec<Bytes> {
        let keys: Vec<Vec<u8>> =
            self.real[server].run(&["CLUSTER", "GETKEYSINSLOT", &slot.to_string(), "100"]);
        keys.into_iter().map(Bytes::from).collect()
    }

    fn slots(&mut self, server: usize) -> &mut Slots {
        self.models[server].slots().expect("it is one of a cluster")
    }
}

#[test]
fn servers_of_a_cluster_say_the_same_about_slots_that_move() {
    let seed = setting("SEED", rand::random_range(0..1 << 32));
    println!("slots: SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let cluster = Cluster::without_replicas();
    let mut both = Both::start(&cluster);
    for _ in 0..10 {
        both.move_slot(&mut random);
    }
}
