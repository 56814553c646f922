//! Objects of Java classes, as real Redisson writes, finds and reads them.

use std::time::Duration;

use interop::payload::Payload;

use crate::stage::Stage;

/// With every codec that reads the objects back: what Java offers is the payload that Redisson is
/// known to write, and what Rust offers with that payload is to Java an equal object.
pub(crate) fn are_shared(version: &'static str) {
    let mut stage = Stage::new(version);
    let rows = Payload::of(version).into_iter();
    let rows: Vec<Payload> = rows
        .filter(|row| IDS.contains(&row.id.as_str()) && row.comes_back())
        .collect();
    assert!(rows.len() >= FEWEST, "{version}: {}", rows.len());
    for (i, row) in rows.iter().enumerate() {
        let name = format!("objects-{i}");
        stage.rust.open(&name, &name, "bytes");
        stage.java.open_offering(&name, &name, &row.codec());
        let queue = Queue {
            what: format!("{version}, {} of {}", row.codec(), row.id),
            name,
            payload: row.bytes(),
        };
        queue.offered_by_java(&mut stage, &format!("@{}", row.id));
        queue.offered_by_java(&mut stage, row.canonical());
        queue.offered_by_rust(&mut stage, &format!("@{}", row.id));
        queue.offered_by_rust(&mut stage, row.canonical());
        queue.taken(&mut stage, &format!("@{}", row.id));
    }
}

/// A queue of one codec in Java, and of payloads in Rust.
struct Queue {
    what: String,
    name: String,
    payload: Vec<u8>,
}

impl Queue {
    fn offered_by_java(&self, stage: &mut Stage, object: &str) {
        let Self {
            what,
            name,
            payload,
        } = self;
        stage.java.offer_object(name, LONG, object);
        assert_eq!(stage.rust.read_all(name), [payload.as_slice()], "{what}");
        assert!(stage.rust.contains(name, payload), "{what}");
        assert!(stage.rust.remove(name, payload), "{what}");
        assert!(!stage.java.contains_object(name, object), "{what}");
    }

    fn offered_by_rust(&self, stage: &mut Stage, object: &str) {
        let Self {
            what,
            name,
            payload,
        } = self;
        stage.rust.offer(name, LONG, payload);
        assert_eq!(stage.java.read_all(name), [payload.as_slice()], "{what}");
        assert!(stage.java.contains_object(name, object), "{what}");
        assert!(stage.java.remove_object(name, object), "{what}");
        assert!(!stage.java.remove_object(name, object), "{what}");
        assert_eq!(stage.rust.size(name), 0, "{what}");
    }

    fn taken(&self, stage: &mut Stage, object: &str) {
        let Self {
            what,
            name,
            payload,
        } = self;
        stage.java.offer_object(name, Duration::ZERO, object);
        let taken = stage.rust.poll(name, PATIENCE).map(|taken| taken.value);
        assert_eq!(taken.as_ref(), Some(payload), "{what}, taken by Rust");
        stage.rust.offer(name, Duration::ZERO, payload);
        let taken = stage.java.poll(name, PATIENCE).map(|taken| taken.value);
        assert_eq!(taken.as_ref(), Some(payload), "{what}, taken by Java");
        assert_eq!(stage.rust.size(name), 0, "{what}");
        assert_eq!(stage.java.target_size(name), 0, "{what}");
    }
}

/// Orders with all their fields set, of classes without a final one.
const IDS: [&str; 2] = ["pojo.order", "pojo.simple"];
/// With older versions; newer ones have more codecs.
const FEWEST: usize = 17;
/// So long that nothing becomes due during a test.
const LONG: Duration = Duration::from_secs(3_600);
const PATIENCE: Duration = Duration::from_secs(5);
