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

# A program that speaks to kz-device by itself gets errors, and kz-device lives.
cc -std=gnu11 -D_GNU_SOURCE -I"$here/../../src" -o "$work/hostile" "$here/remote/hostile.c" \
    "$here/../../src/cudart/remote/channel.c" || exit 1
timeout 30 "$libraries/kz-device" "$work/hostile" >"$work/hostile.txt" 2>/dev/null 4>"$work/hostile.jsonl"
status=$?
[ $status = 5 ] || not_so "kz-device lives: status $status"
diff - "$work/hostile.txt" <<'END' || not_so "what is wrong is refused"
a child that is no graph: 1
a node while its graph is destroyed: 0 800
the graph is still there: 0
a captured graph: 1
after a captured stream has gone: 0
more than there is: 1
host memory around it: 1
host memory beyond all: 2
an answer without end: 0
the memory that both have: -1 -1
questions without end: 0
it still serves: 0
END

# The folder where kz-device is started, a student's, lends it no library.
mkdir "$work/folder"
for name in libc.so.6 libm.so.6 libcudart.so.13; do echo "no library" >"$work/folder/$name"; done
(cd "$work/folder" && LD_LIBRARY_PATH=$libraries/remote "$libraries/kz-device" "$work/program" >"$work/folder.txt" 2>&1)
grep -q "^graph 201" "$work/folder.txt" || not_so "it starts anywhere: $(cat "$work/folder.txt")"

# Whoever starts the small library by hand is told what it is for.
LD_LIBRARY_PATH=$libraries/remote "$work/program" 2>&1 | grep -q "kz run" || not_so "the small library says what it is for"
[ $failed = 0 ] && echo "all right"
exit $failed
