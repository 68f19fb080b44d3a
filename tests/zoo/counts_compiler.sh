#!/bin/sh
# counts_compiler.sh SOURCES: every counters.csv is of the nvcc that tools/setup installs, CI's. Of another one no count would be
# compared there, and every test of counts would be skipped.
cd "$1" || exit 1
pinned=$(sed -n 's/.*nvidia-cuda-nvcc==\([0-9.]*\).*/\1/p' tools/setup)
[ -n "$pinned" ] || { echo "tools/setup names no nvcc"; exit 1; }
others=$(grep -L "^# compiler: $pinned\$" kernels/*/*/counters.csv)
[ -z "$others" ] || { echo "not of nvcc $pinned, which tools/setup installs:" $others "(kz gate --counters --write)"; exit 1; }
