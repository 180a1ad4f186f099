#!/bin/sh
# __NAME__: a sealed tool to start from. It needs nothing but a POSIX shell: a sealed tool can start no
# other program. `jp tool check --runtime vfs -- ./__NAME__.sh` says whether it is a good tool.
#
# It reads JSON by looking for text such as `"size":`. That is safe, because inside of a string the quotes
# would have a backslash in front, and the host writes its messages without white space.

main() {
    IFS= read -r init || exit 1
    context=${init##*'"context":{'}
    arguments=${init#*'"arguments":'} arguments=${arguments%%',"answers":'*}
    case $context in
    '"action":"schema"'* | '"action":"Schema"'*) describe && exit ;;
    esac
    check_arguments
    case $context in
    '"action":"format_arguments"'*) notify result "\"content\":\"look at $path\"" && exit ;;
    esac
    run
}

# `summary` is what the assistant always sees; what has no `default` has to be given.
describe() {
    path='"path":{"type":"string","summary":"The file, from the root of the project."}'
    tool='"name":"__NAME__","summary":"Tell how large a file is."'
    notify result "\"content\":{\"tools\":[{$tool,\"parameters\":{$path}}]}"
}

# Does the work. docs/protocols/vfs.md has everything that can be asked for.
run() {
    request fs.metadata "\"path\":\"$path\""
    case $answer in
    *'"kind":"file","size":'*) size=${answer#*'"size":'} size=${size%%[!0-9]*} ;;
    *) fail "$path is no file" ;;
    esac
    notify result "\"content\":\"$path has $size bytes.\""
}

# The path stays as the host wrote it, escapes included, and goes back to the host the same way. What is
# wrong is named, so that the next try is better.
check_arguments() {
    case $arguments in
    '{"path":"'*'"}') path=${arguments#'{"path":"'} path=${path%'"}'} ;;
    '{"path":"'*) path='"' ;;
    *) fail 'argument `path`: expected a string' ;;
    esac
    case $path in
    *'"'*)
        name=${arguments##*',"'} name=${name%%'"'*}
        case $name in
        *[!A-Za-z0-9_]*) fail 'expected one argument, `path`, without quotes in it' ;;
        *) fail "unknown argument \`$name\`" ;;
        esac
        ;;
    esac
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
