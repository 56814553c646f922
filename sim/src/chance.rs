//! Randomness and the wall clock of this process, as a schedule decides them.
//!
//! The client, its map types and Tokio ask the system for random bytes. The linker takes the two
//! functions below in the place of those of the C library.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

/// The state of the generator; 0 while the system is asked.
static STATE: AtomicU64 = AtomicU64::new(0);
/// Unix us; 0 while the system is asked.
static WALL_US: AtomicI64 = AtomicI64::new(0);

/// Takes all random bytes of this process from a seed.
pub(crate) fn seed(seed: u64) {
    STATE.store(seed.wrapping_mul(2).wrapping_add(1), Relaxed);
}

/// Sets the wall clock of this process, unix us.
pub(crate) fn set_wall(us: i64) {
    WALL_US.store(us, Relaxed);
}

/// Splitmix64.
fn next() -> u64 {
    let mut x = STATE.fetch_add(0x9E37_79B9_7F4A_7C16, Relaxed);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// As the function of the C library.
///
/// # Safety
///
/// `buffer` has room for `size` bytes.
#[expect(unsafe_code, reason = "it has the name of a function of the C library")]
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn getrandom(
    buffer: *mut u8,
    size: usize,
    flags: libc::c_uint,
) -> isize {
    if STATE.load(Relaxed) == 0 {
        // SAFETY: these are the caller's arguments.
        return unsafe { libc::syscall(libc::SYS_getrandom, buffer, size, flags) as isize };
    }
    for place in 0..size {
        // SAFETY: the caller's buffer has `size` bytes.
        unsafe { buffer.add(place).write(next() as u8) };
    }
    size as isize
}

/// As the function of the C library.
///
/// # Safety
///
/// `time` points to a time.
#[expect(unsafe_code, reason = "it has the name of a function of the C library")]
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn clock_gettime(
    clock: libc::clockid_t,
    time: *mut libc::timespec,
) -> i32 {
    let us = WALL_US.load(Relaxed);
    if us == 0 || clock != libc::CLOCK_REALTIME {
        // SAFETY: these are the caller's arguments.
        return unsafe { libc::syscall(libc::SYS_clock_gettime, clock, time) as i32 };
    }
    let shown = libc::timespec {
        tv_sec: us.div_euclid(1_000_000),
        tv_nsec: us.rem_euclid(1_000_000) * 1_000,
    };
    // SAFETY: the caller's pointer is to a time.
    unsafe { time.write(shown) };
    0
}
