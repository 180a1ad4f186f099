//! Every sentence that a plan says, in one place.

use camino::Utf8Path;

pub(super) const WITHOUT_READ: &str = "what cannot be read is hidden; writing it blindly is only \
                                       possible through the host (mediated only)";
pub(super) const UNSEEN: &str = "new names can be made directly in it; what is there already, \
                                 directories among it, is out of sight";
pub(super) const RUN_WITHOUT_READ: &str = "a program that cannot be read cannot be run";
pub(super) const INTERPRETED: &str =
    "no program is run from here, but an interpreter can be given a file that it can read";
pub(super) const NOT_ITSELF: &str =
    "everything in it, but the place itself cannot be removed or renamed";
pub(super) const FILE_IN_PLACE: &str =
    "the file can be changed in place, but not removed or replaced by another";
pub(super) const NOT_THERE: &str =
    "it does not exist when the call begins, and stays out of sight if it is made later";
pub(super) const NO_PROGRAM_YET: &str =
    "it does not exist yet; a program that is made there cannot be run in the same call";
pub(super) const PROGRAM_YET: &str = "it does not exist yet, so a program that is made there could \
                                      be run; make the directory first";
pub(super) const UNUSUAL: &str = "it is a link, a socket or a device, and is hidden";
pub(super) const IMPOSSIBLE: &str =
    "something on the way to it is not a directory, so nothing is there";
pub(super) const JUDGED: &str = "judged when the call ends";
pub(super) const NOT_JUDGED_SERVER: &str =
    "create, update and delete are told apart when a call ends, and a server does not end";
pub(super) const NOT_JUDGED_LANDLOCK: &str =
    "create, update and delete are told apart in a change set, which needs user namespaces";
pub(super) const HELD: &str = "what is there can be changed as the rules say, but no name directly \
                               in this directory can be made, removed or replaced: something in it is \
                               kept from a server";
pub(super) const FILE_MOUNT: &str =
    "read-only: a file that is a mount of its own cannot be judged with its directory";
pub(super) const PROGRAM: &str = "it is what was configured to run, so it can be read and run \
                                  whatever the rules say, and not changed";
pub(super) const NO_NARROWING: &str =
    "Landlock cannot take back what the rule around it grants; that needs user namespaces";
pub(super) const SIBLINGS: &str = "granted entry by entry, because something in it is hidden: what \
                                   is made there later cannot be used, and the directory itself \
                                   cannot be listed";
pub(super) const DRY_RUN_BLOCKED: &str =
    "writes cannot be held back for a review here, so they fail";
pub(super) const OVERRIDDEN: &str = "a later rule for the same path decides";
pub(super) const MEDIATED: &str =
    "the process itself sees nothing of it; the host judges each request";
pub(super) const UNREADABLE_RULE: &str = "its path is none below the workspace: it grants nothing, \
                                          and what it denies is denied everywhere";
pub(super) const LESS: &str = "the kernel allows less here than the rule";
pub(super) const MORE: &str = "the kernel allows more here than the rule";

pub(super) const THROUGH_PROXY: &str =
    "through the proxy, for programs that use HTTP_PROXY and HTTPS_PROXY";
pub(super) const PROXY_PATHS: &str = "http is judged by its path; https hides the path, so a \
                                      connection is refused unless the whole host is allowed";
pub(super) const PROXY_HTTPS_PATHS: &str =
    "https hides the path, so a connection is refused unless the whole host is allowed";
pub(super) const PROXY_SCHEME: &str = "the proxy speaks http and https only";
pub(super) const NO_PROXY: &str = "the way to the proxy needs a network namespace, so there is no \
                                   network at all";
pub(super) const NO_NETWORK: &str = "no network at all";
pub(super) const DEAD_RULE: &str = "a rule that cannot be read allows nothing";
pub(super) const DENIES_ALL: &str = "a denial that cannot be read denies everything";

pub(super) const NO_COMMANDS: &str = "the process can start no other program";
pub(super) const COMMANDS: &str = "the kernel does not see which arguments a program is given, so \
                                   the process can start any that it can see; a tool with `runtime \
                                   = \"vfs\"` has them started and judged by the host";

pub(super) const OFF: &str = "confinement is turned off";
pub(super) const NO_TIER: &str = "the kernel offers nothing to enforce it with";

pub(super) const SENSITIVE_RULE: &str = "it is sensitive, and nobody said yes to it";
pub(super) const SENSITIVE_KEPT: &str = "hidden";
pub(super) const SENSITIVE_MISSING: &str = "it does not exist; made later, it would be seen";
pub(super) const CACHE_WITH_SECRET: &str = "read-only, because it holds a sensitive path; name a \
                                            directory below it instead";
pub(super) const NO_TEMP: &str = "there is none: Landlock cannot make an empty directory appear, and \
                                  no directory was made for this call";
pub(super) const NO_PRIVATE_HOME: &str =
    "there is none: Landlock cannot make an empty directory appear, so the home is out of reach";
pub(super) const UNIX_SOCKETS: &str = "none can be made: Landlock cannot tell which are reached";

pub(super) fn beside(path: &Utf8Path) -> String {
    format!("writes beside {path} seem to work and are refused when the call ends")
}
