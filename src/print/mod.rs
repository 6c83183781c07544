//! An object as `kubectl` prints it: as YAML, and described.
//!
//! In come [`Manifest`](crate::cluster::Manifest)s, and for a description what was said of the objects; out come lines
//! without anything hostile, their labels painted. No clock and no terminal: what is shown are times, never ages.
//!
//! | file | holds |
//! |---|---|
//! | `yaml` | `kubectl get -o yaml` |
//! | `describe/` | `kubectl describe` of a Job or a Deployment and of its pods |

mod describe;
mod yaml;

pub use describe::{Described, DescribedPod, Kind, Standing, describe};
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
