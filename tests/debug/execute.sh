#!/bin/bash
# execute.sh KZ: commands from the command line, and that they exclude a file of them.
set -euo pipefail
kz=$1
cd "$(dirname "$0")"
export XDG_CACHE_HOME=${KZ_TEST_CACHE:-$PWD/.cache} NO_COLOR=1
said=$("$kz" debug --execute "break 9" --execute "quit" look.cu </dev/null 2>&1)
grep -q "(kz) break 9" <<<"$said" || { echo "the command was not taken: $said"; exit 1; }
grep -q "Breakpoint 1 at look.cu" <<<"$said" || { echo "no breakpoint: $said"; exit 1; }
if said=$("$kz" debug --commands lines.script --execute quit look.cu </dev/null 2>&1); then
    echo "--execute and -x were both taken: $said"
    exit 1
fi
grep -q "exclude each other" <<<"$said" || { echo "another message: $said"; exit 1; }
