//! What users of other tools met on their screens, from public reports: each test is named after the symptom.

use ratatui::crossterm::event::KeyCode;

use super::fixture::{self, COLOUR, failed_attempt, feed, live, model, settings};
use super::frames::{drawn, pressed, text};
use super::model::{Effect, Message, Settings};
use super::update::update;
use crate::clipboard::{Outcome, osc52};
use crate::gate::{Attempt, Ending, Target};
use crate::multiplexer::Wrapping;
use crate::run::{Run, StepBody};

/// An upgrade whose second gate went through these attempts, and the text of its dashboard.
fn dashboard_after(history: Vec<Attempt>) -> String {
    let mut run = fixture::retrying();
    if let StepBody::Gate(gate) = &mut run.steps[2].body {
        gate.job.as_mut().unwrap().history = history;
    }
    text(&drawn(&model(settings(COLOUR), (100, 30), vec![run], feed(&live()))))
}

#[test]
fn runbooks_pdm_the_same_failure_repeats_unnoticed() {
    let failed = [2000, 1500, 1000, 500].map(|started| failed_attempt(started, 100));
    assert!(dashboard_after(failed.to_vec()).contains("the same failure 4 times"));
    let mut evicted = failed.to_vec();
    let ending = Ending::Pod { reason: "Evicted".into() };
    evicted[1].outcome = fixture::counted_failure(ending, "");
    assert!(dashboard_after(evicted).contains("the same failure 2 times"));
}

#[test]
fn k9s_3374_the_same_names_on_two_clusters() {
    let on = |place: &str| {
        let target = Target { context: Some(place.to_owned()), kubeconfig: None };
        let settings = Settings { place: place.to_owned(), target, ..settings(COLOUR) };
        model(settings, (100, 30), vec![fixture::retrying()], feed(&live()))
    };
    for (place, other) in [("prod-eu", "prod-us"), ("prod-us", "prod-eu")] {
        let frame = text(&drawn(&on(place)));
        assert!(frame.lines().next().is_some_and(|head| head.contains(place)), "{frame}");
        assert!(frame.contains(&format!("kubectl --context {place} -n gitlab")) && !frame.contains(other), "{frame}");
        let copied = update(&mut on(place), Message::Key(KeyCode::Char('c').into()));
        assert!(
            matches!(copied.as_slice(), [Effect::Copy(command)] if command.contains(&format!(" --context {place} ")))
        );
    }
}

#[test]
fn opentui_1516_a_copy_that_nobody_confirmed_is_called_copied() {
    let runs: Vec<Run> = vec![fixture::retrying()];
    let mut model = pressed(model(settings(COLOUR), (100, 30), runs, feed(&live())), &[]);
    let bytes = osc52("kubectl", Wrapping::Tmux).unwrap();
    assert_eq!(update(&mut model, Message::Copied(Outcome::SentToTerminal(bytes.clone()))), [Effect::Write(bytes)]);
    let frame = text(&drawn(&model));
    assert!(frame.contains("sent to the terminal") && !frame.contains("copied"), "{frame}");
}
