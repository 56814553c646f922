#!/usr/bin/env python3
"""Prints payloads.jsonl from a full capture, see README.md."""

import json
import sys

COMPRESSED = ["LZ4Codec", "LZ4CodecV2", "SnappyCodec", "SnappyCodecV2", "ZStdCodec"]
CODECS = {
    "StringCodec", "LongCodec", "IntegerCodec", "DoubleCodec", "ByteArrayCodec",
    "Kryo5Codec", "Kryo5Codec(references)", "Kryo5Codec(allowed)",
    "JsonJacksonCodec", "JsonJacksonCodec(JavaTimeModule)", "JsonJackson3Codec",
    "TypedJsonJacksonCodec", "TypedJsonJackson3Codec", "JacksonCodec", "Jackson3Codec",
    "MarshallingCodec", "SerializationCodec",
    "CborJacksonCodec", "MsgPackJacksonCodec", "SmileJacksonCodec", "IonJacksonCodec",
} | set(COMPRESSED) | {name + "(StringCodec)" for name in COMPRESSED}
KEYS = ["redisson", "codec", "java_type", "id", "value_as_json", "payload_hex", "roundtrip"]

with open(sys.argv[1], encoding="utf-8") as rows:
    for line in rows:
        row = json.loads(line)
        if row["codec"] not in CODECS or "payload_hex" not in row:
            continue
        kept = {key: row[key] for key in KEYS if key in row}
        print(json.dumps(kept, ensure_ascii=True, separators=(",", ":")))
