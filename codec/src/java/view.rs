//! Values as codecs see them while they write: one level after the other, and nothing is copied.

use num_bigint::BigInt;

use super::{
    Array, BigDecimal, Collection, Constant, Date, JavaObject, JavaType, JavaValue, Map, Name,
    Object, Serialized, Temporal, Text,
};

mod fit;
mod places;

#[cfg(any(feature = "marshalling", feature = "serialization"))]
pub(crate) use self::places::Found;
pub(crate) use self::places::{Places, Surplus};

/// One level of a Java value: as a [`JavaValue`], but borrowed.
///
/// A type shows itself to a codec in [`JavaObject::view`]. What it holds shows itself when the codec
/// asks for it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum View<'v> {
    /// `null`
    Null,
    /// `java.lang.Boolean`, or a `boolean` where Java declares one. The next seven are alike.
    Boolean(bool),
    /// `java.lang.Byte`
    Byte(i8),
    /// `java.lang.Short`
    Short(i16),
    /// `java.lang.Character`
    Character(u16),
    /// `java.lang.Integer`
    Integer(i32),
    /// `java.lang.Long`
    Long(i64),
    /// `java.lang.Float`
    Float(f32),
    /// `java.lang.Double`
    Double(f64),
    /// `java.lang.String`
    String(&'v str),
    /// A `java.lang.String` with half a surrogate pair.
    Utf16(&'v [u16]),
    /// `java.math.BigInteger`
    BigInteger(&'v BigInt),
    /// `java.math.BigDecimal`
    BigDecimal(&'v BigDecimal),
    /// `java.util.UUID`
    Uuid(u128),
    /// A [`Date`]: its class and its milliseconds.
    Date(&'v Name, i64),
    /// A value of `java.time`.
    Time(&'v Temporal),
    /// A constant of an enum: the enum and the name.
    Enum(&'v Name, &'v Name),
    /// `byte[]`
    Bytes(&'v [u8]),
    /// Any other array: its class and its elements.
    Array(&'v Name, Items<'v>),
    /// A collection: its class, its elements and its comparator.
    Collection(&'v Name, Items<'v>, &'v JavaValue),
    /// A map: its class, its entries and its comparator.
    Map(&'v Name, Entries<'v>, &'v JavaValue),
    /// `java.util.Optional`
    Optional(Option<&'v View<'v>>),
    /// A [`Text`]: its class and its text.
    Text(&'v Name, &'v str),
    /// An object: its class and its fields.
    Object(&'v Name, &'v dyn Fields),
    /// A value that a payload holds as a Java object stream.
    Serialized(&'v Serialized),
}

/// The values that a collection or an array holds.
pub trait Elements {
    /// How many there are.
    fn len(&self) -> usize;

    /// True if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shows them one after the other, as long as `to` returns true.
    fn each(&self, to: &mut dyn FnMut(&View<'_>) -> bool);
}

/// The keys and the values that a map holds.
pub trait Pairs {
    /// How many entries there are.
    fn len(&self) -> usize;

    /// True if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shows the entries one after the other, as long as `to` returns true.
    fn each(&self, to: &mut dyn FnMut(&View<'_>, &View<'_>) -> bool);
}

/// The fields of an object: those of super classes last.
pub trait Fields {
    /// How many there are.
    fn len(&self) -> usize;

    /// True if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of the field at this place, which is less than [`len`](Self::len).
    fn name(&self, place: usize) -> &str;

    /// Shows the value of the field at this place to `to`, once.
    fn field(&self, place: usize, to: &mut dyn FnMut(&View<'_>));

    /// The names of the fields, if all objects of the Rust type have the same. A codec then learns
    /// their order once.
    fn names(&self) -> Option<&'static [&'static str]> {
        None
    }
}

/// Elements, and the type that they are made to fit.
#[derive(Clone, Copy)]
pub struct Items<'v> {
    of: &'v dyn Elements,
    fit: Option<&'v JavaType>,
}

/// Entries, and the types that their keys and their values are made to fit.
#[derive(Clone, Copy)]
pub struct Entries<'v> {
    of: &'v dyn Pairs,
    fit: Option<(&'v JavaType, &'v JavaType)>,
}

impl<'v> Items<'v> {
    /// The elements as they are.
    #[must_use]
    pub fn new(of: &'v dyn Elements) -> Self {
        Self { of, fit: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.of.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `visit` with each element and its place, until it fails.
    pub(crate) fn try_each<E>(
        &self,
        mut visit: impl FnMut(usize, &View<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut place, mut result) = (0, Ok(()));
        self.of.each(&mut |item| {
            match self.fit {
                Some(declared) => item.fit(declared, &mut |item| result = visit(place, item)),
                None => result = visit(place, item),
            }
            place += 1;
            result.is_ok()
        });
        result
    }

    /// True if `is` is true of an element.
    pub(crate) fn any(&self, mut is: impl FnMut(&View<'_>) -> bool) -> bool {
        let found = self.try_each(|_, item| if is(item) { Err(()) } else { Ok(()) });
        found.is_err()
    }

    /// What `see` makes of the first element.
    pub(crate) fn first<T>(&self, see: impl Fn(&View<'_>) -> T) -> Option<T> {
        self.try_each(|_, item| Err(see(item))).err()
    }
}

impl<'v> Entries<'v> {
    /// The entries as they are.
    #[must_use]
    pub fn new(of: &'v dyn Pairs) -> Self {
        Self { of, fit: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.of.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `visit` with each entry and its place, until it fails.
    pub(crate) fn try_each<E>(
        &self,
        mut visit: impl FnMut(usize, &View<'_>, &View<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut place, mut result) = (0, Ok(()));
        self.of.each(&mut |key, value| {
            match self.fit {
                Some((of_keys, of_values)) => key.fit(of_keys, &mut |key| {
                    value.fit(of_values, &mut |value| result = visit(place, key, value));
                }),
                None => result = visit(place, key, value),
            }
            place += 1;
            result.is_ok()
        });
        result
    }

    /// A copy of the first entry.
    #[cfg(any(feature = "marshalling", feature = "serialization"))]
    pub(crate) fn first(&self) -> Option<(JavaValue, JavaValue)> {
        let mut first = None;
        _ = self.try_each(|_, key, value| {
            first = Some((key.to_value(), value.to_value()));
            Err(())
        });
        first
    }

    /// What `see` makes of the first key.
    pub(crate) fn first_key<T>(&self, see: impl Fn(&View<'_>) -> T) -> Option<T> {
        self.try_each(|_, key, _| Err(see(key))).err()
    }
}

impl std::fmt::Debug for Items<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} elements", self.len())
    }
}

impl std::fmt::Debug for Entries<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} entries", self.len())
    }
}

impl std::fmt::Debug for dyn Fields + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} fields", self.len())
    }
}

impl<'v> From<&'v JavaValue> for View<'v> {
    fn from(value: &'v JavaValue) -> Self {
        match value {
            JavaValue::Null => Self::Null,
            JavaValue::Boolean(it) => Self::Boolean(*it),
            JavaValue::Byte(it) => Self::Byte(*it),
            JavaValue::Short(it) => Self::Short(*it),
            JavaValue::Character(it) => Self::Character(*it),
            JavaValue::Integer(it) => Self::Integer(*it),
            JavaValue::Long(it) => Self::Long(*it),
            JavaValue::Float(it) => Self::Float(*it),
            JavaValue::Double(it) => Self::Double(*it),
            JavaValue::String(it) => Self::String(it),
            JavaValue::Utf16(it) => Self::Utf16(it),
            JavaValue::BigInteger(it) => Self::BigInteger(it),
            JavaValue::BigDecimal(it) => Self::BigDecimal(it),
            JavaValue::Uuid(it) => Self::Uuid(*it),
            JavaValue::Date(Date { class, millis }) => Self::Date(class, *millis),
            JavaValue::Time(it) => Self::Time(it),
            JavaValue::Enum(Constant { class, name }) => Self::Enum(class, name),
            JavaValue::Bytes(it) => Self::Bytes(it),
            JavaValue::Array(Array { class, items }) => Self::Array(class, Items::new(items)),
            JavaValue::Collection(it) => it.into(),
            JavaValue::Map(it) => it.into(),
            // Its content is the view of another value: see `JavaValue::view`.
            JavaValue::Optional(_) => Self::Optional(None),
            JavaValue::Text(Text { class, text }) => Self::Text(class, text),
            JavaValue::Object(it) => Self::Object(&it.class, it),
            JavaValue::Serialized(it) => Self::Serialized(it),
        }
    }
}

impl<'v> From<&'v Collection> for View<'v> {
    fn from(it: &'v Collection) -> Self {
        Self::Collection(&it.class, Items::new(&it.items), &it.comparator)
    }
}

impl<'v> From<&'v Map> for View<'v> {
    fn from(it: &'v Map) -> Self {
        Self::Map(&it.class, Entries::new(&it.entries), &it.comparator)
    }
}

impl JavaValue {
    /// The one value that `show` shows.
    pub(crate) fn seen(show: impl FnOnce(&mut dyn FnMut(&View<'_>))) -> Self {
        let mut value = Self::Null;
        show(&mut |view| value = view.to_value());
        value
    }

    pub(crate) fn show(&self, to: &mut dyn FnMut(&View<'_>)) {
        match self {
            Self::Optional(Some(value)) => value.show(&mut |it| to(&View::Optional(Some(it)))),
            value => to(&value.into()),
        }
    }
}

impl View<'_> {
    /// A copy of the whole value.
    #[must_use]
    pub fn to_value(&self) -> JavaValue {
        match *self {
            Self::Null => JavaValue::Null,
            Self::Boolean(it) => JavaValue::Boolean(it),
            Self::Byte(it) => JavaValue::Byte(it),
            Self::Short(it) => JavaValue::Short(it),
            Self::Character(it) => JavaValue::Character(it),
            Self::Integer(it) => JavaValue::Integer(it),
            Self::Long(it) => JavaValue::Long(it),
            Self::Float(it) => JavaValue::Float(it),
            Self::Double(it) => JavaValue::Double(it),
            Self::String(it) => JavaValue::String(it.to_owned()),
            Self::Utf16(it) => JavaValue::Utf16(it.to_vec()),
            Self::BigInteger(it) => JavaValue::BigInteger(it.clone()),
            Self::BigDecimal(it) => JavaValue::BigDecimal(it.clone()),
            Self::Uuid(it) => JavaValue::Uuid(it),
            Self::Date(class, millis) => JavaValue::Date(Date {
                class: class.clone(),
                millis,
            }),
            Self::Time(it) => JavaValue::Time(it.clone()),
            Self::Enum(class, name) => JavaValue::constant(class.clone(), name.clone()),
            Self::Bytes(it) => JavaValue::Bytes(it.to_vec().into()),
            Self::Array(class, items) => JavaValue::Array(Array {
                class: class.clone(),
                items: items.to_values(),
            }),
            Self::Collection(class, items, comparator) => JavaValue::Collection(Collection {
                class: class.clone(),
                comparator: Box::new(comparator.clone()),
                items: items.to_values(),
            }),
            Self::Map(class, entries, comparator) => JavaValue::Map(Map {
                class: class.clone(),
                comparator: Box::new(comparator.clone()),
                entries: entries.to_values(),
            }),
            Self::Optional(it) => JavaValue::Optional(it.map(|it| Box::new(it.to_value()))),
            Self::Text(class, text) => JavaValue::Text(Text {
                class: class.clone(),
                text: text.to_owned(),
            }),
            Self::Object(class, fields) => JavaValue::Object(Object {
                class: class.clone(),
                fields: fields.to_values(),
            }),
            Self::Serialized(it) => JavaValue::Serialized(Box::new(it.clone())),
        }
    }

    /// The name of the class that the value has at run time. For a constant, the name of the enum.
    #[must_use]
    pub fn class_name(&self) -> Name {
        Name::new(match self {
            Self::Null => "null",
            Self::Boolean(_) => "java.lang.Boolean",
            Self::Byte(_) => "java.lang.Byte",
            Self::Short(_) => "java.lang.Short",
            Self::Character(_) => "java.lang.Character",
            Self::Integer(_) => "java.lang.Integer",
            Self::Long(_) => "java.lang.Long",
            Self::Float(_) => "java.lang.Float",
            Self::Double(_) => "java.lang.Double",
            Self::String(_) | Self::Utf16(_) => "java.lang.String",
            Self::BigInteger(_) => "java.math.BigInteger",
            Self::BigDecimal(_) => "java.math.BigDecimal",
            Self::Uuid(_) => "java.util.UUID",
            Self::Bytes(_) => "[B",
            Self::Optional(_) => "java.util.Optional",
            Self::Date(class, _)
            | Self::Enum(class, _)
            | Self::Array(class, _)
            | Self::Collection(class, ..)
            | Self::Map(class, ..)
            | Self::Text(class, _)
            | Self::Object(class, _) => return (*class).clone(),
            Self::Time(time) => return time.class_name(),
            Self::Serialized(it) => return it.class().clone(),
        })
    }

    /// True if it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// A number for each kind of value. Those of one kind have one class, unless a value says its
    /// class.
    #[inline]
    pub(crate) fn kind(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Boolean(_) => 1,
            Self::Byte(_) => 2,
            Self::Short(_) => 3,
            Self::Character(_) => 4,
            Self::Integer(_) => 5,
            Self::Long(_) => 6,
            Self::Float(_) => 7,
            Self::Double(_) => 8,
            Self::String(_) | Self::Utf16(_) => 9,
            Self::BigInteger(_) => 10,
            Self::BigDecimal(_) => 11,
            Self::Uuid(_) => 12,
            Self::Date(..) => 13,
            Self::Time(_) => 14,
            Self::Enum(..) => 15,
            Self::Bytes(_) => 16,
            Self::Array(..) => 17,
            Self::Collection(..) => 18,
            Self::Map(..) => 19,
            Self::Optional(_) => 20,
            Self::Text(..) => 21,
            Self::Object(..) => 22,
            Self::Serialized(_) => 23,
        }
    }

    /// The enum of the elements of an `EnumSet` or the keys of an `EnumMap`, if it is known.
    pub(crate) fn enumeration(&self) -> Option<Name> {
        let of = |view: &View<'_>| match view {
            View::Enum(class, _) => Some((*class).clone()),
            _ => None,
        };
        let (first, comparator) = match self {
            Self::Collection(_, items, comparator) => (items.first(of), comparator),
            Self::Map(_, entries, comparator) => (entries.first_key(of), comparator),
            _ => return None,
        };
        match (first, comparator) {
            (Some(class), _) => class,
            (None, JavaValue::Text(Text { class, text })) if class == "java.lang.Class" => {
                Some(text.clone().into())
            }
            _ => None,
        }
    }
}

impl Items<'_> {
    pub(crate) fn to_values(self) -> Vec<JavaValue> {
        let mut values = Vec::with_capacity(self.len());
        _ = self.try_each(|_, it| {
            values.push(it.to_value());
            Ok::<_, ()>(())
        });
        values
    }
}

impl Entries<'_> {
    fn to_values(self) -> Vec<(JavaValue, JavaValue)> {
        let mut values = Vec::with_capacity(self.len());
        _ = self.try_each(|_, key, value| {
            values.push((key.to_value(), value.to_value()));
            Ok::<_, ()>(())
        });
        values
    }
}

impl dyn Fields + '_ {
    /// The place of the first field of this name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        (0..self.len()).find(|it| self.name(*it) == name)
    }

    /// A copy of the value of the first field of this name.
    pub(crate) fn get(&self, name: &str) -> Option<JavaValue> {
        let place = self.place(name)?;
        Some(JavaValue::seen(|to| self.field(place, to)))
    }

    fn to_values(&self) -> Vec<(Name, JavaValue)> {
        let names = self.names();
        let name = |place| match names {
            Some(names) => Name::new(names[place]),
            None => self.name(place).to_owned().into(),
        };
        let field = |place| (name(place), JavaValue::seen(|to| self.field(place, to)));
        (0..self.len()).map(field).collect()
    }
}

impl<T: Fields> Fields for Box<T> {
    fn len(&self) -> usize {
        T::len(self)
    }

    fn name(&self, place: usize) -> &str {
        T::name(self, place)
    }

    fn field(&self, place: usize, to: &mut dyn FnMut(&View<'_>)) {
        T::field(self, place, to);
    }

    fn names(&self) -> Option<&'static [&'static str]> {
        T::names(self)
    }
}

impl Fields for Object {
    fn len(&self) -> usize {
        self.fields.len()
    }

    fn name(&self, place: usize) -> &str {
        &self.fields[place].0
    }

    fn field(&self, place: usize, to: &mut dyn FnMut(&View<'_>)) {
        self.fields[place].1.show(to);
    }
}

/// Implements [`Elements`] for a collection of Rust.
macro_rules! elements {
    ($($collection:ty, [$($generics:tt)*]);* $(;)?) => {
        $(impl<T: JavaObject, $($generics)*> Elements for $collection {
            fn len(&self) -> usize {
                self.iter().len()
            }

            fn each(&self, to: &mut dyn FnMut(&View<'_>) -> bool) {
                let mut goes_on = true;
                for item in self.iter() {
                    item.view(&mut |item| goes_on = to(item));
                    if !goes_on {
                        return;
                    }
                }
            }
        })*
    };
}

elements! {
    Vec<T>, [];
    Box<[T]>, [];
    std::collections::BTreeSet<T>, [];
    std::collections::HashSet<T, S>, [S];
}

/// Implements [`Pairs`] for a map of Rust.
macro_rules! pairs {
    ($($map:ty, |$it:ident| $pair:expr, [$($generics:tt)*]);* $(;)?) => {
        $(impl<K: JavaObject, V: JavaObject, $($generics)*> Pairs for $map {
            fn len(&self) -> usize {
                self.iter().len()
            }

            fn each(&self, to: &mut dyn FnMut(&View<'_>, &View<'_>) -> bool) {
                let mut goes_on = true;
                for $it in self.iter() {
                    let (key, value) = $pair;
                    key.view(&mut |key| value.view(&mut |value| goes_on = to(key, value)));
                    if !goes_on {
                        return;
                    }
                }
            }
        })*
    };
}

pairs! {
    Vec<(K, V)>, |it| (&it.0, &it.1), [];
    std::collections::BTreeMap<K, V>, |it| it, [];
    std::collections::HashMap<K, V, S>, |it| it, [S];
}
