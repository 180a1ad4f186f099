//! `jp completions`
//!
//! The script knows our commands. Those of plugins change without it, so for bash, zsh and fish it asks
//! `jp __complete-plugins`, which reads what is remembered about them and starts nothing.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::{
    args::{Args, Completions},
    ctx::Ctx,
    error::Result,
};

/// Where the script for bash says which function completes.
const BASH_ENTRY: &str = "complete -F _jp ";

/// Exit code 3 says that the words lead to a plugin: then our own commands cannot follow.
const BASH: &str = r#"
_jp_with_plugins() {
    local lines line
    _jp "$@"
    [[ "$2" == -* ]] && return
    lines=$("$1" __complete-plugins "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
    [[ $? -eq 3 ]] && COMPREPLY=()
    while IFS= read -r line; do
        line=${line%%$'\t'*}
        [[ -n "$line" && "$line" == "$2"* ]] && COMPREPLY+=("$line")
    done <<< "$lines"
}
"#;

/// Where the script for zsh has defined everything.
const ZSH_ENTRY: &str = "if [ \"$funcstack[1]\" = \"_jp\" ]; then";

const ZSH: &str = r#"functions[_jp_without_plugins]=$functions[_jp]
_jp() {
    local -a before=("${(@)words[2,CURRENT-1]}") lines plugins
    local line ret=1 code=0
    if [[ "$PREFIX" != -* ]]; then
        lines=("${(@f)$(command jp __complete-plugins "${before[@]}" 2>/dev/null; print "=$?")}")
        code=${lines[-1]#=}
        for line in "${(@)lines[1,-2]}"; do
            plugins+=("${line%%$'\t'*}:${line#*$'\t'}")
        done
        (( $#plugins )) && _describe -t plugins 'plugins' plugins && ret=0
    fi
    [[ "$code" == 3 ]] && return ret
    _jp_without_plugins "$@" && ret=0
    return ret
}

"#;

const FISH: &str = r#"
function __fish_jp_plugins
    set -l words (commandline -opc)
    set -e words[1]
    command jp __complete-plugins $words 2>/dev/null
end
complete -c jp -n "not string match -q -- '-*' (commandline -ct)" -f -a "(__fish_jp_plugins)"
"#;

pub(crate) fn run(ctx: &Ctx, args: &Completions) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "jp", &mut script);
    let script = String::from_utf8_lossy(&script);
    let script = match args.shell {
        // Before the lines that name the function.
        Shell::Bash => match script.rfind("\nif [[") {
            Some(at) => {
                let named = script[at..].replace(BASH_ENTRY, "complete -F _jp_with_plugins ");
                format!("{}{BASH}{named}", &script[..at])
            }
            None => script.into_owned(),
        },
        Shell::Zsh => script.replacen(ZSH_ENTRY, &format!("{ZSH}{ZSH_ENTRY}"), 1),
        Shell::Fish => format!("{script}{FISH}"),
        _ => script.into_owned(),
    };
    Ok(ctx.printer().data(&script)?)
}
