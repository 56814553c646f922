//! Tickets as text and in the formats of serde.

use proptest::prelude::*;
use serde::de::IntoDeserializer;
use serde::de::value::{BytesDeserializer, Error as ValueError, SeqDeserializer, StrDeserializer};

use super::*;
use crate::wire::packed::pack;

fn ticket() -> Ticket {
    let id = MemberId::from(*b"\x01\xff");
    Ticket::new(id.clone(), pack(&id, b"secret"))
}

#[test]
fn debug_output_holds_no_payload() {
    assert_eq!(
        format!("{:?}", ticket()),
        r#"Ticket { id: "01ff", bytes: 17 }"#
    );
}

proptest! {
    #[test]
    fn a_ticket_is_the_same_after_text_and_json(
        id: [u8; 16],
        payload in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let id = MemberId::from(id);
        let ticket = Ticket::new(id.clone(), pack(&id, &payload));
        let text = ticket.to_string();
        let is_safe = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        prop_assert!(text.chars().all(is_safe), "{}", text);
        prop_assert_eq!(&text.parse::<Ticket>()?, &ticket);

        let json = serde_json::to_string(&ticket)?;
        prop_assert_eq!(&json, &format!("\"{text}\""));
        let read: Ticket = serde_json::from_str(&json)?;
        prop_assert_eq!(read.id(), ticket.id());
        prop_assert_eq!(read, ticket);
    }

    /// If two services spelled a ticket differently, a database would hold it under two keys.
    #[test]
    fn what_is_read_as_a_ticket_is_written_as_it_was(text in "[A-Za-z0-9_-]{0,40}") {
        if let Ok(ticket) = text.parse::<Ticket>() {
            prop_assert_eq!(ticket.to_string(), text);
        }
    }
}

#[test]
fn a_text_that_is_no_ticket_says_why() {
    let text = ticket().to_string();
    let not_base64 = [
        format!("{text}="),
        format!(" {text}"),
        format!("{text}\n"),
        "++//".to_owned(),
        "ä".to_owned(),
    ];
    for text in not_base64 {
        let error = text.parse::<Ticket>().unwrap_err();
        assert_eq!(error, ParseTicketError::NotBase64, "{text:?}");
    }
    for text in ["", &text[..text.len() - 3]] {
        let error = text.parse::<Ticket>().unwrap_err();
        assert!(
            matches!(error, ParseTicketError::Malformed { .. }),
            "{text:?}: {error:?}"
        );
    }
    let error = serde_json::from_str::<Ticket>("\"====\"").unwrap_err();
    let cause = ParseTicketError::NotBase64.to_string();
    assert!(error.to_string().contains(&cause), "{error}");
    assert!(serde_json::from_str::<Ticket>("[1,105]").is_err());
}

/// Binary formats differ in how they hand out bytes, and some know no bytes.
#[test]
fn a_binary_format_has_the_bytes_however_it_hands_them_out() {
    let ticket = ticket();
    let bytes: BytesDeserializer<'_, ValueError> = ticket.as_bytes()[..].into_deserializer();
    assert_eq!(Ticket::deserialize(Binary(bytes)).as_ref(), Ok(&ticket));
    let numbers: SeqDeserializer<_, ValueError> =
        SeqDeserializer::new(ticket.as_bytes().iter().copied());
    assert_eq!(Ticket::deserialize(Binary(numbers)).as_ref(), Ok(&ticket));

    let text = ticket.to_string();
    let text: StrDeserializer<'_, ValueError> = text.as_str().into_deserializer();
    assert!(Ticket::deserialize(Binary(text)).is_err());
    let cut: BytesDeserializer<'_, ValueError> = ticket.as_bytes()[..9].into_deserializer();
    let error = Ticket::deserialize(Binary(cut)).unwrap_err();
    assert!(error.to_string().contains("packed member"), "{error}");
}

/// Makes a human-readable format a binary one.
struct Binary<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Binary<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// One that writes bytes as they are.
#[cfg(feature = "smile")]
#[test]
fn smile_carries_a_ticket() {
    let ticket = ticket();
    let written = serde_smile::to_vec(&ticket).unwrap();
    let read: Ticket = serde_smile::from_slice(&written).unwrap();
    assert_eq!(read, ticket);
}
