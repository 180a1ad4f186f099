# --- jp-plugin.sh: what a plugin of jp needs in a POSIX shell with jq. Copy it into yours.
#
#   jp_begin DESCRIPTION     answer `describe`, or take `init` into $JP_INIT and be ready
#   jp_args                  the words after the command, one a line
#   jp_print TEXT            show a text, as it is
#   jp_print_as OBJECT TEXT  show a text, with {"channel":…,"format":…}
#   jp_log LEVEL TEXT        write to the log of jp
#   jp_request FILTER [jq…]  ask; the answer is in $JP_ANSWER. Fails with $JP_ERROR
#   jp_get FILTER            a part of $JP_ANSWER
#   jp_fail REASON [CODE]    end, and tell the user why
#
# $JP_STOPPING is 1 when the user wants an end. What programs print goes to stderr, where it does no
# harm: file descriptor 3 is the way to jp.

jp_begin() {
    if [ -t 0 ]; then
        printf '%s\n' "$1" | jq -r '"\(.help // .description)\n\nA plugin of jp: run `jp \(.command // [.name] | join(" "))`."' >&2
        exit 2
    fi
    exec 3>&1 1>&2
    JP_STOPPING=0
    IFS= read -r JP_INIT
    case $(printf '%s\n' "$JP_INIT" | jq -r '.type') in
    describe) printf '%s\n' "$1" | jq -c '{type: "describe"} + .' >&3; exit 0 ;;
    init) ;;
    *) echo 'the first line is neither `describe` nor `init`' >&2; exit 2 ;;
    esac
    trap 'jp_ended $?' EXIT
    echo '{"type":"ready"}' >&3
}

jp_args() { printf '%s\n' "$JP_INIT" | jq -r '.args[]'; }

jp_print() { printf '%s' "$1" | jq -Rsc '{type: "print", text: .}' >&3; }

jp_print_as() { printf '%s' "$2" | jq -Rsc --argjson fields "$1" '{type: "print", text: .} + $fields' >&3; }

jp_log() {
    case $1 in warning) set -- warn "$2" ;; esac
    printf '%s' "$2" | jq -Rsc --arg level "$1" '{type: "log", level: $level, message: .}' >&3
}

jp_request() {
    jq -nc "$@" >&3 || { JP_ERROR='jq cannot make the request'; return 1; }
    while IFS= read -r JP_ANSWER; do
        case $(jp_get 'if .type == "error" then "error \(.request)" else .type end') in
        shutdown) JP_STOPPING=1 ;;
        # Not the answer: jp could not take what was printed or logged before.
        'error print' | 'error log') jp_get '"jp: \(.message)"' >&2 ;;
        error*) JP_ERROR=$(jp_get '.message'); return 1 ;;
        '') JP_ERROR='jq cannot read the answer'; return 1 ;;
        *) return 0 ;;
        esac
    done
    JP_ERROR='jp is gone'
    return 1
}

jp_get() { printf '%s\n' "$JP_ANSWER" | jq -r "$1"; }

jp_fail() {
    trap - EXIT
    printf '%s' "$1" | jq -Rsc --argjson code "${2:-1}" '{type: "exit", code: $code, reason: .}' >&3
    exit "${2:-1}"
}

jp_ended() {
    trap - EXIT
    printf '{"type":"exit","code":%d}\n' "$1" >&3
    exit "$1"
}
# --- the end of jp-plugin.sh
