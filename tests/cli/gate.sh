#!/bin/sh
# kz gate --counters: one more sector, wavefront or instruction is found in a variant, a guest and a program's kernel; equal
# counts pass, fewer are said; files that are missing, damaged, of another version or of another compiler.
. "$(dirname "$0")/lib.sh"
PTY=$5
cd "$FOLDER" || exit 1

expect_exit 2 gate vector_add
expect_err "kz gate --counters compares the simulator's counts; kz bench --against compares times"

# ---- a family of the zoo: its counters.csv in the folder of the sources --------------------------------------
csv=kernels/primitives/elementwise/counters.csv
expect_exit 2 gate --counters elementwise
expect_err "there are no counts of elementwise to compare with: $csv is not there"
expect_err "this is not the folder of the sources"
expect_err "the same command with --against FILE --write counts now"
mkdir -p kernels/primitives/elementwise
expect_exit 0 gate --counters elementwise --write
expect_out "written: $csv"
grep -q '^# gpu: h200$' $csv && grep -q '^# compiler: [0-9]' $csv || fail "the file does not say what it is of: $(head -4 $csv)"
for type in f32 f16 bf16; do grep -q ",[a-z_]*-$type-" $csv || fail "no case of $type was chosen"; done
grep -q -- -misalign $csv || fail "no misaligned case was chosen"
grep -q ',gelu_erf-bf16-' $csv || fail "the case that alone reaches some lines was not chosen: $(cut -d, -f2 $csv | sort -u)"
rows=$(grep -c '^0' $csv)
expect_exit 0 gate --counters elementwise --exact
expect_out "$rows rows of $csv: $rows same"
# A " is the case of the row above; here every row has its own name.
whole() { awk -F, -v OFS=, '!/^#/ && !/^kernel,/ { if ($2 == "\"") $2 = name; name = $2 } { print }' $csv; }
[ "$(cut -d, -f2 $csv | grep -c '^"$')" -ge $((rows / 2)) ] || fail "names of cases stand in every row"
whole > kept.csv
cell() { # cell COLUMN: its number
    awk -F, -v name="$1" '/^kernel,/ { for (i = 1; i <= NF; i++) if ($i == name) print i; exit }' $csv
}
change() { # change COLUMN BY: in the row of 02, relu and f32
    awk -F, -v OFS=, -v at="$(cell "$1")" -v by="$2" '/^02_[a-z]*,relu-f32/ && !done { $at += by; done = 1 } { print }' kept.csv > $csv
}
sectors=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
change $sectors -1
expect_exit 7 gate --counters elementwise
expect_out "1 worse"
grep -qE "^  worse   02_[a-z]+  relu-f32-[a-z0-9-]+$" out || fail "the variant and its case are not named"
grep -qE "^    global loads: 32-byte sectors they touched +[0-9]+  ->  +[0-9]+  \+1  \+0\.[0-9]+%  $sectors$" out ||
    fail "the count, before, now and percent are not told"
expect_out "meant so: kz gate --counters --write elementwise"
expect_out "which line: kz prof elementwise/02_"
expect_exit 0 gate --counters elementwise/01_naive # the others are not asked for
expect_exit 7 gate --counters elementwise/02_vector
expect_out "meant so: kz gate --counters --write elementwise/02_vector"
change $sectors 1
expect_exit 0 gate --counters elementwise
expect_out "1 better"
expect_out "fewer than the file says: kz gate --counters --write elementwise keeps them so"
expect_exit 7 gate --counters elementwise --exact

# A part is written into the whole; a case that is new is added for every variant.
expect_exit 0 gate --counters elementwise/02_vector --write
whole | cmp -s - kept.csv || fail "writing one variant did not mend its row"
expect_exit 0 gate --counters elementwise --case relu-f32-n77-uniform --write
[ "$(whole | grep -c ',relu-f32-n77-uniform,')" -ge 4 ] || fail "the new case has no row for each variant"
[ "$(whole | grep -vc ',relu-f32-n77-uniform,')" = "$(wc -l < kept.csv)" ] || fail "other rows were lost"
expect_exit 0 gate --counters elementwise --exact
expect_exit 2 gate --counters elementwise --case relu-f32-sideways
cp kept.csv $csv

# New, gone, renamed; a former name is no news.
former=04_le
sed -e "s/^# rows: .*/# rows: $rows/" -e 's/^01_naive,/01_old,/' -e "s/^04_fast_math,/${former}an,/" -e '/^03_unrolled,relu-f32/d' -e '$p' kept.csv | sed '$s/^[^,]*/99_none/' > $csv
expect_exit 0 gate --counters elementwise
expect_out "has the counts of 01_old, which is gone"
expect_out "and 7 more cases of 01_naive"
grep -A1 -E "new     03_unrolled  relu-f32" out | grep -q "has no counts to compare with" || fail "what is new is not told"
grep -A1 "gone    99_none " out | grep -q "was not counted" || fail "what is gone is not told"
grep -q "04_" out && fail "a former name is taken for another variant"
expect_exit 7 gate --counters elementwise --exact
expect_exit 7 gate --counters elementwise --exact --json
"$JSON_LINES" out > /dev/null || fail "no JSON"
grep -q '"passed": *false' out && grep -q '"was": *"01_old"' out && grep -q '"gone": *1' out || fail "the JSON does not say what changed"

# A file that has lost rows, or never had one of a variant, hides nothing.
kept_case=$(sed -n '$p' kept.csv | cut -d, -f2)
grep -v ",$kept_case," kept.csv > $csv
expect_exit 9 gate --counters elementwise --exact
expect_err "$csv says that it has $rows rows, and has $((rows - 4))"
expect_exit 0 gate --counters elementwise --write # the cases that it still has, and those that lines need
expect_exit 0 gate --counters elementwise --exact
grep -v ',gelu_erf-bf16-' kept.csv > $csv
expect_exit 0 gate --counters elementwise/02_vector --write # a case of one variant is none of the family
grep -q ',gelu_erf-bf16-' $csv && fail "a case was added for one variant"
expect_exit 0 gate --counters elementwise --write
grep -q ',gelu_erf-bf16-' $csv || fail "lines that no case of the file reaches stay so"
head -6 kept.csv > $csv
expect_exit 9 gate --counters elementwise
expect_err "and has 1"
{ head -6 kept.csv; printf '\0'; tail -n +7 kept.csv; } > $csv
expect_exit 9 gate --counters elementwise
expect_err "a zero byte stands here"
mkdir -p kernels/primitives/transpose
none=transpose-u8-rows32-columns32-uniform
expect_exit 0 gate --counters transpose --case $none --write
expect_exit 0 gate --counters transpose
grep -A1 "no row  07_vector" out | grep -q "does none of the file's cases" || fail "a variant without a row is not told"
expect_exit 7 gate --counters transpose --exact
expect_exit 0 gate --counters transpose/01_naive --exact

# Another compiler's counts are not compared; nor those of another GPU; damaged and other files are named.
sed 's/^# compiler: .*/# compiler: 12.4.131/' kept.csv > $csv
expect_exit 12 gate --counters elementwise
expect_out "not compared: $csv is of the PTX of nvcc 12.4.131"
expect_out "kz gate --counters --against FILE --write elementwise"
cp $csv other.csv
expect_exit 12 gate --counters elementwise --against other.csv
expect_out "before your change: kz gate --counters --against FILE --write elementwise"
expect_exit 2 gate --counters elementwise/01_naive --write
expect_err "write all of it: name neither a variant nor a case"
cmp -s $csv kept.csv && fail "a refused write changed the file"
expect_exit 0 gate --counters --against own.csv --write elementwise
expect_exit 0 gate --counters --against own.csv elementwise
cp kept.csv $csv
expect_exit 2 gate --counters --gpu t4 elementwise
expect_err "has counts of h200, and t4 was simulated"
# Counts of something else are refused, and not written over; new rows alone are no comparison.
expect_exit 2 gate --counters --against own.csv transpose
expect_err "own.csv has counts of something else than transpose: it was written by kz gate --counters elementwise --write"
cp own.csv own.kept
expect_exit 2 gate --counters --against own.csv --write transpose
cmp -s own.csv own.kept || fail "another's counts were written over"
expect_exit 12 gate --counters transpose --case transpose-f32-rows32-columns32-uniform
expect_out "nothing was compared: the file has none of these rows"
expect_exit 12 gate --counters transpose --case transpose-f32-rows32-columns32-uniform --json
grep -q '"compared":* *false.*"passed":* *false' out || fail "what was not compared has passed"

# The kernels are those that kz was built with.
touch kernels/primitives/transpose/09_edited.cu
expect_exit 0 gate --counters transpose
expect_err "kernels/primitives/transpose/09_edited.cu is newer than this kz"
rm kernels/primitives/transpose/09_edited.cu
expect_exit 0 gate --counters transpose
grep -q newer err && fail "nothing is newer"

expect_exit 2 gate --counters --against own.csv
expect_err "name that family too"
head -c 3000 kept.csv > $csv
expect_exit 9 gate --counters elementwise
expect_err "$csv:"
sed 's/version 1/version 7/' kept.csv > $csv
expect_exit 8 gate --counters elementwise
expect_err "counts of version 7, and this kz reads version 1"
echo "<html>" > $csv
expect_exit 9 gate --counters elementwise
expect_err "$csv:1: these are no counts of kz gate"

# ---- a guest: its counts beside it ------------------------------------------------------------------------------
guest() { # guest INSTRUCTIONS: a vector add with these before its end
    cat > my.ptx << PTX
// Cuda compilation tools, release 13.0, V13.0.88
.version 9.0
.target sm_75
.address_size 64
.visible .entry my_add_f32(.param .u64 x, .param .u64 y, .param .u64 z, .param .u64 n)
{
    .reg .pred %p<3>;
    .reg .b32 %r<9>;
    .reg .f32 %f<6>;
    .reg .b64 %d<12>;
    .shared .align 4 .b8 room[8192];
    ld.param.u64 %d1, [x];
    ld.param.u64 %d2, [y];
    ld.param.u64 %d3, [z];
    ld.param.u64 %d4, [n];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    cvt.u64.u32 %d5, %r4;
    setp.ge.u64 %p1, %d5, %d4;
    @%p1 bra DONE;
    shl.b64 %d6, %d5, 2;
    add.u64 %d7, %d1, %d6;
    add.u64 %d8, %d2, %d6;
    add.u64 %d9, %d3, %d6;
    ld.global.f32 %f1, [%d7];
    ld.global.f32 %f2, [%d8];
    add.f32 %f3, %f1, %f2;
    mov.u32 %r5, room;
    mad.lo.u32 %r6, %r3, ${2:-4}, %r5;
    st.shared.f32 [%r6], %f3;
    st.global.f32 [%d9], %f3;
    $1
DONE:
    ret;
}
PTX
}
gate_guest() { # gate_guest STATUS WORD...
    status=$1
    shift
    expect_exit "$status" gate --counters --family vector_add "$@" my.ptx
}
guest ""
gate_guest 2
expect_err "there are no counts of my.ptx to compare with: my.counters.csv is not there"
gate_guest 0 --case add-f32-n256-uniform --write
gate_guest 0
expect_out "1 row of my.counters.csv: 1 same"
guest "add.u32 %r7, %r6, 1;" # an instruction, in each of 8 warps
gate_guest 7
grep -qE '^    PTX .*  \+8  .*  ptx__inst_executed.sum$' out && grep -qE '  \+8  .* ptx__inst_integer.sum$' out ||
    fail "one more instruction is not found"
grep -q "sectors\|wavefronts" out && fail "an addition is told to move memory"
expect_out "which line: kz prof --family vector_add --case add-f32-n256-uniform --annotate my.ptx"
guest "" 8 # lanes two words apart: two wavefronts in place of one
gate_guest 7
grep -qE '^    shared stores: wavefronts  8  ->  16  \+8  \+100.00%  l1tex__data' out || fail "a bank conflict is not found"
[ "$(grep -c '  ->  ' out)" = 1 ] || fail "more than the wavefronts changed"
guest ""
sed -i 's/add.u64 %d7, %d1, %d6;/add.u64 %d7, %d1, %d6; setp.eq.u64 %p2, %d5, 31; @%p2 add.u64 %d7, %d7, 4;/' my.ptx
gate_guest 7 # one lane reads a word on: a sector more
grep -qE '^    global loads: 32-byte.* 64  -> +65 +\+1 +\+1.56%' out || fail "a sector is not found"
guest ""
sed -i '1a // kz: fill z 0' my.ptx # not a kernel's, and no less a cost
gate_guest 7
grep -qE '^    bytes that the plan fills, .*  0  ->  1024  \+1024 +fill_bytes$' out || fail "a fill is not found"
guest ""
sed -i 's/V13.0.88/V12.9.86/' my.ptx
gate_guest 12
expect_out "this is of 12.9.86"
sed -i '/add.u64 %d9/i add.u32 %r7, %r6, 1;' my.ptx
gate_guest 0 --write
sed -i '/add.u32 %r7/d' my.ptx
gate_guest 0
expect_out "1 better"

# Counts of a wrong kernel are not kept; a file without a main may be a guest.
sed -i 's/add.f32 %f3/sub.f32 %f3/' my.ptx
cp my.counters.csv before.csv
gate_guest 1 --write
expect_err "my.ptx is wrong at add-f32-n256-uniform, so its counts are not kept"
expect_err "kz check --family vector_add my.ptx says more"
cmp -s my.counters.csv before.csv || fail "counts of a wrong kernel were written"
expect_exit 2 gate --counters my.ptx
grep -q "^for a kernel of your own in a family's place: kz gate --counters --family FAMILY my.ptx" err || fail "the hint lacks --counters"

# ---- a program: a row for each kernel ----------------------------------------------------------------------------
cat > app.cu << 'CU'
#include <cstdlib>
#include <ctime>
namespace {
__global__ void copy(const float *in, float *out, int shift) { out[threadIdx.x] = in[threadIdx.x + shift]; }
}
template <int N, typename T> __global__ void clear(T *out) { out[threadIdx.x] = 0; }
__global__ void erase(float *out) { out[threadIdx.x] = 0; }
int main(int argc, char **argv) { // app [CLEARER [EXIT]]
    float *in, *out;
    const char *clearer = argc > 1 ? argv[1] : "c";
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    if (*clearer == 'c') clear<1><<<1, 32>>>(out);
    if (*clearer == 'e') erase<<<1, 32>>>(out);
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (*clearer == 'r') clear<1><<<1 + now.tv_nsec % 1000, 32>>>(out);
    copy<<<2, 32>>>(in, out, SHIFT);
    return cudaDeviceSynchronize() || argc > 2;
}
CU
shift_by() { { echo "#define SHIFT $1"; sed '/^#define/d' app.cu; } > app2.cu; mv app2.cu app.cu; }
shift_by 0
expect_exit 0 gate --counters --write app.cu -- c
expect_out "2 rows counted"
grep -q '^# compiler: [0-9]' app.counters.csv || fail "the compiler is not named: $(head -3 app.counters.csv)"
grep -q '^# arguments: c$' app.counters.csv || fail "the arguments are not kept: $(head -5 app.counters.csv)"
expect_exit 0 gate --counters --exact app.cu c # words after a program are its own
expect_out "2 rows of app.counters.csv: 2 same"
expect_exit 2 gate --counters app.cu
expect_err "app.counters.csv has counts of app.cu -- c; this is app.cu"
expect_exit 2 gate --counters --nvcc-flag -DFAST app.cu -- c
expect_err "this is with nvcc's -DFAST, app.cu -- c"
# Random input is refused, and keeps no counts.
expect_exit 2 gate --counters --against random.csv --write app.cu -- r
expect_err "the counts of app.cu are not the same in two runs"
expect_err "clear<1, float>: ptx__blocks.sum"
[ -e random.csv ] && fail "counts that do not repeat were written"
# An edit changes the name that nvcc gives a kernel of an unnamed namespace.
shift_by 1
expect_exit 7 gate --counters app.cu -- c
grep -q "^  worse   copy$" out || fail "the kernel is not named"
grep -qE "^    global loads: 32-byte sectors they touched +8  ->  10  \+2  \+25.00%  $sectors$" out || fail "its sectors are not told"
expect_out "which line: kz prof --kernel copy --annotate app.cu -- c"
expect_out "meant so: kz gate --counters --write app.cu -- c"
printf 'width 80\nexpect 32-byte sectors they touched\nwidth 80\nexpect +25.00%%\nexpect meant so\nwidth 80\nexit 7\n' |
    "$PTY" 80 -- "$KZ" gate --counters app.cu -- c > out 2> err || fail "80 columns are too few"
grep -q "$sectors" out && fail "names of counts do not fit 80 columns"
expect_exit 7 gate --counters --json=gate.json app.cu -- c
grep -q '"count": *"'"$sectors"'"' gate.json && grep -q '"before": *8, *"now": *10, *"percent": *25' gate.json || fail "the JSON file: $(cat gate.json)"
shift_by 0
ran_with() { sed -i "s/^# arguments: .*/# arguments: $1/" app.counters.csv; }
ran_with e
expect_exit 0 gate --counters app.cu -- e
expect_out "has the counts of clear<1, float>, which is gone"
ran_with n
expect_exit 0 gate --counters app.cu -- n
grep -q "^  gone    clear<1, float>" out || fail "a kernel that is gone is not told"
expect_exit 4 gate --counters --against new.csv --write app.cu -- c fail
expect_err "app.cu ended with 1, so its counts are of no use"
expect_exit 2 gate --counters --case x app.cu -- c
finish
