//! What a call returned, in one form for both languages.

use interop::{peer::Reply, value};

/// What a call of this crate can return.
pub(crate) trait Answer {
    /// As [`of_java`] writes the same of Java.
    fn answer(self) -> String;
}

/// What a call of Redisson returned.
pub(crate) fn of_java(reply: Reply) -> String {
    match reply {
        Reply::Err(message) => {
            let class = message.split(':').next().unwrap_or_default();
            format!("err {}", class.rsplit('.').next().unwrap_or_default())
        }
        Reply::Nil => "nil".to_owned(),
        Reply::Ok(rest) => {
            let list = rest.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
            match list {
                Some(items) => listed(items.split_terminator(',').map(decoded)),
                None if rest.starts_with('x') => decoded(&rest),
                None => rest,
            }
        }
    }
}

/// A payload as failures show it.
pub(crate) fn shown(payload: &[u8]) -> String {
    match std::str::from_utf8(payload) {
        Ok("") => "''".to_owned(),
        Ok(text) => text.to_owned(),
        Err(_) => payload.escape_ascii().to_string(),
    }
}

fn decoded(token: &str) -> String {
    let payload = value::decode(token).unwrap_or_else(|| panic!("not a VALUE: {token:?}"));
    shown(&payload)
}

fn listed(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(" "))
}

impl Answer for () {
    fn answer(self) -> String {
        String::new()
    }
}

impl Answer for bool {
    fn answer(self) -> String {
        self.to_string()
    }
}

impl Answer for i64 {
    fn answer(self) -> String {
        self.to_string()
    }
}

impl Answer for usize {
    fn answer(self) -> String {
        self.to_string()
    }
}

impl Answer for String {
    fn answer(self) -> String {
        shown(self.as_bytes())
    }
}

impl<T: Answer> Answer for Option<T> {
    fn answer(self) -> String {
        self.map_or_else(|| "nil".to_owned(), Answer::answer)
    }
}

impl<T: Answer> Answer for Vec<T> {
    fn answer(self) -> String {
        listed(self.into_iter().map(Answer::answer))
    }
}
