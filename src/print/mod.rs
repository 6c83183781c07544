//! An object as `kubectl` prints it: as YAML, and described.
//!
//! In comes a [`Manifest`](crate::cluster::Manifest), and for a description what was said of the object; out come lines
//! without anything hostile, their labels painted. No clock and no terminal: what is shown are times, never ages.
//!
//! | file | holds |
//! |---|---|
//! | `yaml` | `kubectl get -o yaml` |
//! | `describe/` | `kubectl describe` of a Job and of its pods |

mod describe;
mod yaml;

pub use describe::{DescribedPod, describe_job};
pub use yaml::yaml;

use crate::cluster::{Colour, LogLine, Look, Paint};

/// How a label looks.
const LABEL: Look = Look {
    foreground: Some(Colour::Indexed(6)),
    background: None,
    bold: false,
    dim: false,
    italic: false,
    underlined: false,
    reversed: false,
};

/// How a title looks.
const TITLE: Look = Look { foreground: None, bold: true, ..LABEL };

/// A line of which that part has a look.
fn painted(text: String, from: usize, to: usize, look: Look) -> LogLine {
    let paints = vec![Paint { from, look }, Paint { from: to, look: Look::default() }];
    LogLine { time: None, text, paints }
}
