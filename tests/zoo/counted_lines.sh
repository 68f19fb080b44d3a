#!/bin/sh
# counted_lines.sh KZ SOURCES: the cases of every counters.csv reach every line of source that a quick edge case reaches; a file that
# is written anew has no case more.
cd "$2" || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"$1" gate --counters vector_add > /dev/null
[ $? = 12 ] && exit 12 # another compiler has other lines
failed=0
for csv in kernels/*/*/counters.csv; do
    family=$(basename "$(dirname "$csv")")
    cp "$csv" "$folder/$family.csv"
    "$1" gate --counters --against "$folder/$family.csv" --write "$family" > "$folder/out" || failed=1
    cut -d, -f1,2 "$csv" > "$folder/before"
    cut -d, -f1,2 "$folder/$family.csv" | cmp -s "$folder/before" - && continue
    echo "FAILED: lines of $family are reached by no case of $csv: kz gate --counters $family --write adds cases that do"
    failed=1
done
exit $failed
