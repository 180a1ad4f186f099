//! The categories of output, which decide the stream and what `--quiet` leaves out.

/// What a print is for. An unknown name is `content`, since text nobody can place must not be lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Channel {
    /// The result the user asked for.
    #[default]
    Content,
    /// Decoration: headers, separators, progress.
    Chrome,
    /// The name and arguments of a tool call.
    ToolCall,
    /// What a tool call gave back.
    ToolResult,
    /// What the model thought on its way.
    Reasoning,
    /// What went wrong.
    Error,
}

/// One of the two streams of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

impl Channel {
    /// Every channel, in the order they are documented.
    pub const ALL: [Self; 6] = [
        Self::Content,
        Self::Chrome,
        Self::ToolCall,
        Self::ToolResult,
        Self::Reasoning,
        Self::Error,
    ];

    /// The channel of that wire name; an unknown name is the default, [`Channel::Content`].
    pub fn from_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|channel| channel.as_str() == name).unwrap_or_default()
    }

    /// The name on the wire and in JSON output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Chrome => "chrome",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::Reasoning => "reasoning",
            Self::Error => "error",
        }
    }

    /// Whether `--quiet` lets the channel through.
    pub fn survives_quiet(self) -> bool {
        matches!(self, Self::Content | Self::Error)
    }

    /// Only the result goes to stdout, so that a pipe carries the result and nothing else.
    pub(crate) fn stream(self) -> Stream {
        match self {
            Self::Content => Stream::Stdout,
            Self::Chrome | Self::ToolCall | Self::ToolResult | Self::Reasoning | Self::Error => {
                Stream::Stderr
            }
        }
    }
}
