//! A key for each element, and the notifications of Redis that keys have expired.

use std::time::{Duration, Instant};

use redis::{Commands, pipe};
use testbed::{Server, Settings};

use crate::{
    FAR, Work,
    lateness::{Lateness, due_in},
};

pub(crate) fn measure(work: Work) -> Lateness {
    let redis = Server::with(&Settings::new().set("notify-keyspace-events", "Ex"));
    let mut connection = redis.connection();
    let keys: Vec<_> = (0..work.others).map(|i| format!("other {i}")).collect();
    for portion in keys.chunks(1_000) {
        let mut commands = pipe();
        for key in portion {
            commands.pset_ex(key, "", FAR.as_millis() as u64).ignore();
        }
        let () = commands.query(&mut connection).expect("redis has room");
    }

    let mut listening = redis.connection();
    let mut events = listening.as_pubsub();
    let channel = "__keyevent@0__:expired";
    events.subscribe(channel).expect("redis takes subscribers");
    for delay in work.delays() {
        let ms = delay.as_millis() as u64;
        let set: redis::RedisResult<()> = connection.pset_ex(due_in(delay), "", ms);
        set.expect("redis has room");
    }
    let end = Instant::now() + work.length();
    let mut late = Lateness::of(work.due);
    while !late.is_complete()
        && let Some(left) = end.checked_duration_since(Instant::now())
    {
        let patience = left.max(Duration::from_millis(1));
        events
            .set_read_timeout(Some(patience))
            .expect("the timeout is not zero");
        // An error is the end of the patience.
        let Ok(event) = events.get_message() else {
            break;
        };
        late.came(&event.get_payload::<String>().expect("keys are text"));
    }
    late
}
