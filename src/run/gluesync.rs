//! An update of Gluesync as a run of the steps that its operator works through.

use crate::cluster::{GluesyncPlatform, World};
use crate::run::{Course, Run, Source, Verdict};

/// The run of one platform.
pub(super) fn update(platform: &GluesyncPlatform, _: &World) -> Run {
    let meta = &platform.meta;
    Run {
        source: Source::GluesyncPlatform,
        namespace: meta.namespace.clone(),
        name: meta.name.clone(),
        uid: meta.uid.clone(),
        made_by: None,
        cluster: None,
        verdict: Verdict::Unknown,
        phase: None,
        course: Course { target: platform.version.clone(), ..Course::default() },
        operator: None,
        steps: Vec::new(),
        started: None,
        ended: None,
        history: Vec::new(),
        manifest: meta.manifest.clone(),
    }
}
