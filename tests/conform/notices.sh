#!/bin/sh
# conform must fail where results differ: a kept file with one hash changed, one that does not know the form,
# a device that is none.
#   notices.sh CONFORM GOLDEN
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

# The hash of all lanes decides; the bytes of the blocks tell where.
sed 's/[0-9a-f]\{8\}:[0-9a-f]\{8\}\/\(....\)../00000000:00000000\/\1zz/' "$folder/kept" >"$folder/wrong"
sed -i 's/zz/'"$(sed -n 's/.*\/....\(..\).*/\1/p' "$folder/kept" | head -1 | tr 0-9a-f 1-9a-f0)"'/' "$folder/wrong"
if "$1" --golden "$folder/wrong" add.rn.f32 >"$folder/out"; then fail "another hash passes"; fi
grep -q 'differ  add.rn.f32' "$folder/out" || fail "the form that differs is not named"
grep -q 'in lanes 2048 to 3071' "$folder/out" || fail "the lanes that differ are not named: $(cat "$folder/out")"
[ "$(grep -c 'in lanes' "$folder/out")" = 1 ] || fail "more lanes are named than differ"
sed 's/[0-9a-f]\{8\}:[0-9a-f]\{8\}\/.*/nonsense/' "$folder/kept" >"$folder/wrong"
if "$1" --golden "$folder/wrong" add.rn.f32 >/dev/null; then fail "a word that is no digest passes"; fi

# A word that stands in its line already is kept as that one's number; where that one changes, both forms differ.
"$1" --b sim:h200 --golden-out "$folder/many" integer >"$folder/out" || fail "a device differs from itself"
sed -n '/^= (add|sub)\.<u16/ { n; p; q; }' "$folder/many" | grep -q '^[0-9a-f/]\{17\} =0 ' || fail "add.s16 is not kept as add.u16"
"$1" --golden "$folder/many" integer >"$folder/out" || fail "what was kept differs from what is computed: $(cat "$folder/out")"
sed '/^= (add|sub)\.<u16/ { n; s/^......../00000000/; }' "$folder/many" >"$folder/wrong"
if "$1" --golden "$folder/wrong" integer >"$folder/out"; then fail "another hash passes"; fi
[ "$(grep -c ' differ  add\.[us]16 ' "$folder/out")" = 2 ] || fail "not both forms differ: $(cat "$folder/out")"

sed 's/^= .*/= nothing/' "$folder/kept" >"$folder/unknown"
if "$1" --golden "$folder/unknown" add.rn.f32 >/dev/null; then fail "a form the file lacks passes"; fi
if "$1" --a nosuch --b sim:h200 add.rn.f32 2>/dev/null; then fail "a device that is none passes"; fi

# One bit of one lane of each form: all forms of the GPU's file that are not approximations are found, with the lanes.
for group in integer add.rn; do
    if "$1" --golden "$2" --flip 3000 $group >"$folder/out"; then fail "a wrong bit passes"; fi
    forms=$("$1" --list $group | grep -c .)
    found=$(grep -c ' differ  ' "$folder/out")
    lanes=$(grep -c 'in lanes 2048 to 3071' "$folder/out")
    approximate=$(sed -n 's/.* \([0-9]*\) approximate.*/\1/p' "$folder/out")
    [ "$found" = $((forms - approximate)) ] || fail "$found of $forms forms of $group are found: $(cat "$folder/out")"
    # A byte of a hash misses one change in 256; it is for people.
    [ "$lanes" -ge $((found * 9 / 10)) ] || fail "the lanes of $lanes forms of $found are named"
done
