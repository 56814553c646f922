//! From Java values to trees.

use bytes::Bytes;

use super::place;
use super::rules::{Rules, Time};
use super::time;
use super::tree::{DEEPEST, Tree};
use crate::java::schema::Layouts;
use crate::java::{
    Array, BigDecimal, Collection, Date, JavaType, JavaValue, Map, Mismatch, Name, Temporal, Text,
};

mod fit;
mod key;
mod object;

/// Turns values into trees, with a tag wherever Jackson writes one.
#[derive(Clone, Copy)]
pub(super) struct Writer<'a> {
    layouts: &'a Layouts,
    rules: &'a Rules,
}

impl<'a> Writer<'a> {
    pub(super) fn new(layouts: &'a Layouts, rules: &'a Rules) -> Self {
        Self { layouts, rules }
    }

    /// Writes a whole value.
    ///
    /// Java reads it back as an `Object`, so it needs all tags. Java itself omits those of final
    /// classes.
    pub(super) fn root(&self, value: &JavaValue) -> Result<Tree, Mismatch> {
        let rules = self.rules;
        // Java reads some values back right without their class.
        let is_clear = match value {
            JavaValue::Long(it) => !rules.long_tags && i32::try_from(*it).is_err(),
            JavaValue::Bytes(_) | JavaValue::Double(_) => rules.has_bytes,
            JavaValue::Float(_) => rules.has_floats,
            _ => false,
        };
        match value {
            // The class of a constant is final: the enum, or the class of the constant's body.
            JavaValue::Enum(constant) if rules.bare_roots => {
                Ok(Tree::String(constant.name.to_string()))
            }
            _ if rules.bare_roots || is_clear => self.value(value, &value.class_type(), 0),
            _ => self.value(value, &JavaType::object(), 0),
        }
    }

    /// Writes a value at a place declared as `declared`, `depth` levels deep.
    fn value(
        &self,
        value: &JavaValue,
        declared: &JavaType,
        depth: usize,
    ) -> Result<Tree, Mismatch> {
        if depth > DEEPEST {
            return Err(Mismatch::unknown(LEVELS, "more"));
        }
        self.check(value, declared)?;
        let tagged = self.is_tagged(value, declared);
        let tree = self.bare(value, declared, depth + 1 + usize::from(tagged))?;
        if !tagged {
            return Ok(tree);
        }
        Ok(Tree::Tagged(tag(value)?, Box::new(tree)))
    }

    /// Writes a value without its class. The values that it holds are `depth` levels deep.
    fn bare(&self, value: &JavaValue, declared: &JavaType, depth: usize) -> Result<Tree, Mismatch> {
        match value {
            JavaValue::Null => Ok(Tree::Null),
            JavaValue::Boolean(it) => Ok(Tree::Boolean(*it)),
            JavaValue::Byte(it) => Ok(Tree::Integer((*it).into())),
            JavaValue::Short(it) => Ok(Tree::Integer((*it).into())),
            JavaValue::Integer(it) => Ok(Tree::Integer((*it).into())),
            JavaValue::Long(it) => Ok(Tree::Integer(*it)),
            JavaValue::Float(it) => Ok(Tree::Float(*it)),
            JavaValue::Double(it) => Ok(Tree::Double(*it)),
            JavaValue::Character(it) => Ok(Tree::from_utf16(vec![*it])),
            JavaValue::String(it) => Ok(Tree::String(it.clone())),
            JavaValue::Utf16(it) => Ok(Tree::Utf16(it.clone())),
            JavaValue::BigInteger(it) => Ok(Tree::BigInteger(it.clone())),
            JavaValue::BigDecimal(it) => decimal(it),
            JavaValue::Uuid(it) => Ok(self.uuid(*it)),
            JavaValue::Date(it) => self.date(it),
            JavaValue::Time(it) => self.time(it),
            JavaValue::Enum(it) => Ok(Tree::String(it.name.to_string())),
            JavaValue::Bytes(it) => Ok(Tree::Bytes(it.clone())),
            JavaValue::Array(it) => self.array(it, depth),
            JavaValue::Collection(it) => self.collection(it, declared, depth),
            JavaValue::Map(it) => self.map(it, declared, depth),
            JavaValue::Optional(it) => self.optional(it.as_deref(), declared, depth),
            JavaValue::Text(it) => Ok(Tree::String(it.text.clone())),
            JavaValue::Object(it) => self.object(it, declared, depth),
            JavaValue::Serialized(_) => Err(Mismatch::new("a value that jackson can write", value)),
        }
    }

    fn is_tagged(&self, value: &JavaValue, declared: &JavaType) -> bool {
        if is_natural(value) {
            return false;
        }
        if declared.name() == "java.util.UUID" {
            return self.rules.uuid_tags && matches!(value, JavaValue::Uuid(_));
        }
        place::is_tagged(self.layouts, declared, self.rules.long_tags)
    }

    fn uuid(&self, bits: u128) -> Tree {
        match self.rules.binary_uuids && !self.rules.uuid_tags {
            true => Tree::Bytes(Bytes::copy_from_slice(&bits.to_be_bytes())),
            false => Tree::String(uuid(bits)),
        }
    }

    fn collection(
        &self,
        collection: &Collection,
        declared: &JavaType,
        depth: usize,
    ) -> Result<Tree, Mismatch> {
        let Collection { class, items, .. } = collection;
        match collection.enumeration() {
            Some(constants) if class.ends_with("EnumSet") => enum_set(&constants, items),
            _ => {
                let element = place::element(self.layouts, class, declared);
                self.items(items, &element, depth)
            }
        }
    }

    fn items(
        &self,
        items: &[JavaValue],
        declared: &JavaType,
        depth: usize,
    ) -> Result<Tree, Mismatch> {
        let items = items.iter().enumerate().map(|(i, item)| {
            self.value(item, declared, depth)
                .map_err(|error| error.within(format!("[{i}]")))
        });
        Ok(Tree::Array(items.collect::<Result<_, _>>()?))
    }

    fn array(&self, array: &Array, depth: usize) -> Result<Tree, Mismatch> {
        if array.class == "[C" {
            let units = array.items.iter().map(|item| match item {
                JavaValue::Character(unit) => Ok(*unit),
                other => Err(Mismatch::new("char", other)),
            });
            return Ok(Tree::from_utf16(units.collect::<Result<_, _>>()?));
        }
        let Some(component) = JavaType::new(array.class.clone()).component() else {
            return Err(Mismatch::unknown("an array class", array.class.to_string()));
        };
        self.items(&array.items, &component, depth)
    }

    /// Writes the entries whose values are not null.
    fn map(&self, map: &Map, declared: &JavaType, depth: usize) -> Result<Tree, Mismatch> {
        let (key_type, declared) = place::entry(self.layouts, &map.class, declared);
        let entries = map.entries.iter().filter(|(_, value)| !value.is_null());
        let entries = entries.map(|(key, value)| {
            self.check_key(key, &key_type)?;
            let key = self.label(key, &key_type)?;
            match self.value(value, &declared, depth) {
                Ok(tree) => Ok((key, tree)),
                Err(error) => Err(error.within(key.to_string())),
            }
        });
        Ok(Tree::Object(entries.collect::<Result<_, _>>()?))
    }

    /// Writes an `Optional` as its value.
    fn optional(
        &self,
        held: Option<&JavaValue>,
        declared: &JavaType,
        depth: usize,
    ) -> Result<Tree, Mismatch> {
        if !self.rules.optionals {
            return Err(Mismatch::unknown(
                "a value that jackson can write",
                "java.util.Optional",
            ));
        }
        let declared = place::element(self.layouts, "java.util.Optional", declared);
        self.value(held.unwrap_or(&JavaValue::Null), &declared, depth)
    }

    fn date(&self, date: &Date) -> Result<Tree, Mismatch> {
        if date.class == "java.sql.Time" {
            let found = "java.sql.Time, whose text has the time zone of the writer";
            return Err(Mismatch::unknown("a value that jackson can write", found));
        }
        Ok(self.millis(date.millis))
    }

    fn millis(&self, millis: i64) -> Tree {
        match self.rules.iso_dates {
            true => Tree::String(time::iso::date(millis)),
            false => Tree::Integer(millis),
        }
    }

    fn time(&self, value: &Temporal) -> Result<Tree, Mismatch> {
        if matches!(self.rules.time, Time::Numbers | Time::Iso) && value.check().is_err() {
            let found = format!("{value:?}");
            return Err(Mismatch::unknown("a time that java has", found));
        }
        match self.rules.time {
            Time::Numbers => time::number::write(value),
            Time::Iso => time::iso::write(value),
            #[cfg(any(feature = "cbor", feature = "msgpack", feature = "smile"))]
            Time::Refused => Err(Mismatch::unknown(
                "a value that jackson can write",
                value.class_name().to_string(),
            )),
            Time::Unregistered => Err(Mismatch::unknown(
                "a value that jackson can write without JavaTimeModule",
                format!(
                    "{}: if Java has registered JavaTimeModule, call .java_time(true)",
                    value.class_name()
                ),
            )),
        }
    }
}

/// True if the form of a value tells its class, so that Jackson never tags it.
fn is_natural(value: &JavaValue) -> bool {
    match value {
        JavaValue::Double(it) => it.is_finite(),
        JavaValue::Null
        | JavaValue::Boolean(_)
        | JavaValue::Integer(_)
        | JavaValue::String(_)
        | JavaValue::Utf16(_) => true,
        _ => false,
    }
}

/// The class that a tag names for a value.
fn tag(value: &JavaValue) -> Result<Name, Mismatch> {
    Ok(match value {
        JavaValue::Collection(set @ Collection { class, .. }) if class.ends_with("EnumSet") => {
            let constants = set.enumeration().ok_or_else(|| of_no_enum(class))?;
            format!("java.util.EnumSet<{constants}>").into()
        }
        JavaValue::Map(map @ Map { class, .. }) if class == "java.util.EnumMap" => {
            let constants = map.enumeration().ok_or_else(|| of_no_enum(class))?;
            format!("java.util.EnumMap<{constants},java.lang.Object>").into()
        }
        JavaValue::Text(Text { class, .. }) if class == "sun.util.calendar.ZoneInfo" => {
            Name::new("java.util.TimeZone")
        }
        // Jackson hides the class that `ZoneId.of` returns.
        JavaValue::Time(Temporal::ZoneRegion(_)) => Name::new("java.time.ZoneId"),
        _ => value.class_name(),
    })
}

/// Writes the constants of an `EnumSet`. None has a tag, not even in an enum with bodies.
fn enum_set(constants: &Name, items: &[JavaValue]) -> Result<Tree, Mismatch> {
    let items = items.iter().enumerate().map(|(i, item)| match item {
        JavaValue::Enum(it) if it.class == *constants => Ok(Tree::String(it.name.to_string())),
        other => Err(Mismatch::new(constants.to_string(), other).within(format!("[{i}]"))),
    });
    Ok(Tree::Array(items.collect::<Result<_, _>>()?))
}

fn of_no_enum(class: &Name) -> Mismatch {
    Mismatch::unknown("constants of an enum", format!("an empty {class}"))
}

fn decimal(decimal: &BigDecimal) -> Result<Tree, Mismatch> {
    if decimal.scale.unsigned_abs() > LARGEST_SCALE {
        let found = format!("one of {}", decimal.scale);
        return Err(Mismatch::unknown("a scale of 9999 at most", found));
    }
    Ok(Tree::Decimal(decimal.clone()))
}

fn uuid(bits: u128) -> String {
    let digits = format!("{bits:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
    parts.join("-")
}

const LEVELS: &str = "at most 256 levels";

/// Jackson refuses a larger scale, because it would have to write as many zeros.
const LARGEST_SCALE: u32 = 9999;
