//! Values that hold no others.

use crate::jackson::number::{decimal_of, double_of, float_of, integer_of};
use crate::jackson::time::read;
use crate::jackson::tree::Tree;
use crate::java::{Date, JavaValue, Mismatch, Name, Text};

/// Reads a value of a class of the JDK that holds no others.
///
/// `None` if it is no such class, and `Some(None)` if the tree is no value of the class. It is as
/// lenient as Java: a number may be a text, and the fraction of an integer is cut off.
pub(in crate::jackson) fn read(class: &str, tree: &Tree) -> Option<Option<JavaValue>> {
    let number = || integer_of(tree);
    let value = match class {
        "boolean" | "java.lang.Boolean" => boolean(tree).map(JavaValue::Boolean),
        "byte" | "java.lang.Byte" => {
            number().and_then(|it| it.try_into().ok().map(JavaValue::Byte))
        }
        "short" | "java.lang.Short" => {
            number().and_then(|it| it.try_into().ok().map(JavaValue::Short))
        }
        "int" | "java.lang.Integer" => {
            number().and_then(|it| it.try_into().ok().map(JavaValue::Integer))
        }
        "long" | "java.lang.Long" => {
            number().and_then(|it| it.try_into().ok().map(JavaValue::Long))
        }
        "char" | "java.lang.Character" => character(tree).map(JavaValue::Character),
        "float" | "java.lang.Float" => float_of(tree).map(JavaValue::Float),
        "double" | "java.lang.Double" => double_of(tree).map(JavaValue::Double),
        "java.lang.String" => string(tree),
        "java.math.BigInteger" => number().map(JavaValue::BigInteger),
        "java.math.BigDecimal" => decimal_of(tree).map(JavaValue::BigDecimal),
        "java.util.UUID" => uuid(tree).map(JavaValue::Uuid),
        "java.util.Date" | "java.sql.Date" | "java.sql.Timestamp" => {
            let millis = read::millis(tree);
            millis.map(|millis| {
                let class = class.to_owned().into();
                JavaValue::Date(Date { class, millis })
            })
        }
        "java.util.Calendar" | "java.util.GregorianCalendar" => read::millis(tree).map(calendar),
        "java.util.Locale" => text(tree).map(locale),
        "java.util.regex.Pattern" => text(tree).map(|pattern| {
            let fields = [
                ("pattern", pattern.into()),
                ("flags", JavaValue::Integer(0)),
            ];
            JavaValue::object("java.util.regex.Pattern", fields)
        }),
        "java.util.concurrent.atomic.AtomicBoolean" => {
            boolean(tree).map(|it| atomic(class, JavaValue::Boolean(it)))
        }
        "java.util.concurrent.atomic.AtomicInteger" => {
            let value = number().and_then(|it| it.try_into().ok().map(JavaValue::Integer));
            value.map(|it| atomic(class, it))
        }
        "java.util.concurrent.atomic.AtomicLong" => {
            let value = number().and_then(|it| it.try_into().ok().map(JavaValue::Long));
            value.map(|it| atomic(class, it))
        }
        "java.util.TimeZone" => text(tree).map(|it| named("sun.util.calendar.ZoneInfo", it)),
        _ if TEXTS.contains(&class) => text(tree).map(|it| named(class, it)),
        _ if is_time(class) => read::temporal(class, tree).map(JavaValue::Time),
        _ => return None,
    };
    Some(value)
}

/// Reads a value where any class may stand. A number's form decides its class.
pub(super) fn natural(tree: Tree) -> Result<JavaValue, Mismatch> {
    Ok(match tree {
        Tree::Null => JavaValue::Null,
        Tree::Boolean(it) => JavaValue::Boolean(it),
        Tree::Integer(it) => match i32::try_from(it) {
            Ok(it) => JavaValue::Integer(it),
            Err(_) => JavaValue::Long(it),
        },
        Tree::BigInteger(it) => JavaValue::BigInteger(it),
        Tree::Float(it) => JavaValue::Float(it),
        Tree::Double(it) => JavaValue::Double(it),
        Tree::Decimal(it) => JavaValue::BigDecimal(it),
        Tree::Number(text) => match text.parse() {
            Ok(it) => JavaValue::Double(it),
            Err(_) => return Err(Mismatch::unknown("a number", text)),
        },
        Tree::String(it) => JavaValue::String(it),
        Tree::Utf16(it) => JavaValue::Utf16(it),
        Tree::Bytes(it) => JavaValue::Bytes(it),
        tree => return Err(Mismatch::unknown("a value without others", tree.kind())),
    })
}

fn boolean(tree: &Tree) -> Option<bool> {
    match tree {
        Tree::Boolean(it) => Some(*it),
        Tree::Integer(it) => Some(*it != 0),
        Tree::String(text) => match text.as_str() {
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn character(tree: &Tree) -> Option<u16> {
    match tree {
        Tree::Integer(it) => (*it).try_into().ok(),
        Tree::Utf16(units) => <[u16; 1]>::try_from(&units[..]).ok().map(|[unit]| unit),
        Tree::String(text) => {
            let mut units = text.encode_utf16();
            units.next().filter(|_| units.next().is_none())
        }
        _ => None,
    }
}

fn string(tree: &Tree) -> Option<JavaValue> {
    Some(match tree {
        Tree::Utf16(units) => JavaValue::Utf16(units.clone()),
        Tree::Boolean(it) => it.to_string().into(),
        Tree::Integer(it) => it.to_string().into(),
        Tree::BigInteger(it) => it.to_string().into(),
        Tree::String(text) | Tree::Number(text) => text.clone().into(),
        _ => return None,
    })
}

fn text(tree: &Tree) -> Option<String> {
    match tree {
        Tree::String(text) => Some(text.clone()),
        _ => None,
    }
}

/// Reads a UUID from its text, or from its sixteen bytes if the syntax has bytes.
fn uuid(tree: &Tree) -> Option<u128> {
    match tree {
        Tree::Bytes(bytes) => Some(u128::from_be_bytes(bytes[..].try_into().ok()?)),
        Tree::String(text) => {
            let dashes = [8, 13, 18, 23]
                .iter()
                .all(|at| text.as_bytes().get(*at) == Some(&b'-'));
            let digits = text.replace('-', "");
            let hex = digits.len() == 32 && digits.bytes().all(|it| it.is_ascii_hexdigit());
            if !dashes || !hex || text.len() != 36 {
                return None;
            }
            u128::from_str_radix(&digits, 16).ok()
        }
        _ => None,
    }
}

/// Jackson writes only the instant, and reads it in its own zone: UTC.
fn calendar(millis: i64) -> JavaValue {
    let zone = named("sun.util.calendar.ZoneInfo", "UTC".to_owned());
    let fields = [("time", JavaValue::Long(millis)), ("zone", zone)];
    JavaValue::object("java.util.GregorianCalendar", fields)
}

fn locale(text: String) -> JavaValue {
    let mut parts = text.splitn(3, ['_', '-']);
    let mut part = || JavaValue::from(parts.next().unwrap_or_default());
    let fields = [
        ("language", part()),
        ("country", part()),
        ("variant", part()),
    ];
    JavaValue::object("java.util.Locale", fields)
}

fn atomic(class: &str, value: JavaValue) -> JavaValue {
    JavaValue::object(class.to_owned(), [("value", value)])
}

fn named(class: &str, text: String) -> JavaValue {
    let class: Name = class.to_owned().into();
    JavaValue::Text(Text { class, text })
}

fn is_time(class: &str) -> bool {
    const TIMES: [&str; 13] = [
        "java.time.Duration",
        "java.time.Instant",
        "java.time.LocalDate",
        "java.time.LocalDateTime",
        "java.time.LocalTime",
        "java.time.OffsetDateTime",
        "java.time.Period",
        "java.time.Year",
        "java.time.YearMonth",
        "java.time.ZoneId",
        "java.time.ZoneOffset",
        "java.time.ZoneRegion",
        "java.time.ZonedDateTime",
    ];
    TIMES.contains(&class)
}

/// Classes that hold nothing but a text.
const TEXTS: [&str; 7] = [
    "java.lang.Class",
    "java.lang.StringBuffer",
    "java.lang.StringBuilder",
    "java.net.URI",
    "java.net.URL",
    "java.util.Currency",
    "sun.util.calendar.ZoneInfo",
];
