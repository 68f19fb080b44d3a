#!/bin/sh
# kz portfolio: what passed, with the code that passed, and nothing else.
. "$(dirname "$0")/lib.sh"
export KZ_COURSE="$(cd "$(dirname "$0")" && pwd)/mini_course" KZ_LEARN="$FOLDER/learn"
PAGE="$KZ_LEARN/portfolio.html"
expect_exit 0 portfolio
expect_out "0 works in $PAGE"
expect_out "kz learn"

# one: passed with figures on two devices; two: figures, but never passed; big: a passed capstone without a figure;
# kata-three: passed, and no work to show.
row() { # row TIME TASK PASSED DEVICE FIGURE VALUE LARGER HASH
    printf 'attempt\t%d\t2026-01-01\t%s\t%d\t\t\t%s\t%s\t%s\t%d\t1\t%s\t0\t/x/%s.txt\n' "$1" "$2" "$3" "$4" "$5" "$6" "$7" "$8" "$2"
}
{
    echo "kernel-zoo progress 1"
    row 1767225500 one 0 sim:h200 "" - 0 00000000000000a0
    row 1767225600 one 1 sim:h200 sectors_per_load 8 0 00000000000000a1
    row 1767225700 one 1 sim:h200 sectors_per_load 4 0 00000000000000a2
    row 1767225800 one 1 "cuda:0 NVIDIA H200" of_peak 0.75 1 00000000000000a3
    row 1767225900 two 0 sim:h200 sectors_per_load 3 0 00000000000000a4
    row 1767226000 big 1 cpu "" - 0 00000000000000a5
    row 1767226100 kata-three 1 sim:h200 sectors_per_load 1 0 00000000000000a6
    printf 'source\t00000000000000a3\tnumber = 1 # the <best> one\\n\n'
    printf 'source\t00000000000000a4\tthis never passed\\n\n'
} > "$FOLDER/in.txt"
expect_exit 0 progress --import "$FOLDER/in.txt"
mkdir -p "$KZ_LEARN/notebook/insights"
printf '# Sectors\n\nIn one, neighbours share.\n' > "$KZ_LEARN/notebook/insights/a.md"
printf '# Someone\n\nIn someone-else and one-two, nothing.\n' > "$KZ_LEARN/notebook/insights/b.md"
expect_exit 0 portfolio
expect_out "2 works in $PAGE"
has() { grep -qF -- "$1" "$PAGE" || fail "the page lacks: $1"; }
has "The big number"
has "after 2 attempts"
has "capstone"
has "The number 1."
has "counted by the simulator (sim:h200); smaller is better"
has "timed on cuda:0 NVIDIA H200; larger is better"
has "number = 1 # the &lt;best&gt; one"
has "<polyline"
has '<h2 id="big">' # a capstone is shown whole, other work is a line that opens
has '<details class="work" id="one">'
has '<code>sectors_per_load</code> 4, counted by the simulator (sim:h200)</span></summary>'
[ "$(grep -c '<details' "$PAGE")" = "$(grep -c '</details>' "$PAGE")" ] || fail "details that are not closed"
has "In one, neighbours share."
has "The code that passed was not kept"
grep -q "The number two\|never passed\|Three again\|someone-else" "$PAGE" && fail "something that does not belong here"
[ "$(grep -n 'id="big"' "$PAGE" | cut -d: -f1)" -lt "$(grep -n 'id="one"' "$PAGE" | cut -d: -f1)" ] || fail "capstones come first"

expect_exit 0 portfolio --html="$FOLDER/works.html"
[ -s "$FOLDER/works.html" ] || fail "no page where it was asked for"
# A name and an introduction, kept.
expect_exit 0 portfolio
expect_out "It has no name yet"
has "<h1>Portfolio</h1>"
expect_exit 0 portfolio --name "Ada <L>" --introduction "I make kernels fast.
Sectors first."
expect_exit 0 portfolio
! grep -q "no name yet" "$FOLDER/out" || fail "the name was not kept"
has "<title>Ada &lt;L&gt;</title>"
has "<h1>Ada &lt;L&gt;</h1>"
has "I make kernels fast."
has "Sectors first."
expect_exit 0 portfolio --introduction ""
has "<h1>Ada &lt;L&gt;</h1>"
! grep -q "Sectors first" "$PAGE" || fail "the introduction was not taken away"
expect_exit 5 portfolio --html=/dev/full
expect_exit 2 portfolio mine
expect_err "takes no arguments"
finish
