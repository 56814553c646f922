//! The values of the vectors whose classes are [`orders`](super), made as `Values.java` makes them.

use std::fmt::Debug;

use super::*;

/// Looks at one value after another.
pub(crate) trait Visitor {
    /// Looks at the value that the vectors call `id`.
    fn visit<T: JavaObject + Debug + PartialEq + 'static>(&mut self, id: &str, value: T);
}

/// Shows all values to `visitor`.
pub(crate) fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit("pojo.simple", simple());
    visitor.visit("pojo.order", order());
    visitor.visit("pojo.order.nulls", order_of_nulls());
    visitor.visit("pojo.order.list", vec![order(), order_of_nulls()]);
    visitor.visit("pojo.address", address("1 Main St", "Paris", None));
    visitor.visit("pojo.inherit", payment());
    visitor.visit("pojo.inherit", Event::Payment(payment()));
    visitor.visit("pojo.shadow", shadow());
    visitor.visit("record", record());
    visitor.visit(
        "record.nulls",
        OrderRecord {
            user_id: 1,
            quantity: 2,
            price: 3.5,
            ..OrderRecord::default()
        },
    );
    visitor.visit("pojo.holder", holder());
    visitor.visit("pojo.holder.nulls", Holder::default());
    visitor.visit("pojo.box.str", parcel("v".to_owned(), "l"));
    visitor.visit("pojo.box.addr", parcel(scz(), "l"));
    visitor.visit(
        "pojo.boxholder",
        ParcelHolder {
            strings: Some(parcel("v".to_owned(), "l")),
            address: Some(parcel(scz(), "m")),
            wild: Some(parcel(JavaValue::Integer(5), "w")),
        },
    );
    visitor.visit("pojo.node.shared", node());
    visitor.visit("pojo.final", finale());
    visitor.visit(
        "pojo.finalholder",
        FinaleHolder {
            one: Some(finale()),
            none: None,
            many: Some(vec![finale(), finale()]),
            as_object: Some(finale()),
        },
    );
    visitor.visit("pojo.inner", Inner { x: text("in") });
    visitor.visit(
        "pojo.cyrillic",
        Cyrillic {
            имя: text("щ"),
            b: 1,
        },
    );
    visitor.visit(
        "pojo.notserializable",
        NonSerializable { a: text("x"), b: 5 },
    );
    visitor.visit("pojo.deep", deep());
    visitor.visit("pojo.deep.nulls", Deep::default());
    visitor.visit("pojo.stringbox", string_parcel("v", "l", 7));
    visitor.visit("pojo.orderplaced", placed());
    visitor.visit("pojo.note", note());
    visitor.visit("list.tags", tags());
    visitor.visit("enum", Status::Paid);
    visitor.visit("enum.body", Priority::High);
}

pub(crate) fn simple() -> SimpleOrder {
    SimpleOrder {
        order_id: text("ORD-1"),
        user_id: 42,
        quantity: 3,
        price: 19.99,
        paid: true,
        coupon_id: Some(77),
        tags: Some(vec![text("vip"), text("gift")]),
        attrs: Some(BTreeMap::from([
            ("channel".to_owned(), text("web")),
            ("lang".to_owned(), text("fr")),
        ])),
        address: Some(address("1 Main St", "Paris", Some("75001"))),
        status: Some(Status::Paid),
    }
}

pub(crate) fn order() -> OrderEvent {
    OrderEvent {
        order_id: text("ORD-2024-0001"),
        tags: Some(texts(["vip", "gift", "été"])),
        attrs: Some(BTreeMap::from([
            ("channel".to_owned(), text("web")),
            ("coupon".to_owned(), text("SUMMER")),
            ("empty".to_owned(), text("")),
            ("none".to_owned(), None),
        ])),
        address: Some(address("1 Main St", "Paris", None)),
        status: Some(Status::Paid),
        created_at: Some(Instant {
            seconds: 1_700_000_000,
            nanos: 123_456_789,
        }),
        nullable_int: Some(-7),
        blob: Some(vec![0, 1, 0x80, 0xff]),
        counters: Some(vec![0, -1, 1 << 40]),
        ..order_of_nulls()
    }
}

fn order_of_nulls() -> OrderEvent {
    OrderEvent {
        user_id: 9_007_199_254_740_993,
        quantity: 3,
        price: 19.99,
        paid: true,
        ..OrderEvent::default()
    }
}

fn record() -> OrderRecord {
    OrderRecord {
        order_id: text("R1"),
        user_id: 9_007_199_254_740_993,
        quantity: 2,
        price: 3.5,
        paid: true,
        tags: Some(texts(["t", "u"])),
        address: Some(address("rs", "rc", None)),
        status: Some(Status::Shipped),
        nullable_int: Some(5),
    }
}

fn payment() -> PaymentEvent {
    PaymentEvent {
        event: BaseEvent {
            event_id: text("ev-1"),
            version: 2,
        },
        amount: text("9.99"),
        zone: 4,
    }
}

pub(super) fn shadow() -> Shadow {
    Shadow {
        payment: PaymentEvent {
            event: BaseEvent {
                event_id: text("e1"),
                version: 7,
            },
            amount: text("parent"),
            zone: 3,
        },
        amount: text("child"),
        zeta: text("upper first"),
        alpha: text("lower after"),
        _under: text("underscore"),
        is_active: true,
        url: text("u"),
    }
}

pub(super) fn holder() -> Holder {
    // In the order in which codecs read fields, as a value that stays dynamic is compared with it.
    let fields = [("city", "q"), ("street", "p"), ("zip", "r")];
    let fields = fields.map(|(name, value)| (name, value.into()));
    let props = [
        ("s", JavaValue::from("v")),
        ("i", JavaValue::Integer(1)),
        ("l", JavaValue::Long(2)),
        ("n", JavaValue::Null),
        ("list", JavaValue::list(["x".into()])),
        (
            "addr",
            JavaValue::object("com.example.orders.Address", fields),
        ),
    ];
    Holder {
        any: "a string in an Object field".into(),
        number: Some(5),
        event: Some(Event::Payment(payment())),
        addresses: Some(vec![
            address("s1", "c1", Some("z1")),
            Address {
                city: None,
                ..address("s2", "", Some("z2"))
            },
        ]),
        ints: Some(vec![1, -1, 300]),
        nested: Some(vec![texts(["a", "b"]), Vec::new()]),
        wild: Some(vec!["w".into(), JavaValue::Integer(1)]),
        raw: Some(texts(["r", "s"])),
        bounded: Some(vec![1, 2]),
        statuses: Some(BTreeSet::from([Status::New, Status::Shipped])),
        props: JavaValueMap(JavaValue::map(
            props.map(|(name, value)| (name.into(), value)),
        )),
        by_id: Some(BTreeMap::from([(5, address("b", "y", Some("id")))])),
        multi: Some(BTreeMap::from([("k".to_owned(), vec![1, 2])])),
        counts: Some(BTreeMap::from([(Status::Paid, 7)])),
        boxed_bool: Some(true),
        boxed_long: Some(8),
        boxed_double: Some(2.5),
        boxed_char: Some(b'x'.into()),
        boxed_byte: Some(9),
        boxed_short: Some(10),
        boxed_float: Some(1.25),
        ch: b'y'.into(),
        by: -2,
        sh: -300,
        fl: 0.5,
        amount: Some(BigDecimal::new(1_234_500, 4)),
        date: Some(Instant {
            seconds: 1_700_000_000,
            nanos: 123_000_000,
        }),
        uuid: JavaValue::Uuid(0x0011_2233_4455_6677_8899_aabb_ccdd_eeff),
        priority: Some(Priority::High),
        ints2: Some(vec![1, -1, 1000]),
        names: Some([text("n1"), None, text("ü")].into()),
        addr_array: Some([Some(address("aa", "bb", Some("cc"))), None].into()),
        obj_array: Some(["o".into(), JavaValue::Integer(1), JavaValue::Null].into()),
        status_array: Some([Status::New, Status::Paid].into()),
        record: Some(OrderRecord {
            order_id: text("R1"),
            user_id: 1,
            quantity: 2,
            price: 3.5,
            paid: false,
            tags: Some(texts(["t"])),
            address: Some(address("rs", "rc", Some("rz"))),
            status: Some(Status::New),
            nullable_int: None,
        }),
        opt: JavaValue::Optional(Some(Box::new("present".into()))),
    }
}

pub(super) fn deep() -> Deep {
    let only = |key: &str| BTreeMap::from([(key.to_owned(), 1)]);
    Deep {
        map_of_maps: Some(map("a", map("b", "c".to_owned()))),
        map_of_lists: Some(map("a", texts(["x", "y"]))),
        list_of_maps: Some(vec![map("k", Some(5)), map("k2", None)]),
        statuses: Some(vec![Some(Status::New), None, Some(Status::Paid)]),
        priorities: Some(vec![Priority::Low, Priority::High]),
        records: Some(vec![OrderRecord {
            order_id: text("r"),
            user_id: 1,
            quantity: 2,
            price: 3.5,
            paid: true,
            tags: Some(texts(["t"])),
            address: None,
            status: Some(Status::Paid),
            nullable_int: Some(4),
        }]),
        sets: Some(map("s", BTreeSet::from([1, 2]))),
        blobs: Some(vec![vec![1], vec![2, 3]]),
        string_arrays: Some(vec![vec![text("p")], vec![text("q"), None]]),
        cube: Some(vec![vec![vec![1, 2], vec![]], vec![]]),
        list_keys: Some(BTreeMap::from([(texts(["lk"]), "lv".to_owned())])),
        opt_list: JavaValue::Optional(Some(Box::new(JavaValue::list(["o".into()])))),
        opts: Some(vec![text("p"), None]),
        boxes: Some(vec![
            parcel("bv".to_owned(), "bl"),
            Parcel {
                value: None,
                label: text("bn"),
            },
        ]),
        box_map: Some(map("bm", parcel(7, "l7"))),
        box_of_list: Some(parcel(texts(["in"]), "lb")),
        sbox: Some(string_parcel("sv", "sl", 9)),
        concrete: Some(texts(["c1"])),
        concrete_map: Some(HashMap::from([("cm".to_owned(), 1)])),
        obj: JavaValue::list(["a".into(), "b".into()]),
        iter: Some(texts(["it"])),
        tree: Some(only("t")),
        tags: Some(tags()),
        objects: Some(vec!["s".into(), 1.into(), 2_i64.into(), JavaValue::Null]),
        any_map: Some(map("k", vec![1])),
        order: Some(simple()),
        orders: Some(vec![simple(), simple()]),
    }
}

fn node() -> Node {
    let child = Box::new(Node {
        name: text("child"),
        left: None,
        right: None,
    });
    Node {
        name: text("root"),
        left: Some(child.clone()),
        right: Some(child),
    }
}

fn placed() -> OrderPlaced {
    OrderPlaced {
        envelope: Envelope {
            id: text("op1"),
            payload: Some(scz()),
            all: Some(vec![address("s2", "c2", Some("z2"))]),
        },
    }
}

fn note() -> Note {
    Note {
        envelope: Envelope {
            id: text("n1"),
            payload: text("text"),
            all: Some(texts(["a", "b"])),
        },
    }
}

fn finale() -> Finale {
    Finale { a: text("x"), b: 5 }
}

fn tags() -> Tags {
    Tags(texts(["t1", "t2"]))
}

fn scz() -> Address {
    address("s", "c", Some("z"))
}

fn address(street: &str, city: &str, zip: Option<&str>) -> Address {
    Address {
        street: text(street),
        city: text(city),
        zip: zip.map(str::to_owned),
    }
}

fn parcel<T>(value: T, label: &str) -> Parcel<T> {
    Parcel {
        value: Some(value),
        label: text(label),
    }
}

fn string_parcel(value: &str, label: &str, extra: i32) -> StringParcel {
    StringParcel {
        parcel: parcel(value.to_owned(), label),
        extra,
    }
}

fn map<T>(key: &str, value: T) -> BTreeMap<String, T> {
    BTreeMap::from([(key.to_owned(), value)])
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}
