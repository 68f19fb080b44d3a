#!/bin/sh
# kz gate --counters: one more sector, wavefront or instruction is found in a variant, a guest and a program's kernel; equal
# counts pass, fewer are said; files that are missing, damaged, of another version or of another compiler.
. "$(dirname "$0")/lib.sh"
cd "$FOLDER" || exit 1

expect_exit 2 gate vector_add
expect_err "kz gate --counters compares the simulator's counts; kz bench --against compares times"

# ---- a family of the zoo: its counters.csv in the folder of the sources --------------------------------------
csv=kernels/primitives/elementwise/counters.csv
expect_exit 2 gate --counters elementwise
expect_err "there are no counts of elementwise to compare with: $csv is not there"
expect_err "this is not the folder of the sources"
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
cp $csv kept.csv
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
grep -qE "^    $sectors  [0-9]+ -> [0-9]+, \+1 \(\+0\.[0-9]+%\)  global loads: 32-byte sectors they touched$" out ||
    fail "the count, before, now and percent are not told"
expect_out "meant so: kz gate --counters --write elementwise"
expect_out "which line: kz prof elementwise/02_"
expect_exit 0 gate --counters elementwise/01_naive # the others are not asked for
change $sectors 1
expect_exit 0 gate --counters elementwise
expect_out "1 better"
expect_out "fewer than the file says: kz gate --counters --write elementwise keeps them so"
expect_exit 7 gate --counters elementwise --exact

# A part is written into the whole; a case that is new is added for every variant.
expect_exit 0 gate --counters elementwise/02_vector --write
cmp -s $csv kept.csv || fail "writing one variant did not mend its row"
expect_exit 0 gate --counters elementwise --case relu-f32-n77-uniform --write
[ "$(grep -c ',relu-f32-n77-uniform,' $csv)" -ge 4 ] || fail "the new case has no row for each variant"
[ "$(grep -vc ',relu-f32-n77-uniform,' $csv)" = "$(wc -l < kept.csv)" ] || fail "other rows were lost"
expect_exit 0 gate --counters elementwise --exact
expect_exit 2 gate --counters elementwise --case relu-f32-sideways
cp kept.csv $csv

# New, gone, renamed; a former name is no news.
former=04_le
sed -e 's/^01_naive,/01_old,/' -e "s/^04_fast_math,/${former}an,/" -e '/^03_unrolled,relu-f32/d' -e '$p' kept.csv | sed '$s/^[^,]*/99_none/' > $csv
expect_exit 0 gate --counters elementwise
expect_out "has the counts of 01_old, which is gone"
expect_out "and 7 more cases of 01_naive"
grep -qE "new     03_unrolled  relu-f32.* has no counts to compare with" out || fail "what is new is not told"
grep -qE "gone    99_none .* was not counted" out || fail "what is gone is not told"
grep -q "04_" out && fail "a former name is taken for another variant"
expect_exit 7 gate --counters elementwise --exact
expect_exit 7 gate --counters elementwise --exact --json
"$JSON_LINES" out > /dev/null || fail "no JSON"
grep -q '"passed": *false' out && grep -q '"was": *"01_old"' out && grep -q '"gone": *1' out || fail "the JSON does not say what changed"

# Another compiler's counts are not compared; nor those of another GPU; damaged and other files are named.
sed 's/^# compiler: .*/# compiler: 12.4.131/' kept.csv > $csv
expect_exit 12 gate --counters elementwise
expect_out "not compared: $csv is of the PTX of nvcc 12.4.131"
expect_out "kz gate --counters --write elementwise --against FILE"
expect_exit 2 gate --counters elementwise/01_naive --write
expect_err "write all of it: name neither a variant nor a case"
cmp -s $csv kept.csv && fail "a refused write changed the file"
expect_exit 0 gate --counters --against own.csv --write elementwise
expect_exit 0 gate --counters --against own.csv elementwise
cp kept.csv $csv
expect_exit 2 gate --counters --gpu t4 elementwise
expect_err "has counts of h200, and t4 was simulated"
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
expect_out "1 rows of my.counters.csv: 1 same"
guest "add.u32 %r7, %r6, 1;" # an instruction, in each of 8 warps
gate_guest 7
grep -qE '^    ptx__inst_executed.sum  [0-9]+ -> [0-9]+, \+8 ' out && grep -qE '^    ptx__inst_integer.sum  .*, \+8 ' out ||
    fail "one more instruction is not found"
grep -q "sectors\|wavefronts" out && fail "an addition is told to move memory"
guest "" 8 # lanes two words apart: two wavefronts in place of one
gate_guest 7
grep -qE '^    l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum  8 -> 16, \+8 \(\+100.00%\)' out || fail "a bank conflict is not found"
[ "$(grep -c ' -> ' out)" = 1 ] || fail "more than the wavefronts changed"
guest ""
sed -i 's/add.u64 %d7, %d1, %d6;/add.u64 %d7, %d1, %d6; setp.eq.u64 %p2, %d5, 31; @%p2 add.u64 %d7, %d7, 4;/' my.ptx
gate_guest 7 # one lane reads a word on: a sector more
grep -qE '^    l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum  64 -> 65, \+1 \(\+1.56%\)' out || fail "a sector is not found"
guest ""
sed -i '1a // kz: fill z 0' my.ptx # not a kernel's, and no less a cost
gate_guest 7
grep -qE '^    fill_bytes  0 -> 1024, \+1024  bytes that the plan fills' out || fail "a fill is not found"
guest ""
sed -i 's/V13.0.88/V12.9.86/' my.ptx
gate_guest 12
expect_out "this is of 12.9.86"
sed -i '/add.u64 %d9/i add.u32 %r7, %r6, 1;' my.ptx
gate_guest 0 --write
sed -i '/add.u32 %r7/d' my.ptx
gate_guest 0
expect_out "1 better"

# ---- a program: a row for each kernel ----------------------------------------------------------------------------
cat > app.cu << 'CU'
#include <cstdlib>
__global__ void copy(const float *in, float *out, int shift) { out[threadIdx.x] = in[threadIdx.x + shift]; }
__global__ void clear(float *out) { out[threadIdx.x] = 0; }
__global__ void erase(float *out) { out[threadIdx.x] = 0; }
int main(int argc, char **argv) { // app SHIFT CLEARER [EXIT]
    float *in, *out;
    cudaMalloc(&in, 4096);
    cudaMalloc(&out, 4096);
    if (argv[2][0] == 'c') clear<<<1, 32>>>(out);
    if (argv[2][0] == 'e') erase<<<1, 32>>>(out);
    copy<<<2, 32>>>(in, out, atoi(argv[1]));
    return cudaDeviceSynchronize() || argc > 3;
}
CU
expect_exit 0 gate --counters --write app.cu -- 0 c
expect_out "2 rows counted"
grep -q '^# compiler: [0-9]' app.counters.csv || fail "the compiler is not named: $(head -3 app.counters.csv)"
expect_exit 0 gate --counters --exact app.cu -- 0 c
expect_out "2 rows of app.counters.csv: 2 same"
expect_exit 7 gate --counters app.cu -- 1 c
grep -q "^  worse   _Z4copyPKfPfi$" out || fail "the kernel is not named"
grep -qE "^    $sectors  8 -> 10, \+2 \(\+25.00%\)" out || fail "its sectors are not told"
expect_out "kz gate --counters --write app.cu -- 1 c"
expect_exit 0 gate --counters app.cu -- 0 e
expect_out "_Z5erasePf  has the counts of _Z5clearPf, which is gone"
expect_exit 0 gate --counters app.cu -- 0 n
grep -q "^  gone    _Z5clearPf" out || fail "a kernel that is gone is not told"
expect_exit 7 gate --counters --json=gate.json app.cu -- 1 c
grep -q '"count": *"'"$sectors"'"' gate.json && grep -q '"before": *8, *"now": *10, *"percent": *25' gate.json || fail "the JSON file: $(cat gate.json)"
expect_exit 4 gate --counters app.cu -- 0 c fail
expect_err "app.cu ended with 1, so its counts are of no use"
expect_exit 2 gate --counters --case x app.cu -- 0 c
finish
