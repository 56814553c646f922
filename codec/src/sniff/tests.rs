use proptest::prelude::*;

use super::*;

proptest! {
    /// Any bytes give a guess, and `ByteArrayCodec` is the last one.
    #[test]
    fn every_payload_has_a_guess(payload in prop::collection::vec(any::<u8>(), 0..100)) {
        let guesses = sniff(&payload);
        prop_assert_eq!(guesses.last(), Some(&Likely::ByteArrayCodec));
    }

    /// Whatever a format starts with, what follows may be damaged.
    #[test]
    fn damage_is_survived(
        start in prop::sample::select(vec![
            &b"\x01\x00"[..], b"\x03", b"\x03\x01", b"\x04\x3e", b"\x04\x04", b"\0\0\0\x09",
            b"\x9f", b"\xbf", b"\xdc", b"[\"", b"{", b"'", b"\0\0\0\x09\x28\xb5\x2f\xfd",
        ]),
        rest in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let guesses = sniff(&[start, &rest].concat());
        prop_assert_eq!(guesses.last(), Some(&Likely::ByteArrayCodec));
    }

    /// A text that could be a Snappy block is a text.
    #[test]
    fn words_are_text(text in "[A-Za-z][a-zA-Z0-9 -]{4,40}") {
        prop_assert_eq!(sniff(text.as_bytes())[0], Likely::StringCodec);
    }
}

/// One of each, as short as can be.
#[test]
fn each_form_is_recognised() {
    for (payload, likely) in [
        (&b"\x00\x01\x02\x7f\x80\xff"[..], Likely::ByteArrayCodec),
        (b"\xbf\x66@classx\x01a\xff", Likely::CborJacksonCodec),
        (b"1.5E10", Likely::DoubleCodec),
        (b"NaN", Likely::DoubleCodec),
        (b"'java.lang.Long'::5", Likely::IonJacksonCodec),
        (b"'x.Order'::{id:\"}\"}", Likely::IonJacksonCodec),
        (b"{{AAEC}}", Likely::IonJacksonCodec),
        (b"[\"x.Status\",\"PAID\"]", Likely::JsonJacksonCodec),
        (b"{\"a\":[\"java.lang.Long\",5]}", Likely::JsonJacksonCodec),
        (b"\"a\"", Likely::JsonJacksonCodec),
        (b"\x01\x00x.Orde\xf2\x01", Likely::Kryo5Codec),
        (b"\x02\xfe\x01", Likely::Kryo5Codec),
        (b"\x03\x82\xe4\xb8\x96", Likely::Kryo5Codec),
        (b"\x0b\x84\x03\x00\x82", Likely::Kryo5Codec),
        (b"-42", Likely::LongCodec),
        (b"\0\0\0\x03\x30abc", Likely::Lz4Codec),
        (b"\x04\x3e\x01a", Likely::MarshallingCodec),
        (b"\x04\x04\x15\x5d", Likely::MarshallingCodec),
        (b"\x04\x42\x01\x5a\x52\x5a", Likely::MarshallingCodec),
        (b"\x04\x53\x01\x5a\x3e\x01a", Likely::MarshallingCodec),
        (b"\x04\x53\x03\x7b\x3e\x01a", Likely::MarshallingCodec),
        (b"\x04\x5a", Likely::MarshallingCodec),
        (b"\x04\x62", Likely::MarshallingCodec),
        (b"\x04\x79", Likely::MarshallingCodec),
        (
            b"\x04\x80\x04\x38\x3e\x11java.util.TreeSet\xdd\x98",
            Likely::MarshallingCodec,
        ),
        (b"\x92\xa1a\x01", Likely::MsgPackJacksonCodec),
        (b"\xac\xed\x00\x05t\x00\x01a", Likely::SerializationCodec),
        (b":)\n\x01\x20", Likely::SmileJacksonCodec),
        (b"\0\0\0\x05\x03\x08abc", Likely::SnappyCodec),
        (b"\x03\x08abc", Likely::SnappyCodecV2),
        (b"{a", Likely::StringCodec),
        (b"'tis", Likely::StringCodec),
        (b"", Likely::StringCodec),
        (b"bell \x07", Likely::StringCodec),
        (b"{\"a\":[1,\"b\"]}", Likely::TypedJsonJacksonCodec),
        (b"[\"a\",\"b\"]", Likely::TypedJsonJacksonCodec),
        (
            b"\0\0\0\x02\x28\xb5\x2f\xfd\x00\x58\x11\0\0ab",
            Likely::ZstdCodec,
        ),
    ] {
        assert_eq!(sniff(payload)[0], likely, "{payload:02x?}");
    }
}

/// If several codecs write the same bytes, all of them are guesses.
#[test]
fn ambiguous_payloads_have_many_guesses() {
    assert_eq!(sniff(b"5").len(), 8);
    assert_eq!(sniff(b"\"a\"").len(), 5);
    assert_eq!(
        sniff(b"wake up"),
        [Likely::StringCodec, Likely::ByteArrayCodec]
    );
}

/// A damaged frame is no frame: the structure is what proves it.
#[test]
fn frames_that_lie_are_not_recognised() {
    for payload in [
        &b"\0\0\0\x04\x30abc"[..],
        b"\0\0\0\x06\x03\x08abc",
        b"\0\0\0\x03\x28\xb5\x2f\xfd\x00\x58\x11\0\0ab",
        b"\x04\x08abc",
    ] {
        let guesses = sniff(payload);
        for frame in [
            Likely::Lz4Codec,
            Likely::SnappyCodec,
            Likely::SnappyCodecV2,
            Likely::ZstdCodec,
        ] {
            assert!(!guesses.contains(&frame), "{payload:02x?}: {guesses:?}");
        }
    }
}
