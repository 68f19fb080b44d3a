#!/bin/sh
# What is not understood is said so, with the next step, and ends with 2.
. "$(dirname "$0")/lib.sh"
expect_exit 2 chekc
expect_err "did you mean kz check?"
expect_exit 2 frobnicate
expect_err "kz help"
expect_exit 2 check --devise sim
expect_err "did you mean --device?"
expect_exit 2 check --seed
expect_err "needs a value"
expect_exit 2 check --seed ten
expect_err "whole number"
expect_exit 2 check vectoradd
expect_err "did you mean vector_add?"
expect_exit 2 info softmaxx
expect_err "the families: vector_add"
expect_exit 2 check vector_add/naiv
expect_err "did you mean 01_naive?"
expect_exit 2 check vector_add --device cpu --case 'nothing-*'
expect_err "no case of vector_add matches nothing-*"
expect_exit 2 check vector_add --device cpu --case add-f32-nine
expect_err "expected n at"
expect_exit 2 check --device cpu --case 'nothing-*'
expect_err "no case of any family"
expect_exit 2 check vector_add/01_naive --device cpu
expect_err "meant for the devices"
sed 's/= 132/= 7/' "$(dirname "$0")/../../gpus/h200.gpu" > "$FOLDER/my.gpu"
for gpu in t4 sim:t4 "$FOLDER/my.gpu" "sim:$FOLDER/my.gpu"; do
    expect_exit 0 prof vector_add --case add-f32-n1024-uniform --gpu "$gpu"
done
expect_out "7 SMs"
expect_exit 3 prof vector_add --gpu z9
expect_err "such as ./my.gpu"
# A page is not poured out on a terminal; JSON may be.
"$5" 80 -- "$KZ" prof vector_add --case add-f32-n1024-uniform --html > "$FOLDER/out" 2> "$FOLDER/err" << END || fail "--html on a terminal"
expect --html alone writes to stdout, and that is a terminal
expect --html=FILE.html
exit 2
END
"$5" 80 -- "$KZ" prof vector_add --case add-f32-n1024-uniform --html=- > "$FOLDER/out" 2> "$FOLDER/err" << END || fail "--html=- on a terminal"
expect </html>
exit 0
END
expect_exit 0 prof vector_add --case add-f32-n1024-uniform --html
expect_out "</html>"
expect_exit 2 check my.cu
expect_err "there is no file my.cu"
expect_exit 2 check --family vector_add
expect_err "kz check --family vector_add my.cu"
expect_exit 2 list reduce
expect_exit 2 info
expect_exit 2 ptx chek x.ptx
expect_err "did you mean check?"
for command in tune microbench "timeline reduce" "learn show"; do
    # shellcheck disable=SC2086 # words
    expect_exit 2 $command --device sim --device cpu
    expect_err "takes one --device, not both sim and cpu"
done
expect_exit 2 grade "$0" --device sim --device cpu
expect_err "takes one --device"
finish
