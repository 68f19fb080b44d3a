#!/bin/sh
# conform must fail where results differ: a kept file with one hash changed, one that does not know the form,
# a device that is none.
#   notices.sh CONFORM
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "notices.sh: $1" >&2
    exit 1
}

"$1" --b sim:h200 --golden-out "$folder/kept" add.rn.f32 >"$folder/out" || fail "a device differs from itself"
grep -q '^1 forms: 1 equal' "$folder/out" || fail "not one equal form"
"$1" --golden "$folder/kept" add.rn.f32 >/dev/null || fail "what was kept differs from what is computed"

sed 's/[0-9a-f]\{8\}:[0-9a-f]\{8\}/00000000:00000000/' "$folder/kept" >"$folder/wrong"
if "$1" --golden "$folder/wrong" add.rn.f32 >"$folder/out"; then fail "another hash passes"; fi
grep -q 'differ  add.rn.f32' "$folder/out" || fail "the form that differs is not named"

sed 's/^= .*/= nothing/' "$folder/kept" >"$folder/unknown"
if "$1" --golden "$folder/unknown" add.rn.f32 >/dev/null; then fail "a form the file lacks passes"; fi
if "$1" --a nosuch --b sim:h200 add.rn.f32 2>/dev/null; then fail "a device that is none passes"; fi
