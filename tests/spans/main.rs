//! The spans of offers, transfers, takes and handlers, and the traces that go on from one to another.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod capture;
mod carried;
mod shown;
