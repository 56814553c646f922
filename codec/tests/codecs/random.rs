//! Random values of the classes of the vectors.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use bytes::Bytes;
use redisson_codec::java::{
    Array, BigDecimal, BigInt, Date, Instant, JavaType, JavaValue, LocalDate, LocalDateTime,
    LocalTime, Map, Temporal,
};
use serde_json::Value;

use crate::canonical::canonical;

const SCHEMA: &str = include_str!("../../../interop/vectors/schema.json");
const PACKAGE: &str = "com.example.orders.";

/// The class of each name in the schema.
static CLASSES: LazyLock<BTreeMap<String, Value>> =
    LazyLock::new(|| serde_json::from_str(SCHEMA).unwrap());

/// Makes a value of random bytes. When they are used up, it ends soon.
pub(crate) struct Dice<'a> {
    bytes: std::slice::Iter<'a, u8>,
    depth: usize,
}

impl<'a> Dice<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes: bytes.iter(),
            depth: 0,
        }
    }

    /// A value of any class, but not null.
    pub(crate) fn element(&mut self) -> JavaValue {
        match self.any() {
            JavaValue::Null => JavaValue::from("null"),
            value => value,
        }
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.bytes.next().map_or(0, |it| usize::from(*it) % sides)
    }

    fn number(&mut self) -> i64 {
        let length = self.roll(9);
        let bytes = (0..length).map(|_| self.roll(256) as i64);
        let number = bytes.fold(0, |number, byte| number << 8 | byte);
        if self.roll(2) == 0 { number } else { !number }
    }

    fn of(&mut self, declared: &str) -> JavaValue {
        self.declared(&declared.parse().unwrap())
    }

    fn any(&mut self) -> JavaValue {
        const TYPES: [&str; 26] = [
            "java.lang.String",
            "java.lang.Integer",
            "java.lang.Long",
            "java.lang.Boolean",
            "java.lang.Double",
            "java.math.BigDecimal",
            "java.util.Date",
            "java.util.UUID",
            "byte[]",
            "long[]",
            "java.lang.String[]",
            "int[][]",
            "com.example.orders.Address[][]",
            "java.lang.Object[]",
            "java.util.List",
            "java.util.List",
            "java.util.Map",
            "java.util.Map",
            "java.util.Optional",
            "java.time.Instant",
            "java.time.LocalDateTime",
            "java.lang.Character",
            "java.lang.Float",
            "java.lang.Short",
            "java.math.BigInteger",
            "java.lang.Byte",
        ];
        let place = self.roll(TYPES.len() + CLASSES.len());
        match TYPES.get(place) {
            Some(declared) => self.of(declared),
            None => {
                let class = CLASSES.keys().nth(place - TYPES.len()).unwrap();
                // These are abstract.
                match class.as_str() {
                    "com.example.orders.BaseEvent" | "com.example.orders.Envelope" => {
                        JavaValue::Null
                    }
                    class => self.of(class),
                }
            }
        }
    }

    /// A value for a field of this type.
    fn declared(&mut self, declared: &JavaType) -> JavaValue {
        self.depth += 1;
        let value = match declared.name().as_str() {
            name if declared.is_primitive() => self.scalar(JavaType::new(name.to_owned())),
            _ if self.depth > 7 || self.roll(8) == 0 => JavaValue::Null,
            _ => self.present(declared),
        };
        self.depth -= 1;
        value
    }

    fn scalar(&mut self, declared: JavaType) -> JavaValue {
        match declared.boxed().name().as_str() {
            "java.lang.Boolean" => JavaValue::Boolean(self.roll(2) == 1),
            "java.lang.Byte" => JavaValue::Byte(self.number() as i8),
            "java.lang.Short" => JavaValue::Short(self.number() as i16),
            "java.lang.Character" => JavaValue::Character(self.number() as u16),
            "java.lang.Integer" => JavaValue::Integer(self.number() as i32),
            "java.lang.Long" => JavaValue::Long(self.number()),
            "java.lang.Float" => JavaValue::Float(self.number() as f32 / 8.0),
            _ => JavaValue::Double(self.number() as f64 / 8.0),
        }
    }

    fn text(&mut self) -> String {
        const PARTS: [&str; 12] = [
            "a",
            "ab",
            "7",
            "é",
            "世",
            "🚀",
            "\0",
            "\u{ffff}",
            "order-",
            "xxxxxxxxxxxxxxxx",
            "\"",
            "",
        ];
        let count = self.roll(5);
        (0..count).map(|_| PARTS[self.roll(PARTS.len())]).collect()
    }

    fn present(&mut self, declared: &JavaType) -> JavaValue {
        if let Some(component) = declared.component() {
            if component.name() == "byte" {
                let count = self.roll(5);
                let bytes: Bytes = (0..count).map(|_| self.roll(256) as u8).collect();
                return JavaValue::Bytes(bytes);
            }
            return JavaValue::Array(Array {
                class: declared.name().clone(),
                items: self.items(&component),
            });
        }
        let object = JavaType::object();
        let argument = |place| declared.arguments().get(place).unwrap_or(&object).clone();
        match declared.name().as_str() {
            "java.lang.Object" => self.any(),
            "java.lang.Number" => {
                let types = ["java.lang.Long", "java.math.BigDecimal", "java.lang.Double"];
                let place = self.roll(3);
                self.of(types[place])
            }
            "java.lang.String" => JavaValue::String(self.text()),
            "java.math.BigInteger" => JavaValue::BigInteger(self.big_integer()),
            "java.math.BigDecimal" => {
                let scale = self.roll(40) as i32 - 10;
                JavaValue::BigDecimal(BigDecimal::new(self.big_integer(), scale))
            }
            "java.util.UUID" => {
                let (most, least) = (self.number() as u64, self.number() as u64);
                JavaValue::Uuid(u128::from(most) << 64 | u128::from(least))
            }
            "java.util.Date" => JavaValue::Date(Date {
                class: declared.name().clone(),
                millis: self.number(),
            }),
            "java.time.Instant" => JavaValue::Time(Temporal::Instant(Instant {
                seconds: self.number() >> 12,
                nanos: self.roll(3) as i32 * 333_333_333,
            })),
            "java.time.LocalDateTime" => self.date_and_clock(),
            "java.util.Optional" => match self.declared(&argument(0)) {
                JavaValue::Null => JavaValue::Optional(None),
                value => JavaValue::Optional(Some(Box::new(value))),
            },
            "java.util.List" | "java.util.Collection" | "java.lang.Iterable" => {
                let items = self.items(&argument(0));
                self.list(items)
            }
            "java.util.ArrayList" | "com.example.orders.Tags" => {
                JavaValue::collection(declared.name().clone(), self.items(&argument(0)))
            }
            "java.util.Set" => {
                let mut items = self.items(&argument(0));
                distinct(&mut items, |it| it);
                JavaValue::collection("java.util.LinkedHashSet", items)
            }
            "java.util.Map" => self.map("java.util.LinkedHashMap", declared, 4),
            // Java has an order of its own for more entries.
            "java.util.HashMap" | "java.util.TreeMap" => {
                self.map(declared.name().as_str(), declared, 2)
            }
            name if name.starts_with("java.lang.") => self.scalar(declared.clone()),
            name => self.instance(name, declared),
        }
    }

    fn big_integer(&mut self) -> BigInt {
        BigInt::from(self.number()) * BigInt::from(self.number())
    }

    fn date_and_clock(&mut self) -> JavaValue {
        let date = LocalDate {
            year: self.number() as i16 as i32,
            month: self.roll(12) as u8 + 1,
            day: self.roll(28) as u8 + 1,
        };
        let time = LocalTime {
            hour: self.roll(24) as u8,
            minute: self.roll(4) as u8,
            second: self.roll(3) as u8,
            nano: self.roll(2) as i32 * 5,
        };
        JavaValue::Time(Temporal::LocalDateTime(LocalDateTime { date, time }))
    }

    fn items(&mut self, declared: &JavaType) -> Vec<JavaValue> {
        let count = self.roll(4);
        (0..count).map(|_| self.declared(declared)).collect()
    }

    fn list(&mut self, items: Vec<JavaValue>) -> JavaValue {
        let may_be_immutable = !items.iter().any(JavaValue::is_null);
        let class = match (self.roll(5), items.len()) {
            (1, _) => "java.util.LinkedList",
            (2, _) => "java.util.Arrays$ArrayList",
            (3, 1 | 2) if may_be_immutable => "java.util.ImmutableCollections$List12",
            (3, _) if may_be_immutable => "java.util.ImmutableCollections$ListN",
            (4, 0) => "java.util.Collections$EmptyList",
            (4, 1) => "java.util.Collections$SingletonList",
            _ => "java.util.ArrayList",
        };
        JavaValue::collection(class, items)
    }

    fn map(&mut self, class: &str, declared: &JavaType, sizes: usize) -> JavaValue {
        let text = JavaType::new("java.lang.String");
        let key = declared.arguments().first().unwrap_or(&text).clone();
        // Two objects of one class are not equal to Java, and arrays never are.
        let key = if key == JavaType::object() { text } else { key };
        let value = declared.arguments().get(1).cloned();
        let value = value.unwrap_or_else(JavaType::object);
        let count = self.roll(sizes);
        let entries = (0..count).map(|_| (self.declared(&key), self.declared(&value)));
        let mut entries: Vec<_> = entries.collect();
        distinct(&mut entries, |it| &it.0);
        if class.contains("Tree") {
            entries.retain(|it| !it.0.is_null());
        }
        JavaValue::Map(Map {
            class: class.to_owned().into(),
            comparator: Box::default(),
            entries,
        })
    }

    /// A value of a class of the schema.
    fn instance(&mut self, name: &str, declared: &JavaType) -> JavaValue {
        let name = match name.strip_prefix(PACKAGE) {
            Some("BaseEvent") if self.roll(2) == 0 => &format!("{PACKAGE}Shadow"),
            Some("BaseEvent") => &format!("{PACKAGE}PaymentEvent"),
            _ => name,
        };
        let class = &CLASSES[name];
        if let Some(constants) = class["enum"].as_array() {
            let place = self.roll(constants.len());
            let constant = constants[place].as_str().unwrap().to_owned();
            return JavaValue::constant(name.to_owned(), constant);
        }
        let mut fields = Vec::new();
        let mut of = Some((name.to_owned(), declared.arguments().first().cloned()));
        while let Some((name, argument)) = of {
            let class = &CLASSES[&name];
            let own = class.get("record").or(class.get("fields"));
            for (field, of) in own.and_then(Value::as_object).into_iter().flatten() {
                let mut text = of.as_str().unwrap().to_owned();
                let argument = argument.clone().unwrap_or_else(JavaType::object);
                if text == "T" {
                    text = argument.to_string();
                }
                let of = text.replace("<T>", &format!("<{argument}>"));
                fields.push((field.clone(), self.of(&of)));
            }
            of = class["extends"].as_str().map(|it| {
                let parent: JavaType = it.parse().unwrap();
                let argument = parent.arguments().first().cloned();
                (parent.name().to_string(), argument)
            });
        }
        JavaValue::object(name.to_owned(), fields)
    }
}

/// Leaves out what Java would: to it, two empty lists are equal whatever their classes.
fn distinct<T>(items: &mut Vec<T>, key: impl Fn(&T) -> &JavaValue) {
    let mut seen = BTreeSet::new();
    items.retain(|it| seen.insert(canonical(key(it)).to_string()));
}
