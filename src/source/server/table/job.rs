//! Jobs as a table.

use jiff::Timestamp;
use serde_json::Value;

use super::age;
use super::cells::{Column, age_of, holds, name, number, template};
use crate::cluster::read;

/// The columns.
pub(super) const COLUMNS: &[Column] = &[
    Column::NAME,
    Column::text("Status"),
    Column::text("Completions"),
    Column::text("Duration"),
    Column::text("Age"),
    Column::text("Containers").wide(),
    Column::text("Images").wide(),
    Column::text("Selector").wide(),
];

/// The cells of a Job.
pub(super) fn cells(job: &Value, now: Timestamp) -> Vec<Value> {
    let succeeded = number(job, &["status", "succeeded"]);
    let completions = match (read::number(job, &["spec", "completions"]), number(job, &["spec", "parallelism"])) {
        (Some(completions), _) => format!("{succeeded}/{completions}"),
        (None, parallel) if parallel > 1 => format!("{succeeded}/1 of {parallel}"),
        (None, _) => format!("{succeeded}/1"),
    };
    let started = read::time(job, &["status", "startTime"]);
    let ended = read::time(job, &["status", "completionTime"]).unwrap_or(now);
    let duration = started.map_or_else(String::new, |started| age::long(ended.duration_since(started)));
    let mut cells =
        vec![name(job).into(), status(job).into(), completions.into(), duration.into(), age_of(job, now).into()];
    cells.extend(template(job).map(Value::from));
    cells
}

fn status(job: &Value) -> &'static str {
    let conditions = |names: &[&'static str]| names.iter().copied().find(|name| holds(job, name));
    if let Some(ended) = conditions(&["Complete", "Failed"]) {
        return ended;
    }
    if read::at(job, &["metadata", "deletionTimestamp"]).is_some() {
        return "Terminating";
    }
    conditions(&["Suspended", "FailureTarget", "SuccessCriteriaMet"]).unwrap_or("Running")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixture::{at, holds as condition, job, with};

    fn row(patch: Value) -> Vec<String> {
        let cells = cells(&with(job(), patch), at(100));
        cells[1..5].iter().map(|cell| cell.as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_job_is_told_by_its_conditions_and_lasts_until_it_completed() {
        assert_eq!(row(json!({})), ["Running", "0/1", "100s", "100s"]);
        for name in ["Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"] {
            let conditions = json!([condition(name, "", 60)]);
            assert_eq!(row(json!({"status": {"conditions": conditions}})), [name, "0/1", "100s", "100s"]);
        }
        let conditions = json!([condition("SuccessCriteriaMet", "", 60), condition("Complete", "", 60)]);
        let complete = json!({"spec": {"completions": 1},
            "status": {"conditions": conditions, "succeeded": 1, "completionTime": at(60)}});
        assert_eq!(row(complete), ["Complete", "1/1", "60s", "100s"]);
        let deleted = json!({"metadata": {"deletionTimestamp": at(5)}, "spec": {"parallelism": 3}, "status": {"startTime": null}});
        assert_eq!(row(deleted), ["Terminating", "0/1 of 3", "", "100s"]);
    }

    #[test]
    fn what_it_runs_is_told_in_a_wide_table() {
        let spec = json!({"selector": {"matchLabels": {"a": "b", "c": "d"}}, "template": {"spec":
            {"containers": [{"name": "x", "image": "r.io/x:v1"}, {"name": "y", "image": "r.io/y:v1"}]}}});
        let cells = cells(&with(job(), json!({"spec": spec})), at(0));
        assert_eq!(cells[5..], [json!("x,y"), json!("r.io/x:v1,r.io/y:v1"), json!("a=b,c=d")]);
    }
}
