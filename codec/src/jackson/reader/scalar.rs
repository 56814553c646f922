//! Values that hold no others.

use bytes::Bytes;

use crate::jackson::number::{decimal_of, double_of, float_of, integer_of};
use crate::jackson::tape::{Node, Token};
use crate::jackson::time::read;
use crate::java::locale::Locale;
use crate::java::time::numbers::KINDS;
use crate::java::{BigDecimal, BigInt, Date, JavaValue, Mismatch, Name, Text};

/// Reads a value of a class of the JDK that holds no others.
///
/// `None` if it is no such class, and `Some(None)` if the node is no value of the class. It is as
/// lenient as Java: a number may be a text, and the fraction of an integer is cut off.
pub(in crate::jackson) fn read(class: &str, node: Node<'_>) -> Option<Option<JavaValue>> {
    let token = node.token();
    // What an object with the one field `value` holds.
    let held = |of| read(of, node).flatten().map(|it| atomic(class, it));
    let value = match class {
        "boolean" | "java.lang.Boolean" => boolean(token).map(JavaValue::Boolean),
        "byte" | "java.lang.Byte" => whole(token).map(JavaValue::Byte),
        "short" | "java.lang.Short" => whole(token).map(JavaValue::Short),
        "int" | "java.lang.Integer" => whole(token).map(JavaValue::Integer),
        "long" | "java.lang.Long" => whole(token).map(JavaValue::Long),
        "char" | "java.lang.Character" => character(token).map(JavaValue::Character),
        "float" | "java.lang.Float" => float_of(token).map(JavaValue::Float),
        "double" | "java.lang.Double" => double_of(token).map(JavaValue::Double),
        "java.lang.String" => string(token),
        "java.math.BigInteger" => integer_of(token).map(JavaValue::BigInteger),
        "java.math.BigDecimal" => decimal_of(token).map(JavaValue::BigDecimal),
        "java.util.UUID" => uuid(token).map(JavaValue::Uuid),
        "java.util.Date" | "java.sql.Date" | "java.sql.Timestamp" => {
            let millis = read::millis(node);
            millis.map(|millis| {
                let class = class.to_owned().into();
                JavaValue::Date(Date { class, millis })
            })
        }
        "java.util.Calendar" | "java.util.GregorianCalendar" => read::millis(node).map(calendar),
        Locale::CLASS => text(node).map(|it| Locale::read(&it).into_object()),
        "java.util.regex.Pattern" => text(node).map(|pattern| {
            let fields = [
                ("pattern", pattern.into()),
                ("flags", JavaValue::Integer(0)),
            ];
            JavaValue::object("java.util.regex.Pattern", fields)
        }),
        "java.util.OptionalDouble" => held("double"),
        "java.util.OptionalInt" | "java.util.concurrent.atomic.AtomicInteger" => held("int"),
        "java.util.OptionalLong" | "java.util.concurrent.atomic.AtomicLong" => held("long"),
        "java.util.concurrent.atomic.AtomicBoolean" => held("boolean"),
        "java.util.TimeZone" => text(node).map(|it| named("sun.util.calendar.ZoneInfo", it)),
        _ if TEXTS.contains(&class) => text(node).map(|it| named(class, it)),
        _ if is_time(class) => read::temporal(class, node).map(JavaValue::Time),
        _ => return None,
    };
    Some(value)
}

/// Reads what most fields hold in the form in which most payloads have it.
pub(super) fn quick(class: &str, node: Node<'_>) -> Option<JavaValue> {
    match node.token() {
        Token::String(text) if class == "java.lang.String" => {
            Some(JavaValue::String(text.as_ref().to_owned()))
        }
        Token::Integer(number) => match class {
            "long" | "java.lang.Long" => Some(JavaValue::Long(*number)),
            "int" | "java.lang.Integer" => (*number).try_into().ok().map(JavaValue::Integer),
            _ => None,
        },
        Token::Boolean(it) if matches!(class, "boolean" | "java.lang.Boolean") => {
            Some(JavaValue::Boolean(*it))
        }
        Token::Double(_) | Token::Number(_) if matches!(class, "double" | "java.lang.Double") => {
            double_of(node.token()).map(JavaValue::Double)
        }
        _ => None,
    }
}

/// Reads a value where any class may stand. A number's form decides its class.
pub(super) fn natural(node: Node<'_>) -> Result<JavaValue, Mismatch> {
    Ok(match node.token() {
        Token::Null => JavaValue::Null,
        Token::Boolean(it) => JavaValue::Boolean(*it),
        Token::Integer(it) => match i32::try_from(*it) {
            Ok(it) => JavaValue::Integer(it),
            Err(_) => JavaValue::Long(*it),
        },
        Token::BigInteger(it) => JavaValue::BigInteger(BigInt::clone(it)),
        Token::Float(it) => JavaValue::Float(*it),
        Token::Double(it) => JavaValue::Double(*it),
        Token::Decimal(it) => JavaValue::BigDecimal(BigDecimal::clone(it)),
        Token::Number(text) => match text.parse() {
            Ok(it) => JavaValue::Double(it),
            Err(_) => return Err(Mismatch::unknown("a number", *text)),
        },
        Token::String(it) => JavaValue::String(it.as_ref().to_owned()),
        Token::Utf16(it) => JavaValue::Utf16(it.to_vec()),
        Token::Bytes(it) => JavaValue::Bytes(Bytes::copy_from_slice(it)),
        Token::Array(_) | Token::Object(_) => {
            return Err(Mismatch::unknown("a value without others", node.kind()));
        }
    })
}

/// A number that fits the type, without its fraction.
fn whole<N: TryFrom<BigInt>>(token: &Token<'_>) -> Option<N> {
    integer_of(token)?.try_into().ok()
}

fn boolean(token: &Token<'_>) -> Option<bool> {
    match token {
        Token::Boolean(it) => Some(*it),
        Token::Integer(it) => Some(*it != 0),
        Token::String(text) => match text.as_ref() {
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn character(token: &Token<'_>) -> Option<u16> {
    match token {
        Token::Integer(it) => (*it).try_into().ok(),
        Token::Utf16(units) => <[u16; 1]>::try_from(&units[..]).ok().map(|[unit]| unit),
        Token::String(text) => {
            let mut units = text.encode_utf16();
            units.next().filter(|_| units.next().is_none())
        }
        _ => None,
    }
}

fn string(token: &Token<'_>) -> Option<JavaValue> {
    Some(match token {
        Token::Utf16(units) => JavaValue::Utf16(units.to_vec()),
        Token::Boolean(it) => it.to_string().into(),
        Token::Integer(it) => it.to_string().into(),
        Token::BigInteger(it) => it.to_string().into(),
        Token::Number(text) => (*text).into(),
        Token::String(text) => text.as_ref().into(),
        _ => return None,
    })
}

fn text(node: Node<'_>) -> Option<String> {
    node.text().map(str::to_owned)
}

/// Reads a UUID from its text, or from its sixteen bytes if the syntax has bytes.
fn uuid(token: &Token<'_>) -> Option<u128> {
    match token {
        Token::Bytes(bytes) => Some(u128::from_be_bytes(bytes[..].try_into().ok()?)),
        Token::String(text) => {
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

fn atomic(class: &str, value: JavaValue) -> JavaValue {
    JavaValue::object(class.to_owned(), [("value", value)])
}

fn named(class: &str, text: String) -> JavaValue {
    let class: Name = class.to_owned().into();
    JavaValue::Text(Text { class, text })
}

fn is_time(class: &str) -> bool {
    class == "java.time.ZoneId" || KINDS.iter().any(|(_, time)| *time == class)
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
