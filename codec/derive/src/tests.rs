//! What the derive refuses, where the error points, and what it tells users to write.

use crate::expansion::expand;

mod types;

/// The text that each error points at, and its message.
fn errors(item: &str) -> Vec<(String, String)> {
    let input = syn::parse_str(item).unwrap();
    let errors = expand(&input).expect_err(item);
    errors
        .into_iter()
        .map(|it| (it.span().source_text().unwrap(), it.to_string()))
        .collect()
}

#[track_caller]
fn refused(item: &str, at: &str, message: &str) {
    assert_eq!(
        errors(item),
        [(at.to_owned(), message.to_owned())],
        "{item}"
    );
}

/// Checks the one error for a field with these attributes and this type.
#[track_caller]
fn refused_field(attributes: &str, ty: &str, at: &str, message: &str) {
    let item = format!(
        "#[java(class = \"com.x.Order\")] struct Order<T> {{ #[java({attributes})] id: {ty} }}"
    );
    refused(&item, at, message);
}

#[test]
fn classes_must_be_named() {
    for (item, at, message) in [
        (
            "struct Order { id: i64 }",
            "Order",
            "say which class it stands for: #[java(class = \"com.example.OrderEvent\")]",
        ),
        (
            "enum Status { New, Paid }",
            "Status",
            "say which enum it stands for: #[java(class = \"com.example.Status\")]",
        ),
        (
            "enum Event { Paid(Paid) }",
            "Event",
            "say of which class its variants are sub classes: \
             #[java(super_class = \"com.example.Event\")]",
        ),
        (
            "#[java(class = \"com.x.Box<T>\")] struct Parcel<T> { value: T }",
            "\"com.x.Box<T>\"",
            "leave the type arguments out: they follow from the type parameters",
        ),
        (
            "#[java(class = \"com/x/Order\")] struct Order {}",
            "\"com/x/Order\"",
            "\"com/x/Order\" is no class name, as Class.getName() gives it: \
             com.example.OrderEvent, com.example.Outer$Inner",
        ),
        (
            "#[java(class = \"java.util.List\")] struct Order {}",
            "\"java.util.List\"",
            "java.util.List is no class of values",
        ),
    ] {
        refused(item, at, message);
    }
}

#[test]
fn attributes_must_be_known_and_come_once() {
    for (item, at, message) in [
        (
            "#[java(clas = \"com.x.Order\", class = \"com.x.Order\")] struct Order {}",
            "clas",
            "a struct has no attribute `clas`: it has `class`, `record`, `final`, `abstract`, \
             `implements`, `serial_version_uid`, `serialized`, `jackson`, `transparent`, `crate`",
        ),
        (
            "#[java(class = \"A\")] #[java(class = \"B\")] struct Order {}",
            "class",
            "`class` comes twice",
        ),
        (
            "#[java(class)] struct Order {}",
            "class",
            "`class` needs a text: class = \"...\"",
        ),
        (
            "#[java(class = \"A\", record = \"yes\")] struct Order {}",
            "\"yes\"",
            "`record` has no value: write it alone",
        ),
        (
            "#[java(class = \"A\", serial_version_uid = \"1\")] struct Order {}",
            "serial_version_uid",
            "`serial_version_uid` needs a number: serial_version_uid = 1",
        ),
        (
            "#[java(class = \"A\", serialized = \"no\")] struct Order {}",
            "\"no\"",
            "it is \"more\" or \"own\"",
        ),
        (
            "#[java(class = \"A\", shown = \"new\")] enum Status { New }",
            "\"new\"",
            "of an enum it is \"unknown\"; each constant can have a text of its own",
        ),
        (
            "#[java(class = \"A\", shown = \"unknown\")] enum Status { #[java(shown = \"new\")] New }",
            "New",
            "the enum says that its texts are unknown",
        ),
        (
            "#[java(class = \"A\", jackson = \"a\")] struct Order { a: i64 }",
            "\"a\"",
            "of a class it is \"unknown\"; its fields or constants can have names",
        ),
        (
            "#[java(class = \"A\", record = 1)] struct Order {}",
            "1",
            "`record` has no value: write it alone",
        ),
        (
            "#[java(class = \"A\", record, final)] struct Order {}",
            "final",
            "every record is final: leave it out",
        ),
        (
            "#[java(class = \"A\", record, abstract)] struct Order {}",
            "abstract",
            "what is final is not abstract",
        ),
        (
            "#[java(class = \"A\", final, abstract)] struct Order {}",
            "abstract",
            "what is final is not abstract",
        ),
        (
            "#[java(class = \"A\", record)] enum Status { New }",
            "record",
            "an enum has no attribute `record`: it has `class` or `super_class`, `final`, \
             `shown`, `jackson`, and `crate`",
        ),
        (
            "#[java(class = \"A\", final)] enum Status { New }",
            "final",
            "an enum without bodies is final: leave it out",
        ),
        (
            "#[java(class = \"A\")] enum Status { #[java(default)] New }",
            "default",
            "a constant has no attribute `default`: it has `name`, `body`, `shown`, `jackson`",
        ),
        (
            "#[java(class = \"A\")] struct Order { #[java(skip, name = \"b\")] a: i64 }",
            "name",
            "a skipped field has no attribute `name`: it has nothing but `skip`",
        ),
    ] {
        refused(item, at, message);
    }
}

#[test]
fn numbers_must_have_64_bits() {
    let item =
        |uid| format!("#[java(class = \"A\", serial_version_uid = {uid})] struct Order {{}}");
    for uid in [
        "1",
        "-5L",
        "0x10",
        "9223372036854775807L",
        "-9223372036854775808",
    ] {
        let input = syn::parse_str(&item(uid)).unwrap();
        assert!(expand(&input).is_ok(), "{uid}");
    }
    for uid in ["9223372036854775808", "1u8"] {
        refused(&item(uid), uid, "not a number of 64 bits");
    }
    refused(&item("x"), "x", "expected integer literal");
}

#[test]
fn forms_that_java_does_not_have_are_refused() {
    for (item, at, message) in [
        (
            "#[java(class = \"A\")] struct Order(i64);",
            "(i64)",
            "the fields of a Java class have names: give them names, or write \
             #[java(transparent)] if it is to Java what its one field is",
        ),
        (
            "#[java(class = \"A\", extends = \"java.util.ArrayList\")] struct Order(i64);",
            "(i64)",
            "a class that extends a collection or a map has one field: struct Tags(Vec<String>)",
        ),
        (
            "#[java(transparent)] struct Order(i64, i64);",
            "transparent",
            "a transparent struct has one field",
        ),
        (
            "union Order { a: i64 }",
            "union",
            "a union stands for nothing in Java: write a struct",
        ),
        (
            "#[java(class = \"A\")] struct Order<'a> { id: &'a str }",
            "'a",
            "what is read from a payload borrows nothing: let the fields own their values",
        ),
        (
            "#[java(class = \"A\")] struct Order<const N: usize> {}",
            "const N: usize",
            "Java has no const parameters",
        ),
        (
            "#[java(class = \"A\")] enum Status<T> { New }",
            "T",
            "Java enums are not generic",
        ),
        (
            "#[java(class = \"A\")] enum Status {}",
            "Status",
            "an enum without constants has no values",
        ),
        (
            "#[java(class = \"A\")] enum Event { New, Paid(Paid) }",
            "(Paid)",
            "a constant holds nothing: for an enum of several sub classes write \
             `super_class` in place of `class`",
        ),
        (
            "#[java(super_class = \"A\")] enum Event { Paid(Paid), New }",
            "New",
            "the variants of such an enum hold one struct each: New(SomeNew)",
        ),
        (
            "#[java(super_class = \"A[]\")] enum Event { Paid(Paid) }",
            "\"A[]\"",
            "A[] has no sub classes",
        ),
        (
            "#[java(super_class = \"A\")] enum E { #[java(other)] A(A), #[java(other)] B(B) }",
            "B",
            "one variant takes all others: this is the second `other`",
        ),
        (
            "#[java(class = \"A\")] struct C { #[java(extends)] a: A, #[java(extends)] b: B }",
            "b",
            "a class extends one class: this is the second `extends`",
        ),
        (
            "#[java(class = \"A\", record)] struct C { #[java(extends)] a: A }",
            "a",
            "a record extends no class",
        ),
    ] {
        refused(item, at, message);
    }
}

#[test]
fn names_must_differ_and_be_names() {
    refused(
        "#[java(class = \"A\")] struct Order { order_id: i64, #[java(name = \"orderId\")] id: i64 }",
        "id",
        "`order_id` has the Java name `orderId` already",
    );
    refused(
        "#[java(class = \"A\")] enum Status { Paid, PAID }",
        "PAID",
        "`Paid` has the Java name `PAID` already",
    );
    refused_field(
        "name = \"order-id\"",
        "i64",
        "\"order-id\"",
        "\"order-id\" is no Java identifier",
    );
}

/// A user who made three mistakes sees three errors at once.
#[test]
fn all_mistakes_are_reported_together() {
    let found = errors(
        "#[java(class = \"A\")] struct Order { \
         #[java(typ = \"long\")] a: i64, #[java(name = \"\")] b: i64, #[java(type = \"int\")] c: i64 }",
    );
    let places: Vec<&str> = found.iter().map(|(at, _)| at.as_str()).collect();
    assert_eq!(places, ["typ", "\"\"", "\"int\""]);
}
