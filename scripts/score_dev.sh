#!/usr/bin/env bash
# Runs the dev split, validates the submission, scores it and writes the report, all into one folder. Options go to
# run.sh, such as --limit 20, --profile a10g or --resume; with PREDICTIONS they go to 'submission score', such as
# --two-labels. From the environment:
#   CLAIMS       AVeriTeC's dev.json (default: knowledge_store/data/dev.json)
#   STORE        its knowledge store (default: knowledge_store/data/dev)
#   OUTPUT       folder for all results (default: output/dev)
#   PREDICTIONS  another system's predictions, CSV or JSON, to score in place of a run
#   JUDGE        a judge for Ev2R, such as server:MODEL@http://localhost:8000/v1 (default: none, and no Ev2R)
#   PROMPTS      the organizers' properties.py, which the judge needs (default: scripts/official_score.sh fetches it)
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^set /s/^# //p' "$0"; exit ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data=$root/knowledge_store/data
claims=${CLAIMS:-$data/dev.json} store=${STORE:-$data/dev} output=${OUTPUT:-$root/output/dev}
predictions=${PREDICTIONS:-} judge=${JUDGE:-} prompts=${PROMPTS:-}
fail() { echo "score_dev.sh: $*" >&2; exit 2; }
need() { [ -e "$1" ] || fail "no $1; put $2 there, or set $3"; }
need "$claims" "AVeriTeC's dev.json" CLAIMS
[ -z "$predictions" ] || need "$predictions" "predictions" PREDICTIONS
[ -n "$predictions" ] || need "$store" "the dev split's knowledge store" STORE
[ -z "$prompts" ] || need "$prompts" "the organizers' properties.py" PROMPTS
[ -n "$judge" ] || [ -z "$prompts" ] ||
  fail "PROMPTS are for a judge, and there is none; set JUDGE, such as server:MODEL@http://localhost:8000/v1"
judging=()
if [ -n "$judge" ]; then
  prompts=${prompts:-$("$root/scripts/official_score.sh" --fetch)/properties.py}
  judging=(ev2r --judge "$judge" --official-prompts "$(realpath "$prompts")")
fi
"$root/scripts/setup.sh" score
claims=$(realpath "$claims") output=$(realpath -m "$output") status=0

if [ -n "$predictions" ]; then
  predictions=$(realpath "$predictions") submission=$predictions others=(--predictions "$predictions")
  judging+=("$@")
  judging+=(--judgements "$output/judgements.jsonl")
  mkdir -p "$output"
else
  "$root/run.sh" --claims "$claims" --knowledge-store "$(realpath "$store")" --output "$output" "$@" || status=$?
  [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || exit "$status" # 3: some rows stand for a failure, and are scored as such
  predictions=$output/submission.json submission=$output/submission.csv others=()
fi

cd "$root"
python=$root/.venv/bin/python
"$python" -m submission validate "$submission" --claims "$claims" ||
  echo "score_dev.sh: the faults above are those of a part of the split, or of the run; the scores below go by claim id"
"$python" -m submission score --predictions "$predictions" --gold "$claims" --json "$output/scores.json" \
  --metrics legacy "${judging[@]}"
"$python" -m submission report "$output" --gold "$claims" "${others[@]}"
exit "$status"
