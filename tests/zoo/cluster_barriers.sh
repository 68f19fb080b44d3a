#!/bin/sh
# cluster_barriers.sh PTX...: of kernels of the row frame (row_ring.cuh). The cluster barrier at their end wants whole warps
# (.aligned), and lanes come to it one by one, from loops in which each waits for itself: so right before it the warp meets,
# at a bar.warp.sync. The simulator lets lanes that are behind catch up and sees nothing; a GPU need not.
set -eu
awk '
    function judge() {
        if (name == "") return
        count++
        if (!met) { printf "%s: the last cluster barrier of %s has no bar.warp.sync before it\n", file, name; bad = 1 }
        name = ""
    }
    /^\.visible \.entry|^\t?\.entry/ { judge(); name = $NF; file = FILENAME; sub(/\(.*/, "", name); met = together = 0 }
    /^\$L.*:/ || /(^|[ \t])bra[ \t.]/ { together = 0 } # a path of other lanes
    /bar\.warp\.sync/ { together = 1 }
    /barrier\.cluster\.arrive.*\.aligned/ { met = together }
    END { judge(); if (!count) { print "no kernels"; bad = 1 } else print count " kernels"; exit bad }
' "$@"
