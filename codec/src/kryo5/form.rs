/// How the values of a class are written: one form for each serializer of Kryo.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Form {
    Boolean,
    Byte,
    Character,
    Short,
    Integer,
    Long,
    Float,
    Double,
    String,
    BigInteger,
    BigDecimal,
    Uuid,
    Date,
    /// A value of `java.time`, by its kind.
    Time(u8),
    MonthDay,
    OffsetTime,
    Optional,
    OptionalDouble,
    OptionalInt,
    OptionalLong,
    /// A text. `takes_null` says whether the serializer writes null itself.
    Text {
        takes_null: bool,
    },
    Class,
    Locale,
    Pattern,
    BitSet,
    Calendar,
    AtomicBoolean,
    AtomicInteger,
    AtomicLong,
    AtomicReference,
    Bytes,
    Array,
    Collection(Container),
    Map(Container),
    EmptyCollection,
    EmptyMap,
    SingletonCollection,
    SingletonMap,
    EnumSet,
    KeySetView,
    /// A collection around another. Redisson 3.35.0 and later write it as a Java object stream.
    /// Before, Redisson wrote a collection that it could not read back.
    CollectionWrapper,
    /// A map around another, written like `CollectionWrapper`. An `EnumMap` is written like that
    /// since 3.36.0.
    MapWrapper,
    /// A Java object stream, one of these: several classes can share a stream.
    Stream(&'static str),
    /// An enum of the schema, by its place in `Classes`.
    Enum(usize),
    /// A class of the schema, by its place in `Classes`.
    Object(usize),
    /// A record of the schema, by its place in `Classes`.
    Record(usize),
}

/// What distinguishes collections and maps from each other.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Container {
    /// Whether the comparator is written.
    pub(super) sorts: bool,
    /// Whether Kryo assumes that it may hold nulls.
    pub(super) has_nulls: bool,
    /// Whether Java fails to put anything into it.
    pub(super) is_empty: bool,
}

impl Container {
    pub(super) const PLAIN: Self = Self {
        sorts: false,
        has_nulls: true,
        is_empty: false,
    };
}

impl Form {
    /// The form of the elements of an array of this class, if they are primitive. An array of bytes
    /// has a form of its own.
    pub(super) fn of_elements(array: &str) -> Option<Self> {
        Some(match array {
            "[C" => Self::Character,
            "[D" => Self::Double,
            "[F" => Self::Float,
            "[I" => Self::Integer,
            "[J" => Self::Long,
            "[S" => Self::Short,
            "[Z" => Self::Boolean,
            _ => return None,
        })
    }

    /// True if the serializer writes null itself; for others a byte before the value does.
    pub(super) fn takes_null(self) -> bool {
        match self {
            Self::Text { takes_null } => takes_null,
            Self::String
            | Self::BigInteger
            | Self::BigDecimal
            | Self::Class
            | Self::Enum(_)
            | Self::Bytes
            | Self::Array
            | Self::Collection(_)
            | Self::Map(_) => true,
            _ => false,
        }
    }

    /// True if its values hold no others and are no trees of fields.
    pub(super) fn is_leaf(self) -> bool {
        matches!(
            self,
            Self::Boolean
                | Self::Byte
                | Self::Character
                | Self::Short
                | Self::Integer
                | Self::Long
                | Self::Float
                | Self::Double
                | Self::String
                | Self::Enum(_)
        )
    }

    /// True if Kryo looks if it has met the object before, when it keeps references.
    pub(super) fn has_identity(self) -> bool {
        self.primitive_tag().is_none() && !matches!(self, Self::Enum(_))
    }

    /// The class tag of a primitive type and the class that boxes it.
    pub(super) fn primitive_tag(self) -> Option<u32> {
        Some(match self {
            Self::Integer => 2,
            Self::Float => 4,
            Self::Boolean => 5,
            Self::Byte => 6,
            Self::Character => 7,
            Self::Short => 8,
            Self::Long => 9,
            Self::Double => 10,
            _ => return None,
        })
    }
}
