//! JSON in many short lines.

/// The same JSON with a line for each value, every digit as it was written.
pub(crate) fn indented(json: &str) -> String {
    let mut lines = String::new();
    let mut depth = 0_usize;
    let mut characters = json.chars().peekable();
    let mut in_text = false;
    while let Some(character) = characters.next() {
        if in_text {
            lines.push(character);
            match character {
                '\\' => lines.extend(characters.next()),
                '"' => in_text = false,
                _ => {}
            }
            continue;
        }
        match character {
            '{' | '[' => {
                lines.push(character);
                while characters.next_if(|it| it.is_whitespace()).is_some() {}
                if let Some(end) = characters.next_if(|it| matches!(it, '}' | ']')) {
                    lines.push(end);
                } else {
                    depth += 1;
                    break_line(&mut lines, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                break_line(&mut lines, depth);
                lines.push(character);
            }
            ',' => {
                lines.push(character);
                break_line(&mut lines, depth);
            }
            ':' => lines.push_str(": "),
            _ if character.is_whitespace() => {}
            _ => {
                in_text = character == '"';
                lines.push(character);
            }
        }
    }
    lines
}

fn break_line(lines: &mut String, depth: usize) {
    lines.push('\n');
    lines.push_str(&"  ".repeat(depth));
}

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn each_value_has_a_line() {
        let json = r#"{"a":[1,{"b" : "x,\"{y\\"}],"c":{},"d":[ ],"e":1.00000000000000000001}"#;
        let lines = r#"{
  "a": [
    1,
    {
      "b": "x,\"{y\\"
    }
  ],
  "c": {},
  "d": [],
  "e": 1.00000000000000000001
}"#;
        assert_eq!(indented(json), lines);
        assert_eq!(indented(lines), lines);
        assert_eq!(indented("\"17\""), "\"17\"");
    }
}
