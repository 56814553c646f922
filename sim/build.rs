//! Lets crates that look functions up by name find those of `src/chance.rs`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-bins=-Wl,--export-dynamic-symbol=getrandom");
}
