#!/bin/sh
# pages coverage: stale where an item is new; a name that points nowhere is told.
. "$(dirname "$0")/../cli/lib.sh"
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
cd "$FOLDER" || exit 1
cp -r "$ROOT/course" "$ROOT/docs" .
expect_exit 0 check coverage
printf '[[item]]\nid = "x-2"\nsection = "S"\ntext = "t"\ncommand = ["learn"]\n' > course/items/x.toml
expect_exit 1 check coverage
expect_out "docs/coverage.md is stale"
expect_exit 0 write coverage
expect_exit 0 check coverage
sed -i 's/"learn"/"lern"/' course/items/x.toml
expect_exit 2 check coverage
expect_err "kz lern"
finish
