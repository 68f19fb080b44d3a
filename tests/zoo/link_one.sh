#!/bin/bash
# link_one.sh BUILD: a program that opens one operation links that family alone, of all families in libkz.a: its code,
# its variants, nothing of its neighbours. gemm hands problems to those that do them best, and links these too, as does what
# has them as parts. One that opens by name links them all, or the test would see nothing.
set -euo pipefail
build=$(realpath "$1")
cd "$(dirname "$0")/../.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() {
    echo "link_one: $*" >&2
    exit 1
}
link() { # link PROGRAM SOURCE: statically, as a user of the installed library does
    cc -std=c11 "$2" -o "$1" -I"$build/include" "$build/lib/libkz.a" -lm -lpthread -ldl
}
families_in() { # the families and the embedded code that a program has
    nm "$1" | sed -nE 's/.* [dDrR] (kz_family|kz_embedded)_([a-z0-9_]+)$/\1_\2/p' | sort
}

sed -n 's/^KZ_FAMILY(\([a-z0-9_]*\),.*/\1/p' kernels/zoo.def >"$place/families"
while read -r family; do
    open=$(grep -oE "kz_${family}[a-z_]*_open" "$build/include/kz/ops/$family.h" | head -n 1) # histogram has two
    printf '#include "kz/ops/%s.h"\nvoid *used = %s;\nint main(void) { return !used; }\n' "$family" "$open" >"$place/one.c"
    link "$place/one" "$place/one.c"
    families_in "$place/one" >"$place/has"
    kinds="kz_family kz_embedded" gemms="gemm gemm_fused gemm_types gemv hgemm sgemm"
    case $family in
        gemm) own=$gemms ;;
        transformer_block) own="$family $gemms attention attention_backward rmsnorm rope" kinds=kz_embedded ;; # its code is what counts
        *) own=$family ;;
    esac
    for one in $own; do printf "%s_$one\n" $kinds; done | sort >"$place/own"
    grep -E "^(${kinds// /|})_" "$place/has" | diff "$place/own" - ||
        fail "a program with $open links other families too, or not its own"
done <"$place/families"

cat >"$place/all.c" <<'END'
#include "kz/operation.h"
int main(void) { return kz_operation_open(0, "reduce", 0, 0, 0, 0) == KZ_OK; }
END
link "$place/all" "$place/all.c"
[ "$(families_in "$place/all" | wc -l)" = $((2 * $(wc -l <"$place/families"))) ] || fail "by name: some families are missing"
link "$place/one" examples/reduce.c
one=$(stat -c %s "$place/one") all=$(stat -c %s "$place/all")
"$place/one" cpu | grep -q '^500000500000 ' || fail "the sum of the static program is wrong"
echo "link_one: $(wc -l <"$place/families") families alone; with reduce $one bytes, with all of them $all"
