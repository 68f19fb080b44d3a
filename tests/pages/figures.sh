#!/bin/sh
# kz figure: every figure of the concept pages, made now, is the one in the tree, and every page's links lead somewhere.
. "$(dirname "$0")/lib.sh"
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
PAGES=$ROOT/docs/concepts
expect_exit 0 figure
expect_out "divergence"
expect_exit 2 figure divergenze
expect_err "did you mean divergence?"
expect_exit 2 figure tree --all "$FOLDER"
expect_exit 2 figure --output "$FOLDER/one.svg"
expect_err "kz figure NAME --output FILE"
expect_exit 0 figure occupancy --output "$FOLDER/one.svg"
grep -q "^<svg" "$FOLDER/one.svg" || fail "--output wrote no SVG"
cd "$FOLDER" || exit 1
expect_exit 2 figure reduce_ladder
expect_err "no records of reduce sum-f32-n268435456-uniform in results/h200"
expect_err "try: kz figure --results"
[ -s "$FOLDER/out" ] && fail "half a figure was written"

expect_exit 0 figure tree
expect_out "A tree over 64 values"
expect_exit 0 figure --all "$FOLDER/figures" --results "$ROOT/results/h200"
for made in "$FOLDER"/figures/*.svg; do
    name=$(basename "$made")
    cmp -s "$made" "$PAGES/figures/$name" || fail "docs/concepts/figures/$name is stale: run tools/figures"
    grep -q "^!\[.*](figures/$name)" "$PAGES"/*.md || fail "no page shows $name"
done
for kept in "$PAGES"/figures/*.svg; do
    [ -f "$FOLDER/figures/$(basename "$kept")" ] || fail "kz figure does not make $kept"
done

# Links of the pages, those to addresses and to places in the page aside.
for page in "$PAGES"/*.md; do
    for link in $(grep -o '](\([^)#]*\)' "$page" | sed 's/^](//' | grep -v '://'); do
        [ -e "$PAGES/$link" ] || fail "$(basename "$page"): $link is not there"
    done
done
finish
