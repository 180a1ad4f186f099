//! The flag `--jp` and what it chooses.

use clap::Args;

/// The help of `--jp`, in the words of RFD D31, which every place that mentions it repeats.
pub const JP_NOTICE: &str =
    "Enable transitional JP tool protocol. Will be replaced by typed content blocks per RFD 058.";

/// `--jp`, for the command line of a server. Flatten it; a command that contains it needs
/// `term_width = 0`, because the notice is one line wherever it is read.
#[derive(Debug, Clone, Copy, Args)]
pub struct JpFlag {
    #[arg(long, help = JP_NOTICE)]
    jp: bool,
}

/// How replies and questions look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// As MCP has them.
    Native,
    /// As envelopes, for a host that asked for them by `--jp`.
    Jp,
}

impl From<JpFlag> for Protocol {
    fn from(flag: JpFlag) -> Self {
        if flag.jp { Self::Jp } else { Self::Native }
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;

    #[derive(Debug, Parser)]
    #[command(term_width = 0)]
    struct Line {
        #[command(flatten)]
        jp: JpFlag,
    }

    #[test]
    fn the_flag_chooses() {
        let protocol = |words: &[&str]| Protocol::from(Line::try_parse_from(words).unwrap().jp);
        assert_eq!(protocol(&["x"]), Protocol::Native);
        assert_eq!(protocol(&["x", "--jp"]), Protocol::Jp);
    }

    /// D31-067 and D31-068 rest on this: the notice is whole and on one line in both helps.
    #[test]
    fn help_says_the_notice() {
        let mut command = Line::command();
        for help in [command.render_help(), command.render_long_help()] {
            assert!(help.to_string().contains(JP_NOTICE), "{help}");
        }
    }
}
