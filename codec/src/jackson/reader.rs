//! From the tokens of a syntax to Java values.

use super::place;
use super::rules::Rules;
use super::tape::{Node, Token};
use crate::java::class::Shown;
use crate::java::schema::jackson::Names;
use crate::java::schema::{Layout, Layouts, Shape};
use crate::java::{JavaType, JavaValue, Mismatch, Name, Source, Taker, Text, jdk};

mod class;
mod container;
mod object;
pub(super) mod scalar;
mod tree;

/// Hands values over, even without the tags that Java insists on.
///
/// If such a tag is missing, the declared type and the form of the value decide.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) layouts: &'a Layouts,
    pub(super) rules: &'a Rules,
}

type Read = Result<(), Mismatch>;

impl Reader<'_> {
    /// Reads a value at a place declared as `declared`.
    pub(super) fn value(&self, node: Node<'_>, declared: &JavaType, to: &mut Taker<'_>) -> Read {
        if quick(declared.name(), node, to)? {
            return Ok(());
        }
        match node.token() {
            Token::Null => null(declared, to),
            _ if declared.name() == OPTIONAL => self.optional(node, declared, to),
            _ if declared.name() == REFERENCE => self.reference(node, declared, to),
            _ if tree::is_untagged(declared.name()) => tree::read(declared.name(), node, to),
            // Java writes no tag there, and an element may look like one.
            Token::Object(_) | Token::Array(_) if self.is_final_container(declared) => {
                self.of(declared.name(), node, declared, to)
            }
            Token::Object(_) => match node.take_class() {
                // No other class can stand there, whatever the tag says.
                Some((class, node))
                    if self.is_final(declared) && self.layouts.get(class).is_none() =>
                {
                    self.of(declared.name(), node, declared, to)
                }
                Some((class, node)) => self.tagged(class, node, declared, to),
                None => self.bare(node, declared, to),
            },
            Token::Array(_) => match self.wrapped(node, declared) {
                Some((class, node)) => self.tagged(class, node, declared, to),
                None => self.bare(node, declared, to),
            },
            _ => self.bare(node, declared, to),
        }
    }

    fn is_final(&self, declared: &JavaType) -> bool {
        let is_final = || self.layouts.is_final(declared.name());
        *declared.facts.is_final.get_or_init(is_final)
    }

    fn is_final_container(&self, declared: &JavaType) -> bool {
        let shape = || self.layouts.get(declared.name()).map(|it| &it.shape);
        self.is_final(declared) && matches!(shape(), Some(Shape::Container { .. }))
    }

    /// Takes `["class", value]` apart, if the array is such a pair.
    ///
    /// Java knows from the place. This reader also takes values without a tag. So two strings are a
    /// pair only if the first can be the name of a class, and never where an array of strings is
    /// declared.
    fn wrapped<'t>(&self, node: Node<'t>, declared: &JavaType) -> Option<(&'t str, Node<'t>)> {
        let (class, inner) = node.pair()?;
        let is_array = declared.name().starts_with('[');
        let pair = match is_array
            && !place::is_tagged(self.layouts, declared, true, self.rules.optionals)
        {
            true => {
                let is_text = matches!(declared.name().as_str(), "[B" | "[C");
                class.starts_with('[') && (is_text || matches!(inner.token(), Token::Array(_)))
            }
            false => class::is_name(class) || self.layouts.get(class).is_some(),
        };
        pair.then_some((class, inner))
    }

    /// Reads a value that names its class.
    fn tagged(&self, class: &str, node: Node<'_>, declared: &JavaType, to: &mut Taker<'_>) -> Read {
        if !class.bytes().any(|it| it == b'<') {
            return self.of(class, node, declared, to);
        }
        // As in `java.util.EnumSet<com.example.Status>`.
        let Ok(class) = class.parse::<JavaType>() else {
            return Err(Mismatch::unknown("the name of a class", class));
        };
        self.of(class.name(), node, &class, to)
    }

    /// Reads a value that does not name its class: as the class of the place, or as the class that
    /// such a tag most likely has.
    fn bare(&self, node: Node<'_>, declared: &JavaType, to: &mut Taker<'_>) -> Read {
        let class = declared.name();
        let layout = self.layouts.get(class);
        layout.map_or(Ok(()), check_annotations)?;
        let has_no_objects = layout.is_some_and(|it| it.is_abstract && !it.is_final);
        if has_no_objects && matches!(node.token(), Token::Object(_)) {
            return Err(Mismatch::unknown(
                class.clone(),
                "an object without a class",
            ));
        }
        if place::is_unknown(declared) && !matches!(node.token(), Token::Boolean(_)) {
            return Err(place::untold());
        }
        let known = self.is_final(declared)
            || layout.is_some()
            || class.starts_with('[')
            || class::is_bare(class);
        if known {
            return self.laid_out(class, layout, node, declared, to);
        }
        match node.token() {
            Token::Array(_) if !class::is_collection(class) => {
                self.laid_out("java.util.ArrayList", None, node, declared, to)
            }
            Token::Object(_) if !class::is_map(class) => {
                self.laid_out("java.util.LinkedHashMap", None, node, declared, to)
            }
            Token::Array(_) | Token::Object(_) => self.laid_out(class, None, node, declared, to),
            _ => natural(node, to),
        }
    }

    /// Reads a value of a class.
    fn of(&self, class: &str, node: Node<'_>, declared: &JavaType, to: &mut Taker<'_>) -> Read {
        if quick(class, node, to)? {
            return Ok(());
        }
        self.laid_out(class, self.layouts.get(class), node, declared, to)
    }

    /// Reads a value of a class, with the layout that the class has.
    fn laid_out(
        &self,
        class: &str,
        layout: Option<&Layout>,
        node: Node<'_>,
        declared: &JavaType,
        to: &mut Taker<'_>,
    ) -> Read {
        match class {
            OPTIONAL => return self.optional(node, declared, to),
            REFERENCE => return self.reference(node, declared, to),
            _ => {}
        }
        if tree::is_node(class) {
            return tree::read(class, node, to);
        }
        if self.leaf(class, layout, node, declared, to)? {
            return Ok(());
        }
        if class.starts_with('[') {
            return self.array(class, node, declared, to);
        }
        let Some(layout) = layout else {
            return self.unknown(class, node, declared, to);
        };
        check_annotations(layout)?;
        match (&layout.shape, node.token()) {
            // An incomplete schema calls a class abstract that it cannot describe.
            (Shape::Object { fields, .. }, Token::Object(_))
                if layout.is_abstract && fields.is_empty() =>
            {
                self.unknown_object(class, node, to)
            }
            (Shape::Object { .. }, Token::Object(_)) if layout.is_abstract => {
                Err(no_objects(class))
            }
            (Shape::Object { fields, .. }, Token::Object(_)) => {
                self.object(layout, fields, node, declared, to)
            }
            (Shape::Container { .. }, _) => self.container(class, Some(layout), node, declared, to),
            (_, token) => Err(Mismatch::unknown(class.to_owned(), token.kind())),
        }
    }

    /// Reads a value that is `null`, of an enum, or of a class of the JDK that holds no others. False if
    /// it is none of these.
    #[inline(never)]
    fn leaf(
        &self,
        class: &str,
        layout: Option<&Layout>,
        node: Node<'_>,
        declared: &JavaType,
        to: &mut Taker<'_>,
    ) -> Result<bool, Mismatch> {
        if matches!(node.token(), Token::Null) {
            let read = match OPTIONALS.contains(&class) {
                true => empty(class).hand(to),
                false => null(declared, to),
            };
            return read.map(|()| true);
        }
        if quick(class, node, to)? {
            return Ok(true);
        }
        // Only the JDK has such classes.
        if class.starts_with("java.") | layout.is_none()
            && let Some(value) = scalar::read(class, node)
        {
            let value = value.ok_or_else(|| Mismatch::unknown(class.to_owned(), node.kind()))?;
            return value.hand(to).map(|()| true);
        }
        match layout.map(|it| (it, &it.shape)) {
            Some((layout, Shape::Enum { constants, .. })) => {
                let constant = self.constant(layout, constants, node.token())?;
                to(Source::Value(constant)).map(|()| true)
            }
            _ => Ok(false),
        }
    }

    /// Reads a constant from its name, or from its place in the enum.
    pub(super) fn constant(
        &self,
        layout: &Layout,
        constants: &[Name],
        token: &Token<'_>,
    ) -> Result<JavaValue, Mismatch> {
        let is_from_one = self.rules.shown_constants && layout.name == MONTH;
        let shown = match &layout.shape {
            Shape::Enum { shown, .. } if self.rules.shown_constants => shown,
            _ => &Shown::Names,
        };
        check_annotations(layout)?;
        let named = |name: &str| match &layout.names {
            Names::Given(given) => constants.get(given.find(name)?),
            _ => constants.iter().find(|it| *it == name),
        };
        let name = match token {
            Token::String(name) => match shown {
                _ if matches!(layout.names, Names::Given(_)) => named(name),
                Shown::Names => named(name).or_else(|| shown_as(&layout.name, constants, name)),
                Shown::Texts(texts) => {
                    let place = texts.iter().position(|it| *it == **name);
                    place.map_or_else(|| named(name), |it| constants.get(it))
                }
                Shown::Unknown => return Err(untold(&layout.name)),
            },
            Token::Integer(at) => at
                .checked_sub(i64::from(is_from_one))
                .and_then(|at| usize::try_from(at).ok())
                .and_then(|at| constants.get(at)),
            _ => None,
        };
        match (name, token) {
            (Some(name), _) => Ok(JavaValue::constant(layout.name.clone(), name.clone())),
            (None, Token::String(name)) => {
                Err(Mismatch::no_constant(layout.name.clone(), name, constants))
            }
            (None, token) => Err(Mismatch::unknown(layout.name.clone(), token.kind())),
        }
    }

    /// Reads a collection, a map, or a value of a class that neither the schema nor the codec
    /// knows.
    fn unknown(
        &self,
        class: &str,
        node: Node<'_>,
        declared: &JavaType,
        to: &mut Taker<'_>,
    ) -> Read {
        match node.token() {
            Token::Object(_) if !class::is_map(class) => self.unknown_object(class, node, to),
            Token::Array(_) | Token::Object(_) => self.container(class, None, node, declared, to),
            token => unknown(class, token, to),
        }
    }
}

/// Reads a value of a class that neither the schema nor the codec knows, if it holds no others.
fn unknown(class: &str, token: &Token<'_>, to: &mut Taker<'_>) -> Read {
    let is_from = |packages: &[&str]| packages.iter().any(|it| class.starts_with(it));
    let Token::String(text) = token else {
        return Err(Mismatch::unknown(class.to_owned(), token.kind()));
    };
    let text = text.as_ref().to_owned();
    if is_from(&["com.sun.", "jdk.", "sun."]) {
        // Java writes a value of a hidden class of the JDK, and cannot read it.
        return Err(Mismatch::unknown("a class that java reads", class));
    }
    let value = match is_from(&["java.", "javax."]) {
        // As Jackson writes a file, an address, a path and others.
        true => JavaValue::Text(Text {
            class: class.to_owned().into(),
            text,
        }),
        // Jackson writes no other value of a user's class as a string.
        false => JavaValue::constant(class.to_owned(), text),
    };
    to(Source::Value(value))
}

/// Reads what most fields hold. False if it is something else.
#[inline]
fn quick(class: &str, node: Node<'_>, to: &mut Taker<'_>) -> Result<bool, Mismatch> {
    match scalar::quick(class, node) {
        Some(value) => to(Source::Value(value)).map(|()| true),
        None => Ok(false),
    }
}

fn null(declared: &JavaType, to: &mut Taker<'_>) -> Read {
    unset(declared).hand(to)
}

fn natural(node: Node<'_>, to: &mut Taker<'_>) -> Read {
    to(Source::Value(scalar::natural(node)?))
}

/// Refuses an object of a class that no object has.
pub(super) fn no_objects(class: &str) -> Mismatch {
    Mismatch::because(format!(
        "java cannot make objects of {class}: the schema says it is abstract"
    ))
}

/// Refuses a class of which only annotations say how it is written.
pub(super) fn check_annotations(layout: &Layout) -> Result<(), Mismatch> {
    match layout.names {
        Names::Unknown => Err(Mismatch::because(format!(
            "annotations of jackson decide how {} is written, and the schema does not say how",
            layout.name
        ))),
        _ => Ok(()),
    }
}

/// Refuses a constant whose text is not known.
pub(super) fn untold(class: &Name) -> Mismatch {
    Mismatch::because(format!(
        "{class} overrides toString(), which jackson 3 writes: say in the schema what is shown"
    ))
}

/// The constant that Jackson 3 writes as this text.
fn shown_as<'c>(class: &str, constants: &'c [Name], text: &str) -> Option<&'c Name> {
    let is_it = |it: &&Name| jdk::constant_shown(class, it).as_deref() == Some(text);
    constants.iter().find(is_it)
}

/// The value that `null` stands for at a place of this type.
fn unset(declared: &JavaType) -> JavaValue {
    let held = || {
        let held = declared.arguments().first();
        held.map_or(JavaValue::Null, |it| unset(&it.without_wildcard()))
    };
    match declared.name().as_str() {
        "boolean" => JavaValue::Boolean(false),
        "byte" => JavaValue::Byte(0),
        "char" => JavaValue::Character(0),
        "double" => JavaValue::Double(0.0),
        "float" => JavaValue::Float(0.0),
        "int" => JavaValue::Integer(0),
        "long" => JavaValue::Long(0),
        "short" => JavaValue::Short(0),
        OPTIONAL => match held() {
            JavaValue::Null => JavaValue::Optional(None),
            held => JavaValue::Optional(Some(Box::new(held))),
        },
        REFERENCE => JavaValue::object(REFERENCE, [("value", held())]),
        name if OPTIONALS.contains(&name) => empty(name),
        _ => JavaValue::Null,
    }
}

fn empty(optional: &str) -> JavaValue {
    JavaValue::object(optional.to_owned(), [("value", JavaValue::Null)])
}

pub(super) const OPTIONAL: &str = "java.util.Optional";

/// An `Optional` for each of three primitive types.
pub(super) const OPTIONALS: [&str; 3] = [
    "java.util.OptionalDouble",
    "java.util.OptionalInt",
    "java.util.OptionalLong",
];

pub(super) const REFERENCE: &str = "java.util.concurrent.atomic.AtomicReference";

pub(super) const MONTH: &str = "java.time.Month";
