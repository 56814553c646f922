//! Programs of random classes, and the source of random objects of them.

use std::fmt::Write;

use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

use crate::class::{self, Class, Field, Form, Parameter, path, write};
use crate::types::{Bound, Type};

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

/// What is read wrong today. Set one to `true` to let the generator make it.
mod known {
    /// The parameters of a class may have the names of its parent's: `Inverse<K, V> extends Pair<V, K>`.
    pub(super) const SAME_PARAMETERS: bool = true;
    /// Maps may have the key `@class`, which makes an object of them in `SmileJacksonCodec`.
    pub(super) const CLASS_KEYS: bool = true;
    /// A type parameter may be bound by a class that is final: `Box<T extends Rec>`. A schema has no
    /// bounds, and Jackson writes no class where it knows that there is but one.
    pub(super) const FINAL_BOUNDS: bool = false;
    /// There may be arrays of a parameter that is bound to a class with arguments: `T[]` where `T`
    /// is `Box<Rec>`. The type of the array has no arguments, so what Jackson leaves out is lost.
    pub(super) const GENERIC_ARRAYS: bool = false;
}

impl Program {
    pub(crate) fn new(seed: u64, limits: Limits) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let count = rng.random_range(3..9);
        let mut generator = Generator {
            has_times: rng.random_bool(0.25),
            has_interfaces: rng.random_bool(0.1),
            has_kotlin: rng.random_bool(0.15),
            has_inner: rng.random_bool(0.1),
            has_optional: rng.random_bool(0.1),
            has_empty_enums: rng.random_bool(0.2),
            limits,
            rng,
            classes: Vec::new(),
        };
        for index in 0..count {
            let class = generator.class(index);
            generator.classes.push(class);
        }
        generator.program(seed)
    }
}

struct Generator {
    rng: StdRng,
    limits: Limits,
    classes: Vec<Class>,
    /// What Jackson refuses to write is in few programs.
    has_times: bool,
    has_interfaces: bool,
    has_inner: bool,
    has_optional: bool,
    has_empty_enums: bool,
    /// What this crate does not read is in few, too.
    has_kotlin: bool,
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
            form,
        };
        if class.is_enum() {
            return class;
        }
        if matches!(class.form, Form::Interface) {
            return class;
        }
        if !matches!(class.form, Form::Inner(_)) && self.chance(0.45) {
            class.parameters = self.parameters(index);
        }
        if !matches!(class.form, Form::Record) {
            class.parent = self.parent(&class.parameters);
        }
        let interfaces = self.indices(|it| matches!(it.form, Form::Interface));
        if !interfaces.is_empty() && self.chance(0.5) {
            class.interface = Some(self.pick(&interfaces));
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
        for parameter in &mut class.parameters {
            let mut all = class.fields.iter().map(|it| &it.declared);
            parameter.is_component = all.any(|it| it.has_array_of(&parameter.name));
        }
        class
    }

    fn form(&mut self) -> Form {
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

    fn parameters(&mut self, index: usize) -> Vec<Parameter> {
        let mut names: Vec<&str> = vec!["T", "K", "V", "E"];
        names.shuffle(&mut self.rng);
        names.truncate(self.rng.random_range(1..4));
        let named = |it: &&str| match known::SAME_PARAMETERS {
            true => (*it).to_owned(),
            false => format!("{it}{index}"),
        };
        let names: Vec<String> = names.iter().map(named).collect();
        let bounds = self.indices(|it| {
            let is_open = matches!(it.form, Form::Plain | Form::Inner(_));
            it.parameters.is_empty() && it.is_concrete() && (is_open || known::FINAL_BOUNDS)
        });
        let bound = |generator: &mut Self| match generator.rng.random_range(0..10) {
            0..=1 => Some(Type::Scalar("java.lang.Number")),
            2 if !bounds.is_empty() => Some(Type::User(generator.pick(&bounds), Vec::new())),
            _ => None,
        };
        let parameter = |name| Parameter {
            name,
            bound: bound(self),
            is_component: false,
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
        if parameter.is_component && parameter.bound.is_none() && !known::GENERIC_ARRAYS {
            return Type::Scalar(self.scalar());
        }
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
            _ => Type::Scalar(self.scalar()),
        }
    }

    fn scalar(&mut self) -> &'static str {
        if self.has_times && self.chance(0.3) {
            return self.pick(&TIMES);
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
        let name = self.pick(&CONTAINERS);
        if self.chance(0.08) {
            return Type::Container(name, Vec::new());
        }
        let any = Parameter {
            name: String::new(),
            bound: None,
            is_component: false,
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

    fn program(mut self, seed: u64) -> Program {
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

    /// An expression for an object of exactly this class.
    fn object(&mut self, class: usize, arguments: &[Type], depth: u32) -> String {
        let declared = self.fields(class, arguments);
        let is_record = matches!(self.classes[class].form, Form::Record);
        let name = path(&self.classes, class);
        let mut expression = match is_record {
            true => format!("record({name}.class"),
            false => format!("object({name}.class"),
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

    /// What a parameter is bound to; its bound if the class is raw.
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
        let concrete = self.indices(Class::is_concrete);
        let fitting: Vec<_> = concrete
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
            if it.interface == Some(wanted) {
                return Some(Vec::new());
            }
            let Some(Type::User(parent, arguments)) = &it.parent else {
                return None;
            };
            let bound = |name: &str| self.bound(current, &above, name);
            above = arguments.iter().map(|it| it.bind(&bound)).collect();
            current = *parent;
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
            "java.util.Queue" => &["LinkedList", "ArrayDeque", "ConcurrentLinkedQueue"],
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

    fn boxed(&mut self, primitive: &str) -> String {
        self.scalar_value(
            match primitive {
                "boolean" => "java.lang.Boolean",
                "byte" => "java.lang.Byte",
                "short" => "java.lang.Short",
                "char" => "java.lang.Character",
                "int" => "java.lang.Integer",
                "long" => "java.lang.Long",
                "float" => "java.lang.Float",
                _ => "java.lang.Double",
            },
            0,
        )
    }

    fn scalar_value(&mut self, name: &str, depth: u32) -> String {
        let bits: u64 = self.rng.random();
        let shift = self.rng.random_range(0..64);
        let long = (bits as i64) >> shift;
        match name {
            "java.lang.Boolean" => self.chance(0.5).to_string(),
            "java.lang.Byte" => format!("(byte) {}", long as i8),
            "java.lang.Short" => format!("(short) {}", long as i16),
            "java.lang.Character" => format!("(char) {}", self.unit()),
            "java.lang.Integer" => format!("{}", long as i32),
            "java.lang.Long" => format!("{}L", if long == i64::MIN { 0 } else { long }),
            "java.lang.Float" => format!("{}f", (long as i16) as f32 / 8.0),
            "java.lang.Double" if self.chance(0.1) => self
                .pick(&["Double.NaN", "Double.POSITIVE_INFINITY", "-0.0", "1e300"])
                .to_owned(),
            "java.lang.Double" => format!("{:?}", (long as i32) as f64 / 100.0),
            "java.lang.String" => self.text(),
            "java.math.BigDecimal" => {
                let scale = self.rng.random_range(0..20);
                format!(
                    "new java.math.BigDecimal(java.math.BigInteger.valueOf({}L), {scale})",
                    long / 2
                )
            }
            "java.math.BigInteger" => format!(
                "new java.math.BigInteger(\"{}\")",
                i128::from(long) * i128::from(bits)
            ),
            "java.util.UUID" => {
                format!("new java.util.UUID({}L, {}L)", (bits >> 1) as i64, long / 2)
            }
            "java.util.Date" => format!("new java.util.Date({}L)", (long >> 22).abs()),
            "java.net.URI" => "java.net.URI.create(\"http://x/y?z=1\")".to_owned(),
            "java.util.Currency" => "java.util.Currency.getInstance(\"EUR\")".to_owned(),
            "java.util.concurrent.TimeUnit" => "java.util.concurrent.TimeUnit.DAYS".to_owned(),
            "java.time.Instant" => format!(
                "java.time.Instant.ofEpochSecond({}L, {}L)",
                (long >> 28).abs(),
                bits % 1_000_000_000
            ),
            "java.time.Duration" => format!(
                "java.time.Duration.ofSeconds({}L, {}L)",
                long >> 28,
                bits % 1_000_000_000
            ),
            "java.time.LocalDate" => format!(
                "java.time.LocalDate.ofEpochDay({}L)",
                (long as i16).unsigned_abs()
            ),
            "java.time.LocalDateTime" => format!(
                "java.time.LocalDateTime.ofEpochSecond({}L, {}, java.time.ZoneOffset.UTC)",
                (long as i32).unsigned_abs(),
                bits % 1_000_000_000
            ),
            "java.lang.Number" => {
                let number = self.pick(&NUMBERS);
                self.scalar_value(number, depth)
            }
            "java.lang.Comparable" | "java.io.Serializable" => {
                let name = self.pick(&SORTED);
                self.scalar_value(name, depth)
            }
            _ => self.any(depth),
        }
    }

    /// A value for a place where anything may stand.
    fn any(&mut self, depth: u32) -> String {
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

    fn text(&mut self) -> String {
        if known::CLASS_KEYS && self.chance(0.02) {
            return "\"@class\"".to_owned();
        }
        let length = match self.rng.random_range(0..12) {
            0 => self.rng.random_range(30..70),
            _ => self.rng.random_range(0..9),
        };
        let is_ascii = self.chance(0.7);
        let mut text = "\"".to_owned();
        for _ in 0..length {
            let unit = match is_ascii {
                true => self.rng.random_range(0x20..0x7f),
                false => self.unit(),
            };
            match u8::try_from(unit).map(char::from) {
                Ok(it @ ('"' | '\\')) => text.extend(['\\', it]),
                Ok(it @ ' '..='~') => text.push(it),
                Ok(_) if unit < 0x20 => text.push_str(&format!("\\{unit:03o}")),
                _ => text.push_str(&format!("\\u{unit:04x}")),
            }
        }
        text + "\""
    }

    /// Not half a pair.
    fn unit(&mut self) -> u16 {
        match self.rng.random_range(0..4) {
            0 => self.rng.random_range(0..0x80),
            1 => self.rng.random_range(0x80..0x800),
            _ => self.rng.random_range(0x800..0xd800),
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

fn is_sorted(container: &str) -> bool {
    ["Sorted", "Tree", "Priority"]
        .iter()
        .any(|it| container.contains(it))
}

const OBJECTS: usize = 4;
const DEEPEST: u32 = 4;

const NAMES: [&str; 12] = [
    "id", "name", "a", "b", "aB", "Zed", "x1", "type", "value", "_u", "$d", "état",
];
const CONSTANTS: [&str; 6] = ["NEW", "PAID", "A", "B", "mixedCase", "Ö"];
const PRIMITIVES: [&str; 8] = [
    "boolean", "byte", "short", "char", "int", "long", "float", "double",
];
const NUMBERS: [&str; 5] = [
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Double",
    "java.lang.Short",
    "java.math.BigDecimal",
];
const SORTED: [&str; 3] = ["java.lang.String", "java.lang.Integer", "java.lang.Long"];
const SCALARS: [&str; 19] = [
    "java.lang.String",
    "java.lang.String",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Long",
    "java.lang.Boolean",
    "java.lang.Byte",
    "java.lang.Short",
    "java.lang.Character",
    "java.lang.Float",
    "java.lang.Double",
    "java.math.BigDecimal",
    "java.math.BigInteger",
    "java.util.UUID",
    "java.util.Date",
    "java.lang.Object",
    "java.lang.Number",
    "java.net.URI",
    "java.util.concurrent.TimeUnit",
];
const TIMES: [&str; 4] = [
    "java.time.Instant",
    "java.time.Duration",
    "java.time.LocalDate",
    "java.time.LocalDateTime",
];
const CONTAINERS: [&str; 22] = [
    "java.util.List",
    "java.util.List",
    "java.util.List",
    "java.util.List",
    "java.util.Map",
    "java.util.Map",
    "java.util.Map",
    "java.util.Set",
    "java.util.Set",
    "java.util.Collection",
    "java.lang.Iterable",
    "java.util.Queue",
    "java.util.SortedSet",
    "java.util.SortedMap",
    "java.util.ArrayList",
    "java.util.LinkedList",
    "java.util.HashSet",
    "java.util.TreeSet",
    "java.util.PriorityQueue",
    "java.util.HashMap",
    "java.util.LinkedHashMap",
    "java.util.TreeMap",
];
const LISTS: &[&str] = &[
    "ArrayList",
    "ArrayList",
    "ArrayList",
    "ArrayList",
    "LinkedList",
    "Vector",
    "CopyOnWriteArrayList",
    "asList",
    "List.of",
    "emptyList",
    "singletonList",
    "unmodifiableList",
    "synchronizedList",
    "kotlin.emptyList",
    "kotlin.buildList",
];
const SETS: &[&str] = &[
    "HashSet",
    "LinkedHashSet",
    "LinkedHashSet",
    "Set.of",
    "emptySet",
    "singletonSet",
    "unmodifiableSet",
    "kotlin.emptySet",
];
const MAPS: &[&str] = &[
    "LinkedHashMap",
    "LinkedHashMap",
    "HashMap",
    "HashMap",
    "Hashtable",
    "ConcurrentHashMap",
    "Map.of",
    "emptyMap",
    "singletonMap",
    "unmodifiableMap",
    "kotlin.emptyMap",
];
/// Kinds that hold no null.
const NO_NULLS: [&str; 10] = [
    "List.of",
    "Set.of",
    "Map.of",
    "ArrayDeque",
    "ConcurrentLinkedQueue",
    "PriorityQueue",
    "TreeSet",
    "TreeMap",
    "Hashtable",
    "ConcurrentHashMap",
];
