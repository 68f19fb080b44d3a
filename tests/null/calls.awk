# The table that null_test.c is made of, from the headers given: for each pointer that a KZ_API function takes, a call in
# which that one is NULL and the others are good; for each number and enumerator, calls in which that one cannot be.
function trim(text) { gsub(/^ +| +$/, "", text); return text }
function split_parameter(text,    array) { # into `type` and `name`; an array is a pointer
    array = sub(/\[[^]]*\]$/, "", text)
    match(text, /[a-z_0-9]+$/)
    name = substr(text, RSTART)
    type = trim(substr(text, 1, RSTART - 1)) (array ? " *" : "")
}
function is_pointer() { return type ~ /\*$/ || type == "kz_print" }
function good() {
    if (is_pointer()) return "(" type ")good(\"" type "\")"
    return type == "kz_ptr" ? "good_address()" : "(" type "){1}"
}
function emit(text,    function_name, returns, count, i, k, parameters, arguments) {
    match(text, /kz_[a-z0-9_]+\(/)
    function_name = substr(text, RSTART, RLENGTH - 1)
    returns = trim(substr(text, 1, RSTART - 1))
    text = substr(text, RSTART + RLENGTH)
    sub(/ *__attribute__.*/, "", text)
    sub(/\)[^)]*$/, "", text)
    sub(/, \.\.\.$/, "", text)
    count = split(text, parameters, / *, */)
    for (k = 1; k <= count; k++) {
        split_parameter(parameters[k])
        if (type ~ /^(kz_ptr|kz_type|kz_[a-z]+_(operation|kind|function)|kz_elementwise|kz_status|u?int[0-9]+_t|size_t|unsigned|float|double)$/) {
            for (v = 1; v <= 3; v++) emit_damaged(function_name, count, parameters, k, v)
            continue
        }
        if (!is_pointer()) continue
        arguments = ""
        nulled = name
        null = "(" type ")nothing"
        for (i = 1; i <= count; i++) {
            split_parameter(parameters[i])
            arguments = arguments (i > 1 ? ", " : "") (i == k ? null : good())
        }
        printf "%s(%s, %s, %s(%s))\n", returns == "kz_status" ? "REFUSES" : "SURVIVES", function_name, nulled,
            function_name, arguments
    }
}
function emit_damaged(function_name, count, parameters, k, v,    i, arguments, damaged, values) {
    split("-1 99 (UINT64_C(1)<<62)", values, " ")
    for (i = 1; i <= count; i++) {
        split_parameter(parameters[i])
        if (i == k) damaged = name
        arguments = arguments (i > 1 ? ", " : "") (i == k ? "(" type ")" values[v] : good())
    }
    printf "DAMAGED(%s, %s, %d, %s(%s))\n", function_name, damaged, v, function_name, arguments
}
FNR == 1 && NR > 1 { whole = whole " " }
{ sub(/\/\/.*/, ""); whole = whole " " $0 }
END {
    gsub(/[ \t]+/, " ", whole)
    while (match(whole, /KZ_API [^;]*;/)) {
        text = substr(whole, RSTART + 7, RLENGTH - 8)
        whole = substr(whole, RSTART + RLENGTH)
        emit(text)
    }
}
