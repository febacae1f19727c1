#!/bin/sh
# A real hang of two ranks, collected and judged: starts two_ranks.py, waits until both stand where they will stay, runs
# `advisor collect` on them, ends them, and prints what `advisor check` makes of the archive.
#   PYTHON=python3 (has torch)   ADVISOR="python3 -m advisor"   OUT=folder for what is kept   WAIT=seconds between samples
# On a machine with two GPUs the ranks run on NCCL with the flight recorder armed, else on gloo. Ends with 0 when the
# archive names rank 1 and the all_gather.
set -u
here=$(cd "$(dirname "$0")" && pwd)
PYTHON=${PYTHON:-python3}
ADVISOR=${ADVISOR:-"$PYTHON -m advisor"}
WAIT=${WAIT:-5}
OUT=${OUT:-$(mktemp -d)}
mkdir -p "$OUT/run"
out=$(cd "$OUT" && pwd)
archive="$out/wedged.tar.gz"
rm -f "$archive"

export MASTER_ADDR=127.0.0.1 MASTER_PORT="${MASTER_PORT:-29511}" WORLD_SIZE=2
export TORCH_NCCL_DUMP_ON_TIMEOUT=1 TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_FR_BUFFER_SIZE=2000
export TORCH_NCCL_DEBUG_INFO_PIPE_FILE="$out/run/fr_" TORCH_NCCL_DEBUG_INFO_TEMP_FILE="$out/run/trace_"
export TORCH_FR_DUMP_TEMP_FILE="$out/run/trace_"
pids=
for rank in 0 1; do
    RANK=$rank LOCAL_RANK=$rank "$PYTHON" "$here/two_ranks.py" --for 300 >"$out/run/rank$rank.log" 2>&1 &
    pids="$pids $!"
done
trap 'kill -9 $pids 2>/dev/null' EXIT INT TERM

tries=0
until grep -q READY "$out/run/rank0.log" && grep -q READY "$out/run/rank1.log"; do
    tries=$((tries + 1))
    if [ "$tries" -gt 120 ]; then
        echo "the ranks did not get ready within 120 s" >&2
        cat "$out/run/rank0.log" "$out/run/rank1.log" >&2
        exit 3
    fi
    sleep 1
done
sleep 2

flags=
for pid in $pids; do flags="$flags --pid $pid"; done
# shellcheck disable=SC2086  # both are several words
$ADVISOR collect $flags --wait "$WAIT" --output "$archive" || exit 4
kill -9 $pids 2>/dev/null
# shellcheck disable=SC2086
$ADVISOR check "$archive" >"$out/report.txt"
cat "$out/report.txt"
tr -s ' \n' ' ' <"$out/report.txt" >"$out/report.line"
said='rank 1 stands in' # gloo: from the stacks; NCCL: from the flight recorder's dumps
if grep -q 'backend nccl' "$out/run/rank0.log"; then said='rank 1 never joined'; fi
if grep -qi 'all_\{0,1\}gather' "$out/report.line" && grep -q "$said" "$out/report.line"; then
    echo "WEDGED: the report names rank 1 and the all_gather"
else
    echo "WEDGED: the report does not name them" >&2
    exit 5
fi
