//! The classes of the JDK that have values of their own, except `java.time` and containers.

use num_bigint::{BigInt, Sign};

use super::shape::Shaper;
use super::{Instance, Item, Node, collection, time};
use crate::java::locale::Locale;
use crate::java::{BigDecimal, Cursor, Date, JavaValue, Malformed, Text};

pub(super) type Shaped = Result<JavaValue, Malformed>;

/// Makes a value of an object that is, or extends, a class of this name.
///
/// Rules are looked up before they are called, which keeps the stack small where objects nest.
pub(super) type Rule = fn(&mut Shaper<'_>, &Instance, &str) -> Shaped;

fn exact(class: &str) -> Option<Rule> {
    Some(match class {
        "java.lang.Boolean"
        | "java.lang.Byte"
        | "java.lang.Character"
        | "java.lang.Double"
        | "java.lang.Float"
        | "java.lang.Integer"
        | "java.lang.Long"
        | "java.lang.Short" => |it, instance, _| it.boxed(instance),
        "java.lang.StringBuffer" | "java.lang.StringBuilder" => {
            |it, instance, _| it.builder(instance)
        }
        "java.math.BigDecimal" => |it, instance, _| it.decimal(instance),
        "java.math.BigInteger" => |it, instance, _| it.integer(instance),
        "java.net.InetAddress" => |it, instance, _| it.address(instance),
        "java.net.URI" => |it, instance, _| it.text(instance, "string"),
        "java.net.URL" => |it, instance, _| it.url(instance),
        "java.time.Ser" => |it, instance, _| {
            time::value(instance, it.texts()).map_err(|error| it.malformed(error.reason))
        },
        "java.util.BitSet" => |it, instance, _| it.renamed(instance, &[("words", "bits")]),
        "java.util.Currency" => |it, instance, _| it.text(instance, "currencyCode"),
        "java.util.GregorianCalendar" => |it, instance, _| it.named(instance, &CALENDAR),
        "java.util.Locale" => |it, instance, _| it.locale(instance),
        "java.util.UUID" => |it, instance, _| it.uuid(instance),
        "java.util.concurrent.atomic.AtomicBoolean" => |it, instance, _| it.flag(instance),
        "java.util.regex.Pattern" => |it, instance, _| it.named(instance, &["pattern", "flags"]),
        _ => return None,
    })
}

fn inherited(class: &str) -> Option<Rule> {
    match class {
        "java.util.Date" => Some(|it, instance, _| it.date(instance)),
        "java.util.TimeZone" => Some(|it, instance, _| it.text(instance, "ID")),
        class => collection::rule(class),
    }
}

impl<'a> Shaper<'a> {
    /// The value of an object of the JDK. Nothing if its fields say everything.
    pub(super) fn known(&mut self, instance: &Instance) -> Result<Option<JavaValue>, Malformed> {
        let class = instance.class.name.as_str();
        if let Some(rule) = exact(class) {
            return rule(self, instance, class).map(Some);
        }
        for class in instance.class.chain() {
            if let Some(rule) = inherited(&class.name) {
                return rule(self, instance, &class.name).map(Some);
            }
        }
        let mut parts = instance.parts.iter();
        match parts.any(|part| part.fields.is_empty() && !part.data.is_empty()) {
            true => Err(self.malformed("an object is written in a way that only its class knows")),
            false => Ok(None),
        }
    }

    fn locale(&mut self, instance: &Instance) -> Shaped {
        let mut locale = Locale::default();
        for (name, part) in [
            ("language", &mut locale.language),
            ("script", &mut locale.script),
            ("country", &mut locale.country),
            ("variant", &mut locale.variant),
            ("extensions", &mut locale.extensions),
        ] {
            let value = instance.field(name).map(|item| self.value(item));
            if let Some(JavaValue::String(text)) = value.transpose()? {
                *part = text;
            }
        }
        Ok(locale.into_object())
    }

    fn boxed(&mut self, instance: &Instance) -> Shaped {
        match instance.field("value") {
            Some(Item::Scalar(value)) if value.class_name() == instance.class.name => {
                Ok(value.clone())
            }
            _ => Err(self.lacking()),
        }
    }

    fn integer(&mut self, instance: &Instance) -> Shaped {
        let magnitude = self.field(instance, "magnitude")?;
        let sign = match self.long(instance, "signum")? {
            0 => Sign::NoSign,
            signum if signum < 0 => Sign::Minus,
            _ => Sign::Plus,
        };
        match magnitude {
            JavaValue::Bytes(bytes) => {
                let number = BigInt::from_bytes_be(sign, &bytes);
                Ok(JavaValue::BigInteger(number))
            }
            _ => Err(self.lacking()),
        }
    }

    fn decimal(&mut self, instance: &Instance) -> Shaped {
        let scale = i32::try_from(self.long(instance, "scale")?).map_err(|_| self.lacking())?;
        match self.field(instance, "intVal")? {
            JavaValue::BigInteger(unscaled) => {
                Ok(JavaValue::BigDecimal(BigDecimal { unscaled, scale }))
            }
            _ => Err(self.lacking()),
        }
    }

    fn uuid(&mut self, instance: &Instance) -> Shaped {
        let most = self.long(instance, "mostSigBits")?;
        let least = self.long(instance, "leastSigBits")?;
        let most = u128::from(most.cast_unsigned());
        let least = u128::from(least.cast_unsigned());
        Ok(JavaValue::Uuid(most << 64 | least))
    }

    fn date(&mut self, instance: &Instance) -> Shaped {
        let data = instance.part("java.util.Date").map(|it| &it.data[..]);
        let Some([Item::Block(block)]) = data else {
            return Err(self.lacking());
        };
        let written = Cursor::new(block).i64().map_err(|_| self.lacking())?;
        // A timestamp sends its seconds here and its nanoseconds in a field of their own.
        let nanos = match instance.part("java.sql.Timestamp") {
            Some(_) => self.long(instance, "nanos")?,
            None => 0,
        };
        Ok(JavaValue::Date(Date {
            class: instance.class.name.clone(),
            millis: written.wrapping_add(nanos / 1_000_000),
        }))
    }

    fn flag(&mut self, instance: &Instance) -> Shaped {
        let is_set = JavaValue::Boolean(self.long(instance, "value")? != 0);
        let class = instance.class.name.clone();
        Ok(JavaValue::object(class, [("value", is_set)]))
    }

    fn text(&mut self, instance: &Instance, field: &str) -> Shaped {
        match self.field(instance, field)? {
            JavaValue::String(text) => Ok(self.texted(instance, text)),
            _ => Err(self.lacking()),
        }
    }

    fn texted(&self, instance: &Instance, text: String) -> JavaValue {
        JavaValue::Text(Text {
            class: instance.class.name.clone(),
            text,
        })
    }

    fn builder(&mut self, instance: &Instance) -> Shaped {
        let part = instance.part(&instance.class.name);
        let (count, units) = match part.map(|it| (&it.data[..], it.field("value"))) {
            Some(([Item::Block(block), units], _)) => {
                let count = Cursor::new(block).i32().map_err(|_| self.lacking())?;
                (i64::from(count), self.value(units)?)
            }
            Some((_, Some(units))) => (self.long(instance, "count")?, self.value(units)?),
            _ => return Err(self.lacking()),
        };
        let JavaValue::Array(units) = units else {
            return Err(self.lacking());
        };
        let units = units.items.into_iter().filter_map(|unit| match unit {
            JavaValue::Character(unit) => Some(unit),
            _ => None,
        });
        let count = usize::try_from(count).map_err(|_| self.lacking())?;
        let units: Vec<u16> = units.take(count).collect();
        let text = String::from_utf16(&units)
            .map_err(|_| self.malformed("a text has half a surrogate pair"))?;
        Ok(self.texted(instance, text))
    }

    fn url(&mut self, instance: &Instance) -> Shaped {
        let mut url = String::new();
        for (field, before) in [
            ("protocol", ""),
            ("authority", "://"),
            ("file", ""),
            ("ref", "#"),
        ] {
            match self.field(instance, field)? {
                JavaValue::Null if field == "authority" => url.push(':'),
                JavaValue::Null => {}
                // An empty authority leaves no trace in `URL.toExternalForm`.
                JavaValue::String(text) if text.is_empty() && field == "authority" => url.push(':'),
                JavaValue::String(text) => {
                    url.push_str(before);
                    url.push_str(&text);
                }
                _ => return Err(self.lacking()),
            }
        }
        Ok(self.texted(instance, url))
    }

    /// Java sends an `Inet4Address` as an object of its super class.
    fn address(&mut self, instance: &Instance) -> Shaped {
        let mut value = self.named(instance, &["address", "family", "hostName"])?;
        if let JavaValue::Object(object) = &mut value {
            object.class = "java.net.Inet4Address".into();
        }
        Ok(value)
    }

    fn named(&mut self, instance: &Instance, fields: &[&'static str]) -> Shaped {
        let fields: Vec<_> = fields.iter().map(|name| (*name, *name)).collect();
        self.renamed(instance, &fields)
    }

    /// An object with some of its fields, each under the first of two names.
    fn renamed(&mut self, instance: &Instance, fields: &[(&'static str, &str)]) -> Shaped {
        let fields: Result<Vec<_>, Malformed> = fields
            .iter()
            .map(|(name, field)| Ok((*name, self.field(instance, field)?)))
            .collect();
        Ok(JavaValue::object(instance.class.name.clone(), fields?))
    }

    pub(super) fn field(&mut self, instance: &Instance, name: &str) -> Shaped {
        match instance.field(name) {
            Some(item) => self.value(item),
            None => Err(self.lacking()),
        }
    }

    pub(super) fn long(&mut self, instance: &Instance, name: &str) -> Result<i64, Malformed> {
        match instance.field(name) {
            Some(Item::Scalar(JavaValue::Integer(number))) => Ok(i64::from(*number)),
            Some(Item::Scalar(JavaValue::Long(number))) => Ok(*number),
            Some(Item::Scalar(JavaValue::Byte(number))) => Ok(i64::from(*number)),
            _ => Err(self.lacking()),
        }
    }

    /// An error about an object of the JDK that is not as the JDK sends it.
    pub(super) fn lacking(&self) -> Malformed {
        self.malformed("an object of the jdk is not as java writes it")
    }

    /// The elements of an array of objects that a field holds.
    pub(super) fn items(&self, item: Option<&Item>) -> Result<&'a [Item], Malformed> {
        match item {
            Some(Item::Node(id)) => match self.node(*id) {
                Node::Array { items, .. } => Ok(items),
                _ => Err(self.lacking()),
            },
            _ => Err(self.lacking()),
        }
    }
}

const CALENDAR: [&str; 6] = [
    "zone",
    "time",
    "lenient",
    "firstDayOfWeek",
    "minimalDaysInFirstWeek",
    "gregorianCutover",
];
