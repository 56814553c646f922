//! Java classes as Rust types. Made by `rdq schema --rust`.

use redisson_delayed_queue::java::{BigDecimal, Date, Instant, JavaObject, JavaValue};
use uuid::Uuid;

/// `com.example.orders.Address`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Address", serial_version_uid = 1)]
pub struct Address {
    pub street: Option<String>,
    pub city: Option<String>,
    pub zip: Option<String>,
}

/// What a field of the type `com.example.orders.BaseEvent` holds.
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(super_class = "com.example.orders.BaseEvent")]
pub enum AnyBaseEvent {
    PaymentEvent(PaymentEvent),
    Shadow(Shadow),
    #[java(other)]
    Other(JavaValue),
}

/// `com.example.orders.BaseEvent`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(
    class = "com.example.orders.BaseEvent",
    serial_version_uid = 1,
    abstract
)]
pub struct BaseEvent {
    pub event_id: Option<String>,
    pub version: i64,
}

/// `com.example.orders.BoxHolder`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.BoxHolder", serial_version_uid = 1)]
pub struct BoxHolder {
    pub strings: Option<OrdersBox<String>>,
    pub address: Option<OrdersBox<Address>>,
    pub wild: Option<OrdersBox<JavaValue>>,
}

/// `com.example.orders.Deep`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Deep", serial_version_uid = 1)]
pub struct Deep {
    pub map_of_maps: Option<Vec<(String, Vec<(String, String)>)>>,
    pub map_of_lists: Option<Vec<(String, Vec<String>)>>,
    pub list_of_maps: Option<Vec<Vec<(String, i64)>>>,
    pub statuses: Option<Vec<Status>>,
    pub priorities: Option<Vec<Priority>>,
    pub records: Option<Vec<OrderRecord>>,
    #[java(type = "java.util.Map<java.lang.String, java.util.Set<java.lang.Integer>>")]
    pub sets: Option<Vec<(String, Vec<i32>)>>,
    pub blobs: Option<Vec<Vec<u8>>>,
    #[java(type = "java.util.List<java.lang.String[]>")]
    pub string_arrays: Option<Vec<Vec<String>>>,
    pub cube: Option<Vec<Vec<Vec<i32>>>>,
    pub list_keys: Option<Vec<(Vec<String>, String)>>,
    #[java(type = "java.util.Optional<java.util.List<java.lang.String>>")]
    pub opt_list: Option<Option<Vec<String>>>,
    #[java(type = "java.util.List<java.util.Optional<java.lang.String>>")]
    pub opts: Option<Vec<Option<String>>>,
    pub boxes: Option<Vec<OrdersBox<String>>>,
    pub box_map: Option<Vec<(String, OrdersBox<i64>)>>,
    pub box_of_list: Option<OrdersBox<Vec<String>>>,
    pub sbox: Option<StringBox>,
    #[java(type = "java.util.ArrayList<java.lang.String>")]
    pub concrete: Option<Vec<String>>,
    #[java(type = "java.util.HashMap<java.lang.String, java.lang.Integer>")]
    pub concrete_map: Option<Vec<(String, i32)>>,
    pub obj: JavaValue,
    #[java(type = "java.lang.Iterable<java.lang.String>")]
    pub iter: Option<Vec<String>>,
    #[java(type = "java.util.TreeMap<java.lang.String, java.lang.Integer>")]
    pub tree: Option<Vec<(String, i32)>>,
    pub tags: Option<Tags>,
    pub objects: Option<Vec<JavaValue>>,
    pub any_map: Option<Vec<(JavaValue, JavaValue)>>,
    pub order: Option<SimpleOrder>,
    pub orders: Option<Vec<SimpleOrder>>,
}

/// `com.example.orders.Envelope`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(
    class = "com.example.orders.Envelope",
    serial_version_uid = 1,
    abstract
)]
pub struct Envelope<T> {
    pub id: Option<String>,
    pub payload: Option<T>,
    pub all: Option<Vec<T>>,
}

/// `com.example.orders.Finale`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Finale", serial_version_uid = 1, final)]
pub struct Finale {
    pub a: Option<String>,
    pub b: i32,
}

/// `com.example.orders.FinaleHolder`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.FinaleHolder", serial_version_uid = 1)]
pub struct FinaleHolder {
    pub one: Option<Finale>,
    pub none: Option<Finale>,
    pub many: Option<Vec<Finale>>,
    pub as_object: JavaValue,
}

/// `com.example.orders.Holder`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Holder", serial_version_uid = 1)]
pub struct Holder {
    pub any: JavaValue,
    #[java(type = "java.lang.Number")]
    pub number: JavaValue,
    pub event: Option<AnyBaseEvent>,
    pub addresses: Option<Vec<Address>>,
    pub ints: Option<Vec<i32>>,
    pub nested: Option<Vec<Vec<String>>>,
    pub wild: Option<Vec<JavaValue>>,
    #[java(type = "java.util.List")]
    pub raw: Option<Vec<JavaValue>>,
    #[java(type = "java.util.Collection<java.lang.Number>")]
    pub bounded: Option<Vec<JavaValue>>,
    #[java(type = "java.util.Set<com.example.orders.Status>")]
    pub statuses: Option<Vec<Status>>,
    pub props: Option<Vec<(String, JavaValue)>>,
    pub by_id: Option<Vec<(i64, Address)>>,
    pub multi: Option<Vec<(String, Vec<i64>)>>,
    pub counts: Option<Vec<(Status, i32)>>,
    pub boxed_bool: Option<bool>,
    pub boxed_long: Option<i64>,
    pub boxed_double: Option<f64>,
    pub boxed_char: Option<u16>,
    pub boxed_byte: Option<i8>,
    pub boxed_short: Option<i16>,
    pub boxed_float: Option<f32>,
    pub ch: u16,
    pub by: i8,
    pub sh: i16,
    pub fl: f32,
    pub amount: Option<BigDecimal>,
    pub date: Option<Date>,
    pub uuid: Option<Uuid>,
    pub priority: Option<Priority>,
    #[java(type = "int[]")]
    pub ints2: Option<Vec<i32>>,
    #[java(type = "java.lang.String[]")]
    pub names: Option<Vec<String>>,
    #[java(type = "com.example.orders.Address[]")]
    pub addr_array: Option<Vec<Address>>,
    #[java(type = "java.lang.Object[]")]
    pub obj_array: Option<Vec<JavaValue>>,
    #[java(type = "com.example.orders.Status[]")]
    pub status_array: Option<Vec<Status>>,
    pub record: Option<OrderRecord>,
    #[java(type = "java.util.Optional<java.lang.String>")]
    pub opt: Option<Option<String>>,
}

/// `com.example.orders.Outer$Inner`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Outer$Inner", serial_version_uid = 1)]
pub struct Inner {
    pub x: Option<String>,
}

/// `com.example.orders.Node`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Node", serial_version_uid = 1)]
pub struct Node {
    pub name: Option<String>,
    pub left: Option<Box<Node>>,
    pub right: Option<Box<Node>>,
}

/// `com.example.orders.NonSerializable`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.NonSerializable")]
pub struct NonSerializable {
    pub a: Option<String>,
    pub b: i32,
}

/// `com.example.orders.Note`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Note", serial_version_uid = 1)]
pub struct Note {
    #[java(extends)]
    pub base: Envelope<String>,
}

/// `com.example.orders.OrderEvent`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.OrderEvent", serial_version_uid = 1)]
pub struct OrderEvent {
    pub order_id: Option<String>,
    pub user_id: i64,
    pub quantity: i32,
    pub price: f64,
    pub paid: bool,
    pub tags: Option<Vec<String>>,
    pub attrs: Option<Vec<(String, String)>>,
    pub address: Option<Address>,
    pub status: Option<Status>,
    pub created_at: Option<Instant>,
    pub nullable_int: Option<i32>,
    pub blob: Option<Vec<u8>>,
    #[java(type = "long[]")]
    pub counters: Option<Vec<i64>>,
}

/// `com.example.orders.OrderPlaced`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.OrderPlaced", serial_version_uid = 1)]
pub struct OrderPlaced {
    #[java(extends)]
    pub base: Envelope<Address>,
}

/// `com.example.orders.OrderRecord`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.OrderRecord", record)]
pub struct OrderRecord {
    pub order_id: Option<String>,
    pub user_id: i64,
    pub quantity: i32,
    pub price: f64,
    pub paid: bool,
    pub tags: Option<Vec<String>>,
    pub address: Option<Address>,
    pub status: Option<Status>,
    pub nullable_int: Option<i32>,
}

/// `com.example.orders.Box`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Box", serial_version_uid = 1)]
pub struct OrdersBox<T> {
    pub value: Option<T>,
    pub label: Option<String>,
}

/// `com.example.orders.Outer`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Outer")]
pub struct Outer;

/// `com.example.orders.PaymentEvent`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.PaymentEvent", serial_version_uid = 1)]
pub struct PaymentEvent {
    #[java(extends)]
    pub base: BaseEvent,
    pub amount: Option<String>,
    pub zone: i32,
}

/// `com.example.orders.Priority`
#[derive(Clone, Copy, Debug, Eq, Hash, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Priority")]
pub enum Priority {
    #[java(body)]
    Low,
    #[java(body)]
    High,
}

/// `com.example.orders.Shadow`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Shadow", serial_version_uid = 1)]
pub struct Shadow {
    #[java(extends)]
    pub base: PaymentEvent,
    pub amount: Option<String>,
    #[java(name = "Zeta")]
    pub zeta: Option<String>,
    pub alpha: Option<String>,
    #[java(name = "_under")]
    pub under: Option<String>,
    pub is_active: bool,
    #[java(name = "URL")]
    pub url: Option<String>,
}

/// `com.example.orders.SimpleOrder`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.SimpleOrder", serial_version_uid = 1)]
pub struct SimpleOrder {
    pub order_id: Option<String>,
    pub user_id: i64,
    pub quantity: i32,
    pub price: f64,
    pub paid: bool,
    pub coupon_id: Option<i64>,
    pub tags: Option<Vec<String>>,
    pub attrs: Option<Vec<(String, String)>>,
    pub address: Option<Address>,
    pub status: Option<Status>,
}

/// `com.example.orders.Status`
#[derive(Clone, Copy, Debug, Eq, Hash, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Status")]
pub enum Status {
    New,
    Paid,
    Shipped,
    Cancelled,
}

/// `com.example.orders.StringBox`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.StringBox", serial_version_uid = 1)]
pub struct StringBox {
    #[java(extends)]
    pub base: OrdersBox<String>,
    pub extra: i32,
}

/// `com.example.orders.Tags`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(
    class = "com.example.orders.Tags",
    serial_version_uid = 1,
    extends = "java.util.ArrayList<java.lang.String>"
)]
pub struct Tags(pub Vec<String>);

/// `com.example.orders.Заказ`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.orders.Заказ", serial_version_uid = 1)]
pub struct Заказ {
    pub имя: Option<String>,
    pub b: i32,
}
