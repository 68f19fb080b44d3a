#!/bin/sh
# together.sh KZ FOLDER...: a task's kernels, which its proof compiles together, are graded to the same verdict, word by
# word, as when each is compiled alone.
KZ=$1
shift
FOLDER=$(mktemp -d) || exit 1
trap 'rm -rf "$FOLDER"' EXIT
export KZ_LEARN="$FOLDER/learn"
failed=0

# grade CACHE FILE: the verdict but for the time it took.
grade() {
    XDG_CACHE_HOME=$1 "$KZ" grade --json --seed 77 --no-time --device sim --task "$id" "$2" | sed 's/,"seconds":[^,}]*//'
}

for task; do
    id=$(basename "$task")
    together="$FOLDER/$id.together" alone="$FOLDER/$id.alone"
    XDG_CACHE_HOME=$together "$KZ" learn check-task "$task" > "$FOLDER/out" || { cat "$FOLDER/out"; failed=1; }
    # PTX that was cut out of a common one still lists the files beside it.
    cut=$(grep -lr "proofs/.*/$id.cu" "$together" --include='*.ptx' |
          while read -r ptx; do [ "$(grep -c "	.file	.*proofs/.*/$id.cu" "$ptx")" -gt 1 ] && echo "$ptx"; done | wc -l)
    files=0
    for file in "$together"/kz/proofs/*/"$id.cu"; do
        files=$((files + 1))
        grade "$together" "$file" > "$FOLDER/a"
        grade "$alone" "$file" > "$FOLDER/b"
        if ! grep -q '"checks"' "$FOLDER/a" || ! cmp -s "$FOLDER/a" "$FOLDER/b"; then
            echo "FAILED: $id: this file's verdict is another when it is compiled alone:"
            head -3 "$file"
            diff "$FOLDER/a" "$FOLDER/b"
            failed=1
        fi
    done
    if [ "$cut" -lt 4 ] || [ "$files" -lt 5 ]; then
        echo "FAILED: $id: $cut of $files kernels were compiled together"
        failed=1
    fi
done
exit $failed
