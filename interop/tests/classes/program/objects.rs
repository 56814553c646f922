//! Expressions for random objects of the classes of a program.

use std::fmt::Write;

use rand::RngExt;

use super::lists::*;
use super::{DEEPEST, Generator, is_sorted};
use crate::class::{self, Class, Field, Form, path};
use crate::types::{Bound, Type};

impl Generator {
    /// An expression for an object of exactly this class.
    pub(super) fn object(&mut self, class: usize, arguments: &[Type], depth: u32) -> String {
        let declared = self.fields(class, arguments);
        let is_record = matches!(self.classes[class].form, Form::Record);
        let name = path(&self.classes, class);
        let is_anonymous = self.has_anonymous && depth > 0 && self.chance(0.2);
        let mut expression = match self.classes[class].form {
            Form::Record => format!("record({name}.class"),
            Form::Throwable => {
                let text = self.value(&Type::Scalar("java.lang.String"), depth + 1);
                let cause = self.value(&Type::Scalar("java.lang.Throwable"), depth + 1);
                format!("thrown({name}.class, {text}, {cause}")
            }
            Form::Abstract => self.anonymous(class, arguments),
            Form::Plain if is_anonymous => self.anonymous(class, arguments),
            _ => format!("object({name}.class"),
        };
        for (owner, field, bound) in declared {
            let value = match (&field.declared, &bound) {
                // Java erases the component, but an array of the argument is right too.
                (Type::Array(component), Type::Array(of))
                    if matches!(**component, Type::Parameter(_)) =>
                {
                    let erased = match self.chance(0.5) {
                        true => self.erased(owner, component),
                        false => spelled_erased(&self.classes, of),
                    };
                    self.array(&erased, of, depth + 1)
                }
                _ => self.value(&bound, depth + 1),
            };
            let owner = path(&self.classes, owner);
            let _ = match is_record {
                true => write!(expression, ", (Object) ({value})"),
                false => write!(expression, ", {owner}.class, \"{}\", {value}", field.name),
            };
        }
        expression + ")"
    }

    /// The beginning of an expression for an object of a sub class that has no name.
    fn anonymous(&mut self, class: usize, arguments: &[Type]) -> String {
        let of = class::spelled(&self.classes, &Type::User(class, arguments.to_vec()));
        let own = match self.chance(0.5) {
            true => format!("public String own = {};", self.text()),
            false => String::new(),
        };
        format!("filled(new {of}() {{ {own} }}")
    }

    /// The fields with the classes that declare them and the types that they have in an object.
    fn fields(&self, class: usize, arguments: &[Type]) -> Vec<(usize, Field, Type)> {
        let it = &self.classes[class];
        let bound = |name: &str| self.bound(class, arguments, name);
        let mut fields: Vec<_> = it
            .fields
            .iter()
            .map(|field| (class, field.clone(), field.declared.bind(&bound)))
            .collect();
        if let Some(Type::User(parent, above)) = &it.parent {
            let above: Vec<_> = above.iter().map(|it| it.bind(&bound)).collect();
            fields.extend(self.fields(*parent, &above));
        }
        fields
    }

    /// The type that a parameter stands for. In a raw class that is its bound.
    fn bound(&self, class: usize, arguments: &[Type], name: &str) -> Type {
        let parameters = &self.classes[class].parameters;
        let place = parameters.iter().position(|it| it.name == name);
        let bound = place.and_then(|it| arguments.get(it).cloned());
        let raw = || place.and_then(|it| parameters[it].bound.clone());
        bound.or_else(raw).unwrap_or(Type::OBJECT)
    }

    /// The erasure of a type that a class declares.
    fn erased(&self, owner: usize, declared: &Type) -> String {
        let erased = declared.bind(&|name| self.bound(owner, &[], name));
        spelled_erased(&self.classes, &erased)
    }

    /// An expression for a value of a type without parameters.
    fn value(&mut self, declared: &Type, depth: u32) -> String {
        if !declared.is_primitive() && (depth > DEEPEST || self.chance(0.12)) {
            return "null".to_owned();
        }
        if !self.has_shared || declared.is_primitive() {
            return self.new_value(declared, depth);
        }
        let same = self.kept.iter().filter(|(of, _)| of == declared);
        let same: Vec<String> = same.map(|(_, name)| name.clone()).collect();
        if !same.is_empty() && self.chance(0.3) {
            return format!("kept({})", self.pick(&same));
        }
        let value = self.new_value(declared, depth);
        if value == "null" || !self.chance(0.3) {
            return value;
        }
        let name = format!("\"{}-{}\"", self.seed, self.kept.len());
        self.kept.push((declared.clone(), name.clone()));
        format!("keep({name}, {value})")
    }

    fn new_value(&mut self, declared: &Type, depth: u32) -> String {
        match declared {
            Type::Primitive(name) => self.boxed(name),
            Type::Scalar(name) => self.scalar_value(name, depth),
            Type::Parameter(name) => unreachable!("{name} is not bound"),
            Type::User(class, arguments) => self.user(*class, arguments, depth),
            Type::Container(name, arguments) => self.contents(name, arguments, depth),
            Type::Array(component) => {
                let erased = spelled_erased(&self.classes, component);
                self.array(&erased, component, depth)
            }
            Type::Wildcard(_, of) => self.value(of, depth),
        }
    }

    fn array(&mut self, erased: &str, of: &Type, depth: u32) -> String {
        let items = (0..self.length(depth)).map(|_| self.value(of, depth + 1));
        let items: Vec<String> = items.collect();
        call(&format!("array({erased}.class"), &items)
    }

    /// An object that fits a declared class.
    fn user(&mut self, class: usize, arguments: &[Type], depth: u32) -> String {
        if let Form::Enum(constants) = &self.classes[class].form {
            let constants: Vec<String> = constants.iter().map(|it| it.0.clone()).collect();
            let constant = self.pick(&constants);
            return format!("{}.{constant}", path(&self.classes, class));
        }
        let is_extended = |it: &Class| self.has_anonymous && matches!(it.form, Form::Abstract);
        let all = self.indices(|it| it.is_concrete() || is_extended(it));
        let fitting: Vec<_> = all
            .into_iter()
            .filter_map(|it| Some((it, self.fitted(it, class, arguments)?)))
            .collect();
        if fitting.is_empty() {
            return "null".to_owned();
        }
        let (class, bound) = self.pick(&fitting);
        let parameters = self.classes[class].parameters.clone();
        let arguments: Vec<Type> = parameters
            .iter()
            .map(|it| {
                let known = bound.iter().find(|(name, _)| *name == it.name);
                match known {
                    Some((_, Type::Wildcard(_, of))) => (**of).clone(),
                    Some((_, known)) => known.clone(),
                    None => self.argument(it, &[], 1, false),
                }
            })
            .collect();
        self.object(class, &arguments, depth)
    }

    /// What the parameters of a class must be, so that its objects fit a declared type.
    fn fitted(
        &self,
        class: usize,
        wanted: usize,
        arguments: &[Type],
    ) -> Option<Vec<(String, Type)>> {
        let own = self.classes[class].parameters.iter();
        let mut above: Vec<Type> = own.map(|it| Type::Parameter(it.name.clone())).collect();
        let mut current = class;
        loop {
            let it = &self.classes[current];
            if current == wanted {
                break;
            }
            let is_wanted = |it: &&Type| matches!(it, Type::User(class, _) if *class == wanted);
            let next = it
                .interface
                .as_ref()
                .filter(is_wanted)
                .or(it.parent.as_ref());
            let Some(Type::User(next, arguments)) = next else {
                return None;
            };
            let bound = |name: &str| self.bound(current, &above, name);
            above = arguments.iter().map(|it| it.bind(&bound)).collect();
            current = *next;
        }
        let mut bound: Vec<(String, Type)> = Vec::new();
        for (above, argument) in above.iter().zip(arguments) {
            match (above, argument) {
                (Type::Parameter(name), _) => match bound.iter().find(|(it, _)| it == name) {
                    Some((_, same)) if same != argument => return None,
                    _ => bound.push((name.clone(), argument.clone())),
                },
                (_, Type::Wildcard(Bound::None, _)) => {}
                _ if above == argument => {}
                _ => return None,
            }
        }
        Some(bound)
    }

    fn contents(&mut self, name: &str, arguments: &[Type], depth: u32) -> String {
        let argument = |i: usize| arguments.get(i).cloned().unwrap_or(Type::OBJECT);
        let kinds: &[&str] = match name {
            "java.util.Optional" => {
                let value = self.value(&argument(0), depth + 1);
                return format!("java.util.Optional.ofNullable({value})");
            }
            REFERENCE => {
                let value = self.value(&argument(0), depth + 1);
                return format!("new {REFERENCE}<Object>({value})");
            }
            "java.util.EnumSet" => {
                let length = self.enum_length();
                let items = self.items(&argument(0), depth, false, length);
                let of = spelled_erased(&self.classes, &argument(0));
                return call(&format!("enumSet({of}.class"), &items);
            }
            "java.util.EnumMap" => {
                let length = self.enum_length();
                let entries = self.entries(&argument(0), &argument(1), depth, false, length);
                let of = spelled_erased(&self.classes, &argument(0));
                return call(&format!("enumMap({of}.class"), &entries);
            }
            "java.lang.Iterable" | "java.util.List" | "java.util.Collection" => LISTS,
            "java.util.Set" => SETS,
            "java.util.Queue" => QUEUES,
            "java.util.SortedSet" => &["TreeSet"],
            "java.util.Map" => MAPS,
            "java.util.SortedMap" => &["TreeMap"],
            "java.util.ArrayList" => &["ArrayList"],
            "java.util.LinkedList" => &["LinkedList"],
            "java.util.HashSet" => &["HashSet", "LinkedHashSet"],
            "java.util.TreeSet" => &["TreeSet"],
            "java.util.PriorityQueue" => &["PriorityQueue"],
            "java.util.HashMap" => &["HashMap", "LinkedHashMap"],
            "java.util.LinkedHashMap" => &["LinkedHashMap"],
            "java.util.TreeMap" => &["TreeMap"],
            other => unreachable!("{other} is no container"),
        };
        let kinds: Vec<&str> = kinds
            .iter()
            .copied()
            .filter(|it| self.has_kotlin || !it.starts_with("kotlin."))
            .collect();
        let kind = self.pick(&kinds);
        let length = match kind {
            _ if kind.contains("mpty") => 0,
            _ if kind.contains("ingleton") => 1,
            _ => self.length(depth),
        };
        let nulls = !NO_NULLS.contains(&kind);
        // A raw one must hold what has an order too.
        let first = match arguments {
            [] if is_sorted(name) => Type::Scalar("java.lang.String"),
            _ => argument(0),
        };
        match kind.contains("Map") || kind == "Hashtable" {
            true => {
                let entries = self.entries(&first, &argument(1), depth, nulls, length);
                // A key that is null, without an alternative.
                let kind = match entries.len() / 2 < length && kind.contains("ingleton") {
                    true => "HashMap",
                    false => kind,
                };
                call(&format!("map(\"{kind}\""), &entries)
            }
            false => {
                let items = self.items(&first, depth, nulls, length);
                let kind = match items.len() < length && kind.contains("ingleton") {
                    true => "ArrayList",
                    false => kind,
                };
                call(&format!("collection(\"{kind}\""), &items)
            }
        }
    }

    fn items(&mut self, of: &Type, depth: u32, nulls: bool, length: usize) -> Vec<String> {
        let mut items = Vec::new();
        for _ in 0..length {
            let item = self.value(of, depth + 1);
            if nulls || item != "null" {
                items.push(item);
            }
        }
        items
    }

    fn entries(
        &mut self,
        key: &Type,
        value: &Type,
        depth: u32,
        nulls: bool,
        length: usize,
    ) -> Vec<String> {
        let mut entries = Vec::new();
        for _ in 0..length {
            let key = self.value(key, depth + 1);
            let value = self.value(value, depth + 1);
            if key != "null" && (nulls || value != "null") {
                entries.extend([key, value]);
            }
        }
        entries
    }

    fn length(&mut self, depth: u32) -> usize {
        match self.rng.random_range(0..20) {
            0 if depth < 2 => self.rng.random_range(5..40),
            1..=4 => 0,
            _ => self.rng.random_range(1..4),
        }
    }

    /// Jackson writes no empty `EnumSet`.
    fn enum_length(&mut self) -> usize {
        self.rng.random_range(usize::from(!self.has_empty_enums)..4)
    }

    /// A value for a place where anything may stand.
    pub(super) fn any(&mut self, depth: u32) -> String {
        let concrete = self.indices(Class::is_concrete);
        match self.rng.random_range(0..8) {
            0 if depth < DEEPEST => self.contents("java.util.List", &[], depth + 1),
            1 if depth < DEEPEST => {
                let string = Type::Scalar("java.lang.String");
                self.contents("java.util.Map", &[string, Type::OBJECT], depth + 1)
            }
            2..=3 if depth < DEEPEST && !concrete.is_empty() => {
                let class = self.pick(&concrete);
                let arguments = self.free(class);
                self.object(class, &arguments, depth + 1)
            }
            4 => {
                let enums = self.indices(Class::is_enum);
                match enums.is_empty() {
                    true => self.text(),
                    false => {
                        let class = self.pick(&enums);
                        self.user(class, &[], depth)
                    }
                }
            }
            5 if depth < DEEPEST => {
                let of = Type::Scalar(self.pick(&SORTED));
                let erased = spelled_erased(&self.classes, &of);
                self.array(&erased, &of, depth + 1)
            }
            _ => {
                let name = self.pick(&SORTED);
                self.scalar_value(name, depth)
            }
        }
    }
}

/// A call with these last arguments, none of which is taken for an array of all of them.
fn call(start: &str, arguments: &[String]) -> String {
    let mut call = start.to_owned();
    for argument in arguments {
        call.push_str(&format!(", (Object) ({argument})"));
    }
    call + ")"
}

/// A type as a class literal spells it.
fn spelled_erased(classes: &[Class], it: &Type) -> String {
    match it {
        Type::User(class, _) => path(classes, *class),
        Type::Container(name, _) => (*name).to_owned(),
        Type::Array(component) => format!("{}[]", spelled_erased(classes, component)),
        Type::Wildcard(_, of) => spelled_erased(classes, of),
        _ => class::spelled(classes, it),
    }
}
