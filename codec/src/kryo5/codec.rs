use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bytes::Bytes;

use super::classes::Classes;
use super::fault::Fault;
use super::reader::Reader;
use super::writer::Writer;
use crate::java::{InvalidSchema, JavaObject, JavaValue, Name, Schema};
use crate::{Codec, Error};

/// Java values as Kryo 5 writes them: the codec that Redisson uses by default since 3.19.0.
///
/// `T` is a Rust type that stands for the class of the values, or [`JavaValue`] for values of
/// any class. Texts, numbers, times, lists, maps and the like need nothing more. Classes of your
/// own must be known: Kryo writes neither the names of fields nor their types, so whoever does not
/// know the class can neither read nor skip an object. They come from `T`, and from a [`Schema`].
///
/// **The Rust side must know the class as it is in Java.** A field that was added, renamed or
/// changed from `int` to `Integer` moves all that follows. Reading then fails, almost always with
/// the field and the byte where it did. But Java fails likewise, and in
/// Redisson such a failure can spoil what the same connection pool reads and writes next: a Kryo
/// that failed within a generic collection is used again as it is.
///
/// | Java | as a [`JavaValue`] |
/// |---|---|
/// | `String`, boxed types, `BigInteger`, `BigDecimal`, `UUID`, `byte[]` | of the same name |
/// | `Date`, `java.sql.Date`, `Time`, `Timestamp` (Kryo drops its nanoseconds) | `Date` |
/// | `java.time` but `MonthDay` and `OffsetTime` | `Time` |
/// | enums of the schema, `DayOfWeek`, `Month`, `TimeUnit` (Java 8 has another) | `Enum` |
/// | arrays | `Array` |
/// | `ArrayList`, `LinkedList`, `ArrayDeque`, `HashSet`, `TreeSet`, `CopyOnWriteArrayList` and so on, `Arrays.asList`, `List.of`, `Set.of`, `Collections.emptyList`, `singletonList`, `EnumSet`, `ConcurrentHashMap.newKeySet` | `Collection` |
/// | `HashMap`, `LinkedHashMap`, `TreeMap`, `ConcurrentHashMap` and so on, `Map.of`, `Collections.emptyMap`, `singletonMap` | `Map` |
/// | `Optional` | `Optional` |
/// | `URI`, `URL`, `StringBuilder`, `Currency`, `TimeZone`, `Class` | `Text` |
/// | `Locale`, `Pattern`, `BitSet`, `GregorianCalendar`, `AtomicInteger`, `AtomicLong`, `AtomicBoolean`, `AtomicReference` | `Object` |
/// | classes and records of the schema | `Object` |
/// | classes of the schema that extend a collection or a map | `Collection`, `Map` |
/// | `Collections.unmodifiableList` and the like, `synchronizedList`, `checkedList`, `EnumMap`, `InetAddress`, exceptions | `Serialized`: can be read, and written back where it was read |
///
/// # Compatibility
///
/// `org.redisson.codec.Kryo5Codec`, 3.17.7 to 4.7.0, with the same bytes for the same value
/// (checked: `interop/vectors/payloads.jsonl`). A `HashMap` keeps the order in which it was
/// written. Versions differ in a few classes of the JDK; this codec writes what the newest do:
///
/// | Class | Since |
/// |---|---|
/// | `UUID`, `Pattern`: earlier versions can neither read nor write them | 3.19.1 |
/// | `Collections.unmodifiableList` and the like: earlier ones write what they cannot read | 3.35.0 |
/// | `EnumMap`: likewise | 3.36.0 |
/// | `AtomicInteger`, `AtomicLong`, `AtomicBoolean` | 3.46.0 |
/// | `ConcurrentHashMap.newKeySet`: earlier ones write what they cannot read | 4.7.0 |
///
/// What earlier versions wrote of these is read where the bytes tell it apart, which leaves out the
/// first and the fourth row. Not read or written are classes of the JDK that are not in the table,
/// and what serializers of your own, annotations of Kryo and subclasses of `Kryo5Codec` write.
///
/// Java cannot take everything that can be written, and some of it does harm, so this is refused:
/// classes that are neither in the schema nor in the table, among them interfaces such as
/// `java.util.List` (on these, a Redisson connection hangs); fields too many, missing, or of another
/// type; constants that an enum does not have; times and dates that there are not; null in a
/// collection that takes none; values nested more than 256 deep; `null` as a whole; objects of a
/// class that the schema says to be abstract. `List.of` and its kind,
/// `java.util.ImmutableCollections$ListN` and others, are written if you name these classes; Java 8
/// does not have them.
///
/// Stricter than Java when reading: nothing may follow the value, or the schema lacks a field. An
/// object that holds itself is refused. So are values that are much larger than their payload:
/// thousands of nulls in a row, or shared objects that multiply.
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
pub struct Kryo5Codec<T = JavaValue> {
    classes: Result<Arc<Classes>, Error>,
    references: bool,
    // A function pointer is Send and Sync whatever T is: the codec holds no T.
    value: PhantomData<fn() -> T>,
}

impl<T: JavaObject> Kryo5Codec<T> {
    /// Makes the codec of `T`, with the classes that it describes.
    #[must_use]
    pub fn new() -> Self {
        let classes = Classes::new(&Schema::of::<T>(Schema::new()));
        Self::of(classes.map_err(Error::contradiction))
    }

    /// Makes the codec of `T`, for values that hold these classes too.
    ///
    /// A class of `schema` takes the place of one that `T` describes by the same name.
    ///
    /// # Errors
    ///
    /// - [`InvalidSchema`] if the classes contradict each other, or name one that is not described.
    pub fn with_schema(schema: Schema) -> Result<Self, InvalidSchema> {
        Ok(Self::of(Ok(Classes::new(&Schema::of::<T>(schema))?)))
    }
}

impl<T> Kryo5Codec<T> {
    fn of(classes: Result<Classes, Error>) -> Self {
        Self {
            classes: classes.map(Arc::new),
            references: false,
            value: PhantomData,
        }
    }

    /// Whether the Java side has made its codec with `useReferences`, an option since 3.35.0.
    ///
    /// Default: `false`, as in Java. With references, Java writes an object that is there twice
    /// only once. Read here, it is there twice; no value here is ever the same as another, so all
    /// are written in full, strings too. Java reads that well, but `remove` and `contains` do not
    /// find what Java wrote with shared objects: that includes a literal that it used twice.
    #[must_use]
    pub fn references(mut self, references: bool) -> Self {
        self.references = references;
        self
    }

    /// The classes that the Java side has passed to its codec as `allowedClasses`, if that is
    /// Redisson 4.1.0 or later: it numbers them in the order of their names.
    ///
    /// Default: none, which stands for all. Name each class that values hold, also enums, lists
    /// and arrays; others are refused, here as in Java. Do not name `Enum$1` and so on for an enum
    /// with bodies: the enum stands for them, and Java makes no codec with these. Both sides must
    /// have the same classes, or they take one for another.
    #[must_use]
    pub fn allowed_classes<N: Into<Name>>(self, names: impl IntoIterator<Item = N>) -> Self {
        let mut names: Vec<Name> = names.into_iter().map(Into::into).collect();
        names.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
        self.allowed_classes_in_order(names)
    }

    /// Likewise for Redisson before 4.1.0: it numbers the classes in the order in which its set
    /// iterates over them.
    ///
    /// That is the order here for a `LinkedHashSet`. A `HashSet` or `Set.of` has another, and the
    /// latter a new one in each process: Java cannot agree with itself on that.
    #[must_use]
    pub fn allowed_classes_in_order<N: Into<Name>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        if let Ok(classes) = &mut self.classes {
            Arc::make_mut(classes).register(names.into_iter().map(Into::into));
        }
        self
    }

    fn classes(&self) -> Result<&Classes, Error> {
        self.classes.as_deref().map_err(Error::clone)
    }
}

impl<T: JavaObject + 'static> Codec<T> for Kryo5Codec<T> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        let refused = |fault: Fault| Error::with_source("value cannot be written by Kryo", fault);
        let writer = Writer::new(self.classes()?, self.references);
        writer.write(&value.to_java()).map_err(refused)
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        let reason = "payload does not fit the classes, or is not Kryo's";
        let refused = |fault: Fault| Error::with_source(reason, fault);
        let reader = Reader::new(self.classes()?, self.references, payload);
        T::from_java(reader.read().map_err(refused)?).map_err(Error::mismatch)
    }
}

impl<T> Clone for Kryo5Codec<T> {
    fn clone(&self) -> Self {
        Self {
            classes: self.classes.clone(),
            references: self.references,
            value: PhantomData,
        }
    }
}

impl<T: JavaObject> Default for Kryo5Codec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for Kryo5Codec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kryo5Codec<{}>", type_name::<T>())
    }
}
