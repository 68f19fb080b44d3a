#!/bin/sh
# Kernels on tensor cores: the roofline has the peak of their type, and the verdict says what the tensor pipes wait for.
HERE=$(dirname "$0")
. "$HERE/../cli/lib.sh"

section() {
    sed -n "/^[0-9][0-9]*  $1 .*a launch/,/^[0-9][0-9]*  .* a launch/p" "$FOLDER/out" | tr -s ' \n' ' ' | grep -q -- "$2" || fail "$1: not said: $2"
}
expect_exit 0 prof "$HERE/tensor.cu" --top 0
section by_wmma "of f16's peak on tensor cores"
section by_wmma "they wait for shared memory: loads of single registers take"
section by_wmma "try: ldmatrix"
section 'by_mma<0>' "they wait for shared memory: ldmatrix takes 2.10 M wavefronts, 262 k without bank conflicts"
section 'by_mma<0>' "the rows of a matrix lie 128 bytes apart, a multiple of 128: all in one bank"
section 'by_mma<0>' "rows of 9 elements of 16 bytes instead of 8: 4 wavefronts instead of 32"
section 'by_mma<8>' "ldmatrix 2.00 wavefronts for each product, 2.00 without conflicts"
section by_wgmma "100% by warpgroups"
section by_wgmma "what fills it takes 4.72 M wavefronts"
# The same products, counted by each way to make them; none of wgmma's reads is a wavefront of a load.
expect_exit 0 prof "$HERE/tensor.cu" --csv --metrics sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,ptx__bytes_shared_wgmma.sum,smsp__inst_executed_op_ldsm.sum
[ "$(grep -c 'fp16_dst_fp32_sparsity_off.sum.*536870912' "$FOLDER/out")" = 4 ] || fail "not 2*1024*1024*256 operations each"
grep 'by_wgmma' "$FOLDER/out" | grep -q 'shared_op_ld.sum.*"0"' || fail "wgmma's reads are loads"
