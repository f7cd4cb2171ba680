#!/usr/bin/env bash
# Runs the dev split, validates the submission, scores it and writes the report, all into one folder. Options go to
# run.sh, such as --limit 20, --profile a10g or --resume. From the environment:
#   CLAIMS  AVeriTeC's dev.json (default: knowledge_store/data/dev.json)
#   STORE   its knowledge store (default: knowledge_store/data/dev)
#   OUTPUT  folder for all results (default: output/dev)
#   JUDGE   a judge for Ev2R, such as server:MODEL@http://localhost:8000/v1 (default: none, but an estimate by words)
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^set /s/^# //p' "$0"; exit ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data=$root/knowledge_store/data
claims=${CLAIMS:-$data/dev.json} store=${STORE:-$data/dev} output=${OUTPUT:-$root/output/dev}
need() { [ -e "$1" ] || { echo "score_dev.sh: no $1; put $2 there, or set $3" >&2; exit 2; }; }
need "$claims" "AVeriTeC's dev.json" CLAIMS
need "$store" "the dev split's knowledge store" STORE
claims=$(realpath "$claims") store=$(realpath "$store") output=$(realpath -m "$output")

"$root/run.sh" --claims "$claims" --knowledge-store "$store" --output "$output" "$@" && status=0 || status=$?
[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || exit "$status" # 3: some rows stand for a failure, and are scored as such

cd "$root"
python=$root/.venv/bin/python
"$python" -m submission validate "$output/submission.csv" --claims "$claims" ||
  echo "score_dev.sh: the faults above are those of a part of the split, or of the run; the scores below go by claim id"
ev2r=(ev2r-lexical)
[ -z "${JUDGE:-}" ] || ev2r=(ev2r --judge "$JUDGE")
"$python" -m submission score --predictions "$output/submission.json" --gold "$claims" --json "$output/scores.json" \
  --metrics legacy "${ev2r[@]}"
"$python" -m submission report "$output" --gold "$claims"
exit "$status"
