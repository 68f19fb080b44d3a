#!/bin/sh
# What kz info offers whoever writes a kernel: the signatures of all families are C, by one call of nvcc; a file made of
# them is taken and launched. That each is what its family gives is tested in family/example_test.
. "$(dirname "$0")/lib.sh"
SOURCES=$(cd "$(dirname "$0")/../.." && pwd)
for family in $(sed -n 's/^KZ_FAMILY(\([a-z_]*\),.*/\1/p' "$SOURCES/kernels/zoo.def"); do
    expect_exit 0 info "$family"
    expect_out "// kz: grid ceil(elements/256)"
    expect_out "kz check --family $family my.cu"
    [ "$(grep -n '^Cases' "$FOLDER/out" | cut -d: -f1)" -gt "$(grep -n '^Your own' "$FOLDER/out" | cut -d: -f1)" ] ||
        fail "$family: what one looks for stands below all of its cases"
    if [ "$family" = transpose ]; then grep '// kz: ' "$FOLDER/out" > "$FOLDER/lines"; fi
    # Each family's kernels under its own name, for they meet in one file.
    grep -E '^ *#include <cuda_' "$FOLDER/out" >> "$FOLDER/kernels"
    sed -n "s/{ \.\.\. }/{ }/; s/void my_/void ${family}_/p" "$FOLDER/out" | grep __global__ >> "$FOLDER/kernels"
done
[ "$(wc -l < "$FOLDER/kernels")" -ge 17 ] || fail "there are fewer signatures than families"
cat "$FOLDER/lines" "$FOLDER/kernels" > "$FOLDER/all.cu"
expect_exit 1 check --family transpose "$FOLDER/all.cu" --device sim --case transpose-f32-rows3-columns5-uniform --no-save
expect_out "1 wrong" # nothing was written, by a kernel that was taken

# A grid past what there is names the case and what to write.
sed 's/ceil(elements.256)/elements*rows*columns/' "$FOLDER/all.cu" > "$FOLDER/large.cu"
expect_exit 9 check --family transpose "$FOLDER/large.cu" --device sim --no-save
expect_err "this is more than 2^31 - 1"
expect_err "ceil(elements/block)"
expect_err "that was for the case transpose-"
finish
