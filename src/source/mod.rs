//! Where cluster events come from: live watches, a recording.
