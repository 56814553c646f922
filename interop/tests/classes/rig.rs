//! Real Redisson, `rdq schema` and the codecs of this crate, side by side.

use std::fs;
use std::ops::Range;

use bytes::Bytes;
use interop::codecs::{MakeCodec, Setting, codecs};
use interop::exact::{EMPTY, difference, exact};
use interop::operator::operate;
use interop::oracle::Oracle;
use interop::value;
use redisson_delayed_queue::java::Schema;
use serde_json::{Map, Value};
use testbed::Directory;

use crate::program::{Limits, PACKAGE, Program};
use crate::tally::{Outcome, Tally};

pub(crate) struct Rig {
    oracle: Oracle,
    codecs: Vec<(&'static str, MakeCodec)>,
    folder: Directory,
    tags_uuids: bool,
}

/// An object that Java wrote and this crate reads otherwise.
#[derive(Debug)]
pub(crate) struct Wrong {
    seed: u64,
    codec: String,
    object: usize,
    place: String,
    payload: Bytes,
    pub(crate) source: String,
}

/// A payload that Java wrote.
struct Written<'a> {
    program: &'a Program,
    schema: &'a Schema,
    object: usize,
    /// Its place in the codecs.
    codec: usize,
    payload: Bytes,
}

impl Rig {
    pub(crate) fn start(version: &str) -> Self {
        let folder = Directory::new();
        // Java forgets a folder that is not there when it starts.
        fs::create_dir(folder.path().join("classes")).expect("folders can be made");
        let mut codecs = codecs();
        codecs.retain(|(name, _)| !HOLD_NO_OBJECTS.contains(name));
        Self {
            oracle: Oracle::with_classes(version, &folder.path().join("classes")),
            codecs,
            folder,
            tags_uuids: version == "4.7.0",
        }
    }

    /// Compares what both languages read. Returns what differs.
    pub(crate) fn check(
        &mut self,
        seeds: Range<u64>,
        limits: Limits,
        tally: &mut Tally,
    ) -> Vec<Wrong> {
        let programs: Vec<Program> = seeds.map(|seed| Program::new(seed, limits)).collect();
        self.compile(&programs);
        let schemas: Vec<Option<Schema>> = programs
            .iter()
            .map(|program| {
                tally.program();
                let described = self.schema(program);
                described
                    .inspect_err(|cause| tally.no_schema(program.seed, cause))
                    .ok()
            })
            .collect();
        let payloads = self.payloads(&programs, &schemas, tally);
        self.compare(payloads, tally)
    }

    fn compile(&mut self, programs: &[Program]) {
        let sources = self.folder.path().join("sources");
        fs::remove_dir_all(&sources).ok();
        fs::create_dir(&sources).expect("folders can be made");
        for Program { name, source, .. } in programs {
            fs::write(sources.join(format!("{name}.java")), source).expect("files can be written");
        }
        let compiled = self
            .oracle
            .compile(&self.folder.path().join("classes"), &sources);
        compiled.unwrap_or_else(|error| panic!("in {}: {error}", sources.display()));
    }

    fn schema(&self, program: &Program) -> Result<Schema, String> {
        let classes = self
            .folder
            .path()
            .join("classes")
            .join(PACKAGE.replace('.', "/"));
        let own = format!("{}$", program.name);
        let files = fs::read_dir(classes).expect("the classes are here");
        let files = files.map(|it| it.expect("folders can be read").path());
        let mut files: Vec<String> = files
            .filter_map(|it| Some(it.to_str()?.to_owned()))
            .filter(|it| it.rsplit('/').next().is_some_and(|it| it.starts_with(&own)))
            .collect();
        files.sort();
        let file = self.folder.path().join("schema.json");
        let mut arguments = vec![
            "schema",
            "--output",
            file.to_str().expect("paths are UTF-8"),
        ];
        arguments.extend(files.iter().map(String::as_str));
        let done = operate(
            env!("CARGO_BIN_EXE_peer"),
            "redis://127.0.0.1:1",
            &arguments,
        );
        if done.code != 0 {
            return Err(done.said);
        }
        let schema = fs::read_to_string(file).expect("rdq has written it");
        Schema::from_json(&schema).map_err(|error| error.to_string())
    }

    /// What Java writes for each object with each codec.
    fn payloads<'a>(
        &mut self,
        programs: &'a [Program],
        schemas: &'a [Option<Schema>],
        tally: &mut Tally,
    ) -> Vec<Written<'a>> {
        let mut asked = Vec::new();
        for (program, schema) in programs.iter().zip(schemas) {
            let Some(schema) = schema else { continue };
            for object in 0..program.objects.len() {
                let all = 0..self.codecs.len();
                asked.extend(all.map(|codec| Written {
                    program,
                    schema,
                    object,
                    codec,
                    payload: Bytes::new(),
                }));
            }
        }
        let wanted = asked.iter().map(|it| (self.java(it), id(it)));
        let wanted: Vec<_> = wanted.collect();
        let payloads = self.oracle.encode_all(wanted);
        let written = asked.into_iter().zip(payloads);
        let mut has = Vec::new();
        for (mut it, payload) in written {
            match payload {
                Ok(payload) => {
                    it.payload = payload.into();
                    has.push(it);
                }
                Err(error) if error.contains("no such codec") => {}
                Err(_) => tally.count(
                    self.codecs[it.codec].0,
                    it.program.seed,
                    Outcome::RefusedByJava,
                ),
            }
        }
        has
    }

    fn compare(&mut self, payloads: Vec<Written<'_>>, tally: &mut Tally) -> Vec<Wrong> {
        let back = payloads
            .iter()
            .map(|it| (self.java(it), value::encode(&it.payload)));
        let back: Vec<_> = back.collect();
        let back = self.oracle.exact_all(back);
        let original = payloads
            .iter()
            .map(|it| ("StringCodec", format!("@{}", id(it))));
        let original = self.oracle.exact_all(original);

        let mut wrong = Vec::new();
        let mut rewritten = Vec::new();
        for ((it, back), original) in payloads.iter().zip(back).zip(original) {
            let (codec, make) = &self.codecs[it.codec];
            let Ok(back) = back else {
                tally.count(codec, it.program.seed, Outcome::LostByJava);
                continue;
            };
            let original = parsed(&original.expect("Java can print what it has made"));
            let back = parsed(&back);
            let setting = Setting {
                schema: it.schema.clone(),
                tags_uuids: self.tags_uuids,
                marshals: false,
            };
            let read = match make(&setting).read(it.payload.clone()) {
                Ok(read) => read,
                Err(cause) => {
                    let is_exact = difference(&original, &original, &back).is_none();
                    let cause = match is_exact {
                        true => cause,
                        false => format!("Java itself reads another value than it wrote: {cause}"),
                    };
                    tally.count(codec, it.program.seed, Outcome::Refused(cause));
                    continue;
                }
            };
            let value = read.value.map(|value| exact(&value));
            let difference = value.and_then(|value| difference(&original, &back, &value));
            match difference {
                Some(place) => wrong.push(self.wrong(it, place)),
                None => rewritten.push((it, original, back, read.written)),
            }
        }
        for (it, original, back, written) in rewritten {
            let codec = self.codecs[it.codec].0;
            let written = match written {
                Err(cause) => {
                    tally.count(codec, it.program.seed, Outcome::ReadOnly(cause));
                    continue;
                }
                Ok(written) => written,
            };
            if written == it.payload {
                tally.count(codec, it.program.seed, Outcome::Same);
                continue;
            }
            let ours = self
                .oracle
                .exact_all([(self.java(it), value::encode(&written))]);
            match ours
                .into_iter()
                .next()
                .expect("each question has an answer")
            {
                Err(cause) => {
                    let place = format!(": what Rust writes is not read by Java: {cause}");
                    wrong.push(self.wrong(it, place));
                }
                Ok(ours) => match differs(codec, &original, &back, &parsed(&ours)) {
                    Some(place) => {
                        let place = format!("{place}, from what Rust writes");
                        wrong.push(self.wrong(it, place));
                    }
                    None => tally.count(codec, it.program.seed, Outcome::Same),
                },
            }
        }
        wrong
    }

    fn wrong(&self, it: &Written<'_>, place: String) -> Wrong {
        Wrong {
            seed: it.program.seed,
            codec: self.java(it),
            object: it.object,
            place,
            payload: it.payload.clone(),
            source: it.program.source.clone(),
        }
    }

    /// How the oracle names the codec.
    fn java(&self, it: &Written<'_>) -> String {
        let name = self.codecs[it.codec].0;
        if is_typed(name) {
            return format!("{name}({})", it.program.objects[it.object]);
        }
        name.to_owned()
    }
}

/// How the oracle names the object.
fn id(it: &Written<'_>) -> String {
    format!("{PACKAGE}.{}#{}", it.program.name, it.object)
}

/// Where what Java reads from our payload differs from what it reads from its own.
fn differs(codec: &str, original: &Value, back: &Value, ours: &Value) -> Option<String> {
    let simplify = match codec {
        _ if is_typed(codec) => |it: &Value| without_nulls(&loose(it)),
        _ if codec.contains("Json") || codec.contains("Jackson") => without_nulls,
        _ => return difference(original, back, ours),
    };
    let [original, back, ours] = [original, back, ours].map(simplify);
    difference(&original, &back, &ours)
}

/// True if the codec writes JSON without classes. Here it is read as `serde_json::Value`, which
/// sorts the keys of maps and has only floating numbers.
fn is_typed(codec: &str) -> bool {
    ["JacksonCodec", "Jackson3Codec", "TypedJsonJacksonCodec"].contains(&codec)
}

/// The value without what `serde_json::Value` does not keep.
fn loose(exact: &Value) -> Value {
    match exact {
        Value::Array(items) => items.iter().map(loose).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                let mut value = loose(value);
                if let Some(entries) = entries(name, &mut value) {
                    entries.sort_by_key(ToString::to_string);
                }
                (name.clone(), value)
            };
            if let Some(number) = number(fields) {
                return number;
            }
            let loose: Map<String, Value> = fields.iter().map(field).collect();
            match holds_nothing(&loose) {
                true => Value::Null,
                false => Value::Object(loose),
            }
        }
        // Java keeps the digits of a number that it reads as a text.
        Value::String(text) if let Ok(number) = text.parse::<f64>() => number.to_string().into(),
        other => other.clone(),
    }
}

/// The value without the entries of maps that are null. Most of Jackson's codecs write none; but they
/// write an empty `Optional` as a null, and may read that as one.
fn without_nulls(exact: &Value) -> Value {
    match exact {
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                let mut value = without_nulls(value);
                if let Some(entries) = entries(name, &mut value) {
                    entries.retain(|entry| !entry[1].is_null());
                }
                (name.clone(), value)
            };
            fields.iter().map(field).collect()
        }
        other => other.clone(),
    }
}

/// The entries of a value, if this is the class of a map.
fn entries<'a>(class: &str, value: &'a mut Value) -> Option<&'a mut Vec<Value>> {
    let entries = match value {
        Value::Object(any) => any.get_mut("$any")?,
        ordered => ordered,
    };
    match class.ends_with("Map") {
        true => entries.as_array_mut(),
        false => None,
    }
}

/// True for an empty `Optional` or `AtomicReference`, which Jackson makes of a null.
fn holds_nothing(fields: &Map<String, Value>) -> bool {
    let mut fields = fields.iter();
    fields.any(|(class, held)| {
        EMPTY.contains(&class.as_str()) && *held == Value::Array(vec![Value::Null])
    })
}

/// The number, if it is one that JSON writes like a floating one.
fn number(fields: &Map<String, Value>) -> Option<Value> {
    let (class, text) = fields.iter().next()?;
    let text = text.as_str()?;
    let number: Option<f64> = match class.as_str() {
        "java.lang.Double" => u64::from_str_radix(text, 16).ok().map(f64::from_bits),
        "java.math.BigInteger" => text.parse().ok(),
        "java.math.BigDecimal" => {
            let (digits, scale) = text.split_once('/')?;
            let exponent = -scale.parse::<i32>().ok()?;
            format!("{digits}e{exponent}").parse().ok()
        }
        _ => return None,
    };
    // JSON has no infinity.
    Some(number.map_or(Value::Null, |it| it.to_string().into()))
}

fn parsed(exact: &str) -> Value {
    serde_json::from_str(exact).unwrap_or_else(|error| panic!("{error}: {exact}"))
}

impl Wrong {
    /// What is wrong, and how to see it again.
    pub(crate) fn line(&self) -> String {
        let Self {
            seed,
            codec,
            object,
            ..
        } = self;
        let (place, payload) = (&self.place, &self.payload);
        format!("SEED={seed} {codec} object{object}{place}, payload {payload:x}\n")
    }
}

/// These write texts, numbers and bytes.
const HOLD_NO_OBJECTS: [&str; 5] = [
    "StringCodec",
    "LongCodec",
    "IntegerCodec",
    "DoubleCodec",
    "ByteArrayCodec",
];
