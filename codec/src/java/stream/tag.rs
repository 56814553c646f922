//! The bytes of the stream: those of `java.io.ObjectStreamConstants`.

/// What each stream begins with.
pub(crate) const HEADER: [u8; 4] = [0xac, 0xed, 0, 5];

pub(crate) const NULL: u8 = 0x70;
pub(crate) const REFERENCE: u8 = 0x71;
pub(crate) const CLASS_DESCRIPTION: u8 = 0x72;
pub(crate) const OBJECT: u8 = 0x73;
pub(crate) const STRING: u8 = 0x74;
pub(crate) const ARRAY: u8 = 0x75;
pub(crate) const CLASS: u8 = 0x76;
pub(crate) const BLOCK: u8 = 0x77;
pub(crate) const END: u8 = 0x78;
pub(crate) const LONG_BLOCK: u8 = 0x7a;
pub(crate) const EXCEPTION: u8 = 0x7b;
pub(crate) const LONG_STRING: u8 = 0x7c;
pub(crate) const PROXY: u8 = 0x7d;
pub(crate) const ENUM: u8 = 0x7e;

/// The number of the first object that can be referred to.
pub(crate) const FIRST_HANDLE: i32 = 0x7e_0000;

// Flags of a class.
pub(crate) const WRITES_DATA: u8 = 1;
pub(crate) const SERIALIZABLE: u8 = 2;
pub(crate) const EXTERNALIZABLE: u8 = 4;
pub(crate) const BLOCK_DATA: u8 = 8;
