//! Java values in the form in which the vectors note them.

use redisson_codec::java::{Date, JavaValue, Map, Object, Text};
use serde_json::{Number, Value, json};

mod time;

/// The value as the property `value_as_json` of a vector shows it.
///
/// Classes of elements and numbers are not part of that form; the order of a map is not either.
/// Not all that Java showed is in a value here, so these never compare equal: the nanoseconds of a
/// `java.sql.Timestamp`, the rules of a `TimeZone`, the offset of a `ZonedDateTime`.
pub(crate) fn canonical(value: &JavaValue) -> Value {
    match value {
        JavaValue::Null => Value::Null,
        JavaValue::Boolean(it) => json!(it),
        JavaValue::Byte(it) => json!(it),
        JavaValue::Short(it) => json!(it),
        JavaValue::Integer(it) => json!(it),
        JavaValue::Long(it) => json!(it),
        JavaValue::Character(it) => json!(text(&[*it])),
        // The shortest digits: as a double, 0.1f would be 0.10000000149011612.
        JavaValue::Float(it) => float("float", it.to_string().parse().unwrap()),
        JavaValue::Double(it) => float("double", *it),
        JavaValue::String(it) => json!(it),
        JavaValue::Utf16(units) => json!(text(units)),
        JavaValue::BigInteger(it) => json!({"$bigint": it.to_string()}),
        JavaValue::BigDecimal(it) => {
            json!({"$decimal": {"unscaled": it.unscaled.to_string(), "scale": it.scale}})
        }
        JavaValue::Uuid(it) => {
            let digits = format!("{it:032x}");
            let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
            json!({"$UUID": parts.join("-")})
        }
        JavaValue::Date(it) => date(it),
        JavaValue::Time(it) => {
            let class = it.class_name();
            json!({tag(&class): time::text(it)})
        }
        JavaValue::Enum(it) => json!(it.name.as_str()),
        JavaValue::Bytes(it) => {
            let hex: String = it.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({"$bytes": hex})
        }
        JavaValue::Array(it) => it.items.iter().map(canonical).collect(),
        JavaValue::Collection(it) => {
            let mut items: Vec<Value> = it.items.iter().map(canonical).collect();
            // Java's order of these is that of their hashes.
            if it.class.contains("Set") && !it.class.contains("Linked") {
                items.sort_by_key(Value::to_string);
            }
            items.into()
        }
        JavaValue::Map(it) => map(it),
        JavaValue::Optional(it) => json!({"$optional": it.as_deref().map(canonical)}),
        JavaValue::Text(Text { class, text }) if class == "java.lang.Class" => {
            json!({"$Class": format!("class {text}")})
        }
        JavaValue::Text(it) => json!({tag(&it.class): it.text}),
        JavaValue::Object(it) => object(it),
        JavaValue::Serialized(it) => canonical(it.value()),
        other => panic!("no canonical form of {other:?}"),
    }
}

/// True if two values in this form are equal; numbers are compared as numbers, `2.0` is `2`.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64()
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, a)| b.get(k).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// `$Name` of the class, without its package and the class around it.
fn tag(class: &str) -> String {
    let name = class.rsplit(['.', '$']).next().unwrap_or(class);
    format!("${name}")
}

/// With half a surrogate pair as the vectors' reader leaves it: `\ud800`.
fn text(units: &[u16]) -> String {
    char::decode_utf16(units.iter().copied())
        .map(|it| match it {
            Ok(char) => char.to_string(),
            Err(half) => format!("\\u{:04x}", half.unpaired_surrogate()),
        })
        .collect()
}

fn float(class: &str, number: f64) -> Value {
    match Number::from_f64(number) {
        Some(number) => Value::Number(number),
        None if number.is_nan() => json!({format!("${class}"): "NaN"}),
        None if number > 0.0 => json!({format!("${class}"): "Infinity"}),
        None => json!({format!("${class}"): "-Infinity"}),
    }
}

fn date(date: &Date) -> Value {
    let millis = date.millis;
    if date.class == "java.sql.Timestamp" {
        let nanos = millis.rem_euclid(1000) * 1_000_000;
        return json!({"$timestamp": format!("{millis}/{nanos}")});
    }
    json!({"$date": millis})
}

fn map(map: &Map) -> Value {
    let texts = map.entries.iter().map(|(key, value)| match key {
        JavaValue::String(key) => Some((key.clone(), canonical(value))),
        _ => None,
    });
    if let Some(entries) = texts.collect::<Option<_>>() {
        return Value::Object(entries);
    }
    let pairs = map.entries.iter();
    let pairs: Vec<_> = pairs
        .map(|(key, value)| json!([canonical(key), canonical(value)]))
        .collect();
    json!({"$map": pairs})
}

fn object(object: &Object) -> Value {
    let field = |name: &str| object.get(name).map(canonical).unwrap_or_default();
    let plain = |name: &str| match field(name) {
        Value::String(text) => text,
        // The text of one that has a class of its own, such as a time zone.
        Value::Object(tagged) if tagged.len() == 1 => {
            let text = tagged.values().next().and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        }
        other => other.to_string(),
    };
    match object.class.as_str() {
        "java.util.BitSet" => {
            let words = field("words");
            let words = words.as_array().unwrap().iter().enumerate();
            let bits = words.flat_map(|(i, word)| {
                let word = word.as_i64().unwrap();
                let set = (0..64).filter(move |bit| word >> bit & 1 == 1);
                set.map(move |bit| (i * 64 + bit).to_string())
            });
            json!({"$BitSet": format!("{{{}}}", bits.collect::<Vec<_>>().join(", "))})
        }
        "java.util.GregorianCalendar" => {
            json!({"$calendar": format!("{}/{}", plain("time"), plain("zone"))})
        }
        "java.util.Locale" => {
            let parts = [plain("language"), plain("country"), plain("variant")];
            let parts: Vec<_> = parts.into_iter().filter(|it| !it.is_empty()).collect();
            json!({"$Locale": parts.join("_")})
        }
        "java.net.Inet4Address" => {
            let address = field("address").as_i64().unwrap() as i32;
            let address = std::net::Ipv4Addr::from(address.cast_unsigned());
            json!({"$Inet4Address": format!("{}/{address}", plain("hostName"))})
        }
        "java.util.regex.Pattern" => json!({"$Pattern": plain("pattern")}),
        "java.util.AbstractMap$SimpleEntry" => {
            json!({"$SimpleEntry": format!("{}={}", plain("key"), plain("value"))})
        }
        class if class.starts_with("java.util.concurrent.atomic.Atomic") => {
            json!({tag(class): plain("value")})
        }
        class => {
            let mut shown = serde_json::Map::new();
            shown.insert("$class".to_owned(), json!(class));
            for (name, value) in &object.fields {
                // The only class of the vectors that hides a field hides one of PaymentEvent.
                let name = match shown.contains_key(name.as_str()) {
                    true => format!("PaymentEvent.{name}"),
                    false => name.to_string(),
                };
                shown.insert(name, canonical(value));
            }
            shown.into()
        }
    }
}

/// A comparison that is too kind would prove nothing.
#[test]
fn numbers_are_compared_as_numbers() {
    assert!(same(&json!([{"a": 2}]), &json!([{"a": 2.0}])));
    assert!(!same(&json!([{"a": 2}]), &json!([{"a": 2.5}])));
    let beyond_doubles = 9_007_199_254_740_993_i64;
    assert!(!same(&json!(beyond_doubles), &json!(beyond_doubles - 1)));
    let shown = canonical(&JavaValue::Utf16(vec![0x78, 0xd800]));
    assert_eq!(shown, "x\\ud800");
}
