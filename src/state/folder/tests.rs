//! The files: whose they are, which is newest, and what goes.

use tempfile::TempDir;

use super::super::sample::kept_of;
use super::*;

const UID: &str = "ab5f0552-1b1f-4d5c-9c4e-0d2b71f40000";

fn folder(home: &TempDir) -> Folder {
    Folder(home.path().join("state/gatewatch"))
}

fn names(folder: &Folder) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names.into_iter().map(|name| name.into_string().unwrap()).collect()
}

fn newest(folder: &Folder, uid: &str) -> (Option<i64>, Vec<Unusable>) {
    let (kept, aside) = folder.newest(&Uid(uid.into())).unwrap();
    (kept.map(|found| found.kept.memory.upgrade.generation), aside.into_iter().map(|aside| aside.why).collect())
}

/// Makes a file as old as that.
fn age(folder: &Folder, name: &str, seconds: u64) {
    let file = File::options().write(true).open(folder.0.join(name)).unwrap();
    let written = file.metadata().unwrap().modified().unwrap();
    file.set_modified(written - Duration::from_secs(seconds)).unwrap();
}

#[test]
fn each_upgrade_has_a_file_of_its_own_that_only_its_owner_can_read() {
    let home = TempDir::new().unwrap();
    let folder = folder(&home);
    assert_eq!(newest(&folder, UID), (None, vec![]));
    for generation in [1, 2, 2] {
        folder.write(&kept_of(UID, generation, "x")).unwrap();
    }
    folder.write(&kept_of("another", 7, "x")).unwrap();
    assert_eq!(
        names(&folder),
        [1, 2]
            .map(|number| format!("{UID}-g{number}-3.0.0.json"))
            .into_iter()
            .chain(["another-g7-3.0.0.json".into()])
            .collect::<Vec<_>>()
    );
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder.0), mode(&folder.0.join("another-g7-3.0.0.json"))), (0o700, 0o600));
    assert_eq!(newest(&folder, UID), (Some(2), vec![]));
    assert_eq!(newest(&folder, "another"), (Some(7), vec![]));
}

#[test]
fn a_folder_that_others_can_read_is_closed() {
    let home = TempDir::new().unwrap();
    let folder = folder(&home);
    DirBuilder::new().recursive(true).mode(0o755).create(&folder.0).unwrap();
    folder.write(&kept_of(UID, 1, "x")).unwrap();
    assert_eq!(fs::metadata(&folder.0).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_file_that_cannot_be_used_is_set_aside_and_the_one_before_it_taken() {
    let home = TempDir::new().unwrap();
    let folder = folder(&home);
    folder.write(&kept_of(UID, 1, "x")).unwrap();
    let text = fs::read(folder.0.join(name(&kept_of(UID, 1, "x").memory.upgrade))).unwrap();
    let put = |generation: i64, text: &[u8]| fs::write(folder.0.join(format!("{UID}-g{generation}-3.0.0.json")), text);
    put(2, &text[..text.len() / 2]).unwrap();
    put(3, b"{\"program\":\"another\"}").unwrap();
    put(4, b"{\"program\":\"gatewatch\",\"format\":99}").unwrap();
    put(5, &format::write(&kept_of("another", 5, "x")).unwrap()).unwrap();
    let unusable = vec![Unusable::Foreign, Unusable::Version, Unusable::Foreign, Unusable::Damaged];
    assert_eq!(newest(&folder, UID), (Some(1), unusable));
    assert_eq!(newest(&folder, UID), (Some(1), vec![]), "it is told once");
    let half = fs::read(folder.0.join(format!("{UID}-g2-3.0.0.json{SET_ASIDE}"))).unwrap();
    assert_eq!(half, text[..text.len() / 2]);
}

#[test]
fn the_newest_upgrades_stay_and_what_is_not_ours_is_left_alone() {
    let home = TempDir::new().unwrap();
    let folder = folder(&home);
    let most = MOST_OF_ONE as i64;
    for generation in 1..=most {
        folder.write(&kept_of(UID, generation, "x")).unwrap();
        age(&folder, &format!("{UID}-g{generation}-3.0.0.json"), 3600 - generation as u64);
    }
    folder.write(&kept_of("another", 1, "x")).unwrap();
    for name in ["notes.json", "a-gx-1.json", ".unfinished-old", ".unfinished-new"] {
        fs::write(folder.0.join(name), "mine").unwrap();
    }
    age(&folder, ".unfinished-old", 2 * ABANDONED.as_secs());
    folder.write(&kept_of(UID, most + 1, "x")).unwrap();
    folder.clear(&kept_of(UID, most + 1, "x").memory.upgrade).unwrap();
    let names = names(&folder);
    assert!(!names.contains(&format!("{UID}-g1-3.0.0.json")));
    assert!(!names.contains(&".unfinished-old".into()));
    for left in ["notes.json", "a-gx-1.json", ".unfinished-new", "another-g1-3.0.0.json"] {
        assert!(names.contains(&left.into()), "{left}");
    }
    assert_eq!(names.iter().filter(|name| name.starts_with(UID)).count(), MOST_OF_ONE);
}

#[test]
fn what_was_just_written_stays_though_the_clock_was_set_back() {
    let home = TempDir::new().unwrap();
    let folder = folder(&home);
    for generation in 1..=MOST_OF_ONE as i64 + 1 {
        folder.write(&kept_of(UID, generation, "x")).unwrap();
    }
    age(&folder, &format!("{UID}-g{}-3.0.0.json", MOST_OF_ONE + 1), 24 * 3600);
    folder.clear(&kept_of(UID, MOST_OF_ONE as i64 + 1, "x").memory.upgrade).unwrap();
    assert_eq!(newest(&folder, UID), (Some(MOST_OF_ONE as i64 + 1), vec![]));
    assert_eq!(names(&folder).len(), MOST_OF_ONE);
}

#[test]
fn files_that_others_make_and_remove_meanwhile_are_no_fault() {
    let home = TempDir::new().unwrap();
    let folder = folder(&home);
    folder.write(&kept_of(UID, 1, "x")).unwrap();
    let (path, upgrade) = (folder.0.clone(), kept_of(UID, 1, "x").memory.upgrade);
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let other = std::thread::spawn(move || {
        while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
            for number in 0..20 {
                let names = [format!("{UNFINISHED}{number}"), format!("other-g{number}-3.0.0.json")];
                names.iter().for_each(|name| fs::write(path.join(name), "").unwrap());
                names.iter().for_each(|name| fs::remove_file(path.join(name)).unwrap());
            }
        }
    });
    for _ in 0..500 {
        assert_eq!(newest(&folder, UID).0, Some(1));
        folder.clear(&upgrade).unwrap();
    }
    drop(stop);
    other.join().unwrap();
}

#[test]
fn a_link_is_not_followed() {
    let home = TempDir::new().unwrap();
    let folder = folder(&home);
    folder.write(&kept_of("another", 1, "x")).unwrap();
    let secret = home.path().join("secret");
    fs::write(&secret, format::write(&kept_of(UID, 1, "x")).unwrap()).unwrap();
    let link = folder.0.join(name(&kept_of(UID, 1, "x").memory.upgrade));
    std::os::unix::fs::symlink(&secret, &link).unwrap();
    let before = fs::read(&secret).unwrap();
    assert_eq!(newest(&folder, UID), (None, vec![]));
    folder.write(&kept_of(UID, 1, "y")).unwrap();
    assert_eq!((fs::read(&secret).unwrap(), link.is_symlink()), (before, false), "the link gave way");
}

#[test]
fn a_uid_or_a_version_is_no_way_out_of_the_folder() {
    let target = Some("../../../etc/\u{1b}passwd".into());
    let upgrade = Upgrade { instance: Uid("../../x/y".into()), generation: -1, target };
    assert_eq!(name(&upgrade), ".._.._x_y-g-1-.._.._.._etc__passwd.json");
    let long = Upgrade { instance: Uid("x".repeat(9_999)), generation: 1, target: Some("y".repeat(9_999)) };
    assert!(name(&long).len() < 255);
}

#[test]
fn of_all_instances_the_files_written_last_stay() {
    let home = TempDir::new().unwrap();
    let folder = folder(&home);
    folder.write(&kept_of(UID, 1, "x")).unwrap();
    for number in 0..MOST {
        let name = format!("instance{number}-g1-3.0.0.json");
        fs::write(folder.0.join(&name), "").unwrap();
        age(&folder, &name, 1000 - number as u64);
    }
    folder.clear(&kept_of(UID, 1, "x").memory.upgrade).unwrap();
    let names = names(&folder);
    assert_eq!(names.len(), MOST);
    assert!(!names.contains(&"instance0-g1-3.0.0.json".into()) && names.contains(&format!("{UID}-g1-3.0.0.json")));
}
