//! Random Java values of known classes.

use std::collections::BTreeMap;
use std::env;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use redisson_delayed_queue::java::{BigDecimal, BigInt, Instant, JavaType, JavaValue, Temporal};
use serde::Deserialize;

/// `SEED` of the environment, or a new one. Prints it.
pub fn seed() -> u64 {
    let seed = env::var("SEED").map(|it| it.parse().expect("SEED is a number"));
    let seed = seed.unwrap_or_else(|_| rand::random::<u32>().into());
    println!("SEED={seed}");
    seed
}

/// Makes values of the classes of a schema, the same ones for the same seed.
#[derive(Debug)]
pub struct Random {
    classes: BTreeMap<String, Class>,
    rng: StdRng,
    /// Makes no values that JSON cannot tell apart or that Jackson refuses to write.
    for_json: bool,
    records: bool,
    tags_uuids: bool,
    /// Makes no values that Java cannot serialize.
    for_serialization: bool,
}

/// As in the JSON form of `Schema`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Class {
    #[serde(rename = "enum")]
    constants: Vec<String>,
    extends: Option<String>,
    fields: BTreeMap<String, String>,
    parameters: Vec<String>,
    record: BTreeMap<String, String>,
}

impl Random {
    /// Values for codecs that keep every class; `schema` is the JSON form of a `Schema`.
    pub fn new(schema: &str, seed: u64) -> Self {
        Self {
            classes: serde_json::from_str(schema).expect("the schema is JSON"),
            rng: StdRng::seed_from_u64(seed),
            for_json: false,
            records: true,
            tags_uuids: true,
            for_serialization: false,
        }
    }

    /// Values for the JSON codecs.
    pub fn for_json(schema: &str, seed: u64) -> Self {
        Self {
            for_json: true,
            ..Self::new(schema, seed)
        }
    }

    /// Values for the codecs that use Java's own serialization.
    pub fn for_serialization(schema: &str, seed: u64) -> Self {
        Self {
            for_serialization: true,
            ..Self::new(schema, seed)
        }
    }

    /// Makes no records.
    #[must_use]
    pub fn without_records(mut self) -> Self {
        self.records = false;
        self
    }

    /// For versions whose JSON does not tag UUIDs, so that they cannot read one where any type may
    /// stand.
    #[must_use]
    pub fn with_untagged_uuids(mut self) -> Self {
        self.tags_uuids = false;
        self
    }

    /// True if UUIDs are tagged in JSON.
    pub fn tags_uuids(&self) -> bool {
        self.tags_uuids
    }

    /// Any value that may stand at the root of a payload.
    pub fn root(&mut self) -> JavaValue {
        loop {
            let value = match self.rng.random_range(0..10) {
                0 => self.any(0),
                1 => self.list(&JavaType::object(), 0),
                2 => self.map(&string(), &JavaType::object(), 0),
                _ => {
                    // Java leaves the class of a record at the root out and cannot read it then; a
                    // null that is left out comes back as what the constructor sets; and no map
                    // can have lists for keys.
                    let roots = &ROOTS[..ROOTS.len() - if self.for_json { 3 } else { 0 }];
                    let root = roots.choose(&mut self.rng).expect("there are some");
                    self.object(root, &[], 0)
                }
            };
            if !value.is_null() {
                return value;
            }
        }
    }

    /// A value for a place of this declared type.
    fn value(&mut self, declared: &JavaType, depth: u32) -> JavaValue {
        let name = declared.name().as_str();
        if !declared.is_primitive() && (depth > DEEPEST || self.rng.random_bool(0.15)) {
            return JavaValue::Null;
        }
        if let Some(component) = declared.component() {
            return self.array(declared, &component, depth);
        }
        let arguments = declared.arguments();
        let argument = |i: usize| arguments.get(i).cloned().unwrap_or_else(JavaType::object);
        match name {
            "boolean" | "java.lang.Boolean" => self.rng.random::<bool>().into(),
            "byte" | "java.lang.Byte" => self.rng.random::<i8>().into(),
            "short" | "java.lang.Short" => self.rng.random::<i16>().into(),
            "char" | "java.lang.Character" => JavaValue::Character(self.unit()),
            "int" | "java.lang.Integer" => self.int().into(),
            "long" | "java.lang.Long" => self.long().into(),
            "float" | "java.lang.Float" => (self.rng.random_range(-4096..4096) as f32 / 8.0).into(),
            "double" | "java.lang.Double" => self.double().into(),
            "java.lang.String" => self.string(),
            "java.math.BigDecimal" => self.decimal(),
            "java.util.UUID" => JavaValue::Uuid(self.rng.random()),
            "java.util.Date" => JavaValue::Date(redisson_delayed_queue::java::Date {
                class: "java.util.Date".into(),
                millis: self.rng.random_range(-(1 << 40)..1 << 42),
            }),
            "java.time.Instant" if self.for_json => JavaValue::Null,
            "java.time.Instant" => JavaValue::Time(Temporal::Instant(Instant {
                seconds: self.rng.random_range(-(1 << 33)..1 << 34),
                nanos: self.rng.random_range(0..1_000_000_000),
            })),
            "java.util.Optional" if self.for_json => JavaValue::Null,
            "java.util.Optional" if self.for_serialization => JavaValue::Null,
            "java.util.Optional" => {
                let inner = self.value(&argument(0), depth + 1);
                JavaValue::Optional((!inner.is_null()).then(|| Box::new(inner)))
            }
            "java.lang.Number" => match self.rng.random_range(0..4) {
                0 => self.int().into(),
                1 => self.long().into(),
                2 => self.double().into(),
                _ => self.decimal(),
            },
            "java.lang.Object" => self.any(depth),
            "java.util.List"
            | "java.util.Collection"
            | "java.lang.Iterable"
            | "java.util.ArrayList" => self.list(&argument(0), depth),
            "java.util.Set" => self.set(&argument(0), depth),
            "java.util.Map" => self.map(&argument(0), &argument(1), depth),
            // Java orders a hash map by its own rules, and a tree map by its comparator.
            "java.util.HashMap" | "java.util.TreeMap" => JavaValue::Null,
            "com.example.orders.BaseEvent" => {
                self.object("com.example.orders.PaymentEvent", &[], depth)
            }
            class => {
                let class = class.to_owned();
                self.object(&class, arguments, depth)
            }
        }
    }

    fn object(&mut self, name: &str, arguments: &[JavaType], depth: u32) -> JavaValue {
        let Some(class) = self.classes.get(name) else {
            panic!("the schema has no class {name}");
        };
        if !self.records && !class.record.is_empty() {
            return JavaValue::Null;
        }
        if let Some(constant) = class.constants.choose(&mut self.rng) {
            return JavaValue::constant(name.to_owned(), constant.clone());
        }
        if let Some(of) = class
            .extends
            .as_deref()
            .and_then(|it| it.strip_prefix("java.util."))
        {
            assert!(of.starts_with("ArrayList<java.lang.String>"), "{of}");
            let JavaValue::Collection(mut list) = self.list(&string(), depth) else {
                unreachable!("a list is a collection");
            };
            list.class = name.to_owned().into();
            return JavaValue::Collection(list);
        }
        let fields = self.fields(name, arguments).into_iter();
        let fields = fields.map(|(field, declared)| (field, self.value(&declared, depth + 1)));
        JavaValue::object(name.to_owned(), fields)
    }

    /// The fields of a class and its super classes, with type parameters replaced.
    fn fields(&self, name: &str, arguments: &[JavaType]) -> Vec<(String, JavaType)> {
        let class = &self.classes[name];
        let bound = |declared: &str| -> JavaType {
            let mut text = declared.to_owned();
            for (i, parameter) in class.parameters.iter().enumerate() {
                let argument = arguments.get(i).cloned().unwrap_or_else(JavaType::object);
                if text == *parameter {
                    text = argument.to_string();
                }
                text = text.replace(&format!("<{parameter}>"), &format!("<{argument}>"));
            }
            text.parse().expect("the schema holds types")
        };
        let mut fields: Vec<(String, JavaType)> = class
            .fields
            .iter()
            .chain(&class.record)
            .map(|(field, declared)| (field.clone(), bound(declared)))
            .collect();
        if let Some(super_class) = &class.extends {
            let super_class = bound(super_class);
            fields.extend(self.fields(super_class.name(), super_class.arguments()));
        }
        fields
    }

    /// A value for a place where anything may stand.
    fn any(&mut self, depth: u32) -> JavaValue {
        match self.rng.random_range(0..9) {
            0 => self.int().into(),
            1 => self.long().into(),
            2 => self.double().into(),
            3 => self.rng.random::<bool>().into(),
            4 => self.decimal(),
            5 if depth < DEEPEST => self.list(&JavaType::object(), depth + 1),
            6 if depth < DEEPEST => self.map(&string(), &JavaType::object(), depth + 1),
            7 if depth < DEEPEST => self.object("com.example.orders.Address", &[], depth + 1),
            _ => self.string(),
        }
    }

    fn list(&mut self, element: &JavaType, depth: u32) -> JavaValue {
        let length = self.length(depth);
        let items: Vec<_> = (0..length)
            .map(|_| self.value(element, depth + 1))
            .collect();
        JavaValue::list(items)
    }

    fn set(&mut self, element: &JavaType, depth: u32) -> JavaValue {
        let mut items = Vec::new();
        for _ in 0..self.length(depth) {
            let item = self.value(element, depth + 1);
            if !item.is_null() && !items.contains(&item) {
                items.push(item);
            }
        }
        JavaValue::collection("java.util.LinkedHashSet", items)
    }

    fn map(&mut self, key: &JavaType, value: &JavaType, depth: u32) -> JavaValue {
        // Keys in JSON are texts.
        let is_any = self.for_json && key.name() == "java.lang.Object";
        let key = if is_any { string() } else { key.clone() };
        let mut entries: Vec<(JavaValue, JavaValue)> = Vec::new();
        for _ in 0..self.length(depth) {
            let key = self.value(&key, depth + 1);
            let value = self.value(value, depth + 1);
            let dropped = self.for_json && value.is_null();
            let is_new = entries.iter().all(|(other, _)| *other != key);
            if !key.is_null() && !dropped && is_new {
                entries.push((key, value));
            }
        }
        JavaValue::map(entries)
    }

    fn array(&mut self, declared: &JavaType, component: &JavaType, depth: u32) -> JavaValue {
        let length = self.length(depth);
        if component.name() == "byte" {
            let bytes: Vec<u8> = (0..length).map(|_| self.rng.random()).collect();
            return JavaValue::Bytes(bytes.into());
        }
        JavaValue::Array(redisson_delayed_queue::java::Array {
            class: declared.name().clone(),
            items: (0..length)
                .map(|_| self.value(component, depth + 1))
                .collect(),
        })
    }

    fn length(&mut self, depth: u32) -> usize {
        match self.rng.random_range(0..20) {
            0 if depth < 2 => self.rng.random_range(60..70),
            1..=4 => 0,
            _ => self.rng.random_range(1..5),
        }
    }

    fn int(&mut self) -> i32 {
        let bits = self.rng.random_range(0..32);
        self.rng.random::<i32>() >> bits
    }

    fn long(&mut self) -> i64 {
        let bits = self.rng.random_range(0..64);
        self.rng.random::<i64>() >> bits
    }

    /// A number that every JDK prints alike.
    fn double(&mut self) -> f64 {
        if self.for_json {
            return f64::from(self.rng.random_range(-1_000_000..1_000_000)) / 100.0;
        }
        f64::from_bits(self.rng.random::<u64>() & !(1 << 62))
    }

    fn decimal(&mut self) -> JavaValue {
        let digits =
            BigInt::from(self.rng.random::<i128>()) * BigInt::from(self.rng.random::<i64>());
        let digits = digits >> self.rng.random_range(0..190);
        let scale = self
            .rng
            .random_range(if self.for_json { 0..30 } else { -5..30 });
        JavaValue::BigDecimal(BigDecimal::new(digits, scale))
    }

    fn string(&mut self) -> JavaValue {
        let length = match self.rng.random_range(0..300) {
            // In JSON a key may have 50,000 bytes.
            0 => {
                if self.for_json {
                    4_000
                } else {
                    9_000
                }
            }
            1..=50 => self.rng.random_range(28..70),
            _ => self.rng.random_range(0..12),
        };
        let kind = self.rng.random_range(0..4);
        let units = (0..length).flat_map(|_| match kind {
            0 | 1 => vec![self.rng.random_range(0x20..0x7f)],
            2 => vec![self.unit()],
            _ => {
                let text = char::from_u32(self.rng.random_range(0x1_f600..0x1_f640));
                text.unwrap_or('x').encode_utf16(&mut [0; 2]).to_vec()
            }
        });
        let mut units: Vec<u16> = units.collect();
        // Half a surrogate pair.
        if !self.for_json && self.rng.random_bool(0.02) {
            units.push(0xd83d);
        }
        JavaValue::from_utf16(units)
    }

    /// Not half a pair.
    fn unit(&mut self) -> u16 {
        match self.rng.random_range(0..4) {
            0 => self.rng.random_range(0..0x80),
            1 => self.rng.random_range(0x80..0x800),
            _ => self.rng.random_range(0x800..0xd800),
        }
    }
}

fn string() -> JavaType {
    JavaType::new("java.lang.String")
}

const DEEPEST: u32 = 4;

const ROOTS: [&str; 9] = [
    "com.example.orders.Holder",
    "com.example.orders.OrderEvent",
    "com.example.orders.SimpleOrder",
    "com.example.orders.BoxHolder",
    "com.example.orders.OrderPlaced",
    "com.example.orders.Node",
    "com.example.orders.OrderRecord",
    "com.example.orders.Shadow",
    "com.example.orders.Deep",
];
