#!/bin/sh
# kz learn read: every page is listed, shown by a part of its name, by section, page by page on a terminal.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/course.sh"
DOCS=$(dirname "$0")/../../docs

# The tables in the two READMEs name every page that there is.
expect_exit 0 learn read
for page in "$DOCS"/*.md "$DOCS"/concepts/*.md; do
    name=$(basename "$page" .md)
    [ "$name" = README ] || grep -Eq "^ +[0-9]+ $name +[^ ]" "$FOLDER/out" || fail "kz learn read does not list $name"
done
for name in $(sed -n 's/^ *[0-9][0-9]* \([^ ]*\) .*/\1/p' "$FOLDER/out"); do
    "$KZ" learn read "$name" > "$FOLDER/page" 2> "$FOLDER/err" || fail "kz learn read $name"
    grep -Eq "/$name(/README)?\.md\$" "$FOLDER/page" || fail "kz learn read $name shows another page"
done
# A folder's README is called by the folder.
for name in reference Reference REFERENCE docs/reference/README.md reference/readme; do
    expect_exit 0 learn read "$name"
    expect_out "docs/reference/README.md"
done

# However it is typed; neither a learner nor a home is needed.
for name in execution_model exec "Execution Model" execution-model docs/concepts/execution_model.md 1; do
    (unset HOME KZ_LEARN && expect_exit 0 learn read "$name" && expect_out "Grid, block, thread" && finish) || FAILED=1
done
expect_exit 0 learn read memory hierarchy
expect_out "read counters#wavefronts"
expect_out "(figure: "
grep -q '](\|statement.md' "$FOLDER/out" && fail "addresses that nobody can follow are shown"
expect_exit 0 learn read memory#coalescing
expect_out "Neighbouring lanes"
grep -q "The levels" "$FOLDER/out" && fail "a section ends where the next begins"
# What verdicts point to is there.
pages=$(sed -n 's/^COURSE_METRIC(.*"\([a-z_]*#[a-z-]*\)")$/\1/p' "$DOCS/../src/course/metrics.def" | sort -u)
[ "$(echo "$pages" | wc -l)" -ge 8 ] || fail "metrics name hardly any page: $pages"
for page in $pages troubleshooting#it-hangs; do
    expect_exit 0 learn read "$page"
    grep -q "^Sources$" "$FOLDER/out" && fail "kz learn read $page shows the whole page"
done
expect_exit 2 learn read memory#nothing
expect_err "it has: "
expect_err "coalescing"
expect_exit 2 learn read perfromance
expect_err "did you mean performance?"
expect_exit 2 learn read co
expect_err "several pages begin with"

# A step's pages stand above its tasks by the command that shows them.
sed -i 's/^title = "Who am I"/&\nreads = ["concepts\/execution_model"]/' "$KZ_COURSE/paths/first-steps.toml"
expect_exit 0 learn show
expect_out "read    kz learn read execution_model"

# On a terminal: a pager where the page is longer than the window, one's own where PAGER says so.
mkdir "$FOLDER/bin"
printf '#!/bin/sh\nshift $(($# - 1))\necho paged by "${0##*/}", secure "$LESSSECURE"\ncat "$1"\n' > "$FOLDER/bin/less"
cp "$FOLDER/bin/less" "$FOLDER/bin/mine"
chmod +x "$FOLDER/bin/less" "$FOLDER/bin/mine"
PATH="$FOLDER/bin:$PATH"
unset PAGER
on_terminal 80 learn read performance << END
expect paged by less, secure 1
expect Performance
exit 0
END
PAGER="mine -x" on_terminal 80 learn read performance << END
expect paged by mine
exit 0
END
on_terminal 80 learn read which#sources << END
never paged
exit 0
END
on_terminal 80 learn << END
expect Waiting for you to save
send p
expect paged by less
expect >  1 execution_model
expect Read (number or name
modes cooked
send q\n
expect Waiting for you to save
send p
expect Read (number or name
send none\n
expect there is no page "none"
modes keys
send p
expect Read (number or name
send exec\n
expect paged by less
expect Grid, block, thread
expect Waiting for you to save
modes keys
send q
exit 0
END
grep -qF 'no page "q"' "$FOLDER/out" && fail "q is taken for the name of a page"
finish
