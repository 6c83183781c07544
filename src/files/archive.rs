//! Archives: tar and zip. Their files are read one after the other, and nothing is written, so that the paths in them mean
//! nothing but names.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::DeflateDecoder;
use jiff::Timestamp;
use rawzip::time::ZipDateTimeKind;
use rawzip::{CompressionMethod, ZipArchive, ZipFileHeaderRecord, ZipSliceArchive};
use tar::Archive;

use super::taken::Taken;
use crate::cluster::clean_sentence;
use crate::error::ExpectedError;
use crate::record::{Budget, Fault, MOST_UNPACKED, Opened, Whole, Within};

/// Where a header of a tar names its format.
const TAR_MAGIC: std::ops::Range<usize> = 257..262;

/// Whether a file that begins so is a zip.
pub(super) fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// Whether a file that begins so is a tar.
pub(super) fn is_tar(head: &[u8]) -> bool {
    head.get(TAR_MAGIC) == Some(b"ustar")
}

/// An archive that is looked into.
pub(super) struct Unpacked<'a> {
    /// What errors call it.
    pub(super) name: &'a str,
    /// When it was written: so were the files in it of which it tells no time.
    pub(super) written: Option<Timestamp>,
    /// How much it may unpack to.
    pub(super) budget: &'a Budget,
    /// Where what is in it goes.
    pub(super) taken: &'a mut Taken,
}

impl Unpacked<'_> {
    /// Takes in what is in a tar.
    pub(super) fn take_tar(mut self, bytes: Whole<impl Read>) -> Result<(), ExpectedError> {
        self.taken.looks_into();
        let mut archive = Archive::new(bytes);
        let entries = self.tar_entries(&mut archive);
        if archive.into_inner().get_ref().1.is_broken() {
            return Err(cut(self.name));
        }
        entries
    }

    fn tar_entries(&mut self, archive: &mut Archive<impl Read>) -> Result<(), ExpectedError> {
        let name = self.name;
        let broken = |error: io::Error| match error.kind() {
            io::ErrorKind::FileTooLarge => Fault::TooLarge.told_of(name),
            io::ErrorKind::UnexpectedEof => cut(name),
            _ => broken(name, &error.to_string()),
        };
        for entry in archive.entries().map_err(broken)? {
            let mut entry = entry.map_err(broken)?;
            if !entry.header().entry_type().is_file() {
                continue;
            }
            let path = PathBuf::from(String::from_utf8_lossy(&entry.path_bytes()).into_owned());
            let written =
                entry.header().mtime().ok().and_then(|seconds| Timestamp::from_second(seconds.try_into().ok()?).ok());
            let opened = Opened::new(&mut entry, self.budget.clone()).map_err(broken)?;
            self.inside(opened, &path, written)?;
        }
        Ok(())
    }

    /// Takes in what is in a zip. Its directory is at its end, so that it is read as a whole first.
    pub(super) fn take_zip(mut self, bytes: Whole<impl Read>) -> Result<(), ExpectedError> {
        self.taken.looks_into();
        let name = self.name;
        let mut packed = Vec::new();
        bytes.take(MOST_UNPACKED).read_to_end(&mut packed).map_err(|error| Fault::Unreadable(error).told_of(name))?;
        let archive = ZipArchive::from_slice(&packed).map_err(|_| cut(name))?;
        let mut entries = archive.entries();
        while let Some(entry) = entries.next_entry().map_err(|error| broken(name, &error.to_string()))? {
            if !entry.is_dir() {
                self.zip_entry(&archive, &entry)?;
            }
        }
        Ok(())
    }

    fn zip_entry(
        &mut self,
        archive: &ZipSliceArchive<&Vec<u8>>,
        entry: &ZipFileHeaderRecord<'_>,
    ) -> Result<(), ExpectedError> {
        let path = PathBuf::from(String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned());
        // Only some writers say in which zone their time is.
        let written = match entry.last_modified() {
            ZipDateTimeKind::Utc(time) => Timestamp::from_second(time.to_unix()).ok(),
            ZipDateTimeKind::Local(_) => None,
        };
        let name = self.name;
        let refused = |why: &str| {
            let path = of(&path, name);
            ExpectedError::usage(clean_sentence(&format!("{path} {why}; unpack it, and name the folder")))
        };
        if entry.flags().is_encrypted() {
            return Err(refused("is encrypted"));
        }
        let packed = archive.get_entry(entry.wayfinder()).map_err(|error| broken(name, &error.to_string()))?;
        let data: Box<dyn Read> = match entry.compression_method() {
            CompressionMethod::STORE => Box::new(packed.data()),
            CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(packed.data())),
            _ => return Err(refused("is packed in a way that is not read")),
        };
        let data = Within(packed.verifying_reader(data), self.budget.clone());
        let opened = Opened::new(data, self.budget.clone()).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge => Fault::TooLarge.told_of(name),
            _ => broken(&of(&path, name), &error.to_string()),
        })?;
        self.inside(opened, &path, written)
    }

    /// Takes in a file of it.
    fn inside(
        &mut self,
        opened: Opened<impl Read>,
        path: &Path,
        written: Option<Timestamp>,
    ) -> Result<(), ExpectedError> {
        match self.taken.found(opened, path, &of(path, self.name), written.or(self.written)) {
            Err(_) if self.budget.is_spent() => Err(Fault::TooLarge.told_of(self.name)),
            found => found,
        }
    }
}

fn of(path: &Path, archive: &str) -> String {
    format!("`{}` in {archive}", path.display())
}

fn cut(name: &str) -> ExpectedError {
    ExpectedError::usage(clean_sentence(&format!("{name} is an archive that is cut off; copy it again")))
}

fn broken(name: &str, problem: &str) -> ExpectedError {
    ExpectedError::usage(clean_sentence(&format!(
        "{name} is an archive that is broken: {problem}; copy it again, or unpack it and name the folder"
    )))
}
