//! What a file is, told from its first bytes.

/// What can be done with a file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Text,
    /// Text in UTF-16, with the first byte of a unit first or last.
    Utf16(ByteOrder),
    /// A picture that models can see, with its media type.
    Image(&'static str),
    /// Anything else, with a word for it.
    Binary(&'static str),
}

/// Which byte of two comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// The text of bytes in UTF-16. What is none becomes a replacement character.
    pub(super) fn decode(self, bytes: &[u8]) -> String {
        let unit = |pair: &[u8]| match (self, pair) {
            (Self::Little, &[first, second]) => u16::from_le_bytes([first, second]),
            (Self::Big, &[first, second]) => u16::from_be_bytes([first, second]),
            // A byte without its other half.
            _ => 0xd800,
        };
        char::decode_utf16(bytes.chunks(2).map(unit))
            .map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    }
}

/// How files begin: what comes after how many bytes.
const SIGNATURES: &[(usize, &[u8], FileKind)] = &[
    (0, b"\x89PNG\r\n\x1a\n", FileKind::Image("image/png")),
    (0, b"\xff\xd8\xff", FileKind::Image("image/jpeg")),
    (0, b"GIF87a", FileKind::Image("image/gif")),
    (0, b"GIF89a", FileKind::Image("image/gif")),
    (8, b"WEBP", FileKind::Image("image/webp")),
    (0, b"%PDF-", FileKind::Binary("PDF")),
    (0, b"\x7fELF", FileKind::Binary("ELF program or library")),
    (0, b"\xcf\xfa\xed\xfe", FileKind::Binary("Mach-O program or library")),
    (0, b"PK\x03\x04", FileKind::Binary("ZIP archive or document")),
    (0, b"\x1f\x8b", FileKind::Binary("gzip")),
    (0, b"BZh", FileKind::Binary("bzip2")),
    (0, b"\xfd7zXZ\0", FileKind::Binary("xz")),
    (0, b"\x28\xb5\x2f\xfd", FileKind::Binary("zstd")),
    (0, b"7z\xbc\xaf\x27\x1c", FileKind::Binary("7z archive")),
    (257, b"ustar", FileKind::Binary("tar archive")),
    (0, b"SQLite format 3\0", FileKind::Binary("SQLite database")),
    (0, b"\0asm", FileKind::Binary("WebAssembly")),
    (4, b"ftyp", FileKind::Binary("MP4 or HEIF")),
    (0, b"ID3", FileKind::Binary("MP3")),
    (0, b"OggS", FileKind::Binary("Ogg")),
    (0, b"RIFF", FileKind::Binary("RIFF: WAV or AVI")),
    (0, b"II*\0", FileKind::Binary("TIFF")),
    (0, b"MM\0*", FileKind::Binary("TIFF")),
    (0, b"\0\0\x01\0", FileKind::Binary("icon")),
    (0, b"\xff\xfe", FileKind::Utf16(ByteOrder::Little)),
    (0, b"\xfe\xff", FileKind::Utf16(ByteOrder::Big)),
];

/// These begin with letters, so a text could begin the same way.
const LETTERS: &[&str] = &["MP3", "bzip2", "MP4 or HEIF", "tar archive"];

impl FileKind {
    /// The kind of a file that begins with these bytes.
    pub(super) fn of(head: &[u8]) -> Self {
        let is_text = memchr::memchr(0, head).is_none();
        let begins = |(at, bytes, kind): &&(usize, &[u8], Self)| {
            let could_be_text = matches!(kind, Self::Binary(what) if LETTERS.contains(what));
            let riff = *at != 8 || head.starts_with(b"RIFF");
            riff && !(could_be_text && is_text)
                && head.get(*at..).is_some_and(|rest| rest.starts_with(bytes))
        };
        match SIGNATURES.iter().find(begins) {
            Some((_, _, kind)) => *kind,
            None if is_text => Self::Text,
            None => Self::Binary("unknown kind"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_is_decoded() {
        assert_eq!(ByteOrder::Little.decode(b"h\0\xac\x20"), "h€");
        assert_eq!(ByteOrder::Big.decode(b"\0h\x20\xac\0"), "h€\u{fffd}");
    }

    #[test]
    fn the_first_bytes_tell() {
        for (head, kind) in [
            (b"fn main() {}".as_slice(), FileKind::Text),
            (b"", FileKind::Text),
            (b"ID3 is a format\n", FileKind::Text),
            (b"caf\xe9", FileKind::Text),
            (b"\xef\xbb\xbftext", FileKind::Text),
            (b"\x89PNG\r\n\x1a\n\0", FileKind::Image("image/png")),
            (b"RIFF\0\0\0\0WEBPVP8 ", FileKind::Image("image/webp")),
            (b"RIFF\0\0\0\0WAVE", FileKind::Binary("RIFF: WAV or AVI")),
            (b"----\0\0\0\0WEBP", FileKind::Binary("unknown kind")),
            (b"\xff\xfeh\0i\0", FileKind::Utf16(ByteOrder::Little)),
            (b"a\0b", FileKind::Binary("unknown kind")),
        ] {
            assert_eq!(FileKind::of(head), kind, "{head:?}");
        }
    }
}
