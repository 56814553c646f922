//! The types that fields declare, and the classes that they hold.

use super::refused_field;

#[test]
fn declared_types_are_checked() {
    for (declared, ty, message) in [
        (
            "Long",
            "i64",
            "no Java type, at byte 0: write the full name: java.lang.Long",
        ),
        (
            "java.util.List<String>",
            "Vec<String>",
            "no Java type, at byte 15: write the full name: java.lang.String",
        ),
        (
            "java.util.List<long>",
            "Vec<i64>",
            "no Java type, at byte 19: long cannot be a type argument: write java.lang.Long",
        ),
        (
            "java.util.Map<java.lang.String",
            "Vec<i64>",
            "no Java type, at byte 30: expected `,` or `>`",
        ),
        ("long[", "Vec<i64>", "no Java type, at byte 5: expected `]`"),
        (
            "long x",
            "i64",
            "no Java type, at byte 4: nothing may follow the type",
        ),
        (
            "",
            "i64",
            "no Java type, at byte 0: expected the full name of a class",
        ),
        ("int", "i64", "i64 is long or java.lang.Long, not int"),
        (
            "java.lang.Long[]",
            "i64",
            "i64 is long or java.lang.Long, not java.lang.Long[]",
        ),
        (
            "java.lang.Number",
            "bool",
            "bool is boolean or java.lang.Boolean, not java.lang.Number",
        ),
        (
            "long",
            "Option<i64>",
            "long cannot be null: write java.lang.Long, or no Option",
        ),
        (
            "long[]",
            "Option<Vec<Option<i64>>>",
            "long cannot be null: write java.lang.Long, or no Option",
        ),
        (
            "java.util.List<java.lang.Integer>",
            "Box<Vec<i64>>",
            "i64 is long or java.lang.Long, not java.lang.Integer",
        ),
        (
            "java.util.Optional<java.lang.Long>",
            "Option<String>",
            "String is java.lang.String, not java.lang.Long",
        ),
        (
            "java.util.List<java.lang.Byte>",
            "Vec<u8>",
            "Vec<u8> is byte[], not java.util.List<java.lang.Byte>",
        ),
        ("byte[]", "Vec<i8>", "byte[] is Vec<u8> or Bytes"),
        (
            "java.util.Map<java.lang.String, java.lang.Long>",
            "Vec<i64>",
            "Vec<i64> is a collection or an array, \
             not java.util.Map<java.lang.String, java.lang.Long>",
        ),
        (
            "java.util.Optional<java.lang.Long>",
            "Option<Option<String>>",
            "String is java.lang.String, not java.lang.Long",
        ),
        (
            "java.util.Map<java.lang.String, java.lang.Integer>",
            "Vec<(String, i64)>",
            "i64 is long or java.lang.Long, not java.lang.Integer",
        ),
        (
            "java.util.List<java.lang.Long>",
            "Vec<(String, i64)>",
            "Vec<(String,i64)> is a map, not java.util.List<java.lang.Long>",
        ),
        (
            "java.util.List<java.lang.Long>",
            "HashMap<String, i64>",
            "HashMap<String,i64> is a map, not java.util.List<java.lang.Long>",
        ),
        (
            "java.util.TreeMap<java.lang.String, int[]>",
            "std::collections::BTreeMap<String, Vec<i64>>",
            "i64 is long or java.lang.Long, not int",
        ),
        (
            "java.util.UUID",
            "String",
            "String is java.lang.String, not java.util.UUID",
        ),
    ] {
        let quoted = format!("{declared:?}");
        refused_field(&format!("type = {quoted}"), ty, &quoted, message);
    }
}

#[test]
fn held_classes_are_checked() {
    for (attributes, ty, message) in [
        (
            "holds = \"java.util.List\"",
            "Vec<i64>",
            "java.util.List has no instances of its own: name the class of the value, such as \
             java.util.ArrayList",
        ),
        (
            "holds = \"java.util.LinkedList\"",
            "Option<String>",
            "`holds` is for collections and maps, not for Option<String>",
        ),
        (
            "holds = \"java.util.LinkedList\", type = \"long[]\"",
            "Vec<i64>",
            "long[] is an array, which no class holds",
        ),
    ] {
        let held = attributes.split('=').nth(1).unwrap();
        let held = held.split(',').next().unwrap().trim();
        refused_field(attributes, ty, held, message);
    }
}
