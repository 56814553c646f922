//! The schema file: the form that `Schema::from_json` reads.

use serde_json::Value;

use super::closure::Closure;
use super::constants::Body;
use super::jackson::Jackson;
use super::java_class::{JavaClass, JavaField, Kind};
use super::java_type::{JavaType, is_of_jdk};
use super::serialized::Serialized;
use super::signature::Parameter;

/// JSON whose properties keep their order.
enum Json {
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
    Plain(Value),
}

/// How long a line may get before a list or an object is broken up.
const WIDTH: usize = 100;

impl Closure {
    /// The text of the schema file. A class that is missing or cannot be described is abstract there.
    pub(crate) fn to_json(&self) -> String {
        let mut classes: Vec<(String, Json)> = self
            .classes
            .values()
            .map(|it| (it.name.clone(), self.class(it)))
            .collect();
        let missing = self.missing.keys();
        classes.extend(missing.map(|it| (it.clone(), Json::Object(vec![is("abstract")]))));
        classes.sort_by(|a, b| a.0.cmp(&b.0));
        let mut text = String::from("{");
        for (i, (name, class)) in classes.iter().enumerate() {
            text += if i == 0 { "\n  " } else { ",\n  " };
            text += &format!("{}: ", Value::from(name.as_str()));
            class.write(&mut text, 2, 0);
        }
        text + "\n}\n"
    }

    fn class(&self, class: &JavaClass) -> Json {
        let mut json = Vec::new();
        let cannot_be_described = self.impossible.contains_key(&class.name);
        let is_container = self.containers.contains(&class.name) && class.kind == Kind::Object;
        if class.kind == Kind::Interface || cannot_be_described && !is_container {
            json.push(is("abstract"));
            json.extend(self.unknown_to_jackson(class));
            return Json::Object(json);
        }
        if self.throwable.contains(&class.name) {
            let words = ["throwable", "final"].into_iter();
            return Json::Object(
                words
                    .take(1 + usize::from(class.is_final))
                    .map(is)
                    .collect(),
            );
        }
        if let Some(uid) = self.uid(class) {
            json.push(("uid".to_owned(), Json::Plain(uid.into())));
        }
        match &class.kind {
            Kind::Enum { constants, bodies } => {
                json.push(("enum".to_owned(), texts(constants)));
                if !bodies.is_empty() {
                    json.push(("bodies".to_owned(), self::bodies(bodies)));
                    if class.is_final {
                        json.push(is("final"));
                    }
                }
                if self.shown.contains(&class.name) {
                    json.push(("shown".to_owned(), text("unknown")));
                }
                json.extend(self.jackson(class));
                return Json::Object(json);
            }
            _ if class.is_abstract || cannot_be_described => json.push(is("abstract")),
            Kind::Object if class.is_final => json.push(is("final")),
            _ => {}
        }
        if !class.parameters.is_empty() {
            let spelled = |it: &Parameter| match it.bound == JavaType::object() {
                true => it.name.clone(),
                false => format!("{} extends {}", it.name, it.bound),
            };
            let parameters: Vec<String> = class.parameters.iter().map(spelled).collect();
            json.push(("parameters".to_owned(), texts(&parameters)));
        }
        if let Some(interfaces) = self.interfaces.get(&class.name) {
            let interfaces: Vec<String> = interfaces.iter().map(JavaType::to_string).collect();
            json.push(("implements".to_owned(), texts(&interfaces)));
        }
        if class.kind == Kind::Record {
            json.push(("record".to_owned(), fields(&class.fields)));
            json.extend(self.jackson(class));
            return Json::Object(json);
        }
        let super_class = class.super_class.as_ref();
        let is_known = |it: &&JavaType| !(cannot_be_described && is_of_jdk(&it.name));
        let super_class = super_class.filter(is_known);
        if let Some(super_class) = super_class.filter(|it| it.name != "java.lang.Object") {
            json.push(("extends".to_owned(), text(&super_class.to_string())));
        }
        if let Some(serialized) = self.serialized(class) {
            json.push(("serialized".to_owned(), text(serialized)));
        }
        if class.fields.is_empty() || self.extends_container(class) {
            json.extend(self.unknown_to_jackson(class));
        } else {
            json.push(("fields".to_owned(), fields(&class.fields)));
            json.extend(self.jackson(class));
        }
        Json::Object(json)
    }

    /// What Jackson calls the fields or the constants, if annotations decide.
    fn jackson(&self, class: &JavaClass) -> Option<(String, Json)> {
        let Jackson::Names(names) = self.jackson.get(&class.name)? else {
            return self.unknown_to_jackson(class);
        };
        let names = names.iter().map(|(member, written)| {
            let written = written
                .as_ref()
                .map_or(Value::Null, |it| it.as_str().into());
            (member.clone(), Json::Plain(written))
        });
        Some(("jackson".to_owned(), Json::Object(names.collect())))
    }

    fn unknown_to_jackson(&self, class: &JavaClass) -> Option<(String, Json)> {
        let is_unknown = matches!(self.jackson.get(&class.name)?, Jackson::Unknown(_));
        is_unknown.then(|| ("jackson".to_owned(), text("unknown")))
    }

    /// What the class writes for Java's own serialization, if that is not its fields alone.
    pub(crate) fn serialized(&self, class: &JavaClass) -> Option<&'static str> {
        if class.kind != Kind::Object {
            return None;
        }
        let is_container = self.extends_container(class);
        // A codec reads the content alone.
        let more = is_container && !class.fields.is_empty();
        let serialized = match class.serialized {
            Serialized::Own if !is_container => "own",
            Serialized::Fields if !more => return None,
            _ => "more",
        };
        let is_serializable = self.serializable.contains(&class.name);
        is_serializable.then_some(serialized)
    }

    fn extends_container(&self, class: &JavaClass) -> bool {
        let is_of_jdk = |it: &JavaType| is_of_jdk(&it.name) && it.name != "java.lang.Object";
        !self.impossible.contains_key(&class.name)
            && class.super_class.as_ref().is_some_and(is_of_jdk)
    }

    /// The `serialVersionUID` that Java's serialization writes.
    pub(crate) fn uid(&self, class: &JavaClass) -> Option<i64> {
        let is_serializable = self.serializable.contains(&class.name);
        match class.kind {
            Kind::Enum { .. } | Kind::Interface => None,
            // Records have 0 unless they declare another.
            Kind::Record => class.declared_uid.filter(|it| *it != 0),
            Kind::Object if is_serializable => {
                Some(class.declared_uid.unwrap_or(class.computed_uid))
            }
            Kind::Object => class.declared_uid,
        }
    }
}

fn is(word: &str) -> (String, Json) {
    (word.to_owned(), Json::Plain(true.into()))
}

fn text(text: &str) -> Json {
    Json::Plain(text.into())
}

fn texts(all: &[String]) -> Json {
    Json::List(all.iter().map(|it| text(it)).collect())
}

fn bodies(bodies: &[Body]) -> Json {
    if bodies.iter().any(|it| it.is_named) {
        let bodies = bodies
            .iter()
            .map(|it| (it.constant.clone(), text(&it.class)));
        return Json::Object(bodies.collect());
    }
    Json::List(bodies.iter().map(|it| text(&it.constant)).collect())
}

fn fields(fields: &[JavaField]) -> Json {
    let fields = fields.iter();
    let fields = fields.map(|it| (it.name.clone(), text(&it.declared.to_string())));
    Json::Object(fields.collect())
}

impl Json {
    /// Writes it on one line if it fits behind what is there, which is followed by `after` characters.
    fn write(&self, out: &mut String, indent: usize, after: usize) {
        let line = self.line();
        let column = out.chars().rev().take_while(|it| *it != '\n').count();
        if column + line.chars().count() + after <= WIDTH {
            out.push_str(&line);
            return;
        }
        let (open, close, count) = match self {
            Self::List(all) => ('[', ']', all.len()),
            Self::Object(all) => ('{', '}', all.len()),
            Self::Plain(_) => return out.push_str(&line),
        };
        out.push(open);
        for i in 0..count {
            out.push_str(if i == 0 { "\n" } else { ",\n" });
            out.push_str(&" ".repeat(indent + 2));
            match self {
                Self::List(all) => all[i].write(out, indent + 2, 1),
                Self::Object(all) => {
                    out.push_str(&format!("{}: ", Value::from(all[i].0.as_str())));
                    all[i].1.write(out, indent + 2, 1);
                }
                Self::Plain(_) => {}
            }
        }
        out.push('\n');
        out.push_str(&" ".repeat(indent));
        out.push(close);
    }

    fn line(&self) -> String {
        match self {
            Self::List(all) => {
                let all: Vec<String> = all.iter().map(Self::line).collect();
                format!("[{}]", all.join(", "))
            }
            Self::Object(all) => {
                let property = |(name, value): &(String, Self)| {
                    format!("{}: {}", Value::from(name.as_str()), value.line())
                };
                let all: Vec<String> = all.iter().map(property).collect();
                format!("{{{}}}", all.join(", "))
            }
            Self::Plain(value) => value.to_string(),
        }
    }
}
