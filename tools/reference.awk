# Markdown of one section of a header (-v section=...), or of all of it. -v level: the headings of its entries;
# -v want_threads=1: a table of thread rules at the end; -v sections=1: a heading for each section. See tools/reference for how a header is read.
function flush_prose() { if (prose != "") text = text prose "\n\n"; prose = "" }
function flush_code() { if (code != "") text = text code "\n"; code = "" }
function entry(    i, names, line) {
    if (!count) return
    i = 1; prose = ""; text = ""
    while (i <= count && lines[i] ~ /^\/\//) {
        line = lines[i++]; sub(/^\/\/ ?/, "", line)
        if (line ~ /^    /) { flush_prose(); code = code line "\n"; continue }
        flush_code()
        if (line == "") { flush_prose(); continue }
        gsub(/</, "\\&lt;", line)
        prose = prose (prose == "" ? "" : " ") line
    }
    names = ""
    for (j = i; j <= count; j++) if (match(lines[j], /kz_[a-z0-9_]+\(/) && lines[j] ~ /^KZ_API/)
        names = names (names == "" ? "" : ", ") "`" substr(lines[j], RSTART, RLENGTH - 1) "`"
    if (names == "") for (j = i; j <= count; j++) if (match(lines[j], /(struct|enum) kz_[a-z0-9_]+/) && lines[j] ~ /^(typedef|struct|enum)/) {
        line = substr(lines[j], RSTART, RLENGTH); sub(/.* /, "", line)
        if (index(names, "`" line "`") == 0) names = names (names == "" ? "" : ", ") "`" line "`"
    }
    if (names == "") for (j = i; j <= count; j++) { # a plain typedef, or a macro
        line = lines[j]
        if (line ~ /^typedef .*;$/ && match(line, /\(\*kz_[a-z0-9_]+\)|kz_[a-z0-9_]+;$/)) line = substr(line, RSTART, RLENGTH)
        else if (line !~ /^#define KZ_/ || !match(line, /KZ_[A-Z0-9_]+/)) continue
        else line = substr(line, RSTART, RLENGTH)
        gsub(/[(*);]/, "", line)
        names = names (names == "" ? "" : ", ") "`" line "`"
    }
    if (i <= count && names != "") print level " " names "\n"
    flush_code()
    flush_prose()
    printf "%s", text
    if (i <= count) {
        print "```c"
        for (; i <= count; i++) {
            line = lines[i]
            if (line !~ /^ /) moved = sub(/^KZ_API /, "", line) # what was aligned below moves along
            else if (moved) sub(/^       /, "", line)
            print line
        }
        print "```\n"
    }
    count = 0
}
function rule(    name) { # the thread rule of the function that is declared on this line
    if ($0 ~ /^\/\/ Threads: /) { threads = $0; sub(/^\/\/ Threads: /, "", threads); more = 1; return }
    if (more && $0 ~ /^\/\/ /) { name = $0; sub(/^\/\/ /, "", name); threads = threads " " name; return }
    more = 0
    if ($0 ~ /^KZ_API/ && match($0, /kz_[a-z0-9_]+\(/)) {
        name = substr($0, RSTART, RLENGTH - 1)
        sub(/\.$/, "", threads)
        table = table "| `" name "` | " (threads == "" ? "any, at any time" : threads) " |\n"
        threads = ""
    }
}
/^\/\/ ---- / {
    entry()
    if (section != "") on = index($0, "// ---- " section " -") == 1
    if (sections) { gsub(/^\/\/ -+ | -+$/, ""); print "## " toupper(substr($0, 1, 1)) substr($0, 2) "\n" }
    next
}
section == "" && /^#define KZ_[A-Z_]+_H$/ { entry(); on = 1; next }
/^#ifdef __cplusplus/ { skip = 1 }
skip { if (/^#endif/) skip = 0; next }
!on || /^#(if|endif)/ || !count && /^#(include|undef)/ { next }
/^$/ && !depth { entry(); next }
{ rule(); lines[++count] = $0; depth += gsub(/{/, "{") - gsub(/}/, "}") }
END { entry(); if (table != "" && want_threads) printf "## Threads\n\n| call | from which threads |\n|---|---|\n%s", table }
