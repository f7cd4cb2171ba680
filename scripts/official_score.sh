#!/usr/bin/env bash
# Runs the organizers' own scorer next to ours on the same files, and prints both. Needs a network once: it fetches
# their repository and makes an environment for it, apart from ours. Their Ev2R half asks a paid service; with JUDGE, it
# and ours ask your server instead, in the organizers' words. Without, both run the legacy half alone.
# Usage: official_score.sh SUBMISSION.csv [GOLD.csv]    (GOLD.csv: theirs for the dev split, if none is given)
#        official_score.sh --fetch                      (fetches their repository and prints its folder)
# From the environment:
#   JUDGE                an OpenAI-compatible server, server:MODEL@ADDRESS; its key, if any, in FACTGRAPH_API_KEY
#   OFFICIAL_FOLDER      folder for what is fetched (default: output/official)
#   OFFICIAL_REPOSITORY  where from (default: https://github.com/Raldir/FEVER-8-Shared-Task)
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^set /s/^# //p' "$0"; exit ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
official=$(realpath -m "${OFFICIAL_FOLDER:-$root/output/official}")
repository=${OFFICIAL_REPOSITORY:-https://github.com/Raldir/FEVER-8-Shared-Task}
judge=${JUDGE:-}
[ $# -ge 1 ] || { sed -n 's/^# Usage: /usage: /p' "${BASH_SOURCE[0]}" >&2; exit 2; }
case $judge in
  '' | server:*@*) ;;
  *) echo "official_score.sh: expected JUDGE as server:MODEL@ADDRESS, got $judge; their scorer asks servers alone" >&2; exit 2 ;;
esac

if [ ! -e "$official/repository/averitec_evaluate.py" ]; then
  git clone --quiet --depth 1 "$repository" "$official/repository" || {
    echo "official_score.sh: $repository cannot be fetched; clone it elsewhere, copy it to $official/repository" >&2
    exit 1
  }
fi
[ "$1" != --fetch ] || { echo "$official/repository"; exit; }
submission=$(realpath "$1") gold=$(realpath "${2:-$official/repository/leaderboard_submission/solution_dev.csv}")
"$root/scripts/setup.sh" score
if [ ! -e "$official/.venv/.installed" ]; then
  "$root/.venv/bin/python" -m venv "$official/.venv"
  "$official/.venv/bin/pip" install --quiet pandas scipy nltk tqdm huggingface_hub google-generativeai openai aenum
  touch "$official/.venv/.installed"
fi

export NLTK_DATA=$official/nltk_data # one WordNet and one punkt for both
echo "== theirs"
"$official/.venv/bin/python" "$root/scripts/official_scorer.py" "$official/repository" "$submission" "$gold" "${judge#server:}"
echo "== ours"
cd "$root"
judging=()
[ -z "$judge" ] || judging=(ev2r --judge "$judge" --official-prompts "$official/repository/properties.py" --judgements "$official/judgements.jsonl")
.venv/bin/python -m submission score --predictions "$submission" --gold "$gold" --json "$official/ours.json" \
  --no-two-labels --metrics legacy "${judging[@]}"
.venv/bin/python - "$official/ours.json" <<'EOF'
import json, sys
scores = json.load(open(sys.argv[1]))
overall = scores["legacy"]["overall"]
q, qa, averitec = overall["questions"], overall["questions_and_answers"], overall["averitec"]["0.25"]
print(f"Q METEOR {q:.6f}, Q+A METEOR {qa:.6f}, legacy AVeriTeC @0.25 {averitec:.6f}")
if scores["ev2r"]:
    units, averitec = scores["ev2r"]["units"], scores["ev2r"]["averitec"]["mean"]
    q, qa = (units[unit]["recall"]["mean"] for unit in ("questions", "evidence"))
    print(f"Q Ev2R recall {q:.6f}, Q+A Ev2R recall {qa:.6f}, AVeriTeC {averitec:.6f}")
EOF
