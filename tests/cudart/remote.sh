#!/bin/bash
# remote.sh NVCC LIBRARIES: a program whose device is another process (kz-device) does and prints what it does where the
# device is its own, ends as it ends, and is found out in the same mistakes.
set -u
nvcc=$1 libraries=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
not_so() { echo "not so: $*"; failed=1; }

"$nvcc" -cudart shared -arch=sm_90 -o "$work/program" "$here/remote/program.cu" || exit 1
export KZ_OBSERVE=races,sync,undefined,leaks,counters

# here WORD, there WORD: what it prints, and how it ends
here() { LD_LIBRARY_PATH=$libraries KZ_SESSION=$work/here "$work/program" $1 2>&1; echo "status $?"; }
there() {
    LD_LIBRARY_PATH=$libraries/remote:$libraries "$libraries/kz-device" "$work/program" $1 2>&1 4>"$work/there.jsonl"
    echo "status $?"
}
found() { grep -o '"type":"finding","kind":"[a-z-]*"' "$1" | sort | uniq -c; }

mkdir "$work/here"
for word in "" follows races; do
    here "$word" >"$work/here.txt" 2>/dev/null
    there "$word" >"$work/there.txt" 2>/dev/null
    diff "$work/here.txt" "$work/there.txt" || not_so "it prints the same for '$word'"
    diff <(found "$work/here/record.jsonl") <(found "$work/there.jsonl") || not_so "the same is found for '$word'"
    [ -s "$work/there.jsonl" ] || not_so "there is a record for '$word'"
    case $word in
    follows) grep -q '"kind":"host-access"' "$work/there.jsonl" || not_so "the host that follows is found" ;;
    races) grep -q '"kind":"race' "$work/there.jsonl" || not_so "the host that races is found" ;;
    *) grep -q "^graph 201" "$work/there.txt" || not_so "it works at all: $(cat "$work/there.txt")" ;;
    esac
done

# Whoever starts the small library by hand is told what it is for.
LD_LIBRARY_PATH=$libraries/remote "$work/program" 2>&1 | grep -q "kz run" || not_so "the small library says what it is for"
[ $failed = 0 ] && echo "all right"
exit $failed
