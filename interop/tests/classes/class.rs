//! A class of a generated program, and its source.

use std::fmt::Write;

use crate::types::{Bound, Type};

/// A class, an interface, a record or an enum.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) form: Form,
    pub(crate) parameters: Vec<Parameter>,
    /// The super class.
    pub(crate) parent: Option<Type>,
    /// An interface of the program.
    pub(crate) interface: Option<Type>,
    pub(crate) fields: Vec<Field>,
    /// A method that Java's serialization calls.
    pub(crate) own_code: Option<&'static str>,
    /// If some of its fields or constants have annotations of Jackson.
    pub(crate) is_annotated: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Form {
    Abstract,
    Plain,
    Final,
    /// Not static, inside of another class.
    Inner(usize),
    Interface,
    Record,
    /// An exception.
    Throwable,
    /// Its constants, and whether each has a body.
    Enum(Vec<(String, bool)>),
}

/// A type parameter; `extends` its bound.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) bound: Option<Type>,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) declared: Type,
    pub(crate) modifiers: &'static str,
}

impl Class {
    pub(crate) fn is_concrete(&self) -> bool {
        matches!(
            self.form,
            Form::Plain | Form::Final | Form::Inner(_) | Form::Record | Form::Throwable
        )
    }

    /// True if a class may extend it.
    pub(crate) fn is_parent(&self) -> bool {
        matches!(self.form, Form::Plain | Form::Abstract)
    }

    pub(crate) fn is_throwable(&self) -> bool {
        matches!(self.form, Form::Throwable)
    }

    /// The annotation of a field or a constant. A name always has the same one, so that fields hide
    /// others as they would without it.
    fn annotation(&self, member: &str) -> String {
        if !self.is_annotated || self.is_throwable() {
            return String::new();
        }
        let can_be_ignored = !self.is_enum() && !matches!(self.form, Form::Record);
        match member.bytes().map(u32::from).sum::<u32>() % 6 {
            0 | 1 => format!("@com.fasterxml.jackson.annotation.JsonProperty(\"{member}_x\") "),
            2 => "@com.fasterxml.jackson.annotation.JsonProperty ".to_owned(),
            3 if can_be_ignored => "@com.fasterxml.jackson.annotation.JsonIgnore ".to_owned(),
            _ => String::new(),
        }
    }

    pub(crate) fn is_enum(&self) -> bool {
        matches!(self.form, Form::Enum(_))
    }
}

/// How a class is named in the source.
pub(crate) fn path(classes: &[Class], class: usize) -> String {
    match classes[class].form {
        Form::Inner(around) => format!("{}.{}", path(classes, around), classes[class].name),
        _ => classes[class].name.clone(),
    }
}

/// How a type is spelled in the source.
pub(crate) fn spelled(classes: &[Class], it: &Type) -> String {
    let with = |name: String, arguments: &[Type]| {
        let arguments: Vec<_> = arguments.iter().map(|it| spelled(classes, it)).collect();
        match arguments[..] {
            [] => name,
            _ => format!("{name}<{}>", arguments.join(", ")),
        }
    };
    match it {
        Type::Primitive(name) | Type::Scalar(name) => (*name).to_owned(),
        Type::Parameter(name) => name.clone(),
        Type::User(class, arguments) => with(path(classes, *class), arguments),
        Type::Container(name, arguments) => with((*name).to_owned(), arguments),
        Type::Array(component) => format!("{}[]", spelled(classes, component)),
        Type::Wildcard(Bound::None, _) => "?".to_owned(),
        Type::Wildcard(Bound::Extends, of) => format!("? extends {}", spelled(classes, of)),
        Type::Wildcard(Bound::Super, of) => format!("? super {}", spelled(classes, of)),
    }
}

/// Writes the class, with the inner classes inside of it.
pub(crate) fn write(classes: &[Class], index: usize, source: &mut String) {
    let class = &classes[index];
    let spell = |it: &Type| spelled(classes, it);
    let parameters: Vec<_> = class
        .parameters
        .iter()
        .map(|it| match &it.bound {
            Some(bound) => format!("{} extends {}", it.name, spell(bound)),
            None => it.name.clone(),
        })
        .collect();
    let parameters = match parameters[..] {
        [] => String::new(),
        _ => format!("<{}>", parameters.join(", ")),
    };
    let (modifiers, keyword) = match class.form {
        Form::Abstract => ("static abstract", "class"),
        Form::Plain | Form::Throwable => ("static", "class"),
        Form::Final => ("static final", "class"),
        Form::Inner(_) => ("", "class"),
        Form::Interface => ("", "interface"),
        Form::Record => ("", "record"),
        Form::Enum(_) => ("", "enum"),
    };
    let field = |it: &Field| {
        let annotation = class.annotation(&it.name);
        format!("{annotation}{} {}", spell(&it.declared), it.name)
    };
    let components = match class.form {
        Form::Record => {
            let components: Vec<_> = class.fields.iter().map(field).collect();
            format!("({})", components.join(", "))
        }
        _ => String::new(),
    };
    let parent = class.parent.as_ref();
    let parent = match parent {
        Some(it) => format!(" extends {}", spell(it)),
        None if class.is_throwable() => " extends Exception".to_owned(),
        None => String::new(),
    };
    let mut interfaces = vec!["java.io.Serializable".to_owned()];
    interfaces.extend(class.interface.as_ref().map(spell));
    let implements = match class.form {
        Form::Interface => " extends java.io.Serializable".to_owned(),
        _ => format!(" implements {}", interfaces.join(", ")),
    };
    let name = &class.name;
    let _ = writeln!(
        source,
        "  public {modifiers} {keyword} {name}{parameters}{components}{parent}{implements} {{"
    );
    match &class.form {
        Form::Enum(constants) => {
            let constant = |(name, has_body): &(String, bool)| {
                let annotation = class.annotation(name);
                match has_body {
                    true => format!(
                        "{annotation}{name}(1) {{ @Override int twice() {{ return 2 * code; }} }}"
                    ),
                    false => format!("{annotation}{name}(0)"),
                }
            };
            let constants: Vec<_> = constants.iter().map(constant).collect();
            let _ = writeln!(source, "    {};", constants.join(", "));
            let _ = writeln!(source, "    final int code;");
            let _ = writeln!(source, "    {name}(int code) {{ this.code = code; }}");
            let _ = writeln!(source, "    int twice() {{ return 0; }}");
        }
        Form::Record | Form::Interface => {}
        _ => {
            for it in &class.fields {
                let annotation = match it.modifiers.contains("transient") {
                    true => String::new(),
                    false => class.annotation(&it.name),
                };
                let declared = spell(&it.declared);
                let _ = writeln!(
                    source,
                    "    {annotation}{} {declared} {};",
                    it.modifiers, it.name
                );
            }
        }
    }
    if let Some(method) = class.own_code {
        let _ = writeln!(source, "    {method}");
    }
    if class.is_throwable() {
        // Jackson makes one with a text.
        for (parameters, arguments) in [
            ("String text", "text"),
            ("String text, Throwable cause", "text, cause"),
        ] {
            let _ = writeln!(
                source,
                "    public {name}({parameters}) {{ super({arguments}); }}"
            );
        }
    }
    for inner in 0..classes.len() {
        if matches!(classes[inner].form, Form::Inner(around) if around == index) {
            write(classes, inner, source);
        }
    }
    let _ = writeln!(source, "  }}");
}
