#!/bin/sh
# pages counters: the counts of a family's counters.csv in its README.md and RESULTS.md; stale tables are found.
. "$(dirname "$0")/../cli/lib.sh"

mkdir -p "$FOLDER/tree/kernels/primitives/vector_add"
cd "$FOLDER/tree" || exit 1
readme=kernels/primitives/vector_add/README.md
l1=l1tex__t_ op=pipe_lsu_mem_global_op_
cat > kernels/primitives/vector_add/counters.csv << CSV
# kz gate --counters, version 1: counts of the simulator
# gpu: h200
# compiler: 13.0.88
# rows: 4
kernel,case,launches,ptx__inst_executed.sum,ptx__thread_inst_executed.sum,${l1}requests_${op}ld.sum,${l1}sectors_${op}ld.sum,${l1}requests_${op}st.sum,${l1}sectors_${op}st.sum
01_naive,add-f32-n1024-uniform,1,768,24576,64,256,32,128
02_grid_stride,add-f32-n1024-uniform,1,1000,32000,64,256,32,128
01_naive,add-f32-n0-uniform,1,0,0,0,0,0,0
01_naive,add-f32-n1-uniform,1,100,150,2,2,1,1
CSV
printf 'before\n<!-- counters:begin add-f32-n1024-uniform -->\nold\n<!-- counters:end -->\nbetween\n' > $readme
printf '<!-- counters:begin add-f32-n0-uniform -->\n<!-- counters:end -->\nafter\n' >> $readme
expect_exit 1 check counters vector_add
expect_out "$readme is stale"
grep -q old $readme || fail "check changed a file"
expect_exit 0 write counters vector_add
# 1024 floats three times are 384 sectors, none of them twice.
grep -q '^| 01_naive | 768 | 1.00 | 4.0 | 4.0 |$' $readme || fail "the row of the naive kernel: $(cat $readme)"
for line in before between after; do grep -q "^$line\$" $readme || fail "text outside the marks was lost"; done
grep -q old $readme && fail "the old table is still there"
expect_exit 0 check counters vector_add

# So is a family's RESULTS.md, where there is one.
results=kernels/primitives/vector_add/RESULTS.md
printf '<!-- counters:begin add-f32-n1024-uniform -->\nold\n<!-- counters:end -->\n' > $results
expect_exit 1 check counters vector_add
expect_out "$results is stale"
expect_exit 0 write counters vector_add
grep -q '^| 01_naive | [0-9]* | 1.00 | 4.0 | 4.0 |$' $results || fail "RESULTS.md has no table: $(cat $results)"
rm $results

# One figure over several cases: all lanes of 32 whole warps are active, and one of n = 1 is in most instructions.
mark='<!-- counters:begin lanes of 01_naive 02_grid_stride\n     at add-f32-n1024-uniform add-f32-n1-uniform -->'
printf "$mark\nold\n<!-- counters:end -->\nafter\n" > $readme
expect_exit 1 check counters vector_add
expect_exit 0 write counters vector_add
grep -q '^| case | 01_naive | 02_grid_stride |$' $readme || fail "the head of a table of one figure: $(cat $readme)"
grep -q '^| `add-f32-n1024-uniform` | 32.00 | 32.00 |$' $readme || fail "active lanes of whole warps: $(cat $readme)"
grep -q '^| `add-f32-n1-uniform` | 1.50 | |$' $readme || fail "no row for the second case: $(cat $readme)"
grep -q old $readme && fail "the old table is still there"
expect_exit 0 check counters vector_add
for wrong in "elephants of 01_naive at add-f32-n1-uniform" "lanes of 99_none at add-f32-n1-uniform" "lanes of 01_naive" \
    "lanes of 01_naive at add-f32-n1-sideways"; do
    printf '<!-- counters:begin %s -->\n<!-- counters:end -->\n' "$wrong" > $readme
    expect_exit 2 write counters vector_add
    expect_err "$readme"
done

printf '<!-- counters:begin add-f32-n1024-uniform -->\n' > $readme
expect_exit 2 write counters vector_add
expect_err "without an end"
printf '<!-- counters:begin add-f32-n1-sideways -->\n<!-- counters:end -->\n' > $readme
expect_exit 2 write counters vector_add
expect_err "$readme"
printf '<!-- counters:begin add-f32-n77-uniform -->\n<!-- counters:end -->\n' > $readme
expect_exit 2 write counters vector_add
expect_err "kz gate --counters vector_add --case add-f32-n77-uniform --write adds them"
echo broken >> kernels/primitives/vector_add/counters.csv
expect_exit 2 write counters vector_add
expect_err "counters.csv:10: a row has"
expect_exit 2 write counters no_such_family
expect_err "no_such_family"
finish
