/// Derives the [trait](trait@crate::java::JavaObject) for a struct or an enum of your own.
///
/// With the feature `derive`, which is on unless you turn default features off.
///
/// # Classes
///
/// The class of the Java service and the struct to share its payloads:
///
/// ```java
/// package com.example.orders;
///
/// public class OrderEvent {
///     private String orderId;
///     private long userId;
///     private Integer priority;
///     private List<String> tags;
///     private Map<String, Long> counts;
///     private Set<String> seen = new HashSet<>();
///     private long[] stops;
///     private Date createdAt;
///     private Status status;
///     private String URL;
/// }
///
/// public enum Status { NEW, NOT_YET_PAID, PAID }
/// ```
///
/// ```
/// use std::collections::{BTreeMap, BTreeSet};
/// use std::time::SystemTime;
///
/// use redisson_codec::java::JavaObject;
///
/// #[derive(JavaObject)]
/// #[java(class = "com.example.orders.OrderEvent")]
/// struct OrderEvent {
///     order_id: Option<String>,
///     user_id: i64,
///     priority: Option<i32>,
///     #[java(default)]
///     tags: Vec<String>,
///     counts: Option<BTreeMap<String, i64>>,
///     #[java(holds = "java.util.HashSet")]
///     seen: BTreeSet<String>,
///     #[java(type = "long[]")]
///     stops: Option<Vec<i64>>,
///     #[java(type = "java.util.Date")]
///     created_at: Option<SystemTime>,
///     status: Option<Status>,
///     #[java(name = "URL")]
///     url: Option<String>,
/// }
///
/// #[derive(JavaObject)]
/// #[java(class = "com.example.orders.Status")]
/// enum Status {
///     New,
///     NotYetPaid,
///     Paid,
/// }
///
/// assert_eq!(OrderEvent::java_type().to_string(), "com.example.orders.OrderEvent");
/// ```
///
/// The struct has every field of the class that is neither `static` nor `transient`: some codecs
/// write no names, and one field too few shifts all others. The table of the
/// [trait](trait@crate::java::JavaObject) says which Rust type is declared how in Java; a field
/// that is declared otherwise says so with `type`. Use `Option` for whatever can be `null`.
///
/// | on a struct | |
/// |---|---|
/// | `class = "com.example.Outer$Inner"` | The name of the class, as `Class.getName()` gives it. |
/// | `record` | It is a record. The order of its fields is that of the components. |
/// | `final` | It is declared `final`, which changes the payloads of fields that hold it. |
/// | `abstract` | It is declared `abstract`: only a super class, no value has it as its class. |
/// | `serial_version_uid = 1` | The class declares it. Only Java's own serialization needs it. |
/// | `transparent` | It is to Java what its one field is: `struct OrderId(String)`. |
/// | `crate = "path"` | Where this crate is, if it has another name where the struct is. |
///
/// | on a field | unless given | |
/// |---|---|---|
/// | `name = "URL"` | `order_id` is `orderId` | The name in Java. |
/// | `type = "long[]"` | from the Rust type | The declared type as in Java source, with full names: `java.util.List<java.lang.Long>`. The value is made [to fit](crate::java::JavaValue::fit). |
/// | `holds = "java.util.LinkedList"` | from the declared type | The class that a collection or a map has at run time. |
/// | `default` | `null` is refused | `null`, or no such field, is read as the default of its type. |
/// | `skip` | | Java has no such field. It is read as the default of its type. |
/// | `extends` | | Not a field, but the super class: see below. |
///
/// Elements are written in the order of the Rust collection. A `HashSet` or a `HashMap` of Java has
/// an order of its own, so `remove` and `contains` can miss a value that holds one. Read into a
/// `Vec<T>` or a `Vec<(K, V)>`, it keeps that order.
///
/// # Enums
///
/// All constants in the order of their declaration: some codecs write its number. `NotYetPaid` is
/// `NOT_YET_PAID` in Java, or what `#[java(name = "...")]` says. Mark a constant that has a body,
/// `HIGH { int weight() { return 10; } }`, with `#[java(body)]`: it has a class of its own.
///
/// # Super classes and sub classes
///
/// A class that extends another has its fields too, in a struct that stands for the super class.
/// A field that can hold one of several sub classes is an enum with a variant for each:
///
/// ```
/// use redisson_codec::java::JavaObject;
///
/// // public abstract class BaseEvent { String eventId; long version; }
/// #[derive(JavaObject)]
/// #[java(class = "com.example.orders.BaseEvent", abstract)]
/// struct BaseEvent {
///     event_id: String,
///     version: i64,
/// }
///
/// // public class PaymentEvent extends BaseEvent { String amount; }
/// #[derive(JavaObject)]
/// #[java(class = "com.example.orders.PaymentEvent")]
/// struct PaymentEvent {
///     #[java(extends)]
///     event: BaseEvent,
///     amount: String,
/// }
///
/// // public class RefundEvent extends BaseEvent { String reason; }
/// #[derive(JavaObject)]
/// #[java(class = "com.example.orders.RefundEvent")]
/// struct RefundEvent {
///     #[java(extends)]
///     event: BaseEvent,
///     reason: Option<String>,
/// }
///
/// // A field declared as BaseEvent.
/// #[derive(JavaObject)]
/// #[java(super_class = "com.example.orders.BaseEvent")]
/// enum Event {
///     Payment(PaymentEvent),
///     Refund(RefundEvent),
/// }
///
/// let payment = PaymentEvent {
///     event: BaseEvent { event_id: "e-1".to_owned(), version: 2 },
///     amount: "9.99".to_owned(),
/// };
/// let value = Event::Payment(payment).to_java();
/// assert_eq!(value.class_name(), "com.example.orders.PaymentEvent");
/// assert!(matches!(Event::from_java(value)?, Event::Payment(_)));
/// # Ok::<(), redisson_codec::java::Mismatch>(())
/// ```
///
/// The super class may be an interface, or `java.lang.Object` if any value will do; variants then
/// may hold an `i64` or a `String` too. A variant with `#[java(other)]` takes the values of all
/// other classes, as a [`JavaValue`](crate::java::JavaValue) for example.
///
/// A class that extends a collection or a map of the JDK:
///
/// ```
/// # use redisson_codec::java::JavaObject;
/// // public class Tags extends ArrayList<String> {}
/// #[derive(JavaObject)]
/// #[java(class = "com.example.orders.Tags", extends = "java.util.ArrayList<java.lang.String>")]
/// struct Tags(Vec<String>);
/// ```
///
/// # Type parameters
///
/// A generic struct stands for a generic class with as many type parameters in the same order:
///
/// ```
/// # use redisson_codec::java::JavaObject;
/// // public class Envelope<T> { String id; T payload; List<T> all; }
/// #[derive(JavaObject)]
/// #[java(class = "com.example.orders.Envelope")]
/// struct Envelope<T> {
///     id: String,
///     payload: T,
///     all: Option<Vec<T>>,
/// }
///
/// // public class Note extends Envelope<String> {}
/// #[derive(JavaObject)]
/// #[java(class = "com.example.orders.Note")]
/// struct Note {
///     #[java(extends)]
///     envelope: Envelope<String>,
/// }
///
/// assert_eq!(
///     Envelope::<i64>::java_type().to_string(),
///     "com.example.orders.Envelope<java.lang.Long>"
/// );
/// ```
///
/// A type parameter may be bound by `Clone`, `Copy`, `Debug`, `Default` and the traits of
/// comparison and hashing. Fields of types that ask for more of it need a `type`.
pub use redisson_codec_derive::JavaObject;
