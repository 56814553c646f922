/// Derives the [trait](trait@crate::java::JavaObject) for a struct or an enum of your own.
///
/// Behind the feature `derive`, which is on by default.
///
/// # Classes
///
/// A Java class and the struct for it:
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
/// Give the struct every field of the class, except `static` and `transient` ones: some codecs
/// write no names, and a missing field shifts all others. The table of the
/// [trait](trait@crate::java::JavaObject) lists the Java type of each Rust type. If Java declares
/// another type, name it with `type`. Use `Option` for every field that can be `null`.
///
/// | on a struct | |
/// |---|---|
/// | `class = "com.example.Outer$Inner"` | The name of the class, as `Class.getName()` gives it. |
/// | `record` | The class is a record. The fields have the order of its components. |
/// | `final` | The class is declared `final`, which changes the payloads of fields that hold it. |
/// | `abstract` | The class is declared `abstract`, so it is only a super class of others. |
/// | `implements = "com.example.Pair<B, A>"` | An interface with type arguments, or several with commas between them, if a field is declared with one: Jackson's codecs must know what the parameters of the struct stand for. |
/// | `serial_version_uid = 1` | The `serialVersionUID` of the class. Only Java's own serialization needs it. |
/// | `serialized = "own"` | Only the code of the class knows what it writes for Java's own serialization, whose codecs refuse it then. `"more"` if it writes more behind its fields: see [`Class`](crate::java::Class::serialized_with_more). |
/// | `jackson = "unknown"` | Annotations such as `@JsonTypeInfo` decide what Jackson writes of the class, or of those that extend it. Its codecs refuse such objects. |
/// | `transparent` | Java sees only the one field of the struct: `struct OrderId(String)` is a `String`. |
/// | `crate = "path"` | The path to this crate, if your code has it under another name. |
///
/// | on a field | if left out | |
/// |---|---|---|
/// | `name = "URL"` | `order_id` is `orderId` | The name in Java. |
/// | `type = "long[]"` | from the Rust type | The type in the Java source, with full names: `java.util.List<java.lang.Long>`. The derive makes the value [fit](crate::java::JavaValue::fit) it. |
/// | `holds = "java.util.LinkedList"` | from the declared type | The class of a collection or a map at run time. |
/// | `default` | `null` is refused | Reads `null`, or a missing field, as the default of the Rust type. |
/// | `jackson = "order_id"` | the name in Java | The name in JSON and the like, if `@JsonProperty` or `@JsonNaming` gives another. |
/// | `jackson_ignores` | | Jackson does not write the field, as with `@JsonIgnore`. Its codecs read null or zero, and refuse to write anything else. |
/// | `skip` | | Java has no such field. Reads it as the default of the Rust type. |
/// | `extends` | | Not a field, but the super class: see below. |
///
/// Elements are written in the order of the Rust collection. A `HashSet` or a `HashMap` in Java has
/// an order of its own, so `remove` and `contains` can miss a value that holds one. A `Vec<T>` or a
/// `Vec<(K, V)>` keeps Java's order.
///
/// # Enums
///
/// List all constants in the order of their declaration, because some codecs write only the number
/// of a constant. `NotYetPaid` stands for `NOT_YET_PAID`; `#[java(name = "...")]` gives another
/// name. Mark a constant that has a body, such as `HIGH { int weight() { return 10; } }`, with
/// `#[java(body)]`: Java gives it a class of its own. If Kotlin declares the enum, name that class:
/// `#[java(body = "com.example.Priority$HIGH")]`. If Kotlin declares it inside of another class, also
/// write `final` on the enum: Kotlin then marks it so, although its constants have classes of their own.
///
/// If the enum overrides `toString()`, Jackson 3 writes what that returns: `#[java(shown = "not paid")]`
/// says so of a constant, and `#[java(shown = "unknown")]` on the enum makes
/// `JsonJackson3Codec` refuse it. If `@JsonProperty` or `@JsonValue` gives the constants other texts,
/// say so with `#[java(jackson = "n")]` on each.
///
/// # Super classes and sub classes
///
/// For a class that extends another, write a struct for the super class and put it into a field.
/// For a field that can hold one of several sub classes, write an enum with a variant for each:
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
/// The super class may be an interface. It may be `java.lang.Object`, for a field that holds any
/// value; then a variant can also hold an `i64` or a `String`. A variant with `#[java(other)]`
/// takes the values of all other classes, for example as a [`JavaValue`](crate::java::JavaValue).
///
/// For a class that extends a collection or a map of the JDK, write a tuple struct:
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
/// A type parameter may have the bounds `Clone`, `Copy`, `Debug`, `Default` and those for comparing
/// and hashing. A field whose type needs another bound must name its Java type with `type`.
pub use redisson_codec_derive::JavaObject;
