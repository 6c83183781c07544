use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use tempfile::TempDir;

use super::*;
use crate::record::Dump;

const CORE: &str = r#"{"apiVersion":"apps.gitlab.com/v1beta1","kind":"GitLabCore",
    "metadata":{"name":"gitlab","creationTimestamp":"2026-11-29T15:00:00Z"}}"#;

fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        tar.append_data(&mut header, name, *content).unwrap();
    }
    tar.into_inner().unwrap()
}

fn zip(name: &str, content: impl Read) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut zip = rawzip::ZipArchiveWriter::new(&mut packed);
    let (mut entry, config) =
        zip.new_file(name).compression_method(rawzip::CompressionMethod::DEFLATE).start().unwrap();
    let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
    io::copy(&mut { content }, &mut writer).unwrap();
    let (encoder, descriptor) = writer.finish().unwrap();
    encoder.finish().unwrap();
    entry.finish(descriptor).unwrap();
    zip.finish().unwrap();
    packed
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(content).unwrap();
    gzip.finish().unwrap()
}

/// Reads bytes as a file that was named, of which so many may be unpacked.
fn read_within(bytes: &[u8], most: u64) -> Result<Dump, String> {
    let mut taken = Taken::default();
    let read = source_within(bytes, "`it`", None, &Budget::of(most), &mut taken);
    match read.and_then(|()| taken.finish(None)).map_err(|error| error.message)? {
        Reading::Dump(dump) => Ok(dump),
        Reading::Recording(_) => panic!("a recording"),
    }
}

fn read(bytes: &[u8]) -> Result<Dump, String> {
    read_within(bytes, MOST_UNPACKED)
}

#[test]
fn what_unpacks_to_more_than_may_be_is_refused_in_every_form() {
    let spaces = format!("{{\"apiVersion\":\"v1\",{}", " ".repeat(100_000));
    let text = format!("notes {}", "x".repeat(100_000));
    let refused = "`it` unpacks to more than 2 GiB; unpack it, and name the files in it that count";
    for (form, bytes) in [
        ("a text", gzip(spaces.as_bytes())),
        ("a tar of one that is read", gzip(&tar(&[("a.json", spaces.as_bytes())]))),
        ("a tar of one that is passed over", gzip(&tar(&[("a.txt", text.as_bytes())]))),
        ("a zip", zip("a.json", spaces.as_bytes())),
        ("packed twice", tar(&[("a.json.gz", &gzip(spaces.as_bytes()))])),
    ] {
        assert_eq!(read_within(&bytes, 50_000).unwrap_err(), refused, "{form}");
    }
    let whole = gzip(&tar(&[("a.json", CORE.as_bytes())]));
    assert_eq!(read_within(&whole, 50_000).map(|dump| dump.objects.len()), Ok(1));
}

#[test]
fn names_that_lead_out_of_an_archive_are_names_and_their_text_is_clean() {
    // The library writes no such name, so it is put in place of one that is as long.
    let zip = |content: &[u8]| {
        let mut packed = zip(&("up/".repeat(20) + "a#[2J.json"), content);
        for (name, hostile) in [(&b"up/"[..], &b"../"[..]), (b"a#[2J", b"a\x1b[2J")] {
            let mut at = 0;
            while let Some(found) = packed[at..].windows(name.len()).position(|part| part == name) {
                at += found;
                packed[at..at + name.len()].copy_from_slice(hostile);
            }
        }
        packed
    };
    let error = read(&zip(b"{\"apiVersion\": \"v1\",")).unwrap_err();
    assert!(error.contains("../a.json` in `it` is cut off in line 1"), "{error}");
    assert_eq!(read(&zip(CORE.as_bytes())).map(|dump| dump.objects.len()), Ok(1));
}

#[test]
fn a_zip_whose_content_was_changed_is_refused() {
    let mut zip = zip("a.json", CORE.as_bytes());
    // In the middle of what was packed, behind the header.
    zip[60] ^= 0xff;
    assert!(read(&zip).is_err());
}

#[test]
fn a_link_in_a_folder_is_not_followed() {
    let home = TempDir::new().unwrap();
    let folder = home.path().join("dump");
    fs::create_dir_all(folder.join("deep")).unwrap();
    fs::write(folder.join("deep/a.json"), CORE).unwrap();
    std::os::unix::fs::symlink(&folder, folder.join("deep/again")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.join("zero")).unwrap();
    let Reading::Dump(dump) = open(&[folder], None).map_err(|error| error.message).unwrap() else {
        panic!("a recording")
    };
    assert_eq!((dump.objects.len(), dump.passed_over), (1, 2));
}

#[test]
fn a_file_of_another_encoding_that_is_meant_to_be_read_is_an_error_and_others_are_not() {
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(CORE.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let error = read(&tar(&[("a.json", CORE.as_bytes()), ("b.yaml", &utf16)])).unwrap_err();
    assert!(error.starts_with("`b.yaml` in `it` is UTF-16 text in line 1"), "{error}");
    let dump = read(&tar(&[("a.json", CORE.as_bytes()), ("systeminfo.txt", &utf16)])).unwrap();
    assert_eq!((dump.objects.len(), dump.passed_over), (1, 1));
}

#[test]
fn nothing_at_all_says_what_was_looked_at() {
    let error = read(&tar(&[("a.txt", b"notes"), ("b.tar", &tar(&[("c.txt", b"more")]))])).unwrap_err();
    let start = "`it` holds nothing that gatewatch reads, 2 files that were passed over, an archive among them: name that; write";
    assert!(error.starts_with(start), "{error}");
    let secret = br#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}"#;
    let error = read(&tar(&[("a.json", secret)])).unwrap_err();
    assert!(error.starts_with("`it` holds nothing that gatewatch reads, only Secret (1 object); write"), "{error}");
}

#[test]
fn a_file_in_an_archive_was_written_when_that_says_and_else_when_the_archive_was() {
    let archived: Timestamp = "2026-11-30T08:00:00Z".parse().unwrap();
    let written = |bytes: &[u8]| {
        let mut taken = Taken::default();
        source_within(bytes, "`it`", Some(archived), &Budget::of(MOST_UNPACKED), &mut taken).unwrap();
        let Reading::Dump(dump) = taken.finish(None).unwrap() else { panic!("a recording") };
        dump.written
    };
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(CORE.len() as u64);
    header.set_mtime(1_795_964_400);
    tar.append_data(&mut header, "a.json", CORE.as_bytes()).unwrap();
    assert_eq!(written(&tar.into_inner().unwrap()), Some(Timestamp::from_second(1_795_964_400).unwrap()));
    // It tells no zone.
    assert_eq!(written(&zip("a.json", CORE.as_bytes())), Some(archived));
}
