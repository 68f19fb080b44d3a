#!/bin/sh
# pages figures: one by its name, stale ones are found; every figure is shown on a page, and the pages' links lead somewhere.
. "$(dirname "$0")/../cli/lib.sh"
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
PAGES=$ROOT/docs/concepts
expect_exit 0
expect_out "docs/concepts/figures"
expect_exit 2 draw
expect_err "neither write nor check"
expect_exit 2 write figurs
expect_err 'no page "figurs"'
cd "$FOLDER" || exit 1
expect_exit 2 write figures divergenze
expect_err "did you mean divergence?"
expect_exit 1 check figures occupancy
expect_out "occupancy.svg is stale"
[ -f docs/concepts/figures/occupancy.svg ] && fail "check wrote a file"
expect_exit 0 write figures occupancy
cmp -s docs/concepts/figures/occupancy.svg "$PAGES/figures/occupancy.svg" || fail "another figure than in the tree"
expect_exit 0 check figures occupancy
expect_exit 2 write figures reduce_ladder
expect_err "no records of reduce sum-f32-n268435456-uniform in results/h200"
[ -f docs/concepts/figures/reduce_ladder.svg ] && fail "half a figure was written"

for kept in "$PAGES"/figures/*.svg; do
    name=$(basename "$kept")
    grep -q "^FIGURE($(basename "$kept" .svg)," "$ROOT/tools/pages/figures.def" || fail "nobody makes $name"
    grep -q "^!\[.*](figures/$name)" "$PAGES"/*.md || fail "no page shows $name"
done
# Links of the pages, those to addresses and to places in the page aside.
for page in "$PAGES"/*.md; do
    for link in $(grep -o '](\([^)#]*\)' "$page" | sed 's/^](//' | grep -v '://'); do
        [ -e "$PAGES/$link" ] || fail "$(basename "$page"): $link is not there"
    done
done
finish
