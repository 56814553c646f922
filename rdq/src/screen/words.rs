//! Texts in lines of a width.

use unicode_width::UnicodeWidthStr;

/// Splits a text between words into lines of at most so many columns. A longer word has a line of its own.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last().map_or(0, |it| it.width());
        if last > 0 && last + 1 + word.width() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn lines_break_between_words_and_keep_all_of_them() {
        let text = "word ".repeat(50) + &"x".repeat(200);
        let lines = wrapped(&text, 40);
        assert!(lines[..lines.len() - 1].iter().all(|it| it.len() <= 40));
        assert_eq!(lines.join(" "), text);
    }
}
