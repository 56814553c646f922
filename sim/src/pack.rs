//! `struct.pack` and `struct.unpack`, which Redis gives to scripts.

use mlua::{Error, Lua, LuaString, MultiValue, Result, Value};

/// One item of a format.
#[derive(Clone, Copy, Debug)]
struct Item {
    kind: Kind,
    bytes: usize,
    is_big_endian: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Signed,
    Unsigned,
    Double,
    Text,
}

/// Reads a format. It begins little-endian, and items are not aligned.
fn items(format: &[u8]) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    let (mut rest, mut is_big_endian) = (format, false);
    while let [option, after @ ..] = rest {
        let digits = after.iter().take_while(|it| it.is_ascii_digit()).count();
        let (number, behind) = after.split_at(digits);
        let number = str::from_utf8(number).ok().and_then(|it| it.parse().ok());
        let (kind, bytes) = match option {
            b'<' | b'>' => {
                is_big_endian = *option == b'>';
                rest = after;
                continue;
            }
            b'b' => (Kind::Signed, 1),
            b'B' => (Kind::Unsigned, 1),
            b'h' => (Kind::Signed, 2),
            b'H' => (Kind::Unsigned, 2),
            b'i' => (Kind::Signed, number.unwrap_or(4)),
            b'I' => (Kind::Unsigned, number.unwrap_or(4)),
            b'l' => (Kind::Signed, 8),
            b'L' => (Kind::Unsigned, 8),
            b'd' => (Kind::Double, 8),
            b'c' => (Kind::Text, number.unwrap_or(1)),
            other => {
                let other = char::from(*other);
                return Err(Error::runtime(format!("invalid format option '{other}'")));
            }
        };
        items.push(Item {
            kind,
            bytes,
            is_big_endian,
        });
        rest = if matches!(option, b'i' | b'I' | b'c') {
            behind
        } else {
            after
        };
    }
    Ok(items)
}

fn bad_argument(place: usize, function: &str, why: &str) -> Error {
    Error::runtime(format!("bad argument #{place} to '{function}' ({why})"))
}

/// `struct.pack(format, ...)`
pub(crate) fn pack(lua: &Lua, (format, values): (LuaString, MultiValue)) -> Result<LuaString> {
    let mut packed = Vec::new();
    let mut values = values.into_iter().zip(2..);
    for item in items(&format.as_bytes())? {
        let (value, place) = values.next().unwrap_or((Value::Nil, 2));
        let kind = value.type_name();
        let expected =
            |wanted| bad_argument(place, "pack", &format!("{wanted} expected, got {kind}"));
        if item.kind == Kind::Text {
            let text = lua
                .coerce_string(value)?
                .ok_or_else(|| expected("string"))?;
            let text = text.as_bytes();
            let size = if item.bytes == 0 {
                text.len()
            } else {
                item.bytes
            };
            let short = || bad_argument(place + 1, "pack", "string too short");
            packed.extend_from_slice(text.get(..size).ok_or_else(short)?);
            continue;
        }
        let number = lua
            .coerce_number(value)?
            .ok_or_else(|| expected("number"))?;
        let bits = match item.kind {
            Kind::Double => number.to_bits(),
            _ if number < 0.0 => (number as i64).cast_unsigned(),
            _ => number as u64,
        };
        let bytes = &bits.to_le_bytes()[..item.bytes];
        if item.is_big_endian {
            packed.extend(bytes.iter().rev());
        } else {
            packed.extend(bytes);
        }
    }
    lua.create_string(packed)
}

/// `struct.unpack(format, text, from)`, which returns the values and the place behind them.
pub(crate) fn unpack(
    lua: &Lua,
    (format, text, from): (LuaString, LuaString, Option<f64>),
) -> Result<MultiValue> {
    let text = text.as_bytes();
    let mut at = match from.map_or(1, |it| it as i64) {
        0 => return Err(bad_argument(3, "unpack", "offset must be 1 or greater")),
        // A place before the first is taken for one far behind the last.
        from => (from - 1) as u64 as usize,
    };
    let mut values: Vec<Value> = Vec::new();
    for item in items(&format.as_bytes())? {
        let mut size = item.bytes;
        if item.kind == Kind::Text && size == 0 {
            let before = values.pop().and_then(|it| it.as_f64());
            let missing = || Error::runtime("format 'c0' needs a previous size");
            size = before.ok_or_else(missing)? as usize;
        }
        let short = || bad_argument(2, "unpack", "data string too short");
        let end = at.checked_add(size).ok_or_else(short)?;
        let bytes = text.get(at..end).ok_or_else(short)?;
        values.push(match item.kind {
            Kind::Text => Value::String(lua.create_string(bytes)?),
            _ => Value::Number(number(item, bytes)),
        });
        at = end;
    }
    // Lua's numbers.
    values.push(Value::Number((at + 1) as f64));
    Ok(MultiValue::from_vec(values))
}

fn number(item: Item, bytes: &[u8]) -> f64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    if item.is_big_endian {
        all[..bytes.len()].reverse();
    }
    let bits = u64::from_le_bytes(all);
    match item.kind {
        Kind::Double => f64::from_bits(bits),
        Kind::Signed => {
            let unused = 64 - 8 * u32::try_from(bytes.len()).unwrap_or(8);
            ((bits << unused).cast_signed() >> unused) as f64
        }
        _ => bits as f64,
    }
}
