//! From Java values to a syntax.

use std::borrow::Cow;

use num_bigint::BigInt;

use super::number::{LONGEST, check_length};
use super::place;
use super::reader::{MONTH, OPTIONAL, check_annotations, untold};
use super::rules::{Rules, Time};
use super::sink::{Sink, Written};
use super::tape::{DEEPEST, Node, Tape, Token};
use super::time;
use crate::java::class::Shown;
use crate::java::schema::jackson::Names;
use crate::java::schema::{Layouts, Shape};
use crate::java::{
    BigDecimal, Entries, Items, JavaObject, JavaType, Mismatch, Name, Temporal, View, jdk,
};

mod fit;
mod key;
mod object;

use self::key::text_of;

/// Writes values, with a tag wherever Jackson writes one.
pub(super) struct Writer<'a, S> {
    layouts: &'a Layouts,
    rules: &'a Rules,
    /// The class that a whole value mostly has.
    usual: &'a JavaType,
    sink: S,
}

impl<'a, S: Sink> Writer<'a, S> {
    pub(super) fn new(
        layouts: &'a Layouts,
        rules: &'a Rules,
        usual: &'a JavaType,
        sink: S,
    ) -> Self {
        Self {
            layouts,
            rules,
            usual,
            sink,
        }
    }

    /// Writes a whole value, or tells that it is null.
    pub(super) fn whole<T: JavaObject>(&mut self, value: &T) -> Option<Written> {
        let mut written = None;
        value.view(&mut |value| {
            if !value.is_null() {
                written = Some(self.root(value));
            }
        });
        written
    }

    /// Writes a whole value.
    ///
    /// Java reads it back as an `Object`, so it needs all tags. Java itself omits those of final
    /// classes.
    fn root(&mut self, value: &View<'_>) -> Written {
        let rules = self.rules;
        // Java reads some values back right without their class.
        let is_clear = match value {
            View::Long(it) => !rules.long_tags && i32::try_from(*it).is_err(),
            View::Bytes(_) | View::Double(_) => rules.has_bytes,
            View::Float(_) => rules.has_floats,
            _ => false,
        };
        match value {
            // The class of a constant is final: the enum, or the class of the constant's body.
            View::Enum(class, name) if rules.bare_roots => self.constant(class, name, None),
            _ if rules.bare_roots || is_clear => {
                let class = value.class_name();
                match class == *self.usual.name() {
                    true => self.value(value, self.usual, 0, None),
                    false => self.value(value, &JavaType::new(class), 0, None),
                }
            }
            _ => self.value(value, &self.layouts.object, 0, None),
        }
    }

    /// Writes a value at a place declared as `declared`, `depth` levels deep. `outer` is the tag of
    /// an `Optional` around it.
    fn value(
        &mut self,
        value: &View<'_>,
        declared: &JavaType,
        depth: usize,
        outer: Option<&str>,
    ) -> Written {
        if depth > DEEPEST {
            return Err(Mismatch::unknown(LEVELS, "more"));
        }
        if !self.is_usual(value, declared)? {
            self.check_place(value, declared)?;
        }
        if let View::String(text) = value {
            return self.text(text, outer);
        }
        if !self.is_tagged(value, declared) {
            return self.bare(value, declared, depth + 1, outer);
        }
        let tag = tag(value)?;
        if let Some(outer) = outer {
            self.sink.begin_tag(outer)?;
            self.bare(value, declared, depth + 2, Some(&tag))?;
            return self.sink.end_tag();
        }
        self.bare(value, declared, depth + 2, Some(&tag))
    }

    /// Writes a value with this tag. The values that it holds are `depth` levels deep.
    fn bare(
        &mut self,
        value: &View<'_>,
        declared: &JavaType,
        depth: usize,
        tag: Option<&str>,
    ) -> Written {
        let leaf = match *value {
            View::String(it) => return self.text(it, tag),
            View::Enum(class, name) => return self.constant(class, name, tag),
            View::Text(_, text) => return self.text(text, tag),
            View::Array(class, items) => return self.array(class, items, declared, depth, tag),
            View::Collection(class, items, _) => {
                if jdk::is_enum_set(class)
                    && let Some(constants) = value.enumeration()
                {
                    return self.enum_set(&constants, items, tag);
                }
                let layout = self.layout(class, declared);
                layout.map_or(Ok(()), check_annotations)?;
                let element = place::element(self.layouts, layout, declared);
                return self.items(items, &element, depth, tag);
            }
            View::Map(class, entries, _) => {
                return self.map(class, entries, declared, depth, tag);
            }
            View::Optional(held) => return self.optional(held, declared, depth, tag),
            View::Object(class, fields) => {
                return self.object(class, fields, declared, depth, tag);
            }
            View::Null => Token::Null,
            View::Boolean(it) => Token::Boolean(it),
            View::Byte(it) => Token::Integer(it.into()),
            View::Short(it) => Token::Integer(it.into()),
            View::Integer(it) => Token::Integer(it.into()),
            View::Long(it) => Token::Integer(it),
            View::Float(it) => Token::Float(it),
            View::Double(it) => Token::Double(it),
            View::Character(it) => Token::from_utf16(vec![it]),
            View::Utf16(it) => Token::Utf16(it.into()),
            View::BigInteger(it) => {
                check_digits(it)?;
                Token::BigInteger(Box::new(it.clone()))
            }
            View::BigDecimal(it) => decimal(it)?,
            View::Uuid(it) => self.uuid(it),
            View::Date(class, millis) => self.date(class, millis)?,
            View::Time(it) => {
                let time = self.time(it)?;
                return self.sink.node(time.root(), tag);
            }
            View::Bytes(it) => Token::Bytes(it.into()),
            View::Serialized(_) => {
                let expected = "a value that jackson can write";
                return Err(Mismatch::unknown(expected, &*value.class_name()));
            }
        };
        self.sink.node(Node::leaf(&leaf), tag)
    }

    fn text(&mut self, text: &str, tag: Option<&str>) -> Written {
        let Some(class) = tag else {
            return self.sink.string(text);
        };
        self.sink.begin_tag(class)?;
        self.sink.string(text)?;
        self.sink.end_tag()
    }

    /// Writes a constant.
    fn constant(&mut self, class: &Name, name: &str, tag: Option<&str>) -> Written {
        if self.rules.shown_constants
            && *class == MONTH
            && let Some(number) = self.place_of(class, name)
        {
            return self.sink.node(Node::leaf(&Token::Integer(number + 1)), tag);
        }
        self.text(&self.shown(class, name)?, tag)
    }

    /// The text that stands for a constant.
    fn shown<'n>(&self, class: &Name, name: &'n str) -> Result<Cow<'n, str>, Mismatch> {
        let layout = self.layouts.get(class);
        let shape = layout.map(|it| &it.shape);
        if let Some(layout) = layout {
            check_annotations(layout)?;
            if let (Names::Given(given), Shape::Enum { constants, .. }) =
                (&layout.names, &layout.shape)
            {
                let place = constants.iter().position(|it| *it == name);
                let text = place.and_then(|it| given.names[it].as_ref());
                return Ok(text.map_or(Cow::Borrowed(name), |it| Cow::Owned(it.to_string())));
            }
        }
        if !self.rules.shown_constants {
            return Ok(Cow::Borrowed(name));
        }
        Ok(match shape {
            Some(Shape::Enum {
                shown: Shown::Unknown,
                ..
            }) => return Err(untold(class)),
            Some(Shape::Enum {
                constants,
                shown: Shown::Texts(texts),
                ..
            }) => {
                let place = constants.iter().position(|it| *it == name);
                let text = place.and_then(|it| texts.get(it));
                text.map_or(Cow::Borrowed(name), |it| Cow::Owned(it.to_string()))
            }
            _ => jdk::constant_shown(class, name).map_or(Cow::Borrowed(name), Cow::Owned),
        })
    }

    /// The place of a constant among those of its enum.
    fn place_of(&self, class: &Name, name: &str) -> Option<i64> {
        let Shape::Enum { constants, .. } = &self.layouts.get(class)?.shape else {
            return None;
        };
        let place = constants.iter().position(|it| *it == name)?;
        i64::try_from(place).ok()
    }

    fn is_tagged(&self, value: &View<'_>, declared: &JavaType) -> bool {
        if is_natural(value) {
            return false;
        }
        if declared.name() == "java.util.UUID" {
            return self.rules.uuid_tags && matches!(value, View::Uuid(_));
        }
        let Rules {
            long_tags,
            optionals,
            ..
        } = *self.rules;
        place::is_tagged(self.layouts, declared, long_tags, optionals)
    }

    fn uuid(&self, bits: u128) -> Token<'static> {
        match self.rules.binary_uuids && !self.rules.uuid_tags {
            true => Token::Bytes(bits.to_be_bytes().to_vec().into()),
            false => Token::String(uuid(bits).into()),
        }
    }

    fn items(
        &mut self,
        items: Items<'_>,
        declared: &JavaType,
        depth: usize,
        tag: Option<&str>,
    ) -> Written {
        self.sink.begin_array(items.len(), tag)?;
        items.try_each(|i, item| {
            self.value(item, declared, depth, None)
                .map_err(|error| error.within(format!("[{i}]")))
        })?;
        self.sink.end_array(tag.is_some())
    }

    fn array(
        &mut self,
        class: &Name,
        items: Items<'_>,
        declared: &JavaType,
        depth: usize,
        tag: Option<&str>,
    ) -> Written {
        if *class == "[C" {
            let mut units = Vec::with_capacity(items.len());
            items.try_each(|_, item| match item {
                View::Character(unit) => {
                    units.push(*unit);
                    Ok(())
                }
                other => Err(Mismatch::found("char", other)),
            })?;
            let leaf = Token::from_utf16(units);
            return self.sink.node(Node::leaf(&leaf), tag);
        }
        let Some(component) = place::component(class, declared) else {
            return Err(Mismatch::unknown("an array class", class.to_string()));
        };
        self.items(items, &component, depth, tag)
    }

    /// Writes the entries whose values are not null.
    fn map(
        &mut self,
        class: &Name,
        entries: Entries<'_>,
        declared: &JavaType,
        depth: usize,
        tag: Option<&str>,
    ) -> Written {
        let layout = self.layout(class, declared);
        let (keys, values) = place::entry(self.layouts, layout, declared);
        let mut count = 0;
        if S::COUNTS {
            entries.try_each(|_, _, value| {
                count += usize::from(!value.is_null());
                Ok(())
            })?;
        }
        self.sink.begin_object(count, tag)?;
        entries.try_each(|_, key, value| {
            if value.is_null() {
                return Ok(());
            }
            self.check_key(key, &keys)?;
            let place = self.key(key, &keys)?;
            self.value(value, &values, depth, None)
                .map_err(|error| error.within(place.unwrap_or_else(|| text_of(key))))
        })?;
        self.sink.end_object()
    }

    /// Writes an `Optional` as its value.
    fn optional(
        &mut self,
        held: Option<&View<'_>>,
        declared: &JavaType,
        depth: usize,
        tag: Option<&str>,
    ) -> Written {
        if !self.rules.optionals {
            return Err(Mismatch::unknown(
                "a value that jackson can write",
                "java.util.Optional",
            ));
        }
        let layout = self.layouts.get(OPTIONAL);
        let declared = place::element(self.layouts, layout, declared);
        self.value(held.unwrap_or(&View::Null), &declared, depth, tag)
    }

    /// Writes the constants of an `EnumSet`. None has a tag, not even in an enum with bodies.
    fn enum_set(&mut self, constants: &Name, items: Items<'_>, tag: Option<&str>) -> Written {
        self.sink.begin_array(items.len(), tag)?;
        items.try_each(|i, item| match item {
            View::Enum(class, name) if *class == constants => self.constant(class, name, None),
            other => {
                let error = Mismatch::found(constants.clone(), other);
                Err(error.within(format!("[{i}]")))
            }
        })?;
        self.sink.end_array(tag.is_some())
    }

    fn date(&self, class: &Name, millis: i64) -> Result<Token<'static>, Mismatch> {
        if *class == "java.sql.Time" {
            let found = "java.sql.Time, whose text has the time zone of the writer";
            return Err(Mismatch::unknown("a value that jackson can write", found));
        }
        Ok(self.millis(millis))
    }

    fn millis(&self, millis: i64) -> Token<'static> {
        match self.rules.iso_dates {
            true => Token::String(time::iso::date(millis).into()),
            false => Token::Integer(millis),
        }
    }

    fn time(&self, value: &Temporal) -> Result<Tape<'static>, Mismatch> {
        if matches!(self.rules.time, Time::Numbers | Time::Iso) && value.check().is_err() {
            let found = format!("{value:?}");
            return Err(Mismatch::unknown("a time that java has", found));
        }
        match self.rules.time {
            Time::Numbers => time::number::write(value),
            Time::Iso => time::iso::write(value).map(Tape::from),
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
fn is_natural(value: &View<'_>) -> bool {
    match value {
        View::Double(it) => it.is_finite(),
        View::Null | View::Boolean(_) | View::Integer(_) | View::String(_) | View::Utf16(_) => true,
        _ => false,
    }
}

/// The class that a tag names for a value.
fn tag(value: &View<'_>) -> Result<Name, Mismatch> {
    Ok(match value {
        View::Collection(class, ..) if jdk::is_enum_set(class) => {
            let constants = value.enumeration().ok_or_else(|| of_no_enum(class))?;
            format!("java.util.EnumSet<{constants}>").into()
        }
        View::Map(class, ..) if **class == "java.util.EnumMap" => {
            let constants = value.enumeration().ok_or_else(|| of_no_enum(class))?;
            format!("java.util.EnumMap<{constants},java.lang.Object>").into()
        }
        View::Text(class, _) if **class == "sun.util.calendar.ZoneInfo" => {
            Name::new("java.util.TimeZone")
        }
        // Jackson hides the class that `ZoneId.of` returns.
        View::Time(Temporal::ZoneRegion(_)) => Name::new("java.time.ZoneId"),
        _ => value.class_name(),
    })
}

fn of_no_enum(class: &Name) -> Mismatch {
    Mismatch::unknown("constants of an enum", format!("an empty {class}"))
}

fn decimal(decimal: &BigDecimal) -> Result<Token<'static>, Mismatch> {
    if decimal.scale.unsigned_abs() > LARGEST_SCALE {
        let found = format!("one of {}", decimal.scale);
        return Err(Mismatch::unknown("a scale of 9999 at most", found));
    }
    check_digits(&decimal.unscaled)?;
    Ok(Token::Decimal(Box::new(decimal.clone())))
}

/// Refuses a number that nobody could read: see [`LONGEST`].
fn check_digits(number: &BigInt) -> Result<(), Mismatch> {
    // Most numbers have so few bits that nobody need count their digits.
    let (bits, most) = (number.bits(), LONGEST as u64);
    if bits <= 3 * most {
        return Ok(());
    }
    check_length(match bits <= 4 * most {
        true => number.magnitude().to_string().len(),
        // The time to print one grows much faster than its length.
        false => (bits as f64 * std::f64::consts::LOG10_2) as usize,
    })
}

fn uuid(bits: u128) -> String {
    let digits = format!("{bits:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
    parts.join("-")
}

const LEVELS: &str = "at most 256 levels";

/// Jackson refuses a larger scale, because it would have to write as many zeros.
const LARGEST_SCALE: u32 = 9999;
