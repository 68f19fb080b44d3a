#!/bin/sh
# other_gpus.sh KZ: an H200 adds 16 terms at once, an A100 8: 2^24 + 1 + 1 is 2^24 + 2 for the one, and for the other each 1 is cut off. Who
# simulates a GPU that was never compared is told so.
set -eu
here=$(dirname "$0")
said=$(mktemp)
trap 'rm -f "$said"' EXIT
try() { # try GPU RESULT NOTES
    got=$("$1" run --gpu "$2" "$here/one.cu" 2>"$said")
    [ "$got" = "$3" ] || { echo "$2 gives $got, not $3"; cat "$said"; exit 1; }
    notes=$(grep -c "were not compared" "$said") || true
    [ "$notes" = "$4" ] || { echo "$2: $notes notes, not $4"; cat "$said"; exit 1; }
}
try "$1" h200 16777218.0 0
try "$1" a100 16777216.0 1
echo "all right"
