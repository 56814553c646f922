//! Programs of random classes, and the source of random objects of them.

use std::fmt::Write;

use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

use crate::class::{Class, Field, Form, Parameter, path, write};
use crate::types::{Bound, Type};
use lists::*;

mod lists;
mod objects;
mod scalars;

/// Classes in one Java source that makes objects of them, the same ones for the same seed.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) seed: u64,
    /// The class around all others, without its package.
    pub(crate) name: String,
    pub(crate) source: String,
    /// The class of each object, as `Class.getName` spells it.
    pub(crate) objects: Vec<String>,
}

/// What a program may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) records: bool,
}

pub(crate) const PACKAGE: &str = "com.example.random";

impl Program {
    pub(crate) fn new(seed: u64, limits: Limits) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let count = rng.random_range(3..9);
        let mut generator = Generator {
            seed,
            has_times: rng.random_bool(0.25),
            has_rare: rng.random_bool(0.2),
            has_shared: rng.random_bool(0.2),
            has_interfaces: rng.random_bool(0.1),
            has_kotlin: rng.random_bool(0.15),
            has_inner: rng.random_bool(0.1),
            has_anonymous: rng.random_bool(0.1),
            has_optional: rng.random_bool(0.1),
            has_throwables: rng.random_bool(0.2),
            has_empty_enums: rng.random_bool(0.2),
            limits,
            rng,
            classes: Vec::new(),
            kept: Vec::new(),
        };
        for index in 0..count {
            let class = generator.class(index);
            generator.classes.push(class);
        }
        generator.program()
    }
}

struct Generator {
    seed: u64,
    rng: StdRng,
    limits: Limits,
    classes: Vec<Class>,
    /// What Jackson refuses to write is in few programs.
    has_times: bool,
    has_interfaces: bool,
    has_inner: bool,
    has_optional: bool,
    has_throwables: bool,
    has_empty_enums: bool,
    /// What this crate does not read is in few, too.
    has_anonymous: bool,
    has_kotlin: bool,
    has_rare: bool,
    /// If an object may stand at several places of another.
    has_shared: bool,
    /// What has been made and may stand at another place again: its type and name.
    kept: Vec<(Type, String)>,
}

impl Generator {
    fn chance(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability)
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from.choose(&mut self.rng).expect("there are some").clone()
    }

    fn indices(&self, fits: impl Fn(&Class) -> bool) -> Vec<usize> {
        (0..self.classes.len())
            .filter(|it| fits(&self.classes[*it]))
            .collect()
    }

    fn class(&mut self, index: usize) -> Class {
        let form = self.form();
        let mut class = Class {
            name: format!(
                "{}{index}",
                self.pick(&["Order", "Item", "Box", "Z", "Événement"])
            ),
            parameters: Vec::new(),
            parent: None,
            interface: None,
            fields: Vec::new(),
            own_code: None,
            is_annotated: self.seed >= FIRST_ANNOTATED && self.seed.is_multiple_of(4),
            form,
        };
        if class.is_enum() {
            return class;
        }
        if matches!(class.form, Form::Interface) {
            if self.chance(0.6) {
                class.parameters = self.parameters();
            }
            return class;
        }
        if class.is_throwable() {
            let parents = self.indices(Class::is_throwable);
            if !parents.is_empty() && self.chance(0.4) {
                class.parent = Some(Type::User(self.pick(&parents), Vec::new()));
            }
            class.fields = self.of_throwable(index);
            return class;
        }
        if !matches!(class.form, Form::Inner(_)) && self.chance(0.45) {
            class.parameters = self.parameters();
        }
        if !matches!(class.form, Form::Record) {
            class.parent = self.parent(&class.parameters);
        }
        if self.chance(0.08) {
            class.own_code = Some(self.pick(&OWN_CODE));
        }
        let interfaces = self.indices(|it| matches!(it.form, Form::Interface));
        // A class has an interface with the same arguments as its super classes.
        if !interfaces.is_empty() && !self.has_interface(&class) && self.chance(0.5) {
            let interface = self.pick(&interfaces);
            let arguments = self.arguments(interface, &class.parameters, 1, false);
            class.interface = Some(Type::User(interface, arguments));
        }
        let mut names: Vec<&str> = NAMES.to_vec();
        names.shuffle(&mut self.rng);
        for name in &names[..self.rng.random_range(0..5)] {
            let declared = self.declared(&class.parameters, 0);
            let modifiers = match self.rng.random_range(0..20) {
                0 => "public transient",
                1..=4 => "private",
                5 => "protected volatile",
                _ => "public",
            };
            class.fields.push(Field {
                name: (*name).to_owned(),
                declared,
                modifiers,
            });
        }
        class
    }

    /// True if the class or one above it has an interface.
    fn has_interface(&self, class: &Class) -> bool {
        let parent = match &class.parent {
            Some(Type::User(parent, _)) => Some(&self.classes[*parent]),
            _ => None,
        };
        class.interface.is_some() || parent.is_some_and(|it| self.has_interface(it))
    }

    /// The fields of an exception. A schema has no fields of exceptions, so these have types that
    /// JSON shows, and names that none of another class hides.
    fn of_throwable(&mut self, index: usize) -> Vec<Field> {
        let mut names: Vec<&str> = NAMES.to_vec();
        names.shuffle(&mut self.rng);
        let plain = self.indices(|it| matches!(it.form, Form::Plain) && it.parameters.is_empty());
        let field = |name: &str| {
            let declared = match self.rng.random_range(0..6) {
                0 => Type::Primitive("int"),
                1 => Type::Primitive("boolean"),
                2 => Type::Scalar("java.lang.Integer"),
                3 => Type::Scalar(self.pick(&THROWABLES)),
                4 if !plain.is_empty() => Type::User(self.pick(&plain), Vec::new()),
                _ => Type::Scalar("java.lang.String"),
            };
            Field {
                name: format!("{name}{index}"),
                declared,
                modifiers: "public",
            }
        };
        names[..3].iter().copied().map(field).collect()
    }

    fn form(&mut self) -> Form {
        if self.has_throwables && self.chance(0.25) {
            return Form::Throwable;
        }
        let around = self.indices(|it| it.parameters.is_empty() && matches!(it.form, Form::Plain));
        match self.rng.random_range(0..20) {
            0..=2 => {
                let mut constants: Vec<&str> = CONSTANTS.to_vec();
                constants.shuffle(&mut self.rng);
                let has_bodies = self.chance(0.5);
                let constants = constants[..self.rng.random_range(1..5)].iter();
                let constants = constants.map(|it| ((*it).to_owned(), has_bodies));
                let mut constants: Vec<_> = constants.collect();
                for constant in &mut constants {
                    constant.1 = constant.1 && self.rng.random_bool(0.6);
                }
                if self.chance(0.2) {
                    constants.extend((0..MANY).map(|it| (format!("C{it}"), false)));
                }
                Form::Enum(constants)
            }
            3..=4 => Form::Abstract,
            5 => Form::Final,
            6 => Form::Interface,
            7..=8 if self.limits.records => Form::Record,
            9..=11 if self.has_inner && !around.is_empty() => Form::Inner(self.pick(&around)),
            _ => Form::Plain,
        }
    }

    fn parameters(&mut self) -> Vec<Parameter> {
        let mut names: Vec<&str> = vec!["T", "K", "V", "E"];
        names.shuffle(&mut self.rng);
        names.truncate(self.rng.random_range(1..4));
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let bounds = self.indices(|it| it.parameters.is_empty() && it.is_concrete());
        let bound = |generator: &mut Self| match generator.rng.random_range(0..10) {
            0..=1 => Some(Type::Scalar("java.lang.Number")),
            2 if !bounds.is_empty() => Some(Type::User(generator.pick(&bounds), Vec::new())),
            _ => None,
        };
        let parameter = |name| Parameter {
            name,
            bound: bound(self),
        };
        names.into_iter().map(parameter).collect()
    }

    fn parent(&mut self, scope: &[Parameter]) -> Option<Type> {
        let parents = self.indices(Class::is_parent);
        if parents.is_empty() || !self.chance(0.6) {
            return None;
        }
        let parent = self.pick(&parents);
        let arguments = self.arguments(parent, scope, 1, false);
        Some(Type::User(parent, arguments))
    }

    /// Arguments for a class; none if it has no parameters or is to be raw.
    fn arguments(
        &mut self,
        class: usize,
        scope: &[Parameter],
        depth: u32,
        wildcards: bool,
    ) -> Vec<Type> {
        if self.chance(0.12) {
            return Vec::new();
        }
        let parameters = self.classes[class].parameters.clone();
        let argument = |it: &Parameter| self.argument(it, scope, depth, wildcards);
        parameters.iter().map(argument).collect()
    }

    fn argument(
        &mut self,
        parameter: &Parameter,
        scope: &[Parameter],
        depth: u32,
        wildcards: bool,
    ) -> Type {
        let own = scope.iter().filter(|it| it.bound == parameter.bound);
        let own: Vec<Type> = own.map(|it| Type::Parameter(it.name.clone())).collect();
        if !own.is_empty() && self.chance(0.6) {
            return self.pick(&own);
        }
        let wildcard = wildcards && self.chance(0.2);
        match &parameter.bound {
            bound if wildcard && self.chance(0.5) => {
                let of = bound.clone().unwrap_or(Type::OBJECT);
                Type::Wildcard(Bound::None, Box::new(of))
            }
            None => {
                let argument = self.reference(scope, depth + 1);
                match wildcard {
                    true if self.chance(0.7) => Type::Wildcard(Bound::Extends, Box::new(argument)),
                    true => Type::Wildcard(Bound::Super, Box::new(argument)),
                    false => argument,
                }
            }
            Some(Type::Scalar(_)) => Type::Scalar(self.pick(&NUMBERS)),
            Some(bound) => bound.clone(),
        }
    }

    /// A declared type of a field.
    fn declared(&mut self, scope: &[Parameter], depth: u32) -> Type {
        match self.rng.random_range(0..20) {
            0..=2 => Type::Primitive(self.pick(&PRIMITIVES)),
            3 => Type::Array(Box::new(Type::Primitive(self.pick(&PRIMITIVES)))),
            4..=5 => Type::Array(Box::new(self.component(scope))),
            6..=8 if !scope.is_empty() => Type::Parameter(self.pick(scope).name),
            _ => self.reference(scope, depth),
        }
    }

    /// The type of the elements of an array: no generic class, of which Java makes no arrays.
    fn component(&mut self, scope: &[Parameter]) -> Type {
        let classes = self.indices(|it| it.parameters.is_empty());
        match self.rng.random_range(0..6) {
            0..=1 if !scope.is_empty() => Type::Parameter(self.pick(scope).name),
            2..=3 if !classes.is_empty() => Type::User(self.pick(&classes), Vec::new()),
            4 => Type::Array(Box::new(Type::Scalar(self.scalar()))),
            5 if self.chance(0.5) => Type::Container(self.pick(&COMPONENTS), Vec::new()),
            _ => Type::Scalar(self.scalar()),
        }
    }

    fn scalar(&mut self) -> &'static str {
        if self.has_times && self.chance(0.3) {
            return self.pick(&TIMES);
        }
        if self.has_rare && self.chance(0.3) {
            return self.pick(&RARE);
        }
        if self.has_throwables && self.chance(0.1) {
            return self.pick(&THROWABLES);
        }
        match self.has_interfaces && self.chance(0.2) {
            true => self.pick(&["java.lang.Comparable", "java.io.Serializable"]),
            false => self.pick(&SCALARS),
        }
    }

    /// Any type but a primitive one.
    fn reference(&mut self, scope: &[Parameter], depth: u32) -> Type {
        let deep = depth > 2;
        let all = self.indices(|_| true);
        match self.rng.random_range(0..20) {
            0..=1 if !scope.is_empty() => Type::Parameter(self.pick(scope).name),
            2..=7 if !all.is_empty() && !deep => {
                let class = self.pick(&all);
                let arguments = self.arguments(class, scope, depth, true);
                Type::User(class, arguments)
            }
            8..=12 if !deep => self.container(scope, depth),
            13 => Type::Array(Box::new(self.component(scope))),
            _ => Type::Scalar(self.scalar()),
        }
    }

    fn container(&mut self, scope: &[Parameter], depth: u32) -> Type {
        if self.has_optional && self.chance(0.3) {
            let of = Type::Scalar(self.scalar());
            return Type::Container("java.util.Optional", vec![of]);
        }
        let enums = self.indices(Class::is_enum);
        if !enums.is_empty() && self.chance(0.1) {
            let of = Type::User(self.pick(&enums), Vec::new());
            return match self.chance(0.5) {
                true => Type::Container("java.util.EnumSet", vec![of]),
                false => {
                    let value = self.reference(scope, depth + 1);
                    Type::Container("java.util.EnumMap", vec![of, value])
                }
            };
        }
        let name = match self.chance(0.05) {
            true => REFERENCE,
            false => self.pick(&CONTAINERS),
        };
        if self.chance(0.08) {
            return Type::Container(name, Vec::new());
        }
        let any = Parameter {
            name: String::new(),
            bound: None,
        };
        let mut arguments = vec![self.argument(&any, scope, depth, true)];
        if is_sorted(name) {
            arguments = vec![Type::Scalar(self.pick(&SORTED))];
        }
        if name.ends_with("Map") {
            if !is_sorted(name) {
                arguments = vec![self.key(scope)];
            }
            arguments.push(self.argument(&any, scope, depth, true));
        }
        Type::Container(name, arguments)
    }

    fn key(&mut self, scope: &[Parameter]) -> Type {
        let enums = self.indices(Class::is_enum);
        match self.rng.random_range(0..10) {
            0 if !scope.is_empty() => Type::Parameter(self.pick(scope).name),
            1 if !enums.is_empty() => Type::User(self.pick(&enums), Vec::new()),
            2 => Type::Scalar("java.lang.Long"),
            3 => Type::Scalar("java.lang.Integer"),
            4 => Type::Scalar("java.util.UUID"),
            5 => Type::OBJECT,
            _ => Type::Scalar("java.lang.String"),
        }
    }

    fn program(mut self) -> Program {
        let seed = self.seed;
        let name = format!("Random{seed}");
        let mut source = format!("package {PACKAGE};\n\nimport static interop.named.Make.*;\n\n");
        let _ = writeln!(source, "// Seed {seed}.\npublic class {name} {{");
        for index in 0..self.classes.len() {
            if !matches!(self.classes[index].form, Form::Inner(_)) {
                write(&self.classes, index, &mut source);
            }
        }
        // Jackson does not read what it writes for whole values of other classes.
        let mut concrete = self.indices(|it| matches!(it.form, Form::Plain));
        if concrete.is_empty() {
            concrete = self.indices(Class::is_concrete);
        }
        // The last classes know most of the others.
        concrete.reverse();
        let mut objects = Vec::new();
        for place in 0..OBJECTS {
            let Some(class) = concrete.get(if place < 2 { 0 } else { place - 1 }) else {
                break;
            };
            let class = *class;
            let arguments = self.free(class);
            let object = self.object(class, &arguments, 0);
            let i = objects.len();
            let _ = writeln!(
                source,
                "  static Object object{i}() {{\n    return {object};\n  }}"
            );
            let path = path(&self.classes, class).replace('.', "$");
            objects.push(format!("{PACKAGE}.{name}${path}"));
        }
        let all: Vec<_> = (0..objects.len())
            .map(|it| format!("object{it}()"))
            .collect();
        let all = all.join(", ");
        let _ = writeln!(
            source,
            "  public static Object[] values() {{\n    return new Object[] {{{all}}};\n  }}\n}}"
        );
        Program {
            seed,
            name,
            source,
            objects,
        }
    }

    /// Some argument for each parameter of a class.
    fn free(&mut self, class: usize) -> Vec<Type> {
        let parameters = self.classes[class].parameters.clone();
        let argument = |it: &Parameter| self.argument(it, &[], 1, false);
        parameters.iter().map(argument).collect()
    }
}

fn is_sorted(container: &str) -> bool {
    ["Sorted", "Tree", "Priority"]
        .iter()
        .any(|it| container.contains(it))
}

const OBJECTS: usize = 4;
/// The programs of the table have no annotations.
const FIRST_ANNOTATED: u64 = 1_000;
const DEEPEST: u32 = 4;
