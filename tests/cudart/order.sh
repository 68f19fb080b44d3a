#!/bin/sh
# The record of a whole program says what the host asked for, and which copies kernels may run beside.
. "$(dirname "$0")/../cli/lib.sh"
HERE=$(cd "$(dirname "$0")" && pwd)/order

host() { # host WAY WORDS...: the line "host" has each of the words
    way=$1
    expect_exit 0 prof --keep "$FOLDER/$way" "$HERE/order.cu" "$way"
    shift
    for word; do
        grep '"type":"host"' "$FOLDER/$way/record.jsonl" | grep -qF -- "$word" ||
            fail "$way: no $word in: $(grep '"type":"host"' "$FOLDER/$way/record.jsonl")"
    done
}
operation() { # operation WAY NUMBER WORD
    grep "\"type\":\"operation\",\"number\":$2," "$FOLDER/$1/record.jsonl" | grep -qF -- "$3" ||
        fail "$1: operation $2 has no $3"
}

host plain '"operations":3' '"streams":1' '"blocking_copies":2' '"asynchronous_copies":0' '"copied_bytes":8192' \
    '"overlap":0,' '"synchronisations":0' '"allocations":2' '"held_bytes":8192'
operation plain 1 '"kind":"copy_to_device","stream":1,"bytes":4096,"blocking":true'
operation plain 3 '"kind":"copy_to_host"'
operation plain 3 '"after":[2]'
host one_stream '"streams":1' '"blocking_copies":0' '"asynchronous_copies":2' '"overlap":0,' '"synchronisations":1'
host two_streams '"streams":2' '"asynchronous_copies":2' '"overlap":0.75,'
expect_out "The host used 2 streams and copied 4.10 kB in 2 copies, 0 of which it waited for; 75% of the bytes"
operation two_streams 3 '"overlaps":true,"after":[]'
# Pageable memory: the host waits for the first copy, so the second comes after it, and still beside the kernel.
host pageable '"blocking_copies":2' '"overlap":0.75,'
operation pageable 3 '"after":[1]'
host apart '"streams":2' '"overlap":0.75,'
host with_default '"streams":2' '"overlap":0,'
# The host waits for the event, and in cudaFree for the copy after it.
host event '"overlap":0,' '"synchronisations":2'
operation event 3 '"after":[2]'
host legacy '"overlap":0,' '"copied_bytes":4096'
operation legacy 3 '"after":[2]'
host graph '"operations":6' '"launch_calls":2,"instantiations":1,' '"streams":1' '"overlap":1,'
operation graph 3 '"after":[2,1]'
operation graph 4 '"after":[3]'
for way in plain one_stream two_streams event graph; do
    grep '"type":"host"' "$FOLDER/$way/record.jsonl" | grep -qF '"unordered_uses":0,' || fail "$way has a hazard"
done
# The copy back beside the kernel that writes it, and two copies into the same half of the host's memory.
host hazard '"unordered_uses":2,'
host timed '"timed_kernels":2,"timed_copies":1,'
expect_out 'a time'
# Nobody waited: a GPU may say that the event is not there yet, so that is what is said.
host hasty '"timed_kernels":0,'
expect_out 'cudaErrorNotReady'
finish
