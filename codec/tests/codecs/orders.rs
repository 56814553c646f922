//! The classes of the vectors as Rust types: `interop/java/src/main/java/com/example/orders`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use redisson_codec::java::{BigDecimal, Instant, JavaObject, JavaValue};

#[derive(Clone, Debug, Default, Eq, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Address", serial_version_uid = 1)]
pub(crate) struct Address {
    pub(crate) street: Option<String>,
    pub(crate) city: Option<String>,
    pub(crate) zip: Option<String>,
}

#[derive(Clone, Debug, Default, Eq, JavaObject, PartialEq)]
#[java(
    class = "com.example.orders.BaseEvent",
    abstract,
    serial_version_uid = 1
)]
pub(crate) struct BaseEvent {
    pub(crate) event_id: Option<String>,
    pub(crate) version: i64,
}

/// Not named `Box`: the derive looks through Rust's own.
#[derive(Clone, Debug, Default, Eq, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Box", serial_version_uid = 1)]
pub(crate) struct Parcel<T> {
    pub(crate) value: Option<T>,
    pub(crate) label: Option<String>,
}

#[derive(Clone, Debug, Default, JavaObject, PartialEq)]
#[java(class = "com.example.orders.BoxHolder", serial_version_uid = 1)]
pub(crate) struct ParcelHolder {
    pub(crate) strings: Option<Parcel<String>>,
    pub(crate) address: Option<Parcel<Address>>,
    pub(crate) wild: Option<Parcel<JavaValue>>,
}

#[derive(Clone, Debug, Default, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Deep", serial_version_uid = 1)]
pub(crate) struct Deep {
    pub(crate) map_of_maps: Option<BTreeMap<String, BTreeMap<String, String>>>,
    pub(crate) map_of_lists: Option<BTreeMap<String, Vec<String>>>,
    pub(crate) list_of_maps: Option<Vec<BTreeMap<String, Option<i64>>>>,
    pub(crate) statuses: Option<Vec<Option<Status>>>,
    pub(crate) priorities: Option<Vec<Priority>>,
    pub(crate) records: Option<Vec<OrderRecord>>,
    pub(crate) sets: Option<BTreeMap<String, BTreeSet<i32>>>,
    pub(crate) blobs: Option<Vec<Vec<u8>>>,
    #[java(type = "java.util.List<java.lang.String[]>")]
    pub(crate) string_arrays: Option<Vec<Vec<Option<String>>>>,
    pub(crate) cube: Option<Vec<Vec<Vec<i32>>>>,
    pub(crate) list_keys: Option<BTreeMap<Vec<String>, String>>,
    /// Null is not an empty one, and neither is it here.
    #[java(type = "java.util.Optional<java.util.List<java.lang.String>>")]
    pub(crate) opt_list: JavaValue,
    #[java(type = "java.util.List<java.util.Optional<java.lang.String>>")]
    pub(crate) opts: Option<Vec<Option<String>>>,
    pub(crate) boxes: Option<Vec<Parcel<String>>>,
    pub(crate) box_map: Option<BTreeMap<String, Parcel<i64>>>,
    pub(crate) box_of_list: Option<Parcel<Vec<String>>>,
    pub(crate) sbox: Option<StringParcel>,
    #[java(type = "java.util.ArrayList<java.lang.String>")]
    pub(crate) concrete: Option<Vec<String>>,
    #[java(type = "java.util.HashMap<java.lang.String, java.lang.Integer>")]
    pub(crate) concrete_map: Option<HashMap<String, i32>>,
    pub(crate) obj: JavaValue,
    #[java(type = "java.lang.Iterable<java.lang.String>")]
    pub(crate) iter: Option<Vec<String>>,
    #[java(type = "java.util.TreeMap<java.lang.String, java.lang.Integer>")]
    pub(crate) tree: Option<BTreeMap<String, i32>>,
    pub(crate) tags: Option<Tags>,
    pub(crate) objects: Option<Vec<JavaValue>>,
    #[java(type = "java.util.Map<?, ?>")]
    pub(crate) any_map: Option<BTreeMap<String, Vec<i32>>>,
    pub(crate) order: Option<SimpleOrder>,
    pub(crate) orders: Option<Vec<SimpleOrder>>,
}

#[derive(Clone, Debug, Default, Eq, JavaObject, PartialEq)]
#[java(
    class = "com.example.orders.Envelope",
    abstract,
    serial_version_uid = 1
)]
pub(crate) struct Envelope<T> {
    pub(crate) id: Option<String>,
    pub(crate) payload: Option<T>,
    pub(crate) all: Option<Vec<T>>,
}

#[derive(Clone, Debug, Eq, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Finale", final, serial_version_uid = 1)]
pub(crate) struct Finale {
    pub(crate) a: Option<String>,
    pub(crate) b: i32,
}

#[derive(Clone, Debug, Default, JavaObject, PartialEq)]
#[java(class = "com.example.orders.FinaleHolder", serial_version_uid = 1)]
pub(crate) struct FinaleHolder {
    pub(crate) one: Option<Finale>,
    pub(crate) none: Option<Finale>,
    pub(crate) many: Option<Vec<Finale>>,
    #[java(type = "java.lang.Object")]
    pub(crate) as_object: Option<Finale>,
}

/// What a field of the type `BaseEvent` holds.
#[derive(Clone, Debug, Eq, JavaObject, PartialEq)]
#[java(super_class = "com.example.orders.BaseEvent")]
pub(crate) enum Event {
    Payment(PaymentEvent),
    Shadow(Shadow),
}

#[derive(Clone, Debug, Default, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Holder", serial_version_uid = 1)]
pub(crate) struct Holder {
    pub(crate) any: JavaValue,
    #[java(type = "java.lang.Number")]
    pub(crate) number: Option<i64>,
    pub(crate) event: Option<Event>,
    pub(crate) addresses: Option<Vec<Address>>,
    pub(crate) ints: Option<Vec<i32>>,
    pub(crate) nested: Option<Vec<Vec<String>>>,
    pub(crate) wild: Option<Vec<JavaValue>>,
    #[java(type = "java.util.List")]
    pub(crate) raw: Option<Vec<String>>,
    #[java(type = "java.util.Collection<? extends java.lang.Number>")]
    pub(crate) bounded: Option<Vec<i32>>,
    pub(crate) statuses: Option<BTreeSet<Status>>,
    pub(crate) props: JavaValueMap,
    pub(crate) by_id: Option<BTreeMap<i64, Address>>,
    pub(crate) multi: Option<BTreeMap<String, Vec<i64>>>,
    pub(crate) counts: Option<BTreeMap<Status, i32>>,
    pub(crate) boxed_bool: Option<bool>,
    pub(crate) boxed_long: Option<i64>,
    pub(crate) boxed_double: Option<f64>,
    pub(crate) boxed_char: Option<u16>,
    pub(crate) boxed_byte: Option<i8>,
    pub(crate) boxed_short: Option<i16>,
    pub(crate) boxed_float: Option<f32>,
    pub(crate) ch: u16,
    pub(crate) by: i8,
    pub(crate) sh: i16,
    pub(crate) fl: f32,
    pub(crate) amount: Option<BigDecimal>,
    #[java(type = "java.util.Date")]
    pub(crate) date: Option<Instant>,
    #[java(type = "java.util.UUID")]
    pub(crate) uuid: JavaValue,
    pub(crate) priority: Option<Priority>,
    #[java(type = "int[]")]
    pub(crate) ints2: Option<Vec<i32>>,
    pub(crate) names: Option<Box<[Option<String>]>>,
    pub(crate) addr_array: Option<Box<[Option<Address>]>>,
    pub(crate) obj_array: Option<Box<[JavaValue]>>,
    pub(crate) status_array: Option<Box<[Status]>>,
    pub(crate) record: Option<OrderRecord>,
    #[java(type = "java.util.Optional<java.lang.String>")]
    pub(crate) opt: JavaValue,
}

/// A `Map<String, Object>` in its own order, which no map of Rust's standard library keeps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct JavaValueMap(pub(crate) JavaValue);

impl JavaObject for JavaValueMap {
    fn java_type() -> redisson_codec::java::JavaType {
        BTreeMap::<String, JavaValue>::java_type()
    }

    fn to_java(&self) -> JavaValue {
        self.0.clone()
    }

    fn from_java(value: JavaValue) -> Result<Self, redisson_codec::java::Mismatch> {
        Ok(Self(value))
    }
}

#[derive(Clone, Debug, Default, Eq, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Node", serial_version_uid = 1)]
pub(crate) struct Node {
    pub(crate) name: Option<String>,
    pub(crate) left: Option<Box<Node>>,
    pub(crate) right: Option<Box<Self>>,
}

#[derive(Clone, Debug, Eq, JavaObject, PartialEq)]
#[java(class = "com.example.orders.NonSerializable")]
pub(crate) struct NonSerializable {
    pub(crate) a: Option<String>,
    pub(crate) b: i32,
}

#[derive(Clone, Debug, Default, Eq, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Note", serial_version_uid = 1)]
pub(crate) struct Note {
    #[java(extends)]
    pub(crate) envelope: Envelope<String>,
}

#[derive(Clone, Debug, Default, JavaObject, PartialEq)]
#[java(class = "com.example.orders.OrderEvent", serial_version_uid = 1)]
pub(crate) struct OrderEvent {
    pub(crate) order_id: Option<String>,
    pub(crate) user_id: i64,
    pub(crate) quantity: i32,
    pub(crate) price: f64,
    pub(crate) paid: bool,
    pub(crate) tags: Option<Vec<String>>,
    pub(crate) attrs: Attributes,
    pub(crate) address: Option<Address>,
    pub(crate) status: Option<Status>,
    pub(crate) created_at: Option<Instant>,
    pub(crate) nullable_int: Option<i32>,
    pub(crate) blob: Option<Vec<u8>>,
    #[java(type = "long[]")]
    pub(crate) counters: Option<Vec<i64>>,
}

/// A `Map<String, String>`, or null.
pub(crate) type Attributes = Option<BTreeMap<String, Option<String>>>;

#[derive(Clone, Debug, Default, Eq, JavaObject, PartialEq)]
#[java(class = "com.example.orders.OrderPlaced", serial_version_uid = 1)]
pub(crate) struct OrderPlaced {
    #[java(extends)]
    pub(crate) envelope: Envelope<Address>,
}

#[derive(Clone, Debug, Default, JavaObject, PartialEq)]
#[java(class = "com.example.orders.OrderRecord", record)]
pub(crate) struct OrderRecord {
    pub(crate) order_id: Option<String>,
    pub(crate) user_id: i64,
    pub(crate) quantity: i32,
    pub(crate) price: f64,
    pub(crate) paid: bool,
    pub(crate) tags: Option<Vec<String>>,
    pub(crate) address: Option<Address>,
    pub(crate) status: Option<Status>,
    pub(crate) nullable_int: Option<i32>,
}

#[derive(Clone, Debug, Eq, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Outer$Inner", serial_version_uid = 1)]
pub(crate) struct Inner {
    pub(crate) x: Option<String>,
}

#[derive(Clone, Debug, Default, Eq, JavaObject, PartialEq)]
#[java(class = "com.example.orders.PaymentEvent", serial_version_uid = 1)]
pub(crate) struct PaymentEvent {
    #[java(extends)]
    pub(crate) event: BaseEvent,
    pub(crate) amount: Option<String>,
    pub(crate) zone: i32,
}

#[derive(Clone, Copy, Debug, Eq, JavaObject, Ord, PartialEq, PartialOrd)]
#[java(class = "com.example.orders.Priority")]
pub(crate) enum Priority {
    #[java(body)]
    Low,
    #[java(body)]
    High,
}

#[derive(Clone, Debug, Default, Eq, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Shadow", serial_version_uid = 1)]
pub(crate) struct Shadow {
    #[java(extends)]
    pub(crate) payment: PaymentEvent,
    pub(crate) amount: Option<String>,
    #[java(name = "Zeta")]
    pub(crate) zeta: Option<String>,
    pub(crate) alpha: Option<String>,
    pub(crate) _under: Option<String>,
    pub(crate) is_active: bool,
    #[java(name = "URL")]
    pub(crate) url: Option<String>,
}

#[derive(Clone, Debug, Default, JavaObject, PartialEq)]
#[java(class = "com.example.orders.SimpleOrder", serial_version_uid = 1)]
pub(crate) struct SimpleOrder {
    pub(crate) order_id: Option<String>,
    pub(crate) user_id: i64,
    pub(crate) quantity: i32,
    pub(crate) price: f64,
    pub(crate) paid: bool,
    pub(crate) coupon_id: Option<i64>,
    pub(crate) tags: Option<Vec<Option<String>>>,
    pub(crate) attrs: Attributes,
    pub(crate) address: Option<Address>,
    pub(crate) status: Option<Status>,
}

#[derive(Clone, Copy, Debug, Eq, JavaObject, Ord, PartialEq, PartialOrd)]
#[java(class = "com.example.orders.Status")]
pub(crate) enum Status {
    New,
    Paid,
    Shipped,
    Cancelled,
}

#[derive(Clone, Debug, Default, Eq, JavaObject, PartialEq)]
#[java(class = "com.example.orders.StringBox", serial_version_uid = 1)]
pub(crate) struct StringParcel {
    #[java(extends)]
    pub(crate) parcel: Parcel<String>,
    pub(crate) extra: i32,
}

#[derive(Clone, Debug, Default, Eq, JavaObject, PartialEq)]
#[java(
    class = "com.example.orders.Tags",
    serial_version_uid = 1,
    extends = "java.util.ArrayList<java.lang.String>"
)]
pub(crate) struct Tags(pub(crate) Vec<String>);

#[derive(Clone, Debug, Eq, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Заказ", serial_version_uid = 1)]
pub(crate) struct Cyrillic {
    pub(crate) имя: Option<String>,
    pub(crate) b: i32,
}

mod compared;
pub(crate) mod values;
