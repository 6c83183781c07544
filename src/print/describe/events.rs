//! Conditions and events.

use serde_json::Value;

use super::sheet::{Sheet, field};
use crate::cluster::{Event, read};

pub fn conditions(sheet: &mut Sheet<'_>, object: &Value) {
    let rows: Vec<Vec<String>> = read::list(object, &["status", "conditions"])
        .iter()
        .map(|condition| {
            let word = |name: &str| read::message(condition, &[name]).unwrap_or_default();
            let since = read::time(condition, &["lastTransitionTime"]).map(|time| sheet.time(time));
            vec![word("type"), word("status"), since.unwrap_or_default(), word("reason"), word("message")]
        })
        .collect();
    if !rows.is_empty() {
        sheet.head(0, "Conditions");
        sheet.table(2, &["Type", "Status", "Since", "Reason", "Message"], rows);
    }
}

/// What stands above events: which there are, and which not.
const TITLE: &str = "Events (without Normal ones such as Scheduled, Pulled, Started)";

/// Those about that object, oldest first.
pub fn events(sheet: &mut Sheet<'_>, events: &[Event], object: &Value) {
    let uid = read::text(object, &["metadata", "uid"]).unwrap_or_default();
    let rows: Vec<Vec<String>> = events
        .iter()
        .filter(|event| event.about.0 == uid)
        .map(|event| {
            let last = event.last.map(|time| sheet.time(time)).unwrap_or_default();
            let times = if event.count > 1 { format!(" (x{})", event.count) } else { String::new() };
            let kind = if event.warning { "Warning" } else { "Normal" };
            vec![kind.to_owned(), event.reason.clone(), format!("{last}{times}"), event.message.clone()]
        })
        .collect();
    if rows.is_empty() {
        // Nobody asks for the events of what is ready, nor for those of a Deployment.
        return sheet.fields(0, vec![field(TITLE, Some("<none known>".to_owned()))]);
    }
    sheet.head(0, TITLE);
    sheet.table(2, &["Type", "Reason", "Last Seen", "Message"], rows);
}
