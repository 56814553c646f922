//! The exact form of values: JSON that shows the class of every value and the bits of floating
//! numbers. `Canonical.java` prints the same of objects in Java.

use redisson_delayed_queue::java::{JavaValue, LocalDate, LocalTime, Temporal};
use serde_json::{Map, Value, json};

/// Classes whose objects may hold nothing. JSON has a null for such an object, or leaves it out.
pub const EMPTY: [&str; 5] = [
    "java.util.Optional",
    "java.util.OptionalDouble",
    "java.util.OptionalInt",
    "java.util.OptionalLong",
    "java.util.concurrent.atomic.AtomicReference",
];

/// The exact form of a value.
pub fn exact(value: &JavaValue) -> Value {
    let content = match value {
        JavaValue::Null => return Value::Null,
        JavaValue::Boolean(it) => return json!(it),
        JavaValue::Integer(it) => return json!(it),
        JavaValue::String(text) => return units(text.encode_utf16()),
        JavaValue::Utf16(text) => return units(text.iter().copied()),
        JavaValue::Byte(it) => json!(it),
        JavaValue::Short(it) => json!(it),
        JavaValue::Character(it) => units([*it]),
        JavaValue::Long(it) => json!(it),
        JavaValue::Float(it) if it.is_nan() => json!("7fc00000"),
        JavaValue::Float(it) => json!(format!("{:x}", it.to_bits())),
        JavaValue::Double(it) if it.is_nan() => json!("7ff8000000000000"),
        JavaValue::Double(it) => json!(format!("{:x}", it.to_bits())),
        JavaValue::BigInteger(it) => json!(it.to_string()),
        JavaValue::BigDecimal(it) => json!(format!("{}/{}", it.unscaled, it.scale)),
        JavaValue::Uuid(it) => {
            let digits = format!("{it:032x}");
            let [a, b, c, d, e] = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
            json!(format!("{a}-{b}-{c}-{d}-{e}"))
        }
        JavaValue::Date(it) => json!(it.millis.to_string()),
        JavaValue::Time(it) => json!(time(it)),
        JavaValue::Enum(it) => units(it.name.encode_utf16()),
        JavaValue::Bytes(it) => {
            let digits: String = it.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "$bytes": digits })
        }
        JavaValue::Array(it) => it.items.iter().map(exact).collect(),
        JavaValue::Collection(it) => it.items.iter().map(exact).collect(),
        JavaValue::Map(it) => {
            let entry = |(key, value): &(JavaValue, JavaValue)| json!([exact(key), exact(value)]);
            it.entries.iter().map(entry).collect()
        }
        JavaValue::Optional(it) => json!([it.as_deref().map_or(Value::Null, exact)]),
        JavaValue::Text(it) => units(it.text.encode_utf16()),
        JavaValue::Object(it)
            if it.class.starts_with(ATOMIC) || EMPTY.contains(&it.class.as_str()) =>
        {
            it.fields.iter().map(|(_, value)| exact(value)).collect()
        }
        JavaValue::Object(it) if it.class == "java.util.Locale" => {
            let parts = ["language", "script", "country", "variant", "extensions"];
            let parts = parts.map(|name| match it.get(name) {
                Some(JavaValue::String(part)) => part.as_str(),
                _ => "",
            });
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            json!(parts.join("-"))
        }
        JavaValue::Object(it) => {
            let mut fields = Map::new();
            for (name, value) in &it.fields {
                let mut name = text(name.encode_utf16());
                while fields.contains_key(&name) {
                    name.push('^');
                }
                fields.insert(name, exact(value));
            }
            // The message is all of an exception that every codec keeps.
            if let Some(text) = fields.remove("detailMessage") {
                fields.insert("message".to_owned(), text);
            }
            if fields.remove("stackTrace").is_some() {
                for name in ["localizedMessage", "suppressed", "suppressedExceptions"] {
                    fields.remove(name);
                }
            }
            // Rust does not know what kind of class it is in Java.
            if !it.class.starts_with("com.example.") {
                fields = Map::from_iter([("$opaque".to_owned(), Value::Object(fields))]);
            }
            Value::Object(fields)
        }
        JavaValue::Serialized(it) => return exact(it.value()),
        other => json!(format!("{other:?}")),
    };
    json!({ text(value.class_name().encode_utf16()): content })
}

/// Where what Rust read differs from what Java read back: the path, and both.
///
/// Rust may keep what Java loses: then it has what was there in the `original`. A field that one
/// side lacks is null there. Java says what has no order. `rust` may also be what Java reads from a
/// payload that Rust wrote.
pub fn difference(original: &Value, back: &Value, rust: &Value) -> Option<String> {
    let mut path = String::new();
    differs(&[original], back, rust, &mut path).then_some(path)
}

/// If so, leaves the path in `path`. `originals` are what may have been there, for a value that has
/// lost its order has lost its place.
fn differs(originals: &[&Value], back: &Value, rust: &Value, path: &mut String) -> bool {
    let start = path.len();
    let originals = originals
        .iter()
        .map(|it| without_references(it, [back, rust]));
    let originals: &[&Value] = &originals.collect::<Vec<_>>();
    let has_differing_part = match (back, rust) {
        _ if back == rust || originals.contains(&rust) => false,
        (Value::Null, _) if EMPTY.iter().any(|it| *rust == json!({*it: [null]})) => false,
        (Value::Null, _) => {
            let mut others = originals.iter().filter(|it| !it.is_null());
            return match others.next() {
                Some(original) => differs(&[], original, rust, path),
                None => found(back, rust, path),
            };
        }
        _ if let (Some((class, back)), Some((own, rust))) = (object(back), object(rust)) => {
            let all: Vec<_> = originals.iter().filter_map(|it| object(it)).collect();
            let has_class = all.iter().any(|(class, _)| *class == own);
            let same = all
                .into_iter()
                .filter(|(class, _)| !has_class || *class == own);
            let contents: Vec<&Value> = same.map(|(_, it)| it).collect();
            path.push_str(&format!("({own})"));
            let is_class = class == own || has_class;
            let is_set = own.contains("Set");
            let distinct = [(rust, back), (back, rust)]
                .map(|(it, other)| is_set.then(|| distinct(it, other)).flatten());
            let rust = distinct[0].as_ref().unwrap_or(rust);
            let back = distinct[1].as_ref().unwrap_or(back);
            // For the class of an object of an inner class, Jackson writes that of the field.
            let is_opaque = rust.get("$opaque").is_some();
            if is_opaque && (is_class || own == "java.lang.Object") {
                false
            } else if is_class {
                return differs(&contents, back, rust, path);
            } else {
                true
            }
        }
        _ if in_any_order(back).is_some()
            && let Some(rust) = in_any_order(rust) =>
        {
            return differs(originals, back, rust, path);
        }
        (_, Value::Array(rust)) if let Some(Value::Array(items)) = in_any_order(back) => {
            let originals: Vec<&Value> = originals.iter().flat_map(|it| elements(it)).collect();
            items.len() != rust.len() || !can_be_paired(items, rust, originals)
        }
        (Value::Array(back), Value::Array(rust)) if back.len() == rust.len() => {
            let length = rust.len();
            for (i, (back, rust)) in back.iter().zip(rust).enumerate() {
                let originals = originals.iter().flat_map(|it| match it.as_array() {
                    Some(items) if items.len() == length => &items[i..=i],
                    // JSON leaves entries out.
                    Some(items) => items,
                    None => elements(it),
                });
                let originals: Vec<&Value> = originals.collect();
                path.push_str(&format!("[{i}]"));
                if differs(&originals, back, rust, path) {
                    return true;
                }
                path.truncate(start);
            }
            false
        }
        (Value::Object(fields), Value::Object(own)) => {
            for name in fields.keys().chain(own.keys()) {
                let originals = originals.iter().filter_map(|it| it.get(name));
                let originals: Vec<&Value> = originals.collect();
                path.push_str(&format!(".{name}"));
                let field = |it: &Map<String, Value>| it.get(name).cloned().unwrap_or_default();
                if differs(&originals, &field(fields), &field(own), path) {
                    return true;
                }
                path.truncate(start);
            }
            false
        }
        _ => true,
    };
    has_differing_part && found(back, rust, path)
}

/// What is in an original that may hold nothing, if neither side has its class: JSON writes what such
/// an object holds in its place.
fn without_references<'a>(mut original: &'a Value, sides: [&Value; 2]) -> &'a Value {
    while let Some((class, Value::Array(held))) = object(original)
        && EMPTY.contains(&class.as_str())
        && let [held] = &held[..]
        && sides
            .iter()
            .all(|it| object(it).is_none_or(|(own, _)| own != class))
    {
        original = held;
    }
    original
}

/// Says what differs.
fn found(back: &Value, rust: &Value, path: &mut String) -> bool {
    path.push_str(&format!(": java has {back}, rust has {rust}"));
    true
}

/// True if each item of Java can be paired with one of Rust, and each of Rust that differs from those of Java with an
/// original of its own.
fn can_be_paired(items: &[Value], rust: &[Value], mut originals: Vec<&Value>) -> bool {
    let mut rust: Vec<&Value> = rust.iter().collect();
    let mut items: Vec<&Value> = items.iter().collect();
    items.retain(|item| {
        let Some(place) = rust.iter().position(|it| it == item) else {
            return true;
        };
        rust.swap_remove(place);
        // Its original is no longer there for others.
        if let Some(place) = originals.iter().position(|it| it == item) {
            originals.swap_remove(place);
        }
        false
    });
    let mut partners = vec![Vec::new(); items.len()];
    let mut origins = vec![Vec::new(); rust.len()];
    let mut needs_none = vec![false; rust.len()];
    for (item, partners) in items.iter().zip(&mut partners) {
        for (place, rust) in rust.iter().enumerate() {
            let is_same = |originals| !differs(originals, item, rust, &mut String::new());
            let is_plain = is_same(&[]);
            let own = (0..originals.len()).filter(|it| !is_plain && is_same(&originals[*it..=*it]));
            let own: Vec<usize> = own.collect();
            if is_plain || !own.is_empty() {
                partners.push(place);
            }
            needs_none[place] |= is_plain;
            origins[place].extend(own);
        }
    }
    let mut needs_none = needs_none.into_iter();
    origins.retain(|_| !needs_none.next().unwrap_or_default());
    have_partners(&partners, rust.len()) && have_partners(&origins, originals.len())
}

/// True if each has a partner of its own. A pair that is found first is given up where another one needs its half.
fn have_partners(partners: &[Vec<usize>], count: usize) -> bool {
    let mut holders = vec![None; count];
    (0..partners.len()).all(|it| pair(it, partners, &mut holders, &mut vec![false; count]))
}

/// Pairs an item, if need be by pairing others anew.
fn pair(
    item: usize,
    partners: &[Vec<usize>],
    holders: &mut [Option<usize>],
    was_tried: &mut [bool],
) -> bool {
    partners[item].iter().any(|&other| {
        if std::mem::replace(&mut was_tried[other], true) {
            return false;
        }
        let is_free = match holders[other] {
            Some(holder) => pair(holder, partners, holders, was_tried),
            None => true,
        };
        if is_free {
            holders[other] = Some(item);
        }
        is_free
    })
}

/// The elements that a value holds in no order, as JSON.
fn in_any_order(content: &Value) -> Option<&Value> {
    content.get("$any")
}

/// The elements of what has no order.
fn elements(any: &Value) -> &[Value] {
    let elements = in_any_order(any).and_then(Value::as_array);
    elements.map_or(&[], Vec::as_slice)
}

/// A set without doubles, if the other side has fewer elements: what differed when the set was
/// written may have become equal, as maps that lost their nulls.
fn distinct(set: &Value, other: &Value) -> Option<Value> {
    let items = in_any_order(set).unwrap_or(set).as_array()?;
    let others = in_any_order(other).unwrap_or(other).as_array()?;
    if others.len() >= items.len() {
        return None;
    }
    let is_first = |i: &usize| !items[..*i].iter().any(|it| is_equal(it, &items[*i]));
    let first: Value = (0..items.len())
        .filter(is_first)
        .map(|i| items[i].clone())
        .collect();
    Some(match in_any_order(set) {
        Some(_) => json!({ "$any": first }),
        None => first,
    })
}

/// True if Java calls both equal: two maps may have different classes, and so may two lists or sets.
/// Objects with fields are never equal.
fn is_equal(one: &Value, other: &Value) -> bool {
    let held = |it| object(it).map(|(class, held)| (class, in_any_order(held).unwrap_or(held)));
    match (held(one), held(other)) {
        (Some((_, Value::Object(_))), _) => false,
        (Some((class, one)), Some((another, other))) => match kind(class) {
            Some(own) if kind(another) == Some(own) => have_equal(one, other, own == "List"),
            _ => class == another && one == other,
        },
        // Entries of maps.
        _ => have_equal(one, other, true),
    }
}

/// True if what two arrays hold is equal.
fn have_equal(one: &Value, other: &Value, is_ordered: bool) -> bool {
    let (Some(items), Some(others)) = (one.as_array(), other.as_array()) else {
        return one == other;
    };
    let mut all = items.iter().enumerate();
    items.len() == others.len()
        && all.all(|(i, it)| match is_ordered {
            true => is_equal(it, &others[i]),
            false => others.iter().any(|other| is_equal(it, other)),
        })
}

fn kind(class: &str) -> Option<&'static str> {
    let mut kinds = [
        ("List", "List"),
        ("Vector", "List"),
        ("Map", "Map"),
        ("Hashtable", "Map"),
        ("Set", "Set"),
    ]
    .into_iter();
    kinds
        .find(|(part, _)| class.contains(part))
        .map(|(_, kind)| kind)
}

/// The class of an object and what is in it.
fn object(exact: &Value) -> Option<(&String, &Value)> {
    let fields = exact.as_object()?;
    let only = fields.iter().next().filter(|_| fields.len() == 1);
    only.filter(|(name, _)| name.contains('.') || name.starts_with('['))
}

fn units(units: impl IntoIterator<Item = u16>) -> Value {
    Value::String(text(units))
}

/// Other than ASCII as its escape, for Java has halves of pairs.
fn text(units: impl IntoIterator<Item = u16>) -> String {
    let mut text = String::new();
    for unit in units {
        match u8::try_from(unit).map(char::from) {
            Ok(it @ (' '..='~' | '\u{8}' | '\u{c}' | '\n' | '\r' | '\t')) => text.push(it),
            _ => text.push_str(&format!("\\u{unit:04x}")),
        }
    }
    text
}

/// A class that begins so holds one value.
const ATOMIC: &str = "java.util.concurrent.atomic.Atomic";

fn time(time: &Temporal) -> String {
    let date = |it: &LocalDate| format!("{}/{}/{}", it.year, it.month, it.day);
    let clock = |it: &LocalTime| format!("{}/{}/{}/{}", it.hour, it.minute, it.second, it.nano);
    match time {
        Temporal::Duration(seconds, nanos) => format!("{seconds}/{nanos}"),
        Temporal::Instant(it) => format!("{}/{}", it.seconds, it.nanos),
        Temporal::LocalDate(it) => date(it),
        Temporal::LocalTime(it) => clock(it),
        Temporal::LocalDateTime(it) => format!("{}/{}", date(&it.date), clock(&it.time)),
        Temporal::OffsetDateTime(it) => {
            let local = &it.local;
            format!("{}/{}/{}", date(&local.date), clock(&local.time), it.offset)
        }
        Temporal::Period(it) => format!("{}/{}/{}", it.years, it.months, it.days),
        Temporal::Year(it) => it.to_string(),
        Temporal::YearMonth(it) => format!("{}/{}", it.year, it.month),
        Temporal::ZoneOffset(seconds) => seconds.to_string(),
        Temporal::ZoneRegion(it) => it.clone(),
        Temporal::ZonedDateTime(it) => {
            let local = &it.local;
            format!("{}/{}/{}", date(&local.date), clock(&local.time), it.zone)
        }
        other => unreachable!("{other:?} is no time"),
    }
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::*;

    fn set(items: &[Value]) -> Value {
        json!({"java.util.HashSet": {"$any": items}})
    }

    fn rust(items: &[Value]) -> Value {
        json!({"java.util.HashSet": items})
    }

    fn point(x: i32, y: Option<i32>) -> Value {
        json!({"com.example.Point": {"x": x, "y": y}})
    }

    fn is_right(original: &[Value], back: &[Value], own: &[Value]) -> bool {
        difference(&set(original), &set(back), &rust(own)).is_none()
    }

    /// Rust keeps what Java loses, in any order.
    #[test]
    fn element_of_a_set_may_be_what_it_was() {
        let original = [point(1, Some(1)), point(1, Some(2)), point(2, Some(3))];
        let back = [point(1, None), point(2, None), point(1, None)];
        let [a, b, c] = original.clone();
        assert!(is_right(
            &original,
            &back,
            &[c.clone(), b.clone(), a.clone()]
        ));
        assert!(is_right(&original, &back, &back));
        assert!(is_right(&original, &back, &[a, point(2, None), b.clone()]));
        assert!(!is_right(&original, &back, &[c.clone(), b, c]));
    }

    /// Two elements of Rust cannot both be the one that Java lost.
    #[test]
    fn original_in_a_set_stands_for_one_element() {
        let [a, b] = [point(1, Some(1)), point(1, Some(2))];
        let original = [a.clone(), b.clone()];
        let lost = point(1, None);
        assert!(is_right(
            &original,
            &[lost.clone(), lost.clone()],
            &[b.clone(), a.clone()]
        ));
        for back in [[lost.clone(), lost.clone()], [lost.clone(), a.clone()]] {
            assert!(
                !is_right(&original, &back, &[a.clone(), a.clone()]),
                "{back:?}"
            );
        }
    }

    /// Two lists that differed in a null, which JSON leaves out: the set that is read holds only the
    /// first. A set that is written without the null has one element less than the one that was read.
    #[test]
    fn elements_that_became_equal_are_one() {
        let one = json!({"java.util.ArrayList": [{"java.util.HashMap": []}]});
        let other = json!({"java.util.Vector": [{"java.util.LinkedHashMap": []}]});
        let back = json!({"java.util.ArrayList": [{"java.util.HashMap": {"$any": []}}]});
        assert!(is_right(&[], slice::from_ref(&back), &[one.clone(), other]));
        assert!(is_right(
            &[],
            &[back.clone(), back.clone()],
            slice::from_ref(&one)
        ));
        assert!(!is_right(
            &[],
            &[back, point(1, None)],
            slice::from_ref(&one)
        ));
        let other = json!({"java.util.HashSet": [{"java.util.LinkedHashMap": []}]});
        assert!(!is_equal(&one, &other));
    }

    /// The first pair that is found is not always the right one.
    #[test]
    fn pairs_are_given_up_where_another_needs_them() {
        let original = [point(1, Some(1)), point(1, None)];
        let back = [point(1, None), point(1, None)];
        assert!(is_right(
            &original,
            &back,
            &[point(1, Some(1)), point(1, None)]
        ));
        assert!(is_right(
            &original,
            &back,
            &[point(1, None), point(1, Some(1))]
        ));
    }

    /// JSON writes what a reference holds in its place.
    #[test]
    fn what_a_reference_held_may_be_what_it_was() {
        let reference = |held: &Value| json!({EMPTY[4]: [held]});
        let [map, back, other] = ["MapN", "UnmodifiableMap", "TreeMap"]
            .map(|it| json!({format!("java.util.{it}"): [["a", 1]]}));
        let original = reference(&map);
        assert_eq!(difference(&original, &back, &map), None);
        assert!(difference(&original, &back, &other).is_some());
        assert!(difference(&original, &reference(&back), &map).is_some());
    }
}
