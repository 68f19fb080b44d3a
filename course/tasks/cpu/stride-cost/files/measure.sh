# measure.sh COUNT STRIDE ROUNDS: first-level misses of files/strides.c, the rounds alone.
set -e
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O1 "$here/strides.c" -o "$work/strides"

misses() {
    valgrind --tool=cachegrind --cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64 \
        --cachegrind-out-file=/dev/null "$work/strides" "$1" "$2" "$3" 2>&1 |
        sed -n 's/.*D1 *misses: *\([0-9,]*\).*/\1/p' | tr -d ,
}

with=$(misses "$1" "$2" "$3")
without=$(misses "$1" "$2" 0)
echo "$1 floats, stride $2, $3 rounds: misses of the readings: $((with - without))"
