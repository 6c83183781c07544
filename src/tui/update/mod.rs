//! What a message changes. Pure: what is to be done outside comes back as [`Effect`]s. `journal` has what becomes of the
//! runs, `text` the screens of text.

mod journal;
mod text;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::keymap::{Action, Key, Place};
use super::model::{Effect, Focus, Message, Mode, Model, Notice, Over, Screen, Typing};
use super::pager::Move;
use super::recorder::RecorderState;
use super::view;
use crate::clipboard::Outcome;
use crate::cluster::is_namespace;

/// How long a notice stays, in beats.
const NOTICE: usize = 4;

/// Takes in one message, and says what is to be done outside.
#[must_use]
pub fn update(model: &mut Model, message: Message) -> Vec<Effect> {
    match message {
        Message::Cluster { runs, feed, now } => return journal::take_in(model, runs, feed, now),
        Message::Recalled { run, journal, runs, feed, now } => {
            model.journals.recall(&run, journal);
            return journal::take_in(model, runs, feed, now);
        }
        Message::Shown(shown) => {
            model.shown = shown;
            text::see(model);
        }
        Message::Refused(why) => notify(model, why, false),
        Message::Unkept(why) => notify(model, &why, false),
        Message::Unrecorded(why) => {
            model.recorder = RecorderState::Failed;
            notify(model, &why, false);
        }
        Message::Attended(attended) => model.attended = attended,
        Message::Resize(size) => model.size = size,
        Message::Tick(now) => {
            model.frontier.time = now;
            model.beat = model.beat.wrapping_add(1);
            model.notice.take_if(|notice| notice.until <= model.beat);
            return journal::tell(model).into_iter().collect();
        }
        Message::Copied(Outcome::Copied) => notify(model, "copied", true),
        Message::Copied(Outcome::SentToTerminal(bytes)) => {
            notify(model, "sent to the terminal", true);
            return vec![Effect::Write(bytes)];
        }
        // The screen of a text alone is for one command.
        Message::Copied(Outcome::ShowAlone(text)) if text.contains('\n') => {
            let save = model.settings.keys.label(Place::Text, Action::Save, model.theme().ascii);
            let save = save.map(|key| format!(": {key} saves it in a file")).unwrap_or_default();
            notify(model, &format!("nothing here takes it{save}"), false);
        }
        Message::Copied(Outcome::ShowAlone(text)) => model.over.push(Over::Alone(text)),
        Message::Saved(Ok(file)) => notify(model, &format!("saved to {file}"), true),
        Message::Saved(Err(problem)) => notify(model, &problem, false),
        Message::Key(key) => return press(model, key),
    }
    Vec::new()
}

fn notify(model: &mut Model, text: &str, good: bool) {
    model.notice = Some(Notice { text: text.into(), good, until: model.beat.wrapping_add(NOTICE) });
}

fn press(model: &mut Model, event: KeyEvent) -> Vec<Effect> {
    if Key::from(event) == Key::Ctrl('c') {
        return vec![Effect::Quit];
    }
    if model.settings.mode != Mode::Interactive {
        return Vec::new();
    }
    if let Screen::Alone(_) = model.screen() {
        model.over.pop();
        return Vec::new();
    }
    let Some(place) = Place::of(model.screen(), model.typing.as_ref()) else { return Vec::new() };
    match model.settings.keys.action(place, event) {
        Some(action) => act(model, place, action),
        None => {
            type_in(model, event);
            Vec::new()
        }
    }
}

fn act(model: &mut Model, place: Place, action: Action) -> Vec<Effect> {
    if matches!(place, Place::Logs | Place::Text | Place::Search)
        && let Some(effects) = text::act(model, action)
    {
        return effects;
    }
    match action {
        Action::Quit => return vec![Effect::Quit],
        Action::Suspend => return vec![Effect::Suspend],
        Action::Copy => match model.command() {
            Some(command) => return vec![Effect::Copy(command)],
            None => notify(model, "no command to copy for this step now", false),
        },
        Action::Open => open(model, place),
        Action::Back => back(model, place),
        Action::Help if place == Place::Help => back(model, place),
        Action::Journal if place == Place::Journal => back(model, place),
        Action::Help => model.over.push(Over::Help { scroll: 0 }),
        Action::Journal => model.over.push(Over::Journal { scroll: None }),
        Action::Filter => model.typing = Some(Typing::Filter),
        Action::KeepFilter | Action::Stay => model.typing = None,
        Action::DropFilter => {
            model.typing = None;
            model.filter.clear();
        }
        Action::Erase => drop(typed(model).and_then(String::pop)),
        Action::Travel(travel) => return vec![Effect::Travel(travel)],
        Action::Namespace if model.settings.origin.is_recording() => {
            notify(model, "a recording has no other namespace", false);
        }
        Action::Namespace => model.typing = Some(Typing::Namespace(String::new())),
        Action::Watch => return watch(model),
        Action::Up => step(model, place, Move::By(-1)),
        Action::Down => step(model, place, Move::By(1)),
        Action::First => step(model, place, Move::First),
        Action::Last => step(model, place, Move::Last),
        Action::PageUp => step(model, place, Move::By(-page(model))),
        Action::PageDown => step(model, place, Move::By(page(model))),
        _ => text::open(model, place, action),
    }
    Vec::new()
}

fn type_in(model: &mut Model, event: KeyEvent) {
    if let KeyCode::Char(character) = event.code
        && !event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
    {
        match typed(model) {
            Some(text) => text.push(character),
            None => text::retype(model, |pattern| pattern.push(character)),
        }
    }
}

/// The text that is being typed.
fn typed(model: &mut Model) -> Option<&mut String> {
    match &mut model.typing {
        Some(Typing::Filter) => Some(&mut model.filter),
        Some(Typing::Namespace(name)) => Some(name),
        Some(Typing::Search) | None => None,
    }
}

/// Watches the namespace that was typed; without a name it stays as it is, and so it does with one that none can have.
fn watch(model: &mut Model) -> Vec<Effect> {
    let Some(Typing::Namespace(typed)) = model.typing.take() else { return Vec::new() };
    match typed.trim() {
        "" => Vec::new(),
        "*" => vec![Effect::Watch(None)],
        name if is_namespace(name) => vec![Effect::Watch(Some(name.to_owned()))],
        _ => {
            notify(model, "no namespace can be named like that", false);
            Vec::new()
        }
    }
}

fn open(model: &mut Model, place: Place) {
    if place == Place::Instances {
        let listed = model.listed();
        let chosen = listed.get(model.row(&listed)).map(|run| run.uid.clone());
        model.cursor.clone_from(&chosen);
        model.opened = chosen;
        model.focus = Focus::Current;
        // What lay over an instance that is gone since is not of this one.
        model.over.clear();
    } else if model.step().is_some() {
        model.over.push(Over::Detail { scroll: 0 });
    }
}

/// Back to the screen before. On the dashboard first to following the current step, then to the list.
fn back(model: &mut Model, place: Place) {
    if place != Place::Dashboard {
        model.over.pop();
    } else if model.focus != Focus::Current {
        model.focus = Focus::Current;
    } else {
        model.opened = None;
    }
}

impl Move {
    /// Where it leads from `from`, among `count` places.
    fn lead(self, from: usize, count: usize) -> usize {
        let last = count.saturating_sub(1);
        match self {
            Self::By(by) => from.min(last).saturating_add_signed(by).min(last),
            Self::First => 0,
            Self::Last => last,
        }
    }
}

fn step(model: &mut Model, place: Place, by: Move) {
    match place {
        Place::Instances => {
            let listed = model.listed();
            let row = by.lead(model.row(&listed), listed.len());
            model.cursor = listed.get(row).map(|run| run.uid.clone());
        }
        Place::Dashboard => {
            let steps = model.run().map(|run| run.steps.as_slice()).unwrap_or_default();
            let chosen = steps.get(by.lead(model.selected().unwrap_or(0), steps.len()));
            if let Some(chosen) = chosen {
                model.focus = Focus::Step(chosen.id);
            }
        }
        Place::Detail | Place::Help => {
            let most = view::longest_scroll(model);
            if let Some(Over::Detail { scroll } | Over::Help { scroll }) = model.over.last_mut() {
                *scroll = by.lead(*scroll, most + 1);
            }
        }
        Place::Journal => {
            let most = view::longest_scroll(model);
            if let Some(Over::Journal { scroll }) = model.over.last_mut() {
                let first = by.lead(scroll.unwrap_or(most), most + 1);
                *scroll = (first < most).then_some(first);
            }
        }
        Place::Waiting | Place::Filter | Place::Namespace | Place::Logs | Place::Text | Place::Search => {}
    }
}

/// A screenful, less two lines to find one's place again.
fn page(model: &Model) -> isize {
    isize::try_from(view::scroll_room(model).saturating_sub(2).max(1)).unwrap_or(1)
}

#[cfg(test)]
mod tests;
