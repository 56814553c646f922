use crate::java::schema::Layouts;
use crate::java::{Class, JavaType, Schema};

/// The error for a field of this type, in a class with the type parameter `T`. Empty if there is
/// none.
fn field(declared: &str) -> String {
    let json = format!(
        r#"{{"com.acme.A": {{"parameters": ["T"], "fields": {{"f": "{declared}"}}}}, "Plain": {{}}}}"#
    );
    let schema = match Schema::from_json(&json) {
        Ok(schema) => schema,
        Err(error) => return error.to_string(),
    };
    match Layouts::new(&schema) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

/// A class that extends an enum is that of one of its constants.
#[test]
fn only_constants_extend_an_enum() {
    let of = |bodies: &str, sub: &str| {
        let json = format!(
            r#"{{"a.Kind": {{"enum": ["X", "Y"], "bodies": {bodies}}}, "{sub}": {{"extends": "a.Kind"}}}}"#
        );
        let layouts = Layouts::new(&Schema::from_json(&json).unwrap());
        layouts.map_or_else(|error| error.to_string(), |_| String::new())
    };
    assert_eq!(of(r#"["X"]"#, "a.Kind$X"), "");
    assert_eq!(of(r#"["X"]"#, "a.Kind$1"), "");
    assert_eq!(of(r#"{"X": "a.Kind$7"}"#, "a.Kind$7"), "");
    assert_eq!(
        of(r#"["X"]"#, "a.Kind$Y"),
        "class a.Kind$Y: only a constant with a body extends the enum a.Kind: name it in its bodies"
    );
}

#[test]
fn types_have_their_full_names() {
    for declared in [
        "long[]",
        "T",
        "T[]",
        "Plain",
        "com.acme.A<Plain>",
        "java.util.Map<T, java.util.List<Plain[][]>>",
        "java.util.List<int[]>",
        "java.util.Comparator<?>",
        "javax.money.MonetaryAmount",
    ] {
        assert_eq!(field(declared), "", "{declared}");
    }
    for (declared, full) in [
        ("Long", "java.lang.Long"),
        ("string", "java.lang.String"),
        ("List<java.lang.Long>", "java.util.List"),
        ("java.util.List<? extends Number>", "java.lang.Number"),
        ("java.util.Map<T, BigDecimal[]>", "java.math.BigDecimal"),
        ("TreeMap", "java.util.TreeMap"),
        ("ConcurrentMap[][]", "java.util.concurrent.ConcurrentMap"),
    ] {
        let message = format!("com.acme.A.f: write the full name: {full}");
        assert_eq!(field(declared), message, "{declared}");
    }
    assert_eq!(
        field("Money"),
        "com.acme.A.f: Money is no type: write the full name, with its package"
    );
    assert_eq!(
        field("java.util.List<int>"),
        "com.acme.A.f: int cannot be a type argument: write java.lang.Integer"
    );
    let extends = r#"{"com.acme.A": {"extends": "java.util.ArrayList<String>"}}"#;
    assert_eq!(
        Schema::from_json(extends).unwrap_err().to_string(),
        "class com.acme.A: write the full name: java.lang.String"
    );
    let rust = Class::object("com.acme.A").field("f", JavaType::new("Long"));
    assert_eq!(
        Layouts::new(&Schema::from_iter([rust]))
            .unwrap_err()
            .to_string(),
        "com.acme.A.f: write the full name: java.lang.Long"
    );
}

/// Without a description, nobody knows whether a class is a record, or final.
#[test]
fn classes_of_fields_are_described() {
    let missing = "com.acme.A.f: class com.acme.Money is not in the schema; \
                   if it is abstract or an interface, say {\"abstract\": true}";
    for declared in [
        "com.acme.Money",
        "com.acme.Money[][]",
        "java.util.Map<java.lang.String, ? extends com.acme.Money>",
        "com.acme.A<java.util.List<com.acme.Money[]>>",
    ] {
        assert_eq!(field(declared), missing, "{declared}");
    }
    let mut schema = Schema::new();
    schema.add(Class::object("com.acme.A").field("f", JavaType::new("com.acme.Money")));
    assert_eq!(Layouts::new(&schema).unwrap_err().to_string(), missing);
    schema.add(Class::abstract_class("com.acme.Money"));
    assert!(!schema.contains("com.acme.Money"));
    let layouts = Layouts::new(&schema).unwrap();
    assert!(layouts.get("com.acme.Money").unwrap().is_abstract);
    assert!(!layouts.is_final("com.acme.Money"));
}

#[test]
fn contradictions_are_refused() {
    for (class, reason) in [
        (
            r#"{"fields": {"id": "int", "name": "int", "id": "long"}}"#,
            "a second field id",
        ),
        (
            r#"{"record": {"a": "int", "a": "int"}}"#,
            "a second field a",
        ),
        (
            r#"{"enum": ["NEW", "PAID", "NEW"]}"#,
            "a second constant NEW",
        ),
        (
            r#"{"enum": ["NEW"], "fields": {"label": "java.lang.String"}}"#,
            "it is an enum: leave its fields out",
        ),
        (
            r#"{"enum": ["NEW"], "record": {}}"#,
            "it is an enum or a record, not both",
        ),
        (
            r#"{"record": {}, "fields": {}}"#,
            "it is a record: its components are all its fields",
        ),
        (
            r#"{"enum": ["NEW"], "bodies": ["PAID"]}"#,
            "there is no constant PAID to have a body",
        ),
        (r#"{"bodies": ["NEW"]}"#, "only an enum has bodies"),
        (
            r#"{"abstract": true, "final": true}"#,
            "no abstract class is final",
        ),
        (
            r#"{"abstract": true, "record": {}}"#,
            "no abstract class is final",
        ),
        (
            r#"{"abstract": true, "enum": ["NEW"], "bodies": ["NEW"]}"#,
            "it is an enum, and so not abstract",
        ),
        (
            r#"{"fields": {"id": "int"}, "jackson": {"name": "n"}}"#,
            "it has no name that jackson could name",
        ),
        (
            r#"{"fields": {"id": "int"}, "jackson": {"id": "a", "id": "b"}}"#,
            "jackson has two names for id",
        ),
        (
            r#"{"fields": {"id": "int", "name": "int"}, "jackson": {"id": "name"}}"#,
            "jackson has two members called name",
        ),
        (
            r#"{"enum": ["NEW"], "jackson": {"NEW": null}}"#,
            "jackson cannot leave out the constant NEW",
        ),
        (r#"{}, "com.acme.A": {}"#, "it is there twice"),
    ] {
        let error = Schema::from_json(&format!(r#"{{"com.acme.A": {class}}}"#)).unwrap_err();
        assert_eq!(error.to_string(), format!("class com.acme.A: {reason}"));
    }
    let twice = Class::enumeration("com.acme.A", ["NEW", "NEW"]);
    assert!(Layouts::new(&Schema::from_iter([twice])).is_err());
}
