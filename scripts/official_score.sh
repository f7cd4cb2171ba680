#!/usr/bin/env bash
# Runs the organizers' own scorer next to ours on the same files, and prints both. Needs a network once: it fetches
# their repository and makes an environment for it, apart from ours. Their scorer's Ev2R half asks a paid service, so
# only the legacy half is run; "python -m submission score --metrics ev2r --mode compatible" stands for the other.
# Usage: official_score.sh SUBMISSION.csv [GOLD.csv]    (GOLD.csv: theirs for the dev split, if none is given)
# From the environment:
#   OFFICIAL             folder for what is fetched (default: output/official)
#   OFFICIAL_REPOSITORY  where from (default: https://github.com/Raldir/FEVER-8-Shared-Task)
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^set /s/^# //p' "$0"; exit ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
official=$(realpath -m "${OFFICIAL:-$root/output/official}")
repository=${OFFICIAL_REPOSITORY:-https://github.com/Raldir/FEVER-8-Shared-Task}
[ $# -ge 1 ] || { sed -n 's/^# Usage: /usage: /p' "${BASH_SOURCE[0]}" >&2; exit 2; }

if [ ! -e "$official/repository/averitec_evaluate.py" ]; then
  git clone --quiet --depth 1 "$repository" "$official/repository" || {
    echo "official_score.sh: $repository cannot be fetched; clone it elsewhere, copy it to $official/repository" >&2
    exit 1
  }
fi
submission=$(realpath "$1") gold=$(realpath "${2:-$official/repository/leaderboard_submission/solution_dev.csv}")
"$root/scripts/setup.sh"
if [ ! -e "$official/.venv/.installed" ]; then
  "$root/.venv/bin/python" -m venv "$official/.venv"
  "$official/.venv/bin/pip" install --quiet pandas scipy nltk tqdm huggingface_hub google-generativeai openai
  touch "$official/.venv/.installed"
fi

export NLTK_DATA=$official/nltk_data # one WordNet and one punkt for both
echo "== theirs"
"$official/.venv/bin/python" "$root/scripts/official_legacy.py" "$official/repository" "$submission" "$gold"
echo "== ours"
cd "$root"
.venv/bin/python -m submission score --predictions "$submission" --gold "$gold" --metrics legacy \
  --json "$official/ours.json"
.venv/bin/python - "$official/ours.json" <<'EOF'
import json, sys
overall = json.load(open(sys.argv[1]))["legacy"]["overall"]
q, qa, averitec = overall["questions"], overall["questions_and_answers"], overall["averitec"]["0.25"]
print(f"Q METEOR {q:.6f}, Q+A METEOR {qa:.6f}, legacy AVeriTeC @0.25 {averitec:.6f}")
EOF
