#!/bin/sh
# Every rendering of a record that was kept. With UPDATE=1 the expected pages are written anew.
HERE=$(dirname "$0")
. "$HERE/../cli/lib.sh"
LC_ALL=C
export LC_ALL

# same NAME: what kz printed is what $HERE/NAME holds.
same() {
    [ -z "$UPDATE" ] || cp "$FOLDER/out" "$HERE/$1"
    diff "$HERE/$1" "$FOLDER/out" > "$FOLDER/diff" || {
        cat "$FOLDER/diff"
        fail "$1 is not what kz prints; UPDATE=1 writes it anew"
    }
}

expect_exit 0 prof "$HERE/sample.jsonl"
same sample.page
expect_exit 0 prof "$HERE/sample.jsonl" --annotate
same sample.annotated
expect_exit 0 prof "$HERE/sample.jsonl" --metrics all --csv
# Kept in fewer bytes, each of them told: the first fields of a row stand alone, and once where rows share them.
awk '{ at = match($0, /"[^"]*","[^"]*","[^"]*"$/); first = substr($0, 1, at - 1) }
    first != above { print first; above = first }
    { print "  " substr($0, at) }' "$FOLDER/out" > "$FOLDER/rows" && mv "$FOLDER/rows" "$FOLDER/out"
same sample.metrics
expect_exit 0 prof "$HERE/sample.jsonl" "$HERE/sample.jsonl"
expect_out "No difference that the counts can tell"

expect_exit 0 prof "$HERE/sample.jsonl" --json
[ "$("$JSON_LINES" kind prof < "$FOLDER/out")" = 1 ] || fail "the JSON is none"
expect_out '"bound":"uncoalesced"'
expect_exit 0 prof "$HERE/sample.jsonl" --kernel naive --top 1
expect_out "2 more kernels are not shown"
expect_exit 2 prof "$HERE/sample.jsonl" --kernel no_such
expect_err "no kernel of"
expect_exit 0 prof "$HERE/sample.jsonl" --metrics launch__grid_size,regex:sectors_pipe
expect_out "Launch Statistics"
expect_out "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
grep -q "ptx__branches" "$FOLDER/out" && fail "a metric that was not asked for"
expect_exit 2 prof "$HERE/sample.jsonl" --metrics no_such_metric
expect_err "query-metrics"
expect_exit 2 prof "$HERE/sample.jsonl" --metrics 'regex:('
expect_err "regular expression"
expect_exit 0 prof --query-metrics
expect_out "ptx__inst_executed.sum"

# A record that was cut off is shown as far as it goes; one of another version is not.
head -n 2 "$HERE/sample.jsonl" > "$FOLDER/cut.jsonl"
printf '{"type":"kern' >> "$FOLDER/cut.jsonl"
expect_exit 0 prof "$FOLDER/cut.jsonl"
expect_out "cut off"
sed 's/"version":1/"version":9/' "$HERE/sample.jsonl" > "$FOLDER/later.jsonl"
expect_exit 8 prof "$FOLDER/later.jsonl"
expect_exit 2 prof "$FOLDER/missing.jsonl"
expect_err "missing.jsonl"

# The page is well-formed XML but for its first line, has no address in it, and asks for nothing.
expect_exit 0 prof "$HERE/sample.jsonl" --html "$FOLDER/page.html"
grep -q "https\?://" "$FOLDER/page.html" && fail "the page names an address"
grep -qE '(src|@import|url)[=(]' "$FOLDER/page.html" && fail "the page loads something"
if command -v xmllint > /dev/null; then
    xmllint --noout "$FOLDER/page.html" 2> "$FOLDER/err" || fail "the page is not well-formed"
    expect_exit 0 prof "$HERE/sample.jsonl" "$HERE/sample.jsonl" --html="$FOLDER/two.html"
    xmllint --noout "$FOLDER/two.html" 2> "$FOLDER/err" || fail "the comparison is not well-formed"
fi
expect_exit 2 prof
expect_err "what is to be profiled"
expect_exit 2 prof "$HERE/sample.jsonl" --annotated
expect_err "did you mean --annotate?"
finish
