#!/bin/sh
# assemble.sh PTXAS FOLDER: every PTX file below FOLDER is taken by ptxas.
set -eu
ptxas=$1 folder=$2
out=$(mktemp)
trap 'rm -f "$out"' EXIT
count=0
for ptx in "$folder"/*/*.ptx; do
    target=$(sed -n 's/^\.target \(sm_[0-9a-z]*\).*/\1/p;/^\.target/q' "$ptx")
    "$ptxas" -O0 -arch="$target" -o "$out" "$ptx" || { echo "ptxas does not take $ptx"; exit 1; }
    count=$((count + 1))
done
[ "$count" -gt 0 ] || { echo "there is no PTX below $folder"; exit 1; }
echo "$count files"
