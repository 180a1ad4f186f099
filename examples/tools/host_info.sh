#!/bin/sh
# Says something about the machine. Written against docs/protocols/tool.md alone: a POSIX shell and
# awk, nothing else. Where jq is at hand, `flatten` is not needed.
set -f # A `?` in a name is not a pattern.

main() {
    # One line for each value: its path, a tab, and the value as JSON writes it; of a list or an
    # object only the first character.
    values=$(head -n 1 | flatten) || fail "not the invocation of a tool"
    [ -n "$(value context.root)" ] || fail "not the invocation of a tool"
    case $(value context.action | tr '[:upper:]' '[:lower:]') in
    '"schema"') schema ;;
    '"format_arguments"') check_arguments && echo "look at: $topic" ;;
    '"run"' | '') check_arguments && run ;;
    *) fail "unknown action" ;;
    esac
}

schema() {
    cat <<'END'
{"tools":[{"name":"host_info","summary":"Say something about the machine.","parameters":{"topic":{"type":"string","enum":["system","disk","load"],"summary":"What to look at."}}}]}
END
}

# Plain text is a result. What a command says on stderr is for people.
run() {
    case $topic in
    system) uname -srm ;;
    disk) df -kP . ;;
    load) uptime ;;
    esac
}

check_arguments() {
    for path in $(printf '%s\n' "$values" | cut -f 1); do
        case $path in
        tool.arguments.topic | tool.arguments.topic.*) ;;
        tool.arguments.*) fail "unknown argument \`${path#tool.arguments.}\`" ;;
        esac
    done
    topic=$(value tool.arguments.topic)
    case $topic in
    '"system"' | '"disk"' | '"load"') topic=${topic#\"} && topic=${topic%\"} ;;
    '') fail "missing argument \`topic\`" ;;
    *) fail "argument \`topic\`: expected system, disk or load" ;;
    esac
}

# Ends with an error. The message must be fit to stand between the quotes of a JSON string.
fail() {
    printf '{"type":"error","message":"%s"}\n' "$1"
    exit 1
}

value() {
    printf '%s\n' "$values" | awk -F '\t' -v path="$1" '$1 == path { print $2; exit }'
}

# Reads JSON. Ends with 1 if it is none. Anything odd in a name becomes `?`, so that every path is
# one word, and a value has no tab or newline in it, because JSON writes those as `\t` and `\n`. Both
# are cut when they are long, and a line of more than a megabyte is refused: nobody asks this tool for
# that much, and awk is slow with it.
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
