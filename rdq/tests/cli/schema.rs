//! `rdq schema`

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use redisson_delayed_queue::codec::{CATALOG, Codec, JsonJacksonCodec, Kryo5Codec, Values, verify};
use redisson_delayed_queue::java::{JavaObject, JavaValue, Schema};
use serde_json::Value;
use testbed::Directory;

use crate::rdq::{done, run};
use crate::vectors;

#[expect(unreachable_pub, reason = "users make a public module of it")]
mod odd;
#[expect(
    clippy::type_complexity,
    unreachable_pub,
    reason = "Java nests types without names, and users make a public module of it"
)]
mod orders;

/// Nobody listens there.
const NOWHERE: &str = "redis://127.0.0.1:1";

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs a program of the JDK, and returns what it prints.
fn jdk(program: &str, args: &[&str]) -> String {
    let output = Command::new(program)
        .args(args)
        .env("LC_ALL", "C.UTF-8")
        .output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Compiles Java sources into the folder.
fn compile(folder: &Path, class_path: &Path, sources: &[PathBuf]) {
    let mut args = vec![
        "-encoding",
        "UTF-8",
        "-nowarn",
        "-d",
        text(folder),
        "-cp",
        text(class_path),
    ];
    args.extend(sources.iter().map(|it| text(it)));
    jdk("javac", &args);
}

/// A source that is here beside this file.
fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cli/schema")
        .join(name)
}

/// The classes that the payloads of real Redisson hold.
fn orders(folder: &Path) {
    let sources = vectors::path("java/src/main/java/com/example/orders");
    let sources = fs::read_dir(sources).unwrap().map(|it| it.unwrap().path());
    compile(folder, folder, &sources.collect::<Vec<_>>());
}

fn odd(folder: &Path) {
    compile(folder, folder, &[here("Odd.java"), here("JsonIgnore.java")]);
}

/// Each schema of the tests of the codecs, and so each payload they read, has these very classes.
#[test]
fn the_schema_of_the_interop_classes_is_the_one_of_all_tests() {
    let folder = Directory::new();
    orders(folder.path());
    let made = done(NOWHERE, &["schema", text(folder.path())]);
    let expected = fs::read_to_string(vectors::path("vectors/schema.json")).unwrap();
    assert_eq!(made, expected);
}

/// In every codec that needs classes, the objects come back, and most as the same bytes.
#[test]
fn payloads_of_redisson_are_read_with_the_schema() {
    let folder = Directory::new();
    orders(folder.path());
    let file = folder.path().join("orders.json");
    done(
        NOWHERE,
        &["schema", text(folder.path()), "--output", text(&file)],
    );
    let schema = Schema::from_json(&fs::read_to_string(&file).unwrap()).unwrap();
    let mut codecs = 0;
    for entry in CATALOG {
        let (name, Values::Java(make)) = (entry.redisson, entry.values) else {
            continue;
        };
        let codec = make(schema.clone()).unwrap();
        let objects = vectors::all().into_iter().filter(|it| {
            let is_described = it.java_type.starts_with("com.example.");
            it.codec == name && is_described && it.roundtrip.is_none()
        });
        let (mut read, mut same) = (0, 0);
        for vector in objects {
            let payload = vector.payload();
            let value = codec.decode(payload.clone());
            let value = value.unwrap_or_else(|error| panic!("{name} {}: {error}", vector.id));
            same += usize::from(codec.encode(&value).is_ok_and(|it| it == payload));
            read += 1;
        }
        // Some codecs are for numbers or bytes.
        if read == 0 {
            continue;
        }
        codecs += 1;
        // Jackson 3 puts the parameters of constructors first, and no schema has these.
        let most = name == "JsonJackson3Codec" || same * 4 >= read * 3;
        assert!(read >= 4 && most, "{name}: {same} of {read}");
    }
    assert_eq!(codecs, 8);
}

/// The structs describe the same classes as the schema file, and hold what Java wrote.
#[test]
fn the_rust_types_describe_the_same_classes() {
    let folder = Directory::new();
    orders(folder.path());
    let made = done(NOWHERE, &["schema", text(folder.path()), "--rust"]);
    let here = include_str!("schema/orders.rs");
    assert_eq!(
        made, here,
        "run rdq schema --rust again, and check what changed"
    );

    let mut described = Schema::new();
    orders::BoxHolder::describe(&mut described);
    orders::Deep::describe(&mut described);
    orders::FinaleHolder::describe(&mut described);
    orders::Holder::describe(&mut described);
    orders::Node::describe(&mut described);
    orders::NonSerializable::describe(&mut described);
    orders::Note::describe(&mut described);
    orders::OrderEvent::describe(&mut described);
    orders::OrderPlaced::describe(&mut described);
    orders::Outer::describe(&mut described);
    orders::Inner::describe(&mut described);
    orders::Заказ::describe(&mut described);
    let file = fs::read_to_string(vectors::path("vectors/schema.json")).unwrap();
    assert_eq!(described, Schema::from_json(&file).unwrap());

    for (id, check) in [
        ("list.tags", verified::<orders::Tags> as fn(&str)),
        ("pojo.boxholder", verified::<orders::BoxHolder>),
        ("pojo.finalholder", verified::<orders::FinaleHolder>),
        ("pojo.node.shared", verified::<orders::Node>),
        ("pojo.note", verified::<orders::Note>),
        ("pojo.inherit", verified::<orders::PaymentEvent>),
        ("pojo.orderplaced", verified::<orders::OrderPlaced>),
        ("pojo.shadow", verified::<orders::Shadow>),
        ("record", verified::<orders::OrderRecord>),
    ] {
        check(id);
    }
}

/// The struct reads what Java wrote with Kryo, and writes the same bytes.
fn verified<T: JavaObject + 'static>(id: &str) {
    let payload = vectors::of("Kryo5Codec", id).payload();
    let codec = Kryo5Codec::<T>::new();
    verify(&codec, payload).unwrap_or_else(|error| panic!("{id}: {error:?}"));
}

#[test]
fn generics_sealed_interfaces_and_constants_with_bodies_are_described() {
    let folder = Directory::new();
    odd(folder.path());
    let made = done(
        NOWHERE,
        &[
            "schema",
            text(folder.path()),
            "--class",
            "com.example.odd.*",
        ],
    );
    let schema: Value = serde_json::from_str(&made).unwrap();
    let odd = &schema["com.example.odd.Odd"];
    let parameters = serde_json::json!(["K extends java.lang.Comparable<K>", "V"]);
    assert_eq!(odd["parameters"], parameters);
    let fields: Vec<(&str, &str)> = odd["fields"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, declared)| (name.as_str(), declared.as_str().unwrap()))
        .collect();
    for expected in [
        ("all", "java.util.Map<K, ? extends java.util.Collection<V>>"),
        ("array", "V[]"),
        ("blobs", "byte[][]"),
        ("into", "java.util.List<? super java.lang.Integer>"),
        (
            "levels",
            "java.util.EnumMap<com.example.odd.Odd$Level, java.util.Set<java.lang.String>>",
        ),
        ("next", "com.example.odd.Odd<K, V>"),
    ] {
        assert!(fields.contains(&expected), "{expected:?}: {fields:?}");
    }
    // The others are static or transient.
    assert_eq!(fields.len(), 13);

    let level = &schema["com.example.odd.Odd$Level"];
    assert_eq!(
        level["enum"],
        serde_json::json!(["LOW", "NOT_SO_HIGH", "high"])
    );
    assert_eq!(
        level["bodies"],
        serde_json::json!({"NOT_SO_HIGH": "com.example.odd.Odd$Level$2"})
    );
    assert_eq!(
        schema["com.example.odd.Odd$Shape"],
        serde_json::json!({"abstract": true})
    );
    // Only a field of the sealed interface names them.
    assert!(schema["com.example.odd.Odd$Circle"]["uid"].is_null());
    assert_eq!(schema["com.example.odd.Odd$Group"]["uid"], 7);
    let unused = &schema["com.example.odd.Odd$Unused"];
    assert_eq!(
        unused["extends"],
        "com.example.odd.Odd$Base<java.util.List<A>>"
    );
}

/// Kotlin marks an enum final where the class around it lists it, even if its constants have bodies. Java
/// takes that for the truth, and so do Kryo and Jackson.
#[test]
fn enum_that_kotlin_declares_inside_of_a_class_is_final() {
    let folder = Directory::new();
    odd(folder.path());
    let file = folder.path().join("com/example/odd/Odd$Level.class");
    let mut bytes = fs::read(&file).unwrap();
    // Java's compiler says that it is static and an enum, Kotlin's that it is static and final.
    let flags = bytes.windows(2).rposition(|it| it == [0x40, 0x08]);
    let flags = flags.unwrap();
    bytes[flags..flags + 2].copy_from_slice(&[0x00, 0x18]);
    fs::write(&file, bytes).unwrap();
    let args = [
        "schema",
        text(folder.path()),
        "--class",
        "com.example.odd.Odd$Level",
    ];
    let schema: Value = serde_json::from_str(&done(NOWHERE, &args)).unwrap();
    let level = &schema["com.example.odd.Odd$Level"];
    assert_eq!(level["final"], true, "{level}");
    assert!(level["bodies"].is_object(), "{level}");
    let rust = done(NOWHERE, &[&args[..], &["--rust"]].concat());
    assert!(
        rust.contains(r#"#[java(class = "com.example.odd.Odd$Level", final)]"#),
        "{rust}"
    );
}

/// Without them, nobody knows what the parameters stand for in a place that is declared with an
/// interface.
#[test]
fn classes_with_parameters_name_their_interfaces_with_arguments() {
    let folder = Directory::new();
    compile(folder.path(), folder.path(), &[here("Generic.java")]);
    let made = done(NOWHERE, &["schema", text(folder.path())]);
    let schema: Value = serde_json::from_str(&made).unwrap();
    let pair = "com.example.generic.Generic$Pair";
    for (class, interfaces) in [
        (
            "$Own",
            serde_json::json!([
                "com.example.generic.Generic$Text<C>",
                "java.util.function.Supplier<C>",
                format!("{pair}<java.util.List<C>, java.lang.String>"),
            ]),
        ),
        ("$Base", serde_json::json!([format!("{pair}<B, A>")])),
        ("$Sub", Value::Null),
        ("$Plain", Value::Null),
        ("$Tuple", serde_json::json!([format!("{pair}<A, B>")])),
    ] {
        let class = format!("com.example.generic.Generic{class}");
        assert_eq!(schema[&class]["implements"], interfaces, "{class}");
    }
    Schema::from_json(&made).unwrap();
}

/// Kryo and Jackson write its content, and no schema can say how its own code keeps it.
#[test]
fn a_map_that_extends_none_of_the_jdk_is_not_described() {
    let folder = Directory::new();
    compile(folder.path(), folder.path(), &[here("Headers.java")]);
    let args = ["schema", text(folder.path())];
    let missing = run(NOWHERE, &args);
    assert_eq!(missing.code, 3, "{missing:?}");
    let named = "com.example.headers.Headers: it is a collection or a map";
    assert!(missing.stderr.contains(named), "{missing:?}");
    let made = done(NOWHERE, &[&args[..], &["--incomplete"]].concat());
    let schema: Value = serde_json::from_str(&made).unwrap();
    let map = "java.util.Map<java.lang.String, java.util.List<java.lang.String>>";
    assert_eq!(
        schema,
        serde_json::json!({"com.example.headers.Headers": {"abstract": true, "fields": {"all": map}}})
    );
    let schema = Schema::from_json(&made).unwrap();
    let codec = JsonJacksonCodec::<JavaValue>::with_schema(schema).unwrap();
    let payload = r#"{"@class":"com.example.headers.Headers","a":["java.util.ArrayList",["b"]]}"#;
    let refused = codec.decode(payload.into()).unwrap_err().to_string();
    assert!(
        refused.contains("java cannot make objects of com.example.headers.Headers"),
        "{refused}"
    );
}

/// Only code says it, so codecs must be told.
#[test]
fn code_that_writes_or_shows_a_value_marks_its_class() {
    let folder = Directory::new();
    compile(folder.path(), folder.path(), &[here("Written.java")]);
    let made = done(NOWHERE, &["schema", text(folder.path())]);
    let schema: Value = serde_json::from_str(&made).unwrap();
    for (class, serialized, shown) in [
        ("Fields", Value::Null, Value::Null),
        ("Put", Value::Null, Value::Null),
        ("More", "more".into(), Value::Null),
        ("Own", "own".into(), Value::Null),
        ("Helped", "own".into(), Value::Null),
        ("Tags", "more".into(), Value::Null),
        ("Named", Value::Null, Value::Null),
        ("Shown", Value::Null, "unknown".into()),
        ("Body", Value::Null, "unknown".into()),
    ] {
        let described = &schema[format!("com.example.written.Written${class}")];
        assert_eq!(described["serialized"], serialized, "{class}");
        assert_eq!(described["shown"], shown, "{class}");
    }
}

/// `JsonJacksonCodec` of Redisson 4.7.0 writes `sum` for such a field, and leaves a `priority` of 5 out.
#[test]
fn annotated_methods_rename_fields_and_defaults_are_left_out() {
    let folder = Directory::new();
    let sources = ["Named.java", "JsonInclude.java", "JsonProperty.java"].map(here);
    compile(folder.path(), folder.path(), &sources);
    let made = done(
        NOWHERE,
        &[
            "schema",
            text(folder.path()),
            "--class",
            "com.example.named.*",
        ],
    );
    let schema: Value = serde_json::from_str(&made).unwrap();
    let jackson = |class: &str| &schema[format!("com.example.named.Named${class}")]["jackson"];
    assert_eq!(
        *jackson("Fluent"),
        serde_json::json!({"total": "sum", "isbn": "isbn_13", "count": "how_many"})
    );
    assert_eq!(*jackson("Sparse"), "unknown");
    assert!(jackson("Full").is_null());
}

/// The JDK's own program is the oracle.
#[test]
fn a_uid_that_no_class_declares_is_the_one_that_java_computes() {
    let folder = Directory::new();
    odd(folder.path());
    let made = done(
        NOWHERE,
        &[
            "schema",
            text(folder.path()),
            "--class",
            "com.example.odd.*",
        ],
    );
    let schema: Value = serde_json::from_str(&made).unwrap();
    assert_eq!(
        schema["com.example.odd.Odd$Written"]["jackson"],
        serde_json::json!({"x": null})
    );
    for class in ["Odd", "Odd$Inner", "Odd$Written", "Odd$Base", "Odd$Unused"] {
        let class = format!("com.example.odd.{class}");
        let shown = jdk("serialver", &["-classpath", text(folder.path()), &class]);
        let uid = schema[&class]["uid"].as_i64().unwrap();
        assert!(
            shown.contains(&format!("= {uid}L;")),
            "{class}: {uid}, {shown}"
        );
    }
}

#[test]
fn the_rust_types_of_odd_classes_compile_and_describe_them() {
    let folder = Directory::new();
    odd(folder.path());
    let args = [
        "schema",
        text(folder.path()),
        "--class",
        "com.example.odd.*",
    ];
    let made = done(NOWHERE, &[&args[..], &["--rust", "--hash"]].concat());
    let here = include_str!("schema/odd.rs");
    assert_eq!(
        made, here,
        "run rdq schema --rust again, and check what changed"
    );
    let mut described = Schema::new();
    odd::Group::describe(&mut described);
    odd::Inner::describe(&mut described);
    odd::Level::describe(&mut described);
    odd::Unused::<String, i64>::describe(&mut described);
    odd::Written::describe(&mut described);
    let mut schema: Value = serde_json::from_str(&done(NOWHERE, &args)).unwrap();
    // The derive cannot say two of its wildcards, of which a note warns.
    schema
        .as_object_mut()
        .unwrap()
        .remove("com.example.odd.Odd");
    assert_eq!(described, Schema::from_json(&schema.to_string()).unwrap());
    odd::Odd::<String, i64>::describe(&mut described);
    assert!(described.contains("com.example.odd.Odd"));
    let warned = run(NOWHERE, &[&args[..], &["--rust"]].concat());
    assert!(
        warned
            .stderr
            .contains("Odd: all is declared with a wildcard"),
        "{warned:?}"
    );

    let group = odd::Group {
        first: None,
        others: Some(vec![odd::AnyShape::Circle(odd::Circle { radius: 1.5 })]),
    };
    let codec = Kryo5Codec::new();
    let payload = codec.encode(&group).unwrap();
    assert_eq!(codec.decode(payload).unwrap(), group);
}

/// What no schema can say is said on stderr.
#[test]
fn code_that_decides_how_values_are_written_is_told() {
    let folder = Directory::new();
    odd(folder.path());
    let said = run(
        NOWHERE,
        &[
            "schema",
            text(folder.path()),
            "--class",
            "com.example.odd.*",
        ],
    );
    for note in [
        "Odd$Written has writeObject",
        "Odd$Inner is an inner class",
        "Odd binds K to java.lang.Comparable<K>",
    ] {
        assert!(said.stderr.contains(note), "{note}: {}", said.stderr);
    }
}

/// As Spring Boot packs an application: its classes in a folder, its libraries as jars.
#[test]
fn classes_are_found_in_the_jar_of_an_application() {
    let folder = Directory::new();
    let library = folder.path().join("library");
    fs::create_dir(&library).unwrap();
    orders(&library);
    let app = folder.path().join("app");
    let classes = app.join("BOOT-INF/classes");
    fs::create_dir_all(&classes).unwrap();
    compile(&classes, &library, &[here("Shop.java")]);
    let jars = app.join("BOOT-INF/lib");
    fs::create_dir(&jars).unwrap();
    jdk(
        "jar",
        &[
            "cf",
            text(&jars.join("orders.jar")),
            "-C",
            text(&library),
            ".",
        ],
    );
    let jar = folder.path().join("shop.jar");
    // Without compression, as Spring Boot wants it.
    jdk("jar", &["c0f", text(&jar), "-C", text(&app), "."]);

    let made = done(NOWHERE, &["schema", text(&jar), "--class", "Shop"]);
    let schema: Value = serde_json::from_str(&made).unwrap();
    let classes: Vec<_> = schema.as_object().unwrap().keys().collect();
    assert_eq!(
        classes,
        ["com.example.orders.Address", "com.example.shop.Shop"]
    );

    let all = run(NOWHERE, &["schema", text(&jar)]);
    assert_eq!(all.code, 2, "{all:?}");
    assert!(all.stderr.contains("--class"), "{all:?}");

    // Without the library.
    let alone = text(&app.join("BOOT-INF/classes")).to_owned();
    let missing = run(NOWHERE, &["schema", &alone]);
    assert_eq!(missing.code, 3, "{missing:?}");
    let named = "com.example.orders.Address, named by com.example.shop.Shop.addresses";
    assert!(missing.stderr.contains(named), "{missing:?}");
    assert_eq!(missing.stdout, "");
    let some = done(NOWHERE, &["schema", &alone, "--incomplete"]);
    let schema: Value = serde_json::from_str(&some).unwrap();
    assert_eq!(
        schema["com.example.orders.Address"],
        serde_json::json!({"abstract": true})
    );
}

#[test]
fn what_is_not_there_is_named() {
    let folder = Directory::new();
    let file = folder.path().join("Order.class");
    fs::write(&file, "no class").unwrap();
    let broken = run(NOWHERE, &["schema", text(&file)]);
    assert_eq!(broken.code, 2, "{broken:?}");
    assert!(
        broken.stderr.contains("neither a class file nor a jar"),
        "{broken:?}"
    );
    let gone = run(NOWHERE, &["schema", "/nonexistent.jar"]);
    assert_eq!(gone.code, 1, "{gone:?}");
    fs::remove_file(&file).unwrap();
    orders(folder.path());
    let other = run(NOWHERE, &["schema", text(folder.path()), "--class", "Bill"]);
    assert_eq!(other.code, 3, "{other:?}");
}
