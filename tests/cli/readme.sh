#!/bin/sh
# README.md's own kernel: kz check prints what the page shows, and kz prof does not contradict it.
. "$(dirname "$0")/lib.sh"
README=$(cd "$(dirname "$0")/../.." && pwd)/README.md
sed -n '/^```cuda$/,/^```$/p' "$README" | grep -v '^```' > "$FOLDER/my_sum.cu"
[ -s "$FOLDER/my_sum.cu" ] || fail "no kernel in README.md"
cd "$FOLDER" || exit 1
# The time, and the record's name, are of the run.
ours() { sed 's/([0-9.]* m\{0,1\}s)/(TIME)/; s/^JSON: .*check-.*/JSON: RECORD/'; }
sed -n '/^\$ kz check --family reduce my_sum.cu$/,/^```$/p' "$README" | grep -v '^[$`]' | ours > shown
expect_exit 0 check --family reduce my_sum.cu --device sim
ours < out > printed
diff shown printed >&2 || fail "README.md shows another output of kz check"

# 64 blocks do not fill the GPU: that is kz prof's to say, and kz check names no bound.
expect_exit 0 prof --family reduce my_sum.cu
expect_out "Bound by too few blocks"
expect_out "atomics     512 requests a launch; 1.0 lanes on 1.0 addresses each"
grep -q "hoist it\|all threads of a warp update" out && fail "one lane's atomic is told as a load of the whole warp"
finish
