//! A glob-style pattern of key names and channels.

/// Says whether all of `text` matches, where `*` stands for anything, `?` for one byte, `[ab-c]` for one
/// of these, and a backslash takes the next byte literally.
pub(crate) fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', rest @ ..] => (0..=text.len()).any(|at| matches(rest, &text[at..])),
        [b'?', rest @ ..] => !text.is_empty() && matches(rest, &text[1..]),
        [b'[', rest @ ..] => {
            let end = rest.iter().position(|it| *it == b']');
            let (class, rest) = rest.split_at(end.unwrap_or(rest.len()));
            let rest = rest.get(1..).unwrap_or_default();
            !text.is_empty() && is_in_class(class, text[0]) && matches(rest, &text[1..])
        }
        [b'\\', literal, rest @ ..] | [literal, rest @ ..] => {
            text.first() == Some(literal) && matches(rest, &text[1..])
        }
    }
}

fn is_in_class(class: &[u8], byte: u8) -> bool {
    match class {
        [b'^', rest @ ..] => !is_in_class(rest, byte),
        [from, b'-', to, rest @ ..] => (from..=to).contains(&&byte) || is_in_class(rest, byte),
        [one, rest @ ..] => *one == byte || is_in_class(rest, byte),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_texts() {
        for (pattern, text) in [
            ("*", ""),
            ("a*c", "abbc"),
            ("{orders}*", "{orders}-dead"),
            ("a?c", "abc"),
            ("[a-c]x", "bx"),
            ("[^a]x", "bx"),
            ("\\*", "*"),
        ] {
            assert!(
                matches(pattern.as_bytes(), text.as_bytes()),
                "{pattern} {text}"
            );
        }
        for (pattern, text) in [("a", "ab"), ("a*c", "abcd"), ("[a-c]", "d"), ("?", "")] {
            assert!(
                !matches(pattern.as_bytes(), text.as_bytes()),
                "{pattern} {text}"
            );
        }
    }
}
