# Puts programs of other people at $2, all at once: what is at $2 is complete, whoever else installs
# the same at the same time. $1 is `npm` or `pip`, $3 the directory that says what and which version.
set -eu
mkdir -p "$(dirname "$2")"
new=$(mktemp -d "$2.XXXXXX")
trap 'rm -rf "$new"' EXIT
chmod 755 "$new"
cp "$3"/* "$new"
case $1 in
# Not by `--prefix`: the settings of the machine are looked for below it.
npm) (cd "$new" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) ;;
pip)
    python3 -m venv "$new"
    "$new/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
        --requirement "$new/requirements.txt"
    ;;
esac
# Fails if somebody else was faster, and then theirs is as good.
python3 -c 'import os, sys; os.rename(*sys.argv[1:])' "$new" "$2" 2>/dev/null || test -d "$2"
