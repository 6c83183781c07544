//! The recording format, and the reading of files.
