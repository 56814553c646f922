//! UUIDs in plain JSON, which some versions write with their class.

use std::collections::BTreeMap;

use interop::oracle::Oracle;
use redisson_delayed_queue::codec::{Codec, TypedJsonJacksonCodec};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Java reads what Rust writes in the form of `version`, and writes the same. It loses the other
/// form. Rust reads both.
pub(crate) fn pass(version: &str, is_tagged: bool) {
    let mut oracle = Oracle::start(version);
    let codec = TypedJsonJacksonCodec::<Tracked>::new();
    let id = Uuid::from_u128(1 << 64 | 2);
    let tracked = Tracked {
        id,
        stops: vec![id],
        next: BTreeMap::from([(id, id)]),
        label: id.to_string(),
    };
    let [own, other] = [is_tagged, !is_tagged].map(|it| {
        let payload = codec.tagged_uuids(it).encode(&tracked);
        payload.expect("the codec writes it")
    });
    let read = oracle.decode(JAVA, &own).expect("java reads its form");
    assert_eq!(read.reencoded, own, "{version}");
    let lost = oracle.decode(JAVA, &other);
    assert!(lost.is_err(), "{version}: {lost:?}");
    for payload in [own, other] {
        assert_eq!(codec.decode(payload).expect("rust reads both"), tracked);
    }
}

const JAVA: &str = "TypedJsonJacksonCodec(interop.Tracked)";

/// The class of `interop/java/src/main/java/interop/Tracked.java`.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Tracked {
    id: Uuid,
    stops: Vec<Uuid>,
    next: BTreeMap<Uuid, Uuid>,
    label: String,
}
