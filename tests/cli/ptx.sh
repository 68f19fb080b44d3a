#!/bin/sh
# kz ptx on a good file, a broken one, one with an instruction that is not simulated, and none.
. "$(dirname "$0")/lib.sh"
cat > "$FOLDER/good.ptx" <<'END'
.version 9.0
.target sm_75
.address_size 64
.visible .entry twice(.param .u64 out)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    add.s32 %r2, %r1, %r1;
    st.global.u32 [%rd1], %r2;
    ret;
}
END
sed 's/add.s32 %r2, %r1, %r1;/add.s32 %r2, %r1 %r1;/' "$FOLDER/good.ptx" > "$FOLDER/broken.ptx"
sed 's/add.s32 %r2, %r1, %r1;/multimem.red.relaxed.sys.global.add.u32 [%rd1], %r1;/' "$FOLDER/good.ptx" > "$FOLDER/copies.ptx"
head -c 200 /dev/urandom > "$FOLDER/noise.ptx"
expect_exit 0 ptx check "$FOLDER/good.ptx"
expect_out "all simulated (kernels: 1, instructions: 5)"
expect_exit 0 ptx print "$FOLDER/good.ptx"
expect_out "add.s32"
cp "$FOLDER/out" "$FOLDER/again.ptx"
expect_exit 0 ptx print "$FOLDER/again.ptx"
cmp "$FOLDER/out" "$FOLDER/again.ptx" || fail "printing what was printed changes it"
expect_exit 9 ptx check "$FOLDER/broken.ptx"
expect_err "broken.ptx:10"
expect_err "^"
expect_exit 9 ptx print "$FOLDER/noise.ptx"
expect_exit 8 ptx check "$FOLDER/copies.ptx"
expect_out "copies.ptx:10"
expect_exit 2 ptx check "$FOLDER/missing.ptx"
expect_err "there is no file $FOLDER/missing.ptx"
# The decoder knows more than the table of instructions: a function without a body cannot be called.
sed 's/^.visible/.extern .func elsewhere();\n.visible/; s/add.s32 %r2, %r1, %r1;/call elsewhere;/' "$FOLDER/good.ptx" > "$FOLDER/calls.ptx"
expect_exit 8 ptx check "$FOLDER/calls.ptx"
expect_out "the function has no body here"
# What a loop repeats is told once.
sed 's/add.s32 %r2, %r1, %r1;/frob.x %r1; frob.x %r2; frob.x %r1;/' "$FOLDER/good.ptx" > "$FOLDER/often.ptx"
expect_exit 8 ptx check "$FOLDER/often.ptx"
expect_out "often.ptx:10: and 2 more of the same"
expect_out "3 of 7 instructions are not simulated"
# What a GPU refuses is no good file, though each instruction of it is simulated.
sed 's/sm_75/sm_100/' "$FOLDER/good.ptx" > "$FOLDER/newer.ptx"
expect_exit 10 ptx check "$FOLDER/newer.ptx"
expect_err "PTX with .target sm_100 cannot be compiled for architecture sm_90"
sed 's/.reg .b32/.shared .align 4 .b8 s[50000];\n    .reg .b32/' "$FOLDER/good.ptx" > "$FOLDER/shared.ptx"
expect_exit 10 ptx check "$FOLDER/shared.ptx"
expect_err "uses too much shared data"
echo '__global__ void k() {}' > "$FOLDER/source.cu"
expect_exit 2 ptx check "$FOLDER/source.cu"
expect_err "nvcc -ptx -lineinfo $FOLDER/source.cu -o $FOLDER/source.ptx"
expect_exit 5 ptx print "$FOLDER"
expect_exit 9 ptx check "$FOLDER/copies.ptx" "$FOLDER/broken.ptx"
expect_exit 0 ptx support
expect_out "add"
# Something without an end is refused.
expect_exit 10 ptx check /dev/zero
expect_err "larger than"
finish
