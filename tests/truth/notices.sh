#!/bin/sh
# truth_approximations must fail where the GPU's results were of another kind, where the file lacks an instruction, and
# where there is no file.
#   notices.sh TRUTH_APPROXIMATIONS DIGESTS
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "notices.sh: $1" >&2
    exit 1
}

# The fourth block of the first instruction has another digest.
sed '2s/\( [0-9a-f]* [0-9a-f]* \)[0-9a-f]*/\100000000/' "$2" > "$folder/block"
if "$1" --digests "$folder/block" > "$folder/out"; then fail "another digest passes"; fi
grep -q 'inputs 192 to 255:' "$folder/out" || fail "the block that differs is not named: $(cat "$folder/out")"
[ "$(grep -c WRONG "$folder/out")" = 1 ] || fail "not one instruction is wrong"

sed '3s/> [0-9a-f]*/> 7f800000/' "$2" > "$folder/row"
if "$1" --digests "$folder/row" > "$folder/out"; then fail "another row passes"; fi
grep -q 'the simulator has .*, the GPU: ' "$folder/out" || fail "the row that differs is not shown"

sed 's/^= tanh.approx.f32$/= nothing/' "$2" > "$folder/unknown"
if "$1" --digests "$folder/unknown" > /dev/null; then fail "an instruction that the file lacks passes"; fi
if "$1" --digests "$folder/none" 2> /dev/null; then fail "no file passes"; fi
