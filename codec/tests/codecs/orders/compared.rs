//! The types and values of [`orders`](super) against what Java showed of its own.

use std::fmt::Debug;

use redisson_codec::java::{Class, Schema, Text};

use super::values::{Visitor, deep, holder, order, shadow, visit_all};
use super::*;
use crate::canonical::canonical;
use crate::vectors;

/// The declared types decide the bytes: each must be that of the Java class.
#[test]
fn classes_are_described_as_java_declares_them() {
    struct Described(Schema);

    impl Visitor for Described {
        fn visit<T: JavaObject + Debug + PartialEq + 'static>(&mut self, id: &str, _: T) {
            let mut described = Schema::new();
            T::describe(&mut described);
            let mut all = vectors::schema();
            all.merge(described.clone());
            assert_eq!(all, vectors::schema(), "{id}");
            self.0.merge(described);
        }
    }

    let mut described = Described(Schema::new());
    visit_all(&mut described);
    // Nothing but the class around `Inner`.
    let outer = Class::object("com.example.orders.Outer");
    described.0.add(outer);
    assert_eq!(described.0, vectors::schema());
}

/// What Java showed of its values is the oracle: names and run-time classes of all fields.
#[test]
fn values_are_those_of_java_and_come_back() {
    struct Compared;

    impl Visitor for Compared {
        fn visit<T: JavaObject + Debug + PartialEq + 'static>(&mut self, id: &str, value: T) {
            let vector = vectors::of_codec("Kryo5Codec").find(|it| it.id == id);
            let java = value.to_java();
            // Java showed the hidden field by a name of its own.
            if id != "pojo.shadow" {
                assert_eq!(canonical(&java), vector.unwrap().value, "{id}");
            }
            assert_eq!(T::from_java(java).unwrap(), value, "{id}");
        }
    }

    visit_all(&mut Compared);
}

#[test]
fn a_hidden_field_keeps_its_value() {
    let java = shadow().to_java();
    let object = java
        .clone()
        .into_object("com.example.orders.Shadow")
        .unwrap();
    let amounts = object.fields.iter().filter(|(name, _)| name == "amount");
    let amounts: Vec<_> = amounts.map(|(_, value)| value.clone()).collect();
    assert_eq!(amounts, ["child".into(), "parent".into()]);

    assert_eq!(Shadow::from_java(java.clone()).unwrap(), shadow());
    assert_eq!(Event::from_java(java).unwrap(), Event::Shadow(shadow()));
}

#[test]
fn collections_have_the_run_time_classes_that_the_fields_ask_for() {
    let mut deep = deep()
        .to_java()
        .into_object("com.example.orders.Deep")
        .unwrap();
    for (field, class) in [
        ("concrete", "java.util.ArrayList"),
        ("concreteMap", "java.util.HashMap"),
        ("tree", "java.util.TreeMap"),
        ("tags", "com.example.orders.Tags"),
        ("iter", "java.util.ArrayList"),
    ] {
        assert_eq!(deep.take(field).class_name(), class, "{field}");
    }
    let mut holder = holder()
        .to_java()
        .into_object("com.example.orders.Holder")
        .unwrap();
    for (field, class) in [
        ("ints2", "[I"),
        ("addrArray", "[Lcom.example.orders.Address;"),
        ("date", "java.util.Date"),
        ("statuses", "java.util.LinkedHashSet"),
    ] {
        assert_eq!(holder.take(field).class_name(), class, "{field}");
    }
}

#[test]
fn what_does_not_fit_is_named_from_the_outside_in() {
    let mut order = order().to_java();
    let JavaValue::Object(fields) = &mut order else {
        panic!("no object");
    };
    let place = fields.fields.iter().position(|(name, _)| name == "address");
    let city = JavaValue::object("com.example.orders.Address", [("city", JavaValue::Long(5))]);
    fields.fields[place.unwrap()].1 = city;
    assert_eq!(
        OrderEvent::from_java(order).unwrap_err().to_string(),
        "address.city: expected java.lang.String, found java.lang.Long"
    );

    let gone = JavaValue::constant("com.example.orders.Status", "GONE");
    assert_eq!(
        Status::from_java(gone).unwrap_err().to_string(),
        "com.example.orders.Status has no constant GONE; it has NEW, PAID, SHIPPED, CANCELLED"
    );
    let uri = JavaValue::Text(Text {
        class: "java.net.URI".into(),
        text: String::new(),
    });
    assert_eq!(
        Event::from_java(uri).unwrap_err().to_string(),
        "expected a sub class of com.example.orders.BaseEvent, found java.net.URI"
    );
    let other = JavaValue::list([]);
    assert_eq!(
        Tags::from_java(other).unwrap_err().to_string(),
        "expected com.example.orders.Tags, found java.util.ArrayList"
    );
}
