#!/usr/bin/env bash
# Checks the claims of a split and writes leaderboard_submission/submission.csv. Arguments are further options of the
# system. All its results lie in data_store/SYSTEM_NAME/SPLIT/. The organizers' script evaluates the next line.
SYSTEM_NAME="factgraph"
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source-path=SCRIPTDIR
. ./settings.sh
export HF_HUB_OFFLINE=1 # the weights are here; nothing is asked of the network while the clock runs

claims=data_store/averitec/$SPLIT.json stores=knowledge_store/$SPLIT output=data_store/$SYSTEM_NAME/$SPLIT
for needed in .venv/bin/python "$claims" "$stores"; do
  [ -e "$needed" ] || { echo "system_inference.sh: no $needed; run installation.sh and download_data.sh first" >&2; exit 2; }
done
# The organizers' download_data.sh unpacks archives where they lie, so stores can be in folders of their archives' own.
find "$stores" -mindepth 2 -name '[0-9]*.json' -exec ln -sfrt "$stores" {} +
again=()
[ ! -e "$output/journal.jsonl" ] || again=(--resume)     # resume a run that was stopped
[ ! -e "$output/submission.csv" ] || again=(--overwrite) # measure a finished one again

.venv/bin/python -m system --claims "$claims" --knowledge-store "$stores" --output "$output" \
  "${again[@]}" "${options[@]}" "$@" && status=0 || status=$?
[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || exit "$status" # 3: every claim has a row, but some stand for a failure
mkdir -p leaderboard_submission
cp "$output/submission.csv" leaderboard_submission/submission.csv
