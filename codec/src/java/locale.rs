//! `java.util.Locale`, and its two texts.

use super::{Fields, JavaValue, Mismatch};

/// The parts of a locale. Those that it lacks are empty.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Locale {
    pub(crate) language: String,
    pub(crate) script: String,
    pub(crate) country: String,
    pub(crate) variant: String,
    /// Such as `u-ca-japanese`.
    pub(crate) extensions: String,
}

impl Locale {
    pub(crate) const CLASS: &str = "java.util.Locale";

    /// The locale that the fields of an object are.
    pub(crate) fn of(fields: &dyn Fields) -> Result<Self, Mismatch> {
        let part = |name: &'static str| match fields.get(name) {
            Some(JavaValue::String(part)) => Ok(part),
            None | Some(JavaValue::Null) => Ok(String::new()),
            Some(other) => Err(Mismatch::new("java.lang.String", &other).within(name)),
        };
        Ok(Self {
            language: part("language")?,
            script: part("script")?,
            country: part("country")?,
            variant: part("variant")?,
            extensions: part("extensions")?,
        })
    }

    /// The object. Only a locale that has a script or extensions has these fields.
    pub(crate) fn into_object(self) -> JavaValue {
        let mut fields = vec![
            ("language", self.language.into()),
            ("country", self.country.into()),
            ("variant", self.variant.into()),
        ];
        for (name, part) in [("script", self.script), ("extensions", self.extensions)] {
            if !part.is_empty() {
                fields.push((name, JavaValue::from(part)));
            }
        }
        JavaValue::object(Self::CLASS, fields)
    }

    /// Reads a language tag, or what `toString` returns, which has an underscore unless it is no more
    /// than the language.
    pub(crate) fn read(text: &str) -> Self {
        match text.contains('-') && !text.contains('_') {
            true => Self::from_tag(text),
            false => Self::from_text(text),
        }
    }

    fn from_text(text: &str) -> Self {
        let (text, more) = text.split_once("_#").unwrap_or((text, ""));
        let mut parts = text.splitn(3, '_');
        let mut part = || parts.next().unwrap_or_default().to_owned();
        let (language, country, variant) = (part(), part(), part());
        let (script, extensions) = match more.split_once('_') {
            Some((script, extensions)) => (script, extensions),
            // One letter begins an extension.
            None if more.as_bytes().get(1) == Some(&b'-') => ("", more),
            None => (more, ""),
        };
        Self {
            language,
            script: script.to_owned(),
            country,
            variant,
            extensions: extensions.to_owned(),
        }
    }

    /// What `toString` returns.
    pub(crate) fn text(&self) -> String {
        let has_more = [&self.variant, &self.script, &self.extensions]
            .iter()
            .any(|it| !it.is_empty());
        let mut text = self.language.clone();
        if !self.country.is_empty() || !self.language.is_empty() && has_more {
            text.extend(["_", &self.country]);
        }
        if self.language.is_empty() && self.country.is_empty() {
            return text;
        }
        if !self.variant.is_empty() {
            text.extend(["_", &self.variant]);
        }
        if !self.script.is_empty() {
            text.extend(["_#", &self.script]);
        }
        if !self.extensions.is_empty() {
            text.extend([
                if self.script.is_empty() { "_#" } else { "_" },
                &self.extensions,
            ]);
        }
        text
    }

    fn from_tag(tag: &str) -> Self {
        let mut parts = tag.split('-').peekable();
        let language = parts.next().filter(|it| *it != "und").unwrap_or_default();
        let is_script = |it: &&str| it.len() == 4 && it.bytes().all(|it| it.is_ascii_alphabetic());
        let script = parts.next_if(is_script).unwrap_or_default();
        let is_country = |it: &&str| it.len() == 2 || it.len() == 3;
        let country = parts.next_if(is_country).unwrap_or_default();
        let mut variants = Vec::new();
        while let Some(variant) = parts.next_if(|it| it.len() > 1) {
            variants.push(variant);
        }
        Self {
            language: language.to_owned(),
            script: script.to_owned(),
            country: country.to_owned(),
            variant: variants.join("_"),
            extensions: parts.collect::<Vec<_>>().join("-"),
        }
    }

    /// The language tag.
    pub(crate) fn tag(&self) -> String {
        let variant = self.variant.replace('_', "-");
        let rest = [&self.script, &self.country, &variant, &self.extensions];
        let is_undetermined = self.language.is_empty() && rest.iter().any(|it| !it.is_empty());
        let language = if is_undetermined {
            "und"
        } else {
            &*self.language
        };
        let parts = [language].into_iter().chain(rest.map(|it| &**it));
        let parts: Vec<&str> = parts.filter(|it| !it.is_empty()).collect();
        parts.join("-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locale(parts: [&str; 5]) -> Locale {
        let [language, script, country, variant, extensions] = parts.map(str::to_owned);
        Locale {
            language,
            script,
            country,
            variant,
            extensions,
        }
    }

    /// What `toLanguageTag` and `toString` return in Java.
    #[test]
    fn both_texts_are_those_of_java() {
        for (parts, tag, text) in [
            (["de", "", "", "", ""], "de", "de"),
            (["", "", "AT", "", ""], "und-AT", "_AT"),
            (["de", "", "AT", "", ""], "de-AT", "de_AT"),
            (["de", "", "", "POSIX", ""], "de-POSIX", "de__POSIX"),
            (["zh", "Hant", "TW", "", ""], "zh-Hant-TW", "zh_TW_#Hant"),
            (["zh", "Hant", "", "", ""], "zh-Hant", "zh__#Hant"),
            (
                ["ja", "", "JP", "", "u-ca-japanese"],
                "ja-JP-u-ca-japanese",
                "ja_JP_#u-ca-japanese",
            ),
            (
                ["sr", "Latn", "RS", "POSIX", "u-nu-latn"],
                "sr-Latn-RS-POSIX-u-nu-latn",
                "sr_RS_POSIX_#Latn_u-nu-latn",
            ),
        ] {
            let locale = locale(parts);
            assert_eq!(locale.tag(), tag);
            assert_eq!(locale.text(), text);
            assert_eq!(Locale::read(tag), locale);
            assert_eq!(Locale::read(text), locale);
        }
        assert_eq!(Locale::read("").tag(), "");
        assert_eq!(Locale::read("und"), locale(["und", "", "", "", ""]));
    }
}
