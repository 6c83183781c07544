//! What becomes of a retrying gate at the pace it has.

/// What becomes of a retrying gate at the pace it has.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {}
