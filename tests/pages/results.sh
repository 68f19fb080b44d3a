#!/bin/sh
# pages results: RESULTS.md and the README's ladder from records, a row from one run, judged by today's targets; stale ones are found; those of the sources are not.
. "$(dirname "$0")/../cli/lib.sh"
SOURCES=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$FOLDER/tree/kernels/primitives/reduce" "$FOLDER/tree/results/h200"
cd "$FOLDER/tree" || exit 1
expect_exit 2 check results # not the sources: nothing was checked
expect_err "no records in results/"
readme=kernels/primitives/reduce/README.md
printf 'before\n<!-- ladder:begin -->\nold\n<!-- ladder:end -->\nafter\n' > $readme
results=kernels/primitives/reduce/RESULTS.md
printf 'before\n<!-- results:begin -->\nold\n<!-- results:end -->\nafter\n' > $results
printf '<!-- ladders:begin -->\nold\n<!-- ladders:end -->\nend\n' >> $results
commit=c0ffee size=1048576
record() { # record NAME BY SECONDS TIME COMPARE TARGET
    printf '{"schema":1,"run":{"id":"%s","time":"%s","command":"kz bench --suite h200 %s"},"suite":%s,"code":{"commit":"%s"},' "$4$commit" "$4" $commit "${suite:-null}" $commit
    printf '"environment":{"driver":"580.1"},"device":{"gpu":"h200","name":"NVIDIA H200"},'
    printf '"case":{"name":"sum-f32-n%s-uniform","family":"reduce"},"candidate":{"by":"%s","name":"%s"},' $size "$2" "$1"
    printf '"figure":true,"work":{"bytes":%s},"statistics":{"median_s":%s},' $((4 * size)) "$3"
    printf '"mode":"latency","samples_s":[%s,%s],' "$3" "$3"
    printf '"check":{"before":{"worst_error":%s},"after":{"worst_error":1e-9},"fresh":null},' "${error:-2e-6}"
    printf '"derived":{"bytes_per_s":4.1e12,"of_copy":0.95},"compare":%s,"target":%s,"status":"ok"}\n' "$5" "$6"
}
faster='[{"with":"cub","time_ratio":0.5,"low":0.4,"high":0.625}]'
met='{"metric":"speedup","goal":0.98,"rival":"cub","met":true}'
{
    record 01_atomic kz 9e-5 2026-11-14T00:00:00Z '[]' null
    record 07_last_block kz 9e-6 2026-11-14T00:00:00Z '[]' null
    record 07_last_block kz 2e-6 2026-11-15T00:00:00Z "$faster" "$met"
    error=0 record DeviceReduce cub 4e-6 2026-11-15T00:00:00Z '[]' null
    record 'copy by a kernel' peak 1e-6 2026-11-15T00:00:00Z '[]' null
    record wrong_one kz 1e-9 2026-11-15T00:00:00Z '[]' null | sed 's/"status":"ok"/"status":"wrong"/'
} > results/h200/2026-11-15-c0ffee-reduce.jsonl
expect_exit 1 check results
expect_out "$results is stale"
expect_out "$readme is stale"
grep -q old $results || fail "check changed a file"
expect_exit 0 write results
goal=$(awk -F, '$2 == "sum-f32-n1048576-uniform" { printf "%.2f", $4 }' "$SOURCES/kernels/primitives/reduce/targets.csv")
grep -qF "| sum-f32-n1048576-uniform | 07_last_block | latency | 2.00 us | 2.0e-06 | 4.10 TB/s | 95.0% | cub | 4.00 us | 1.0e-09 | 2.000x [1.600, 2.500] | met: $goal speedup, cub | 2026-11-15 | c0ffee |" $results ||
    fail "the row of the best: $(cat $results)"
grep -q '^| 01_atomic | latency | 90.0 us ' $results || fail "no ladder: $(cat $results)"
grep -q wrong_one $results && fail "a wrong kernel is in the table"
grep -q '^| sum: case | 01_atomic | 07_last_block |$' $results || fail "no ladders: $(cat $results)"
grep -qF '| f32-n1048576-uniform | 4.10 TB/s | **4.10 TB/s** |' $results || fail "the ladders' row: $(cat $results)"
grep -q '^end$' $results && grep -q '^old$' $results && fail "the ladders' place was not filled"
grep -q '^before$' $results && grep -q '^after$' $results || fail "text outside the marks was lost"
[ "$(sed -n 's/^| \([0-9a-z].*\) |$/\1/p' $readme | tail -n +2 | tr '\n' ';')" = \
    '01_atomic | 90.0 us | 4.10 TB/s | 95.0% | 2026-11-14;07_last_block | 2.00 us | 4.10 TB/s | 95.0% | 2026-11-15;cub: DeviceReduce | 4.00 us | 4.10 TB/s | 95.0% | 2026-11-15;' ] ||
    fail "the README's ladder is not variants and rivals alone: $(cat $readme)"
grep -qF '[RESULTS.md](RESULTS.md)' $readme || fail "the README leads nowhere: $(cat $readme)"
grep -q '^before$' $readme && grep -q '^after$' $readme || fail "the README's text was lost"
grep -q '^| peak: copy by a kernel | latency ' $results || fail "the long ladder has no peak: $(cat $results)"
grep -q 'NVIDIA H200.*580.1' $results || fail "no GPU or driver"
grep -qF '2026-11-15-c0ffee-reduce.jsonl' results/h200/README.md || fail "results/h200/README.md does not list the file"
expect_exit 0 check results
expect_exit 0 write results
expect_out "0 files written"

# A family that was never measured has no RESULTS.md until now.
mv $results "$FOLDER/kept.md"
expect_exit 0 write results
grep -q '^# reduce: results$' $results && grep -q '^| sum-f32-n1048576-uniform | 07_last_block ' $results || fail "no new page"
mv "$FOLDER/kept.md" $results

# What is kept is packed: a head, and a line per case of a run, without samples.
kept=results/h200/2026-11-15-c0ffee-reduce.jsonl
grep -q samples_s $kept && fail "samples were kept"
[ "$(sed 1d $kept | grep -c '"candidates":')" = 2 ] || fail "not one line for each case of a run: $(cat $kept)"
grep -q '\["[0-9a-f]\{16\}",' $kept || fail "no digest of the samples: $(cat $kept)"
grep -q wrong_one $kept || fail "a result was lost"
cp $kept "$FOLDER/packed"
record 06_vector kz 3e-6 2026-11-15T00:00:01Z '[]' null >> $kept
expect_exit 1 check results
expect_out "$kept is stale"
expect_exit 0 write results
grep -q samples_s $kept && fail "samples that were added were kept"
cp "$FOLDER/packed" $kept
expect_exit 0 write results

# A row is of one run: an older one has a faster variant and another rival's time, a newer one no rival, the newest
# lacks the last variant. Some records say 08_epoch_flags, a former name of 08_epoch_flags. The ladder takes each variant's newest figure, where most were timed.
{
    commit=beef
    record 06_vector kz 1e-6 2026-11-13T00:00:00Z '[]' null
    record 08_epoch_flags kz 3e-6 2026-11-13T00:00:00Z '[{"with":"cub","time_ratio":1,"low":1,"high":1}]' "$met"
    record DeviceReduce cub 3e-6 2026-11-13T00:00:00Z '[]' null
} > results/h200/2026-11-13-beef-reduce.jsonl
{
    commit=d00d
    record 08_epoch_flags kz 5e-6 2026-11-16T00:00:00Z '[{"with":"cub","time_ratio":2,"low":2,"high":2}]' "$met"
    record 06_vector kz 7e-6 2026-11-16T00:00:00Z '[]' null
    record DeviceReduce cub 2.5e-6 2026-11-16T00:00:00Z '[]' null
    commit=f00d suite='{"name":"mine","digest":"1"}' # records say it; older ones have it in their command
    record 08_epoch_flags kz 1.5e-6 2026-11-17T00:00:00Z '[]' null
    commit=a1fa suite=null
    record 01_atomic kz 8e-5 2026-11-18T00:00:00Z '[]' null
    record DeviceReduce cub 9e-6 2026-11-18T00:00:00Z '[]' null
    size=2097152
    record 07_last_block kz 4e-6 2026-11-18T00:00:00Z '[]' null
    record 08_epoch_flags kz 3e-6 2026-11-18T00:00:00Z '[]' null
} > results/h200/2026-11-18-a1fa-reduce.jsonl
expect_exit 0 write results
grep -qF "| sum-f32-n1048576-uniform | 08_epoch_flags | latency | 5.00 us | 2.0e-06 | 4.10 TB/s | 95.0% | cub | 2.50 us | 2.0e-06 | 0.500x [0.500, 0.500] | missed: $goal speedup, cub | 2026-11-16 | d00d |" $results ||
    fail "the row is not of one run: $(cat $results)"
grep -qF "| sum-f32-n2097152-uniform | 08_epoch_flags | latency | 3.00 us " $results || fail "no row for the other size"
grep -qF 'The ladder at `sum-f32-n1048576-uniform`' $results || fail "the ladder with few rungs: $(cat $results)"
grep -q '^| 01_atomic | latency | 80.0 us .* a1fa | h200 |$' $results || fail "the ladder has no newest 01: $(cat $results)"
grep -q '^| 08_epoch_flags | latency | 1.50 us .* f00d | mine |$' $results || fail "the ladder has no newest 08: $(cat $results)"
[ "$(sed -n '/^The ladder/,$s/^| \(0[0-9]\)_.*/\1/p' $results | head -4 | tr '\n' ' ')" = '01 06 07 08 ' ] ||
    fail "the ladder's order: $(cat $results)"
for commit in d00d f00d a1fa; do
    grep -qF "2026-11-18-a1fa-reduce.jsonl) | 2026-11-1" results/h200/README.md && grep -qF " | $commit | " results/h200/README.md ||
        fail "a file's commits are not all listed: $(cat results/h200/README.md)"
done

# What a later run superseded goes, and a file of nothing else too; what pages show stays: beef timed nothing that was not
# timed again, c0ffee's 07 is the newest, and d00d's 06 is of the run that the row shows.
{
    commit=a1fa
    record 08_epoch_flags kz 7e-6 2026-11-18T00:00:00Z '[]' null | sed 's/"figure":true/"figure":false/;s/"latency"/"throughput"/'
    record 08_epoch_flags kz 8e-6 2026-11-18T00:00:00Z '[]' null | sed 's/"figure":true/"figure":false,"stream":"first"/'
} > other.jsonl
sed 's/n1048576/n2097152/' other.jsonl >> results/h200/2026-11-18-a1fa-reduce.jsonl
expect_exit 0 write results
grep -q '"throughput"' results/h200/2026-11-18-a1fa-reduce.jsonl && fail "beside the figure the other usual condition was kept"
grep -q '"first"' results/h200/2026-11-18-a1fa-reduce.jsonl || fail "another condition was removed"
[ ! -e results/h200/2026-11-13-beef-reduce.jsonl ] || fail "superseded records were kept: $(cat results/h200/2026-11-13-beef-reduce.jsonl)"
grep -q beef results/h200/README.md && fail "a file that is gone is listed"
grep -q '07_last_block' $kept || fail "the newest record of a variant was removed: $(cat $kept)"
grep -q '06_vector' results/h200/2026-11-18-a1fa-reduce.jsonl || fail "the run of the row lost a variant"
expect_exit 0 check results

# Unusual conditions have a table: the newest run, our best there, each ratio with its own condition.
under() { sed "s/\"figure\":true/\"figure\":false,\"cache\":{\"state\":\"$1\"}/"; }
slower='[{"with":"cub","time_ratio":2,"verdict":"slower"},{"with":"torch","time_ratio":0.5,"verdict":"faster"}]'
{
    commit=d00d size=2097152
    record 08_epoch_flags kz 9.9e-6 2026-11-16T00:00:00Z '[]' null | under dirty
    commit=a1fa
    record 08_epoch_flags kz 6e-6 2026-11-18T00:00:00Z "$slower" null | under dirty
    record 07_last_block kz 5e-6 2026-11-18T00:00:00Z '[]' null | under dirty
    record 'copy by a kernel' peak 1e-6 2026-11-18T00:00:00Z '[]' null | under dirty
} >> results/h200/2026-11-18-a1fa-reduce.jsonl
expect_exit 0 write results
grep -qF '| case | variant | latency | latency cold first | latency dirty | date | commit |' $results ||
    fail "no table of conditions: $(cat $results)"
grep -qF '| sum-f32-n2097152-uniform | 08_epoch_flags | 3.00 us | 8.00 us | 6.00 us, **0.500x** | 2026-11-18 | a1fa |' $results ||
    fail "the row of conditions: $(cat $results)"
grep -q 9.9e-06 results/h200/2026-11-18-a1fa-reduce.jsonl && fail "a superseded time under a condition was kept"
grep -q 'copy by a kernel' results/h200/2026-11-18-a1fa-reduce.jsonl && fail "a peak under an unusual condition was kept"
expect_exit 0 check results
grep -qF '`~`: not converged.' $results && grep -qF 'kernels may have changed since' $results || fail "the page's head"

# A row is of one run, each of a commit has its own; what has not converged is marked, and nobody is slower by it.
unsettled() { sed 's/"status":"ok"/"status":"not converged"/'; }
slow='[{"with":"cub","name":"DeviceReduce","time_ratio":2,"verdict":"slower"}]'
cp results/h200/2026-11-18-a1fa-reduce.jsonl settled
{
    commit=a1fa size=2097152
    record 08_epoch_flags kz 5.5e-6 2026-11-18T01:00:00Z "$slow" null | under hot
    record DeviceReduce cub 2.75e-6 2026-11-18T01:00:00Z '[]' null | under hot | unsettled
    record 08_epoch_flags kz 6.5e-6 2026-11-18T01:00:00Z "$slow" null | under dirty | unsettled
    record DeviceReduce cub 3.25e-6 2026-11-18T01:00:00Z '[]' null | under dirty
    record 08_epoch_flags kz 7.5e-6 2026-11-18T01:00:00Z "$slow" null | under fresh
    record DeviceReduce cub 3.75e-6 2026-11-18T01:00:00Z '[]' null | under fresh
    size=3145728
    record 07_last_block kz 4.25e-6 2026-11-18T01:00:00Z "$slow" null | unsettled
    record DeviceReduce cub 3e-6 2026-11-18T01:00:00Z '[]' null | unsettled
} >> results/h200/2026-11-18-a1fa-reduce.jsonl
expect_exit 0 write results
grep -qF '| sum-f32-n2097152-uniform | 08_epoch_flags | 3.00 us | 8.00 us | 6.00 us, **0.500x** | | | 2026-11-18 | a1fa |' $results &&
    grep -qF '| sum-f32-n2097152-uniform | 08_epoch_flags | | | ~6.50 us, 0.500x | 5.50 us, ~0.500x | 7.50 us, **0.500x** | 2026-11-18 | a1fa |' $results ||
    fail "runs are mixed, or what has not converged is judged: $(grep n2097152 $results)"
grep -qF '| sum-f32-n3145728-uniform | 07_last_block | latency | ~4.25 us |' $results && grep -qF '| cub | ~3.00 us |' $results &&
    grep -qF '| f32-n3145728-uniform | | | **~4.10 TB/s** |' $results || fail "no mark: $(grep n3145728 $results)"
cp settled results/h200/2026-11-18-a1fa-reduce.jsonl
{
    commit=a1fa suite=null
    record 03_sequential_tree kz 1e-5 2026-11-18T00:00:00Z '[]' null | sed 's/"status":"ok"/"status":"unsupported"/;s/"figure":true/"figure":false/'
} >> results/h200/2026-11-18-a1fa-reduce.jsonl
expect_exit 0 write results
grep -q 03_sequential_tree results/h200/2026-11-18-a1fa-reduce.jsonl && fail "what was not measured was kept"

# Two runs of one commit are two: a row has ours and the rival's figure of one, whatever the other one measured since. A run by
# turns with other processes has rows of its own, where the ratio to another rival is judged by no target; ladders take it only
# where there is no other. A mode stands beside every time that is not like the others.
graph() { sed 's/"mode":"latency"/"mode":"throughput"/'; }
torch() { sed 's/"status":"ok"/"beside":"torch","status":"ok"/'; }
slow='[{"with":"cub","time_ratio":1.03,"low":1,"high":1.1}]'
{
    commit=feed size=4194304
    record 07_last_block kz 5.2e-5 2026-11-19T00:00:00Z "$slow" null
    record 08_epoch_flags kz 5.3e-5 2026-11-19T00:00:00Z "$slow" null
    record DeviceReduce cub 5.05e-5 2026-11-19T00:00:00Z '[]' null
    record 08_epoch_flags kz 4.6e-5 2026-11-19T01:00:00Z '[]' null | graph
    record 08_epoch_flags kz 4.5e-5 2026-11-19T02:00:00Z "$slow" null | torch
    record DeviceReduce cub 4e-5 2026-11-19T02:00:00Z '[]' null | torch
    record sum torch 3e-5 2026-11-19T02:00:00Z '[]' null | torch
} > results/h200/2026-11-19-feed-reduce.jsonl
printf '<!-- ladder:begin -->\n<!-- ladder:end -->\n' > $readme
expect_exit 0 write results
grep -qF '| sum-f32-n4194304-uniform | 07_last_block | latency | 52.0 us | 2.0e-06 | 4.10 TB/s | 95.0% | cub | 50.5 us | 2.0e-06 | 0.971x [0.909, 1.000] | missed: ' $results ||
    fail "a row of two runs: $(grep n4194304 $results)"
grep -qF '| sum-f32-n4194304-uniform | 08_epoch_flags | latency beside torch | 45.0 us | 2.0e-06 | 4.10 TB/s | 95.0% | torch | 30.0 us | 2.0e-06 | | | 2026-11-19 |' $results ||
    fail "a row beside other processes: $(grep n4194304 $results)"
grep -qF '| f32-n4194304-uniform | | | **4.10 TB/s** | 4.10 TB/s (throughput) |' $results || fail "the ladders mix modes: $(cat $results)"
# Where the ladder's figures are of two modes, each row says which.
{
    commit=feed size=1048576
    record 08_epoch_flags kz 1.4e-6 2026-11-19T00:00:00Z '[]' null | graph
} >> results/h200/2026-11-19-feed-reduce.jsonl
expect_exit 0 write results
grep -qF '`sum-f32-n1048576-uniform`, latency of one run, throughput of a graph, cold:' $readme && grep -q '^| 08_epoch_flags | throughput | 1.40 us ' $readme &&
    grep -q '^| 07_last_block | latency | 2.00 us ' $readme || fail "a ladder of two modes: $(cat $readme)"
expect_exit 0 check results

# Where a figure draws a case, the run with most variants stays, whatever peaks were timed in others, and peaks stay; where no
# figure does and no ladder is shown, neither does.
most=results/h200/2026-11-19-most
for size in 8388608 16777216; do
    commit=0ld
    record 01_atomic kz 9e-5 2026-11-15T00:00:00Z '[]' null
    record 06_vector kz 8e-5 2026-11-15T00:00:00Z '[]' null
    record 07_last_block kz 7e-5 2026-11-15T00:00:00Z '[]' null
    commit=feed
    record 01_atomic kz 6e-5 2026-11-19T00:00:00Z '[]' null
    record 06_vector kz 5e-5 2026-11-19T00:00:00Z '[]' null
    for peak in 'copy by a kernel' 'copy by the driver' read; do
        record "$peak" peak 1e-6 2026-11-19T00:00:00Z '[]' null
    done
    record 07_last_block kz 4e-5 2026-11-19T03:00:00Z '[]' null
done > most
for size in 8388608 16777216; do grep "n$size-" most > $most-$size-reduce.jsonl; done
expect_exit 0 write results
expect_exit 0 check results
for case in 8388608:0:0 16777216:1:3; do
    file=$most-${case%%:*}-reduce.jsonl
    found="$(grep -c '"0ld"' "$file"):$(grep -o '"peak"' "$file" | wc -l)"
    [ "$found" = "${case#*:}" ] || fail "kept of ${case%%:*}: $found (the run with most variants : peaks): $(cat "$file")"
done
rm $most-*

# As many cases under other conditions as there are.
for n in $(seq 100); do
    commit=feed size=$((1024 * n))
    record 08_epoch_flags kz 1e-6 2026-11-19T00:00:00Z '[]' null | under hot
done >> results/h200/2026-11-19-feed-reduce.jsonl
expect_exit 0 write results
rows=$(grep -c '^| sum-f32-n[0-9]*-uniform | 08_epoch_flags |.* 1.00 us | 2026-11-19 | feed |$' $results)
[ "$rows" = 100 ] || fail "$rows of 100 cases under other conditions"

echo '{"cut off' >> results/h200/2026-11-15-c0ffee-reduce.jsonl
expect_exit 2 write results
expect_err "jsonl:3 is no JSON"
finish
