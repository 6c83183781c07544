//! The `gatewatch` command: parse, run, exit.

fn main() {}
