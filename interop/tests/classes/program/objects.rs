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
            // From the year 1 on, in which Java has another calendar than `java.time`.
            "java.util.Date" => {
                format!(
                    "new java.util.Date({}L)",
                    (long >> 15).max(-62_135_769_600_000)
                )
            }
            "java.net.URI" => "java.net.URI.create(\"http://x/y?z=1\")".to_owned(),
            "java.util.Currency" => "java.util.Currency.getInstance(\"EUR\")".to_owned(),
            "java.util.concurrent.TimeUnit" => "java.util.concurrent.TimeUnit.DAYS".to_owned(),
            "java.util.concurrent.atomic.AtomicBoolean" => {
                format!("new {name}({})", self.chance(0.5))
            }
            "java.util.concurrent.atomic.AtomicInteger" => format!("new {name}({})", long as i32),
            "java.util.concurrent.atomic.AtomicLong" => format!("new {name}({}L)", long / 2),
            "java.math.RoundingMode" => {
                let name = self.pick(&["UP", "HALF_EVEN", "UNNECESSARY"]);
                format!("java.math.RoundingMode.{name}")
            }
            "java.time.Month" => format!("java.time.Month.of({})", 1 + bits % 12),
            "java.time.temporal.ChronoUnit" => {
                let name = self.pick(&["NANOS", "HALF_DAYS", "WEEKS", "FOREVER"]);
                format!("java.time.temporal.ChronoUnit.{name}")
            }
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
            "java.time.LocalTime" => self.local_time(),
            "java.time.OffsetDateTime" => {
                let (time, offset) = (self.local_date_time(), self.offset());
                format!("{time}.atOffset({offset})")
            }
            "java.time.ZonedDateTime" => {
                // JSON keeps the offset of another zone, and not its name.
                format!("{}.atZone({})", self.local_date_time(), self.offset())
            }
            "java.time.Year" => format!("{name}.of({})", long as i16),
            "java.time.YearMonth" => format!("{name}.of({}, {})", long as i16, 1 + bits % 12),
            "java.time.Period" => {
                let [years, months, days] = [long as i8, (long >> 8) as i8, (long >> 16) as i8];
                format!("{name}.of({years}, {months}, {days})")
            }
            "java.time.ZoneOffset" => self.offset(),
            "java.time.ZoneId" => self.zone(),
            "java.io.File" => format!("new {name}(\"/tmp/{}.x\")", bits % 100),
            "java.lang.Class" => self.pick(&CLASSES).to_owned(),
            "java.lang.StringBuilder" => format!("new {name}({})", self.text()),
            "java.net.InetSocketAddress" => {
                format!("{name}.createUnresolved(\"redis\", {})", bits as u16)
            }
            "java.net.URL" => format!("url(\"http://x/y?z={}\")", bits % 100),
            "java.nio.charset.Charset" => {
                let name = self.pick(&["UTF-8", "ISO-8859-1", "UTF-16LE"]);
                format!("java.nio.charset.Charset.forName(\"{name}\")")
            }
            "java.sql.Date" => format!("new {name}({}L)", (long >> 20).abs()),
            "java.sql.Timestamp" => format!(
                "timestamp({}L, {})",
                (long >> 20).abs(),
                bits % 1_000_000_000
            ),
            "java.util.Calendar" => {
                let zone = self.pick(&ZONES);
                format!("calendar({}L, \"{zone}\")", (long >> 20).abs())
            }
            "java.util.Locale" => {
                let tag = self.pick(&["und", "de", "de-AT", "zh-Hant-TW", "ja-JP-u-ca-japanese"]);
                format!("{name}.forLanguageTag(\"{tag}\")")
            }
            "java.util.OptionalDouble" | "java.util.OptionalInt" | "java.util.OptionalLong" => {
                let number = match name {
                    "java.util.OptionalDouble" => format!("{:?}", (long as i32) as f64 / 8.0),
                    "java.util.OptionalInt" => format!("{}", long as i32),
                    _ => format!("{}L", long / 2),
                };
                match self.chance(0.3) {
                    true => format!("{name}.empty()"),
                    false => format!("{name}.of({number})"),
                }
            }
            "java.util.TimeZone" => {
                let zone = self.pick(&ZONES);
                format!("{name}.getTimeZone(\"{zone}\")")
            }
            "java.util.regex.Pattern" => {
                let flags = self.pick(&["0", "2", "10"]);
                format!("{name}.compile(\"a.*[b-c]\", {flags})")
            }
            "java.lang.Throwable" | "java.lang.Exception" => {
                let own = self.indices(Class::is_throwable);
                match own.is_empty() || depth > DEEPEST || self.chance(0.3) {
                    true => format!("new IllegalStateException({})", self.text()),
                    false => {
                        let class = self.pick(&own);
                        format!("(Exception) {}", self.object(class, &[], depth + 1))
                    }
                }
            }
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

    fn local_time(&mut self) -> String {
        let nanos: u64 = self.rng.random_range(0..86_400_000_000_000);
        // Java leaves out what is zero at the end.
        let unit = self.pick(&[
            1,
            1_000_000,
            1_000_000_000,
            60_000_000_000,
            3_600_000_000_000,
        ]);
        format!("java.time.LocalTime.ofNanoOfDay({}L)", nanos / unit * unit)
    }

    fn local_date_time(&mut self) -> String {
        let day = self.rng.random_range(0..40_000);
        format!(
            "java.time.LocalDate.ofEpochDay({day}L).atTime({})",
            self.local_time()
        )
    }

    fn offset(&mut self) -> String {
        let seconds = self.pick(&[0, 3_600, -3_600, 19_800, 64_800, -1, 3_661]);
        format!("java.time.ZoneOffset.ofTotalSeconds({seconds})")
    }

    fn zone(&mut self) -> String {
        format!("java.time.ZoneId.of(\"{}\")", self.pick(&ZONES))
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
        if self.chance(0.02) {
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
