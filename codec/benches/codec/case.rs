//! Each codec with each value that it takes.

use std::fmt::Debug;
use std::hint::black_box;

use bytes::Bytes;
use redisson_codec::java::{JavaObject, JavaValue, Schema};
use redisson_codec::{
    ByteArrayCodec, CborJacksonCodec, Codec, DoubleCodec, IntegerCodec, JsonJackson3Codec,
    JsonJacksonCodec, Kryo5Codec, LongCodec, Lz4Codec, Lz4CodecV2, MsgPackJacksonCodec,
    SerializationCodec, SmileJacksonCodec, SnappyCodecV2, StringCodec, TypedJsonJacksonCodec,
    ZstdCodec,
};

use crate::cost::{self, Cost};
use crate::value::{Order, order, orders};

/// A codec with a value.
pub(crate) struct Case {
    /// The name of Java's codec, as `interop.Codecs` reads it. `None` if Java has no such codec.
    pub(crate) java: Option<String>,
    pub(crate) codec: &'static str,
    pub(crate) value: &'static str,
    pub(crate) payload: Bytes,
    write: Box<dyn Fn()>,
    read: Box<dyn Fn()>,
}

impl Case {
    fn new<T, C>(codec_name: &'static str, value_name: &'static str, codec: C, value: T) -> Self
    where
        T: Clone + Debug + PartialEq + 'static,
        C: Codec<T> + Clone,
    {
        let payload = codec.encode(&value).expect("the value has a payload");
        // A copy of static bytes costs nothing. Java reads the same buffer again, too.
        let payload = Bytes::from_static(Box::leak(payload.to_vec().into_boxed_slice()));
        let read = codec.decode(payload.clone()).expect("it is read back");
        assert_eq!(read, value);
        let class = match value_name {
            "many" | "many, tree" => "[Lcom.example.orders.SimpleOrder;",
            _ => "com.example.orders.SimpleOrder",
        };
        Self {
            java: match codec_name {
                "serde_json" | "clone" => None,
                "TypedJsonJacksonCodec" => Some(format!("{codec_name}({class})")),
                _ => Some(codec_name.to_owned()),
            },
            codec: codec_name,
            value: value_name,
            payload: payload.clone(),
            write: {
                let codec = codec.clone();
                Box::new(move || drop(black_box(codec.encode(black_box(&value)))))
            },
            read: Box::new(move || drop(black_box(codec.decode(black_box(payload.clone()))))),
        }
    }

    /// Writes or reads for so many milliseconds.
    pub(crate) fn measure(&self, action: &str, millis: u64) -> Cost {
        cost::measure(millis, self.call(action))
    }

    /// Writes or reads so many times, for a profiler.
    pub(crate) fn repeat(&self, action: &str, times: usize) {
        (0..times).for_each(|_| self.call(action)());
    }

    fn call(&self, action: &str) -> &dyn Fn() {
        match action {
            "read" => &*self.read,
            _ => &*self.write,
        }
    }
}

/// The peer: what a service without Java would use.
#[derive(Clone)]
struct SerdeJson;

impl<T: serde::Serialize + serde::de::DeserializeOwned + 'static> Codec<T> for SerdeJson {
    fn encode(&self, value: &T) -> Result<Bytes, redisson_codec::Error> {
        serde_json::to_vec(value)
            .map(Bytes::from)
            .map_err(|error| redisson_codec::Error::with_source("no json", error))
    }

    fn decode(&self, payload: Bytes) -> Result<T, redisson_codec::Error> {
        serde_json::from_slice(&payload)
            .map_err(|error| redisson_codec::Error::with_source("no value", error))
    }
}

/// The floor: makes a value without a payload.
#[derive(Clone)]
struct InMemory<T>(T);

impl<T: Clone + Send + Sync + 'static> Codec<T> for InMemory<T> {
    fn encode(&self, _value: &T) -> Result<Bytes, redisson_codec::Error> {
        Ok(Bytes::new())
    }

    fn decode(&self, _payload: Bytes) -> Result<T, redisson_codec::Error> {
        Ok(self.0.clone())
    }
}

/// All cases. Those of one codec follow each other.
pub(crate) fn cases() -> Vec<Case> {
    let text = || "1f3870be-274f-46c0-a91d".to_owned();
    let mut cases = vec![
        Case::new("StringCodec", "text", StringCodec, text()),
        Case::new("LongCodec", "number", LongCodec, 1_700_000_000_000),
        Case::new("IntegerCodec", "number", IntegerCodec, 1_700_000),
        Case::new("DoubleCodec", "number", DoubleCodec, 19.99),
        Case::new(
            "ByteArrayCodec",
            "bytes",
            ByteArrayCodec,
            Bytes::from_static(b"1f3870be-274f-46c0"),
        ),
        Case::new("clone", "order", InMemory(order()), order()),
        Case::new("clone", "many", InMemory(orders()), orders()),
        Case::new("serde_json", "order", SerdeJson, order()),
        Case::new("serde_json", "many", SerdeJson, orders()),
    ];
    let name = "TypedJsonJacksonCodec";
    cases.push(Case::new(
        name,
        "order",
        TypedJsonJacksonCodec::new(),
        order(),
    ));
    cases.push(Case::new(
        name,
        "many",
        TypedJsonJacksonCodec::new(),
        orders(),
    ));
    /// The cases of a codec of Java values.
    macro_rules! java {
        ($name:literal, $codec:ident) => {
            java!($name, $codec, |it| it)
        };
        ($name:literal, $codec:ident, $around:expr) => {
            cases.push(Case::new($name, "text", $around($codec::new()), text()));
            cases.push(Case::new(
                $name,
                "number",
                $around($codec::new()),
                1_700_000_000_000_i64,
            ));
            cases.push(Case::new($name, "order", $around($codec::new()), order()));
            let tree = $codec::<JavaValue>::with_schema(schema()).expect("it has no contradiction");
            cases.push(Case::new(
                $name,
                "order, tree",
                $around(tree),
                order_as_read(&$codec::new()),
            ));
            cases.push(Case::new($name, "many", $around($codec::new()), orders()));
        };
    }
    java!("Kryo5Codec", Kryo5Codec);
    java!("JsonJacksonCodec", JsonJacksonCodec);
    java!("JsonJackson3Codec", JsonJackson3Codec);
    java!("CborJacksonCodec", CborJacksonCodec);
    java!("MsgPackJacksonCodec", MsgPackJacksonCodec);
    java!("SmileJacksonCodec", SmileJacksonCodec);
    java!("SerializationCodec", SerializationCodec);
    let kryo = Kryo5Codec::<Order>::new;
    cases.push(Case::new(
        "LZ4Codec",
        "order",
        Lz4Codec::new(kryo()),
        order(),
    ));
    cases.push(Case::new(
        "LZ4CodecV2",
        "order",
        Lz4CodecV2::new(kryo()),
        order(),
    ));
    cases.push(Case::new(
        "SnappyCodecV2",
        "order",
        SnappyCodecV2::new(kryo()),
        order(),
    ));
    cases.push(Case::new(
        "ZStdCodec",
        "order",
        ZstdCodec::new(kryo()),
        order(),
    ));
    let kryo = Kryo5Codec::<Vec<Order>>::new;
    cases.push(Case::new(
        "LZ4Codec",
        "many",
        Lz4Codec::new(kryo()),
        orders(),
    ));
    cases.push(Case::new(
        "LZ4CodecV2",
        "many",
        Lz4CodecV2::new(kryo()),
        orders(),
    ));
    cases.push(Case::new(
        "SnappyCodecV2",
        "many",
        SnappyCodecV2::new(kryo()),
        orders(),
    ));
    cases.push(Case::new(
        "ZStdCodec",
        "many",
        ZstdCodec::new(kryo()),
        orders(),
    ));
    cases
}

fn schema() -> Schema {
    let mut schema = Schema::new();
    Order::describe(&mut schema);
    schema
}

/// The order as a value of any class, with the fields in the order in which the codec reads them.
fn order_as_read<C: Codec<Order> + Tree>(codec: &C) -> JavaValue {
    let payload = codec.encode(&order()).expect("the order has a payload");
    C::tree(payload)
}

trait Tree {
    fn tree(payload: Bytes) -> JavaValue;
}

macro_rules! tree {
    ($($codec:ident),*) => {
        $(impl Tree for $codec<Order> {
            fn tree(payload: Bytes) -> JavaValue {
                let codec = $codec::<JavaValue>::with_schema(schema()).expect("no contradiction");
                codec.decode(payload).expect("it is read back")
            }
        })*
    };
}

tree!(
    Kryo5Codec,
    JsonJacksonCodec,
    JsonJackson3Codec,
    CborJacksonCodec,
    MsgPackJacksonCodec,
    SmileJacksonCodec,
    SerializationCodec
);
