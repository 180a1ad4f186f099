#!/bin/sh
# __NAME__: a tool to start from. It needs nothing but a POSIX shell and awk.
# `jp tool check -- ./__NAME__.sh` says whether it is a good tool.
set -f # A `?` in a name is not a pattern.

main() {
    values=$(head -n 1 | flatten) || fail 'not the invocation of a tool'
    [ -n "$(value context.root)" ] || fail 'not the invocation of a tool'
    case $(text context.action | tr '[:upper:]' '[:lower:]') in
    schema) describe ;;
    format_arguments) check_arguments && printf 'greet %s\n' "$name" ;;
    run | '') check_arguments && run ;;
    *) fail 'unknown action' ;;
    esac
}

# `summary` is what the assistant always sees; what has no `default` has to be given.
describe() {
    cat <<'END'
{"tools":[{"name":"__NAME__","summary":"Greet somebody.","parameters":{
"name":{"type":"string","summary":"Who to greet.","minLength":1,"maxLength":100},
"loud":{"type":"boolean","summary":"In capital letters.","default":false}}}]}
END
}

# Does the work. Plain text is the result; what is for people goes to stderr. Files are in the directory
# that `text context.root` prints.
#
# To ask something, print
#   {"type":"needs_input","question":{"id":"sure","text":"Sure?","answer_type":"Boolean"}}
# instead. The answer comes with the next call, in `value tool.answers.sure`.
run() {
    if [ "$loud" = true ]; then
        printf 'Hello, %s!\n' "$name" | tr '[:lower:]' '[:upper:]'
    else
        printf 'Hello, %s!\n' "$name"
    fi
}

# What is wrong is named, so that the next try is better.
check_arguments() {
    for path in $(printf '%s\n' "$values" | cut -f 1); do
        case $path in
        tool.arguments.name | tool.arguments.name.* | tool.arguments.loud | tool.arguments.loud.*) ;;
        tool.arguments.*) fail "unknown argument \`${path#tool.arguments.}\`" ;;
        esac
    done
    case $(value tool.arguments.name) in
    '"'*) name=$(text tool.arguments.name) ;;
    *) name= ;;
    esac
    { [ -n "$name" ] && [ "${#name}" -le 100 ]; } ||
        fail 'argument `name`: expected a string of 1 to 100 characters'
    loud=$(value tool.arguments.loud)
    case $loud in
    true | false | '') ;;
    *) fail 'argument `loud`: expected true or false' ;;
    esac
}

# Ends with an error. The message must be fit to stand between the quotes of a JSON string.
fail() {
    printf '{"type":"error","message":"%s"}\n' "$1"
    exit 1
}

# --- Reading JSON. With jq at hand, none of this is needed.

# A value as JSON writes it; of a list or an object only the first character.
value() {
    printf '%s\n' "$values" | awk -F '\t' -v path="$1" '$1 == path { print $2; exit }'
}

# A string as text. Letters that JSON writes as a number become `?`.
text() {
    value "$1" | awk '{
        rest = substr($0, 2, length($0) - 2)
        while (at = index(rest, "\\")) {
            letter = substr(rest, at + 1, 1)
            done = done substr(rest, 1, at - 1)
            rest = substr(rest, at + 2)
            if (letter == "n") letter = "\n"
            if (letter == "t") letter = "\t"
            if (letter ~ /[bfr]/) letter = ""
            if (letter == "u") { letter = "?"; rest = substr(rest, 5) }
            done = done letter
        }
        print done rest
    }'
}

# One line for each value: its path, a tab, and the value. Ends with 1 if it is not JSON. Anything odd in
# a name becomes `?`, so that every path is one word. What is long is cut, and a line of more than a
# megabyte is refused.
flatten() {
    LC_ALL=C awk '
        BEGIN { string = "^\"([^\"\\\\]|\\\\.)*\"" }
        length($0) > 1000000 { failed = 1; exit }
        { text = text $0 }
        END { read_value("", 0); skip(); exit failed || text != "" }
        function skip() { sub(/^[ \t\r]+/, "", text); return substr(text, 1, 1) }
        function token(pattern,    found) {
            skip()
            if (failed || !match(text, pattern)) { failed = 1; return "" }
            found = substr(text, 1, RLENGTH)
            text = substr(text, RLENGTH + 1)
            return found
        }
        function read_value(path, depth,    first) {
            first = skip()
            if (first == "{" || first == "[") print path "\t" first
            if (depth > 100) failed = 1
            else if (first == "{") read_all(path, depth, "}")
            else if (first == "[") read_all(path, depth, "]")
            else print path "\t" substr(token(string "|^(true|false|null|-?[0-9][-+.0-9eE]*)"), 1, 1000)
        }
        function read_all(path, depth, last,    name, place) {
            token("^[[{]")
            while (!failed && skip() != last) {
                if (place > 0) token("^,")
                if (last == "}") {
                    name = substr(token(string), 1, 100)
                    token("^:")
                } else name = place + 0
                gsub(/"/, "", name)
                gsub(/[^-_0-9a-zA-Z]/, "?", name)
                read_value(path == "" ? name : path "." name, depth + 1)
                place++
            }
            token("^[]}]")
        }
    '
}

main
