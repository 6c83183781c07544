//! Objects as a table for people, as `kubectl get` prints it: the server computes the cells, ages too.
//!
//! Columns and cells are those of Kubernetes (`pkg/printers/internalversion/printers.go`); of a `GitLabCore`, those that
//! its definition asks for.
//!
//! | file | holds |
//! |---|---|
//! | `age` | how long something is, or was, as `kubectl` says it |
//! | `cells` | what several kinds tell in the same way |
//! | `pod`, `job`, `event`, `workload`, `other` | one kind each, or those that are told alike |

mod age;
mod cells;
mod event;
mod job;
mod other;
mod pod;
mod workload;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::resource::Resource;
use cells::Column;

/// The columns of a resource.
pub(super) fn columns(resource: Resource) -> Vec<Value> {
    let (columns, _) = told(resource);
    columns.iter().map(Column::definition).collect()
}

/// The row of an object, without the object.
pub(super) fn row(resource: Resource, object: &Value, now: Timestamp) -> Value {
    let (_, cells) = told(resource);
    let mut row = json!({"cells": cells(object, now)});
    if resource == Resource::Pods {
        pod::note_end(object, &mut row);
    }
    row
}

type Cells = fn(&Value, Timestamp) -> Vec<Value>;

/// How a resource is told: its columns, and the cells of an object, one for each.
fn told(resource: Resource) -> (&'static [Column], Cells) {
    match resource {
        Resource::Namespaces => (other::NAMESPACE, other::namespace),
        Resource::Pods => (pod::COLUMNS, pod::cells),
        Resource::Events => (event::COLUMNS, event::cells),
        Resource::Deployments => (workload::DEPLOYMENT, workload::deployment),
        Resource::ReplicaSets => (workload::REPLICA_SET, workload::replica_set),
        Resource::Jobs => (job::COLUMNS, job::cells),
        Resource::StatefulSets => (workload::STATEFUL_SET, workload::stateful_set),
        Resource::DaemonSets => (workload::DAEMON_SET, workload::daemon_set),
        Resource::GluesyncPlatforms => (other::PLATFORM, other::platform),
        Resource::GitLabCores => (other::GITLAB_CORE, other::gitlab_core),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::at;

    #[test]
    fn every_column_has_a_cell_whatever_the_object_holds() {
        for resource in Resource::ALL {
            for object in [json!({}), json!(null), json!({"metadata": 5, "spec": [], "status": "x"})] {
                let row = row(resource, &object, at(0));
                assert_eq!(row["cells"].as_array().unwrap().len(), columns(resource).len(), "{resource:?} {object}");
            }
        }
    }
}
