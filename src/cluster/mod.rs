//! The objects of a cluster as gatewatch needs them, and the [`World`] they make up.
//!
//! In comes what a source says ([`ClusterEvent`]: a relist, one object, a watch that broke); out goes a [`World`] to
//! derive from. Nothing here knows a client, a clock or GitLab's gates.
//!
//! | file | holds |
//! |---|---|
//! | `read`, `text` | lenient reading, cleaning |
//! | `meta` | names, uids, owners, conditions |
//! | `gitlabcore`, `gluesync_platform`, `job`, `pod`, `event`, `deployment`, `stateful_set`, `daemon_set` | one kind each |
//! | `completions`, `indexes`, `provenance` | how many pods of a Job succeeded; indexes of an Indexed Job; what made it |
//! | `workload_kind`, `template` | the kinds that roll out; the images of what their pods are made from |
//! | `selector`, `selection` | label selectors; what is watched |
//! | `object` | any of them, read from JSON |
//! | `manifest` | an object as the server wrote it |
//! | `line`, `log`, `logs` | a line of a log; a log, and what is kept of it; the logs of a pod |
//! | `excerpt/` | the lines of a log that tell why its run failed |
//! | `change` | what a source says |
//! | `feed` | how the watches fare |
//! | `record` | what is remembered of a pod and of a Job |
//! | `memory` | what is kept of a world beyond the life of the program |
//! | `states` | the words of states |
//! | `size` | about how much memory an event takes |
//! | `world` | all of it, and how a change is applied |

mod change;
mod completions;
mod daemon_set;
mod deployment;
mod event;
mod excerpt;
mod feed;
mod gitlabcore;
mod gluesync_platform;
mod indexes;
mod job;
mod line;
mod log;
mod logs;
mod manifest;
mod memory;
mod meta;
mod object;
mod pod;
mod provenance;
pub(crate) mod read;
mod record;
mod selection;
mod selector;
mod size;
mod stateful_set;
mod states;
mod template;
mod text;
mod workload_kind;
mod world;

pub use change::{Change, ClusterEvent, ClusterName, Scope};
pub use completions::Completions;
pub use daemon_set::DaemonSet;
pub use deployment::Deployment;
pub use event::Event;
pub use excerpt::{Excerpt, ExcerptKind};
pub use feed::{Feed, FeedState, WatchState};
pub use gitlabcore::GitLabCore;
pub use gluesync_platform::{
    ComponentResult, GluesyncPlatform, ResultWord, UpdateAttempt, UpdateResult, UpdateStep, UpdateUnderWay,
};
pub use indexes::Indexes;
pub use job::{FailureAction, FailureRule, Indexed, Job, NO_LIMIT, RuleMatch, SuccessRule};
pub use line::{Colour, LONGEST_LINE, LogLine, Look, Paint};
pub use log::{FOLLOWED, KEPT, Log, LogChange, LogEnd, LogNews, RunId, Via};
pub use logs::Logs;
pub use manifest::Manifest;
pub(crate) use manifest::{Served, read_field};
pub use memory::{Memory, Upgrade};
pub use meta::{Condition, Labels, Meta, Owner, Uid, condition, holding, is_namespace};
pub use object::{Kind, Object, Unreadable};
pub use pod::{Container, ContainerRole, ContainerState, Pod, PodIndex, PodPhase, Terminated, restarts};
pub use provenance::Provenance;
pub use record::{FinishedRun, JobRecord, PodRecord, Released};
pub use selection::{JobPick, Pick, Selection};
pub use selector::LabelSelector;
pub use stateful_set::StatefulSet;
pub(crate) use states::states;
pub use template::TemplateImage;
pub use text::{LONGEST, clean};
pub(crate) use text::{clean_line, clean_sentence, clean_value, clean_word};
pub use workload_kind::WorkloadKind;
pub use world::{SeenImages, World};
