use bytes::Bytes;

use super::*;

fn payloads(codec: &str) -> Payloads {
    Payloads::new(Some(codec), None).unwrap()
}

#[test]
fn what_is_shown_can_be_written_again() {
    let cases = [
        ("string", r#""order-17""#),
        ("long", "17"),
        ("integer", "17"),
        ("double", "17.5"),
        ("json", r#"{"b":1,"a":[1,2]}"#),
        ("kryo5", r#"["java.util.ArrayList",["a",1]]"#),
        (
            "serialization",
            r#"{"@class":"java.util.LinkedHashMap","id":["java.lang.Long",42]}"#,
        ),
        ("lz4", r#""order-17""#),
        ("zstd:json-jackson", r#""order-17""#),
    ];
    for (codec, text) in cases {
        let payloads = payloads(codec);
        let payload = payloads.read(text).unwrap();
        let shown = payloads.show(&payload).unwrap();
        assert_eq!(payloads.read(shown.get()).unwrap(), payload, "{codec}");
    }
}

#[test]
fn a_text_needs_no_quotes_where_the_codec_writes_texts() {
    for (written, text) in [
        ("hello", "hello"),
        (r#""hello""#, "hello"),
        ("17", "17"),
        (r#"{"id":17}"#, r#"{"id":17}"#),
        (r#""say \"hi\"""#, r#"say "hi""#),
    ] {
        assert_eq!(payloads("string").read(written).unwrap(), text);
    }
    let framed = payloads("lz4:string");
    let payload = framed.read("hello").unwrap();
    assert_eq!(framed.show(&payload).unwrap().get(), r#""hello""#);
}

#[test]
fn a_payload_of_an_unknown_codec_is_guessed() {
    let auto = payloads("auto");
    for (codec, text) in [
        ("kryo5", r#""order-17""#),
        ("json", r#"{"id":17}"#),
        ("serialization", r#""order-17""#),
        ("snappy", r#""order-17""#),
    ] {
        let payload = payloads(codec).read(text).unwrap();
        assert_eq!(auto.show(&payload).unwrap().get(), text, "{codec}");
    }
    // Bytes are shown as Jackson writes a byte array, in Base64.
    let nobodys = Bytes::from_static(&[0xff, 0xfe, 0x00]);
    assert!(auto.show(&nobodys).unwrap().get().contains("//4A"));
}

#[test]
fn writing_needs_a_codec_that_knows_the_value() {
    assert!(matches!(payloads("auto").read("1"), Err(Failure::Usage(_))));
    assert!(matches!(
        payloads("long").read("[]"),
        Err(Failure::Codec { .. })
    ));
    assert!(matches!(
        Payloads::new(Some("lz5"), None),
        Err(Failure::Usage(_))
    ));
}
