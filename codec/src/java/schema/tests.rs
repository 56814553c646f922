use super::*;

fn layouts(json: &str) -> Layouts {
    Layouts::new(&Schema::from_json(json).unwrap()).unwrap()
}

fn fields(layouts: &Layouts, class: &str) -> Vec<String> {
    match &layouts.get(class).unwrap().shape {
        Shape::Object { fields, .. } => fields
            .iter()
            .map(|field| format!("{} {}", field.declared, field.name))
            .collect(),
        shape => panic!("{shape:?}"),
    }
}

#[test]
fn fields_of_all_ancestors_are_ordered_by_name_as_java_orders() {
    let layouts = layouts(
        r#"{
        "Shadow": {"extends": "Payment", "fields": {
            "amount": "long", "Zeta": "int", "alpha": "int", "_under": "int", "𝔸": "int", "｡": "int"}},
        "Payment": {"extends": "Base", "fields": {"amount": "java.lang.String", "zone": "int"}},
        "Base": {"fields": {"eventId": "java.lang.String"}}
    }"#,
    );
    assert_eq!(
        fields(&layouts, "Shadow"),
        [
            "int Zeta",
            "int _under",
            "int alpha",
            "long amount",
            "java.lang.String amount",
            "java.lang.String eventId",
            "int zone",
            // A surrogate pair comes before what UTF-8 puts before it.
            "int 𝔸",
            "int ｡",
        ]
    );
    let Shape::Object {
        declared, fields, ..
    } = &layouts.get("Payment").unwrap().shape
    else {
        panic!("no object");
    };
    let declared: Vec<&str> = declared.iter().map(|it| &*fields[*it].name).collect();
    assert_eq!(declared, ["eventId", "amount", "zone"]);
}

#[test]
fn type_parameters_are_bound_through_the_chain() {
    let layouts = layouts(
        r#"{
        "Box": {"parameters": ["T"], "fields": {"value": "T", "all": "java.util.List<T>"}},
        "Pair": {"parameters": ["A", "B"], "extends": "Box<B>", "fields": {"first": "A"}},
        "Named": {"parameters": ["A"], "extends": "Pair<java.lang.String, A>"},
        "Raw": {"extends": "Box"},
        "Tags": {"extends": "java.util.ArrayList<java.lang.String>"}
    }"#,
    );
    assert_eq!(
        fields(&layouts, "Named"),
        ["java.util.List<A> all", "java.lang.String first", "A value"]
    );
    assert_eq!(
        fields(&layouts, "Raw")[1],
        "java.lang.Object value",
        "{layouts:?}"
    );
    match &layouts.get("Tags").unwrap().shape {
        Shape::Container { of } => {
            assert_eq!(of.to_string(), "java.util.ArrayList<java.lang.String>");
        }
        shape => panic!("{shape:?}"),
    }
}

#[test]
fn constants_with_bodies_have_classes_of_their_own() {
    let layouts = layouts(r#"{"P": {"enum": ["LOW", "MID", "HIGH"], "bodies": ["LOW", "HIGH"]}}"#);
    let layout = layouts.get("P$2").unwrap();
    assert!(!layout.is_final);
    match &layout.shape {
        Shape::Enum { classes, .. } => assert_eq!(classes[..], ["P$1", "P", "P$2"]),
        shape => panic!("{shape:?}"),
    }
    assert!(layouts.get("P$3").is_none());
}

#[test]
fn final_classes_are_known_through_arrays() {
    let layouts = layouts(
        r#"{"R": {"record": {"a": "int"}}, "C": {}, "F": {"final": true}, "E": {"enum": ["A"]}}"#,
    );
    for (class, is_final) in [
        ("R", true),
        ("C", false),
        ("[LC;", false),
        ("[[LF;", true),
        ("E", true),
        ("[I", true),
        ("java.lang.Long", true),
        ("java.util.Date", false),
        ("java.util.concurrent.TimeUnit", true),
    ] {
        assert_eq!(layouts.is_final(class), is_final, "{class}");
    }
}

#[test]
fn schemas_that_make_no_sense_are_refused() {
    for (json, message) in [
        (
            r#"{"A": {"extends": "B"}, "B": {"extends": "A"}}"#,
            "class A extends itself, or too long a chain of classes",
        ),
        (
            r#"{"A": {"extends": "com.x.Gone"}}"#,
            "class A extends com.x.Gone, which is not known",
        ),
    ] {
        let schema = Schema::from_json(json).unwrap();
        assert_eq!(Layouts::new(&schema).unwrap_err().to_string(), message);
    }
    for (json, message) in [
        (r#"{"A": {"fields": {"a": "java.util.List<"}}}"#, "class A"),
        (
            r#"{"A": {"feilds": {}}}"#,
            "schema is not the expected json",
        ),
        ("[]", "schema is not the expected json"),
    ] {
        assert_eq!(Schema::from_json(json).unwrap_err().to_string(), message);
    }
}
