//! All that the screens show, and where the user is. It is changed by [`update`](super::update()) alone, and drawing only
//! reads it.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Size;

use super::keymap::KeyMap;
use super::reading::{Logs, Object, Reading, Subject};
use super::recorder::RecorderState;
use super::theme::{Colours, Theme};
use crate::clipboard::Outcome;
use crate::cluster::{Feed, Selection, Uid};
use crate::gate::Target;
use crate::journal::{Entry, Journal, Journals, News};
use crate::notify::Notices;
use crate::run::{Run, RunName, StepId};
use crate::tape::{Moment, Shown, Travel};

/// What does not change while the program runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where what is shown comes from, as the user knows it: the context's name, or a file's.
    pub place: String,
    /// The namespace that is watched; `None` for all of them.
    pub namespace: Option<String>,
    /// What is watched.
    pub selection: Selection,
    /// What kind of feed it is.
    pub origin: Origin,
    /// For somebody with a keyboard, or for a wall.
    pub mode: Mode,
    /// Whether messages and commands stay hidden from passers-by.
    pub redact: bool,
    /// The colours and glyphs.
    pub theme: Theme,
    /// The keys.
    pub keys: KeyMap,
    /// The cluster that commands have to name, where the user chose one.
    pub target: Target,
    /// The time zone that clocks are shown in.
    pub zone: TimeZone,
    /// What somebody who does not look at the terminal is told, and how.
    pub notices: Notices,
    /// Whether it is recorded, as the screens begin.
    pub recorder: RecorderState,
}

impl Settings {
    /// Of a cluster of that name, for somebody with a keyboard whom the screen alone tells anything: without colours, in UTC.
    pub fn plain(place: impl Into<String>, namespace: Option<&str>) -> Self {
        Self {
            place: place.into(),
            namespace: namespace.map(str::to_owned),
            selection: Selection::default(),
            origin: Origin::Cluster,
            mode: Mode::Interactive,
            redact: false,
            theme: Theme::new(Colours::None, false),
            keys: KeyMap::default(),
            target: Target::default(),
            zone: TimeZone::UTC,
            notices: Notices::never(),
            recorder: RecorderState::default(),
        }
    }
}

/// What kind of feed it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Origin {
    /// A cluster.
    Cluster,
    /// A recording that is played.
    Replay,
    /// A server inside the program, to which a recording is played; in all but its clock it is a cluster.
    Demo {
        /// How many recorded seconds pass in one.
        speed: f64,
        /// When the recording ends, and the time is that of the machine again.
        until: Timestamp,
    },
}

impl Origin {
    /// Whether what is shown was all recorded before, and no more can come.
    pub fn is_recording(self) -> bool {
        matches!(self, Self::Replay)
    }
}

/// For whom the screens are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Somebody with a keyboard.
    Interactive,
    /// A display that nobody attends: no key does anything, instances rotate.
    Kiosk,
}

/// One thing that happened.
#[derive(Clone, Debug)]
pub enum Message {
    /// What is known of the cluster changed, or how its watches fare.
    Cluster {
        /// All runs.
        runs: Arc<[Run]>,
        /// How the watches fare.
        feed: Feed,
        /// When that was.
        now: Timestamp,
    },
    /// What was kept of a run's journal came back, and what is known of the cluster with it.
    Recalled {
        /// The run.
        run: Uid,
        /// Its journal, if one was kept.
        journal: Option<Journal>,
        /// All runs.
        runs: Arc<[Run]>,
        /// How the watches fare.
        feed: Feed,
        /// When that was.
        now: Timestamp,
    },
    /// What is shown of the tape: its frontier, or a moment before it.
    Shown(Shown),
    /// Why there is no going there, in words.
    Refused(&'static str),
    /// Something can't be kept, in words.
    Unkept(String),
    /// The recording ended before its time, in words.
    Unrecorded(String),
    /// The terminal has the focus, or lost it.
    Attended(bool),
    /// A key was pressed.
    Key(KeyEvent),
    /// The terminal has another size.
    Resize(Size),
    /// A second passed. In a recording more of them may have passed at once.
    Tick(Timestamp),
    /// What became of a copy.
    Copied(Outcome),
    /// What became of a text that was to be saved: where it is, or in words why not.
    Saved(Result<String, String>),
}

/// What is to be done outside. What comes of it comes in again as a [`Message`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Leave.
    Quit,
    /// Give the terminal back to the shell until it wants us again.
    Suspend,
    /// Copy a text.
    Copy(String),
    /// Save a text in the current directory, under that name or one like it.
    Save {
        /// The name.
        name: String,
        /// The text.
        text: String,
    },
    /// Write bytes to the terminal that draw nothing.
    Write(Vec<u8>),
    /// Watch another namespace; `None` for all.
    Watch(Option<String>),
    /// Ask for what was kept of a run.
    Recall(Uid),
    /// Keep what there is of a run.
    Keep(Uid),
    /// Go elsewhere on the tape.
    Travel(Travel),
}

/// All that the screens show, and where the user is.
#[derive(Debug)]
pub struct Model {
    pub(super) settings: Settings,
    pub(super) size: Size,
    /// How many seconds of the machine's time went by: what moves on the screens, moves with it, at whatever speed a
    /// recording is played.
    pub(super) beat: usize,
    /// What there was when something was taken in last, and when that was: of a cluster now.
    pub(super) frontier: Moment,
    /// What of the tape is shown.
    pub(super) shown: Shown,
    /// The instance that was opened from the list.
    pub(super) opened: Option<Uid>,
    /// The instance that is selected in the list; the first one where `None`.
    pub(super) cursor: Option<Uid>,
    /// What has to occur in the namespace or the name of a listed instance.
    pub(super) filter: String,
    /// What is being typed.
    pub(super) typing: Option<Typing>,
    pub(super) focus: Focus,
    /// What lies over the first screen, the topmost last.
    pub(super) over: Vec<Over>,
    pub(super) notice: Option<Notice>,
    pub(super) recorder: RecorderState,
    pub(super) journals: Journals,
    /// What is new and nobody was told of yet.
    pub(super) untold: Vec<(News, RunName, Entry)>,
    /// The beat in which somebody was told last.
    pub(super) told_in: Option<usize>,
    /// Whether the terminal is known to have the focus: somebody looks at it then.
    pub(super) attended: bool,
}

/// Which step is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// The one to look at now; it moves on with the upgrade.
    Current,
    /// The one the user chose.
    Step(StepId),
}

/// What is being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typing {
    /// The filter of the instance list, which narrows it as it grows.
    Filter,
    /// The name of another namespace, so far.
    Namespace(String),
    /// What is searched in a text, which is found while it grows.
    Search,
}

/// A screen that lies over another.
#[derive(Clone, Debug, PartialEq)]
pub enum Over {
    /// A step in every detail, from that line on.
    Detail {
        /// The first line shown.
        scroll: usize,
    },
    /// The journal: of the run that is shown, or of all.
    Journal {
        /// The first line shown; the last lines, as they come, where `None`.
        scroll: Option<usize>,
    },
    /// The keys and the states.
    Help {
        /// The first line shown.
        scroll: usize,
    },
    /// Logs, or an object.
    Text(Box<Reading>),
    /// A text alone, to be selected by hand.
    Alone(String),
}

/// The screen that is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Screen<'a> {
    /// The display that nobody attends.
    Kiosk,
    /// No instance yet.
    Waiting,
    /// Several instances, one a line.
    Instances,
    /// One instance.
    Dashboard,
    /// One step.
    Detail,
    /// The journal.
    Journal,
    /// The keys and the states.
    Help,
    /// The logs of a gate.
    Logs(&'a Reading, &'a Logs),
    /// An object.
    Object(&'a Reading, &'a Object),
    /// A text alone.
    Alone(&'a str),
}

/// A word in the bottom bar that goes by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What it says.
    pub text: String,
    /// Whether it is good news.
    pub good: bool,
    /// The beat at which it goes.
    pub until: usize,
}

impl Model {
    /// A model that knows of nothing yet.
    pub fn new(settings: Settings, size: Size, now: Timestamp) -> Self {
        Self {
            recorder: settings.recorder,
            settings,
            size,
            beat: 0,
            frontier: Moment { runs: Arc::default(), feed: Feed::default(), time: now },
            shown: Shown::Now,
            opened: None,
            cursor: None,
            filter: String::new(),
            typing: None,
            focus: Focus::Current,
            over: Vec::new(),
            notice: None,
            journals: Journals::default(),
            untold: Vec::new(),
            told_in: None,
            attended: false,
        }
    }

    /// The size of the terminal.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The theme.
    pub(super) fn theme(&self) -> Theme {
        self.settings.theme
    }

    /// The screen that is shown. What lies over it shows only while it has something to show.
    pub fn screen(&self) -> Screen<'_> {
        self.screen_under(0)
    }

    /// The screen that shows once so many are closed.
    pub(super) fn screen_under(&self, closed: usize) -> Screen<'_> {
        if self.settings.mode != Mode::Interactive {
            return Screen::Kiosk;
        }
        match self.over.iter().rev().nth(closed) {
            Some(Over::Alone(text)) => Screen::Alone(text),
            Some(Over::Help { .. }) => Screen::Help,
            Some(Over::Journal { .. }) => Screen::Journal,
            Some(Over::Text(reading)) => match &reading.subject {
                Subject::Logs(logs) => Screen::Logs(reading, logs),
                Subject::Object(object) => Screen::Object(reading, object),
            },
            Some(Over::Detail { .. }) if self.run().is_some() => Screen::Detail,
            _ if self.runs().is_empty() => Screen::Waiting,
            _ if self.run().is_some() => Screen::Dashboard,
            _ => Screen::Instances,
        }
    }
}

/// How long a kiosk shows one instance, in beats.
pub(super) const BEATS_A_PAGE: usize = 10;
