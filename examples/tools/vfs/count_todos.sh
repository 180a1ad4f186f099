#!/bin/sh
# Counts the lines with marks such as TODO, file by file. A sealed tool can start no other program, so
# there is no jq, no sed and no awk here: nothing but the words of a POSIX shell.
#
# It reads JSON by looking for text such as `"is_match":true`. That is safe, because inside of a string
# the quotes would have a backslash in front, and the host writes its messages without white space.

main() {
    IFS= read -r init || exit 1
    context=${init##*'"context":{'}
    arguments=${init#*'"arguments":'} arguments=${arguments%%',"answers":'*}
    case $context in
    '"action":"schema"'* | '"action":"Schema"'*)
        notify result '"content":{"tools":[{"name":"count_todos","summary":"Count the lines with TODO, FIXME or another mark, file by file.","parameters":{"mark":{"type":"string","pattern":"^[A-Za-z0-9_]+$","summary":"Only this mark.","default":""}}}]}'
        exit
        ;;
    esac
    case $arguments in
    '{}' | '{"mark":""}') marks='TODO FIXME HACK' ;;
    '{"mark":"'*'"}') marks=${arguments#'{"mark":"'} marks=${marks%'"}'} ;;
    *) fail 'expected at most the argument `mark`, a string' ;;
    esac
    case $marks in
    *[!A-Za-z0-9_\ ]*) fail 'argument `mark`: expected letters, digits and _' ;;
    esac
    case $context in
    '"action":"format_arguments"'*) notify result "\"content\":\"count $marks\"" && exit ;;
    esac
    report=
    for mark in $marks; do count "$mark"; done
    notify result "\"content\":\"${report:-There is nothing to do.}\""
}

# Adds the lines for one mark to the report. A path is taken as the host wrote it, escapes included,
# and goes back to the host the same way.
count() {
    request fs.grep "\"pattern\":\"\\\\b$1\\\\b\",\"max_matches\":1000"
    while :; do
        case $answer in
        *'{"path":"'*) answer=${answer#*'{"path":"'} ;;
        *) break ;;
        esac
        path=${answer%%'","lines":'*} lines=${answer%%'{"path":"'*} number=0
        while :; do
            case $lines in
            *'"is_match":true'*) lines=${lines#*'"is_match":true'} number=$((number + 1)) ;;
            *) break ;;
            esac
        done
        report="$report${report:+\\n}$1 $path: $number"
    done
}

# Asks the host, and waits for the answer. Other lines are news, such as `pending`.
id=0
request() {
    id=$((id + 1))
    printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":{%s}}\n' "$id" "$1" "$2"
    while IFS= read -r answer; do
        case $answer in
        '{"jsonrpc":"2.0","id":'"$id"',"result":'*) return ;;
        '{"jsonrpc":"2.0","id":'"$id"',"error":'*)
            answer=${answer#*'"message":"'} && fail "${answer%'"}}'}"
            ;;
        '{"jsonrpc":"2.0","method":"cancel"'*) exit 1 ;;
        esac
    done
    exit 1
}

notify() { printf '{"jsonrpc":"2.0","method":"%s","params":{%s}}\n' "$1" "$2"; }

# Ends with an error. The message must be fit to stand between the quotes of a JSON string.
fail() { notify error "\"message\":\"$1\"" && exit 1; }

main
