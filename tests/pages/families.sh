#!/bin/sh
# pages families: a row that was changed by hand is found and made again; the rest of the page stays.
. "$(dirname "$0")/../cli/lib.sh"
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
cd "$FOLDER" || exit 1
expect_exit 2 write families
expect_err "not the folder of the sources"
sed 's/^| \[reduce\].*/| reduce | by hand | f32 |/' "$ROOT/README.md" > README.md
expect_exit 1 check families
expect_out "README.md is stale"
expect_exit 0 write families
cmp -s README.md "$ROOT/README.md" || fail "the page is another"
expect_exit 0 check families
echo "no marks here" > README.md
expect_exit 2 write families
expect_err "families:begin"
finish
