use std::sync::Arc;

use super::classes::Classes;
use super::reader::Reader;
use super::writer::Writer;
use crate::Error;
use crate::java::{InvalidSchema, Mismatch, Name, Schema, compare};
use crate::java_codec::java_codec;

/// The classes, and what users set.
#[derive(Clone, Debug)]
struct Kryo5 {
    classes: Arc<Classes>,
    references: bool,
}

impl Kryo5 {
    fn new(schema: &Schema) -> Result<Self, InvalidSchema> {
        Ok(Self {
            classes: Arc::new(Classes::new(schema)?),
            references: false,
        })
    }
}

java_codec! {
    /// Java values as Kryo 5 writes them: Redisson's default codec since 3.19.0.
    ///
    /// `T` is a Rust type that stands for the class of the values, or [`JavaValue`](crate::java::JavaValue) for values of any
    /// class. Texts, numbers, times, lists, maps and the like need nothing more. The codec must know
    /// your own classes: Kryo writes neither the names of fields nor their types, so nobody can read or
    /// even skip an object of an unknown class. `T` describes its classes. A [`Schema`](crate::java::Schema) adds others.
    ///
    /// **The Rust side must know each class exactly as it is in Java.** A field that is added, renamed
    /// or changed from `int` to `Integer` shifts everything behind it. Reading then fails, almost
    /// always with an error that names the field and the byte. Java fails as well, with a worse effect:
    /// Redisson uses a Kryo again that failed inside a generic collection, and it can then spoil what
    /// the same connection pool reads and writes.
    ///
    /// | Java | as a [`JavaValue`](crate::java::JavaValue) |
    /// |---|---|
    /// | `String`, boxed types, `BigInteger`, `BigDecimal`, `UUID`, `byte[]` | of the same name |
    /// | `Date`, `java.sql.Date`, `Time`, `Timestamp` (Kryo drops its nanoseconds) | `Date` |
    /// | `java.time` but `MonthDay` and `OffsetTime` | `Time` |
    /// | enums of the schema, and those of the JDK such as `RoundingMode` (`TimeUnit` of Java 8 is another) | `Enum` |
    /// | arrays | `Array` |
    /// | `ArrayList`, `LinkedList`, `ArrayDeque`, `HashSet`, `TreeSet`, `CopyOnWriteArrayList` and so on, `Arrays.asList`, `List.of`, `Set.of`, `Collections.emptyList`, `singletonList`, `EnumSet`, `ConcurrentHashMap.newKeySet`; Kotlin's `emptyList`, `emptySet`, `buildList`, `buildSet`, `ArrayDeque` | `Collection` |
    /// | `HashMap`, `LinkedHashMap`, `TreeMap`, `ConcurrentHashMap` and so on, `Map.of`, `Collections.emptyMap`, `singletonMap`; Kotlin's `emptyMap`, `buildMap` | `Map` |
    /// | `Optional` | `Optional` |
    /// | `URI`, `URL`, `StringBuilder`, `Currency`, `TimeZone`, `Class` | `Text` |
    /// | `Locale`, `Pattern`, `BitSet`, `GregorianCalendar`, `AtomicInteger`, `AtomicLong`, `AtomicBoolean`, `AtomicReference`, `MonthDay`, `OffsetTime`, `OptionalInt`, `OptionalLong`, `OptionalDouble` | `Object` |
    /// | classes and records of the schema | `Object` |
    /// | classes of the schema that extend a collection or a map | `Collection`, `Map` |
    /// | `Collections.unmodifiableList` and the like, `synchronizedList`, `checkedList`, `EnumMap`, `InetAddress`, exceptions | `Serialized`: can be read, and written back where it was read |
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.Kryo5Codec`, 3.17.7 to 4.7.0, with the same bytes for the same value
    /// (checked: `interop/vectors/payloads.jsonl`). A `HashMap` keeps the order in which it was
    /// written. Versions differ in a few classes of the JDK. This codec writes what the newest version
    /// writes:
    ///
    /// | Class | Since |
    /// |---|---|
    /// | `UUID`, `Pattern`: earlier versions can neither read nor write them | 3.19.1 |
    /// | `Collections.unmodifiableList` and the like: earlier versions cannot read what they write | 3.35.0 |
    /// | `EnumMap`: earlier versions cannot read what they write | 3.36.0 |
    /// | `AtomicInteger`, `AtomicLong`, `AtomicBoolean` | 3.46.0 |
    /// | `ConcurrentHashMap.newKeySet`: earlier versions cannot read what they write | 4.7.0 |
    ///
    /// An exception needs no description in the schema, unless a field declares its class.
    ///
    /// This codec reads what earlier versions wrote where the bytes differ: rows two, three and five.
    /// It does not know other classes of the JDK, serializers of your own, annotations of Kryo and
    /// subclasses of `Kryo5Codec`.
    ///
    /// **Refused when writing**, because Java could not read it or would take harm:
    ///
    /// - classes that are neither in the schema nor in the table. Among these are interfaces such as
    ///   `java.util.List`, on which a Redisson connection hangs;
    /// - objects with too many fields, missing fields or fields of another type, and objects of a class
    ///   that the schema calls abstract;
    /// - constants that the enum does not have, times and dates that do not exist, null in a collection
    ///   that takes none, `null` as a whole, and values that nest more than 256 deep.
    ///
    /// `List.of` and its kind are written if you name their classes, such as
    /// `java.util.ImmutableCollections$ListN`. Java 8 does not have them.
    ///
    /// **Refused when reading**: bytes behind the value, which mean that the schema lacks a field; an
    /// object that holds itself; values much larger than their payload, such as thousands of nulls in a
    /// row or shared objects that multiply.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_codec::{Codec, Kryo5Codec};
    /// use redisson_codec::java::{Class, JavaType, JavaValue, Schema};
    ///
    /// // public class Order { private String id; private Long userId; private List<String> tags; }
    /// let order = Class::object("com.example.Order")
    ///     .field("id", JavaType::new("java.lang.String"))
    ///     .field("userId", JavaType::new("java.lang.Long"))
    ///     .field("tags", "java.util.List<java.lang.String>".parse()?);
    /// let codec = Kryo5Codec::<JavaValue>::with_schema(Schema::from_iter([order]))?;
    ///
    /// let order = JavaValue::object("com.example.Order", [
    ///     ("id", "A-1".into()),
    ///     ("userId", JavaValue::Long(42)),
    ///     ("tags", JavaValue::list(["vip".into()])),
    /// ]);
    /// let payload = codec.encode(&order)?;
    /// let JavaValue::Object(order) = codec.decode(payload)? else { panic!("no object") };
    /// assert_eq!(order.get("userId"), Some(&JavaValue::Long(42)));
    ///
    /// // Without classes of your own there is nothing to declare.
    /// let payload = Kryo5Codec::<String>::new().encode(&"A-1".to_owned())?;
    /// assert_eq!(payload, &b"\x03A-\xb1"[..]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Kryo5Codec: Kryo5,
    make(schema) Kryo5::new(&schema),
    write(kryo, value) {
        let refused =
            |fault: Mismatch| Error::with_source("value cannot be written by Kryo", fault);
        Writer::write(&kryo.classes, kryo.references, value).map_err(refused)
    },
    read(kryo, payload) {
        let reason = "payload does not fit the classes, or is not Kryo's";
        let reader = Reader::new(&kryo.classes, kryo.references, payload);
        reader.read().map_err(|fault| match fault.is_malformed() {
            true => Error::with_source(reason, fault),
            false => Error::mismatch(fault),
        })
    },
}

impl<T> Kryo5Codec<T> {
    /// Says that the Java side made its codec with `useReferences`, an option since 3.35.0.
    ///
    /// Default: `false`, as in Java. With references, Java writes an object once, although it
    /// stands in two places. Here it is read as two values, and each is written in full, strings
    /// too. Java reads that. But `remove` and `contains` miss what Java wrote with shared objects,
    /// such as a literal that it used twice.
    #[must_use]
    pub fn references(self, references: bool) -> Self {
        self.set(|it| it.references = references)
    }

    /// Names the classes that the Java side passed to its codec as `allowedClasses`, with Redisson
    /// 4.1.0 or later. That version numbers the classes in the order of their names.
    ///
    /// Default: none, which allows all classes. Name each class that values hold, also enums, lists
    /// and arrays; this codec refuses others, like Java. Do not name `Enum$1` and the like for an
    /// enum with bodies: the enum covers these, and Java cannot make a codec with them. Both sides
    /// must name the same classes, or they take one class for another.
    #[must_use]
    pub fn allowed_classes<N: Into<Name>>(self, names: impl IntoIterator<Item = N>) -> Self {
        let mut names: Vec<Name> = names.into_iter().map(Into::into).collect();
        names.sort_by(|a, b| compare(a, b));
        self.allowed_classes_in_order(names)
    }

    /// Names the classes that the Java side passed to its codec as `allowedClasses`, with Redisson
    /// before 4.1.0. These versions number the classes in the order in which their set iterates.
    ///
    /// Pass `names` in that order. For a `LinkedHashSet` it is the order of insertion. A `HashSet`
    /// has an order of its own. `Set.of` has a new one in each process, so two Java processes do
    /// not agree either.
    #[must_use]
    pub fn allowed_classes_in_order<N: Into<Name>>(
        self,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        let names = names.into_iter().map(Into::into);
        self.set(|it| Arc::make_mut(&mut it.classes).register(names))
    }
}
