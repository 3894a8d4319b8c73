//! Archives of objects: read in every form that linkers take, written in that of System V with an index (`ar` of GNU:
//! System V ABI, "Archive File").

use object::archive::{MAGIC, THIN_MAGIC};
use object::read::archive::ArchiveFile;
use object::{Object as _, ObjectSymbol as _};
use std::io;
use std::path::Path;

/// The most bytes of a name that stands in a header, with the `/` behind it.
const SHORT_NAME: usize = 16;

/// A file in an archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Member {
    pub(super) name: Vec<u8>,
    pub(super) bytes: Vec<u8>,
}

/// Whether a file begins as archives do.
pub(super) fn is_archive(start: &[u8]) -> bool {
    start.starts_with(&MAGIC) || start.starts_with(&THIN_MAGIC)
}

/// The members of the archive with these bytes at `path`, but for indices.
///
/// # Errors
/// It is none, or a member that it names cannot be read.
pub(super) fn read(path: &Path, bytes: &[u8]) -> io::Result<Vec<Member>> {
    let archive = ArchiveFile::parse(bytes).map_err(io::Error::other)?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let members = archive.members().map(|member| {
        let member = member.map_err(io::Error::other)?;
        let name = member.name().to_owned();
        let bytes = match archive.is_thin() {
            true => std::fs::read(directory.join(std::str::from_utf8(&name).map_err(io::Error::other)?))?,
            false => member.data(bytes).map_err(io::Error::other)?.to_owned(),
        };
        Ok(Member { name, bytes })
    });
    members.collect()
}

/// The symbols that a member defines for others.
fn symbols(member: &Member) -> Vec<Vec<u8>> {
    let Ok(file) = object::File::parse(&*member.bytes) else { return Vec::new() };
    let defined = file.symbols().filter(|symbol| symbol.is_global() && !symbol.is_undefined());
    defined.filter_map(|symbol| symbol.name_bytes().ok().map(<[u8]>::to_owned)).collect()
}

/// An archive of these members in this order.
///
/// # Errors
/// It would be larger than its index can tell.
pub(super) fn write(members: &[Member]) -> io::Result<Vec<u8>> {
    let names: Vec<_> = members.iter().map(symbols).collect();
    let index_size: usize =
        4 + names.iter().flatten().map(|name| 4 + name.len() + 1).sum::<usize>().next_multiple_of(2);
    let mut long_names = Vec::new();
    let headers: Vec<_> = members
        .iter()
        .map(|member| match member.name.len() < SHORT_NAME && !member.name.contains(&b'/') {
            true => [&*member.name, b"/"].concat(),
            false => {
                let at = long_names.len();
                long_names.extend_from_slice(&member.name);
                long_names.extend_from_slice(b"/\n");
                format!("/{at}").into_bytes()
            }
        })
        .collect();
    let mut at = MAGIC.len() + HEADER + index_size;
    if !long_names.is_empty() {
        at += HEADER + long_names.len().next_multiple_of(2);
    }
    let mut offsets = Vec::new();
    for (member, names) in members.iter().zip(&names) {
        let offset = u32::try_from(at).map_err(|_| io::Error::other("the archive is too large"))?;
        offsets.extend(names.iter().map(|_| offset));
        at += HEADER + member.bytes.len().next_multiple_of(2);
    }
    let mut out = MAGIC.to_vec();
    out.reserve(at);
    let mut index = (offsets.len() as u32).to_be_bytes().to_vec();
    offsets.iter().for_each(|offset| index.extend_from_slice(&offset.to_be_bytes()));
    names.iter().flatten().for_each(|name| index.extend([&**name, b"\0"].concat()));
    index.resize(index_size, 0);
    append(b"/", &index, &mut out);
    if !long_names.is_empty() {
        append(b"//", &long_names, &mut out);
    }
    headers.iter().zip(members).for_each(|(header, member)| append(header, &member.bytes, &mut out));
    Ok(out)
}

/// Bytes of the header of a member.
const HEADER: usize = 60;

fn append(name: &[u8], bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(name);
    out.resize(start + SHORT_NAME, b' ');
    // Time, user and group, mode, size.
    let rest = format!("{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, bytes.len());
    out.extend_from_slice(rest.as_bytes());
    out.extend_from_slice(bytes);
    if !bytes.len().is_multiple_of(2) {
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let member = |name: &str, bytes: &[u8]| Member { name: name.into(), bytes: bytes.into() };
        let members = [
            member("a.o", b"odd"),
            member("a name of more than sixteen bytes.o", b"even"),
            member("fifteen.bytes.o", b""),
            member("another of them, with a / in it", b"x"),
        ];
        let bytes = write(&members).unwrap();
        assert!(is_archive(&bytes));
        assert_eq!(read(Path::new("a"), &bytes).unwrap(), members);
        assert_eq!(read(Path::new("a"), &write(&[]).unwrap()).unwrap(), []);
        assert!(read(Path::new("a"), &bytes[..bytes.len() - 30]).is_err());
    }
}
