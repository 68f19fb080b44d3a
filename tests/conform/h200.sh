#!/bin/sh
# h200.sh CONFORM GOLDEN PAGE: the simulator computes what the H200 did, and PAGE is what one run of this says.
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
if ! "$1" --golden "$2" --markdown > "$out"; then
    "$1" --golden "$2" # in words
    exit 1
fi
diff "$out" "$3"
