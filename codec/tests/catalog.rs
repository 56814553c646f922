//! What a codec needs besides its row in `CATALOG`: each test names the file and what it lacks.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use redisson_codec::{CATALOG, CatalogEntry, Likely, Values, sniff};

/// The text of a file of the repository.
fn read(path: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Fails unless a line of the file has each of these texts.
fn has_line(path: &str, texts: &[&str]) {
    let text = read(path);
    let found = text
        .lines()
        .any(|line| texts.iter().all(|it| line.contains(it)));
    assert!(found, "{path}: no line with {}", texts.join(" and "));
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// The codecs that are made without a type.
fn made() -> impl Iterator<Item = &'static CatalogEntry> {
    CATALOG
        .iter()
        .filter(|it| !matches!(it.values, Values::Message))
}

#[test]
fn each_public_codec_has_a_row() {
    let rows: BTreeSet<_> = CATALOG.iter().map(|it| it.name).collect();
    let public = read("codec/src/lib.rs");
    let public = public.lines().filter(|it| it.starts_with("pub use self::"));
    let names = public.flat_map(|it| it.split(|letter: char| !letter.is_alphanumeric()));
    // These are made of others.
    let made_of_others = ["Codec", "FallbackCodec"];
    let codecs = names.filter(|it| it.contains("Codec") && !made_of_others.contains(it));
    assert_eq!(codecs.collect::<BTreeSet<_>>(), rows);
}

#[test]
fn names_differ_and_are_in_order() {
    assert!(CATALOG.is_sorted_by_key(|it| it.name));
    let redisson: BTreeSet<_> = CATALOG.iter().map(|it| it.redisson).collect();
    let short: BTreeSet<_> = CATALOG.iter().map(|it| it.short).collect();
    assert_eq!(
        (redisson.len(), short.len()),
        (CATALOG.len(), CATALOG.len())
    );
}

#[test]
fn each_guess_is_a_codec_of_the_catalog() {
    for payload in [
        &b"5"[..],
        b"\x92\xa1a\x01",
        b"\xac\xed\0\x05t\0\x01a",
        b"\xff",
    ] {
        for likely in sniff(payload) {
            let is_missing = likely.entry().is_none();
            assert_eq!(is_missing, likely == Likely::IonJacksonCodec, "{likely:?}");
        }
    }
}

/// Cargo has no other place for features.
#[test]
fn each_feature_is_in_the_manifests() {
    for CatalogEntry { name, feature, .. } in CATALOG {
        if let Some(feature) = feature {
            has_line("codec/Cargo.toml", &["# ", name]);
            has_line("codec/Cargo.toml", &[&format!("{feature} = [")]);
            let passed_on = format!("{feature} = [\"redisson-codec/{feature}\"]");
            has_line("Cargo.toml", &[&passed_on]);
            has_line("src/lib.rs", &[&code(feature), "codecs"]);
        }
    }
    for feature in made().filter_map(|it| it.feature) {
        has_line("rdq/Cargo.toml", &[&quoted(feature)]);
        has_line("interop/Cargo.toml", &[&quoted(feature)]);
    }
}

#[test]
fn each_codec_is_in_the_tables_of_the_docs() {
    for CatalogEntry {
        name,
        redisson,
        feature,
        ..
    } in CATALOG
    {
        let feature = feature.map(code).unwrap_or_default();
        has_line("codec/README.md", &["| `", &code(redisson), &feature]);
        has_line("codec/docs/codecs.md", &["| `", &code(redisson), &feature]);
        assert!(
            read("codec/README.md").contains(&code(name)),
            "codec/README.md: {name}"
        );
    }
    for CatalogEntry { short, .. } in made() {
        has_line("rdq/README.md", &["| `", &code(short)]);
    }
}

#[test]
fn each_codec_is_compared_with_redisson() {
    for CatalogEntry { redisson, .. } in made() {
        has_line("interop/src/codecs.rs", &[&quoted(redisson)]);
        has_line("interop/vectors/payloads.jsonl", &[&quoted(redisson)]);
        has_line("codec/tests/codecs/sniffed.rs", &[&quoted(redisson)]);
        has_line("codec/docs/codecs.md", &["### ", redisson]);
    }
}
