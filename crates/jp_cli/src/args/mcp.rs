//! `jp mcp`

use camino::Utf8PathBuf;
use clap::{Subcommand, ValueHint, builder::NonEmptyStringValueParser};

use super::{CallArgs, path};

/// Look at MCP servers, add them and call their tools
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(crate) enum Mcp {
    /// List the servers of this workspace
    ///
    /// Every server is started to ask what it is, apart from those that came with the workspace and were not
    /// allowed yet. It ends with 1 when one of them cannot be used.
    List,
    Inspect(McpInspect),
    Add(Box<McpAdd>),
    Allow(McpAllow),
    Call(McpCall),
    Pin(McpPin),
    Login(McpLogin),
    Logout(McpLogout),
}

/// Log in to a server that runs elsewhere
///
/// The server names an authorization server, and that shows a page in your browser. What it gives out is
/// kept in your state directory, for you alone, and is sent to this server and nowhere else. Nothing else
/// that jp does opens a page or waits for a login.
#[derive(Debug, clap::Args)]
pub(crate) struct McpLogin {
    /// The name of the server
    #[arg(value_name = "SERVER")]
    pub(crate) server: String,

    /// Print the address of the page, and do not open it
    #[arg(long)]
    pub(crate) no_browser: bool,
}

/// Forget the login of a server
///
/// The authorization server is not told: what it gave out ends by itself, or where you have an account.
#[derive(Debug, clap::Args)]
pub(crate) struct McpLogout {
    /// The name of the server
    #[arg(value_name = "SERVER")]
    pub(crate) server: String,
}

/// Say what a server is, how it is confined, and what tools it has
#[derive(Debug, clap::Args)]
pub(crate) struct McpInspect {
    /// The name of the server
    #[arg(value_name = "SERVER")]
    pub(crate) server: String,

    /// Everything about one of its tools
    #[arg(value_name = "TOOL")]
    pub(crate) tool: Option<String>,
}

/// Add a server to the configuration of this workspace
///
/// Its tools get an entry too, so that `jp tool list` shows them. Without --read, --write and --net it
/// is confined like a tool without rules: it writes in the workspace. With one of them it is granted what
/// they name, and nothing else of the workspace, of the network and of your variables.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  jp mcp add files --read docs -- mcp-server-filesystem docs
  jp mcp add fetch --net example.org -- uvx mcp-server-fetch
  jp mcp add far --url https://example.org/mcp --header 'Authorization=Bearer ${JP_TOKEN}'")]
pub(crate) struct McpAdd {
    /// What to call it
    #[arg(value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) name: String,

    /// The program of the server and its arguments
    #[arg(value_name = "COMMAND", last = true, required_unless_present = "url", conflicts_with = "url", value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<String>,

    /// Let it read a place
    #[arg(long, value_name = "PATH", value_parser = path, value_hint = ValueHint::AnyPath, conflicts_with = "url")]
    pub(crate) read: Vec<Utf8PathBuf>,

    /// Let it read and write a place
    #[arg(long, value_name = "PATH", value_parser = path, value_hint = ValueHint::AnyPath, conflicts_with = "url")]
    pub(crate) write: Vec<Utf8PathBuf>,

    /// Let it talk to HOST, or HOST:PORT
    #[arg(long, value_name = "HOST", value_parser = NonEmptyStringValueParser::new(), value_hint = ValueHint::Hostname, conflicts_with = "url")]
    pub(crate) net: Vec<String>,

    /// Give it a variable; `${JP_NAME}` in the value stands for one of yours
    #[arg(long = "env", value_name = "NAME=VALUE", conflicts_with = "url")]
    pub(crate) variables: Vec<String>,

    /// Start a process of its own for each call
    #[arg(long)]
    pub(crate) stateless: bool,

    /// The address of a server that runs elsewhere
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) url: Option<String>,

    /// Send a header to it; `${JP_NAME}` in the value stands for one of your variables
    #[arg(long = "header", value_name = "NAME=VALUE", requires = "url")]
    pub(crate) headers: Vec<String>,
}

impl McpAdd {
    /// Whether anything is granted, so that everything else is closed.
    pub(crate) fn has_grants(&self) -> bool {
        !(self.read.is_empty() && self.write.is_empty() && self.net.is_empty())
    }
}

/// Let a server start that came with this workspace
///
/// A workspace may come from anybody, so a server that its files configure is started only after you have
/// seen it and said yes, here or when it is first wanted in a terminal. That is kept for this workspace
/// and for what you saw; if its table changes, it is asked again. Servers of your own settings and those
/// that you add by `jp mcp add` need no permission.
#[derive(Debug, clap::Args)]
pub(crate) struct McpAllow {
    /// The names of the servers
    #[arg(value_name = "SERVER", required = true)]
    pub(crate) servers: Vec<String>,

    /// Take it back
    #[arg(long)]
    pub(crate) forget: bool,

    /// Do not ask; what is allowed is printed
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// Call a tool of a server, whether or not it has a name in this workspace
///
/// Arguments are written as for `jp tool run`. It ends as that does. Nobody is asked whether the tool may
/// run: who names server and tool wants it.
#[derive(Debug, clap::Args)]
pub(crate) struct McpCall {
    /// The name of the server
    #[arg(value_name = "SERVER")]
    pub(crate) server: String,

    /// The name of the tool there
    #[arg(value_name = "TOOL")]
    pub(crate) tool: String,

    #[command(flatten)]
    pub(crate) call: CallArgs,
}

/// Accept what the tools of a server are now
///
/// What a tool does and takes is kept when it is first used. One that is described in other words later is
/// not called before somebody accepts it: here, or when it is called in a terminal. From then on a tool
/// with a new name has to be accepted too.
#[derive(Debug, clap::Args)]
pub(crate) struct McpPin {
    /// The name of the server
    #[arg(value_name = "SERVER")]
    pub(crate) server: String,

    /// Only this tool
    #[arg(value_name = "TOOL", conflicts_with = "forget")]
    pub(crate) tool: Option<String>,

    /// Forget what its tools were; the next use of each counts as the first
    #[arg(long)]
    pub(crate) forget: bool,

    /// Do not ask
    #[arg(short, long)]
    pub(crate) yes: bool,
}
