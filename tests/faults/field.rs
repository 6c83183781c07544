//! A recorded upgrade that goes on in a cluster, and two who watch it: one whose way to it has faults, and one whose way has
//! none. Time is virtual, and is the recording's.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::LazyLock;
use std::time::Duration;

use gatewatch::clock::Clock;
use gatewatch::cluster::{Change, ClusterEvent, Kind, Object, Scope, World};
use gatewatch::record::{self, Reading};
use gatewatch::run::derive;
use gatewatch::source::live::{Connection, Live};
use gatewatch::source::server::Server;
use gatewatch::source::{Source, SourceError};
use gatewatch::tui::{Effect, Message, Model, Settings, update, view};
use jiff::{SignedDuration, Timestamp};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Rect, Size};
use tokio::sync::mpsc::{self, Receiver};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

use crate::api::{Api, Asked, TOKEN};

pub const SECOND: Duration = Duration::from_secs(1);
pub const MINUTE: Duration = Duration::from_secs(60);

/// The most requests about one thing in any minute: delays grow from half a second to a quarter of a minute.
const MOST_IN_A_MINUTE: usize = 12;
/// The same of a container's log: there may be as many runs of it.
const MOST_LOGS_IN_A_MINUTE: usize = 24;

/// Virtual time, from a moment on.
#[derive(Clone, Copy)]
pub struct Virtual {
    from: Timestamp,
    began: Instant,
}

impl Virtual {
    /// From that time of the recording's day on.
    pub fn from(time: &str) -> Self {
        Self { from: moment(time), began: Instant::now() }
    }
}

impl Clock for Virtual {
    fn now(&self) -> Timestamp {
        self.from + SignedDuration::try_from(self.began.elapsed()).unwrap()
    }
}

/// Somebody who watches.
pub struct Watcher {
    heard: Receiver<ClusterEvent>,
    feed: JoinHandle<Result<(), SourceError>>,
    pub world: World,
    model: Model,
    clock: Virtual,
}

/// The cluster, and who watches it.
pub struct Field {
    /// What the one who has the faults asks.
    pub api: Api,
    servers: Vec<Server>,
    rest: VecDeque<ClusterEvent>,
    clock: Virtual,
    pub watcher: Watcher,
    /// The one who has none.
    pub undisturbed: Watcher,
}

impl Field {
    /// The recording `retry`, from that time of its day on, with both watching it.
    pub async fn at(time: &str) -> Self {
        let mut field = Self::before(time);
        field.pass(SECOND).await;
        field.watcher.shows("● live");
        field
    }

    /// The same before anything was asked.
    pub fn before(time: &str) -> Self {
        Self::with_clock(time, SignedDuration::ZERO)
    }

    /// The same, and the clock of the one who has the faults is off by that much.
    pub fn with_clock(time: &str, off: SignedDuration) -> Self {
        let now = moment(time);
        let (before, rest): (Vec<_>, Vec<_>) = recording().into_iter().partition(|event| event.time <= now);
        let clock = Virtual { from: now, began: Instant::now() };
        let server = Server::new(TOKEN).with_clock(clock);
        before.iter().for_each(|event| server.apply(&event.change));
        let (api, direct) = (Api::new(server.clone()), Api::new(server.clone()));
        let watcher = Watcher::start(&api, Virtual { from: now + off, ..clock });
        let undisturbed = Watcher::start(&direct, clock);
        Self { api, servers: vec![server], rest: rest.into(), clock, watcher, undisturbed }
    }

    /// That much time passes: the upgrade goes on, and both take in what they hear.
    pub async fn pass(&mut self, long: Duration) {
        let until = Instant::now() + long;
        let mut tick = interval(SECOND);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let next = self.rest.front().map(|event| event.time);
            let next = next.map(|time| self.clock.began + Duration::try_from(time - self.clock.from).unwrap());
            let (watcher, undisturbed) = (&mut self.watcher, &mut self.undisturbed);
            tokio::select! {
                biased;
                Some(event) = watcher.heard.recv() => watcher.take_in(event),
                Some(event) = undisturbed.heard.recv() => undisturbed.take_in(event),
                _ = tick.tick() => {
                    watcher.tick();
                    undisturbed.tick();
                }
                () = sleep_until(next.unwrap_or(until)), if next.is_some_and(|next| next <= until) => {
                    let event = self.rest.pop_front().unwrap();
                    self.servers.iter().for_each(|server| server.apply(&event.change));
                }
                () = sleep_until(until) => break,
            }
        }
        assert!(!self.watcher.feed.is_finished(), "the feed goes on whatever happens");
    }

    /// Time passes up to that time of the day.
    pub async fn pass_until(&mut self, time: &str) {
        self.pass(Duration::try_from(moment(time) - self.clock.now()).unwrap()).await;
    }

    /// Nothing more happens in the cluster.
    pub fn stand_still(&mut self) {
        self.rest.clear();
    }

    /// Something else happens in the cluster.
    pub fn happens(&self, change: &Change) {
        self.servers.iter().for_each(|server| server.apply(change));
    }

    /// The API server starts anew with all objects, and counts their versions from the beginning.
    pub fn restart(&mut self) {
        let server = Server::new(TOKEN).with_clock(self.clock);
        for (kind, scope) in Kind::ALL.map(|kind| (kind, Scope::All)) {
            let objects = self.objects().into_iter().filter(|object| object.kind() == kind).collect();
            server.apply(&Change::Replaced { kind, scope, objects });
        }
        self.api.replace(server.clone());
        self.servers.push(server);
    }

    /// All objects that there are by now, by the recording.
    fn objects(&self) -> Vec<Object> {
        let now = self.clock.now();
        let mut objects = BTreeMap::new();
        for event in recording().into_iter().filter(|event| event.time <= now) {
            match event.change {
                Change::Applied(object) => drop(objects.insert(object.meta().uid.clone(), *object)),
                Change::Deleted(object) => drop(objects.remove(&object.meta().uid)),
                _ => {}
            }
        }
        objects.into_values().collect()
    }

    /// What was seen stays shown, and is marked stale since that time of the day, for that reason; keys answer.
    pub fn is_stale(&mut self, since: &str, reason: &str) {
        self.watcher.shows(&format!("stale since {since}"));
        self.watcher.shows(reason);
        self.watcher.shows("Full migrations");
        self.watcher.keys_answer();
    }

    /// The fault is over: the dashboard is that of whoever had no fault, and nobody was stormed. What came and went
    /// meanwhile may be missing in the journal.
    pub fn is_caught_up(&self) {
        self.is_calm();
        self.watcher.shows("● live");
        assert_eq!(self.watcher.screen(), self.undisturbed.screen());
    }

    /// The fault is over, and left nothing behind: the journal, too, is that of whoever had no fault, but for what it tells of
    /// the feed.
    pub fn is_as_if_nothing_had_been(&mut self) {
        self.is_caught_up();
        let journal = self.watcher.journal();
        assert!(!journal.is_empty());
        assert_eq!(journal, self.undisturbed.journal());
    }

    /// Nobody was asked the same too often within any minute.
    pub fn is_calm(&self) {
        let mut about: BTreeMap<String, Vec<Asked>> = BTreeMap::new();
        for asked in self.api.asked("*", Duration::ZERO) {
            about.entry(asked.about()).or_default().push(asked);
        }
        for (about, asked) in about {
            for (first, one) in asked.iter().enumerate() {
                let within = asked[first..].iter().take_while(|asked| asked.at < one.at + MINUTE).count();
                let most = if one.resource == "log" { MOST_LOGS_IN_A_MINUTE } else { MOST_IN_A_MINUTE };
                assert!(within <= most, "{within} within a minute about {about}: {asked:#?}");
            }
        }
    }
}

impl Watcher {
    fn start(api: &Api, clock: Virtual) -> Self {
        Self::on(Connection::new(api.client(), "https://api.example", Some("gitlab".into())), clock)
    }

    /// Somebody who watches over a connection, from the time of the recording on at which the others begin.
    pub fn over(connection: Connection) -> Self {
        Self::on(connection, Virtual::from("15:33:50"))
    }

    fn on(connection: Connection, clock: Virtual) -> Self {
        let (out, heard) = mpsc::channel(1024);
        let feed = tokio::spawn(Live::new(connection, clock).run(out));
        let settings = Settings::plain("prod", Some("gitlab"));
        let model = Model::new(settings, SIZE, clock.now());
        Self { heard, feed, world: World::default(), model, clock }
    }

    /// Takes in what was heard, and what waits behind it, as the loop of the program does.
    fn take_in(&mut self, event: ClusterEvent) {
        self.world.apply(event);
        while let Ok(event) = self.heard.try_recv() {
            self.world.apply(event);
        }
        let (runs, feed) = (derive(&self.world), self.world.feed().clone());
        self.take(Message::Cluster { runs: runs.into(), feed, now: self.clock.now() });
    }

    /// Takes in what is heard until the screen shows that text; over real sockets time is real.
    pub async fn until_shows(&mut self, text: &str) {
        let shown = async {
            while !self.screen().contains(text) {
                let event = self.heard.recv().await.unwrap();
                self.take_in(event);
            }
        };
        let shown = timeout(MINUTE, shown).await;
        assert!(shown.is_ok(), "`{text}` is not shown:\n{}", self.screen());
    }

    fn tick(&mut self) {
        self.take(Message::Tick(self.clock.now()));
    }

    /// Nothing was kept of any run.
    fn take(&mut self, message: Message) {
        for effect in update(&mut self.model, message) {
            if let Effect::Recall(run) = effect {
                let (runs, feed) = (derive(&self.world), self.world.feed().clone());
                self.take(Message::Recalled { run, journal: None, runs: runs.into(), feed, now: self.clock.now() });
            }
        }
    }

    /// Presses a key.
    pub fn press(&mut self, key: KeyCode) {
        self.take(Message::Key(KeyEvent::new(key, KeyModifiers::NONE)));
    }

    /// The terminal has another size.
    pub fn resize(&mut self, size: Size) {
        self.take(Message::Resize(size));
    }

    /// The screen, as text.
    pub fn screen(&self) -> String {
        let Size { width, height } = self.model.size();
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        view::render(&self.model, &mut buffer);
        let rows = buffer.content.chunks(width.into());
        let rows = rows.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned());
        rows.collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    /// The screen shows that text.
    pub fn shows(&self, text: &str) {
        assert!(self.screen().contains(text), "`{text}` is not shown:\n{}", self.screen());
    }

    /// The screen does not show that text.
    pub fn hides(&self, text: &str) {
        assert!(!self.screen().contains(text), "`{text}` is shown:\n{}", self.screen());
    }

    /// Keys answer: into the detail and the help, and back.
    pub fn keys_answer(&mut self) {
        let before = self.screen();
        if before.contains("↵ detail") {
            self.press(KeyCode::Enter);
            assert_ne!(self.screen(), before);
            self.press(KeyCode::Esc);
        }
        self.press(KeyCode::Char('?'));
        self.shows("Ctrl-C");
        self.press(KeyCode::Esc);
        assert_eq!(self.screen(), before);
    }

    /// What the journal tells of steps and hops, without the times.
    pub fn journal(&mut self) -> Vec<String> {
        self.entries().into_iter().filter(|entry| !entry.contains("Feed")).collect()
    }

    /// What it tells of the feed.
    pub fn journal_of_feed(&mut self) -> Vec<String> {
        self.entries().into_iter().filter(|entry| entry.contains("Feed")).collect()
    }

    /// No entry stands twice in the journal.
    pub fn has_told_nothing_twice(&mut self) {
        let journal = self.journal();
        let different: BTreeSet<&String> = journal.iter().collect();
        assert_eq!(different.len(), journal.len(), "{journal:#?}");
    }

    fn entries(&mut self) -> Vec<String> {
        self.resize(Size { width: 240, height: 100 });
        self.press(KeyCode::Char('J'));
        let screen = self.screen();
        self.press(KeyCode::Esc);
        self.resize(SIZE);
        let entries =
            screen.lines().map(str::trim_start).filter(|line| line.starts_with(|first: char| first.is_ascii_digit()));
        entries.map(|line| line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")).collect()
    }
}

const SIZE: Size = Size { width: 100, height: 30 };

/// A time of the day that the recording is of.
pub fn moment(time: &str) -> Timestamp {
    format!("2026-11-29T{time}Z").parse().unwrap()
}

pub fn recording() -> Vec<ClusterEvent> {
    static EVENTS: LazyLock<Vec<ClusterEvent>> = LazyLock::new(|| {
        let path = "tests/recordings/retry.jsonl.gz";
        let Reading::Recording(recording) = record::open(path.as_ref()).unwrap() else { panic!("no recording") };
        recording.events
    });
    EVENTS.clone()
}

/// The last that the recording told of an object by that moment.
pub fn told_of(name: &str, time: &str) -> Object {
    let until = moment(time);
    let told = recording().into_iter().filter(|event| event.time <= until).filter_map(|event| match event.change {
        Change::Applied(object) if object.meta().name == name => Some(*object),
        _ => None,
    });
    told.last().unwrap()
}
