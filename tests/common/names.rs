//! How the operator names the Jobs of a hop, for tests that play it.

/// The hash in those names: FNV-1a (32 bit) of the instance's uid, its generation and the hop's version.
pub fn hash(uid: &str, generation: i64, version: &str) -> String {
    let text = format!("{uid}-{generation}-{version}");
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{hash:08x}")
}
