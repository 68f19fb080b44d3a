#!/bin/sh
# kz bench: counters and never a time on the simulator, records that are kept, errors with their next step.
. "$(dirname "$0")/lib.sh"
PTY=$5
expect_exit 0 bench vector_add --device sim --case add-f32-n1025-uniform --json "$FOLDER/sim.jsonl"
expect_out "thread inst"
expect_out "04_unrolled"
grep -q ' [mun]s ' "$FOLDER/out" && fail "a time was printed for a simulated kernel"
[ "$("$JSON_LINES" mode counters < "$FOLDER/sim.jsonl")" = 4 ] || fail "not one record per variant"
[ "$("$JSON_LINES" check.before.status right < "$FOLDER/sim.jsonl")" = 4 ] || fail "unchecked"
[ "$("$JSON_LINES" statistics.median_s < "$FOLDER/sim.jsonl")" = 0 ] || fail "the simulator has no clock"

expect_out "no times: the simulator has no clock"

# A terminal of 80 columns: no line of a table is longer, and no name is cut. (The line that rewrites itself is elsewhere.)
"$PTY" 80 -- sh -c '"$@" 2> /dev/null' sh "$KZ" bench reduce --device sim --case sum-f32-n1025-uniform --columns error,resources,code,judged --no-save > "$FOLDER/out" << 'END' || fail "at 80 columns: $(cat "$FOLDER/out")"
exit 0
width 80
END
[ "$(grep -c 09_dependent_launch "$FOLDER/out")" -ge 5 ] || fail "a name was cut: $(cat "$FOLDER/out")"
cat > "$FOLDER/my.cu" << 'END'
extern "C" __global__ void my_add_f32(const float *x, const float *y, float *z, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
END
expect_exit 0 bench --family vector_add "$FOLDER/my.cu" --device sim --case add-f32-n1025-uniform --no-save
expect_out "no times: the simulator has no clock"
expect_out "the family's own variants: kz bench vector_add"

# More columns are tables of their own; what no instrument is there for is unknown, and the record says null.
expect_exit 0 bench vector_add --device sim --case add-f32-n1025-uniform --columns error,code,judged --no-save
expect_out "error  of bound  elements  checked"
expect_out "PTX  lines  with headers  compiling"
expect_out "one line; a wrong element is its own thread's"
expect_exit 0 bench --family vector_add "$FOLDER/my.cu" --device sim --case add-f32-n1025-uniform --columns code --no-save --json
grep -q '"source":{"lines":4,"all_lines":4,.*"judged":null}' "$FOLDER/out" || fail "what is known of a guest"
expect_exit 2 bench vector_add --device sim --columns tim
expect_err '"tim" is not a group of columns'
expect_err "resources: what a block takes"

# The same again is added, and says the same.
expect_exit 0 bench vector_add --device sim --case add-f32-n1025-uniform --json "$FOLDER/sim.jsonl"
[ "$("$JSON_LINES" schema < "$FOLDER/sim.jsonl")" = 8 ] || fail "records were not added"
[ "$(sed 's/.*"counters":{\([^}]*\)}.*/\1/' "$FOLDER/sim.jsonl" | sort -u | wc -l)" -le 4 ] || fail "counters vary"
expect_exit 0 bench vector_add/01_naive --device sim --case add-f32-n1025-uniform --json --no-save
[ "$("$JSON_LINES" candidate.name 01_naive < "$FOLDER/out")" = 1 ] || fail "not that one variant on stdout"
expect_exit 0 bench vector_add/01_naive vector_add/03_vector --device sim --case add-f32-n1025-uniform --json --no-save
[ "$("$JSON_LINES" mode counters < "$FOLDER/out")" = 2 ] || fail "not those two variants"

# What a full disk swallows is no success, whichever process printed it.
if [ -w /dev/full ]; then
    for device in sim cpu; do
        for form in --json --columns=time; do
            "$KZ" bench vector_add --device $device --case add-f32-n4096-uniform --rivals none --quick --no-save $form > /dev/full 2> "$FOLDER/err"
            got=$?
            [ $got = 5 ] || fail "a full disk, $device $form: exit status $got"
            expect_err "could not be written"
        done
    done
fi

# What cannot be written is refused before the first case.
for path in "$FOLDER/sim.jsonl/below.jsonl" /proc/no-such.jsonl /proc/no-such/; do
    expect_exit 5 bench vector_add --device sim --case add-f32-n1025-uniform --json "$path"
    [ -s "$FOLDER/out" ] && fail "$path: a case was measured first"
done
expect_exit 2 bench vector_add --device sim --case add-f32-n1025-uniform --json=
expect_err "the path of the records is empty"
expect_exit 2 bench vector_add --device sim --case add-f32-n1025-uniform --resume ""
rm -f "$FOLDER/fresh.jsonl"
expect_exit 2 bench vector_add --device sim --case add-f32-nnone --json "$FOLDER/fresh.jsonl"
[ -e "$FOLDER/fresh.jsonl" ] && fail "a run that was refused left a file"

# A wrong path of a library stops what would call it, and nothing else.
export KZ_OPENBLAS=/nowhere.so
expect_exit 0 check vector_add/01_naive --device sim:t4
expect_exit 0 bench saxpy --device cpu --case saxpy-f32-n4096-uniform --rivals none --quick --no-save
if [ -e "$(dirname "$KZ")/../lib/libkz_peer_openblas.so" ]; then
    expect_exit 2 bench saxpy --device cpu --case saxpy-f32-n4096-uniform --quick --no-save
    expect_err "KZ_OPENBLAS names /nowhere.so: there is no such file"
fi
unset KZ_OPENBLAS

# Stopped at once, it says where the finished cases are.
"$KZ" bench reduce --device sim --case 'sum-f32-n[1-9]*-uniform' --json "$FOLDER/cut.jsonl" > "$FOLDER/out" 2> "$FOLDER/err" &
cut=$!
for i in $(seq 300); do [ -s "$FOLDER/cut.jsonl" ] && break; sleep 0.1; done
kill -INT $cut
sleep 0.5
kill -INT $cut 2> /dev/null
wait $cut
grep -qF "$FOLDER/cut.jsonl" "$FOLDER/out" "$FOLDER/err" || fail "nobody says where the records are"

# A folder gets a file per family, named as under results/.
expect_exit 0 bench --json "$FOLDER/many/" vector_add/01_naive --device sim --case add-f32-n1025-uniform
expect_err "kz: made the folder $FOLDER/many"
commit=$(sed -n 's/.*"code":{[^}]*"commit":"\([^"]*\)".*/\1/p' "$FOLDER"/many/2*-vector_add.jsonl)
[ -f "$FOLDER"/many/2*-"${commit:-unknown}"-vector_add.jsonl ] || fail "no file per family, named by its commit"
# A build that knows its commit is of no other; one from outside git is of the one that is named.
if [ -n "$commit" ]; then
    expect_exit 2 bench --commit c0ffee00 --json "$FOLDER/other/" vector_add/01_naive --device sim --case add-f32-n1025-uniform
    expect_err "--commit says c0ffee00, and this kz was built from $commit"
    [ -e "$FOLDER/other" ] && fail "a refused commit left records"
fi

# By the wall clock: both modes, samples, a peak; whether it converges is up to the machine.
"$KZ" bench vector_add --device cpu --case add-f32-n4096-uniform --time 0.2 > "$FOLDER/out" 2> "$FOLDER/err"
case $? in 0 | 7) ;; *) fail "bench on cpu" ;; esac
expect_out "00_native"
expect_out "of copy"
kept="$KZ_RESULTS"/bench-*.jsonl
# A launch that a busy machine interrupts looks long, and what is long is not timed in a graph too: one mode or both.
modes=$(cat $kept | "$JSON_LINES" candidate.name 00_native)
timed=$(cat $kept | "$JSON_LINES" statistics.median_s)
[ "$modes" -ge 1 ] && [ "$timed" -gt "$modes" ] || fail "no record for each mode, of ours and of the peak"
[ "$(cat $kept | "$JSON_LINES" check.fresh.status right)" = "$modes" ] || fail "not checked on fresh inputs"
[ "$(cat $kept | "$JSON_LINES" statistics.digest)" = "$timed" ] || fail "no digest of the samples"
[ "$(cat $kept | "$JSON_LINES" samples_s)" = 0 ] || fail "samples that nobody asked for"
"$KZ" bench vector_add --device cpu --case add-f32-n4096-uniform --time 0.05 --samples --json "$FOLDER/samples.jsonl" > "$FOLDER/out" 2>&1
case $? in 0 | 7) ;; *) fail "bench --samples" ;; esac
timed=$("$JSON_LINES" statistics.median_s < "$FOLDER/samples.jsonl")
[ "$timed" -ge 2 ] && [ "$("$JSON_LINES" samples_s < "$FOLDER/samples.jsonl")" = "$timed" ] || fail "no samples with --samples"

expect_exit 2 bench vector_add --device sim --case 'no-such-*'
expect_exit 2 bench vector_ad --device sim
expect_err "did you mean vector_add?"
expect_exit 2 bench --suite no_such_suite --device sim
expect_err "no_such_suite"
[ -s "$FOLDER/out" ] && fail "a sum of nothing was printed: $(cat "$FOLDER/out")"
expect_exit 2 bench vector_add --device sim --rivals foo
expect_err 'there is no rival "foo"'
expect_exit 2 bench vector_add --device sim --rivals cub,cubb
expect_err 'there is no rival "cubb"'
expect_err "did you mean cub?"
expect_err "allowed: a list of cub cublas "
expect_exit 2 bench vector_add --device sim --time soon
expect_err "--time takes seconds"
expect_exit 3 bench vector_add --device cuda:77
# A run against an earlier one: the same counts, then fewer sectors before.
earlier="$FOLDER/earlier"
mkdir "$earlier"
expect_exit 0 bench vector_add --device sim --case add-f32-n1025-uniform --json "$earlier/a.jsonl"
expect_exit 0 bench vector_add --device sim --case add-f32-n1025-uniform --no-save --against "$earlier"
expect_out "since the earlier records: 0 worse, 0 better, 4 the same, 0 not there"
sed -i 's/"global_sectors":[0-9]*/"global_sectors":300/' "$earlier/a.jsonl"
expect_exit 7 bench vector_add --device sim --case add-f32-n1025-uniform --no-save --against "$earlier/a.jsonl"
expect_out "worse than before: 01_naive, global_sectors 387, was 300 (+29.0%)"
expect_exit 2 bench vector_add --device sim --no-save --against "$FOLDER/no-such.jsonl"
expect_err "no-such.jsonl"
# Another device, or another case: that nothing got worse says nothing.
expect_exit 12 bench vector_add --device sim:t4 --case add-f32-n1025-uniform --no-save --against "$earlier"
expect_out "nothing was compared: no earlier record is of this device"
expect_exit 12 bench vector_add --device sim --case add-f32-n1026-uniform --no-save --against "$earlier"
expect_exit 5 bench vector_add --device sim --case add-f32-n1025-uniform --json /dev/full
expect_out "04_unrolled"
expect_err "/dev/full"

# Conditions: each combination is measured and kept as records of its own; nonsense is refused with what to use.
"$KZ" bench vector_add --device cpu --case add-f32-n1025-uniform --rivals none --time 0.02 --cache cold,dirty,hot,fresh --json "$FOLDER/cold.jsonl" > "$FOLDER/out" 2>&1
case $? in 0 | 7) ;; *) fail "bench --cache" ;; esac
expect_out "one run                               cold             dirty               hot             fresh"
for cache in cold dirty hot fresh; do
    [ "$("$JSON_LINES" cache.state "$cache" < "$FOLDER/cold.jsonl")" -ge 2 ] || fail "no record of $cache caches"
done
expect_exit 2 bench vector_add --device cpu --mode throughput --cache cold,dirty
expect_err "throughput and dirty do not go together: only the first run of a graph"
expect_err "use --mode latency with --cache dirty"
expect_exit 2 bench vector_add --device cpu --cache warm
expect_err "--cache takes a list of cold, dirty, hot, fresh"
for stream in first switched; do
    expect_exit 2 bench vector_add --device cpu --stream later,$stream --rivals none
    expect_err "its streams are all alike"
    expect_err "leave out --stream $stream, or use --device cuda:0"
done
# A suite leaves them out there.
printf '[[families]]\nnames = ["vector_add"]\naxes.n = [1025]\nmode = ["latency"]\nstream = ["first", "switched", "later"]\n' > "$FOLDER/streams.toml"
expect_exit 0 bench --suite "$FOLDER/streams.toml" --device cpu --rivals none --quick --time 0.02 --json "$FOLDER/streams.jsonl"
[ "$("$JSON_LINES" stream later < "$FOLDER/streams.jsonl")" = "$("$JSON_LINES" schema < "$FOLDER/streams.jsonl")" ] || fail "streams that are not there were measured"
expect_exit 0 complete bench --stream s
expect_out "switched"
expect_exit 2 bench vector_add --device sim --mode sustained
expect_err "has no clock"

# The pages of the source tree are no business of the command's.
expect_exit 2 bench results
expect_err 'there is no family "results"'

# Suites: those that come with kz, and a file; --quick takes few sizes.
expect_exit 0 bench --list
expect_out "h200 "
expect_exit 0 complete bench --suite off
expect_out "off_table"
expect_exit 0 complete bench --rivals cub,torch_
expect_out "cub,torch_compile"
expect_exit 0 complete bench --cache cold,d
expect_out "cold,dirty"
expect_exit 0 complete bench --columns ju
expect_out "judged"
for suite in h200 off_table python; do
    "$PTY" 80 -- "$KZ" bench --suite $suite --list > "$FOLDER/out" << 'END' || fail "$suite at 80 columns: $(grep -E '.{81}' "$FOLDER/out" | head -3)"
exit 0
width 80
END
done
cat > "$FOLDER/narrow.toml" << 'END'
[[families]]
names = ["vector_add"]
draw = {count = 50, seed = 1, from = 8, to = 12}
END
expect_exit 0 bench --suite "$FOLDER/narrow.toml" --list
expect_err "there are fewer than its count asks for"
expect_exit 0 bench --suite off_table --list sgemm
grep -q "^sgemm  gemm-f32-m3384-n496-k3216-uniform  *choices,libraries$" "$FOLDER/out" || fail "$(cat "$FOLDER/out")"
expect_exit 0 bench --suite python --list vector_add attention
grep -q "^vector_add .*chosen,torch,torch_compile,triton$" "$FOLDER/out" || fail "not the family's own rivals: $(cat "$FOLDER/out")"
grep -q "^attention .*sdpa" "$FOLDER/out" || fail "attention without sdpa"
cat > "$FOLDER/mine.toml" << 'END'
title = "Small sums"
[[families]]
names = ["vector_add", "saxpy"]
axes.n = "100..300+100"
providers = ["chosen"]
END
expect_exit 0 bench --suite "$FOLDER/mine.toml" --device sim --no-save --json
[ "$("$JSON_LINES" mode counters < "$FOLDER/out")" = 6 ] || fail "not one variant in six cases"
expect_exit 0 bench --suite "$FOLDER/mine.toml" --device sim --no-save --json --quick saxpy --case '*n[13]00*'
[ "$("$JSON_LINES" mode counters < "$FOLDER/out")" = 2 ] || fail "not the two sizes that were asked for"
sed -i 's/^axes.n/axes.m/' "$FOLDER/mine.toml"
expect_exit 9 bench --suite "$FOLDER/mine.toml" --device sim
expect_err "mine.toml:4:"
expect_err 'vector_add has no axis "m"'

# A race without the rival that there should be says so, and how to have it.
mkdir "$FOLDER/none"
export KZ_PEERS="$FOLDER/none"
"$KZ" bench sgemm/15_cpu_naive --device cpu --case gemm-f32-m16-n16-k16-uniform --time 0.05 --no-save > "$FOLDER/out" 2> "$FOLDER/err"
case $? in 0 | 7) ;; *) fail "bench of sgemm on cpu" ;; esac
expect_out "no rival: openblas: not built"
"$KZ" bench sgemm/15_cpu_naive --device cpu --case gemm-f32-m16-n16-k16-uniform --time 0.05 --no-save --rivals none > "$FOLDER/out" 2>&1
grep -q "no rival" "$FOLDER/out" && fail "told of a rival that was left out"
expect_exit 12 bench sgemm/15_cpu_naive --device cpu --case gemm-f32-m16-n16-k16-uniform --quick --no-save --rivals openblas
expect_out "no rival: openblas: not built: "
expect_exit 12 bench saxpy --device sim --case saxpy-f32-n1024-uniform --no-save --rivals openblas
expect_out "no rival: openblas: rivals are timed, and the simulator has no clock"
expect_exit 0 doctor
expect_out "kz bench races against none"
expect_out "openblas: not built"
unset KZ_PEERS
# One that was asked for, is there and does not run here is told of, and is no success.
if [ -e "$(dirname "$KZ")/../lib/libkz_peer_cudnn.so" ]; then
    expect_exit 12 bench sgemm/15_cpu_naive --device cpu --case gemm-f32-m16-n16-k16-uniform --quick --mode latency --no-save --rivals cudnn
    expect_out "no rival: cudnn: runs on a GPU, and this is a CPU"
fi
# Where all that is timed is too large for the simulator, a command that works is named.
expect_exit 2 bench reduce_axis --device sim
expect_err "too large for sim:h200"
command=$(sed -n 's/.*can be named: kz //p' "$FOLDER/err")
[ "$command" ] || fail "no command is named"
expect_exit 0 $command --no-save
finish
