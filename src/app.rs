//! Composition: which source, which sink.
