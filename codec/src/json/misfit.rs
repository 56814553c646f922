use std::fmt;

/// Where a JSON text does not fit a type, and why.
///
/// serde names the value that it found. Here only its kind is left: values belong into no log.
#[derive(Debug)]
pub(super) struct Misfit {
    path: String,
    what: String,
    line: usize,
    column: usize,
}

impl Misfit {
    pub(super) fn new(error: &serde_json::Error, json: &[u8]) -> Self {
        let (line, column) = (error.line(), error.column());
        let text = error.to_string();
        let place = format!(" at line {line} column {column}");
        Self {
            path: path(json, line, column),
            what: without_value(text.strip_suffix(&place).unwrap_or(&text)),
            line,
            column,
        }
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.what)?;
        // An error that a type makes of a whole value has no place.
        match self.line {
            0 => Ok(()),
            line => write!(f, " at line {line} column {}", self.column),
        }
    }
}

impl std::error::Error for Misfit {}

/// Leaves the value out of a text such as ``invalid type: string "x", expected u8``.
fn without_value(text: &str) -> String {
    for start in ["invalid type: ", "invalid value: "] {
        let Some(rest) = text.strip_prefix(start) else {
            continue;
        };
        let Some(end) = rest.rfind(", expected ") else {
            continue;
        };
        let kind = rest[..end].split(['"', '`']).next().unwrap_or_default();
        return format!("{start}{}{}", kind.trim_end(), &rest[end..]);
    }
    text.to_owned()
}

/// The fields and places around the byte at which reading ended.
fn path(json: &[u8], line: usize, column: usize) -> String {
    let Some(lines) = line.checked_sub(1) else {
        return String::new();
    };
    let before = json.split_inclusive(|it| *it == b'\n').take(lines);
    let end = before.map(<[u8]>::len).sum::<usize>() + column;
    let mut steps = Vec::new();
    let mut rest = &json[..end.min(json.len())];
    while let [byte, behind @ ..] = rest {
        rest = behind;
        match byte {
            b'{' => steps.push(Step::Field(None)),
            b'[' => steps.push(Step::Item(0)),
            b'}' | b']' => _ = steps.pop(),
            b',' => match steps.last_mut() {
                Some(Step::Item(place)) => *place += 1,
                Some(Step::Field(name)) => *name = None,
                None => {}
            },
            b'"' => {
                let length = string(rest);
                if let Some(Step::Field(name @ None)) = steps.last_mut() {
                    *name = Some(&rest[..length]);
                }
                rest = rest.get(length + 1..).unwrap_or_default();
            }
            _ => {}
        }
    }
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Item(place) => path += &format!("[{place}]"),
            Step::Field(None) => {}
            Step::Field(Some(name)) => {
                let dot = if path.is_empty() { "" } else { "." };
                path += &format!("{dot}{}", String::from_utf8_lossy(name));
            }
        }
    }
    path
}

/// A step from a value into one that it holds.
enum Step<'a> {
    /// With its name, once that has been read.
    Field(Option<&'a [u8]>),
    Item(usize),
}

/// The length of a string whose first quote has been read.
fn string(rest: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'"' => break,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at.min(rest.len())
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Order {
        #[serde(rename = "lines")]
        _lines: Vec<Line>,
    }

    #[derive(Deserialize)]
    struct Line {
        #[serde(rename = "count")]
        _count: i32,
    }

    fn misfit(json: &str) -> String {
        let error = serde_json::from_str::<Order>(json).err().unwrap();
        Misfit::new(&error, json.as_bytes()).to_string()
    }

    #[test]
    fn the_field_is_named_and_not_the_value() {
        assert_eq!(
            misfit(
                r#"{"note":"a \" {","lines":[{"count":1},{"x":[1,2],"count":"secret, expected "}]}"#
            ),
            "lines[1].count: invalid type: string, expected i32 at line 1 column 76"
        );
        assert_eq!(
            misfit("{\n\"lines\": [{\"count\": 7777777777}]}"),
            "lines[0].count: invalid value: integer, expected i32 at line 2 column 30"
        );
        assert_eq!(
            misfit(r#"{"lines":[{"x":1}]}"#),
            "lines[0]: missing field `count` at line 1 column 17"
        );
        assert_eq!(
            misfit(r#"{"lines":[{"count":1"#),
            "lines[0].count: EOF while parsing an object at line 1 column 20"
        );
    }
}
