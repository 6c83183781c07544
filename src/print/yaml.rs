//! Objects as `kubectl get -o yaml` prints one: keys in their order, texts of several lines as blocks.

use super::{LABEL, painted};
use crate::cluster::{LogLine, Manifest, clean_line};

/// The objects line by line, several of them one document after the other; `None` where none was kept.
///
/// Control characters cannot come through: YAML writes them as escapes. What reverses or hides text is left out.
pub fn yaml(manifests: &[Manifest]) -> Option<Vec<LogLine>> {
    let documents: Vec<Vec<LogLine>> = manifests.iter().filter_map(document).collect();
    let between = LogLine { text: "---".to_owned(), ..LogLine::default() };
    (!documents.is_empty()).then(|| documents.join(&between))
}

fn document(manifest: &Manifest) -> Option<Vec<LogLine>> {
    let object = manifest.object()?;
    // kubectl breaks no line that the object does not break.
    let options = serde_saphyr::ser_options! { folded_wrap_chars: usize::MAX };
    let text = serde_saphyr::to_string_with_options(&object, options).ok()?;
    let mut block = None;
    Some(text.lines().map(|line| keyed(clean_line(line), &mut block)).collect())
}

/// A line with its key painted. `block` is the column of the key whose block goes on: text in it has no keys.
fn keyed(line: String, block: &mut Option<usize>) -> LogLine {
    let column = line.len() - line.trim_start_matches(' ').len();
    let plain = |text| LogLine { text, ..LogLine::default() };
    if block.is_some_and(|key| column > key) || line.is_empty() {
        return plain(line);
    }
    let body = line[column..].trim_start_matches("- ");
    let from = line.len() - body.len();
    let opens = ["|", "|-", "|+", ">", ">-", ">+"]
        .iter()
        .any(|mark| body.strip_suffix(mark).is_some_and(|before| before.is_empty() || before.ends_with(' ')));
    let key = body.find(": ").or_else(|| body.strip_suffix(':').map(str::len));
    // An element of a list that is a block itself is indented from its dash on.
    *block = opens.then_some(if key.is_some() { from } else { column });
    match key {
        Some(end) => painted(line, from, from + end + 1, LABEL),
        None => plain(line),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cluster::{Object, Served};

    fn manifest(object: &Value) -> Manifest {
        let Served(object) = serde_json::from_value(object.clone()).unwrap();
        Object::read(&object).unwrap().meta().manifest.clone()
    }

    fn printed(object: Value) -> Vec<LogLine> {
        yaml(&[manifest(&object)]).unwrap()
    }

    fn text(object: Value) -> String {
        printed(object).iter().map(|line| format!("{}\n", line.text)).collect()
    }

    fn job(spec: Value) -> Value {
        json!({"kind": "Job", "metadata": {"name": "mig", "managedFields": [{"manager": "x"}]}, "spec": spec})
    }

    #[test]
    fn an_object_is_printed_as_kubectl_prints_it() {
        let command = json!(["sh", "-c", "echo a\necho \"b\"; exit 0"]);
        let spec = json!({"suspend": false, "backoffLimit": 6, "when": "2026-11-29T19:40:00Z", "version": "10",
            "template": {"spec": {"containers": [{"name": "migrations", "command": command, "resources": {}}]}},
            "long": "word ".repeat(40) + "end"});
        let long = "word ".repeat(40) + "end";
        let expected = format!(
            "kind: Job\nmetadata:\n  name: mig\nspec:\n  backoffLimit: 6\n  long: {long}\n  suspend: false\n  template:\n    \
             spec:\n      containers:\n      - command:\n        - sh\n        - -c\n        - |-\n          echo a\n          \
             echo \"b\"; exit 0\n        name: migrations\n        resources: {{}}\n  version: \"10\"\n  when: \
             \"2026-11-29T19:40:00Z\"\n"
        );
        assert_eq!(text(job(spec)), expected);
    }

    #[test]
    fn keys_are_painted_and_text_in_blocks_is_not() {
        let lines = printed(job(json!({"script": "if: so\nthen: that", "after": "x: y"})));
        let keys: Vec<&str> =
            lines.iter().filter_map(|line| Some(&line.text[line.paints.first()?.from..line.paints[1].from])).collect();
        assert_eq!(keys, ["kind:", "metadata:", "name:", "spec:", "after:", "script:"]);
    }

    #[test]
    fn what_is_hostile_in_an_object_does_not_come_through() {
        let hostile = "a\u{1b}[2Jb\u{202e}c\u{200b}\u{9b}31m\nd\re\u{7}";
        let text = text(job(json!({ "text": hostile, hostile: 1, "list": [hostile] })));
        assert!(!text.replace('\n', "").chars().any(char::is_control), "{text:?}");
        assert!(!text.contains(['\u{202e}', '\u{200b}']), "{text:?}");
    }

    #[test]
    fn a_long_text_is_kept_whole() {
        let long = "x".repeat(100_000);
        assert!(text(job(json!({ "text": long }))).contains(&long));
    }

    #[test]
    fn what_was_not_kept_is_not_printed() {
        assert_eq!(yaml(&[Manifest::default()]), None);
    }

    #[test]
    fn several_objects_are_one_document_after_the_other() {
        let lines = yaml(&[manifest(&job(json!(1))), Manifest::default(), manifest(&job(json!(2)))]).unwrap();
        let text: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        let document = |spec| ["kind: Job", "metadata:", "  name: mig", spec];
        assert_eq!(text, [&document("spec: 1")[..], &["---"], &document("spec: 2")].concat());
    }
}
