//! Values of the classes against what Java made of its own.
use redisson_delayed_queue::java::{JavaObject, Schema};

use super::*;
use crate::vectors;

fn describes<T: JavaObject>() {
    let mut described = Schema::new();
    T::describe(&mut described);
    assert!(described.contains(T::java_type().name()));
    let all = vectors::schema();
    let mut merged = all.clone();
    merged.merge(described.clone());
    assert_eq!(merged, all);
}

#[test]
fn schemas() {
    describes::<Address>();
    describes::<BaseEvent>();
    describes::<Parcel<Address>>();
    describes::<Parcel<String>>();
    describes::<ParcelHolder>();
    describes::<Deep>();
    describes::<Envelope<String>>();
    describes::<Holder>();
    describes::<Node>();
}
