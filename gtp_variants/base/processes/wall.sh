# Usage: sh wall.sh PROFILE COMMAND... Runs a command in a sandbox of macOS, with a temporary folder while it runs.
profile=$1
shift
folder=$(cd "$(mktemp -d)" && pwd -P) || exit 127
trap 'rm -rf "$folder"' EXIT
ulimit -c 0
TMPDIR=$folder HOME=$folder sandbox-exec -D TEMPORARY="$folder" -p "$profile" "$@"
